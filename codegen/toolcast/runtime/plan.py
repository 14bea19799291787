"""What a decoder's type tells beforehand: which keys every text must have, and how deep it may go."""

from typing import Any

import msgspec

from .checked import Marker, decode_hook, targets
from .given import counting
from .quick import Decode, bound, compiled

MAX_TEXT = 4 * 1024 * 1024
"""Longest JSON text of arguments, in bytes or characters: about a million tokens, more than any model
writes in one answer. What is longer is refused unread."""

SHORT = 400
"""Text of this length cannot nest deeper than values may: a level takes two characters."""


class Plan:
    """How to decode one type quickly.

    `decode` is the decoder's method; `keys` the number of properties that no accepted text can lack;
    `short` the length up to which a text needs no look at its depth; `faithful` whether writing a value
    of the type brings only keys and strings that were read; `counting` is what `given` makes of the type;
    `code` that of the quick way; `marked` whether converting plain data needs the hook of markers.
    """

    __slots__ = ("code", "counting", "decode", "faithful", "keys", "marked", "short")

    def __init__(self, shape: Any, result: str = "value") -> None:
        """`result` as in `quick.compiled`. Raises what msgspec raises for types that it cannot decode."""
        self.decode = msgspec.json.Decoder(shape, dec_hook=decode_hook).decode
        traits = _Traits()
        info = msgspec.inspect.type_info(shape)
        traits.walk(info)
        self.keys = _required(info)
        self.counting = counting(info)
        self.faithful = traits.faithful
        self.marked = traits.marked
        self.short = SHORT if traits.deep else MAX_TEXT
        self.code = compiled(self.keys, self.short, self.counting, self.faithful, result)

    def bound(self, **names: Any) -> Decode:
        """The quick way, with what it calls beside `decode`; `quick.bound` has the names."""
        constants = {} if self.counting is None else self.counting.constants
        return bound(self.code, constants, read=self.decode, **names)


def _required(info: msgspec.inspect.Type) -> int:
    if isinstance(info, msgspec.inspect.StructType) and not info.array_like:
        return sum(field.required for field in info.fields)
    return 0


_LEAVES = (
    msgspec.inspect.NoneType,
    msgspec.inspect.BoolType,
    msgspec.inspect.IntType,
    msgspec.inspect.FloatType,
    msgspec.inspect.StrType,
    msgspec.inspect.LiteralType,
    msgspec.inspect.UUIDType,
    msgspec.inspect.DecimalType,
    msgspec.inspect.DateType,
)
_ARRAYS = (
    msgspec.inspect.ListType,
    msgspec.inspect.VarTupleType,
    msgspec.inspect.SetType,
    msgspec.inspect.FrozenSetType,
)


class _Traits:
    """`faithful`, `deep` and `marked` of a type and of all that it is made of."""

    def __init__(self) -> None:
        self.faithful = True
        self.deep = False
        self.marked = False
        self._seen: dict[Any, bool] = {}  # Structs and markers; False while they are being walked

    def walk(self, info: msgspec.inspect.Type, tagged: bool = False) -> None:
        """Look at `info`; `tagged` where a union makes the tag of a Struct a property that must be there."""
        inspect = msgspec.inspect
        if isinstance(info, inspect.Metadata):
            self.walk(info.type, tagged)
        elif isinstance(info, inspect.UnionType):
            structs = sum(isinstance(part, inspect.StructType) for part in info.types)
            for part in info.types:
                self.walk(part, tagged=structs > 1)
        elif isinstance(info, _ARRAYS):
            self.walk(info.item_type)
        elif isinstance(info, inspect.TupleType):
            for part in info.item_types:
                self.walk(part)
        elif isinstance(info, inspect.DictType):
            self.faithful &= isinstance(_bare(info.key_type), (inspect.StrType, inspect.LiteralType))
            self.walk(info.value_type)
        elif isinstance(info, inspect.StructType):
            # A Struct used alone is written with its tag whether or not the text had it.
            self.faithful &= tagged or info.tag is None
            self._enter(info.cls, lambda: self._struct(info))
        elif isinstance(info, inspect.CustomType) and isinstance(marker := info.cls, Marker):
            self.marked = self.deep = True  # msgspec hands it a value of any depth
            self._enter(marker, lambda: self._marker(marker))
        elif isinstance(info, inspect.AnyType):
            self.deep = True
        elif not isinstance(info, _LEAVES):
            self.marked = True  # no type that is generated, but for times and the like
            self.faithful = False  # a text may come out in another form: times gain colons

    def _enter(self, key: Any, walk: Any) -> None:
        done = self._seen.get(key)
        if done is None:
            self._seen[key] = False
            walk()
            self._seen[key] = True
        elif not done:
            self.deep = True  # it is inside of itself

    def _struct(self, info: msgspec.inspect.StructType) -> None:
        self.faithful &= not info.array_like and not hasattr(info.cls, "__toolcast_extra__")
        omits = bool(info.cls.__struct_config__.omit_defaults)
        for field in info.fields:
            # msgspec leaves out defaults that are the very object, and empty ones of these three types.
            omitted = omits and field.default_factory in (msgspec.NODEFAULT, list, dict, set)
            self.faithful &= field.required or omitted
            self.walk(field.type)

    def _marker(self, marker: Marker) -> None:
        inner = targets(marker)
        if inner is None:
            self.faithful = False
            return
        for target in inner:
            self.walk(msgspec.inspect.type_info(target))


def _bare(info: msgspec.inspect.Type) -> msgspec.inspect.Type:
    return _bare(info.type) if isinstance(info, msgspec.inspect.Metadata) else info
