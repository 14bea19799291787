"""Whether a compiler accepts the calls that a contract accepts, but for what no type can say."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from toolcast.analysis.instances.oracle import Oracle, all_subschemas_of
from toolcast.jsonschema.pointers import unescape
from toolcast.providers import LedgerEntry
from toolcast.runtime.declaration_text.names import Language

from .real_tools import Call, Tool, upgraded

_IN_COMMENTS = ("minItems", "maxItems", "patternProperties", "additionalProperties", "enum", "const")
"""Keywords that stay in a definition, and that a type has in part: the comment has the rest."""


class Agreement(Struct, frozen=True):
    """What a compiler and contracts say of calls; counts are of calls.

    `apart` counts what types cannot say, by keyword; `disagreements` describe the rest.
    """

    calls: int
    valid: int
    agree: int
    apart: Counter[str]
    disagreements: tuple[str, ...]


def agreement(calls: Sequence[Call], refused: Mapping[int, str], language: Language) -> Agreement:
    """Compare what the compiler and the contracts say of each call."""
    agree = 0
    apart: Counter[str] = Counter()
    disagreements: list[str] = []
    weaker: dict[tuple[str, bool], Oracle] = {}
    for index, call in enumerate(calls):
        if call.valid == (index not in refused):
            agree += 1
            continue
        tool = call.tool
        if call.valid:
            if language == "python" and "prefixItems" in json.dumps(tool.parameters):
                apart["a tuple, written as a list"] += 1
            else:
                disagreements.append(f"{tool.name}: {json.dumps(call.arguments)}: {refused[index]}")
            continue
        for further in (False, True):
            if (tool.name, further) not in weaker:
                weaker[tool.name, further] = Oracle(weakened(tool, language, further=further))
            if weaker[tool.name, further].accepts(call.arguments):
                apart[_broken(call)] += 1
                break
        else:
            disagreements.append(f"{tool.name}: {json.dumps(call.arguments)}: accepted, {_broken(call)}")
    valid = sum(call.valid for call in calls)
    return Agreement(len(calls), valid, agree, apart, tuple(disagreements))


def weakened(tool: Tool, language: Language, *, further: bool) -> dict[str, Any]:
    """The contract without what the ledger has; with `further`, without what comments alone have, too."""
    schema = upgraded(tool)
    for entry in tool.normalized[language].ledger:
        _remove(schema, entry)
    for _, node in list(all_subschemas_of(schema)):
        kinds = node.get("type")
        listed = kinds if isinstance(kinds, list) else [kinds]
        if language == "typescript" and "integer" in listed:
            node["type"] = list({*listed, "number"})
        if language == "python" and {"integer", "number"} & set(listed):
            node["type"] = list({*listed, "boolean"})
        first = node.get("prefixItems", [])
        if further and language == "python" and first and node.get("minItems", 0) < len(first):
            # A list, of which the comment says which item has which type.
            node["items"] = {"anyOf": [*node.pop("prefixItems"), node.get("items", True)]}
        for key in _IN_COMMENTS if further else ():
            if key in ("enum", "const") and not _is_partial(node, language):
                continue
            node.pop(key, None)
        if "oneOf" in node:
            node["anyOf"] = node.pop("oneOf") + node.get("anyOf", [])
    return schema


def _is_partial(node: Mapping[str, Any], language: Language) -> bool:
    """Whether a language has no literal type for some listed value."""
    values = node.get("enum", [node.get("const")])
    return language == "python" and not all(one is None or isinstance(one, (str, int)) for one in values)


def _remove(schema: Any, entry: LedgerEntry) -> None:
    place = schema
    for step in entry.path.split("/")[1:]:
        part = unescape(step)
        if part == "definitions" and "definitions" not in place:
            part = "$defs"
        place = place[int(part)] if isinstance(place, list) else place.get(part, {})
    # `type` inferred, `$ref` inlined: what they mean is still there.
    implied = entry.keyword in ("type", "$ref", "oneOf", "$defs", "required")
    stated = entry.severity != "kept elsewhere" or entry.action == "described"
    if isinstance(place, dict) and stated and not implied:
        place.pop(entry.keyword, None)


def _broken(call: Call) -> str:
    """The keywords that a call breaks, the innermost of each problem."""
    oracle = Oracle(upgraded(call.tool))
    found = {str(one.schema_path[-1]) if one.schema_path else "" for one in oracle.problems(call.arguments)}
    words = {one for one in found if not one.isdigit()}
    return ", ".join(sorted(words)) or "false"
