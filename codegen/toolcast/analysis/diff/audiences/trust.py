"""For those who grant permissions: a tool may do more, see more, or claims to need less care."""

from collections.abc import Iterator, Mapping
from typing import Final

from ....permissions import Permission
from ....spec.tool_spec import ToolSpec
from ..pairs import Context, Pair
from ..places import compact, listed
from ..rules import Change
from .spec_keys import CALLERS, is_parameter, may_call

_BELOW: Final[Mapping[Permission, frozenset[Permission]]] = {
    "read": frozenset(),
    "write": frozenset({"read"}),
    "network": frozenset({"read"}),
    "execute": frozenset({"read", "write", "network"}),
}
"""Permissions that allow less than this one. A command may write files and reach a network."""

_CARE: Final[Mapping[str, tuple[bool | None, ...]]] = {
    "destructive": (False, None, True),
    "idempotent": (True, None, False),
    "open_world": (False, None, True),
}
"""Values of each annotation, the most careful last. None, unstated, is what MCP calls the default, and yet no
claim."""


def trust(pair: Pair, context: Context) -> tuple[Change, ...]:
    """Return the changes for those who grant permissions; none for a tool that was added or removed. A list
    of tools states no secrets, no request and no source.
    """
    if pair.old is None or pair.new is None:
        return ()
    old, new = pair.old.tool, pair.new.tool
    found = [*_annotations(pair, old, new)]
    if context.old.listed or context.new.listed:
        return (*_claimed(pair, context, old, new), *found)
    return (
        *_permission(pair, old, new),
        *found,
        *_secrets(pair, old, new),
        *_words(pair, old, new),
        *_request(pair, old.http or {}, new.http or {}),
        *_external(pair, old, new),
        *_callers(pair, old, new),
        *_scopes(pair, old, new),
        *_run_time_values(pair, old, new),
        *_injected(pair, old, new),
        *_source(pair, old, new),
    )


def widens(old: Permission, new: Permission) -> bool:
    """Return whether `new` allows something that `old` does not allow."""
    return old != new and new not in _BELOW[old]


def _permission(pair: Pair, old: ToolSpec, new: ToolSpec) -> Iterator[Change]:
    if old.permission == new.permission:
        return
    message = f"permission was `{old.permission}` and is `{new.permission}`"
    if widens(old.permission, new.permission):
        hint = "grant it anew where tools are approved, or offer the new ability as a tool of its own"
        yield pair.change("permission-widened", message, at=("permission",), hint=hint)
        return
    yield pair.change("permission-narrowed", message, at=("permission",))
    if new.permission == "read":
        message = "the tool is announced as read-only now (readOnlyHint), and was not"
        yield pair.change("hint-less-careful", message, at=("permission",))


def _claimed(pair: Pair, context: Context, old: ToolSpec, new: ToolSpec) -> Iterator[Change]:
    """Return the permission that a list claims: read-only alone, or `network` where the world is open."""
    before = old.permission == "read" or (context.old.listed and old.permission == "network")
    after = new.permission == "read" or (context.new.listed and new.permission == "network")
    if before and not after:
        message = "the tool is no longer announced as read-only (readOnlyHint)"
        yield pair.change("permission-widened", message, at=("permission",))
    elif after and not before:
        message = "the tool is announced as read-only now (readOnlyHint), and was not"
        yield pair.change("hint-less-careful", message, at=("permission",))


def _annotations(pair: Pair, old: ToolSpec, new: ToolSpec) -> Iterator[Change]:
    for name, order in _CARE.items():
        before, after = getattr(old.annotations, name), getattr(new.annotations, name)
        if before is after:
            continue
        rule = "hint-less-careful" if order.index(after) < order.index(before) else "hint-more-careful"
        message = f"the annotation `{name}` was {_stated(before)} and is {_stated(after)}"
        yield pair.change(rule, message, at=("annotations", name), old=after is None)


def _stated(value: bool | None) -> str:
    return {True: "true", False: "false", None: "not stated"}[value]


def _secrets(pair: Pair, old: ToolSpec, new: ToolSpec) -> Iterator[Change]:
    former = {pair.renamed_parameters.get(name, name): name for name in new.secrets}
    for name, now in former.items():
        if name not in old.secrets:
            message = f"`{now}` may carry <secret_ref:NAME> now"
            yield pair.change("secrets-added", message, at=("secrets",))
    for name in old.secrets:
        if name not in former:
            message = f"`{name}` may no longer carry <secret_ref:NAME>"
            yield pair.change("secrets-removed", message, at=("secrets",))


def _words(pair: Pair, old: ToolSpec, new: ToolSpec) -> Iterator[Change]:
    before, now = old.described_by, new.described_by
    former = None if now is None else pair.renamed_parameters.get(now, now)
    if before == former:
        return
    if before is not None:
        message = f"an approval depends on `{before}` now: `described_by` no longer names it"
        yield pair.change("approval-narrowed", message, at=("described_by",), old=now is None)
    if now is not None:
        message = f"an approval does not depend on `{now}`: `described_by` names it now"
        hint = "see that the tool does the same, whatever the words say"
        yield pair.change("approval-widened", message, at=("described_by",), hint=hint)


