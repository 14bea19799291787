"""Existing functions as handlers: what reaches them, what comes back, and what is refused at registration."""

import asyncio
import dataclasses
import datetime
import enum
import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict

import msgspec
import pydantic
import pytest
from toolcast.runtime import AdaptError, Content, ToolBinding, ToolContext, ToolRegistry, ToolResult, adapt
from toolcast.runtime.result import structured

from tests.python.compiled import package, spec
from tests.runtime.helpers import python


@dataclasses.dataclass
class Position:
    latitude: float
    longitude: float = 0.0


class Point(msgspec.Struct):
    latitude: float
    longitude: float = 0.0


class Spot(TypedDict, total=False):
    latitude: float
    longitude: float


class Place(pydantic.BaseModel):
    latitude: float
    longitude: float = 0.0


class Unit(enum.Enum):
    CELSIUS = "c"
    FAHRENHEIT = "f"


POSITION: dict[str, Any] = {
    "type": "object",
    "required": ["latitude"],
    "properties": {"latitude": {"type": "number"}, "longitude": {"type": "number"}},
}
FORECAST: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["city"],
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer", "default": 3},
        "unit": {"enum": ["c", "f"]},
        "from": {"type": ["string", "null"]},
        "position": POSITION,
    },
}


def run(
    parameters: Mapping[str, Any], function: Callable[..., Any], arguments: Any, **more: Any
) -> ToolResult:
    with package({"tool.yaml": spec(parameters, **more)}) as bindings:
        binding = bindings["tool"]
        registry = ToolRegistry(check_results=True)
        registry.register(binding, adapt(function, binding))
        return asyncio.run(registry.execute("tool", arguments))


def refused(parameters: Mapping[str, Any], function: Callable[..., Any]) -> tuple[str, ...]:
    """What `adapt` says about a function that does not fit."""
    with package({"tool.yaml": spec(parameters)}) as bindings, pytest.raises(AdaptError) as caught:
        adapt(function, bindings["tool"])
    assert all(each in str(caught.value) for each in caught.value.differences)
    return caught.value.differences


def seen(**values: Any) -> list[list[Any]]:
    return [[name, values[name]] for name in sorted(values)]


def test_absent_parameters_are_not_passed() -> None:
    sentinel = object()

    def forecast(city: str, days: int = 3, unit: Any = sentinel, from_: str | None = "x") -> list[Any]:
        return [city, days, unit is sentinel, from_]

    parameters = {**FORECAST, "properties": {**FORECAST["properties"]}}
    del parameters["properties"]["position"]
    assert run(parameters, forecast, {"city": "Rome"}).data == ["Rome", 3, True, "x"]
    given = {"city": "Rome", "days": 1, "unit": "c", "from": None}
    assert run(parameters, forecast, given).data == ["Rome", 1, False, None]


@pytest.mark.parametrize("kind", [Position, Point, Place])
@pytest.mark.parametrize("optional", [False, True])
def test_classes_are_made(kind: Any, optional: bool) -> None:
    def go(position: Any) -> str:
        assert isinstance(position, kind)
        return repr((position.latitude, position.longitude))

    go.__annotations__["position"] = kind | None if optional else kind
    parameters = {"type": "object", "required": ["position"], "properties": {"position": POSITION}}
    assert run(parameters, go, {"position": {"latitude": 1, "longitude": 2.5}}).output == "(1.0, 2.5)"
    assert run(parameters, go, {"position": {"latitude": 1}}).output == "(1.0, 0.0)"


def test_a_default_of_the_contract_inside_an_object_is_what_the_function_gets() -> None:
    def go(position: Position) -> float:
        return position.longitude

    stated = {**POSITION["properties"], "longitude": {"type": "number", "default": 7.5}}
    parameters = {
        "type": "object",
        "required": ["position"],
        "properties": {"position": {**POSITION, "properties": stated}},
    }
    assert run(parameters, go, {"position": {"latitude": 1}}).data == 7.5


def test_typed_dicts_enums_literals_and_dates() -> None:
    def go(spots: list[Spot], unit: Unit, mode: Literal["a", "b"], when: datetime.datetime) -> list[Any]:
        return [spots, unit.name, mode, when.year]

    properties = {
        "spots": {"type": "array", "items": {**POSITION, "required": []}},
        "unit": {"enum": ["c", "f"]},
        "mode": {"enum": ["a", "b"]},
        "when": {"type": "string", "format": "date-time"},
    }
    parameters = {"type": "object", "required": list(properties), "properties": properties}
    arguments = {"spots": [{"latitude": 1.5}], "unit": "f", "mode": "b", "when": "2024-05-06T07:08:09Z"}
    assert run(parameters, go, arguments).data == [[{"latitude": 1.5}], "FAHRENHEIT", "b", 2024]


