"""A handler asks for another call: the hint, the count where somebody counts, and the end."""

# ruff: noqa: ARG001, ARG002 - a handler's signature is fixed, whatever it uses

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace
from toolcast.runtime import (
    Framework,
    RetryError,
    RetryHint,
    ToolContext,
    ToolRegistry,
    ToolResult,
)
from toolcast.runtime.middleware.events import Finished, Refused

from tests.runtime.helpers import GOOD, Watch
from tests.runtime.sample.files.edit import EDIT
from tests.runtime.sample.misc.note import NOTE

SAID = "`x` is there twice: take the whole line."


class Handler:
    """Asks for another call, always; in the way of a plain or an async handler, or of a precheck."""

    def __init__(self) -> None:
        self.attempts: list[int | None] = []

    def now(self, params: Any, context: ToolContext) -> Any:
        self.attempts.append(context.attempt)
        raise RetryError(SAID)

    async def later(self, params: Any, context: ToolContext) -> Any:
        return self.now(params, context)


class Checked:
    def precheck(self, params: Any, context: ToolContext) -> str | None:
        raise RetryError(SAID)

    def __call__(self, params: Any, context: ToolContext) -> str:
        return "done"


def run(handler: Any, attempt: int | None = None, arguments: Any = GOOD, **options: Any) -> ToolResult:
    registry = ToolRegistry(**options)
    registry.register(replace(EDIT, secrets=("new_string",)), handler)
    context = ToolContext(framework=Framework(attempt=attempt))
    return asyncio.run(registry.execute("edit", arguments, context=context))


@pytest.mark.parametrize("handler", [Handler().now, Handler().later, Checked()])
def test_the_hint_and_the_count(handler: Any) -> None:
    result = run(handler, 1)
    assert not result.success
    assert result.error == f"{SAID}\nCall 'edit' again accordingly. This was attempt 1 of 3."
    assert result.data == RetryHint(tool="edit", hint=SAID, attempt=1, max_attempts=3)
    assert not result.data.is_last


def test_after_the_last_attempt_the_model_is_told_to_stop() -> None:
    result = run(Handler().now, 3)
    assert result.data.is_last
    assert result.error.startswith(f"{SAID}\nThis was attempt 3 of 3. Do not call 'edit' again for this")
    assert "This was attempt 4, and 3 were allowed. Do not call 'edit'" in run(Handler().now, 4).error


def test_without_a_count_there_is_the_hint_alone() -> None:
    """Outside of a run, such as for an MCP client, nobody knows which attempt it is."""
    result = run(Handler().now)
    assert result.error == f"{SAID}\nCall 'edit' again accordingly."
    assert result.data == RetryHint(tool="edit", hint=SAID, attempt=None, max_attempts=3)
    assert not result.data.is_last


def test_the_program_says_how_many() -> None:
    assert "attempt 1 of 5" in run(Handler().now, 1, max_attempts=5).error
    assert "attempt 1 of 2" in run(Handler().now, 1, max_attempts={"edit": 2}).error
    assert "attempt 1 of 3" in run(Handler().now, 1, max_attempts={"other": 2}).error
    assert run(Handler().now, 1, max_attempts=1).data.is_last
    for wrong in (0, -1, {"edit": 0}):
        with pytest.raises(ValueError, match="max_attempts must be at least 1"):
            ToolRegistry(max_attempts=wrong)


def test_a_handler_knows_the_attempt_and_what_it_calls_does_not() -> None:
    def attempt(params: Any, context: ToolContext) -> str:
        return f"{context.attempt}"

    async def nested(params: Any, context: ToolContext) -> str:
        inner = await registry.execute("note", {"text": "n"}, context=context)
        return f"{context.attempt} {inner.output}"

    registry = ToolRegistry()
    registry.register(EDIT, nested)
    registry.register(NOTE, attempt)
    context = ToolContext(framework=Framework(attempt=2))
    assert asyncio.run(registry.execute("edit", GOOD, context=context)).output == "2 None"
    handed = ToolContext(attempt=2)  # nobody but the registry says so
    assert asyncio.run(registry.execute("edit", GOOD, context=handed)).output == "None None"


def test_secrets_are_redacted_in_both() -> None:
    def leaking(params: Any, context: ToolContext) -> Any:
        raise RetryError(f"{params.new_string} is wrong")

    arguments = {**GOOD, "new_string": "<secret_ref:KEY>"}
    secrets = {"KEY": "hunter2-and-more"}.get
    result = run(leaking, 1, arguments, secrets=secrets)
    assert result.data.hint == "[redacted:KEY] is wrong"
    assert "hunter2" not in result.error
    registry = ToolRegistry(secrets=secrets)
    registry.register(replace(EDIT, secrets=("new_string",)), leaking)
    context = ToolContext(framework=Framework(passes=(RetryError,)))
    with pytest.raises(RetryError, match=r"^\[redacted:KEY\] is wrong$"):
        asyncio.run(registry.execute("edit", arguments, context=context))


def test_hooks_see_a_refusal() -> None:
    watch = Watch()
    result = run(Handler().now, 1, hooks=watch)
    refused, finished = watch.events[-2:]
    assert isinstance(refused, Refused)
    assert (refused.stage, refused.error) == ("handler", result.error)
    assert isinstance(finished, Finished)


def test_text_that_is_no_unicode_or_empty() -> None:
    def odd(params: Any, context: ToolContext) -> Any:
        raise RetryError("a \udcff")

    def silent(params: Any, context: ToolContext) -> Any:
        raise RetryError

    result = run(odd, 1)
    assert result.error.startswith("a \ufffd\nCall")
    assert result.data.hint == "a \ufffd"
    assert run(silent).error == "The call of 'edit' did not succeed.\nCall 'edit' again accordingly."
