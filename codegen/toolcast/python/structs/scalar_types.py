"""The types of scalar nodes: native constraints of msgspec, and checks for the others."""

import math
from typing import Any

from ...contract.tree import Array, Enum, Map, Number, String
from ...jsonschema import translate
from .module_model import Expression
from .source_literals import literal, text

MAX_FLOAT = 2**1023
"""Integers up to here have a float near them."""

INT64 = 2**63
"""msgspec keeps integer bounds and literals in 64 bits with a sign."""


def string_type(node: String) -> Expression:
    """`str`, with lengths and pattern in a Meta; a format is checked.

    Another Python type is decoded by a hook, after the text is checked.
    """
    if node.python is not None:
        return Expression(text=node.python, kinds=frozenset({"python"}), exact=False)
    check = f"check_format({{label}}, {{value}}, {text(node.format)})" if node.format else ""
    meta = string_meta(node)
    return Expression(
        text=annotated("str", meta),
        kinds=frozenset({"str"}),
        exact=not node.residue,
        checks=(check,) if check else (),
        bare="str",
        details=details(meta),
    )


def string_meta(node: String) -> list[str]:
    """Meta arguments of a string. msgspec counts code points, as JSON Schema does."""
    parts = _sizes(node.min_length, node.max_length)
    if node.pattern is not None:
        parts.append(f"pattern={text(translate(node.pattern))}")
    return parts


def number_type(node: Number) -> Expression:
    """`int`, or `int | float`: a float alone would round integers past 2**53."""
    checks: list[str] = []
    whole = _bounds(node, whole=True, checks=checks)
    real = [] if node.integer else _bounds(node, whole=False, checks=checks)
    if node.multiple_of is not None and (node.multiple_of != 1 or not node.integer):
        checks.append(f"check_multiple_of({{label}}, {{value}}, {literal(node.multiple_of)})")
    if node.integer:
        return Expression(
            text=annotated("int", whole),
            kinds=frozenset({"int"}),
            exact=not node.residue,
            checks=tuple(dict.fromkeys(checks)),
            bare="int",
            details=details(whole),
        )
    return Expression(
        text=f"{annotated('int', whole)} | {annotated('float', real)}",
        kinds=frozenset({"int", "float"}),
        exact=not node.residue,
        checks=tuple(dict.fromkeys(checks)),
        bare="int | float",
        details=details(whole + real),
    )


def _bounds(node: Number, *, whole: bool, checks: list[str]) -> list[str]:
    """Meta arguments for the bounds. For integers a fractional bound moves to the next whole number."""
    parts: list[str] = []
    for name, word, bound, up in (
        ("ge", "minimum", node.minimum, True),
        ("gt", "exclusive_minimum", node.exclusive_minimum, True),
        ("le", "maximum", node.maximum, False),
        ("lt", "exclusive_maximum", node.exclusive_maximum, False),
    ):
        if bound is None:
            continue
        keyword, limit = name, bound
        if whole:
            if isinstance(bound, float) and not bound.is_integer():
                keyword = "ge" if up else "le"
                limit = math.ceil(bound) if up else math.floor(bound)
            limit = int(limit)
            fits = -INT64 + 1 < limit < INT64 - 1  # msgspec turns `gt` into `ge`, one step on
        else:
            fits = abs(limit) <= MAX_FLOAT and float(limit) == limit
            limit = float(limit) if fits else limit
        if fits:
            parts.append(f"{keyword}={literal(limit)}")
        else:
            checks.append(f"check_bounds({{label}}, {{value}}, {word}={literal(bound)})")
    return _strictest(parts)


def _strictest(parts: list[str]) -> list[str]:
    """Keep the tighter bound of each side: msgspec allows `ge` or `gt`, not both."""
    kept: dict[str, tuple[str, float]] = {}
    for part in parts:
        keyword, _, value = part.partition("=")
        side, number = keyword[0], float(value) if "." in value or "e" in value else int(value)
        if side not in kept:
            kept[side] = (keyword, number)
            continue
        old, other = kept[side]
        tighter = number > other if side == "g" else number < other
        if tighter or (number == other and keyword in ("gt", "lt")):
            kept[side] = (keyword, number)
        else:
            kept[side] = (old, other)
    return [f"{keyword}={literal(number)}" for keyword, number in kept.values()]


def enum_type(node: Enum) -> Expression:
    """`Literal[…]` for each kind where Python and msgspec have one, else types and a membership check."""
    kinds = frozenset(_kind(value) for value in node.values)
    check = f"check_member({{label}}, {{value}}, {literal(tuple(node.values))})"
    if kinds <= {"str", "int", "none"} and all(
        not isinstance(v, int) or -INT64 <= v < INT64 for v in node.values
    ):
        parts = [f"Literal[{', '.join(map(literal, part))}]" for part in literal_parts(node.values)]
        return Expression(text=" | ".join(parts + ["None"] * ("none" in kinds)), kinds=kinds)
    if kinds & {"list", "dict"}:
        return Expression(text="Any", kinds=frozenset({"any"}), exact=False)
    names = {"str": "str", "int": "int", "float": "int | float", "bool": "bool", "none": "None"}
    order = [k for k in names if k in kinds and not (k == "int" and "float" in kinds)]
    widened = kinds | ({"int"} if "float" in kinds else set())
    text = " | ".join(names[k] for k in order)
    if {"int", "float"} <= kinds:  # 3.0 becomes 3 where that is listed, which no check can do
        return Expression(text=text, kinds=widened, exact=False)
    return Expression(text=text, kinds=widened, checks=(check,))


def literal_parts(values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """Strings and integers of an enum, apart: `msgspec.inspect`, before 0.22, fails at a Literal of values
    that Python cannot sort."""
    found = [tuple(v for v in values if _kind(v) == kind) for kind in ("str", "int")]
    return [part for part in found if part]


def _kind(value: Any) -> str:
    kinds = {bool: "bool", str: "str", int: "int", float: "float", list: "list", dict: "dict"}
    return "none" if value is None else kinds[type(value)]


def sequence_meta(node: Array) -> list[str]:
    """Meta arguments of an array."""
    return _sizes(node.min_items, node.max_items)


def dictionary_meta(node: Map) -> list[str]:
    """Meta arguments of a map."""
    return _sizes(node.min_size, node.max_size)


def _sizes(least: int, most: int | None) -> list[str]:
    parts = [f"min_length={least}"] if least else []
    return parts + ([] if most is None else [f"max_length={most}"])


def annotated(base: str, meta: list[str]) -> str:
    """`base` with the arguments of a Meta, if there are any."""
    return f"Annotated[{base}, Meta({', '.join(meta)})]" if meta else base


def details(meta: list[str]) -> frozenset[str]:
    """What msgspec keeps for these arguments of a Meta, as `Expression.details`."""
    return frozenset("pattern" if part.startswith("pattern=") else "limits" for part in meta)
