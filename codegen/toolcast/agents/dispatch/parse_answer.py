"""From an answer to its calls."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from ...runtime.wire.fragments import MAX_CALLS
from .answer_fields import get_field, items, kind, load, plain, text
from .call import Call, DispatchError, distinct
from .wire_formats import Format, Path, format_of


def parse(response: Any, format: str) -> tuple[Call, ...]:
    """Parse the calls of an answer.

    Calls that are not calls of functions (custom, server-side) are left out.

    Args:
        response: the answer, or the message in it: a dict, JSON text, or the official client's object.
        format: name of a wire format, or of a provider that uses one.

    Returns:
        The calls, in order; `()` where there are none.

    Raises:
        DispatchError: the response is no answer of the format; the message has the path.
        ValueError: the format does not exist.
    """
    known = format_of(format)
    response = load(response)
    if known.name.startswith("mcp"):
        return (_mcp_call(response),)
    found, path = _find(response, known)
    raw: list[Call] = []
    for at, item in enumerate(found):
        call = _call(item, f"{path}[{at}]", known, len(raw))
        if call is not None:
            if len(raw) >= MAX_CALLS:
                raise DispatchError(f"{path}: more than {MAX_CALLS} calls in one answer")
            raw.append(call)
    if not raw:
        return ()
    if known.ids is not None:
        raw = _with_ids(raw, response, known)
    if _stopped(response, known) and is_call(found[-1], known) and _may_be_cut(raw[-1]):
        raw[-1] = msgspec.structs.replace(raw[-1], cut=True)
    return tuple(raw)


def locate(response: Any, path: Path) -> tuple[Any, str]:
    """The value at a path and how the path is written; None where a step leads nowhere."""
    at = "$"
    for step in path:
        if response is None:
            return None, at
        if isinstance(step, int):
            listed = items(response, at)
            response = listed[step] if step < len(listed) else None
            at = f"{at}[{step}]"
        else:
            response = get_field(response, step, at)
            at = f"{at}.{step}"
    return response, at


def calls_path(response: Any, format: Format) -> Path | None:
    """Which of a format's places an answer has. Raises DispatchError where it is no answer of the format."""
    for path in format.calls:
        if get_field(response, str(path[0]), "$") is not None:
            return path
    names = (str(path[0]) for path in format.calls)
    # A message without calls may lack the key, or have null for it.
    if any(get_field(response, key, "$") is not None for key in format.marks) or _has_any(response, names):
        return None
    wanted = " or ".join(f"`{path[0]}`" for path in format.calls)
    raise DispatchError(f"$: this is no answer of {format.name}: expected {wanted}, got {kind(response)}")


def _has_any(response: Any, keys: Iterable[str]) -> bool:
    if isinstance(response, Mapping):
        return any(key in response for key in keys)
    return any(key in dir(response) for key in keys)


def _find(response: Any, format: Format) -> tuple[Any, str]:
    path = calls_path(response, format)
    if path is None:
        return (), "$"
    found, at = locate(response, path)
    # The text of an answer may stand where blocks do.
    return ((), at) if isinstance(found, str) else (items(found, at), at)


def is_call(item: Any, format: Format, path: str = "$") -> bool:
    """Whether an item of the list is a call of a function, and not one of another kind."""
    if format.kinds is not None and get_field(item, "type", path) not in format.kinds:
        return False
    if not format.mark:
        return True
    inner = get_field(item, format.inner, path)
    return inner is not None and get_field(inner, "type", f"{path}.{format.inner}") != "server_tool_use"


def _call(item: Any, path: str, format: Format, index: int) -> Call | None:
    """One item of the list, if it is a call of a function."""
    get_field(item, "type", path)  # names the path of an item that is no object
    if not is_call(item, format, path):
        return None
    inner, within = item, path
    if format.inner:
        inner, within = get_field(item, format.inner, path), f"{path}.{format.inner}"
    outer = item if not format.mark else inner
    if inner is None:
        raise DispatchError(f"{within}: expected an object, got nothing")
    id = text(get_field(outer, format.id, path), f"{path}.{format.id}")
    name = text(get_field(inner, "name", within), f"{within}.name")
    if not name:
        raise DispatchError(f"{within}.name: expected the name of a tool, got nothing")
    arguments = get_field(inner, format.arguments, within)
    return Call(
        id="" if id in format.no_id else id,
        name=name,
        arguments=_arguments(arguments, f"{within}.{format.arguments}"),
        index=index,
        repeated=_repeated(outer, format, path) if format.repeated else {},
    )


def _repeated(item: Any, format: Format, path: str) -> dict[str, Any]:
    found = {key: get_field(item, key, path) for key in format.repeated}
    return {key: plain(value, f"{path}.{key}") for key, value in found.items() if value is not None}


def _arguments(arguments: Any, path: str) -> bytes | str | dict[str, Any]:
    """As the provider sent them. What is neither text nor an object becomes text; `execute` states what is
    wrong with it."""
    if arguments is None:
        return ""
    if isinstance(arguments, (bytes, str)):
        return arguments
    if isinstance(arguments, Mapping):
        return arguments if type(arguments) is dict else dict(arguments)
    try:
        return msgspec.json.encode(arguments)
    except (TypeError, ValueError, RecursionError):
        raise DispatchError(f"{path}: expected JSON, got {kind(arguments)}") from None


def _with_ids(calls: list[Call], response: Any, format: Format) -> list[Call]:
    """Each with an id of its own. A made-up one tells answers apart, as far as they differ at all."""
    ids = [call.id for call in calls]
    if all(ids) and len(set(ids)) == len(ids):
        return calls
    assert format.ids is not None
    answer, _ = locate(response, format.answer)
    seeds = (f"{answer}\n{call.index}\n{call.name}\n{call.arguments!r:.10000}" for call in calls)
    made = distinct(ids, format.ids, seeds)
    return [msgspec.structs.replace(call, id=id) for call, id in zip(calls, made, strict=True)]


def _stopped(response: Any, format: Format) -> bool:
    """Whether the answer ended at its length limit."""
    for path in format.stop:
        if get_field(response, str(path[0]), "$") is not None:
            reason = locate(response, path)[0]
            return str(getattr(reason, "value", reason)) in format.stops
    return False


def _may_be_cut(call: Call) -> bool:
    """Whether the last call of a cut answer may lack a part unseen: text that is no whole object is refused
    by the bridge anyway, save the empty one."""
    return isinstance(call.arguments, dict) or not call.arguments.strip()


def _mcp_call(request: Any) -> Call:
    """`tools/call`: the whole request, or its `params`."""
    params = get_field(request, "params", "$")
    path = "$" if params is None else "$.params"
    if params is not None and get_field(request, "method", "$") != "tools/call":
        raise DispatchError(f"$.method: expected 'tools/call', got {get_field(request, 'method', '$')!r:.80}")
    inner = request if params is None else params
    name = text(get_field(inner, "name", path), f"{path}.name")
    if not name:
        raise DispatchError(f"{path}.name: expected the name of a tool, got nothing")
    number = get_field(request, "id", "$")
    if number is not None and (isinstance(number, bool) or not isinstance(number, (str, int))):
        raise DispatchError(f"$.id: expected text or a whole number, got {kind(number)}")
    arguments = _arguments(get_field(inner, "arguments", path), f"{path}.arguments")
    return Call(id="" if number is None else str(number), name=name, arguments=arguments, index=0)