@pytest.mark.parametrize("kind", ["dataclass", "struct", "pydantic", "typed dict"])
def test_one_object_takes_all_parameters(kind: str) -> None:
    @dataclasses.dataclass
    class Query:
        city: str
        days: int = 3

    class StructQuery(msgspec.Struct):
        city: str
        days: int = 3

    class ModelQuery(pydantic.BaseModel):
        city: str
        days: int = pydantic.Field(3, ge=0)

    class DictQuery(TypedDict):
        city: str
        days: int

    made: Any = {
        "dataclass": Query, "struct": StructQuery, "pydantic": ModelQuery, "typed dict": DictQuery,
    }[kind]  # fmt: skip

    def go(query: Any) -> list[Any]:
        if kind == "typed dict":
            return [query["city"], query["days"]]
        assert isinstance(query, made)
        return [query.city, query.days]

    go.__annotations__["query"] = made
    parameters = {
        "type": "object",
        "required": ["city"],
        "properties": {"city": {"type": "string"}, "days": {"type": "integer", "default": 3}},
    }
    assert run(parameters, go, {"city": "Rome"}).data == ["Rome", 3]
    assert run(parameters, go, {"city": "Rome", "days": 1}).data == ["Rome", 1]


def test_the_context_goes_where_the_function_asks_for_it() -> None:
    def go(city: str, *, ctx: ToolContext) -> str:
        return f"{city} {ctx.tool}"

    def maybe(city: str, ctx: ToolContext | None = None) -> str:
        return f"{city} {ctx and ctx.tool}"

    parameters = {"type": "object", "required": ["city"], "properties": {"city": {"type": "string"}}}
    for function in (go, maybe):
        assert run(parameters, function, {"city": "Rome"}).output == "Rome tool"


def test_everything_that_can_be_called() -> None:
    parameters = {"type": "object", "required": ["city"], "properties": {"city": {"type": "string"}}}

    class Service:
        prefix = "s"

        def method(self, city: str) -> str:
            return f"{self.prefix} {city}"

        async def awaited(self, city: str) -> str:
            return f"a {city}"

        @classmethod
        def of_class(cls, city: str) -> str:
            return f"{cls.prefix} {city}"

        @staticmethod
        def static(city: str) -> str:
            return f"t {city}"

        def __call__(self, city: str) -> str:
            return f"c {city}"

    def two(first: str, city: str) -> str:
        return f"{first} {city}"

    @functools.wraps(two)
    def logged(*args: Any, **kwargs: Any) -> Any:
        return f"logged {two(*args, **kwargs)}"

    async def later(city: str) -> str:
        await asyncio.sleep(0)
        return f"l {city}"

    service = Service()
    cases: list[tuple[Callable[..., Any], str]] = [
        (service.method, "s Rome"), (service.awaited, "a Rome"), (Service.of_class, "s Rome"),
        (Service.static, "t Rome"), (service, "c Rome"), (functools.partial(two, "p"), "p Rome"),
        (functools.partial(logged, first="p"), "logged p Rome"), (later, "l Rome"),
        (lambda city: later(city), "l Rome"),
    ]  # fmt: skip
    for function, expected in cases:
        assert run(parameters, function, {"city": "Rome"}).output == expected


def test_keywords_take_what_has_no_parameter() -> None:
    def go(city: str, **rest: int) -> list[Any]:
        return [city, seen(**rest)]

    named = {"city": {"type": "string"}, "a": {"type": "integer"}, "b": {"type": "integer"}}
    closed = {"type": "object", "required": ["city"], "additionalProperties": False, "properties": named}
    assert run(closed, go, {"city": "Rome", "b": 2}).data == ["Rome", [["b", 2]]]
    opened = {**closed, "additionalProperties": {"type": "integer"}}
    (words,) = refused({**opened, "properties": {"city": named["city"]}}, lambda city: city)
    assert words == "the contract takes further parameters, the function has no `**kwargs` for them"
    arguments = {"city": "Rome", "a": 1, "x-y": 3}
    assert run(opened, go, arguments).data == ["Rome", [["a", 1], ["x-y", 3]]]


