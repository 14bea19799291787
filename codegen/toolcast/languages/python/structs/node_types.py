"""Contract nodes as Python types: one rule for each kind of node.

A scalar has the constraints that msgspec has natively, and checks for the others. A union is native where
msgspec chooses exactly as the schema does, else its branches are told apart by their schemas.
"""

import math

from msgspec import structs

from ....contract.tree import (
    Anything,
    Array,
    Boolean,
    Enum,
    Map,
    Node,
    Null,
    Number,
    Object,
    Reference,
    String,
    Tuple,
    Union,
)
from ....jsonschema.ecma import translate
from .builder import ANY, Builder, NameParts
from .classes import object_type
from .module_model import Expression
from .source_literals import deferred, literal, text

_MAX_FLOAT = 2**1023
"""Integers up to here have a float near them."""

_INT64 = 2**63
"""msgspec keeps integer bounds and literals in 64 bits with a sign."""
_PLAIN = {"str", "int", "bool"}


def node_type(builder: Builder, node: Node, file: str, name_parts: NameParts) -> Expression:
    """Return the type of a node; `Builder.type_of` adds the marker where it is not exact."""
    exact = not node.residue
    match node:
        case Reference():
            return builder.reference_type(node)
        case Object():
            return object_type(builder, node, file, name_parts)
        case Union():
            return _union_type(builder, node, file, name_parts)
        case Array():
            return _list_type(builder, node, file, name_parts)
        case Tuple():
            return _tuple_type(builder, node, file, name_parts)
        case Map():
            return _dict_type(builder, node, file, name_parts)
        case String():
            return _string_type(node)
        case Number():
            return _number_type(node)
        case Enum():
            return _enum_type(node)
        case Boolean():
            return Expression(text="bool", kinds=frozenset({"bool"}), exact=exact)
        case Null():
            return Expression(text="None", kinds=frozenset({"none"}), exact=exact)
        case _:  # Anything; and Nothing, whose marker refuses every value
            return structs.replace(ANY, exact=exact and isinstance(node, Anything))


def _list_type(builder: Builder, node: Array, file: str, name_parts: NameParts) -> Expression:
    """Return `list[T]`."""
    items = builder.checked_type_of(node.items, file, *name_parts, "Item")
    checks: tuple[str, ...] = ()
    exact = not node.residue
    if node.unique:
        if items.kinds <= {"str", "int", "float", "bool", "none"}:
            checks = ("check_unique({label}, {value})",)
        else:
            exact = False
    bare, meta = f"list[{items.text}]", _sizes(node.min_items, node.max_items)
    return Expression(
        text=_annotated(bare, meta),
        kinds=frozenset({"list"}),
        exact=exact,
        checks=checks,
        uses=items.uses,
        bare=bare,
        details=details(meta),
    )


def _tuple_type(builder: Builder, node: Tuple, file: str, name_parts: NameParts) -> Expression:
    """Return `tuple[A, B]`."""
    items = [
        builder.checked_type_of(item, file, *name_parts, f"Item{i + 1}") for i, item in enumerate(node.items)
    ]
    return Expression(
        text=f"tuple[{', '.join(item.text for item in items) or '()'}]",
        kinds=frozenset({"list"}),
        exact=not node.residue,
        uses=frozenset[str]().union(*(item.uses for item in items)),
        details=frozenset({"positions"}),
    )


def _dict_type(builder: Builder, node: Map, file: str, name_parts: NameParts) -> Expression:
    """Return `dict[str, T]`."""
    values = builder.checked_type_of(node.values, file, *name_parts, "Value")
    keys = "str" if node.keys is None else _string_type(node.keys).text
    bare, meta = f"dict[{keys}, {values.text}]", _sizes(node.min_size, node.max_size)
    return Expression(
        text=_annotated(bare, meta),
        kinds=frozenset({"dict"}),
        exact=not node.residue,
        uses=values.uses,
        bare=bare,
        details=details(meta),
    )


def _string_type(node: String) -> Expression:
    """Return `str` with a Meta and a check of the format, or another Python type, which a hook decodes."""
    if node.python is not None:
        return Expression(text=node.python, kinds=frozenset({"python"}), exact=False)
    check = f"check_format({{label}}, {{value}}, {text(node.format)})" if node.format else ""
    meta = _string_meta(node)
    return Expression(
        text=_annotated("str", meta),
        kinds=frozenset({"str"}),
        exact=not node.residue,
        checks=(check,) if check else (),
        bare="str",
        details=details(meta),
    )


