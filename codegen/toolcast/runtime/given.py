"""How many properties a decoded value must have had in its text, counted without writing it anew.

A field that does not hold its default was sent; so was every required one of a Struct that is there, once
for each item of a list. A map has as many as it holds. Where the text has no more colons than that, each of
its keys came once. Nor did any come twice where the colons inside of strings make up the difference, if
nothing in the text is escaped: what came twice would leave more. `quick` turns to other ways where both fall
short: a default that was spelt out, colons in strings further down.
"""

import keyword
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

MOST = 80
"""Lines of Python. Beyond, writing the value anew takes no longer."""
DEEPEST = 6
"""Lists in lists, and Structs in Structs."""

_Inspect = msgspec.inspect
_SCALARS = (
    _Inspect.NoneType,
    _Inspect.BoolType,
    _Inspect.IntType,
    _Inspect.FloatType,
    _Inspect.StrType,
    _Inspect.LiteralType,
)
_LISTS = (_Inspect.ListType, _Inspect.VarTupleType)

Count = Callable[[Any], int]


class Counting(NamedTuple):
    """Python that counts what `value` had: `fixed` properties, and what `lines` add to `count`.

    `inside` is an expression for the colons in strings of its own that a text must have had. `constants` are
    the names that both use. All that is filled in are names of attributes, and numbers.
    """

    fixed: int
    lines: tuple[str, ...]
    inside: str
    constants: dict[str, Any]

    def functions(self) -> tuple[Count, Count]:
        """Both as functions of the value."""
        body = [f"count = {self.fixed}", *self.lines, "return count"]
        namespace = dict(self.constants)
        exec("def least(value):\n" + "\n".join(f"    {line}" for line in body), namespace)
        return namespace["least"], eval(f"lambda value: {self.inside or '0'}", namespace)


def counting(info: _Inspect.Type) -> Counting | None:
    """How to count in values of the type; None where what varies further down cannot be counted, and for
    types whose values only ever have the required properties."""
    if not isinstance(info, _Inspect.StructType) or info.tag is not None:
        return None
    writer = _Writer()
    written = writer.struct(info, "value", ())
    if written is None or len(written.lines) > MOST:
        return None
    if not written.lines and written.fixed == sum(field.required for field in info.fields):
        return None
    return Counting(written.fixed, tuple(written.lines), " + ".join(writer.strings), writer.constants)


class _Part(NamedTuple):
    """What a value that is there has at least: so many, and what the lines add."""

    fixed: int
    lines: list[str]

    def body(self, own: int = 0) -> list[str]:
        """The lines of a block that adds all of it, and `own`."""
        fixed = self.fixed + own
        return [f"    {line}" for line in ([f"count += {fixed}"] if fixed else []) + self.lines]


