"""The schema of results as a provider takes it. What is left out makes it accept more, never less."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..jsonschema.json_values import JsonMapping, JsonObject
from ..jsonschema.keywords import ANY_SCHEMA_MAP, SCHEMA, SCHEMA_LIST, Path, map_subschemas, subschemas
from ..jsonschema.pointers import join, split
from ..jsonschema.schema_node import Action, Severity
from .ledger import LedgerEntry
from .profiles.profile import ResultRules

_UNKNOWN = "is left out, because the provider does not take it in a schema of results"
_NO_VALUE = "is left out, because the provider does not take a schema that accepts no value"
_REFUSES_MORE = "is left out, because it would apply to what another keyword describes, which is not sent"
_CYCLE = "is left out, because the provider does not take a definition that contains itself"
_BESIDE = "is left out, because the provider takes nothing beside `$ref`"
_NO_TYPE = "is left out, because a declaration states the types of results"
_VALUES = "is left out, because the provider takes strings and numbers alone"

NARROWING = frozenset(
    (
        *("not", "if", "then", "else", "oneOf", "maxContains"),
        *("unevaluatedItems", "unevaluatedProperties", "$dynamicRef", "$recursiveRef"),
    )
)
"""Keywords that refuse more values where a schema in them, or beside them, accepts more."""
_REST_OF = {"additionalProperties": ("properties", "patternProperties"), "items": ("prefixItems",)}
"""Keywords that apply to what others leave over."""


def fitted(schema: Mapping[str, object], rules: ResultRules) -> tuple[JsonObject, tuple[LedgerEntry, ...]]:
    """Leave out what the rules of a provider exclude from a self-contained schema of results, which is not
    changed. The ledger has entries with `of="result"` and pointers into `schema`.
    """
    if rules.without:
        return _without(schema, frozenset(rules.without), ())
    if not rules.keep:
        return dict(schema), ()
    fitting = _Fitting(frozenset(rules.keep) - NARROWING, in_cycles(schema))
    return fitting.schema(schema, (), _ROOT), tuple(fitting.ledger)


def _without(schema: object, keywords: frozenset[str], at: Path) -> tuple[Any, tuple[LedgerEntry, ...]]:
    """Return a schema without some keywords, none of which holds for what others leave over."""
    if not isinstance(schema, Mapping):
        return schema, ()
    kept = {key: value for key, value in schema.items() if key not in keywords}
    ledger = [
        LedgerEntry(
            path=join(at), keyword=key, action="dropped", severity="lost", reason=_NO_TYPE, of="result"
        )
        for key in schema
        if key in keywords
    ]
    places = (place for place, _ in subschemas(kept))

    def change(below: object) -> Any:
        made, entries = _without(below, keywords, (*at, *next(places)))
        ledger.extend(entries)
        return made

    return map_subschemas(kept, change), tuple(ledger)


def in_response(schema: JsonMapping) -> JsonObject:
    """Return the schema of the object that carries a result: `output`, or `error` where the call failed. So
    `agents.dispatch.render_results` writes Gemini's `functionResponse.response`.
    """
    own = _moved({key: value for key, value in schema.items() if key != "$defs"})
    error = {"type": "string", "description": "Why the call failed, in place of `output`."}
    wrapped: JsonObject = {"type": "object", "properties": {"output": own, "error": error}}
    if "$defs" in schema:
        wrapped["$defs"] = {name: _moved(each) for name, each in schema["$defs"].items()}
    return wrapped


def _moved(schema: object) -> object:
    """Return a copy in which `#` means the schema of the output."""
    if not isinstance(schema, Mapping):
        return schema
    out = map_subschemas(schema, _moved)
    return {**out, "$ref": "#/properties/output"} if out.get("$ref") == "#" else out


def may_be_text(schema: Mapping[str, object]) -> bool:
    """Return whether a result may be a string, as far as the root, references and unions tell."""
    definitions = schema.get("$defs")
    return _may_be_text(schema, definitions if isinstance(definitions, Mapping) else {}, frozenset())


def _may_be_text(node: object, definitions: Mapping[str, object], seen: frozenset[str]) -> bool:
    if not isinstance(node, Mapping):
        return node is not False
    kind, name = node.get("type"), _referred(node.get("$ref"))
    if kind is not None:
        return kind == "string" or (isinstance(kind, list) and "string" in kind)
    if "const" in node:
        return isinstance(node["const"], str)
    if isinstance(node.get("enum"), list):
        return any(isinstance(each, str) for each in node["enum"])
    if name is not None and name in definitions and name not in seen:
        return _may_be_text(definitions[name], definitions, seen | {name})
    for keyword in ("anyOf", "oneOf"):
        if isinstance(node.get(keyword), list):
            return any(_may_be_text(each, definitions, seen) for each in node[keyword])
    return True


class _Fitting:
    def __init__(self, kept: frozenset[str], cycles: frozenset[str]) -> None:
        self.ledger: list[LedgerEntry] = []
        self._kept = kept
        self._cycles = cycles

    def schema(self, node: JsonMapping, path: Path, definition: str) -> JsonObject:
        out: JsonObject = {}
        refers = "$ref" in node and not self._closes_cycle(node, definition)
        for keyword, value in node.items():
            if keyword == "$ref" and not refers:
                self._note(path, keyword, _CYCLE)
            elif refers and not keyword.startswith("$"):
                self._note(path, keyword, _BESIDE)
            elif keyword == "const" and keyword not in self._kept and "enum" not in node and _plain(value):
                self._note(path, keyword, "is sent as `enum`", "rewritten", "kept elsewhere")
                out["enum"] = [value]
            elif keyword == "oneOf" and "anyOf" not in node and isinstance(value, list):
                self._note(
                    path, keyword, "is sent as `anyOf`: the provider reads both alike", "rewritten", "changed"
                )
                self._add(out, "anyOf", value, (*path, "oneOf"), definition)
            elif keyword not in self._kept:
                self._note(path, keyword, _UNKNOWN)
            elif any(each in node and each not in self._kept for each in _REST_OF.get(keyword, ())):
                self._note(path, keyword, _REFUSES_MORE)
            elif keyword == "enum" and not (isinstance(value, list) and all(map(_plain, value))):
                self._note(path, keyword, _VALUES)
            else:
                self._add(out, keyword, value, (*path, keyword), definition)
        return out

    def _closes_cycle(self, node: Mapping[str, object], definition: str) -> bool:
        name = _referred(node["$ref"])
        return name is None or (definition in self._cycles and name in self._cycles)

    def _add(self, out: JsonObject, keyword: str, value: object, at: Path, definition: str) -> None:
        """Keep a keyword, with the schemas in it; `at` is where it was written."""
        if keyword == "additionalProperties" and isinstance(value, bool):
            out[keyword] = value
        elif keyword in SCHEMA:
            made = self._below(value, at, definition)
            if made is not None:
                out[keyword] = made
        elif keyword in SCHEMA_LIST and isinstance(value, list):
            items = [self._below(each, (*at, index), definition) for index, each in enumerate(value)]
            # A position of a tuple must stay; of a union, a branch without values adds nothing.
            kept = [
                {} if each is None else each for each in items if each is not None or keyword == "prefixItems"
            ]
            if kept:
                out[keyword] = kept
        elif keyword in ANY_SCHEMA_MAP and isinstance(value, Mapping):
            named = keyword in ("$defs", "definitions")
            made_of = {
                name: self._below(each, (*at, name), name if named else definition)
                for name, each in value.items()
            }
            out[keyword] = {name: {} if each is None else each for name, each in made_of.items()}
        else:
            out[keyword] = value

    def _below(self, schema: object, path: Path, definition: str) -> JsonObject | None:
        """Return a schema in a keyword; None for one that accepts no value."""
        if isinstance(schema, Mapping):
            return self.schema(schema, path, definition)
        if schema is False:
            self._note(path[:-1], str(path[-1]), _NO_VALUE)
            return None
        return {}

    def _note(
        self,
        path: Path,
        keyword: str,
        reason: str,
        action: Action = "dropped",
        severity: Severity = "lost",
    ) -> None:
        self.ledger.append(
            LedgerEntry(
                path=join(path), keyword=keyword, action=action, severity=severity, reason=reason, of="result"
            )
        )


def _plain(value: object) -> bool:
    return isinstance(value, (str, int, float)) and not isinstance(value, bool)


_ROOT = ""
"""The schema itself, among the names of its definitions."""
_DEFINITIONS = ("$defs", "definitions")


def _referred(reference: object) -> str | None:
    """Return the definition that a reference names: `_ROOT` for `#`; None for one that leads elsewhere. A
    reference into a definition (`#/$defs/A/items`) counts as one to the definition.
    """
    if reference == "#":
        return _ROOT
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return None
    steps = split(reference.removeprefix("#"))
    return steps[1] if len(steps) > 1 and steps[0] in _DEFINITIONS else _ROOT


def in_cycles(schema: JsonMapping) -> frozenset[str]:
    """Return the definitions that lead back to themselves, and those between two such; `_ROOT` for the
    schema. Linear in the size of the schema.
    """
    definitions = {
        name: each
        for keyword in _DEFINITIONS
        if isinstance(schema.get(keyword), Mapping)
        for name, each in schema[keyword].items()
    }
    own = {key: value for key, value in schema.items() if key not in _DEFINITIONS}
    nodes = {_ROOT: own, **definitions}
    forward = {name: set(_references(each)) & nodes.keys() for name, each in nodes.items()}
    backward: dict[str, set[str]] = {name: set() for name in nodes}
    for name, targets in forward.items():
        for target in targets:
            backward[target].add(name)
    left = _without_ends(set(nodes), forward, backward)
    return frozenset(_without_ends(left, backward, forward))


def _without_ends(names: set[str], onward: Mapping[str, set[str]], back: Mapping[str, set[str]]) -> set[str]:
    """`names` without those from which no endless way leads `onward`."""
    left = set(names)
    counts = {name: len(onward[name] & left) for name in left}
    waiting = [name for name, count in counts.items() if not count]
    while waiting:
        name = waiting.pop()
        left.discard(name)
        for before in back[name] & left:
            counts[before] -= 1
            if not counts[before]:
                waiting.append(before)
    return left


def _references(schema: object) -> Iterator[str]:
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Mapping):
            name = _referred(node.get("$ref"))
            if name is not None:
                yield name
            waiting += [item for _, item in subschemas(node)]