def test_results_become_what_the_contract_states() -> None:
    result = {"type": "object", "required": ["latitude"], "properties": POSITION["properties"]}
    nothing: dict[str, Any] = {"type": "object", "properties": {}}
    for value in (Position(1.5), Point(1.5), Place(latitude=1.5), {"latitude": 1.5, "longitude": 0.0}):
        with package({"tool.yaml": spec(nothing, result=result)}) as bindings:
            binding = bindings["tool"]
            registry = ToolRegistry(check_results=True)
            registry.register(binding, adapt(lambda value=value: value, binding))
            done = asyncio.run(registry.execute("tool", {}))
        assert done.success, done
        assert type(done.data) is binding.result
        assert msgspec.json.decode(done.output) == {"latitude": 1.5, "longitude": 0.0}
    deep = run(nothing, lambda: {"places": [Place(latitude=1)], "at": Path("/a")}, {})
    assert deep.data == {"places": [{"latitude": 1.0, "longitude": 0.0}], "at": "/a"}
    assert run(nothing, lambda: None, {}) == ToolResult(True)
    assert run(nothing, lambda: ToolResult.failed("no"), {}) == ToolResult.failed("no")


def test_a_result_that_had_to_be_an_object_is_wrapped() -> None:
    result = {"type": "object", "required": ["result"], "properties": {"result": {"type": "string"}}}

    def text() -> str:
        return "x"

    def numbers() -> list[int]:
        return [1, 2]

    nothing: dict[str, Any] = {"type": "object", "properties": {}}
    done = run(nothing, text, {}, result=result)
    assert (done.success, done.output, done.data.result) == (True, "x", "x")
    listed = {**result, "properties": {"result": {"type": "array", "items": {"type": "integer"}}}}
    done = run(nothing, numbers, {}, result=listed)
    assert (done.success, done.output, done.data.result) == (True, "[1,2]", [1, 2])

    def braces() -> str:
        return '{"a": 1}'

    done = run(nothing, braces, {}, result=result)
    assert (done.output, done.data.result, structured(done)) == (braces(), braces(), msgspec.UNSET)

    def own_result() -> str:  # its text would be read as the data
        return '{"result": 1}'

    done = run(nothing, own_result, {}, result=result)
    assert (done.output, done.content) == ("", (Content.of(own_result()),))
    assert done.data.result == own_result()
    bad = run(nothing, text, {}, result=listed)
    assert "$.result" in bad.error


def test_a_result_that_does_not_fit_is_a_failure_where_results_are_checked() -> None:
    result = {"type": "object", "required": ["latitude"], "properties": POSITION["properties"]}
    done = run({"type": "object", "properties": {}}, lambda: {"latitude": "x"}, {}, result=result)
    assert not done.success
    assert "$.latitude" in done.error


def test_what_a_type_refuses_beyond_the_contract_names_the_argument() -> None:
    def plain(when: datetime.date) -> str:
        return str(when)

    class Model(pydantic.BaseModel):
        when: list[datetime.date]

    def model(query: Model) -> str:
        return str(query)

    text = {"type": "string"}
    parameters = {"type": "object", "required": ["when"], "properties": {"when": text}}
    assert "$.when: Invalid RFC3339 encoded date" in run(parameters, plain, {"when": "soon"}).error
    lists = {**parameters, "properties": {"when": {"type": "array", "items": text}}}
    assert "$.when[0]: Input should be a valid date" in run(lists, model, {"when": ["soon"]}).error


def test_a_strict_pydantic_model_takes_json() -> None:
    class Strict(pydantic.BaseModel, strict=True):
        when: datetime.date
        tags: set[str]

    def go(query: Strict) -> str:
        return f"{query.when} {sorted(query.tags)}"

    properties = {
        "when": {"type": "string", "format": "date"},
        "tags": {"type": "array", "items": {"type": "string"}},
    }
    parameters = {"type": "object", "required": ["when", "tags"], "properties": properties}
    assert run(parameters, go, {"when": "2024-05-06", "tags": ["b", "a"]}).output == "2024-05-06 ['a', 'b']"


def test_pydantic_metadata_is_validated() -> None:
    def go(days: int = pydantic.Field(2, ge=1, description="How many.")) -> int:
        return days

    parameters = {"type": "object", "properties": {"days": {"type": "integer"}}}
    assert run(parameters, go, {}).data == 2
    assert run(parameters, go, {"days": 5}).data == 5
    assert "$.days: Input should be greater than or equal to 1" in run(parameters, go, {"days": 0}).error


def test_an_alias_of_pydantic_is_the_name_in_json(recwarn: pytest.WarningsRecorder) -> None:
    def go(
        kind: Annotated[str, pydantic.Field(alias="class", min_length=2)],
        days: int = pydantic.Field(2, validation_alias=pydantic.AliasChoices("day count", "days")),
    ) -> str:
        return f"{kind} {days}"

    properties = {"class": {"type": "string"}, "day count": {"type": "integer"}}
    parameters = {"type": "object", "required": ["class"], "properties": properties}
    assert run(parameters, go, {"class": "ab"}).output == "ab 2"
    assert run(parameters, go, {"class": "ab", "day count": 5}).output == "ab 5"
    assert "at least 2 characters" in run(parameters, go, {"class": "a"}).error
    assert [*recwarn] == []  # pydantic warns of an alias outside of a model

    def twice(a: Annotated[str, pydantic.Field(alias="b")], b: str) -> None: ...

    assert refused(parameters, twice) == (
        "several of its parameters are `b` in JSON: give each an alias of its own",
    )


