"""A FastMCP server whose 32 tools return what Python programs return, for `test_tutorials.py`."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, NamedTuple
from uuid import UUID

from fastmcp import FastMCP
from pydantic import AnyUrl, BaseModel, ConfigDict, Field, computed_field
from typing_extensions import TypedDict

mcp = FastMCP("results")
NOON = datetime(2020, 1, 2, 12, 0, 5, tzinfo=UTC)


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Size(BaseModel):
    width: float = 1.0
    height: float | None = None


class Thing(BaseModel):
    name: str
    color: Color = Color.RED
    dimensions: Size | None = None
    tags: list[str] = []


class Aliased(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    class_: str = Field("a", alias="class")
    source: int = Field(1, serialization_alias="from")


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"
    name: str | None = None


class Node(BaseModel):
    value: int = 0
    children: list[Node] = []


class Event(BaseModel):
    at: datetime = NOON
    on: date | None = None
    naive: datetime | None = None
    clock: time | None = None
    lasts: timedelta = timedelta(seconds=5)
    id: UUID = UUID(int=5)
    price: Decimal = Decimal("1.50")
    url: AnyUrl | None = None


class Area(BaseModel):
    width: int = 2

    @computed_field
    @property
    def area(self) -> int:
        return self.width * self.width


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    a: int = 0


@dataclass
class Point:
    x: int = 0
    label: str | None = None
    more: list[int] = field(default_factory=list)


class Options(TypedDict, total=False):
    a: int
    b: str | None


class Pair(NamedTuple):
    first: int = 1
    second: str | None = None


@mcp.tool
def thing(name: str = "x") -> Thing:
    return Thing(name=name)


@mcp.tool
def things(count: int = 2) -> list[Thing]:
    return [Thing(name=str(each), dimensions=Size() if each else None) for each in range(count)]


@mcp.tool
def maybe(found: bool = False) -> Thing | None:
    return Thing(name="x") if found else None


@mcp.tool
def by_name() -> dict[str, Thing]:
    return {"k": Thing(name="a")}


@mcp.tool
def given(value: Thing) -> Thing:
    return value


@mcp.tool
def aliased() -> Aliased:
    return Aliased()


@mcp.tool
def pet(which: Literal["cat", "dog"] = "cat") -> Cat | Dog:
    return Cat() if which == "cat" else Dog()


@mcp.tool
def tagged(which: Literal["cat", "dog"] = "dog") -> Annotated[Cat | Dog, Field(discriminator="kind")]:
    return Cat() if which == "cat" else Dog()


@mcp.tool
def pets() -> list[Cat | Dog]:
    return [Cat(), Dog(name="Rex")]


@mcp.tool
def node() -> Node:
    return Node(children=[Node(), Node(value=1)])


@mcp.tool
def event(naive: bool = False) -> Event:
    return Event(naive=datetime(2020, 1, 2), clock=time(1, 2)) if naive else Event()


@mcp.tool
def area() -> Area:
    return Area()


@mcp.tool
def open_model() -> Open:
    return Open.model_validate({"b": None, "c": [1]})


@mcp.tool
def point() -> Point:
    return Point()


@mcp.tool
def points() -> list[Point]:
    return [Point(), Point(label="x")]


@mcp.tool
def options(full: bool = False) -> Options:
    return {"b": None, "a": 1} if full else {"b": None}


@mcp.tool
def pair() -> Pair:
    return Pair()


@mcp.tool
def when(at: datetime | None = None) -> datetime:
    return at or NOON


@mcp.tool
def day() -> date:
    return date(2020, 1, 2)


@mcp.tool
def mapping() -> dict[str, Any]:
    return {"a": None, "b": [], "c": {"d": 1.0}}


@mcp.tool
def bare() -> dict:  # type: ignore[type-arg]
    return {"a": None, "b": []}


@mcp.tool
def unannotated(a: int = 3):  # type: ignore[no-untyped-def]
    return {"a": a, "b": None}


@mcp.tool
def anything() -> Any:
    return {"x": None}


@mcp.tool
def number(a: int = 1) -> int:
    return a


@mcp.tool
def real() -> float:
    return 2.0


@mcp.tool
def truth() -> bool:
    return False


@mcp.tool
def text(value: str = '{"a": 1}') -> str:
    return value


@mcp.tool
def nothing() -> None:
    return None


@mcp.tool
def maybe_text(value: str | None = None) -> str | None:
    return value


@mcp.tool
def texts(count: int = 0) -> list[str]:
    return ["a"] * count


@mcp.tool
def mixed() -> tuple[int, str]:
    return (1, "a")


@mcp.tool
def colors() -> set[Color]:
    return {Color.BLUE}
