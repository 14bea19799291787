"""What zeroclaw does with schemas, results, answers in text, policies and its tools."""

# ruff: noqa: ARG001, ARG005 - a handler's signature is fixed, whatever it uses

import asyncio
import inspect
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from toolcast.agents import run_tools
from toolcast.agents.dispatch import Call, render
from toolcast.agents.text_calls import parse, render_results
from toolcast.providers import normalize
from toolcast.runtime import RefusalError, ToolContext, ToolRegistry, ToolResult
from toolcast.runtime.middleware.policy import Commands, Policy, RateLimit
from toolcast_tools.workspace import Workspace, WorkspaceError

from generated.files.edit import EDIT, EditParams, EditResult
from generated.files.file_read import FILE_READ
from generated.shell.bash import BASH
from tests.agents.test_loop import asks
from tests.seeds.schemas import of, sent, sent_a

GOOD = {"file_path": "/a", "old_string": "x", "new_string": "y"}
ALLOWED = "PATH HOME TERM LANG LC_ALL LC_CTYPE USER SHELL TMPDIR"
CALL = '{"name": "shell", "arguments": {"command": "ls"}}'


async def edit(params: EditParams, context: ToolContext) -> EditResult:
    return EditResult(replacements=1)


def allowed(policy: Policy, binding: Any = EDIT, arguments: Any = GOOD) -> bool:
    """Whether the policy lets a call run; nobody is there to ask unless the policy has an approver."""
    registry = ToolRegistry(policy=policy, check_results=False)
    registry.register(binding, lambda params, context: "ran")
    return asyncio.run(registry.execute(binding.name, arguments)).success


def read(text: str, format: Any = "zeroclaw") -> list[tuple[str, Any]]:
    """The calls in a text, with parsed arguments."""
    found = parse(text, format).calls
    return [
        (call.name, json.loads(call.arguments) if isinstance(call.arguments, str) else call.arguments)
        for call in found
    ]


def test_gemini_gets_no_references_and_no_free_keys() -> None:
    """Gemini gets no references, no `$schema`, and no keywords for further keys.
    Source: 2, "Strategies"
    Source: 2, "Gemini strips"
    Better: further keys are sent as pairs and decoded; bounds that Gemini documents today are sent.
    """
    schema = of({"$ref": "#/$defs/n"}, **{"$defs": {"n": {"type": "string", "pattern": "^a"}}, "$id": "x"})
    text = json.dumps(sent({**schema, "additionalProperties": False}, "gemini"))
    for keyword in ("$ref", "$defs", "$id", "additionalProperties"):
        assert keyword not in text


def test_anthropic_takes_references() -> None:
    """Anthropic's schemas are resolved as far as its API asks.
    Source: 2, "Anthropic strips `$ref $defs definitions`"
    Differs: the API takes references, so they stay; only `definitions` is renamed.
    """
    schema = of({"$ref": "#/definitions/n"}, definitions={"n": {"type": "string"}})
    assert set(sent(schema, "anthropic")) == {"type", "properties", "required", "$defs"}


def test_openai_without_strict_gets_everything() -> None:
    """OpenAI without strict mode gets every keyword.
    Source: 2, "OpenAI strips nothing"
    """
    schema = of({"type": "string", "format": "regex", "not": {"const": "x"}, "pattern": "^(?=a)"})
    assert sent(schema, "openai-nonstrict") == schema


def test_the_conservative_profile_takes_no_references() -> None:
    """A conservative form for servers that nobody knows has no references and no further keys.
    Source: 2, "Conservative strips"
    """
    schema = of({"$ref": "#/$defs/n"}, **{"$defs": {"n": {"type": "string"}}}, additionalProperties=False)
    text = json.dumps(sent(schema, "conservative"))
    assert not any(keyword in text for keyword in ("$ref", "$defs", "additionalProperties"))


