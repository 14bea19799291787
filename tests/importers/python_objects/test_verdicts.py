"""A function's declared schema accepts what pydantic and msgspec accept as its arguments."""

import dataclasses
import enum
import inspect
from typing import Annotated, Any, Literal, NamedTuple

import jsonschema_rs
import msgspec
import pydantic
from hypothesis import assume, given
from hypothesis import strategies as st
from toolcast.importers.python_objects.functions import declare_function
from toolcast.importers.python_objects.targets import Origin, SourcePlace
from typing_extensions import TypedDict  # pydantic refuses typing's before Python 3.12


@dataclasses.dataclass
class Data:
    number: int
    text: str = "x"


class Keyed(TypedDict, total=False):
    on: bool
    data: Data


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Record(msgspec.Struct, forbid_unknown_fields=True):
    number: Annotated[int, msgspec.Meta(ge=0)]
    below: "Record | None" = None


class Pair(NamedTuple):
    first: int
    second: str


OF_NUMBERS: Any = Literal[1, 2] | None
"""For pydantic, which compares by `==`, `true` is one of them."""
BOTH: list[Any] = [
    *(str, int, float, bool, int | None, list[int], dict[str, bool], tuple[int, str], tuple[str, ...]),
    *(Literal["a", "b"], OF_NUMBERS, Colour, Data, Data | None, list[Data], Keyed, str | int),
    *(dict[str, list[Colour]], bool | list[str], Any),
]
"""Types that both libraries read."""
PYDANTIC: list[Any] = [
    Annotated[int, pydantic.Field(ge=1, le=5)],
    Annotated[str, pydantic.Field(min_length=1, max_length=2)],
    Annotated[list[int], pydantic.Field(max_length=1)] | None,
    pydantic.create_model("Model", number=(int, ...), text=(str | None, None)),
]
MSGSPEC: list[Any] = [
    Annotated[int, msgspec.Meta(ge=1, le=5)],
    Annotated[str, msgspec.Meta(min_length=1, max_length=2)],
    *(Record, list[Record], Pair),
]
ABSENT = object()
TEXTS = st.sampled_from(["", "a", "b", "abc", "red", "x"])
LEAVES = st.none() | st.booleans() | st.integers(-2, 6) | st.sampled_from([0.5, -1.5]) | TEXTS
KEYS = st.sampled_from(["number", "text", "on", "data", "below", "z"])
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=4
)


@st.composite
def cases(draw: st.DrawFn, kinds: list[Any]) -> tuple[dict[str, tuple[Any, bool]], dict[str, Any]]:
    """Parameters (type, whether required) and the arguments of a call, which may fit."""
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=3))
    parameters = {f"p{index}": (kind, draw(st.booleans())) for index, kind in enumerate(chosen)}
    arguments: dict[str, Any] = {}
    for name, (kind, _) in parameters.items():
        if draw(st.integers(0, 9)) > 1:
            adapter = pydantic.TypeAdapter(kind) if kind not in MSGSPEC else None
            likely = adapter is not None and draw(st.booleans())
            fitting = VALUES.filter(lambda value, adapter=adapter: _fits(adapter, value))
            arguments[name] = draw(fitting if likely else VALUES)
            assume(not (kind == OF_NUMBERS and arguments[name] is True))
    if draw(st.integers(0, 9)) == 0:
        arguments["other"] = draw(LEAVES)
    return parameters, arguments


def _fits(adapter: Any, value: Any) -> bool:
    try:
        adapter.validate_json(msgspec.json.encode(value), strict=True)
    except pydantic.ValidationError:
        return False
    return True


def function_of(parameters: dict[str, tuple[Any, bool]]) -> Any:
    def function(**received: Any) -> None: ...

    untyped: Any = function
    untyped.__signature__ = inspect.Signature(
        [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if required else ABSENT,
                annotation=kind,
            )
            for name, (kind, required) in parameters.items()
        ]
    )
    untyped.__annotations__ = {name: kind for name, (kind, _) in parameters.items()}
    return untyped


def accepts(function: Any, arguments: Any) -> bool:
    origin = Origin(target="app:function", place=SourcePlace("app.py"))
    declared, problems = declare_function(function, "function", origin)
    assert declared is not None, problems
    return jsonschema_rs.validator_for(declared.parameters).is_valid(arguments)


@given(cases([*BOTH, *PYDANTIC]))
def test_as_pydantic_reads_the_call(case: tuple[dict[str, tuple[Any, bool]], dict[str, Any]]) -> None:
    parameters, arguments = case
    function = function_of(parameters)
    assert accepts(function, arguments) == _fits(pydantic.TypeAdapter(function), arguments)


@given(cases([*BOTH, *MSGSPEC]))
def test_as_msgspec_reads_the_call(case: tuple[dict[str, tuple[Any, bool]], dict[str, Any]]) -> None:
    parameters, arguments = case
    fields = [
        (name, kind) if required else (name, kind, None) for name, (kind, required) in parameters.items()
    ]
    call = msgspec.defstruct("Call", fields, kw_only=True, forbid_unknown_fields=True)
    try:
        msgspec.convert(arguments, call)
    except msgspec.ValidationError:
        expected = False
    else:
        expected = True
    assert accepts(function_of(parameters), arguments) == expected
