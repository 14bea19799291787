"""Calls that a framework makes: its approvals, its interruptions, and a preview of a call."""

# ruff: noqa: ARG001, ARG005 - a handler's signature is fixed, whatever it uses

import asyncio
from typing import Any

import pytest
from toolcast.runtime import Framework, ToolContext, ToolRegistry, ToolResult
from toolcast.runtime.middleware.events import Deferred, Finished
from toolcast.runtime.middleware.policy import ApprovalRequest, Policy, RateLimit
from toolcast.runtime.middleware.secrets import Secrets

from tests.runtime.helpers import GOOD, Watch
from tests.runtime.sample.files.edit import EDIT
from tests.runtime.sample.misc.note import NOTE


class InterruptError(Exception):
    """A framework's own."""


def run(registry: ToolRegistry, framework: Framework | None, name: str = "edit") -> ToolResult:
    arguments = GOOD if name == "edit" else {"text": "n"}
    return asyncio.run(registry.execute(name, arguments, context=ToolContext(framework=framework)))


def editing(handler: Any = None, **options: Any) -> ToolRegistry:
    registry = ToolRegistry(check_results=False, **options)
    registry.register(EDIT, handler or (lambda params, context: "done"))
    return registry


def no_secret(name: str) -> None:
    return None


def interrupt(request: ApprovalRequest) -> Any:
    raise InterruptError(request.tool)


async def interrupt_later(request: ApprovalRequest) -> Any:
    raise InterruptError(request.tool)


ASKED = Framework(approver=interrupt, passes=(InterruptError,))


@pytest.mark.parametrize("approver", [interrupt, interrupt_later])
def test_an_approver_of_the_framework_is_asked_where_the_policy_has_none(approver: Any) -> None:
    with pytest.raises(InterruptError, match="edit"):
        run(editing(policy=Policy()), Framework(approver=approver, passes=(InterruptError,)))
    own = Policy(approver=lambda request: "yes")
    assert run(editing(policy=own), Framework(approver=approver, passes=(InterruptError,))).success
    assert "nobody to ask" in run(editing(policy=Policy()), Framework()).error


def test_an_exception_that_does_not_pass_is_a_fault() -> None:
    result = run(editing(policy=Policy()), Framework(approver=interrupt))
    assert "internal error InterruptError" in result.error


def test_an_approved_call_is_not_asked_about_and_what_is_forbidden_stays_so() -> None:
    approved = Framework(approved=True)
    assert run(editing(policy=Policy()), approved).success
    assert run(editing(policy=Policy(always_ask=["edit"])), approved).success
    assert "only tools that read" in run(editing(policy=Policy("read_only")), approved).error


def test_a_call_counts_once_towards_its_limit_when_it_comes_back_approved() -> None:
    registry = editing(policy=Policy(rate_limits={"edit": RateLimit(1, 3600)}))
    for _ in range(3):
        with pytest.raises(InterruptError):
            run(registry, ASKED)
    assert run(registry, Framework(approved=True)).success
    assert "called too often" in run(registry, Framework(approved=True)).error


@pytest.mark.parametrize("awaited", [True, False])
def test_an_approval_is_not_handed_on_to_what_a_handler_calls(awaited: bool) -> None:
    """A handler that hands its context on approves nothing."""

    async def nested(params: Any, context: ToolContext) -> ToolResult:
        assert context.framework is None
        return await registry.execute("note", {"text": "n"}, context=context)

    def nested_plain(params: Any, context: ToolContext) -> Any:
        return nested(params, context)

    registry = editing(nested if awaited else nested_plain, policy=Policy())
    registry.register(NOTE, lambda params, context: "noted")
    assert "nobody to ask" in run(registry, Framework(approved=True, passes=(InterruptError,))).error


@pytest.mark.parametrize("options", [{}, {"timeout": 20}, {"secrets": no_secret}])
@pytest.mark.parametrize("awaited", [True, False])
def test_what_a_handler_raises_for_the_framework_passes(awaited: bool, options: dict[str, Any]) -> None:
    async def later(params: Any, context: ToolContext) -> str:
        raise InterruptError("later")

    def now(params: Any, context: ToolContext) -> str:
        raise InterruptError("now")

    watch = Watch()
    registry = editing(later if awaited else now, hooks=watch, **options)
    with pytest.raises(InterruptError, match="later" if awaited else "now"):
        run(registry, Framework(passes=(InterruptError,)))
    assert watch.events[-1] == Deferred("edit", "", None, "handler", "InterruptError")
    assert not any(isinstance(event, Finished) for event in watch.events)
    assert "internal error InterruptError" in run(registry, None).error


def test_a_preview_runs_nothing_and_counts_as_nothing() -> None:
    ran: list[Any] = []

    def note(params: Any, context: ToolContext) -> str:
        ran.append(params)
        return "noted"

    registry = editing(note, policy=Policy(rate_limits={"*": RateLimit(1, 3600)}))
    for _ in range(3):
        preview = registry.preview("edit", GOOD)
        assert (preview.error, preview.asks, preview.params.file_path) == ("", True, "/a")
    assert registry.preview("edit", {**GOOD, "replace_all": "x"}).error == run_error(registry, "x")
    assert "There is no tool 'edti'. Did you mean edit" in registry.preview("edti", GOOD).error
    assert not ran
    assert not editing().preview("edit", GOOD).asks
    assert not editing(policy=Policy(auto_approve=["edit"])).preview("edit", GOOD).asks
    assert not editing(policy=Policy(approver=lambda request: "no")).preview("edit", GOOD).asks
    assert not editing(policy=Policy("read_only")).preview("edit", GOOD).asks


def run_error(registry: ToolRegistry, value: str) -> str:
    return asyncio.run(registry.execute("edit", {**GOOD, "replace_all": value})).error


def test_a_preview_holds_no_secret() -> None:
    secrets = Secrets(lambda name: None)
    secrets.hide("A", "hunter2-and-more")
    error = editing(secrets=secrets).preview("edit", {**GOOD, "replace_all": "hunter2-and-more"}).error
    assert "[redacted:A]" in error
    assert "hunter2" not in error