def test_pointers_are_decoded() -> None:
    """References are resolved with `~0` and `~1` decoded; keywords beside them win; cycles end.
    Source: 2, "Every strategy: references resolved with"
    """
    schema = of(
        {"$ref": "#/$defs/a~1b~0c", "description": "own"},
        **{"$defs": {"a/b~c": {"type": "integer", "description": "shared"}}},
    )
    assert sent(schema, "conservative")["properties"]["a"] == {"type": "integer", "description": "own"}


def test_a_constant_becomes_an_enum() -> None:
    """`const` becomes an enum of one value where a provider has no `const`.
    Source: 2, "`const`→`enum:[v]`"
    """
    assert sent_a({"const": "v"}, "conservative")["enum"] == ["v"]


def test_a_union_with_one_branch_left_is_inlined() -> None:
    """A union with one branch left after null was removed is that branch.
    Source: 2, "a union with one branch left after removing null is inlined"
    """
    union = {"anyOf": [{"type": "string", "minLength": 1}, {"type": "null"}]}
    assert sent_a(union, "gemini") == {"type": "string", "minLength": 1, "nullable": True}


def test_a_union_of_literals_becomes_an_enum() -> None:
    """A union of literals of one type becomes one enum.
    Source: 2, "a literal union becomes `{type,enum}`"
    """
    union = {"anyOf": [{"const": "x"}, {"const": "y"}]}
    assert sent_a(union, "cloud-code-assist") == {"type": "string", "enum": ["x", "y"]}


def test_a_list_of_the_type_null_is_null() -> None:
    """A list of types with null alone means null.
    Source: 2, "`[\"null\"]`→`\"null\"`"
    """
    assert sent_a({"type": ["null"]}, "gemini") == {"type": "null"}


@pytest.mark.parametrize("provider", ["gemini", "anthropic", "openai-nonstrict", "conservative", "mcp"])
def test_what_needs_nothing_comes_back_equal(provider: str) -> None:
    """A schema that needs nothing comes back equal.
    Source: 2, "a schema that needs nothing comes back equal"
    """
    schema = of({"type": "string", "description": "A name."})
    outcome = normalize(schema, provider)
    assert outcome.schema == schema
    assert outcome.ledger == ()


def test_a_tool_is_a_binding_and_a_handler() -> None:
    """A tool has a name, a description, parameters and a function that carries it out.
    Source: 2, "Tool: name, description, parameters, execute"
    """
    assert (EDIT.name, EDIT.params, EDIT.permission) == ("edit", EditParams, "write")
    assert EDIT.description.startswith("Replaces an exact")
    registry = ToolRegistry()
    registry.register(EDIT, edit)
    assert asyncio.run(registry.execute("edit", GOOD)).data == EditResult(replacements=1)


def test_the_definition_of_a_tool_is_made_once() -> None:
    """The definition of a tool costs nothing when it is asked for again.
    Source: 2, "`spec()` is free"
    """
    registry = ToolRegistry()
    registry.register(EDIT, edit)
    assert registry.definitions("openai") is registry.definitions("openai")


def test_an_ordinary_failure_is_a_result() -> None:
    """A failure is a result with success, output and error, never an exception.
    Source: 2, "Result `{success, output, error}`"
    """

    async def broken(params: EditParams, context: ToolContext) -> EditResult:
        raise RuntimeError("a bug")

    registry = ToolRegistry()
    registry.register(EDIT, broken)
    for name, arguments in (("edit", GOOD), ("edit", {}), ("edit", "nonsense"), ("gone", {})):
        result = asyncio.run(registry.execute(name, arguments))
        assert (result.success, result.output) == (False, "")
        assert result.error
        assert "a bug" not in result.error


def test_tools_are_registered_by_name_and_condition(tmp_path: Path) -> None:
    """Tools are assembled by explicit functions, some only on a condition.
    Source: 2, "Tools are assembled by explicit factory functions"
    """
    from toolcast_tools import toolset

    with toolset(tmp_path) as registry:
        assert "file_read" in registry.names
        assert "web_search" not in registry.names  # no engine was given
        assert "delegate" not in registry.names  # no agents were given


