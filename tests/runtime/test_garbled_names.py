"""Names of tools as models garble them: exactly one tool is found, or none."""

# ruff: noqa: ARG005 - a handler's signature is fixed, whatever it uses

import asyncio
import json
from typing import Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.agents.disclosure import Disclosure
from toolcast.agents.dispatch import Dispatcher
from toolcast.agents.text_calls import TextDispatcher
from toolcast.runtime import ToolContext, ToolRegistry, ToolResult, UnknownToolError
from toolcast.runtime.middleware.events import Decoded, Finished, Refused
from toolcast.runtime.middleware.policy import ApprovalRequest, Policy
from toolcast.runtime.middleware.secrets import EnvironmentSecrets, Secrets

from generated.files.glob import GLOB, GlobResult
from tests.runtime.helpers import Watch, python
from tests.runtime.sample.misc.note import NOTE

GARBLED = (
    *("functions.note", "functions.note:0", "functions.note:12", "note:3"),
    *("default_api.note", "default_api:note", "tools.note", "tools/note", " note\n"),
    *("note<|channel|>commentary", "functions.note<|channel|>analysis", "note<|constrain|>json"),
    "note<|end|><|start|>assistant",
)
UNKNOWN = (
    *("", "functions.", "functions.functions.note", "my.note", "functions_note", "functionsnote"),
    *("note.functions", "note:", "note:x", "note:0:0"),
    *("<|channel|>note", "Note", "note<b>", "functions.note.txt"),
)


def named(*names: str, **options: Any) -> ToolRegistry:
    registry = ToolRegistry(**options)
    for name in names:
        binding = msgspec.structs.replace(NOTE, name=name)
        registry.register(binding, lambda params, context: ToolResult.ok(context.tool))
    return registry


def call(registry: ToolRegistry, name: Any, arguments: Any = None, **options: Any) -> ToolResult:
    return asyncio.run(registry.execute(name, {"text": "x"} if arguments is None else arguments, **options))


@pytest.mark.parametrize("name", GARBLED)
def test_what_models_write_around_a_name_is_left_out(name: str) -> None:
    registry = named("note", "notes", "functions")
    result = call(registry, name)
    assert (result.success, result.output) == (True, "note")
    [repair] = result.repairs
    assert (repair.guess, repair.before, repair.after) == ("tool-name", name, "note")
    assert str(repair) == f"tool-name: {name} -> note"
    assert registry.resolve(name) == "note"
    assert not registry.preview(name, {"text": "x"}).error
    assert call(registry, "note").repairs == ()


@pytest.mark.parametrize("name", UNKNOWN)
def test_other_names_are_no_tool(name: str) -> None:
    registry = named("note")
    assert registry.resolve(name) is None
    assert call(registry, name).error.startswith("There is no tool ")
    assert "There is no tool" in registry.preview(name, {"text": "x"}).error


@pytest.mark.parametrize("exact", ["functions.note", "tools/note", "note:0", "default_api:note"])
def test_a_tool_of_exactly_that_name_is_that_tool(exact: str) -> None:
    result = call(named("note", exact), exact)
    assert (result.output, result.repairs) == (exact, ())


@pytest.mark.parametrize(
    "tools", [("functions.note", "note"), ("functions.note", "note:1"), ("note:1", "note")]
)
def test_between_two_tools_nothing_is_guessed(tools: tuple[str, str]) -> None:
    registry = named(*tools)
    assert registry.resolve("functions.note:1") is None
    error = call(registry, "functions.note:1").error
    assert error.startswith("There is no tool 'functions.note:1'. Did you mean ")
    assert all(tool in error for tool in tools)
    assert (
        named("tools.note", "note").resolve("functions.tools.note") == "tools.note"
    )  # one namespace, not two


def test_a_registered_tool_is_found_by_its_own_name_alone() -> None:
    """`get` is for programs, which know what they registered."""
    with pytest.raises(UnknownToolError, match="Did you mean note"):
        named("note").get("functions.note")
    assert "functions.note" not in named("note")
    assert named("note").select(names="notes").resolve("functions.note") is None


def test_policy_hooks_and_limits_see_the_tools_own_name() -> None:
    asked: list[str] = []

    def approver(request: ApprovalRequest) -> Literal["yes"]:
        asked.append(request.tool)
        return "yes"

    watch = Watch()
    registry = named("note", policy=Policy(approver=approver, always_ask=["note"]), hooks=watch)
    assert call(registry, "functions.note", context=ToolContext(call_id="7")).success
    assert asked == ["note"]
    assert {event.tool for event in watch.events} == {"note"}
    seen = [event.repairs for event in watch.events if isinstance(event, Decoded)]
    seen += [event.result.repairs for event in watch.events if isinstance(event, Finished)]
    assert [[repair.guess for repair in each] for each in seen] == [["tool-name"], ["tool-name"]]

    denied = call(named("note", policy=Policy("read_only", always_ask=["note"])), "functions.note")
    assert "'note'" in denied.error
    assert "functions" not in denied.error


