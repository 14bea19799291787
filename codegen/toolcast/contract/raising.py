"""Raising the keywords of drafts 4 to 7 to 2020-12, one schema at a time."""

from collections.abc import Iterator
from typing import Any


def raised(node: dict[str, Any], draft: int) -> Iterator[tuple[str, Any, tuple[str | int, ...]]]:
    """Yield (keyword, value, path of the value below `node`) as 2020-12 would write it.

    Sources: the migration notes of drafts 6, 7, 2019-09 and 2020-12. Forms that only an older draft
    allows (array `items`, boolean `exclusiveMinimum`) are raised whatever `$schema` says, since
    people paste schemas without it.
    """
    if _OLDER.isdisjoint(node) and not isinstance(node.get("items"), list):
        for keyword, value in node.items():
            yield keyword, value, (keyword,)
        return
    for keyword, value in node.items():
        if keyword == "definitions":
            if "$defs" not in node:
                yield "$defs", value, (keyword,)
        elif keyword == "id" and draft <= 4:
            yield "$id", value, (keyword,)
        elif keyword == "items" and isinstance(value, list):
            if value:
                yield "prefixItems", value, (keyword,)
            if "additionalItems" in node:
                yield "items", node["additionalItems"], ("additionalItems",)
        elif keyword == "additionalItems":
            continue  # read with the array form of `items`; without it, older drafts ignore it
        elif keyword == "dependencies" and isinstance(value, dict):
            lists = {name: item for name, item in value.items() if isinstance(item, list)}
            schemas = {name: item for name, item in value.items() if not isinstance(item, list)}
            if lists:
                yield "dependentRequired", lists, (keyword,)
            if schemas:
                yield "dependentSchemas", schemas, (keyword,)
        elif keyword in _BOUND_OF and isinstance(value, bool):
            if value and _BOUND_OF[keyword] in node:
                yield keyword, node[_BOUND_OF[keyword]], (_BOUND_OF[keyword],)
            elif value and draft > 4:
                yield keyword, value, (keyword,)  # no bound to make exclusive: malformed, said later
        elif keyword in _EXCLUSIVE_OF and node.get(_EXCLUSIVE_OF[keyword]) is True:
            continue  # became the exclusive bound
        else:
            yield keyword, value, (keyword,)


_OLDER = frozenset(
    {"definitions", "id", "additionalItems", "dependencies", "exclusiveMinimum", "exclusiveMaximum"}
)
"""Without one of these, only the array form of `items` is raised."""
_BOUND_OF = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}
_EXCLUSIVE_OF = {"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}
