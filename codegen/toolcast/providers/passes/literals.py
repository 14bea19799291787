"""Expresses `const` and `enum` as the dialect has them.

Axes: `enums`, `const`, `max-enum`.

    {"enum": [1, 2]}
    {"type": "string", "enum": ["1", "2"]}

    {"const": "a"}
    {"enum": ["a"]}

Where only strings can be listed, other values are sent as strings. A list that is too long, or whose values
cannot be listed, is stated in the description.

Ledger: `const`, `enum` and `type` rewritten, kept elsewhere; `enum` described or dropped.
Sent and decoded: the string of a value is decoded to the value (`texts` of the wire form).
Source: the notes on `enum` of each profile.
"""

from __future__ import annotations

from ...jsonschema.json_types import MOVED, distinct_types, types_stated
from ...jsonschema.json_values import equal, has_type, type_of
from ...jsonschema.keywords import TYPE_OF
from ...jsonschema.schema_node import SchemaNode, to_json
from ..ledger import CHECKED, NO_VALUE, Ledger, child
from ..node import Keywords, Node, Pass
from ..profiles.dialect import Dialect
from ..values_as_text import texts

_CONTAINING = frozenset(keyword for keyword, kind in TYPE_OF.items() if kind in ("array", "object"))
_STRING_KEYWORDS = MOVED - {"type", "enum", "const"}
_ONE_VALUE = "is replaced by an `enum` of one value, which means the same"
_AS_STRINGS = "lists strings, because the provider allows no other values here; decoding restores the values"