_REQUEST: Final = ("method", "path", "in", "body", "encoding")


def _request(pair: Pair, old: Mapping[str, object], new: Mapping[str, object]) -> Iterator[Change]:
    """Return `http` as written; an empty text where a tool stands for no request."""
    if not old or not new:
        if old or new:
            message = f"the tool {'stands for' if new else 'no longer stands for'} an HTTP request"
            yield pair.change("request-changed", message, at=("http",), old=not new)
        return
    if (old.get("server"), old.get("server_variables")) != (new.get("server"), new.get("server_variables")):
        message = f"the server was {_server(old)} and is {_server(new)}"
        yield pair.change("server-changed", message, at=("http", "server"))
    changed = [key for key in _REQUEST if old.get(key) != new.get(key)]
    if changed:
        before, after = f"{old['method']} {old['path']}", f"{new['method']} {new['path']}"
        message = f"the HTTP request was `{before}` and is `{after}`"
        if before == after:
            message = f"of the HTTP request `{after}`, other {listed(changed)}"
        yield pair.change("request-changed", message, at=("http", changed[0]))
    for key in ("security", "schemes"):
        if old.get(key) != new.get(key):
            message = f"`http.{key}` was {compact(old.get(key))} and is {compact(new.get(key))}"
            yield pair.change("credentials-changed", message, at=("http", key), old=key not in new)


def _server(request: Mapping[str, object]) -> str:
    server = request.get("server")
    if server is None:
        return "the program's choice"
    variables = request.get("server_variables")
    return f"`{server}`" + (f" with {compact(variables)}" if variables else "")


def _external(pair: Pair, old: ToolSpec, new: ToolSpec) -> Iterator[Change]:
    if old.external != new.external:
        where = ("in the program", "outside of the program")
        message = f"calls were carried out {where[old.external]}, and are carried out {where[new.external]}"
        yield pair.change(
            "carried-out-elsewhere", message, at=("external",), old="external" not in new.document.data
        )


def _callers(pair: Pair, old: ToolSpec, new: ToolSpec) -> Iterator[Change]:
    for caller in sorted(may_call(new) - may_call(old)):
        message = f"{CALLERS[caller]} may call the tool now"
        yield pair.change("callers-widened", message, at=("callers",), old="callers" not in new.document.data)


def _scopes(pair: Pair, old: ToolSpec, new: ToolSpec) -> Iterator[Change]:
    for index, scope in enumerate(old.scopes):
        if scope not in new.scopes:
            message = f"the token of whoever calls the tool no longer needs the scope `{scope}`"
            yield pair.change("scopes-removed", message, at=("scopes", index), old=True)


def _run_time_values(pair: Pair, old: ToolSpec, new: ToolSpec) -> Iterator[Change]:
    now = {pair.renamed_parameters.get(name, name): source for name, source in new.runtime_enums.items()}
    for name, source in old.runtime_enums.items():
        if name not in now:
            message = f"values of `{name}` were those of {source!r} when the program runs, and are no longer"
            yield pair.change("values-unbounded", message, at=("runtime_enums", name), old=True)
        elif now[name] != source:
            message = f"values of `{name}` were those of {source!r}, and are those of {now[name]!r}"
            yield pair.change("values-from-elsewhere", message, at=("runtime_enums",))


def _injected(pair: Pair, old: ToolSpec, new: ToolSpec) -> Iterator[Change]:
    now = {pair.renamed_parameters.get(name, name): (name, path) for name, path in new.inject.items()}
    for name, path in old.inject.items():
        if name not in now:
            if is_parameter(pair, name):
                message = f"`{name}` was filled in from `{path}`, and models set it now"
                hint = "see that its value is checked, as any that a model may send"
                yield pair.change("model-sets-parameter", message, at=("inject", name), old=True, hint=hint)
        elif now[name][1] != path:
            message = f"`{now[name][0]}` was filled in from `{path}`, and is from `{now[name][1]}`"
            yield pair.change("injected-from-elsewhere", message, at=("inject", now[name][0]))
    for former, (name, path) in now.items():
        if former not in old.inject:
            message = f"`{name}` is filled in from `{path}` now"
            yield pair.change("program-sets-parameter", message, at=("inject", name))


def _source(pair: Pair, old: ToolSpec, new: ToolSpec) -> Iterator[Change]:
    if old.source is None or new.source is None or old.source == new.source:
        return  # what a person writes, or wrote, is reviewed as text
    before, after = old.source, new.source
    message = (
        f"the tool was {before.name!r} of {before.label!r} ({before.kind}),"
        f" and is {after.name!r} of {after.label!r} ({after.kind})"
    )
    yield pair.change("source-changed", message, at=("source",))
