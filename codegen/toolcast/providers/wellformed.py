"""Schemas of servers that no one checked: keywords whose values are none that JSON Schema knows.

`mended` leaves them out before anything walks the schema.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..jsonschema.keywords import HOLDS_SCHEMAS, NUMBERS, SCHEMA, SCHEMA_LIST, SCHEMA_MAP, SIZES, TEXTS
from .json_paths import Path, pointer
from .ledger import Action, LedgerEntry, SeverityOfLoss
from .provider_errors import SchemaError
from .upgraded_schema import Source

Node = dict[str, Any]

STR = frozenset((str,))
FLAGS = ("uniqueItems", "deprecated", "readOnly", "writeOnly", "nullable")


def _count(value: Any) -> bool:
    return bool(value >= 0 and (value.__class__ is int or value.is_integer()))


def distinct(value: Any) -> bool:
    """Whether the items of a list are texts, each of them once."""
    try:
        return len(set(value)) == len(value) and "".join(value).__class__ is str
    except TypeError:
        return False


TAKES: dict[str, frozenset[type]] = {
    **dict.fromkeys(TEXTS, STR),
    **dict.fromkeys((*NUMBERS, *SIZES), frozenset((int, float))),
    **dict.fromkeys(FLAGS, frozenset((bool,))),
    **dict.fromkeys(("enum", "examples", "required", *SCHEMA_LIST), frozenset((list,))),
    "dependentRequired": frozenset((dict,)),
}
"""The classes that the value of a keyword may have."""
MORE: dict[str, Callable[[Any], bool]] = {
    "multipleOf": lambda value: value > 0,
    **dict.fromkeys(SIZES, _count),
    "required": distinct,
    **dict.fromkeys(SCHEMA_LIST, bool),
    "dependentRequired": lambda value: all(one.__class__ is list and distinct(one) for one in value.values()),
}
"""Further conditions on a value of the right class."""
LEVELS = 200
_NO_SCHEMA = "a schema is an object, true or false"


def is_malformed(node: Node) -> bool:
    """Whether a keyword of `node` itself has a value that it cannot have."""
    return any(key in TAKES and not takes(key, value) for key, value in node.items())


def can_have(keyword: str, value: Any) -> bool:
    """Whether JSON Schema allows this value for a keyword; of schemas, by the outer form only."""
    if keyword in TAKES:
        return takes(keyword, value)
    if keyword in SCHEMA:
        return isinstance(value, dict | bool)
    return keyword not in SCHEMA_MAP or isinstance(value, dict)


def takes(key: str, value: Any) -> bool:
    """Whether a keyword of `TAKES` can have this value."""
    return value.__class__ in TAKES[key] and (key not in MORE or MORE[key](value))


def mended(source: Source) -> tuple[Source, frozenset[int]]:
    """`source` without values that its keywords cannot have, with a ledger entry for each; and the
    ids of its schemas that accept more for it.

    Null where it is no value says nothing: servers write it for what was not set. Raises `SchemaError` for
    unbounded nesting.
    """
    mending = _Mending(source)
    document = mending.mended(source.document, None, LEVELS)
    return Source(document, mending.locations, mending.entries), frozenset(mending.wider)


class _Mending:
    """One pass over one schema. An object at several paths is visited once."""

    def __init__(self, source: Source) -> None:
        self.entries = {**source.entries}
        self.locations = {**source.locations}
        self.wider: set[int] = set()
        self._made: dict[int, Node] = {}

    def mended(self, node: Any, path: Path, levels: int) -> Any:
        if id(node) in self._made:
            return self._made[id(node)]
        if isinstance(node, bool):
            return node
        moved = id(node) in self.locations
        path = self.locations.get(id(node), path)
        if levels == 0:
            raise SchemaError(pointer(path), "schemas are nested too deeply")
        out: Node = {}
        lost = False
        for key, value in node.items():
            if key in HOLDS_SCHEMAS:
                if _holds(key, value):
                    out[key] = self._below(key, value, (path, key), levels - 1)
                    continue
            elif value is not None and (key not in TAKES or takes(key, value)):
                out[key] = value
                continue
            kept, action, severity, reason = _own(key, value)
            if action is not None:
                self._note(path, key, action, severity, reason)
                lost = lost or severity == "lost"
            if action != "dropped":
                out[key] = kept
        if lost:
            self.wider.add(id(out))
        self._made[id(node)] = out
        if moved:
            self.locations[id(out)] = path
        return out

    def _below(self, key: str, value: Any, path: Path, levels: int) -> Any:
        """The value of a keyword that holds schemas."""
        if key in SCHEMA:
            return self.mended(value, path, levels)
        if key in SCHEMA_LIST:
            return [self._held(one, path, str(i), levels) for i, one in enumerate(value)]
        return {name: self._held(one, path, name, levels) for name, one in value.items()}

    def _held(self, schema: Any, path: Path, name: str, levels: int) -> Any:
        """One of several schemas; a value that is none accepts every value."""
        if isinstance(schema, dict | bool):
            return self.mended(schema, (path, name), levels)
        self._note(path, name, "dropped", "lost", _NO_SCHEMA)
        anything: Node = {}
        self.wider.add(id(anything))
        return anything

    def _note(self, path: Path, key: str, action: Action, severity: SeverityOfLoss, reason: str) -> None:
        location = pointer(path)
        self.entries[location, key, action] = LedgerEntry(
            path=location, keyword=key, action=action, severity=severity, reason=reason
        )


def _holds(key: str, value: Any) -> bool:
    """Whether the value of a keyword that holds schemas has the right type."""
    if key in SCHEMA:
        return isinstance(value, dict | bool)
    return isinstance(value, dict) if key in SCHEMA_MAP else isinstance(value, list) and value != []


def _own(key: str, value: Any) -> tuple[Any, Action | None, SeverityOfLoss, str]:
    """The usable part of a value that is no schema, and the entry about it."""
    if value is None and (key in TAKES or key in HOLDS_SCHEMAS or key == "type"):
        return None, "dropped", "kept elsewhere", "null says nothing"
    if key == "required" and isinstance(value, bool):
        reason = "a property cannot say itself that it is required; its parent lists it"
        return None, "dropped", "lost", reason
    if key == "required" and isinstance(value, list):
        names = list(dict.fromkeys(name for name in value if isinstance(name, str)))
        same = names == value
        return names, None if same else "rewritten", "kept elsewhere", "is a list of names, each of them once"
    if key in SCHEMA:
        return None, "dropped", "lost", _NO_SCHEMA
    if key in SCHEMA_MAP:
        return None, "dropped", "lost", "it must be an object of schemas"
    if value is None:  # of a keyword that nobody knows
        return value, None, "kept elsewhere", ""
    return None, "dropped", "lost", f"its value {value!r:.40} is malformed"