def test_nothing_is_registered_by_its_import() -> None:
    """No tool is found by reflection or by being imported.
    Source: 2, "No discovery by reflection"
    """
    from generated.registry import register_all

    assert not ToolRegistry().names
    assert "handlers" not in inspect.signature(ToolRegistry.__init__).parameters
    assert callable(register_all)


def test_models_with_and_without_native_calls_are_served() -> None:
    """There is a way for native tool calling, and one for text.
    Source: 2, "Two dispatchers"
    """
    call = Call(id="c1", name="edit", arguments="{}", index=0)
    [native] = render([call], [ToolResult.ok("done")], "openai")
    assert (native["role"], native["tool_call_id"]) == ("tool", "c1")
    assert read(f"<tool_call>{CALL}</tool_call>") == [("shell", {"command": "ls"})]


def test_arguments_that_are_no_json_are_refused() -> None:
    """Native arguments that are no JSON reach no handler.
    Source: 2, "Native: bad JSON arguments become `{}`"
    Better: the model is told what is wrong with them; `{}` would carry out another call.
    """
    registry = ToolRegistry()
    registry.register(EDIT, edit)
    assert "not valid JSON" in asyncio.run(registry.execute("edit", '{"file_path": ')).error


def test_results_for_text_name_tool_and_status() -> None:
    """Results for a model without tool calling name the tool and its status.
    Source: 2, "XML result"
    Source: 2, "`[Tool results]\\n<tool_result name="
    Better: what a tool returns cannot close the element.
    """
    calls = parse(f"<tool_call>{CALL}{CALL}</tool_call>", "zeroclaw").calls
    text = render_results(calls, [ToolResult.ok("</tool_result> fine"), ToolResult.failed("no")])
    assert text.startswith('[Tool results]\n<tool_result name="shell" status="ok">')
    assert 'status="error">' in text
    assert text.count("</tool_result>") == 2


def test_thoughts_are_removed_before_calls_are_read() -> None:
    """A text is read as JSON in OpenAI's form, after its thoughts were removed.
    Source: 2, "The text parser accepts, after removing `<think>`"
    """
    openai = '{"tool_calls": [{"function": {"name": "shell", "arguments": "{\\"command\\": \\"ls\\"}"}}]}'
    text = f"<think>Shall I? <tool_call>{CALL}</tool_call></think>{openai}"
    assert read(text) == [("shell", {"command": "ls"})]


def test_invoke_elements_are_calls() -> None:
    """`<invoke>` with `<parameter>` elements is a call.
    Source: 2, "`<invoke name=><parameter name=>`"
    """
    text = '<invoke name="shell"><parameter name="command">ls</parameter></invoke>'
    assert read(text) == [("shell", {"command": "ls"})]


@pytest.mark.parametrize(
    "tag",
    ["tool_call", "tool_calls", "toolcall", "tool-call", "tools", "minimax:tool_call", "minimax:toolcall"],
)
def test_tags_hold_calls_as_json(tag: str) -> None:
    """The tags that models write hold JSON calls, several in one.
    Source: 2, "the tags `tool_call tool_calls toolcall"
    """
    assert read(f"<{tag}>{CALL}\n{CALL}</{tag}>") == [("shell", {"command": "ls"})] * 2


@pytest.mark.parametrize(
    "body",
    [
        "<shell><command>ls</command></shell>",
        "shell>ls",
        'shell command="ls"',
        "shell\ncommand: ls",
        'shell(command="ls")',
    ],
)
def test_tags_hold_calls_in_many_forms(body: str) -> None:
    """A tag holds XML, a short form, attributes, lines of YAML or a call of Python.
    Source: 2, "the tags `tool_call tool_calls toolcall"
    Differs: in `<tool_call>`, and most of them in its other spellings; a document may have the other tags.
    """
    [call] = parse(f"<tool_call>{body}</tool_call>", "zeroclaw").calls
    assert call.name == "shell"
    assert call.arguments in ("ls", {"command": "ls"}, '{"command":"ls"}')


def test_another_alias_closes_a_tag() -> None:
    """A tag may be closed by another alias.
    Source: 2, "cross-alias closing tags"
    """
    assert read(f"<tool_call>{CALL}</toolcall>") == [("shell", {"command": "ls"})]