def test_all_differences_are_named_at_once() -> None:
    def go(city: int, depth: str, position: Position, days: int = 4, unit: Literal["c"] = "c") -> None: ...

    altitude = {**POSITION["properties"], "altitude": {"type": "number"}}
    properties = {**FORECAST["properties"], "position": {**POSITION, "properties": altitude, "required": []}}
    assert refused({**FORECAST, "properties": properties}, go) == (
        "from: the contract has this parameter, the function does not",
        "depth: the function requires this parameter, the contract does not have it",
        "city: the contract has string, the function takes integer",
        "days: the contract's default is 3, the function's is 4",
        "unit: the contract has the value 'f', which the function's type does not have",
        "position.altitude: the function's type has no such field",
        "position.latitude: the function's type requires it, and in the contract it is optional",
        "position: the function requires it, and in the contract it is optional",
    )


def test_signatures_without_names_are_refused() -> None:
    def positional(city: str, /) -> None: ...
    def several(*cities: str) -> None: ...

    parameters = {"type": "object", "required": ["city"], "properties": {"city": {"type": "string"}}}
    assert refused(parameters, positional) == (
        "its parameter `city` is positional-only, and arguments come by name: remove the `/`",
    )

    def pieces(city: str) -> Iterator[str]:
        yield city

    assert refused(parameters, pieces)[0].startswith("it yields its result in pieces")

    class Service:
        def method(self, city: str) -> None: ...

    assert "is a class" in refused(parameters, Position)[0]
    assert refused(parameters, Service.method)[0].startswith("it is a method without its object")
    (several_words,) = refused(parameters, several)
    assert "make it a parameter `cities: list[…]`" in several_words
    (unknown,) = refused(parameters, functools.partial(positional, "x"))
    assert unknown == "city: the contract has this parameter, the function does not"


def test_types_that_json_cannot_make_are_refused() -> None:
    class Session: ...

    def go(city: Session) -> None: ...

    def injected(city: str, session: Session | None = None) -> str:
        return city if session is None else ""

    def two(city: Position | Point | Spot) -> None: ...

    parameters = {"type": "object", "required": ["city"], "properties": {"city": {"type": "string"}}}
    assert any("city: its type cannot be made of JSON" in each for each in refused(parameters, go))
    assert run(parameters, injected, {"city": "Rome"}).output == "Rome"
    assert any("city: its type cannot be made of JSON" in each for each in refused(parameters, two))

    def later(city: "Missing") -> None: ...  # type: ignore[name-defined] # noqa: F821

    assert "names `Missing`" in refused(parameters, later)[0]


def test_recursive_types_end() -> None:
    tree = {
        "$defs": {
            "Tree": {
                "type": "object",
                "properties": {"below": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}},
            }
        },
        "type": "object",
        "required": ["tree"],
        "properties": {"tree": {"$ref": "#/$defs/Tree"}},
    }

    def go(tree: Tree) -> int:
        return len(tree.below)

    assert run(tree, go, {"tree": {"below": [{}, {"below": []}]}}).data == 2


class Tree(msgspec.Struct):
    below: "list[Tree]" = []


def test_a_handler_is_named_as_its_function(edit: ToolBinding[Any, Any]) -> None:
    def existing(
        file_path: str, old_string: str, new_string: str, replace_all: bool = False, line: int = 0
    ) -> None:
        """Edits."""

    handler: Any = adapt(existing, edit)
    assert handler.__qualname__.endswith("existing")
    assert handler.__doc__ == "Edits."
    assert inspect.iscoroutinefunction(handler) is False


def test_nothing_but_msgspec_is_imported() -> None:
    code = (
        "import sys; sys.path.insert(0, '.')\n"
        "from toolcast.runtime import adapt\n"
        "from tests.runtime.sample.files.edit import EDIT\n"
        "def f(file_path: str, old_string: str, new_string: str, **rest: int | bool): ...\n"
        "adapt(f, EDIT)\n"
        "print(*{name.partition('.')[0] for name in sys.modules} - set(sys.stdlib_module_names))"
    )
    foreign = {name for name in python(code).split() if not name.startswith(("_", "sitecustomize"))}
    # msgspec takes typing_extensions where it is installed
    assert foreign <= {"toolcast", "tests", "msgspec", "typing_extensions"}
