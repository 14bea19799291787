"""Written as the compiler writes: every kind of checked type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol

import msgspec
from msgspec import UNSET, Struct, UnsetType
from toolcast.runtime import Returns, ToolBinding, ToolContext
from toolcast.runtime.support import check_multiple_of, checked, one_of, open_object


class ShapesParams(Struct, frozen=True, kw_only=True):
    tags: Tags
    pet: Pet | None = None
    pets: list[Pet] = []
    limits: Limits | None = None
    tree: Tree | None = None
    either: Tags | UnsetType | None = UNSET
    step: float | None = None

    def __post_init__(self) -> None:
        check_multiple_of("step", self.step, 0.1)


class Cat(Struct, frozen=True, kw_only=True):
    name: str
    lives: int


class Dog(Struct, frozen=True, kw_only=True):
    name: str
    good: bool | None = None


class LimitsBody(Struct, frozen=True, kw_only=True):
    __toolcast_extra__: ClassVar[str] = "additional_properties"

    unit: str = msgspec.field(name="unit-name")
    note: str | None = None
    additional_properties: dict[str, int] = {}


class TreeBody(Struct, frozen=True, kw_only=True):
    label: str
    children: list[Tree] = []


if TYPE_CHECKING:
    Tags = list[str]
    Pet = Cat | Dog
    Limits = LimitsBody
    Tree = TreeBody
else:
    _AT = "../contracts/shapes.json#/parameters"
    Tags = checked(__name__, f"{_AT}/properties/tags", list[str])
    Pet = one_of(__name__, f"{_AT}/$defs/a~1pet", ("/oneOf/0", Cat), ("/oneOf/1", lambda: Dog))
    Limits = open_object(
        __name__, f"{_AT}/properties/limits", LimitsBody, "additional_properties", lambda: int
    )
    Tree = checked(__name__, f"{_AT}/$defs/Tree", lambda: TreeBody)


class ShapesHandler(Protocol):
    def __call__(self, params: ShapesParams, context: ToolContext, /) -> Returns[Any]: ...


SHAPES: Final[ToolBinding[ShapesParams, Any]] = ToolBinding(
    module=__name__,
    name="shapes",
    group="misc",
    params=ShapesParams,
    permission="read",
    secrets=(),
    summary="Take all shapes.",
    description="Takes what a Struct cannot say.",
    contract="../contracts/shapes.json",
    schemas="../schemas",
)