def test_a_tag_that_is_not_closed_still_holds_its_call() -> None:
    """A tag that is not closed still holds its call.
    Source: 2, "unclosed tags"
    Better: not where the provider says that the answer was cut off.
    """
    assert read(f"<tool_call>{CALL}") == [("shell", {"command": "ls"})]
    assert parse(f"<tool_call>{CALL}", "zeroclaw", cut=True).calls == ()


@pytest.mark.parametrize(
    "text", [f"```tool_call\n{CALL}\n```", f"```invoke\n{CALL}\n```", '```tool shell\n{"command": "ls"}\n```']
)
def test_fences_hold_calls(text: str) -> None:
    """Fenced blocks with a call's label hold calls.
    Source: 2, "fences"
    """
    assert read(text) == [("shell", {"command": "ls"})]


def test_the_arrow_form_is_a_call() -> None:
    """`TOOL_CALL{tool => …}` is a call.
    Source: 2, "`TOOL_CALL{tool => …}`"
    """
    text = 'TOOL_CALL\n{tool => "shell", args => { --command "ls" }}\n/TOOL_CALL'
    assert [name for name, _ in read(text)] == ["shell"]


def test_the_function_call_element_is_a_call() -> None:
    """`<FunctionCall>` is a call.
    Source: 2, "`<FunctionCall>`"
    """
    assert read(f"<FunctionCall>{CALL}</FunctionCall>") == [("shell", {"command": "ls"})]


@pytest.mark.parametrize("key", ["arguments", "parameters"])
def test_arguments_have_two_names(key: str) -> None:
    """Arguments are under `arguments` or `parameters`.
    Source: 2, "`arguments` or `parameters`"
    """
    call = json.dumps({"name": "shell", key: {"command": "ls"}})
    assert read(f"<tool_call>{call}</tool_call>") == [("shell", {"command": "ls"})]


@pytest.mark.parametrize("key", ["id", "tool_call_id", "call_id"])
def test_ids_have_three_names(key: str) -> None:
    """Ids are under `id`, `tool_call_id` or `call_id`.
    Source: 2, "ids from `id`, `tool_call_id`, `call_id`"
    """
    call = json.dumps({key: "c7", "name": "shell", "arguments": {}})
    assert [found.id for found in parse(f"<tool_call>{call}</tool_call>", "zeroclaw").calls] == ["c7"]


def test_json_inside_prose_is_never_a_call() -> None:
    """Bare JSON inside prose is never a call.
    Source: 2, "Bare JSON inside prose is never executed"
    """
    for format in ("auto", "zeroclaw"):
        assert parse(f"You could send {CALL} for that.", format).calls == ()


def test_a_policy_belongs_to_one_registry() -> None:
    """A policy is given to the registry that it is for; there is no global one.
    Source: 2, "Policy: injected when a tool is built, never global"
    """
    assert not allowed(Policy(autonomy="read_only"))
    assert allowed(Policy(autonomy="full"))


@pytest.mark.parametrize(
    ("autonomy", "reads", "writes"),
    [("read_only", True, False), ("supervised", True, False), ("full", True, True)],
)
def test_there_are_three_degrees_of_autonomy(autonomy: Any, reads: bool, writes: bool) -> None:
    """Autonomy is read only, supervised or full.
    Source: 2, "Autonomy ReadOnly, Supervised, Full"
    """
    assert allowed(Policy(autonomy=autonomy), FILE_READ, {"file_path": "/a"}) is reads
    assert allowed(Policy(autonomy=autonomy)) is writes


def test_full_autonomy_approves() -> None:
    """Full autonomy approves, whatever else is stated.
    Source: 2, "Approval order"
    Source: 2, "Full approves"
    """
    assert allowed(Policy(autonomy="full", always_ask=["edit"], approver=lambda request: "no"))


