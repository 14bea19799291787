"""What a contract costs grows with its schema, not with its square."""

import json
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import pytest
from toolcast.analysis.lint.linted_tool import numbered, subject
from toolcast.contract.build import build_tool
from toolcast.contract.tree import Enum, Object
from toolcast.jsonschema.keywords import subschemas
from toolcast.project.core.compiled import Options
from toolcast.project.core.compiler import compile_tool, compile_type
from toolcast.providers import load_profile
from toolcast.providers.passes.references import INLINE_NODES
from toolcast.spec.read_file import SourceDocument
from toolcast.spec.spec_reader import read_tool
from toolcast.spec.tool_spec import ToolSpec

from tests.counting import grows_linearly, lines_executed
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


Shape = Callable[[int], dict[str, Any]]


def _references(names: Iterable[str]) -> dict[str, Any]:
    return {name: {"$ref": f"#/$defs/{name}"} for name in names}


def _referring(definitions: dict[str, Any]) -> ToolSpec:
    schema = {"type": "object", "properties": _references(definitions), "$defs": definitions}
    tool, problems, _ = read_tool(document(spec(schema), "t.json"), "t.json", frozenset())
    assert tool is not None, problems
    return tool


def _dense(number: int) -> dict[str, Any]:
    """`number` definitions, each with a property for each of them."""
    every = {f"p{n}": {"$ref": f"#/$defs/D{n}"} for n in range(number)}
    return {f"D{n}": {"type": "object", "required": ["p0"], "properties": every} for n in range(number)}


def _dense_lists(number: int) -> dict[str, Any]:
    every = {
        f"p{n}": {"type": "array", "items": {"anyOf": [{"$ref": f"#/$defs/D{n}"}, {"type": "null"}]}}
        for n in range(number)
    }
    return {f"D{n}": {"type": "object", "properties": every} for n in range(number)}


def _diamond(number: int) -> dict[str, Any]:
    """`number` definitions, each of which refers to the next one twice."""
    last = f"D{number - 1}"
    return {
        f"D{n}": {"type": "object", "properties": {k: {"$ref": f"#/$defs/D{n + 1}"} for k in "ab"}}
        for n in range(number - 1)
    } | {last: {"type": "string"}}


@pytest.mark.parametrize("shape", [_dense, _dense_lists, _diamond])
def test_definitions_that_refer_to_each_other(shape: Shape) -> None:
    steps: list[int] = []
    sizes: list[int] = []
    for number in (3, 6, 12, 24):  # what is made at first use is no part of the work
        steps.append(lines_executed(partial(build_tool, _referring(shape(number)), {})))
        sizes.append(len(json.dumps(shape(number))))
    less, more = ((steps[n + 1] - steps[n]) / (sizes[n + 1] - sizes[n]) for n in (1, 2))
    assert more < 1.2 * less, (steps, sizes)


@pytest.mark.parametrize("shape", [_dense, _diamond])
def test_definitions_that_are_sent_in_place_of_their_references(shape: Shape) -> None:
    schemas = 0
    compiled = compile_tool(_referring(shape(40)), {}, Options(providers=("gemini",)))
    assert not compiled.diagnostics
    waiting = [json.loads(compiled.files["schemas/gemini/t.json"])["parameters"]]
    while waiting:
        schemas += 1
        waiting += [below for _, below in subschemas(waiting.pop())]
    assert schemas < 2 * INLINE_NODES
    ledger = compiled.losses["gemini"]
    assert any(each.keyword == "$ref" and each.action != "inlined" for each in ledger)


def _compiled_types(types: dict[str, SourceDocument], written: list[int]) -> None:
    made = [compile_type(file, types, Options(providers=())).files for file in types]
    written.append(sum(len(content) for files in made for content in files.values()))


def test_shared_types_that_refer_to_each_other() -> None:
    steps: list[int] = []
    written: list[int] = []
    for number in (2, 3, 5, 9):  # what is made at first use is no part of the work
        every = {f"p{n}": {"$ref": f"t{n}.yaml"} for n in range(number)}
        schema = {"type": "object", "properties": every}
        types = {f"_types/t{n}.yaml": document(schema, f"_types/t{n}.yaml") for n in range(number)}
        steps.append(lines_executed(partial(_compiled_types, types, written)))
    less, more = ((steps[n + 1] - steps[n]) / (written[n + 1] - written[n]) for n in (1, 2))
    assert more < 1.2 * less, (steps, written)
