"""How many properties a decoded Struct must have had in its text, counted without writing it anew.

A field that does not hold its default was sent; so was every required one. Where the text has no more colons
than that, each of its keys came once. Nor did any come twice where the colons inside of required strings make
up the difference, if nothing in the text is escaped: what came twice would leave more. `binding` turns to
other ways where both fall short: a default that was spelt out, keys further down.
"""

import keyword
from collections.abc import Callable
from typing import Any

import msgspec

MOST = 5
"""Beyond so many optional fields, writing the value anew takes no longer."""
MOST_UNFAITHFUL = 12
"""The same where the plain data would have to be decoded and written."""

_SCALARS = (
    msgspec.inspect.NoneType,
    msgspec.inspect.BoolType,
    msgspec.inspect.IntType,
    msgspec.inspect.FloatType,
    msgspec.inspect.StrType,
    msgspec.inspect.LiteralType,
)

Count = Callable[[Any], int]


def counters(info: msgspec.inspect.Type, *, faithful: bool) -> tuple[Count, Count] | None:
    """Two functions from values of the type: to the number of properties that they had at least, and to the
    number of colons in their required strings. None for types that always have properties further down, and
    for those without optional fields. `faithful` as in `Plan`."""
    if not isinstance(info, msgspec.inspect.StructType) or info.array_like or info.tag is not None:
        return None
    optional = [field for field in info.fields if not field.required]
    required = [field for field in info.fields if field.required]
    most = MOST if faithful else MOST_UNFAITHFUL
    if not 0 < len(optional) <= most or not all(_is_flat(field.type) for field in required):
        return None
    terms = [str(len(required))]
    defaults: dict[str, Any] = {}
    if any(not field.name.isidentifier() or keyword.iskeyword(field.name) for field in info.fields):
        return None
    for number, field in enumerate(optional):
        if field.default_factory is msgspec.NODEFAULT:
            # msgspec names no default where it is UNSET.
            unset = field.default is msgspec.NODEFAULT
            defaults[f"_{number}"] = msgspec.UNSET if unset else field.default
            terms.append(f"(value.{field.name} is not _{number})")
        elif field.default_factory in (list, dict):
            terms.append(f"(not not value.{field.name})")
        else:
            defaults[f"_{number}"] = field.default_factory()
            terms.append(f"(value.{field.name} != _{number})")
    # One expression: a loop over the fields would take longer than what it saves. All that is filled in
    # are names of attributes and numbers.
    strings = [field.name for field in required if isinstance(_bare(field.type), msgspec.inspect.StrType)]
    inside = [f'value.{name}.count(":")' for name in strings] or ["0"]
    functions: tuple[Count, Count] = eval(
        f"lambda value: {' + '.join(terms)}, lambda value: {' + '.join(inside)}", defaults
    )
    return functions


def _bare(info: msgspec.inspect.Type) -> msgspec.inspect.Type:
    return _bare(info.type) if isinstance(info, msgspec.inspect.Metadata) else info


def _is_flat(info: msgspec.inspect.Type) -> bool:
    """Whether values of the type have no properties of their own."""
    inspect = msgspec.inspect
    info = _bare(info)
    if isinstance(info, inspect.UnionType):
        return all(_is_flat(part) for part in info.types)
    if isinstance(info, (inspect.ListType, inspect.VarTupleType)):
        return _is_flat(info.item_type)
    if isinstance(info, inspect.TupleType):
        return all(_is_flat(part) for part in info.item_types)
    return isinstance(info, _SCALARS)
