"""L4 for the spec: each statement beside its parameters stands in the tool object, or in the ledger.

The reading is independent: it looks for the stated values in the tool object, whatever the members are
called.
"""

from collections.abc import Callable, Iterator, Mapping, Set
from functools import partial
from typing import Any, Final

from ..spec.keys import SENT
from ..spec.tool_spec import ToolSpec

Members = list[tuple[str, Any]]
_SCHEMA_WORDS: Final = frozenset(("type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const", "properties"))


_REWORDED: Final = frozenset(("callers", "defer", "stream_arguments", "blocking", "execution"))
"""Keys whose values providers have in words of their own."""


def silent_keys(
    tool: ToolSpec, definition: Mapping[str, Any], parameters: Any, lost: Set[str]
) -> Iterator[str]:
    """Return keys of a spec that a tool object lacks and no entry of the ledger names.

    The schema of the `parameters` in the tool object is not looked into; `lost` are the keys that the ledger
    names. Their order is that of the spec's format.
    """
    members = list(_members(definition, parameters))
    for key, stands in _stated(tool):
        if key not in lost and not stands(members):
            yield key


def _stated(tool: ToolSpec) -> Iterator[tuple[str, Callable[[Members], bool]]]:
    """Yield each key that is stated, with a test of the tool object for it."""
    if tool.input is not None and tool.input.grammar is not None:
        definition = tool.input.definition
        yield "input", lambda members: any(value == definition for _, value in members)
    if isinstance(tool.result, dict):
        yield "result", lambda members: any(_is_schema(value) or value == tool.result for _, value in members)
    if "code" in (tool.callers or ()):
        count = len(tool.callers or ())
        yield "callers", lambda members: any(_are_names(value, count) for _, value in members)
    if tool.defer is True:
        yield "defer", lambda members: _has_flag(members, "defer")
    if tool.stream_arguments is True:
        yield "stream_arguments", lambda members: _has_flag(members, "stream")
    if tool.blocking is False:
        yield (
            "blocking",
            lambda members: _has_flag(members, "async") or ("behavior", "NON_BLOCKING") in _plain(members),
        )
    if tool.task_support in ("optional", "required"):
        yield "execution", lambda members: ("taskSupport", tool.task_support) in _plain(members)
    for key in SENT:
        value = key.value_in(tool)
        if key.name not in _REWORDED and key.asks_for(value):
            yield key.name, partial(_has_value, list(value) if isinstance(value, tuple) else value)
    if tool.examples:
        yield "examples", lambda members: len(_examples(members)) == len(tool.examples)
    hints = tool.annotations
    stated = {
        name: getattr(hints, name) for name in hints.__struct_fields__ if getattr(hints, name) is not None
    }
    if stated:
        yield (
            "annotations",
            lambda members: all(_has_hint(members, name, value) for name, value in stated.items()),
        )


def sent_examples(definition: Mapping[str, Any], parameters: Any) -> list[Any]:
    """Return the examples of calls in a tool object as the provider is sent them; `parameters` in it are not
    looked into.
    """
    return _examples(list(_members(definition, parameters)))


def _examples(members: Members) -> list[Any]:
    return next((value for key, value in members if "examples" in key and isinstance(value, list)), [])


def _members(value: Any, parameters: Any) -> Iterator[tuple[str, Any]]:
    """Yield every member of an object, at any depth, but for those of the parameters."""
    for key, item in value.items() if isinstance(value, dict) else ():
        if item is parameters:
            continue
        yield key, item
        yield from _members(item, parameters)


def _plain(members: Members) -> list[tuple[str, Any]]:
    return [each for each in members if isinstance(each[1], str)]


def _is_schema(value: Any) -> bool:
    return isinstance(value, dict) and not _SCHEMA_WORDS.isdisjoint(value)


def _are_names(value: Any, count: int) -> bool:
    return isinstance(value, list) and len(value) == count and all(isinstance(each, str) for each in value)


def _has_flag(members: Members, word: str) -> bool:
    return any(value is True and word in key.lower() for key, value in members)


def _has_value(value: Any, members: Members) -> bool:
    return any(item == value for _, item in members)


def _has_hint(members: Members, name: str, value: str | bool) -> bool:
    """Return whether a member with a name that begins so has the value: `destructive` may be
    `destructiveHint`.
    """
    start = name.replace("_", "")
    return any(item == value and key.replace("_", "").lower().startswith(start) for key, item in members)