class _Writer:
    """The text of one count. Each method gives None for what cannot be counted."""

    def __init__(self) -> None:
        self.constants: dict[str, Any] = {}
        self.strings: list[str] = []

    def _constant(self, value: Any) -> str:
        name = f"_{len(self.constants)}"
        self.constants[name] = value
        return name

    def struct(
        self, info: _Inspect.StructType, place: str, above: tuple[Any, ...], tagged: bool = False
    ) -> _Part | None:
        """A Struct at `place`; `tagged` where its tag must be there, `above` what it stands in."""
        if _is_odd(info) or info.cls in above or len(above) >= DEEPEST:
            return None
        fixed, lines = int(tagged and info.tag is not None), []
        for field in info.fields:
            if not field.name.isidentifier() or keyword.iskeyword(field.name):
                return None
            at = f"{place}.{field.name}"
            # Anything but None was sent, where None is the default.
            inner = self.value(field.type, at, (*above, info.cls), sure=field.default is None)
            if inner is None:
                return None
            if field.required:
                fixed += 1 + inner.fixed
                lines += inner.lines
            else:
                lines += [f"if {self._was_sent(field, at)}:", *inner.body(1)]
            if place == "value" or not above:
                self._string(field, at)
        return _Part(fixed, lines)

    def _was_sent(self, field: _Inspect.Field, place: str) -> str:
        if field.default_factory is msgspec.NODEFAULT:
            if field.default is None:
                return f"{place} is not None"
            # msgspec names no default where it is UNSET.
            unset = field.default is msgspec.NODEFAULT
            return f"{place} is not {self._constant(msgspec.UNSET if unset else field.default)}"
        if field.default_factory in (list, dict):
            return place
        return f"{place} != {self._constant(field.default_factory())}"

    def _string(self, field: _Inspect.Field, place: str) -> None:
        """Note a field whose colons were in the text, if it is a string."""
        info = _bare(field.type)
        if isinstance(info, _Inspect.StrType) and field.required:
            self.strings.append(f'({place}.count(":") if ":" in {place} else 0)')
            return
        parts = [_bare(part) for part in info.types] if isinstance(info, _Inspect.UnionType) else [info]
        kinds = (_Inspect.StrType, _Inspect.NoneType)
        if (
            field.default_factory is msgspec.NODEFAULT
            and all(isinstance(part, kinds) for part in parts)
            and any(isinstance(part, _Inspect.StrType) for part in parts)
            and not (isinstance(field.default, str) and ":" in field.default)
        ):
            self.strings.append(f'({place}.count(":") if {place} and ":" in {place} else 0)')

    def value(
        self, info: _Inspect.Type, place: str, above: tuple[Any, ...], *, sure: bool = False
    ) -> _Part | None:
        """What stands in the value at `place`; `sure` where that is not None."""
        info = _bare(info)
        if isinstance(info, _SCALARS):
            return _Part(0, [])
        if isinstance(info, _Inspect.StructType):
            return self.struct(info, place, above)
        if len(above) >= DEEPEST:
            return None
        if isinstance(info, _Inspect.UnionType):
            return self._union(info, place, above, sure)
        if isinstance(info, _Inspect.DictType):
            return self._map(info, place, above)
        if isinstance(info, _LISTS):
            item = f"item{len(above)}"
            inner = self.value(info.item_type, item, (*above, None))
            if inner is None:
                return None
            if inner.lines:
                return _Part(0, [f"for {item} in {place}:", *inner.body()])
            return _Part(0, _times(inner.fixed, place))
        if isinstance(info, _Inspect.TupleType):
            fixed, lines = 0, []
            for index, part in enumerate(info.item_types):
                inner = self.value(part, f"{place}[{index}]", (*above, None))
                if inner is None:
                    return None
                fixed += inner.fixed
                lines += inner.lines
            return _Part(fixed, lines)
        return None

    def _map(self, info: _Inspect.DictType, place: str, above: tuple[Any, ...]) -> _Part | None:
        item = f"item{len(above)}"
        inner = self.value(info.value_type, item, (*above, None))
        if inner is None or not isinstance(_bare(info.key_type), _Inspect.StrType):
            return None
        if inner.lines:
            return _Part(0, [f"for {item} in {place}.values():", *inner.body(1)])
        return _Part(0, _times(1 + inner.fixed, place))

    def _union(
        self, info: _Inspect.UnionType, place: str, above: tuple[Any, ...], sure: bool
    ) -> _Part | None:
        every = [_bare(part) for part in info.types]
        parts = [part for part in every if not isinstance(part, _SCALARS)]
        if sure:
            every = [part for part in every if not isinstance(part, _Inspect.NoneType)]
        tagged = sum(isinstance(part, _Inspect.StructType) for part in parts) > 1
        found: list[tuple[_Inspect.Type, _Part]] = []
        for part in parts:
            if isinstance(part, _Inspect.StructType):
                inner = self.struct(part, place, above, tagged)
            else:
                inner = self.value(part, place, above)
            if inner is None:
                return None
            found.append((part, inner))
        if len(parts) == len(every) and all(inner == found[0][1] for _, inner in found):
            return found[0][1]  # the same for all
        lines: list[str] = []
        for part, inner in found:
            body = inner.body()
            if body:
                lines += [f"{'el' if lines else ''}if {self._is_a(part, place, every)}:", *body]
        return _Part(0, lines)

    def _is_a(self, part: _Inspect.Type, place: str, every: list[_Inspect.Type]) -> str:
        if all(other is part or isinstance(other, _Inspect.NoneType) for other in every):
            return f"{place} is not None"
        if isinstance(part, _Inspect.StructType):
            return f"type({place}) is {self._constant(part.cls)}"
        kind = "list" if isinstance(part, _Inspect.ListType) else "tuple"
        return f"type({place}) is {'dict' if isinstance(part, _Inspect.DictType) else kind}"


def _times(each: int, place: str) -> list[str]:
    """So many for each item at `place`."""
    if not each:
        return []
    return [f"count += len({place})" if each == 1 else f"count += {each} * len({place})"]


def _is_odd(info: _Inspect.StructType) -> bool:
    """Whether its fields are not its properties."""
    return info.array_like or hasattr(info.cls, "__toolcast_extra__")


def _bare(info: _Inspect.Type) -> _Inspect.Type:
    return _bare(info.type) if isinstance(info, _Inspect.Metadata) else info
