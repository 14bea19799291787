"""Members of a request beside its tools' definitions, as a provider's profile states them: loading of tools
on demand, the mark of what a prompt cache may hold, and settings for all tools."""

import re
from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple

import msgspec
from msgspec import Struct

from ..jsonschema.json_values import JsonMapping, JsonObject

Cache = Literal["last"]
"""The tool that ends what a prompt cache may hold: the last one that is part of the prompt."""

_NAMESPACE_LENGTH = 64
_DESCRIPTION_LENGTH = 2_000


class RequestRules(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab", omit_defaults=True
):
    """Members of a request to a provider beside tool objects. A member that it does not have is empty.

    Attributes:
        defer: members of the object of a tool that is loaded on demand.
        search_tools: objects with which the provider searches such tools.
        client_search: the object in their place if the program searches; "$name", "$description" and
            "$parameters" are filled in.
        search_without: members that tool objects lack in a request with a search.
        namespace: the object of a group of such tools; "$group", "$description" and "$tools" are filled in.
        cache: members of the last tool object that a prompt cache may hold.
        cache_entry: an entry of its own after the last tool, for the same.
        strict: members of a request that enforces its tools, for a provider without a flag of each tool.
        stream_arguments: members of a request that streams arguments as they are written.
    """

    defer: JsonObject = {}
    search_tools: tuple[JsonObject, ...] = ()
    client_search: JsonObject = {}
    search_without: tuple[str, ...] = ()
    namespace: JsonObject = {}
    cache: JsonObject = {}
    cache_entry: JsonObject = {}
    strict: JsonObject = {}
    stream_arguments: JsonObject = {}

    @property
    def loads_tools(self) -> bool:
        """True if the provider loads tools on demand."""
        return bool(self.defer) and bool(self.search_tools)


class RequestTool(NamedTuple):
    """A tool as a request has it: compact JSON of its object, whether it is loaded on demand, and its
    description in a namespace."""

    name: str
    definition: bytes
    deferred: bool = False
    group: str = ""
    summary: str = ""


def is_deferred(definition: bytes, rules: RequestRules) -> bool:
    """Tell whether a tool object in compact JSON is loaded on demand."""
    if not rules.defer or not all(_member(key, value) in definition for key, value in rules.defer.items()):
        return False
    whole = msgspec.json.decode(definition)
    return all(whole.get(key) == value for key, value in rules.defer.items())


def _member(key: str, value: object) -> bytes:
    return msgspec.json.encode({key: value})[1:-1]


def _mark_deferred(definition: bytes, rules: RequestRules) -> bytes:
    if is_deferred(definition, rules):
        return definition
    return msgspec.json.encode({**msgspec.json.decode(definition), **rules.defer})


def mark_loaded(definition: bytes, rules: RequestRules) -> bytes:
    """Mark a tool object as part of the prompt."""
    if not is_deferred(definition, rules):
        return definition
    whole = msgspec.json.decode(definition)
    return msgspec.json.encode({key: value for key, value in whole.items() if key not in rules.defer})


def tool_entries(
    tools: Sequence[RequestTool], rules: RequestRules, found: Collection[str] | None = None
) -> list[bytes]:
    """Return the entries of a request's list of tools as compact JSON, without those of a search.

    With `found`, names of tools loaded on demand, only these are written, as the result of a search. A
    namespace stands where the first of its tools would.
    """
    groups = _namespaces(tools) if rules.namespace else {}
    if rules.search_without and any(tool.deferred for tool in tools):
        tools = [tool._replace(definition=_without(tool.definition, rules.search_without)) for tool in tools]
    entries: list[bytes] = []
    written: set[str] = set()
    for tool in tools:
        if found is not None and (not tool.deferred or tool.name not in found):
            continue
        name = groups.get(tool.group) if tool.deferred else None
        if name is None:
            entries.append(_mark_deferred(tool.definition, rules) if tool.deferred else tool.definition)
        elif name not in written:
            written.add(name)
            entries.append(_namespace(name, tool.group, tools, rules, found))
    return entries


def _without(definition: bytes, members: Collection[str]) -> bytes:
    if not any(msgspec.json.encode(member) in definition for member in members):
        return definition
    whole = msgspec.json.decode(definition)
    return msgspec.json.encode({key: value for key, value in whole.items() if key not in members})


