"""What Loopal promises of declarations, secrets and calls."""

# ruff: noqa: ARG001, ARG002, ARG005 - a handler's signature is fixed, whatever it uses

import asyncio
import json
from typing import Any

import jsonschema_rs
import pytest
import toolcast
from toolcast.providers import decode
from toolcast.runtime import ArgumentError, Guesses, RefusalError, ToolContext, ToolRegistry, ToolResult

from generated.files.edit import EDIT, EditParams, EditResult
from generated.shell.bash import BASH, BashParams
from tests.seeds.schemas import of, sent

GOOD = {"file_path": "/a", "old_string": "x", "new_string": "y"}
SPEC = {
    "name": "probe",
    "summary": "Probe.",
    "description": "Probes.",
    "permission": "read",
    "secrets": [],
    "parameters": {"type": "object", "additionalProperties": False},
}


def test_one_declaration_gives_schema_and_parser() -> None:
    """One declaration gives the schema that models read and the code that reads their answers.
    Source: 4, "One declaration gives schema and parser"
    """
    validator = jsonschema_rs.validator_for(EDIT.schema())
    for arguments in (
        GOOD,
        {**GOOD, "replace_all": True},
        {**GOOD, "replace_all": "yes"},
        {},
        {**GOOD, "x": 1},
    ):
        try:
            accepted = isinstance(EDIT.decode(arguments), EditParams)
        except ArgumentError:
            accepted = False
        assert accepted == validator.is_valid(arguments)


def test_untyped_data_becomes_typed_at_one_place() -> None:
    """Handlers get typed parameters; untyped data is read at one place.
    Source: 4, "the registry holds type-erased tools behind one bridge"
    """
    seen: list[Any] = []

    async def edit(params: EditParams, context: ToolContext) -> EditResult:
        seen.append(params)
        return EditResult(replacements=1)

    registry = ToolRegistry()
    registry.register(EDIT, edit)
    for arguments in (GOOD, json.dumps(GOOD), json.dumps(GOOD).encode()):
        assert asyncio.run(registry.execute("edit", arguments)).success
    assert seen == [EditParams(**GOOD)] * 3


def test_schemas_are_plain_where_a_provider_wants_them_so() -> None:
    """Schemas have no `$schema`, no references and stated properties where a provider asks for that.
    Source: 4, "Schema: no `$schema`, references inlined recursively, no `title`"
    Differs: titles stay where a provider takes them: a model reads them.
    """
    node = {"type": "object", "properties": {"m": {"$ref": "#/$defs/m"}}}
    defs = {"n": node, "m": {"type": "string", "title": "M"}}
    text = json.dumps(sent(of({"$ref": "#/$defs/n"}, **{"$defs": defs}), "gemini"))
    assert "$ref" not in text
    assert "$schema" not in text


def test_an_empty_text_is_no_value_only_where_nothing_is_required() -> None:
    """An empty text is taken for absent only for what is optional.
    Source: 4, "Input: top-level `\"\"` is removed only where not required"
    Better: and only where the schema refuses it, and a program allows the guess.
    """
    guesses = Guesses(["empty-string"])
    number = {"type": "integer"}
    assert decode({"a": ""}, "mcp", schema=of(number, required=False), guesses=guesses) == {}
    with pytest.raises(ArgumentError):
        decode({"a": ""}, "mcp", schema=of(number), guesses=guesses)


def test_every_spec_states_where_secrets_may_stand() -> None:
    """Which parameters may hold secrets is stated by every spec; there is no default.
    Source: 4, "`secret_eligible_params` has no default: every tool states it"
    """
    without = {key: value for key, value in SPEC.items() if key != "secrets"}
    made = toolcast.compile({"probe.json": json.dumps(without).encode()}, providers=["openai"])
    assert made.failed
    assert any("secrets" in problem.message for problem in made.diagnostics)


@pytest.mark.parametrize(
    "arguments",
    [
        {"command": "ls", "description": "<secret_ref:TOKEN>"},
        {"command": "echo <secret_ref:TOKEN"},
        {"command": "echo <secret_ref:to ken>"},
    ],
)
def test_a_reference_elsewhere_or_malformed_is_refused(arguments: dict[str, Any]) -> None:
    """A reference to a secret where none may stand, or in another form, is refused.
    Source: 4, "`<secret_ref:NAME>` anywhere else, or malformed, is refused"
    """
    ran: list[BashParams] = []
    registry = ToolRegistry(secrets=lambda name: "s3cret", check_results=False)
    registry.register(BASH, lambda params, context: str(ran.append(params)))
    result = asyncio.run(registry.execute("bash", arguments))
    assert not result.success
    assert "secret" in result.error
    assert ran == []


def test_a_precheck_may_refuse_before_execution() -> None:
    """A precheck may refuse a call before it is carried out.
    Source: 4, "`precheck` may refuse before execution"
    """

    class Handler:
        ran = False

        def precheck(self, params: EditParams, context: ToolContext) -> None:
            raise RefusalError("Not on a Sunday.")

        def __call__(self, params: EditParams, context: ToolContext) -> EditResult:
            self.ran = True
            return EditResult(replacements=1)

    handler = Handler()
    registry = ToolRegistry()
    registry.register(EDIT, handler)
    result: ToolResult = asyncio.run(registry.execute("edit", GOOD))
    assert (result.success, result.error, handler.ran) == (False, "Not on a Sunday.", False)


def test_violations_name_their_paths() -> None:
    """Arguments are validated in full before execution, and each violation has its path.
    Source: 4, "A full validator runs before execution and names paths"
    """
    inner = {"type": "object", "properties": {"b": {"type": "integer"}}, "required": ["b"]}
    with pytest.raises(ArgumentError, match=r"a\[1\]") as caught:
        decode({"a": [{"b": 1}, {}]}, "mcp", schema=of({"type": "array", "items": inner}))
    assert "`b`" in str(caught.value) or ".b" in str(caught.value)


def test_following_a_command_is_a_tool_of_its_own() -> None:
    """What a flag would turn into another tool is a tool of its own.
    Source: 4, "Overloaded flag-argument tools are split"
    """
    from generated.registry import BINDINGS

    assert {"bash", "bash_process"} <= {*BINDINGS}
    assert "process_id" not in BASH.schema()["properties"]
