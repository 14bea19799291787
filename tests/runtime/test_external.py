"""Tools without a handler, and calls whose results come later."""

# ruff: noqa: ARG001, ARG005 - a handler's signature is fixed, whatever it uses

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace
from toolcast.runtime import CallDeferred, Framework, RefusalError, ToolBinding, ToolContext, ToolRegistry
from toolcast.runtime.middleware.events import Decoded, Deferred, Finished, Refused
from toolcast.runtime.middleware.policy import ApprovalRequest, Policy, RateLimit
from toolcast.runtime.support import LazyBindings

from tests.runtime.helpers import GOOD, Watch
from tests.runtime.sample.files.edit import EDIT
from tests.runtime.sample.misc.note import NOTE

OUTSIDE: ToolBinding[Any, Any] = replace(EDIT, external=True)
WAITS = Framework(passes=(CallDeferred,))


def done(params: Any, context: ToolContext) -> str:
    return "done"


def outside(**options: Any) -> ToolRegistry:
    registry = ToolRegistry(**options)
    assert registry.register(OUTSIDE)
    return registry


def run(
    registry: ToolRegistry, framework: Framework | None = None, arguments: Mapping[str, Any] = GOOD
) -> Any:
    context = ToolContext(call_id="1", framework=framework)
    return asyncio.run(registry.execute("edit", arguments, context=context))


def deferred(registry: ToolRegistry, framework: Framework = WAITS) -> CallDeferred:
    with pytest.raises(CallDeferred) as raised:
        run(registry, framework)
    return raised.value


def test_a_call_of_an_external_tool_waits_where_the_caller_can() -> None:
    watch = Watch()
    found = deferred(outside(hooks=watch))
    assert (found.kind, isinstance(found, RefusalError)) == ("external", True)
    assert "'edit'" in found.text
    assert watch.events[-1] == Deferred("edit", "1", None, "handler", "CallDeferred")
    assert not any(isinstance(event, Finished) for event in watch.events)


def test_elsewhere_its_result_says_that_nothing_was_done() -> None:
    watch = Watch()
    result = run(outside(hooks=watch))
    assert not result.success
    assert "Tool 'edit' is carried out outside of this program" in result.error
    assert "nothing was done" in result.error
    assert [type(event) for event in watch.events[-2:]] == [Refused, Finished]


def test_arguments_are_decoded_and_the_policy_asked_before_it_waits() -> None:
    result = run(outside(), WAITS, {"file_path": "/a"})
    assert "missing required property `old_string`" in result.error
    assert "only tools that read" in run(outside(policy=Policy("read_only")), WAITS).error
    assert "nobody to ask" in run(outside(policy=Policy()), WAITS).error
    assert "was not approved" in run(outside(policy=Policy(approver=lambda request: "no")), WAITS).error
    assert deferred(outside(policy=Policy(approver=lambda request: "yes"))).kind == "external"
    limited = outside(policy=Policy("full", rate_limits={"edit": RateLimit(1, 3600)}))
    assert deferred(limited).kind == "external"
    assert "called too often" in run(limited, WAITS).error


def test_references_to_secrets_are_checked_and_stay_in_what_is_shown() -> None:
    secret: ToolBinding[Any, Any] = replace(OUTSIDE, secrets=("new_string",))
    watch = Watch()

    def resolve(name: str) -> str | None:
        return "hunter2-and-more" if name == "KNOWN" else None

    registry = ToolRegistry(secrets=resolve, hooks=watch)
    registry.register(secret)
    assert "UNKNOWN" in run(registry, WAITS, {**GOOD, "new_string": "<secret_ref:UNKNOWN>"}).error
    assert "may not carry" in run(registry, WAITS, {**GOOD, "old_string": "<secret_ref:KNOWN>"}).error
    with pytest.raises(CallDeferred):
        run(registry, WAITS, {**GOOD, "new_string": "<secret_ref:KNOWN>"})
    decoded = [event for event in watch.events if isinstance(event, Decoded)]
    assert decoded[-1].params.new_string == "<secret_ref:KNOWN>"


def test_an_approver_may_defer_the_call_until_somebody_approves_it() -> None:
    def ask(request: ApprovalRequest) -> Any:
        raise CallDeferred("for Ann", kind="approval")

    registry = ToolRegistry(policy=Policy())
    registry.register(EDIT, done)
    found = deferred(registry, Framework(approver=ask, passes=(CallDeferred,)))
    assert (found.kind, found.text) == ("approval", "for Ann")
    assert run(registry, Framework(approved=True, passes=(CallDeferred,))).output == "done"


