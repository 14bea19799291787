"""Unions of msgspec's own types, whether or not the compiler would write them. Needs msgspec only."""

# ruff: noqa: F401 - TYPES names them
import contextlib
import dataclasses
import datetime
import decimal
import enum
import gc
import itertools
import sys
import typing
import uuid
from typing import Annotated, Any, Literal, NamedTuple, TypedDict, Union

import msgspec
from msgspec import Meta, Struct


class Plain(Struct):
    """A Struct."""

    x: int = 0


class First(Struct, tag="a", tag_field="kind"):
    """A branch that a tag tells from `Second`."""

    x: int = 0


class Second(Struct, tag="b", tag_field="kind"):
    """A branch that a tag tells from `First`."""

    x: int = 0


class Row(Struct, array_like=True):
    """A Struct that is an array on the wire."""

    x: int = 0


class Keyed(TypedDict):
    """A dictionary with declared keys."""

    x: int


@dataclasses.dataclass
class Data:
    """A dataclass."""

    x: int = 0


class Named(NamedTuple):
    """A tuple with names."""

    x: int = 0


class Letter(enum.Enum):
    """Texts."""

    A = "a"
    B = "b"


class Digit(enum.IntEnum):
    """Integers."""

    ONE = 1
    TWO = 2


TYPES = (
    "None", "bool", "int", "Annotated[int, Meta(ge=3)]", "Annotated[int, Meta(le=3)]",
    "Annotated[int, Meta(multiple_of=3)]", "float", "Annotated[float, Meta(ge=1.5)]",
    "Annotated[float, Meta(le=1.5)]", "Annotated[float, Meta(multiple_of=1.5)]", "str",
    "Annotated[str, Meta(min_length=3)]", "Annotated[str, Meta(max_length=3)]",
    "Annotated[str, Meta(pattern='^a')]", "Literal['a', 'bc']", "Literal[1, 2]", "Literal['a', 1, None]",
    "Letter", "Digit", "dict[str, int]", "Annotated[dict[str, int], Meta(min_length=3)]",
    "Annotated[dict[str, int], Meta(max_length=3)]", "dict[Annotated[str, Meta(pattern='^a')], list[int]]",
    "list[Any]", "list[int]", "Annotated[list[int], Meta(min_length=3)]",
    "Annotated[list[int], Meta(max_length=3)]", "set[int]", "Annotated[set[int], Meta(min_length=3)]",
    "frozenset[int]", "tuple[int, ...]", "Annotated[tuple[int, ...], Meta(min_length=3)]", "tuple[()]",
    "tuple[int]", "tuple[Any, str]", "tuple[Annotated[int, Meta(ge=3)], tuple[int], str]", "Named", "Plain",
    "Union[First, Second]", "Row", "Keyed", "Data", "datetime.datetime",
    "Annotated[datetime.datetime, Meta(tz=True)]", "datetime.date",
    "Annotated[datetime.time, Meta(tz=False)]", "datetime.timedelta", "uuid.UUID", "decimal.Decimal",
    "bytes", "Annotated[bytes, Meta(min_length=3)]", "msgspec.Raw",
)  # fmt: skip

TEXTS = tuple(
    text.encode()
    for text in (
        "null", "true", "1", "3", "7", "1.5", "3.25", '"a"', '"abc"', '"bcde"', "[]", "[1]", '[1,"a"]',
        '[4,[1],"a"]', "[1,2,3]", "[1,2,3,4]", "{}", '{"x":1}', '{"kind":"a","x":2}', '{"a":[1]}',
        '{"a":1,"b":2,"c":3}', '"2020-01-01T00:00:00Z"',
    )
)  # fmt: skip


def combinations(size: int) -> list[tuple[str, ...]]:
    """The unions that are tried, each as its types."""
    return list(itertools.combinations(TYPES, size))


def use(types: tuple[str, ...]) -> None:
    """Make decoders of a union, decode with them, free them. Does nothing for what msgspec refuses."""
    try:
        union = eval(f"Union[{', '.join(types)}]", globals())
        decoder = msgspec.json.Decoder(union)
        packed = msgspec.msgpack.Decoder(union)
    except (TypeError, ValueError):
        return
    repr(decoder)
    for text in TEXTS:
        value = msgspec.json.decode(text)
        for read, content in ((decoder.decode, text), (packed.decode, msgspec.msgpack.encode(value))):
            with contextlib.suppress(msgspec.ValidationError):
                read(content)
        with contextlib.suppress(msgspec.ValidationError):
            msgspec.convert(value, union)
    del decoder, packed
    gc.collect(0)


def main(size: str, start: str) -> None:
    """Every union of so many types. Says each number before it is looked at, from `start` on."""
    for number, types in enumerate(combinations(int(size))):
        if number >= int(start):
            print(number, flush=True)
            use(types)
    print("done", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
