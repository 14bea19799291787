"""Tools shown in part to models without tool calling, in every text format that has a prompt."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toolcast.agents import Disclosure, resume, run_tools
from toolcast.agents.disclosure import LEVELS
from toolcast.agents.text_calls import TextDispatcher, instructions, known_formats, parse
from toolcast.runtime import (
    ArgumentHint,
    ToolContext,
    ToolRegistry,
    ToolResult,
    UnknownProviderError,
)
from toolcast.runtime.middleware.policy import Answer, Policy
from toolcast.runtime.request_rules import RequestRules

from generated.registry import BINDINGS
from tests.agents.text_calls import rendered
from tests.agents.text_calls.hostile import HOSTILE

TOOLS = ("edit", "web_fetch", "web_search")
USER = [{"role": "user", "content": "Edit it."}]
ASKED = {each.id: each for each in known_formats().values() if each.prompts}


async def handle(_: Any, __: ToolContext) -> ToolResult:
    return ToolResult.failed("no such text")


def registry_of(*names: str) -> ToolRegistry:
    registry = ToolRegistry()
    for name in names or TOOLS:
        registry.register(BINDINGS[name], handle)
    return registry


SHOWN_IN_PART = " (Shown in part: a call whose arguments do not fit is answered with the full schema.)"


def disclosure(**options: Any) -> Disclosure:
    return Disclosure(registry_of(), "text", **options)


def written(format: str, name: str, arguments: dict[str, Any]) -> str:
    """A call as the models of a family write it; "" for a form that is not rendered here."""
    known = known_formats()[format]
    for form in known.calls:
        try:
            text = rendered.calls(rendered.Form(known, form), [(name, arguments)], (*form.open, "")[0])
        except ValueError:
            continue
        for section in (*known.sections[:1], None):
            whole = text if section is None else f"{section.open}{text}{section.close}"
            if [call.name for call in parse(whole, format).calls] == [name]:
                return whole
    return ""


CALLED = sorted(name for name in ASKED if written(name, "edit", {"file_path": "/a"}))


def test_every_format_is_written_here() -> None:
    assert sorted(ASKED) == CALLED


def names_in(block: str, names: Sequence[str] = TOOLS) -> list[str]:
    return sorted((name for name in names if name in block), key=block.index)


@pytest.mark.parametrize("format", sorted(ASKED))
def test_each_level_shows_what_it_says(format: str) -> None:
    edit = BINDINGS["edit"]
    described = edit.schema()["properties"]["file_path"]["description"]
    blocks = {
        level: instructions(Disclosure(registry_of("edit"), "text", level=level), format=format)
        for level in LEVELS
    }
    summary, brief, full = blocks.values()
    assert full == instructions([edit], format=format)
    for level in ("brief", "summary"):  # where nobody answers with the schema, the model is not told so
        assert (SHOWN_IN_PART in blocks[level], SHOWN_IN_PART in full) == (True, False)
        assert blocks[level].replace(SHOWN_IN_PART, "") == instructions([edit], format=format, level=level)
    assert all("edit" in block and edit.summary.rstrip(".") in block for block in (summary, brief))
    assert "old_string" not in summary
    assert "old_string" in brief
    words = described.split(".")[0].split("`")[0]
    assert words not in brief
    assert words in full
    assert len(summary) < len(brief) < len(full)


def test_levels_of_groups_and_tools_that_are_always_full() -> None:
    shown = disclosure(level="brief", levels={"web": "summary"}, eager=["web_search"])
    block = instructions(shown)
    tools = {tool["name"]: tool for tool in map(json.loads, block.splitlines()[-3:])}
    assert tools["web_fetch"]["parameters"] == {"type": "object", "additionalProperties": True}
    assert tools["edit"]["parameters"]["required"] == ["file_path", "old_string", "new_string"]
    assert tools["edit"]["description"] == BINDINGS["edit"].summary + SHOWN_IN_PART
    assert tools["web_search"]["description"] == BINDINGS["web_search"].description
    shown.disclose("web_fetch")
    assert '"url"' in instructions(shown)


def test_a_stub_takes_anything_where_the_form_has_types() -> None:
    blocks = {name: instructions(disclosure(level="summary"), format=name) for name in ASKED}
    assert "type edit = (_: object) => any;" in blocks["harmony"]
    assert "def edit(**arguments):" in blocks["seed-oss"]
    assert "edit(**arguments) - " in instructions(disclosure(level="summary"), format="hermes3")


def test_tools_keep_their_place() -> None:
    shown = disclosure()
    shown.choose(names=["web_search"])
    assert names_in(instructions(shown)) == ["web_search"]
    shown.choose_all()
    assert names_in(instructions(shown)) == ["web_search", "edit", "web_fetch"]
    before = instructions(shown)
    assert not asyncio.run(shown.execute("edit", {})).success
    assert names_in(instructions(shown)) == ["web_search", "edit", "web_fetch"]
    assert instructions(shown) != before
    shown.next_turn()
    assert instructions(shown) == before


class Scripted:
    """A model that says what stands in a list."""

    def __init__(self, *answers: str) -> None:
        self.answers = [*answers]
        self.blocks: list[str] = []
        self.messages: list[Any] = []

    async def __call__(self, messages: list[Any], block: bytes) -> str:
        self.blocks.append(block.decode())
        self.messages = messages
        return self.answers.pop(0)


@pytest.mark.parametrize("format", CALLED)
def test_a_wrong_call_brings_the_full_definition_into_the_next_round(format: str) -> None:
    wrong = written(format, "edit", {"file_path": "/a"})
    model = Scripted(wrong, "Done.")
    shown = disclosure(level="summary")
    record = asyncio.run(run_tools(model, shown, USER, format="text", text_format=format))
    assert record.stopped == "answer"
    [call] = record.calls
    assert isinstance(call.result.data, ArgumentHint)
    assert call.result.data.missing == ("old_string", "new_string")
    first, second = model.blocks
    assert first == instructions(disclosure(level="summary"), format=format)
    assert "new_string" in second
    assert shown.level_of("edit") == "full"
    answer = model.messages[-1]["content"]
    assert "old_string" in answer
    # A schema in an answer is the text of a stranger as any other.
    assert parse(answer, format).calls == parse(answer).calls == ()


def test_with_the_definition_in_the_answer_the_prompt_stays_as_it_is() -> None:
    wrong = written("toolcast", "edit", {"file_path": "/a", "old_string": 1, "new_string": "b"})
    model = Scripted(wrong, wrong, "Done.")
    shown = disclosure(upgrade="answer")
    record = asyncio.run(run_tools(model, shown, USER, format="text"))
    assert len({*model.blocks}) == 1
    first, second = (call.result for call in record.calls)
    schema = json.loads(first.error.partition("The full schema of 'edit': ")[2])
    assert f"The description of 'edit': {BINDINGS['edit'].description}" in first.error
    assert schema == first.data.schema
    assert schema["required"] == ["file_path", "old_string", "new_string"]
    assert "The full" not in second.error


def test_a_value_without_a_name_counts_as_a_wrong_call() -> None:
    """At level "summary" a model knows no names."""
    shown = disclosure(level="summary")
    model = Scripted("<tool_call>edit>x</tool_call>", "Done.")
    record = asyncio.run(run_tools(model, shown, USER, format="text"))
    [call] = record.calls
    assert call.arguments == "x"
    assert "The full schema of 'edit'" in call.result.error
    answer = model.messages[-1]["content"]
    assert "The call of 'edit' has a value and no parameter's name" in answer
    assert "Name the parameters." in answer
    assert shown.level_of("edit") == "full"
    unknown = asyncio.run(TextDispatcher(shown.tools).run("<tool_call>edti>x</tool_call>"))
    assert unknown.results[0].error.startswith("There is no tool 'edti'.")


def test_a_run_is_a_turn() -> None:
    shown = disclosure()
    opening = instructions(shown)
    for _ in range(2):
        model = Scripted(written("toolcast", "edit", {}), "Done.")
        asyncio.run(run_tools(model, shown, USER, format="text"))
        assert model.blocks[0] == opening != model.blocks[1]


def test_what_text_has_not_is_refused() -> None:
    shown = disclosure()
    with pytest.raises(UnknownProviderError, match=r"instructions\(disclosure\)"):
        shown.definitions()
    with pytest.raises(ValueError, match="leave out native"):
        disclosure(native=RequestRules(defer={"lazy": 1}))
    with pytest.raises(ValueError, match="leave out native"):
        disclosure(native=True)
    with pytest.raises(ValueError, match="levels of its own"):
        instructions(shown, level="full")
    with pytest.raises(ValueError, match=r"Disclosure\(registry, 'text'\)"):
        instructions(Disclosure(registry_of(), "openai"))
    with pytest.raises(ValueError, match="no level 'all'"):
        instructions(registry_of(), level="all")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("provider", "format", "words"),
    [
        ("openai", "text", r"Disclosure\(registry, 'text'\)"),
        ("text", "openai", "a Disclosure for its provider"),
    ],
)
def test_a_run_needs_a_disclosure_for_its_format(provider: str, format: str, words: str) -> None:
    shown = Disclosure(registry_of(), provider)
    with pytest.raises(ValueError, match=words):
        asyncio.run(run_tools(Scripted(), shown, USER, format=format))


@pytest.mark.parametrize("format", sorted(ASKED))
@given(text=HOSTILE, level=st.sampled_from(LEVELS))
@settings(max_examples=3)
def test_no_stub_is_a_call_or_holds_a_marker(format: str, text: str, level: Any) -> None:
    blocks = []
    for summary in (text, "Edits."):
        odd = msgspec.structs.replace(BINDINGS["edit"], summary=summary, description=summary)
        registry = ToolRegistry()
        registry.register(odd, handle)
        blocks.append(instructions(Disclosure(registry, "text", level=level), format=format))
    hostile, plain = blocks
    for way in (format, "auto"):
        read, usual = parse(hostile, way), parse(plain, way)  # some prompts have an example of a call
        assert [call.name for call in read.calls] == [call.name for call in usual.calls]
        assert len(read.problems) == len(usual.problems)
    assert hostile.count("<") == plain.count("<")


STEP = st.tuples(st.sampled_from(["wrong", "choose", "turn", "all"]), st.sampled_from(TOOLS))


@given(st.lists(st.lists(STEP, max_size=3), min_size=1, max_size=5), st.sampled_from(LEVELS), st.booleans())
def test_all_before_the_first_change_is_shared(rounds: Any, level: Any, keep: bool) -> None:
    """As with the definitions of providers: a prompt cache holds up to the first tool that changed."""
    shown = disclosure(level=level, keep=keep)
    before: list[str] = []
    for steps in rounds:
        for kind, name in steps:
            if kind == "wrong":
                asyncio.run(shown.execute(name, {"no such": 1}))
            elif kind == "choose":
                shown.choose(names=name)
            elif kind == "turn":
                shown.next_turn()
            else:
                shown.choose_all()
        after = [line for line in instructions(shown).splitlines() if line.startswith("{")]
        order = [json.loads(line)["name"] for line in after]
        assert order[: len(before)] == [json.loads(line)["name"] for line in before]
        assert order == [binding.name for binding, _ in shown.shown()] == [*shown.names]
        before = after


def test_a_paused_run_goes_on_with_what_it_had_shown() -> None:
    def asking() -> Disclosure:
        registry = ToolRegistry(policy=Policy(always_ask=["edit"]))
        registry.register(BINDINGS["edit"], handle)
        return Disclosure(registry, "text", level="summary")

    good = {"file_path": "/a", "old_string": "x", "new_string": "y"}
    first = Scripted(written("toolcast", "edit", {}), written("toolcast", "edit", good))
    record = asyncio.run(run_tools(first, asking(), USER, format="text"))
    assert record.stopped == "paused"
    assert record.state is not None
    second = Scripted("Done.")
    decisions = {call.key: Answer("yes") for call in record.state.waiting}
    again = asyncio.run(resume(second, asking(), record.state, decisions=decisions, format="text"))
    assert again.stopped == "answer"
    assert second.blocks == first.blocks[1:]
    assert "new_string" in second.blocks[0]


def test_the_final_output_is_shown_in_full_and_first() -> None:
    final = BINDINGS["memory_store"]
    fact = {"content": "It is edited."}
    model = Scripted(written("toolcast", "edit", {}), written("toolcast", final.name, fact))
    shown = disclosure(level="summary")
    record = asyncio.run(run_tools(model, shown, USER, format="text", final=final))
    assert record.stopped == "answer"
    assert record.output.content == "It is edited."
    for block in model.blocks:
        first, *others = [json.loads(line) for line in block.splitlines() if line.startswith("{")]
        assert (first["name"], first["description"]) == (final.name, final.description)
        assert [tool["name"] for tool in others] == [*TOOLS]
    assert "new_string" not in model.blocks[0]
    assert "new_string" in model.blocks[1]
