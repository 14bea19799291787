"""Whether results hold members that equal their default: by tool, by project, by who receives them."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.project.core.compiled import Options
from toolcast.runtime import ToolRegistry, ToolResult

from tests.python.compiled import Binding, package, spec
from tests.spec.helper import tool

RESULT = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string"},
        "count": {"type": "integer", "default": 0},
        "note": {"type": ["string", "null"], "default": None},
        "label": {"type": "string"},
        "maybe": {"type": ["integer", "null"]},
        "tags": {"type": "array", "items": {"type": "string"}, "default": ["a"]},
        "inner": {
            "type": "object",
            "properties": {"deep": {"type": "boolean", "default": False}},
            "default": {},
        },
        "rows": {
            "type": "array",
            "items": {"type": "object", "properties": {"n": {"type": "number", "default": 1.5}}},
        },
    },
}
COMPLETE = {
    "name": "x",
    "count": 0,
    "note": None,
    "tags": ["a"],
    "inner": {"deep": False},
    "rows": [{"n": 1.5}, {"n": 2}],
}
VALUES = st.fixed_dictionaries(
    {"name": st.text(max_size=3)},
    optional={
        "count": st.integers(0, 2),
        "note": st.sampled_from([None, "n"]),
        "label": st.just("l"),
        "maybe": st.sampled_from([None, 1]),
        "tags": st.lists(st.sampled_from(["a", "b"]), max_size=2),
        "inner": st.fixed_dictionaries({}, optional={"deep": st.booleans()}),
        "rows": st.lists(st.fixed_dictionaries({}, optional={"n": st.sampled_from([1.5, 2])}), max_size=2),
    },
)
OPTIONS = Options(providers=("openai", "mcp"))
TOOLS = {
    f"{name}.json": spec({"type": "object"}, result=RESULT, **({} if name == "auto" else {"defaults": name}))
    for name in ("auto", "include", "omit")
}


@pytest.fixture(scope="module")
def tools() -> Iterator[dict[str, Binding]]:
    with package(TOOLS, options=OPTIONS) as found:
        yield found


def run(binding: Binding, value: Any, provider: str | None) -> ToolResult:
    registry = ToolRegistry()
    registry.register(binding, lambda params, context: value)  # noqa: ARG005
    return asyncio.run(registry.execute(binding.name, {}, provider))


@pytest.mark.parametrize(
    ("name", "provider", "complete"),
    [
        ("auto", None, True),
        ("auto", "openai", True),
        ("auto", "mcp", False),
        ("include", "mcp", True),
        ("include", "openai", True),
        ("omit", None, False),
        ("omit", "openai", False),
    ],
)
def test_defaults_are_written_unless_the_schema_of_results_is_seen(
    name: str, provider: str | None, complete: bool, tools: dict[str, Binding]
) -> None:
    binding = tools[name]
    value = msgspec.convert({"name": "x", "rows": [{}, {"n": 2}]}, binding.result)
    output = json.loads(run(binding, value, provider).output)
    assert output == (COMPLETE if complete else {"name": "x", "rows": [{}, {"n": 2}]})


@given(data=VALUES)
def test_each_form_fits_the_contract_and_means_the_same(
    tools: dict[str, Binding], data: dict[str, Any]
) -> None:
    oracle = jsonschema_rs.Draft202012Validator(RESULT)
    for binding in tools.values():
        value = msgspec.convert(data, binding.result)
        for provider in (None, "openai", "mcp"):
            encoded = json.loads(binding.encode_result(value, provider))
            oracle.validate(encoded)
            assert msgspec.convert(encoded, binding.result) == value
            if binding.defaults == "include" or (binding.defaults is None and provider != "mcp"):
                assert {"count", "note", "tags", "inner"} <= encoded.keys()
                assert ("label" in encoded, "maybe" in encoded) == ("label" in data, "maybe" in data)
            else:
                defaults = {"count": 0, "note": None, "tags": ["a"], "inner": {}}
                assert not [key for key, default in defaults.items() if encoded.get(key, ...) == default]


def without(schema: Any, *keywords: str) -> Any:
    if isinstance(schema, list):
        return [without(each, *keywords) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: without(value, *keywords) for key, value in schema.items() if key not in keywords}


FORMS = {"exact": without(RESULT, "default"), "defaults": without(RESULT, "note"), "": RESULT}


@pytest.fixture(scope="module")
def formed() -> Iterator[dict[str, Binding]]:
    specs = {f"{name or 'settled'}.json": spec({"type": "object"}, result=FORMS[name]) for name in FORMS}
    with package(specs, options=OPTIONS) as found:
        yield {name: found[name or "settled"] for name in FORMS}


@given(data=VALUES)
def test_what_the_compiler_knows_of_a_result_changes_no_byte(
    formed: dict[str, Binding], data: dict[str, Any]
) -> None:
    """Where the types say all, the contract is not asked; a binding that says less asks it."""
    for form, binding in formed.items():
        value = msgspec.convert(data, binding.result)
        asking = msgspec.structs.replace(binding, result_form=None)
        assert binding.result_form == (form or None)
        for provider in (None, "openai", "mcp"):
            encoded = binding.encode_result(value, provider)
            assert encoded == asking.encode_result(value, provider)
            jsonschema_rs.Draft202012Validator(FORMS[form]).validate(json.loads(encoded))


@pytest.mark.parametrize("form", FORMS)
def test_a_struct_that_breaks_its_types_is_a_mismatch(formed: dict[str, Binding], form: str) -> None:
    binding = formed[form]
    for wrong in ({"name": 1}, {"name": "x", "rows": [{"n": "1"}]}, {"name": "x", "maybe": "2"}):
        registry = ToolRegistry(check_results=True)
        registry.register(binding, lambda params, context, wrong=wrong: binding.result(**wrong))  # noqa: ARG005
        result = registry.execute_sync(binding.name, {})
        assert not result.success
        assert "is not what its contract says" in result.error


def test_the_project_decides_for_tools_that_do_not() -> None:
    for project in ("include", "omit"):
        with package(TOOLS, options=msgspec.structs.replace(OPTIONS, defaults=project)) as tools:
            found = {name: binding.defaults for name, binding in tools.items()}
        assert found == {"auto": project, "include": "include", "omit": "omit"}
    with package(TOOLS, options=OPTIONS) as tools:
        assert tools["auto"].defaults is None


@pytest.mark.parametrize("default", ["include", "omit", None])
def test_a_default_that_another_keyword_refuses_is_not_written(default: str | None) -> None:
    """Where presence itself is a matter of the schema, the form that fits is sent."""
    schema = {
        "type": "object",
        "properties": {"a": {"type": "integer", "default": 1}, "b": {"type": "integer"}},
        "dependentRequired": {"a": ["b"]},
    }
    more = {} if default is None else {"defaults": default}
    with package({"t.json": spec({"type": "object"}, result=schema, **more)}, options=OPTIONS) as tools:
        encoded = json.loads(tools["t"].encode_result(msgspec.convert({}, tools["t"].result)))
        jsonschema_rs.Draft202012Validator(schema).validate(encoded)
    assert encoded == {}


@pytest.mark.parametrize("value", ["all", "true", "[]", "INCLUDE"])
def test_another_value_is_refused(value: str) -> None:
    _, found = tool(f"description: x\npermission: read\nsecrets: []\ndefaults: {value}\n")
    (problem,) = found
    assert (problem.code, problem.line, problem.column) == (
        "wrong-type" if value in ("true", "[]") else "bad-defaults", 4, 11,
    )  # fmt: skip
    assert "`include`" in problem.hint
