"""Enums, constants and exclusive bounds of one node, in the dialect."""

from __future__ import annotations

from math import floor
from typing import Any

from ..jsonschema.equality import equal
from ..jsonschema.keywords import TYPE_OF
from .constraint_texts import phrase
from .json_paths import Path, pointer
from .json_types import MOVED, distinct_types, fits, kind_of
from .provider_errors import SchemaError
from .state import State
from .type_keyword import checked_types
from .values_as_text import texts
from .wire_forms import mark

Node = dict[str, Any]
CONTAINING = frozenset(keyword for keyword, kind in TYPE_OF.items() if kind in ("array", "object"))
STRING_KEYWORDS = MOVED - {"type", "enum", "const"}


def bounded(state: State, node: Node, path: Path, notes: list[str]) -> Node:
    """Exclusive bounds as inclusive ones: exact for integers; for numbers one value wider, and described."""
    out = dict(node)
    for key, inclusive, up in (("exclusiveMinimum", "minimum", True), ("exclusiveMaximum", "maximum", False)):
        value = out.pop(key, None)
        if not isinstance(value, int | float) or isinstance(value, bool):
            continue
        if out.get("type") == "integer":
            bound: float = floor(value) + 1 if up else -(floor(-value) + 1)
            state.note(
                path, key, "rewritten", "kept elsewhere", f"of an integer it is the {inclusive} {bound}"
            )
        else:
            bound = value
            notes.append(phrase(key, value))
            state.note(
                path,
                key,
                "spilled",
                "kept elsewhere",
                f"stated in the description; {inclusive} allows the bound itself",
            )
        old = out.get(inclusive)
        if not isinstance(old, int | float) or (old < bound) == up:
            out[inclusive] = bound
    return out


def with_enum(state: State, node: Node, path: Path, notes: list[str]) -> Node:
    """`const` and `enum` as the dialect has them."""
    rules = state.dialect
    out = dict(node)
    if "const" in out and rules.const == "enum":
        value = out.pop("const")
        state.note(path, "const", "rewritten", "kept elsewhere", "is an enum of one value")
        old = out.get("enum")
        out["enum"] = [value] if not isinstance(old, list) or any(equal(value, item) for item in old) else []
    encodes = rules.maps == "pairs" or rules.tuples == "object"
    contains = encodes and ("type" in out or not CONTAINING.isdisjoint(out))
    nested = "const" in out and isinstance(out["const"], dict | list)
    if nested and (contains or rules.enums == "fitting"):
        out["enum"] = [out.pop("const")]
        state.note(path, "const", "rewritten", "kept elsewhere", "is an enum of one value")
    if rules.enums == "fitting" and "const" in out:
        values = out.get("enum")
        if "type" in out and not fits(out["const"], checked_types(out, path)):
            state.block(path, "const", "the constant does not fit the type")
        elif isinstance(values, list) and not any(equal(out["const"], value) for value in values):
            state.block(path, "const", "the constant is no value of the enum")
    if "enum" not in out:
        return out
    values = out["enum"]
    if not isinstance(values, list):
        raise SchemaError(pointer(path), "enum must be a list of values")
    if "type" in out:
        kinds = checked_types(out, path)
        fitting = [value for value in values if fits(value, kinds)]
        if len(fitting) < len(values) and fitting:
            state.note(
                path, "enum", "rewritten", "kept elsewhere", "values that the type refuses are left out"
            )
            out["enum"] = values = fitting
        elif not fitting:
            state.note(path, "enum", "dropped", "lost", "no value of it fits the type")
            del out["enum"]
            state.block(path, "enum", "no value of it fits the type")
            return out
    if not values and rules.booleans == "rewrite":
        reason = "a list of no values takes nothing, which cannot be expressed here"
        state.note(path, "enum", "widened", "changed", reason)
        state.block(path, "enum", reason)
        del out["enum"]
        return out
    if rules.max_enum is not None and len(values) > rules.max_enum:
        reason = f"only {rules.max_enum} values can be expressed"
        state.describe(path, "enum", phrase("enum", values), notes, reason)
        if "type" not in out:
            kinds = distinct_types([kind_of(value) for value in values])
            out["type"] = kinds if len(kinds) > 1 else kinds[0]
        del out["enum"]
        return out
    nested = any(isinstance(value, dict | list) for value in values)
    if path is None and rules.enums != "any":
        del out["enum"]
        state.describe(
            path, "enum", phrase("enum", values), notes, "the arguments of a call are always an object"
        )
        return out
    if nested and contains and rules.enums == "any":
        del out["enum"]
        state.describe(path, "enum", phrase("enum", values), notes, "may be sent in another form")
        return out
    if rules.enums == "any" or (values and not nested and rules.enums == "fitting"):
        return out
    if values and rules.enums == "alike" and _alike(values):
        return out
    strings = all(value is None or (isinstance(value, str) and value) for value in values)
    if (not strings and "string" in state.types_elsewhere) or not values:
        if rules.enums == "fitting":
            state.block(path, "enum", "only an enum of scalars can be expressed")
            return out
        return _described_enum(state, out, values, path, notes)
    return _strings(state, out, values, path, notes)


