"""Numbers in the page have every digit, also past what JavaScript's numbers hold."""

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.lint.projects import spec, write
from tests.report.reports import report_of
from tests.typescript.tools import node

from .bundle import bundle
from .chromium import opened, write_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser

HERE = Path(__file__).parent
LONG = st.integers(2**53 - 3, 2**53 + 3) | st.integers(10**14, 10**40)
TEXT = (
    st.text() | LONG.map(str) | LONG.map(lambda number: f'"\\{number}') | LONG.map(lambda n: f'", {n}, "\\')
)
SCALAR = st.none() | st.booleans() | LONG | LONG.map(lambda number: -number) | st.floats(-9, 9) | TEXT
JSON = st.recursive(
    SCALAR,
    lambda below: st.lists(below, max_size=4) | st.dictionaries(TEXT, below, max_size=4),
    max_leaves=15,
)


def test_integers_of_json_keep_their_digits(tmp_path: Path) -> None:
    script = tmp_path / "exact.mjs"
    script.write_bytes(bundle(HERE / "exact_numbers.mjs", "--format=esm", "--platform=node"))
    with subprocess.Popen(
        (node(), str(script)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:

        @settings(deadline=None)
        @given(JSON, st.booleans())
        def check(value: Any, plain: bool) -> None:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps(value, ensure_ascii=plain) + "\n")
            process.stdin.flush()
            assert json.loads(json.loads(process.stdout.readline())) == value

        try:
            check()
        finally:
            process.kill()


def test_long_integers_are_shown_as_they_are_sent(browser: "Browser", tmp_path: Path) -> None:
    numbers = (9007199254740993, -9007199254740995, 18446744073709551615)
    low, default, high = numbers[1], numbers[0], numbers[2]
    properties = {"id": {"type": "integer", "minimum": low, "maximum": high, "default": default}}
    write(tmp_path, {"find": spec(properties=properties)}, 'providers = ["openai", "mcp"]\n')
    with opened(browser, write_page(report_of(tmp_path), tmp_path / "report.html")) as report:
        page = report.go("#/tool/find/mcp")
        definition = page.get_by_role("region", name="Provider").inner_text()
        assert [number for number in numbers if str(number) not in definition] == []
        page.get_by_label("Arguments, as JSON").fill("{}")
        assert str(default) in page.locator(".output").inner_text()
        page.get_by_label("Arguments, as JSON").fill(json.dumps({"id": high + 1}))
        assert str(high) in page.locator(".output").inner_text()
        assert report.problems() == []
