"""What is imported when, and what is said where httpx is missing."""

from tests.runtime.helpers import python


def test_httpx_is_not_imported_before_a_request() -> None:
    code = (
        "import sys, toolcast.http as h; [getattr(h, name) for name in h.__all__]; "
        "print('httpx' in sys.modules, *sorted({m.split('.')[1] for m in sys.modules if 'toolcast.' in m}))"
    )
    loaded = (
        "hidden_characters http http_operation jsonschema lazy_exports "
        "output_layout permissions runtime version"
    )
    assert python(code) == f"False {loaded}"


def test_a_missing_httpx_is_told_with_the_remedy() -> None:
    code = (
        "import sys; sys.modules['httpx'] = None\n"
        "from toolcast.http.client import HttpxMissingError, load_httpx\n"
        "try:\n    load_httpx()\nexcept HttpxMissingError as problem:\n    print(problem)"
    )
    assert python(code) == "httpx is not installed; run: pip install 'toolcast[http]' (httpx 0.28 or newer)"
