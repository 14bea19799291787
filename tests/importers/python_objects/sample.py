"""Python objects of every kind that is imported."""

import dataclasses
import datetime
import enum
import functools
from typing import Annotated, Any, Literal, TypedDict

import msgspec
import pydantic
from toolcast.runtime import ToolContext


class Unit(enum.Enum):
    CELSIUS = "c"
    FAHRENHEIT = "f"


@dataclasses.dataclass
class Place:
    """A place on the map."""

    latitude: float
    """Degrees north."""
    longitude: float = 0.0


class Forecast(msgspec.Struct):
    """A forecast.

    Attributes:
        temperature: In degrees.
    """

    temperature: float
    unit: Unit = Unit.CELSIUS


class Session: ...


def get_forecast(
    city: Annotated[str, "Name of the city."],
    place: Place | None = None,
    days: Annotated[int, pydantic.Field(ge=1, le=7)] = 3,
    unit: Unit = Unit.CELSIUS,
    when: datetime.datetime | None = None,
    mode: Annotated[Literal["day", "night"], msgspec.Meta(description="Which half.")] = "day",
    *,
    context: ToolContext,
    session: Session | None = None,
    **tags: int,
) -> Forecast:
    """Get the forecast
    of a city.

    It is free.

    Args:
        city: Not used: the annotation says more.
        place: Where
            exactly.
        days: How many days.

    Returns:
        What is expected.
    """
    raise NotImplementedError


def numpy_style(city: str, days: int = 3) -> str:
    """Get the forecast.

    Parameters
    ----------
    city : str
        Name of the city.
    days : int, optional
        How many days.

    Returns
    -------
    str
        A sentence.
    """
    raise NotImplementedError


def sphinx_style(city: str, days: int = 3) -> str:
    """Get the forecast.

    :param city: Name of the city.
    :param days: How many
        days.
    :returns: A sentence.
    """
    raise NotImplementedError


def no_docstring(city: str, days: int = 3) -> None:
    raise NotImplementedError


def implicit_none(city: str = None) -> dict[str, Any]:  # type: ignore[assignment] # noqa: RUF013
    raise NotImplementedError


def with_field(days: int = pydantic.Field(2, ge=1, description="How many.")) -> int:
    raise NotImplementedError


def with_alias(kind: Annotated[str, pydantic.Field(alias="class")], days: int = 3) -> None:
    """Do it.

    Args:
        kind: What it is.
        days: How many.
    """
    raise NotImplementedError


def with_containers(size: tuple[int, int] = (1, 2), tags: frozenset[str] = frozenset("a")) -> None:
    raise NotImplementedError


async def awaited(city: str) -> list[Forecast]:
    """Await it."""
    raise NotImplementedError


def unreadable(session: Session, callback: Any, *cities: str) -> None:
    raise NotImplementedError


def no_form(city: str, session: Session, when: "list[Session]") -> None:
    raise NotImplementedError


def positional(city: str, /) -> None:
    raise NotImplementedError


def unresolved(city: "Missing") -> None:  # type: ignore[name-defined] # noqa: F821
    raise NotImplementedError


def odd_result(city: str) -> Session:
    raise NotImplementedError


class Service:
    def method(self, city: str) -> str:
        """Call it."""
        return city

    def __call__(self, city: str) -> str:
        """Call the service."""
        return city


SERVICE = Service()
PARTIAL = functools.partial(get_forecast, days=5)


class GetHTTPForecast(pydantic.BaseModel):
    """Get a forecast.

    Attributes:
        days: How many days.
    """

    city: str = pydantic.Field(alias="cityName")
    """Name of the city."""
    days: int = 3
    near: "list[GetHTTPForecast]" = []


@dataclasses.dataclass
class GetPlace:
    city: str
    """Name of the city."""
    place: Place | None = None


class GetStruct(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """Get it."""

    city_name: str
    """Name of the city."""
    below: "GetStruct | None" = None


class GetTyped(TypedDict, total=False):
    """Get it."""

    city: str


ARRAY = msgspec.defstruct("ARRAY", [("city", str)], array_like=True)
TOOLS = {
    "first": no_docstring,
    "more": [numpy_style, lambda city: city, lambda town: town],
    "place": GetPlace,
}
NUMBER = 3
HUGE = [no_docstring] * 6000
