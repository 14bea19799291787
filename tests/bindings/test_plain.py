"""The built-in templates are rendered without Jinja, and Jinja would leave the same bytes."""

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.bindings.plain import translate
from toolcast.bindings.templates import Templates, environment
from toolcast.paths import templates_dir

TEXT = st.text(alphabet="a{%} \n\\\"'#é", max_size=8)
TEXTS = st.lists(TEXT, max_size=3)
FIELD = st.builds(SimpleNamespace, name=TEXT, annotation=TEXT, value=TEXT, doc=TEXT)
CLASS = st.builds(
    SimpleNamespace,
    is_class=st.just(True),
    name=TEXT,
    header=TEXT,
    doc=TEXT,
    constants=TEXTS,
    fields=st.lists(FIELD, max_size=3),
    checks=TEXTS,
)
ALIAS = st.builds(SimpleNamespace, is_class=st.just(False), name=TEXT, text=TEXT, marker=TEXT)
DEFINITIONS = st.lists(st.tuples(TEXT, CLASS | ALIAS), max_size=3)
ROW = st.builds(
    SimpleNamespace, literal=TEXT, module=TEXT, constant=TEXT, keyword=TEXT, handler=TEXT, argument=TEXT
)
VALUES = {
    "package.py.jinja": st.fixed_dictionaries({"mark": TEXT}),
    "registry.py.jinja": st.fixed_dictionaries(
        {
            "mark": TEXT,
            "imports": TEXTS,
            "registry": TEXT,
            "handler_imports": TEXTS,
            "tools": st.lists(ROW, max_size=3),
            "signature": TEXTS,
        }
    ),
    "stub.py.jinja": st.fixed_dictionaries(
        {
            "package": TEXT,
            "function": TEXT,
            "entry": st.builds(SimpleNamespace, name=TEXT, module=TEXT, params=TEXT, keyword=TEXT),
        }
    ),
    "tool.py.jinja": st.fixed_dictionaries(
        {
            **dict.fromkeys(("mark", "doc", "handler", "display_name", "params", "result"), TEXT),
            "constant": TEXT,
            "imports": TEXTS,
            "definitions": DEFINITIONS,
            "binding": st.lists(st.tuples(TEXT, TEXT), max_size=3),
        }
    ),
    "type.py.jinja": st.fixed_dictionaries(
        {
            **dict.fromkeys(("mark", "doc", "late_gap"), TEXT),
            "imports": TEXTS,
            "definitions": DEFINITIONS,
            "late_imports": TEXTS,
            "late_definitions": st.lists(ALIAS, max_size=3),
        }
    ),
}
JINJA, PLAIN = environment(), Templates()


def test_every_template_is_looked_at() -> None:
    names = {path.name for path in templates_dir().glob("*.jinja")}
    assert names == {*VALUES, "_definitions.jinja"}


@pytest.mark.parametrize("name", VALUES)
@given(data=st.data())
def test_jinja_renders_the_same(name: str, data: Any) -> None:
    values = data.draw(VALUES[name])
    assert PLAIN.render(name, **values) == JINJA.get_template(name).render(**values)


@pytest.mark.parametrize("name", VALUES)
def test_an_unknown_variable_is_an_error(name: str) -> None:
    with pytest.raises(KeyError):
        PLAIN.render(name)


@pytest.mark.parametrize(
    "text",
    [
        "{{ a|upper }}",
        "{{ a() }}",
        "{{ a[0] }}",
        "{{a}}",
        "{% for a in b %}",
        "{% endif %}",
        "{% set a = 1 %}",
        "{%- if a %}{% endif %}",
        "{% if a == b %}{% endif %}",
        "{% if a %}{% endif %}{% else %}",
        "{# a #}",
    ],
)
def test_what_is_not_of_the_language_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"language|closed"):
        translate("t", lambda _name: text)


def test_blanks_are_trimmed_as_by_jinja() -> None:
    text = (
        "a\n  {% if x %}\n  b {% if y %} c{% endif %}\n\n{% else %}\n"
        "\t{{ x }} d\n  {% endif %}  \n{% if y %}e{% endif %}"
    )
    plain = translate("t", lambda _name: text)
    for values in ({"x": x, "y": y} for x in ("", "1") for y in ("", "1")):
        assert plain(values) == JINJA.from_string(text).render(**values)
