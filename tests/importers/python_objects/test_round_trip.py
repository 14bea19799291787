"""For a family of signatures: an imported function fits its own contract, and a call through the registry is
the call of the function with decoded values."""

import asyncio
import dataclasses
import datetime
import enum
import inspect
import uuid
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypedDict

import msgspec
import pydantic
from hypothesis import given
from hypothesis import strategies as st
from toolcast.importers.python_objects.functions import declare_function
from toolcast.importers.python_objects.targets import Origin, SourcePlace
from toolcast.runtime import AdaptError, ToolRegistry, adapt

from tests.python.compiled import package, spec


@dataclasses.dataclass(frozen=True)
class Data:
    number: float
    texts: tuple[str, ...] = ()


class Record(msgspec.Struct, frozen=True):
    number: int
    data: Data | None = None


class Model(pydantic.BaseModel):
    count: int = pydantic.Field(ge=0)
    data: Data | None = None


class Keyed(TypedDict, total=False):
    on: bool
    text: str


class Pair(NamedTuple):
    first: int
    second: str


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Kind(NamedTuple):
    """A type, its values, and their JSON as its documentation states it."""

    annotation: Any
    values: st.SearchStrategy[Any]
    to_json: Callable[[Any], Any]


def same(value: Any) -> Any:
    return value


def data_json(value: Data) -> Any:
    return {"number": value.number, "texts": list(value.texts)}


def optional(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else convert(value)


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
INTEGERS = st.integers(-(2**53), 2**53)
DATA = st.builds(Data, NUMBERS, st.lists(TEXT, max_size=3).map(tuple))
KINDS = [
    Kind(str, TEXT, same),
    Kind(int, INTEGERS, same),
    Kind(float, NUMBERS, same),
    Kind(bool, st.booleans(), same),
    Kind(int | None, st.none() | INTEGERS, same),
    Kind(list[int], st.lists(INTEGERS, max_size=3), same),
    Kind(set[str], st.sets(TEXT, max_size=3), sorted),
    Kind(dict[str, list[int]], st.dictionaries(TEXT, st.lists(INTEGERS, max_size=2), max_size=3), same),
    Kind(tuple[int, str], st.tuples(INTEGERS, TEXT), list),
    Kind(Literal["a", "b", 3], st.sampled_from(["a", "b", 3]), same),
    Kind(Colour, st.sampled_from(Colour), lambda value: value.value),
    Kind(Level | None, st.none() | st.sampled_from(Level), optional(lambda value: value.value)),
    Kind(datetime.date, st.dates(), lambda value: value.isoformat()),
    Kind(
        datetime.datetime,
        st.datetimes(min_value=datetime.datetime(1970, 1, 1), timezones=st.just(datetime.UTC)),
        lambda value: value.isoformat(),
    ),
    Kind(uuid.UUID, st.uuids(), str),
    Kind(Decimal, st.decimals(-1000, 1000, places=3), str),
    Kind(Path, st.sampled_from([Path("/a/b"), Path("c")]), str),
    Kind(Data, DATA, data_json),
    Kind(Data | None, st.none() | DATA, optional(data_json)),
    Kind(list[Data], st.lists(DATA, max_size=2), lambda values: [data_json(each) for each in values]),
    Kind(
        Record,
        st.builds(Record, INTEGERS, DATA),
        lambda value: {"number": value.number, "data": data_json(value.data)},
    ),
    Kind(
        Model,
        st.builds(Model, count=st.integers(0, 9), data=DATA),
        lambda value: {"count": value.count, "data": data_json(value.data)},
    ),
    Kind(
        dict[str, Model] | None,
        st.none() | st.dictionaries(TEXT, st.builds(Model, count=st.integers(0, 9)), max_size=2),
        optional(lambda values: {key: {"count": each.count} for key, each in values.items()}),
    ),
    Kind(Keyed, st.fixed_dictionaries({}, optional={"on": st.booleans(), "text": TEXT}), same),
    Kind(Pair, st.builds(Pair, INTEGERS, TEXT), list),
    Kind(Any, st.none() | INTEGERS | TEXT | st.lists(TEXT, max_size=2), same),
]


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[tuple[str, Kind, bool, Any]], dict[str, Any], dict[str, Any]]:
    """Parameters (name, kind, whether required, default), and the values of a call with their JSON."""
    kinds = draw(st.lists(st.sampled_from(KINDS), max_size=4))
    parameters: list[tuple[str, Kind, bool, Any]] = []
    values: dict[str, Any] = {}
    arguments: dict[str, Any] = {}
    for index, kind in enumerate(kinds):
        name, required = f"p{index}", draw(st.booleans())
        parameters.append((name, kind, required, draw(kind.values)))
        if required or draw(st.booleans()):
            values[name] = draw(kind.values)
            arguments[name] = kind.to_json(values[name])
    return parameters, values, arguments


def made(parameters: list[tuple[str, Kind, bool, Any]], body: Callable[..., Any]) -> Any:
    """`body` with a signature and annotations of its own."""
    function: Any = body
    function.__signature__ = inspect.Signature(
        [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=inspect.Parameter.empty if required else default
            )
            for name, _, required, default in parameters
        ]
    )
    function.__annotations__ = {name: kind.annotation for name, kind, _, _ in parameters}
    return function


def contract(function: Any) -> dict[str, Any]:
    origin = Origin(target="app:function", place=SourcePlace("app.py"))
    declared, problems = declare_function(function, "function", origin)
    assert declared is not None, problems
    return spec(declared.parameters)


@given(cases(), st.booleans())
def test_any_signature(
    case: tuple[list[tuple[str, Kind, bool, Any]], dict[str, Any], dict[str, Any]], awaited: bool
) -> None:
    parameters, values, arguments = case
    calls: list[dict[str, Any]] = []

    def plain(**received: Any) -> None:
        calls.append(received)

    async def later(**received: Any) -> None:
        calls.append(received)

    function = made(parameters, later if awaited else plain)
    with package({"tool.yaml": contract(function)}) as bindings:
        registry = ToolRegistry()
        registry.register(bindings["tool"], adapt(function, bindings["tool"]))
        result = asyncio.run(registry.execute("tool", arguments))
    assert result.success, result.error
    (received,) = calls
    defaults = {name: default for name, _, required, default in parameters if not required}
    expected = {**defaults, **values}
    bound = {**defaults, **received}
    assert bound == expected
    assert {name: type(each) for name, each in bound.items()} == {
        name: type(each) for name, each in expected.items()
    }


@given(st.data(), st.sampled_from(KINDS), st.sampled_from(KINDS), st.booleans())
def test_another_contract_is_refused_or_carried_out(
    data: st.DataObject, taken: Kind, sent: Kind, required: bool
) -> None:
    """No difference ends in an error inside of a call: it is told at registration, or names the argument."""
    function = made([("p0", taken, required, None)], lambda **received: str(received))
    other = made([("p0", sent, required, None)], lambda **received: str(received))
    with package({"tool.yaml": contract(other)}) as bindings:
        registry = ToolRegistry()
        try:
            registry.register(bindings["tool"], adapt(function, bindings["tool"]))
        except AdaptError:
            return
        arguments = {"p0": sent.to_json(data.draw(sent.values))}
        result = asyncio.run(registry.execute("tool", arguments))
    assert result.success or result.error.startswith("Invalid arguments for tool"), result.error