def _string_meta(node: String) -> list[str]:
    """Return the Meta arguments of a string. msgspec counts code points, as JSON Schema does."""
    parts = _sizes(node.min_length, node.max_length)
    if node.pattern is not None:
        parts.append(f"pattern={text(translate(node.pattern))}")
    return parts


def _number_type(node: Number) -> Expression:
    """Return `int`, or `int | float`: a float alone would round integers past 2**53."""
    checks: list[str] = []
    whole = _bounds(node, whole=True, checks=checks)
    real = [] if node.integer else _bounds(node, whole=False, checks=checks)
    if node.multiple_of is not None and (node.multiple_of != 1 or not node.integer):
        checks.append(f"check_multiple_of({{label}}, {{value}}, {literal(node.multiple_of)})")
    if node.integer:
        return Expression(
            text=_annotated("int", whole),
            kinds=frozenset({"int"}),
            exact=not node.residue,
            checks=tuple(dict.fromkeys(checks)),
            bare="int",
            details=details(whole),
        )
    return Expression(
        text=f"{_annotated('int', whole)} | {_annotated('float', real)}",
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
            fits = -_INT64 + 1 < limit < _INT64 - 1  # msgspec turns `gt` into `ge`, one step on
        else:
            fits = abs(limit) <= _MAX_FLOAT and float(limit) == limit
            limit = float(limit) if fits else limit
        if fits:
            parts.append(f"{keyword}={literal(limit)}")
        else:
            checks.append(f"check_bounds({{label}}, {{value}}, {word}={literal(bound)})")
    return _strictest(parts)


def _strictest(parts: list[str]) -> list[str]:
    """The tighter bound of each side: msgspec allows `ge` or `gt`, not both."""
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


def _enum_type(node: Enum) -> Expression:
    """Return `Literal[…]` for each kind that Python and msgspec have, else types and a membership check."""
    kinds = frozenset(_kind(value) for value in node.values)
    check = f"check_member({{label}}, {{value}}, {literal(tuple(node.values))})"
    if kinds <= {"str", "int", "none"} and all(
        not isinstance(v, int) or -_INT64 <= v < _INT64 for v in node.values
    ):
        parts = [f"Literal[{', '.join(map(literal, part))}]" for part in _literal_parts(node.values)]
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


def _literal_parts(values: tuple[object, ...]) -> list[tuple[object, ...]]:
    """Separate strings and integers of an enum: before 0.22, `msgspec.inspect` cannot sort both."""
    found = [tuple(v for v in values if _kind(v) == kind) for kind in ("str", "int")]
    return [part for part in found if part]


def _kind(value: object) -> str:
    kinds: dict[type, str] = {
        bool: "bool",
        str: "str",
        int: "int",
        float: "float",
        list: "list",
        dict: "dict",
    }
    return "none" if value is None else kinds[type(value)]


def _sizes(least: int, most: int | None) -> list[str]:
    parts = [f"min_length={least}"] if least else []
    return parts + ([] if most is None else [f"max_length={most}"])


def _annotated(base: str, meta: list[str]) -> str:
    """Add the arguments of a Meta to a type, if there are any."""
    return f"Annotated[{base}, Meta({', '.join(meta)})]" if meta else base


def details(meta: list[str]) -> frozenset[str]:
    """Return `Expression.details` for these arguments of a Meta."""
    return frozenset("pattern" if part.startswith("pattern=") else "limits" for part in meta)


def _union_type(builder: Builder, node: Union, file: str, name_parts: NameParts) -> Expression:
    """Return the type of a union, its null branches last."""
    nulls = [b for b in node.branches if isinstance(b, Null) and not b.residue]
    others = [b for b in node.branches if b not in nulls]
    if node.mode == "any" and any(isinstance(b, Anything) and not b.residue for b in others):
        builder.plain_unions.add(node.pointer)
        return ANY if not node.residue else Expression(text="Any", kinds=ANY.kinds, exact=False)
    if len(others) == 1 and len(nulls) == 1:
        return _nullable(builder, node, others[0], file, name_parts)
    if node.pointer in builder.tagged:
        branches = [builder.type_of(b, file, *name_parts, _branch_name(b, i)) for i, b in enumerate(others)]
        return _tagged(branches, nullable=bool(nulls), exact=not node.residue)
    named = [(b, (*name_parts, _branch_name(b, i))) for i, b in enumerate(node.branches)]
    if node.mode == "types":
        return _by_type(builder, node, named, file)
    branches = [builder.checked_type_of(b, file, *name) for b, name in named]
    native = (
        not node.residue
        and _distinguishable(branches, exclusive=node.mode == "one")
        and not _corrupts_memory(branches)
    )
    keyword = "anyOf" if node.mode == "any" else "oneOf"
    branch_sources = ", ".join(f'("/{keyword}/{i}", {deferred(b.text, 12)})' for i, b in enumerate(branches))
    return Expression(
        text=_joined(branches),
        kinds=frozenset[str]().union(*(b.kinds for b in branches)),
        exact=native,
        marker="" if native else f"one_of({builder.node_arguments(file, node.pointer)}, {branch_sources})",
        uses=frozenset[str]().union(*(b.uses for b in branches)),
        details=_details(branches),
    )


def _corrupts_memory(branches: list[Expression]) -> bool:
    """Tell whether msgspec, up to 0.22, would read and free memory that is not its own: in a union of a
    string that has a pattern with an array or a map, and of a tuple of fixed length with anything that has
    constraints (docs/reference/limits.md). Such a union never reaches it; each branch alone does.
    """
    details = _details(branches)
    if "positions" in details and details & {"pattern", "limits"}:
        return True
    return "pattern" in details and any(b.kinds & {"list", "dict"} for b in branches)


def _details(branches: list[Expression]) -> frozenset[str]:
    return frozenset[str]().union(*(b.details for b in branches))


def _without_constraints(branch: Expression) -> Expression:
    return structs.replace(branch, text=branch.bare or branch.text, details=branch.details & {"positions"})


def _nullable(builder: Builder, node: Union, other: Node, file: str, name_parts: NameParts) -> Expression:
    """`T | None`: checks of T stay checks, since a marker and a check both let None pass."""
    inner = builder.type_of(other, file, *name_parts)
    if not inner.exact:
        inner = builder.checked_type(inner, other, file, *name_parts)
    text = inner.text if "none" in inner.kinds or inner.text == "Any" else f"{inner.text} | None"
    return Expression(
        text=text,
        kinds=inner.kinds | {"none"},
        exact=not node.residue,
        checks=inner.checks,
        uses=inner.uses,
        details=inner.details,
    )


def _tagged(branches: list[Expression], *, nullable: bool, exact: bool) -> Expression:
    texts = [b.text for b in branches] + (["None"] if nullable else [])
    kinds = frozenset[str]().union(*(b.kinds for b in branches))
    return Expression(
        text=" | ".join(texts),
        kinds=kinds | ({"none"} if nullable else set()),
        exact=exact,
        uses=frozenset[str]().union(*(b.uses for b in branches)),
    )


def _by_type(builder: Builder, node: Union, named: list[tuple[Node, NameParts]], file: str) -> Expression:
    """A `type` list: the kinds never overlap, so one check of the node covers every branch."""
    branches = [builder.type_of(b, file, *name) for b, name in named]
    corrupts = _corrupts_memory(branches)
    if corrupts:
        branches = [_without_constraints(b) for b in branches]
    if any(not b.exact for b in branches):
        branches = [builder.checked_type(e, b, file, *n) for e, (b, n) in zip(branches, named, strict=True)]
        if any("custom" in b.kinds for b in branches):
            builder.plain_unions.add(node.pointer)
            return Expression(text="Any", kinds=frozenset({"any"}), exact=False)
    return Expression(
        text=_joined(branches),
        kinds=frozenset[str]().union(*(b.kinds for b in branches)),
        exact=not node.residue and not corrupts and all(b.native for b in branches),
        uses=frozenset[str]().union(*(b.uses for b in branches)),
        details=_details(branches),
    )


def _distinguishable(branches: list[Expression], *, exclusive: bool) -> bool:
    """Tell whether msgspec's choice among the branches is the schema's."""
    visited: dict[str, str] = {}
    for branch in branches:
        if branch.kinds & {"custom", "any"}:
            return False
        for kind in sorted(branch.kinds):
            group = "dict" if kind.startswith("struct:") else kind
            if group in visited:
                literals = {visited[group].startswith("Literal"), branch.text.startswith("Literal")}
                covered = (
                    group in _PLAIN and _PLAIN & {visited[group], branch.text} and literals == {True, False}
                )
                if exclusive or not covered:
                    return False
            visited[group] = branch.text
    return True


def _joined(branches: list[Expression]) -> str:
    texts = list(dict.fromkeys(b.text for b in branches))
    if "Any" in texts:
        return "Any"
    return " | ".join([t for t in texts if t != "None"] + [t for t in texts if t == "None"])


def _branch_name(branch: Node, index: int) -> str:
    """A name for the definitions of a branch: its tag's value where it has one."""
    if isinstance(branch, Object):
        for field in branch.fields:
            if field.required and isinstance(field.node, Enum) and len(field.node.values) == 1:
                return str(field.node.values[0])
    return branch.name if isinstance(branch, Reference) else f"Option{index + 1}"