def _listed_literals(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Express the constant and the enum of a node."""
    keywords, path = node.keywords, node.path
    if "enum" not in keywords and "const" not in keywords:
        return node
    out = dict(keywords)
    if "const" in out and dialect.const == "enum":
        value = out.pop("const")
        ledger.note(path, "const", "rewritten", "kept elsewhere", _ONE_VALUE)
        old = out.get("enum")
        out["enum"] = [value] if old is None or any(equal(value, item) for item in old) else []
    encodes = dialect.maps == "pairs" or dialect.tuples == "object"
    contains = encodes and ("type" in out or not _CONTAINING.isdisjoint(out))
    nested = "const" in out and isinstance(out["const"], dict | list)
    if nested and (contains or dialect.enums == "fitting"):
        out["enum"] = [out.pop("const")]
        ledger.note(path, "const", "rewritten", "kept elsewhere", _ONE_VALUE)
    if dialect.enums == "fitting" and "const" in out:
        if "type" in out and not has_type(out["const"], types_stated(out)):
            ledger.block(path, "const", "refuses a constant that `type` excludes")
        elif "enum" in out and not any(equal(out["const"], value) for value in out["enum"]):
            ledger.block(path, "const", "refuses a constant that `enum` excludes")
    if "enum" not in out:
        return _changed(node, out)
    values = out["enum"]
    if "type" in out:
        kinds = types_stated(out)
        fitting = [value for value in values if has_type(value, kinds)]
        if len(fitting) < len(values) and fitting:
            reason = "is sent without the values that `type` excludes"
            ledger.note(path, "enum", "rewritten", "kept elsewhere", reason)
            out["enum"] = values = fitting
        elif not fitting:
            reason = "is left out, because `type` excludes all of its values" + CHECKED
            ledger.note(path, "enum", "dropped", "lost", reason)
            del out["enum"]
            ledger.block(path, "enum", "refuses an `enum` of which `type` excludes all values")
            return node.having(out)
    if not values and dialect.booleans == "rewrite":
        ledger.note(path, "enum", "widened", "changed", NO_VALUE)
        ledger.block(path, "enum", "cannot express a schema that accepts no value")
        del out["enum"]
        return node.having(out)
    if dialect.max_enum is not None and len(values) > dialect.max_enum:
        if "type" not in out:
            kinds = distinct_types([type_of(value) for value in values])
            out["type"] = kinds if len(kinds) > 1 else kinds[0]
        return _described(node, out, f"the provider allows at most {dialect.max_enum} values", ledger)
    nested = any(isinstance(value, dict | list) for value in values)
    if path is None and dialect.enums != "any":
        return _described(node, out, "the provider requires a plain object at the root", ledger)
    if nested and contains and dialect.enums == "any":
        return _described(node, out, "its values may be sent in another form", ledger)
    if dialect.enums == "any" or (values and not nested and dialect.enums == "fitting"):
        return _changed(node, out)
    if values and dialect.enums == "alike" and _alike(values):
        return _changed(node, out)
    by_type = _null_by_type(dialect)
    strings = all((value is None and by_type) or (isinstance(value, str) and value) for value in values)
    if (not strings and node.taken("string")) or not values:
        if dialect.enums == "fitting":
            ledger.block(path, "enum", "allows only scalars in `enum`")
            return node.having(out)
        # Next to strings, values encoded as strings are ambiguous.
        return _described(node, _typed_by(values, out), "the provider cannot list these values", ledger)
    return _strings(node, out, values, dialect, ledger)


def _needed(dialect: Dialect) -> bool:
    return (
        dialect.enums != "any"
        or dialect.const == "enum"
        or dialect.max_enum is not None
        or dialect.booleans == "rewrite"
        or dialect.maps == "pairs"
        or dialect.tuples == "object"
    )


PASS = Pass(name="literals", apply=_listed_literals, needed=_needed, keywords=frozenset(("enum", "const")))


def _changed(node: Node, keywords: Keywords) -> Node:
    return node if keywords == node.keywords else node.having(keywords)


def _alike(values: list[object]) -> bool:
    classes = {value.__class__ for value in values}
    return len(classes) == 1 and classes <= {str, int, float}


def _described(node: Node, out: Keywords, cause: str, ledger: Ledger) -> Node:
    """An enum that is stated in the description. `cause`: why, as a clause."""
    sentences = ledger.described(node.path, "enum", out["enum"], cause)
    return node.noting({key: value for key, value in out.items() if key != "enum"}, sentences)


def _typed_by(values: list[object], out: Keywords) -> Keywords:
    """An enum with the type of its values."""
    rest = [value for value in values if value is not None]
    kinds = distinct_types([type_of(value) for value in rest])
    if not values:
        return {key: value for key, value in out.items() if key != "type"}
    if len(rest) < len(values):
        return {**out, "type": [*kinds, "null"] if kinds else "null"}
    return {**out, "type": kinds if len(kinds) != 1 else kinds[0]}


def _null_by_type(dialect: Dialect) -> bool:
    """Tell whether null can stand beside an enum of strings: not in a list of types."""
    return dialect.type_arrays == "nullable" or dialect.any_of != "none"


def _strings(node: Node, out: Keywords, values: list[object], dialect: Dialect, ledger: Ledger) -> Node:
    """An enum whose values are encoded as strings; null stays null by the type, where it can."""
    path = node.path
    rest = [value for value in values if value is not None]
    kinds = distinct_types([type_of(value) for value in rest])
    null = len(rest) < len(values)
    if not rest or (
        kinds == ["boolean"] and {True, False} <= {value for value in rest if value in (True, False)}
    ):
        reason = "is replaced by `type`, because it lists every value of its types"
        ledger.note(path, "enum", "rewritten", "kept elsewhere", reason)
        del out["enum"]
        out["type"] = [*kinds, "null"] if kinds and null else kinds[0] if kinds else "null"
        return node.having(out)
    if null and not _null_by_type(dialect):
        rest, kinds, null = values, [*kinds, "null"], False
    sent = texts(rest)
    out["type"] = ["string", "null"] if null else "string"
    if list(sent) != values:
        became = (
            ("leaves null to `type`", null),
            ("lists each value once", len(sent) < len(rest)),
            (_AS_STRINGS, any(text != value for text, value in sent.items())),
        )
        parts = [text for text, so in became if so]
        reason = " and ".join((", ".join(parts[:-1]), parts[-1]) if len(parts) > 1 else parts)
        ledger.note(path, "enum", "rewritten", "kept elsewhere", reason)
    out["enum"] = list(sent)
    inner = out
    if null and dialect.type_arrays != "nullable":
        # An enum without null refuses null, whatever the type allows.
        moved = [key for key in out if key in _STRING_KEYWORDS or key == "enum"]
        inner = {"type": "string", **{key: out.pop(key) for key in moved}}
        del out["type"]
        out["anyOf"] = [SchemaNode(inner, path), SchemaNode({"type": "null"}, child(path, "anyOf", 1))]
    if all(isinstance(value, str) and sent_value == value for sent_value, value in sent.items()):
        return _changed(node, out)
    notes: tuple[str, ...] = ()
    for held in (out, inner) if inner is not out else (out,):
        for key in [key for key in held if key in _STRING_KEYWORDS]:
            notes += ledger.described(path, key, to_json(held.pop(key)), "the values are sent as strings")
    if kinds != ["string"] and "type" in out:
        reason = (
            "is replaced by `string`, because the values of `enum` are sent as strings; decoding "
            "restores the values"
        )
        ledger.note(path, "type", "rewritten", "kept elsewhere", reason)
    if "default" in out:
        matches = [string for string, value in sent.items() if equal(value, out["default"])]
        if matches:
            out["default"] = matches[0]
            reason = "is replaced by the string as which the value is sent; decoding restores the value"
            ledger.note(path, "default", "rewritten", "kept elsewhere", reason)
    return node.noting(out, notes).sent_as(encoding="texts", texts=sent)
