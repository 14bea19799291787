"""What a contract costs grows with its schema, not with its square."""

from collections.abc import Callable
from typing import Any

from toolcast.contract.build import build_tool
from toolcast.contract.tree import Enum, Object
from toolcast.lint.linted_tool import numbered, subject
from toolcast.providers import load_profile
from toolcast.spec.spec_reader import read_tool
from toolcast.spec.tool_spec import ToolSpec

from tests.counting import grows_linearly
from tests.python.compiled import document, spec


def _tool(branches: list[Any]) -> ToolSpec:
    properties = {"kind": {"anyOf": branches}}
    source = document(spec({"type": "object", "properties": properties}), "t.json")
    tool, problems, _ = read_tool(source, "t.json", frozenset())
    assert tool is not None, problems
    return tool


def test_a_union_of_many_constants() -> None:
    def work(size: int) -> Callable[[], object]:
        tool = _tool([{"const": number} for number in range(size * 100)])
        return lambda: build_tool(tool, {})

    assert grows_linearly(work)


def test_a_union_of_many_constants_as_providers_get_it() -> None:
    profiles = numbered([load_profile(id) for id in ("openai", "gemini")])

    def work(size: int) -> Callable[[], object]:
        tool = _tool([{"const": number} for number in range(size * 100)])
        return lambda: subject(tool, {}, profiles)

    assert grows_linearly(work)


def test_a_union_of_many_constants_of_several_types_as_providers_get_it() -> None:
    profiles = numbered([load_profile(id) for id in ("openai", "gemini", "conservative")])

    def work(size: int) -> Callable[[], object]:
        values = [value for n in range(size * 25) for value in (n, f"{n}", [n], {"n": n})]
        tool = _tool([{"const": value, "description": f"Value {value}."} for value in values])
        return lambda: subject(tool, {}, profiles)

    assert grows_linearly(work)


def test_constants_that_json_holds_equal_are_one_value() -> None:
    values = [1, 1.0, True, "1", [1], [1.0], [True], {"a": 1}, {"a": 1.0}, None, 2**70, float(2**70)]
    built = build_tool(_tool([{"const": value} for value in values]), {})
    assert built.contract is not None
    assert isinstance(built.contract.roots["parameters"], Object)
    (field,) = built.contract.roots["parameters"].fields
    assert isinstance(field.node, Enum)
    assert [(type(value), value) for value in field.node.values] == [
        (type(value), value) for value in (1, True, "1", [1], [True], {"a": 1}, None, 2**70)
    ]