def _namespace(
    name: str, group: str, tools: Sequence[RequestTool], rules: RequestRules, found: Collection[str] | None
) -> bytes:
    members = [tool for tool in tools if tool.deferred and tool.group == group]
    inner = [
        msgspec.Raw(_mark_deferred(tool.definition, rules))
        for tool in members
        if found is None or tool.name in found
    ]
    values = {"$group": name, "$description": _described(members), "$tools": inner}
    return msgspec.json.encode(fill(rules.namespace, values))


def _described(members: Sequence[RequestTool]) -> str:
    """Describe the contents of a group: the model reads it before it searches."""
    ordered = sorted(members)
    full = "; ".join(f"{tool.name}: {tool.summary.rstrip('.')}" for tool in ordered)
    text = full if len(full) <= _DESCRIPTION_LENGTH else ", ".join(tool.name for tool in ordered)
    return text if len(text) <= _DESCRIPTION_LENGTH else f"{text[: _DESCRIPTION_LENGTH - 1]}…"


def _namespaces(tools: Sequence[RequestTool]) -> dict[str, str]:
    """Return the namespace of each group with tools loaded on demand. None has the name of a tool: OpenAI
    puts a deferred tool that stands alone into one of its own name."""
    taken = {tool.name for tool in tools}
    names: dict[str, str] = {}
    for group in sorted({tool.group for tool in tools if tool.deferred and tool.group}):
        stem = name = re.sub(r"[^a-zA-Z0-9_-]", "_", group)[:_NAMESPACE_LENGTH]
        number = 1
        while name in taken:
            number += 1
            tail = f"_{number}"
            name = stem[: _NAMESPACE_LENGTH - len(tail)] + tail
        taken.add(name)
        names[group] = name
    return names


def request_tools(
    tools: Sequence[RequestTool],
    rules: RequestRules,
    search: Sequence[JsonMapping],
    cache: Cache | None = None,
) -> bytes:
    """Return the list of tools of a request as compact JSON.

    The objects of `search` come first if a tool is loaded on demand; `cache` marks what a prompt cache may
    hold.
    """
    entries = tool_entries(tools, rules)
    if any(tool.deferred for tool in tools):
        entries = [*map(msgspec.json.encode, search), *entries]
    if cache is not None:
        entries = _mark_cached(entries, rules)
    return b"[" + b",".join(entries) + b"]"


def _mark_cached(entries: Sequence[bytes], rules: RequestRules) -> list[bytes]:
    """Mark up to where a prompt cache may hold a list of tools: at the last entry that is not loaded on
    demand, which is in no prompt, or after all."""
    if rules.cache_entry:
        return [*entries, msgspec.json.encode(rules.cache_entry)] if entries else []
    if not rules.cache:
        return [*entries]
    marked = [*entries]
    for at in range(len(marked) - 1, -1, -1):
        if not is_deferred(marked[at], rules):
            marked[at] = msgspec.json.encode({**msgspec.json.decode(marked[at]), **rules.cache})
            break
    return marked


def mark_list_cached(definitions: bytes, rules: RequestRules) -> bytes:
    """Apply `_mark_cached` to a JSON array of entries."""
    entries = msgspec.json.decode(definitions, type=list[msgspec.Raw])
    return b"[" + b",".join(_mark_cached([bytes(entry) for entry in entries], rules)) + b"]"


def fill(template: JsonMapping, values: JsonMapping) -> JsonObject:
    """Fill in the placeholders of a template."""
    return {
        key: fill(item, values)
        if isinstance(item, dict)
        else values.get(item, item)
        if isinstance(item, str)
        else item
        for key, item in template.items()
    }


def merged(*members: JsonMapping) -> JsonObject:
    """Merge members of a request; objects of one name become one."""
    whole: JsonObject = {}
    for each in members:
        for key, value in each.items():
            known = whole.get(key, {})
            both = isinstance(known, dict) and isinstance(value, dict)
            whole[key] = merged(known, value) if both else value
    return whole


def check_cache(cache: str | None) -> None:
    """Raise ValueError for an unknown `cache`."""
    if cache not in (None, "last"):
        raise ValueError(f"cache must be 'last' or None, not {cache!r}.")
