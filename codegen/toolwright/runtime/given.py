"""How many properties a decoded Struct must have had in its text, counted without writing it anew.

A field that does not hold its default was sent; so was every required one, here and in the Structs that are
always there, once for each item of a list. A map has as many as it holds. Where the text has no more colons
than that, each of its keys came once. Nor did any come twice where the colons inside of required strings make
up the difference, if nothing in the text is escaped: what came twice would leave more. `binding` turns to
other ways where both fall short: a default that was spelt out, colons in other strings.
"""

import keyword
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

MOST = 5
"""Beyond so many terms, writing the value anew takes no longer."""
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
_LISTS = (msgspec.inspect.ListType, msgspec.inspect.VarTupleType)

Count = Callable[[Any], int]


def counters(info: msgspec.inspect.Type, *, faithful: bool) -> tuple[Count, Count] | None:
    """Two functions from values of the type: to the number of properties that they had at least, and to the
    number of colons in their required strings. None for types with properties further down that cannot be
    counted, and for those that only ever have the required ones. `faithful` as in `Plan`."""
    if not isinstance(info, msgspec.inspect.StructType) or info.tag is not None:
        return None
    terms = _Terms()
    if not terms.struct(info, "value", optional=True):
        return None
    if len(terms.terms) > (MOST if faithful else MOST_UNFAITHFUL):
        return None
    if not terms.terms and terms.fixed == sum(field.required for field in info.fields):
        return None
    inside = [f'{string}.count(":")' for string in terms.strings] or ["0"]
    # One expression: a loop over the fields would take longer than what it saves. All that is filled in
    # are names of attributes and numbers.
    functions: tuple[Count, Count] = eval(
        f"lambda value: {' + '.join([str(terms.fixed), *terms.terms])}, lambda value: {' + '.join(inside)}",
        terms.defaults,
    )
    return functions


class _Terms:
    """What is to be added up: `fixed` properties, and `terms` in Python; `strings` are the required ones."""

    def __init__(self) -> None:
        self.fixed = 0
        self.terms: list[str] = []
        self.strings: list[str] = []
        self.defaults: dict[str, Any] = {}

    def struct(self, info: msgspec.inspect.StructType, place: str, *, optional: bool) -> bool:
        """Count the properties of the Struct at `place`. False where that cannot be done; `optional` says
        whether its optional fields can be."""
        if any(not field.name.isidentifier() or keyword.iskeyword(field.name) for field in info.fields):
            return False
        if _is_odd(info):
            return False
        for field in info.fields:
            if field.required:
                self.fixed += 1
                if not self._value(field.type, f"{place}.{field.name}"):
                    return False
            elif not optional:
                return False
            else:
                self._optional(field, f"{place}.{field.name}")
        return True

    def _optional(self, field: msgspec.inspect.Field, place: str) -> None:
        if field.default_factory is msgspec.NODEFAULT:
            # msgspec names no default where it is UNSET.
            unset = field.default is msgspec.NODEFAULT
            default = self._constant(msgspec.UNSET if unset else field.default)
            self.terms.append(f"({place} is not {default})")
        elif field.default_factory in (list, dict):
            self.terms.append(f"(not not {place})")
        else:
            self.terms.append(f"({place} != {self._constant(field.default_factory())})")

    def _constant(self, value: Any) -> str:
        name = f"_{len(self.defaults)}"
        self.defaults[name] = value
        return name

    def _value(self, info: msgspec.inspect.Type, place: str) -> bool:
        """Count what stands in a required value."""
        info = _bare(info)
        if isinstance(info, msgspec.inspect.StrType):
            self.strings.append(place)
            return True
        if isinstance(info, msgspec.inspect.StructType):
            return self.struct(info, place, optional=False)
        if isinstance(info, msgspec.inspect.DictType):
            if not isinstance(_bare(info.key_type), msgspec.inspect.StrType):
                return False
            item = constant(info.value_type)
            if item is None:
                return False
            self.terms.append(f"{1 + item} * len({place})")
            return True
        if isinstance(info, _LISTS):
            item = constant(info.item_type)
            if item:
                self.terms.append(f"{item} * len({place})")
            return item is not None
        fixed = constant(info)
        self.fixed += fixed or 0
        return fixed is not None


def constant(
    info: msgspec.inspect.Type, *, tagged: bool = False, above: frozenset[type] = frozenset()
) -> int | None:
    """How many properties every value of the type has; None where that differs, or is not known. `tagged`
    where a union makes the tag of a Struct a property that must be there; `above` are the Structs around."""
    inspect = msgspec.inspect
    info = _bare(info)
    if isinstance(info, inspect.UnionType):
        structs = sum(isinstance(part, inspect.StructType) for part in info.types)
        counts = {constant(part, tagged=structs > 1, above=above) for part in info.types}
        return counts.pop() if len(counts) == 1 else None
    if isinstance(info, inspect.StructType):
        if _is_odd(info) or info.cls in above or not all(field.required for field in info.fields):
            return None
        own = len(info.fields) + (tagged and info.tag is not None)
        inner = _sum(constant(field.type, above=above | {info.cls}) for field in info.fields)
        return None if inner is None else own + inner
    if isinstance(info, _LISTS):
        return 0 if constant(info.item_type, above=above) == 0 else None
    if isinstance(info, inspect.TupleType):
        return _sum(constant(part, above=above) for part in info.item_types)
    return 0 if isinstance(info, _SCALARS) else None


def _sum(counts: Iterable[int | None]) -> int | None:
    total = 0
    for count in counts:
        if count is None:
            return None
        total += count
    return total


def _is_odd(info: msgspec.inspect.StructType) -> bool:
    """Whether its fields are not its properties."""
    return info.array_like or hasattr(info.cls, "__toolwright_extra__")


def _bare(info: msgspec.inspect.Type) -> msgspec.inspect.Type:
    return _bare(info.type) if isinstance(info, msgspec.inspect.Metadata) else info