def test_always_ask_beats_auto_approve_and_what_was_answered() -> None:
    """`always_ask` beats `auto_approve`, which beats what was answered in the session.
    Source: 2, "`always_ask` beats `auto_approve` beats the session's list"
    """
    asked: list[Any] = []

    def approver(request: Any) -> Any:
        asked.append(request)
        return "always"

    policy = Policy(always_ask=["edit"], auto_approve=["edit", "file_read"], approver=approver)
    assert all([allowed(policy), allowed(policy), allowed(policy, FILE_READ, {"file_path": "/a"})])
    assert len(asked) == 2


def test_the_answer_is_yes_no_or_always() -> None:
    """By default a person answers yes, no or always.
    Source: 2, "the default asks yes / no / always"
    """
    answers = ["no", "yes", "always"]
    policy = Policy(approver=lambda request: answers.pop(0))  # type: ignore[arg-type, return-value]
    assert [allowed(policy) for _ in range(4)] == [False, True, True, True]


def test_files_commands_and_rates_are_limited(tmp_path: Path) -> None:
    """There are a workspace, an allow-list of commands and a limit of calls.
    Source: 2, "Workspace sandbox, command allow-list, rate limit"
    """
    with Workspace(tmp_path) as workspace, pytest.raises(WorkspaceError):
        workspace.open("/etc/passwd")
    with pytest.raises(RefusalError):
        Commands(["git status"]).check("git status; rm -rf .")
    policy = Policy(autonomy="full", rate_limits={"*": RateLimit(1)})
    assert [allowed(policy), allowed(policy)] == [True, False]


@pytest.mark.skipif(sys.platform == "win32", reason="the shell tools need POSIX")
def test_a_command_has_sixty_seconds_and_few_variables(tmp_path: Path, monkeypatch: Any) -> None:
    """A command has 60 seconds, 1 MiB of output, and the variables of an allow-list.
    Source: 2, "Shell"
    Source: 2, "60 s, 1 MiB, environment cut to"
    """
    from toolcast_tools import toolset

    monkeypatch.setenv("OPENAI_API_KEY", "sk-hidden")
    assert BASH.schema()["properties"]["timeout"]["default"] == 60
    with toolset(tmp_path, policy=Policy(autonomy="full")) as registry:
        result = registry.execute_sync("bash", {"command": "env; head -c 3000000 /dev/zero | tr '\\0' x"})
        names = {
            line.partition("=")[0] for line in result.data.stdout[:2000].splitlines() if "=" in line[:40]
        }
    assert "OPENAI_API_KEY" not in names
    others = {"PWD", "SHLVL", "_", "TOOLCAST_COMMAND"}  # of bash itself, and the mark of what it started
    assert {"PATH"} <= names <= {*ALLOWED.split(), *others}
    assert len(result.data.stdout) <= 2**20 + 200
    assert result.data.truncated


def test_delegation_is_three_deep_and_two_minutes_long() -> None:
    """An agent is started by name, from those configured, three deep and for 120 seconds.
    Source: 2, "Delegate: schema built at run time from the configured agents"
    """
    from toolcast_tools.agents import AgentReport, Agents

    async def researcher(task: Any, context: ToolContext) -> AgentReport:
        return AgentReport(status="completed", report="Found.")

    agents = Agents({"researcher": researcher})
    definition = json.loads(agents.binding().definition("openai"))
    assert definition["function"]["parameters"]["properties"]["agent"]["enum"] == ["researcher"]
    stated = inspect.signature(Agents.__init__).parameters
    assert (stated["max_depth"].default, stated["timeout"].default) == (3, 120.0)


def test_the_loop_stops_after_ten_rounds() -> None:
    """The loop stops after ten rounds.
    Source: 2, "The agent loop stops after 10 tool rounds"
    """
    numbers = iter(range(100))

    async def model(messages: Any, definitions: bytes) -> Any:
        number = next(numbers)
        return asks(("edit", {**GOOD, "new_string": str(number)}))

    registry = ToolRegistry()
    registry.register(EDIT, edit)
    record = asyncio.run(run_tools(model, registry, [{"role": "user", "content": "Go."}], format="openai"))
    assert (record.stopped, len(record.rounds)) == ("rounds", 10)
