"""The key `deprecated`: its form, what it becomes for models and for Python, and that of parameters."""

import ast
import json
import re

import jsonschema_rs
import pytest
import toolcast
from hypothesis import given
from hypothesis import strategies as st
from toolcast.project.steps.assemble import Compilation
from toolcast.providers import available, load_profile, normalize
from toolcast.runtime.definitions import cut_definition
from toolcast.spec.deprecation import notice, removal_date, replacement, shown_description, shown_summary
from toolcast.spec.editor_schema import format_schema

from tests.python.compiled import binding
from tests.spec.helper import PROVIDERS, tool

HEAD = "description: Finds things. In many places.\npermission: read\nsecrets: []\n"
EDITOR = jsonschema_rs.validator_for(format_schema(PROVIDERS))


def compiled(deprecated: str, *providers: str) -> Compilation:
    text = f"{HEAD}deprecated: {deprecated}\n"
    made = toolcast.compile({"find.yaml": text.encode()}, providers=providers or tuple(PROVIDERS))
    assert made.diagnostics == ()
    return made


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{}", "Deprecated."),
        ("{since: '2.1'}", "Deprecated since 2.1."),
        ("{use: find_all}", "Deprecated: use `find_all` instead."),
        ("{use: Ask the user.}", "Deprecated: Ask the user."),
        ("{use: no other tool does this}", "Deprecated: no other tool does this."),
        ("{remove_after: 2027-03-01}", "Deprecated, to be removed after 2027-03-01."),
        (
            "{since: 2026-11-01, use: find_all, remove_after: '3.0'}",
            "Deprecated since 2026-11-01, to be removed after 3.0: use `find_all` instead.",
        ),
        ("{since: 'a\n\n b'}", "Deprecated since a b."),
    ],
)
def test_models_read_one_sentence_before_the_description(text: str, sentence: str) -> None:
    spec, found = tool(f"{HEAD}deprecated: {text}\n")
    assert found == ()
    assert spec is not None
    assert spec.deprecated is not None
    assert notice(spec.deprecated) == sentence
    assert shown_description(spec) == f"{sentence}\n\nFinds things. In many places."
    assert shown_summary(spec) == f"{sentence} Finds things."
    assert (spec.description, spec.summary) == ("Finds things. In many places.", "Finds things.")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("true", "wrong-type"),
        ("yes", "wrong-type"),
        ("", "wrong-type"),
        ("{since: 2.1}", "wrong-type"),
        ("{use: ''}", "empty-text"),
        ("{use: edit}", "bad-deprecated"),
        ("{sunset: 2027-03-01}", "unknown-key"),
        *((f"{{remove_after: '{text}'}}", "bad-deprecated") for text in (
            "2027-02-30", "2027-3-1", "20270301", "2027.03.01", "2027/03/01", "2027-03", "soon", "1 2", "²",
            "1" * 65, "1.0" + "-a" * 40,
        )),
    ],
)  # fmt: skip
def test_anything_else_is_refused(text: str, code: str) -> None:
    spec, found = tool(f"{HEAD}deprecated: {text}\n")
    assert spec is None
    assert [(each.code, each.line) for each in found] == [(code, 4)]
    assert found[0].hint


@pytest.mark.parametrize("text", ["3.0", "v3", "2027", "2027.1", "1.0.0-rc.1+build", "3.0a1", "10.20.30"])
def test_versions(text: str) -> None:
    spec, found = tool(f"{HEAD}deprecated: {{remove_after: '{text}'}}\n")
    assert found == ()
    assert spec is not None
    assert spec.deprecated is not None
    assert removal_date(spec.deprecated) is None


ENDS = st.one_of(
    st.dates().map(lambda day: day.isoformat()),
    st.from_regex(r"[0-9]{1,4}([-./][0-9]{1,4}){0,3}", fullmatch=True),
    st.text(max_size=70),
)


@given(ENDS)
def test_editors_refuse_what_the_reader_refuses(end: str) -> None:
    data = {"description": "a", "permission": "read", "secrets": [], "deprecated": {"remove_after": end}}
    spec, _ = tool(json.dumps(data), kind="json")
    is_no_day = re.fullmatch(r"\s*\d{4}-\d\d-\d\d\s*", end) is not None  # a schema knows no calendar
    assert EDITOR.is_valid(data) == (spec is not None) or (spec is None and is_no_day)


def test_every_definition_begins_with_it() -> None:
    providers = available()
    made = compiled("{use: find_all}", *providers)
    sentence = "Deprecated: use `find_all` instead."
    for id in providers:
        whole = json.loads(made.files[f"schemas/{id}/find.json"])
        assert f'"{sentence}\\n\\nFinds things.' in json.dumps(whole), id
        brief = cut_definition(whole, "find", f"{sentence} Finds things.")
        assert sentence in json.dumps(brief), id


def test_python_code_says_so() -> None:
    stated = {"since": "2.1", "use": "find_all", "remove_after": "2027-03-01"}
    sentence = "Deprecated since 2.1, to be removed after 2027-03-01: use `find_all` instead."
    with binding({"type": "object"}, deprecated=stated) as found:
        assert found.deprecated == stated
        assert found.summary == f"{sentence} A tool."
        assert found.description == f"{sentence}\n\nA tool."
    made = compiled(json.dumps(stated))
    shown = ast.get_docstring(ast.parse(made.files["find.py"])) or ""
    assert " ".join(shown.split()) == f"find: {sentence} Finds things."


def test_a_tool_that_is_not_deprecated_has_none() -> None:
    with binding({"type": "object"}) as found:
        assert found.deprecated is None
    made = toolcast.compile({"find.yaml": HEAD.encode()}, providers=("openai",))
    assert b"deprecated" not in made.files["find.py"].lower()


@given(st.text(min_size=1).filter(str.strip), st.text(min_size=1).filter(str.strip))
def test_text_is_text(since: str, use: str) -> None:
    stated = {"since": since, "use": use}
    text = json.dumps(
        {"description": "a", "permission": "read", "secrets": [], "deprecated": stated}
    ).encode()
    made = toolcast.compile({"find.json": text}, providers=("openai",))
    if made.diagnostics:
        assert {each.code for each in made.diagnostics} <= {"bad-deprecated", "lone-surrogate"}
        return
    shown = json.loads(made.files["schemas/openai/find.json"])["function"]["description"]
    assert shown.startswith(f"Deprecated since {' '.join(since.split())}: ")
    assert "\n" not in shown.partition("\n\na")[0]


def test_a_replacement_is_a_name_by_form() -> None:
    for text, name in (("find_all", "find_all"), ("find-all", "find-all"), ("find all", None), ("", None)):
        spec, _ = tool(f"{HEAD}deprecated: {{{f'use: {text}' if text else ''}}}\n")
        assert spec is not None
        assert spec.deprecated is not None
        assert replacement(spec.deprecated) == name


@pytest.mark.parametrize("id", available())
def test_of_a_parameter_every_provider_shows_it(id: str) -> None:
    """`deprecated` of JSON Schema stays where a provider knows it; else the description says it."""
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string", "description": "Some text.", "deprecated": True}},
        "additionalProperties": False,
    }
    made = normalize(schema, load_profile(id))
    shown = json.dumps(made.schema["properties"]["a"])
    entries = [each for each in made.ledger if each.keyword == "deprecated"]
    assert '"deprecated": true' in shown or ("Deprecated." in shown and len(entries) == 1)