def test_a_call_that_fails_says_how_its_name_was_read() -> None:
    result = call(named("note"), "functions.note", {"text": 5})
    assert not result.success
    assert [repair.guess for repair in result.repairs] == ["tool-name"]
    assert result.error.startswith("Invalid arguments for tool 'note'")


def test_a_repaired_name_holds_no_secret_and_is_short() -> None:
    secrets = Secrets(EnvironmentSecrets(prefix="APP_"))
    secrets.hide("A", "hunter2222")
    registry = named("note", secrets=secrets)
    written = "note<|channel|>hunter2222"
    [repair] = call(registry, written).repairs
    assert "hunter2222" not in repair.before
    [repair] = call(named("note"), "note<|channel|>" + "x" * 10_000).repairs
    assert len(repair.before) <= 80


def test_unknown_names_are_still_told_to_hooks() -> None:
    watch = Watch()
    assert not call(named("note", hooks=watch), "my.note").success
    assert [type(event) for event in watch.events] == [Refused, Finished]
    assert isinstance(watch.events[0], Refused)
    assert watch.events[0].stage == "lookup"


def test_an_exact_name_is_looked_up_as_ever() -> None:
    """What reads other forms is not even imported."""
    code = (
        "import asyncio, sys\n"
        "from toolcast.runtime import ToolRegistry\n"
        "from tests.runtime.sample.misc.note import NOTE\n"
        "registry = ToolRegistry()\n"
        "registry.register(NOTE, lambda params, context: 'done')\n"
        "for name in ('note', 'functions.note'):\n"
        "    print(asyncio.run(registry.execute(name, {'text': 'x'})).output)\n"
        "    print('toolcast.runtime.tool_names' in sys.modules)\n"
    )
    assert python(code).split() == ["done", "False", "done", "True"]


def test_names_that_were_garbled_are_not_kept() -> None:
    """A model may write any number of them."""
    registry = named("note")
    for number in range(50):
        assert call(registry, f"functions.note:{number}").success
    assert [*registry.snapshot().ready] == ["note"]


def globbing() -> ToolRegistry:
    registry = ToolRegistry()
    registry.register(GLOB, lambda params, context: GlobResult(paths=[params.pattern], total=1))
    return registry


def test_dispatchers_find_the_tool() -> None:
    function = {"name": "functions.glob:0", "arguments": '{"pattern": "x"}'}
    calls = [{"id": "1", "type": "function", "function": function}]
    answer = {"choices": [{"finish_reason": "tool_calls", "message": {"tool_calls": calls}}]}
    [message] = asyncio.run(Dispatcher(globbing(), "openai").run(answer))
    assert json.loads(message["content"]) == {"paths": ["x"], "total": 1}
    text = f"<tool_call>{json.dumps({'name': 'default_api:glob', 'arguments': {'pattern': 'x'}})}</tool_call>"
    outcome = asyncio.run(TextDispatcher(globbing()).run(text))
    assert json.loads(outcome.results[0].output)["paths"] == ["x"]


def test_a_text_call_without_parameter_names_finds_the_tool() -> None:
    outcome = asyncio.run(TextDispatcher(globbing()).run("<tool_call>functions.glob>x</tool_call>"))
    assert [json.loads(result.output)["paths"] for result in outcome.results] == [["x"]]


def test_a_disclosure_upgrades_the_tool_that_was_meant() -> None:
    shown = Disclosure(globbing(), "openai")
    result = asyncio.run(shown.execute("functions.glob", {}))
    assert "The full schema of 'glob'" in result.error
    assert shown.level_of("glob") == "full"


@given(
    st.sets(st.text("afnt.:/0<|>", min_size=1, max_size=6), min_size=1, max_size=4),
    st.sampled_from(["", "functions.", "default_api:", "tools/"]),
    st.sampled_from(["", ":0", "<|channel|>commentary"]),
    st.text("afnt.:/0<|> ", max_size=8),
)
def test_what_is_found_stands_in_the_name(names: set[str], before: str, after: str, written: str) -> None:
    registry = named(*names)
    for name in (written, *(f"{before}{tool}{after}" for tool in names)):
        found = registry.resolve(name)
        assert found is None or (found in names and found in name)
        if name in names:
            assert found == name


@given(
    st.sets(st.from_regex(r"[a-z_][a-z_-]{0,8}", fullmatch=True), min_size=1, max_size=5),
    st.sampled_from(["", "functions.", "default_api:", "tools/"]),
    st.sampled_from(["", ":0", "<|channel|>commentary"]),
)
def test_names_that_providers_allow_are_always_found(names: set[str], before: str, after: str) -> None:
    registry = named(*names)
    assert [registry.resolve(f"{before}{name}{after}") for name in names] == [*names]
