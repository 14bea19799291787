"""From an answer to its calls."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from ...jsonschema.json_values import JsonObject
from ...runtime.wire.fragments import MOST_CALLS
from .answer_facts import WHOLE, read_reason
from .answer_fields import calls_path, get_field, items, kind, load, locate, plain, text, written
from .call import Call, DispatchError, distinct
from .wire_formats import Format, Path, Reason, format_of


def parse(response: Any, format: str) -> tuple[Call, ...]:
    """Parse the calls of an answer, but for those that the provider carries out itself.

    Args:
        response: the answer, or the message in it: a dict, JSON text, or the official client's object.
        format: name of a wire format, or of a provider that uses one.

    Returns:
        The calls, in order; `()` where there are none.

    Raises:
        DispatchError: the response is no answer of the format; the message has the path.
        ValueError: the format does not exist.
    """
    return read_calls(load(response), format_of(format))


def read_calls(response: object, known: Format, reason: Reason | None = None) -> tuple[Call, ...]:
    """Read the calls of a loaded answer; `reason` is why it ended, where somebody has read that."""
    if known.name.startswith("mcp"):
        return (_mcp_call(response),)
    place = calls_path(response, known) or known.calls[-1]
    found, path = _find(response, place), written(place)
    raw: list[Call] = []
    for at, item in enumerate(found):
        call = _call(item, f"{path}[{at}]", known, len(raw))
        if call is not None:
            if len(raw) >= MOST_CALLS:
                raise DispatchError(f"{path}: more than {MOST_CALLS:,} calls in one answer")
            raw.append(call)
    if known.older is not None:
        raw = _with_older(raw, response, place[:-1], known.older)
    if not raw:
        return ()
    if known.ids is not None:
        raw = _with_ids(raw, response, known)
    reason = reason or read_reason(response, known)
    if reason == "cut":
        if _may_be_cut(raw[-1]) and (raw[-1].older or call_shape(found[-1], known) is not None):
            raw[-1] = msgspec.structs.replace(raw[-1], cut=True)
    elif reason not in WHOLE:
        raw = [msgspec.structs.replace(call, cut=True) for call in raw]
    return tuple(raw)


def _find(response: object, place: Path) -> Sequence[Any]:
    found = locate(response, place)
    # The text of an answer may stand where blocks do; some servers have "" for no calls.
    is_text = isinstance(found, str) and (not found or place[-1] != "tool_calls")
    return () if is_text else items(found, written(place))


def _with_older(calls: list[Call], response: object, place: Path, older: Format) -> list[Call]:
    """Read the call that a message has in place of a list; beside one, it must repeat a call of that."""
    message = locate(response, place)
    if message is None or not get_field(message, older.inner, written(place)):
        return calls
    call = _call(message, written(place), older, 0)
    if call is None:
        return calls
    if calls and call.name not in {each.name for each in calls}:
        raise DispatchError(f"{written(place)}.{older.inner}: a call of {call.name!r:.80} beside other calls")
    return calls or [msgspec.structs.replace(call, older=True)]


class _CallShape(NamedTuple):
    inner: str
    arguments: str
    custom: bool = False
    search: bool = False


def call_shape(item: Any, format: Format, path: str = "$") -> _CallShape | None:
    """Tell how an item calls a function or a custom tool, or searches for tools; None for other items."""
    if format.kinds is not None:
        kind = get_field(item, "type", path)
        custom = format.custom
        if custom is not None and kind == custom.kind:
            return _CallShape(custom.inner, custom.arguments, custom=True)
        search = format.search
        if search is not None and kind == search.kind:
            own = get_field(item, "execution", path) == search.execution
            return _CallShape(format.inner, format.arguments, search=True) if own else None
        if kind not in format.kinds:
            return None
    if format.mark:
        inner = get_field(item, format.inner, path)
        if inner is None or get_field(inner, "type", f"{path}.{format.inner}") == "server_tool_use":
            return None
    return _CallShape(format.inner, format.arguments)


def _call(item: object, path: str, format: Format, index: int) -> Call | None:
    """Read an item of the list; None where it is no call to dispatch."""
    get_field(item, "type", path)  # names the path of an item that is no object
    shape = call_shape(item, format, path)
    if shape is None:
        return None
    inner, within = item, path
    if shape.inner:
        inner, within = get_field(item, shape.inner, path), f"{path}.{shape.inner}"
    outer = item if not format.mark else inner
    if inner is None:
        raise DispatchError(f"{within}: expected an object, got nothing")
    id = text(get_field(outer, format.id, path), f"{path}.{format.id}")
    name = text(get_field(inner, "name", within), f"{within}.name")
    if shape.search and format.search is not None:
        name = format.search.name
    if not name:
        raise DispatchError(f"{within}.name: expected the name of a tool, got nothing")
    found, at = get_field(inner, shape.arguments, within), f"{within}.{shape.arguments}"
    return Call(
        id="" if id in format.no_id else id,
        name=name,
        arguments=text(found, at) if shape.custom else _arguments(found, at),
        index=index,
        custom=shape.custom,
        search=shape.search,
        repeated=_repeated(outer, format, path) if format.repeated else {},
        caller=_caller(outer, format, path) if format.caller else None,
    )


def _repeated(item: object, format: Format, path: str) -> JsonObject:
    found = {key: get_field(item, key, path) for key in format.repeated}
    return {key: plain(value, f"{path}.{key}") for key, value in found.items() if value is not None}


def _caller(item: object, format: Format, path: str) -> Literal["model", "code"] | None:
    """Read who made a call. All but the model itself is code: providers name their versions of it."""
    caller, within = get_field(item, format.caller, path), f"{path}.{format.caller}"
    if caller is None:
        return None
    return "model" if text(get_field(caller, "type", within), f"{within}.type") == "direct" else "code"


def _arguments(arguments: object, path: str) -> bytes | str | JsonObject:
    """Return arguments as the provider sent them; other types as text, for `execute` to refuse."""
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


def _with_ids(calls: list[Call], response: object, format: Format) -> list[Call]:
    """Give each call an id of its own, made of all that tells answers apart."""
    ids = [call.id for call in calls]
    if all(ids) and len(set(ids)) == len(ids):
        return calls
    assert format.ids is not None
    answer = locate(response, format.answer)
    seeds = (f"{answer}\n{call.index}\n{call.name}\n{call.arguments!r:.10000}" for call in calls)
    made = distinct(ids, format.ids, seeds)
    return [msgspec.structs.replace(call, id=id) for call, id in zip(calls, made, strict=True)]


def _may_be_cut(call: Call) -> bool:
    """Tell whether the last call of a cut answer may lack a part unseen: the runtime refuses text that is no
    whole object, but for empty text and that of custom tools.
    """
    return call.custom or isinstance(call.arguments, dict) or not call.arguments.strip()


def _mcp_call(request: object) -> Call:
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
