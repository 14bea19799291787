"""Whether each constraint of a contract is stated in the declaration, or in the ledger."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

import msgspec
from toolcast.analysis.instances.oracle import all_subschemas_of
from toolcast.jsonschema.keywords import TYPE_OF
from toolcast.jsonschema.pointers import escape
from toolcast.providers import LedgerEntry
from toolcast.runtime.declaration_text import declaration
from toolcast.runtime.declaration_text.names import Language

from .real_tools import Tool, python_names, upgraded

_CONSTRAINTS = frozenset(
    (
        *(
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
            "minLength",
            "maxLength",
        ),
        *("pattern", "format", "minItems", "maxItems", "minProperties", "maxProperties", "enum", "const"),
        *("required", "contentEncoding", "contentMediaType"),
    )
)
"""Keywords whose values are looked for as they are written."""


def unstated(tool: Tool, language: Language) -> tuple[int, list[str]]:
    """Look for the value of every constraint of a contract in the declaration and in the ledger.

    Returns:
        How many there are, and those that are in neither.
    """
    text = _letters(declaration(msgspec.json.decode(tool.binding.definition(language)), language))
    entries = {_place(f"{one.path}/{escape(one.keyword)}"): one for one in tool.normalized[language].ledger}
    names = python_names(tool)
    count, missing = 0, []
    for path, node in all_subschemas_of(upgraded(tool)):
        for key in _CONSTRAINTS & node.keys():
            place = f"{_place(path)}/{escape(key)}"
            entry = entries.get(place)
            if (entry is not None and entry.action != "described") or _left_out(_place(path), entries):
                continue
            kinds = {"number"} if "integer" in str(node.get("type")) else set[str]()
            kinds |= {node["type"]} if isinstance(node.get("type"), str) else {*node.get("type", ())}
            if kinds and key in TYPE_OF and TYPE_OF[key] not in kinds:
                continue  # it constrains values of other types
            count += 1
            values = node[key] if isinstance(node[key], list) else [node[key]]
            if key == "required" and language == "python":
                values = [names.get(one, one) for one in values]
            stated = all(_letters(json.dumps(one, ensure_ascii=False)) in text for one in values)
            if not stated:
                missing.append(f"{tool.name}: {place} = {json.dumps(node[key])}")
    return count, missing


def _letters(text: str) -> str:
    """Text without what comments and literals write in ways of their own."""
    return re.sub(r"[\s\\\"'#/]|\.0\b", "", text)


def _place(pointer: str) -> str:
    return pointer.replace("/definitions/", "/$defs/")


def _left_out(path: str, entries: Mapping[str, LedgerEntry]) -> bool:
    """Whether the ledger has the schema, or one around it, as a whole."""
    parts = path.split("/")
    return any("/".join(parts[:length]) in entries for length in range(2, len(parts) + 1))
