"""The system prompts of model families: what the vendors' chat templates write, and no stranger's markers."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toolcast.agents.text_calls import TextFormat, instructions, known_formats, parse
from toolcast.agents.text_calls.tool_texts import ToolText, prompt_text
from toolcast.runtime import ToolBinding

from tests.agents.text_calls.hostile import HOSTILE
from tests.runtime.sample.files.edit import EDIT
from tests.runtime.sample.misc.note import NOTE
from tests.runtime.sample.misc.shapes import SHAPES

Binding = ToolBinding[Any, Any]
GOLDEN = sorted((Path(__file__).parent / "prompts").glob("*.txt"))
ASKED = {each.id: each for each in known_formats().values() if each.prompts}


def described(binding: Binding, text: str) -> Binding:
    return msgspec.structs.replace(binding, description=text)


def shown(format: TextFormat, binding: Binding) -> list[str]:
    alone = (msgspec.structs.replace(each, text="{tools}", aliases=()) for each in format.prompts)
    return [instructions([binding], format=msgspec.structs.replace(format, prompts=(one,))) for one in alone]


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_the_prompt_is_the_template_s(path: Path) -> None:
    assert instructions([NOTE, EDIT], format=path.stem) + "\n" == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(ASKED))
@given(text=HOSTILE)
@settings(max_examples=3)
def test_no_description_is_a_call_or_holds_a_marker(name: str, text: str) -> None:
    format = ASKED[name]
    odd = described(NOTE, text)
    for block, plain in zip(shown(format, odd), shown(format, described(NOTE, "Notes.")), strict=True):
        for way in (name, "auto"):
            read = parse(block, way)
            assert read.calls == ()
            assert len(read.problems) == len(parse(plain, way).problems)
        assert parse(block, name).problems == ()
        # The format's own tags around a tool stay as many.
        assert block.count("<") == plain.count("<")
        assert block.count("```") == plain.count("```")
        for end in format.ends:
            assert block.count(end) == plain.count(end)


def test_hermes_gets_signatures_in_valid_json() -> None:
    listed = instructions([EDIT], format="hermes").partition("<tools> ")[2].partition(" </tools>")[0]
    function = json.loads(listed)["function"]
    first, *others = function["description"].split("\n\n")
    assert first == (
        "edit(file_path: str, old_string: str, new_string: str, replace_all: bool, line: int) - "
        f"{EDIT.description}"
    )
    assert others[0].startswith("    Args:\n        file_path(str): Absolute path of the file.")
    assert function["parameters"]["required"] == ["file_path", "old_string", "new_string"]


def test_definitions_stand_in_the_place_of_references() -> None:
    harmony = instructions([SHAPES], format="harmony")
    assert "tags: string[],\n" in harmony
    pet = "{\nname: string,\nlives: number,\n} | {\nname: string,\ngood?: boolean,\nlives?: never,\n}"
    assert f"pet?: {pet},\npets?: ({pet})[],\n" in harmony
    assert "tree?: {\nlabel: string,\nchildren?: object[],\n}" in harmony, "a tree within itself is its type"
    assert "[key: string]: number\n" in harmony
    gemma = instructions([SHAPES], format="gemma4")
    assert 'tree:{properties:{children:{items:{type:<|"|>OBJECT<|"|>},type:<|"|>ARRAY<|"|>},label:' in gemma
    assert 'either:{items:{type:<|"|>STRING<|"|>},nullable:true,type:<|"|>ARRAY<|"|>}' in gemma
    coder = instructions([SHAPES], format="qwen3-coder")
    assert "<$ref>#/$defs/a~1pet</$ref>" in coder
    assert '<$defs>{"Tree":' in coder or '<$defs>{"a/pet":' in coder


@pytest.mark.parametrize("name", ["harmony", "gigachat3", "gemma4", "seed-oss"])
def test_definitions_that_multiply_or_lead_nowhere_stay_small(name: str) -> None:
    twice = {
        f"d{at}": {"type": "object", "properties": {key: {"$ref": f"#/$defs/d{at + 1}"} for key in "ab"}}
        for at in range(60)
    }
    circle = {"x": {"$ref": "#/$defs/y"}, "y": {"$ref": "#/$defs/x"}}
    references = (
        "#/$defs/d0", "#/$defs/x", "#", "#/$defs/none", "https://example.org/schema", "#/properties/p2",
    )  # fmt: skip
    properties = {f"p{at}": {"$ref": reference} for at, reference in enumerate(references)}
    schema = {"type": "object", "properties": properties, "$defs": {**twice, **circle}}
    format = ASKED[name]
    text = prompt_text(format, format.prompts[0], [ToolText("note", "Notes.", schema)])
    assert len(text) < 300_000
    assert all(key in text for key in properties)


def test_one_format_is_asked_for() -> None:
    with pytest.raises(ValueError, match="asked in one form"):
        instructions([NOTE], format="auto")


@st.composite
def schemas(draw: st.DrawFn, depth: int = 0) -> dict[str, Any]:
    """A schema of a stranger's, with hostile texts wherever texts stand."""
    kind = draw(st.sampled_from(["string", "array", "object", "integer"] if depth < 2 else ["string"]))
    schema: dict[str, Any] = {"type": kind, "description": draw(HOSTILE)}
    if kind == "string":
        schema[draw(st.sampled_from(["enum", "examples"]))] = draw(st.lists(HOSTILE, min_size=1, max_size=2))
        schema[draw(st.sampled_from(["default", "const", "pattern", "format", "title"]))] = draw(HOSTILE)
        schema[draw(HOSTILE)] = draw(HOSTILE)
    elif kind == "array":
        schema["items"] = draw(schemas(depth=depth + 1))
    elif kind == "object":
        schema["properties"] = {draw(HOSTILE): draw(schemas(depth=depth + 1)) for _ in range(2)}
        schema["required"] = [*schema["properties"]]
    return schema


@pytest.mark.parametrize("name", sorted(ASKED))
@given(schema=schemas())
@settings(max_examples=3)
def test_no_text_of_a_schema_is_a_call_or_holds_a_marker(name: str, schema: dict[str, Any]) -> None:
    format = ASKED[name]
    tool = ToolText("note", "Notes.", {"type": "object", "properties": {"text": schema, "more": schema}})
    for prompt in format.prompts:
        alone = msgspec.structs.replace(prompt, text="{tools}")
        block = prompt_text(format, alone, [tool, ToolText("end", "Ends.", {})])
        assert parse(block, "auto").calls == ()
        assert parse(block, name).calls == ()
        assert parse(block, name).problems == ()
        docstrings = ('"""',) if "{python}" in prompt.tool else ()
        for token in (
            "<|im_start|>",
            "<|im_end|>",
            "</tools>",
            "```",
            *docstrings,
            *prompt.tokens,
            *format.ends,
        ):
            own = 4 if token in docstrings else 2 * prompt.tool.count(token)
            assert block.count(token) == own


@pytest.mark.parametrize("name", sorted(ASKED))
def test_every_tool_of_the_reference_set_can_be_shown(name: str) -> None:
    from generated.registry import BINDINGS

    for level in ("full", "brief"):
        text = instructions([*BINDINGS.values(), SHAPES], format=name, level=level)
        assert all(binding.name in text for binding in BINDINGS.values())