@pytest.mark.parametrize("awaited", [True, False])
@pytest.mark.parametrize(
    ("kind", "words"), [("external", "gives its result later"), ("approval", "needs somebody's approval")]
)
def test_a_handler_may_defer_its_own_call(awaited: bool, kind: Any, words: str) -> None:
    async def later(params: Any, context: ToolContext) -> str:
        raise CallDeferred("job 7", kind=kind)

    def now(params: Any, context: ToolContext) -> str:
        raise CallDeferred("job 7", kind=kind)

    registry = ToolRegistry(timeout=20)
    registry.register(EDIT, later if awaited else now)
    found = deferred(registry)
    assert (found.text, found.kind) == ("job 7", kind)
    error = run(registry).error
    assert words in error
    assert "job 7" not in error, "the text is for the program"


def test_a_handler_learns_whether_its_call_was_approved() -> None:
    """One that defers its call until then would defer it for ever."""

    async def careful(params: Any, context: ToolContext) -> Any:
        if not context.approved:
            raise CallDeferred(kind="approval")
        nested = await registry.execute("note", {"text": "n"}, context=context)
        return f"paid, {nested.output}"

    def note(params: Any, context: ToolContext) -> str:
        return f"note approved: {context.approved}"

    registry = ToolRegistry()
    registry.register(EDIT, careful)
    registry.register(NOTE, note)
    assert deferred(registry).kind == "approval"
    approved = Framework(approved=True, passes=(CallDeferred,))
    assert run(registry, approved).output == "paid, note approved: False"
    asking = ToolRegistry(policy=Policy(approver=lambda request: "yes"))
    asking.register(EDIT, lambda params, context: str(context.approved))
    assert run(asking).output == "True"
    context = ToolContext(approved=True)  # nobody but the registry says so
    free = ToolRegistry()
    free.register(EDIT, lambda params, context: str(context.approved))
    assert asyncio.run(free.execute("edit", GOOD, context=context)).output == "False"


def test_what_a_deferred_call_says_holds_no_secret() -> None:
    def begin(params: Any, context: ToolContext) -> str:
        raise CallDeferred(f"job of {params.new_string}")

    registry = ToolRegistry(secrets=lambda name: "hunter2-and-more")
    registry.register(replace(EDIT, secrets=("new_string",)), begin)
    with pytest.raises(CallDeferred) as raised:
        run(registry, WAITS, {**GOOD, "new_string": "<secret_ref:KEY>"})
    assert raised.value.text == "job of [redacted:KEY]"


def test_what_a_handler_calls_does_not_wait() -> None:
    """Only the call that a run made can be answered later; a handler needs its result now."""

    async def nested(params: Any, context: ToolContext) -> Any:
        return await registry.execute("edit", GOOD, context=context)

    registry = outside()
    registry.register(NOTE, nested)
    context = ToolContext(framework=WAITS)
    result = asyncio.run(registry.execute("note", {"text": "n"}, context=context))
    assert "outside of this program" in result.error


def test_a_kind_that_there_is_not() -> None:
    with pytest.raises(ValueError, match="'later'"):
        CallDeferred(kind="later")  # type: ignore[arg-type]


def lazy(*external: str) -> LazyBindings:
    return LazyBindings("tests.runtime.sample", {"edit": ".files.edit:EDIT"}, external)


def test_a_handler_is_required_or_refused_as_the_spec_says() -> None:
    registry = ToolRegistry()
    with pytest.raises(TypeError, match="'edit' takes no handler: its spec says `external: true`"):
        registry.register(OUTSIDE, done)
    with pytest.raises(TypeError, match="'edit' takes no handler"):
        registry.register_later(lazy("edit"), "edit", done)
    with pytest.raises(TypeError, match="'edit' takes no handler"):
        registry.register_later({"edit": OUTSIDE}, "edit", done)
    with pytest.raises(TypeError, match="'edit' needs a handler"):
        registry.register(EDIT)
    with pytest.raises(TypeError, match="'edit' needs a handler"):
        registry.register_later(lazy(), "edit")
    assert not registry.names
    assert registry.register_later({"edit": OUTSIDE}, "edit")
    registry.replace(EDIT, done)
    assert run(registry).output == "done"
    with pytest.raises(TypeError, match="'edit' takes no handler"):
        registry.replace(OUTSIDE, done)
    with pytest.raises(TypeError, match="'edit' needs a handler"):
        registry.replace(EDIT)
    registry.replace(OUTSIDE)
    assert "outside of this program" in run(registry).error
    assert not registry.register(OUTSIDE)
    assert registry.refused[0].name == "edit"


def test_it_is_defined_and_selected_and_closed_like_any_other() -> None:
    registry = outside()
    assert registry.definitions("openai") == b"[" + EDIT.definition("openai") + b"]"
    assert registry.select(groups="files").names == ("edit",)
    assert registry.preview("edit", GOOD).error == ""
    asyncio.run(registry.aclose())
