"""The built-in templates: unknown variables and templates are errors; overrides replace by name."""

import pytest
from toolcast.languages.python.bindings.templates import TemplateFailedError, Templates
from toolcast.package_files import templates_dir

NAMES = sorted(path.name for path in templates_dir().glob("*.jinja"))


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_variable_is_an_error(name: str) -> None:
    with pytest.raises(TemplateFailedError, match="UndefinedError"):
        Templates().render(name)


def test_an_unknown_template_is_an_error() -> None:
    with pytest.raises(TemplateFailedError, match="TemplateNotFound"):
        Templates().render("unknown.jinja")


def test_an_override_replaces_one_template_and_leaves_the_others() -> None:
    templates = Templates((("package.py.jinja", "{{ mark }} changed\n"),))
    assert templates.render("package.py.jinja", mark="# m") == "# m changed\n"
    assert "def register_all" in templates.render(
        "registry.py.jinja",
        mark="# m", imports=[], handler_imports=[], tools=[], handled=[], external="", keywords="",
        tool_name="str", provider="str",
    )  # fmt: skip