def _alike(values: list[Any]) -> bool:
    classes = {value.__class__ for value in values}
    return len(classes) == 1 and classes <= {str, int, float}


def _strings(state: State, out: Node, values: list[Any], path: Path, notes: list[str]) -> Node:
    """An enum whose values are encoded as strings; null stays null, by the type."""
    rest = [value for value in values if value is not None]
    kinds = distinct_types([kind_of(value) for value in rest])
    null = len(rest) < len(values)
    if not rest or (
        kinds == ["boolean"] and {True, False} <= {value for value in rest if value in (True, False)}
    ):
        state.note(path, "enum", "rewritten", "kept elsewhere", "all values of a type: expressed by the type")
        del out["enum"]
        out["type"] = [*kinds, "null"] if kinds and null else kinds[0] if kinds else "null"
        return out
    sent = texts(rest)
    out["type"] = ["string", "null"] if null else "string"
    if list(sent) != values:
        became = (
            ("null is expressed by the type", null),
            ("each value stands once", len(sent) < len(rest)),
            ("values are written as strings", any(text != value for text, value in sent.items())),
        )
        reason = ", ".join(text for text, so in became if so)
        state.note(path, "enum", "rewritten", "kept elsewhere", reason)
    out["enum"] = list(sent)
    if null and state.dialect.type_arrays != "nullable" and state.dialect.any_of != "none":
        # An enum without null refuses null, whatever the type allows.
        branch = {
            "type": "string",
            **{key: out.pop(key) for key in list(out) if key in STRING_KEYWORDS or key == "enum"},
        }
        del out["type"]
        state.record_origin(branch, path)
        out["anyOf"] = [branch, {"type": "null"}]
    if all(isinstance(value, str) and sent_value == value for sent_value, value in sent.items()):
        return out
    for held in (out, *out.get("anyOf", ())[:1]):
        for key in [key for key in held if key in STRING_KEYWORDS]:
            words = phrase(key, held.pop(key))
            state.describe(path, key, words, notes, "judges what is meant, and values are sent as strings")
    if kinds != ["string"] and "type" in out:
        reason = "values are sent as strings, which decoding undoes"
        state.note(path, "type", "rewritten", "kept elsewhere", reason)
    if "default" in out and out["default"] is not None:
        matches = [string for string, value in sent.items() if equal(value, out["default"])]
        if matches:
            out["default"] = matches[0]
            state.note(path, "default", "rewritten", "kept elsewhere", "stands there as it is sent")
    return mark(state, out, encoding="texts", texts=sent)


def _described_enum(state: State, out: Node, values: list[Any], path: Path, notes: list[str]) -> Node:
    """An enum that is described, with its type: next to strings, values encoded as strings are ambiguous."""
    rest = [value for value in values if value is not None]
    kinds = distinct_types([kind_of(value) for value in rest])
    if not values:
        out.pop("type", None)
    elif len(rest) < len(values):
        out["type"] = [*kinds, "null"] if kinds else "null"
    else:
        out["type"] = kinds if len(kinds) != 1 else kinds[0]
    del out["enum"]
    state.describe(path, "enum", phrase("enum", values), notes, "these values cannot be listed here")
    return out
