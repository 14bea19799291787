"""A handler asks the user or a model of whoever made the call, and logs for them."""

# ruff: noqa: ARG001, ARG005 - a handler's signature is fixed, whatever it uses

import asyncio
import enum
import logging
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta, Struct
from toolcast.runtime import (
    Content,
    ElicitationRequest,
    Elicited,
    Message,
    RefusalError,
    Sampled,
    SamplingRequest,
    ToolBinding,
    ToolContext,
    ToolRegistry,
    ToolResult,
)
from toolcast.runtime.questions import form_schema

Note = ToolBinding[Any, Any]


class Size(enum.Enum):
    SMALL = "small"
    LARGE = "large"


TITLED: list[dict[str, str]] = [{"const": "v1", "title": "First"}, {"const": "v2", "title": "Second"}]


class Order(Struct, kw_only=True):
    name: Annotated[
        str, Meta(title="Name", description="Who?", min_length=1, max_length=40, pattern="^[a-z]")
    ]
    mail: Annotated[str, Meta(extra_json_schema={"format": "email"})] | None = None
    count: Annotated[int, Meta(ge=1, le=9)] = 3
    weight: Annotated[float, Meta(gt=0)] = 95.5
    fast: bool = True
    size: Size = Size.LARGE
    colour: Literal["red", "blue"] = "red"
    titled: Annotated[Literal["v1", "v2"], Meta(extra_json_schema={"oneOf": TITLED})] = "v1"
    legacy: Annotated[Literal["a", "b"], Meta(extra_json_schema={"enumNames": ["A", "B"]})] = "a"
    extras: Annotated[list[Size], Meta(max_length=2)] = []
    more: list[Annotated[Literal["v1", "v2"], Meta(extra_json_schema={"anyOf": TITLED})]] = []


def test_a_form_is_flat_as_the_protocol_has_it() -> None:
    assert form_schema(Order) == {
        "type": "object",
        "properties": {
            "name": {
                "type": "string",
                "title": "Name",
                "description": "Who?",
                "minLength": 1,
                "maxLength": 40,
            },
            "mail": {"type": "string", "format": "email"},
            "count": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3},
            "weight": {"type": "number", "default": 95.5},
            "fast": {"type": "boolean", "default": True},
            "size": {"type": "string", "enum": ["small", "large"], "default": "large"},
            "colour": {"type": "string", "enum": ["blue", "red"], "default": "red"},
            "titled": {"type": "string", "oneOf": TITLED, "default": "v1"},
            "legacy": {"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"], "default": "a"},
            "extras": {
                "type": "array",
                "items": {"type": "string", "enum": ["small", "large"]},
                "maxItems": 2,
            },
            "more": {"type": "array", "items": {"anyOf": TITLED}},
        },
        "required": ["name"],
    }
    jsonschema_rs.Draft202012Validator(form_schema(Order))


class Nested(Struct):
    inner: Order


class Lists(Struct):
    texts: list[str]


class Either(Struct):
    value: int | str


class Numbers(Struct):
    value: Literal[1, 2]


class Odd(Struct):
    value: Annotated[str, Meta(extra_json_schema={"format": "hostname"})]


class Untitled(Struct):
    value: Annotated[Literal["v1", "v3"], Meta(extra_json_schema={"oneOf": TITLED})]


class Unnamed(Struct):
    value: Annotated[Literal["v1", "v3"], Meta(extra_json_schema={"enumNames": ["one"]})]


class Tagged(Struct, tag="x"):
    value: str


@pytest.mark.parametrize("form", [Nested, Lists, Either, Numbers, Odd, Untitled, Unnamed, Tagged, dict, int])
def test_what_a_form_cannot_have_is_refused_by_its_name(form: Any) -> None:
    with pytest.raises(TypeError, match=getattr(form, "__name__", "form")):
        form_schema(form)


Ask = Callable[[ToolContext], Any]


def execute(note: Note, handler: Ask, context: ToolContext, **options: Any) -> ToolResult:
    async def handle(params: Any, context: ToolContext) -> Any:
        return await handler(context)

    registry = ToolRegistry(**options)
    registry.register(note, handle)
    return asyncio.run(registry.execute("note", {"text": "a note"}, context=context))


async def order(context: ToolContext) -> str:
    answer = await context.ask("What do you want?", Order)
    return f"{answer.action} {answer.data}"


def answering(answer: Any, *, later: bool = False) -> tuple[list[ElicitationRequest], Any]:
    asked: list[ElicitationRequest] = []

    def asker(request: ElicitationRequest) -> Any:
        asked.append(request)
        return answer

    async def asker_later(request: ElicitationRequest) -> Any:
        await asyncio.sleep(0)
        return asker(request)

    return asked, asker_later if later else asker


@pytest.mark.parametrize("later", [False, True])
def test_the_answer_is_typed_and_defaults_are_filled_in(note: Note, later: bool) -> None:
    asked, asker = answering(Elicited("accept", {"name": "bo", "count": 5.0, "mail": None}), later=later)
    result = execute(note, order, ToolContext(asker=asker))
    expected = Order(name="bo", count=5)
    assert result == ToolResult.ok(f"accept {expected}")
    assert asked == [ElicitationRequest(message="What do you want?", schema=form_schema(Order))]


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_a_user_who_does_not_answer_gives_no_data(note: Note, action: Any) -> None:
    _, asker = answering(Elicited(action, {"name": "what is sent along is not read"}))
    assert execute(note, order, ToolContext(asker=asker)) == ToolResult.ok(f"{action} None")


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({}, "name"),
        ({"name": ""}, "name"),
        ({"name": "Upper"}, "name"),
        ({"name": "a", "count": 10}, "count"),
        ({"name": "a", "count": 1.5}, "count"),
        ({"name": "a", "count": "3"}, "count"),
        ({"name": "a", "count": float("inf")}, "count"),
        ({"name": "a", "size": "medium"}, "size"),
        ({"name": "a", "extras": ["small", "small", "large"]}, "extras"),
        ({"name": "a", "more": ["v3"]}, "more"),
        ({"name": None}, "name"),
        (None, "no fields"),
        ([], "no fields"),
    ],
)
def test_an_answer_that_does_not_fit_is_a_failure_that_names_the_field(
    note: Note, fields: Any, named: str
) -> None:
    _, asker = answering(Elicited("accept", fields))
    result = execute(note, order, ToolContext(asker=asker))
    assert not result.success
    assert named in result.error
    assert "does not fit its question" in result.error


VALUES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=3)
    | st.lists(st.text(max_size=2))
)


@given(fields=st.dictionaries(st.sampled_from(sorted(form_schema(Order)["properties"])), VALUES))
def test_no_answer_gets_past_the_form(fields: Mapping[str, Any]) -> None:
    """What is accepted fits the schema that was shown, but for null in place of an absent field."""

    async def ask() -> Order | None:
        return (await ToolContext(asker=lambda request: Elicited("accept", fields)).ask("?", Order)).data

    shown = jsonschema_rs.Draft202012Validator(form_schema(Order))
    try:
        data = asyncio.run(ask())
    except RefusalError:
        return
    assert isinstance(data, Order)
    assert shown.is_valid({name: value for name, value in fields.items() if value is not None})


def test_without_somebody_to_ask_the_call_is_refused(note: Note) -> None:
    for handler in (order, visit, summarise):
        result = execute(note, handler, ToolContext())
        assert not result.success
        assert "'note'" in result.error
    assert not ToolContext().can_ask
    assert not ToolContext().can_sample


async def visit(context: ToolContext) -> str:
    return (await context.ask_to_visit("Log in there.", "https://acme.example/login?x=1")).action


def test_a_page_to_visit(note: Note) -> None:
    asked, asker = answering(Elicited("accept", {"ignored": 1}))
    assert execute(note, visit, ToolContext(asker=asker)) == ToolResult.ok("accept")
    assert asked == [ElicitationRequest(message="Log in there.", url="https://acme.example/login?x=1")]


@pytest.mark.parametrize(
    "url", ["", "javascript:alert(1)", "file:///etc/passwd", "https://", "https://a b", "http://a\n"]
)
def test_only_pages_can_be_visited(url: str) -> None:
    with pytest.raises(ValueError, match="address"):
        asyncio.run(ToolContext(asker=answering(Elicited("accept"))[1]).ask_to_visit("?", url))


async def summarise(context: ToolContext) -> str:
    messages = [Message("user", "Shorten."), Message("user", Content.image(b"x", "image/png"))]
    answer = await context.sample(messages, max_tokens=100, system="Be short.", stop=["."], models=["small"])
    return f"{answer.text} by {answer.model}"


def test_a_model_is_asked(note: Note) -> None:
    asked: list[SamplingRequest] = []

    async def sampler(request: SamplingRequest) -> Sampled:
        asked.append(request)
        return Sampled("short", "small-1", "endTurn")

    assert execute(note, summarise, ToolContext(sampler=sampler)) == ToolResult.ok("short by small-1")
    assert [(each.max_tokens, each.system, each.stop) for each in asked] == [(100, "Be short.", (".",))]
    assert [each.content for each in asked[0].messages] == ["Shorten.", Content.image(b"x", "image/png")]


def test_faults_of_the_program_are_faults(note: Note) -> None:
    wrong: list[Any] = ["yes", Elicited[Any]("perhaps"), None]  # type: ignore[arg-type]  # what programs return
    for answer in wrong:
        result = execute(note, order, ToolContext(asker=answering(answer)[1]))
        assert "internal error TypeError" in result.error
    result = execute(note, summarise, ToolContext(sampler=lambda request: "text"))  # type: ignore[arg-type,return-value]
    assert "internal error TypeError" in result.error
    with pytest.raises(ValueError, match="max_tokens"):
        asyncio.run(ToolContext().sample("x", max_tokens=0))
    with pytest.raises(ValueError, match="message"):
        asyncio.run(ToolContext().sample([], max_tokens=1))


def test_the_handlers_time_does_not_run_while_somebody_answers(note: Note) -> None:
    async def slow(request: Any) -> Any:
        await asyncio.sleep(1.2)
        return Elicited("accept", {"name": "bo"}) if isinstance(request, ElicitationRequest) else Sampled("s")

    async def both(context: ToolContext) -> str:
        answers = await asyncio.gather(
            context.ask("?", Order), context.sample("?", max_tokens=5), order(context)
        )
        return f"{len(answers)}"

    context = ToolContext(asker=slow, sampler=slow)
    assert execute(note, both, context, timeout=1) == ToolResult.ok("3")

    async def slow_itself(context: ToolContext) -> str:
        await context.ask("?", Order)
        await asyncio.sleep(60)
        return "never"

    result = execute(note, slow_itself, context, timeout=1)
    assert "did not finish within 1 s" in result.error


def test_logs_need_no_receiver_and_survive_a_broken_one(note: Note, caplog: pytest.LogCaptureFixture) -> None:
    async def talk(context: ToolContext) -> str:
        context.log("warning", "words")
        return "done"

    def broken(level: Any, data: Any, logger: str) -> None:
        raise OSError(f"cannot show {data}")

    assert execute(note, talk, ToolContext()) == ToolResult.ok("done")
    with caplog.at_level(logging.WARNING):
        assert execute(note, talk, ToolContext(receive_log=broken)) == ToolResult.ok("done")
    assert "OSError" in caplog.text
    assert "words" not in caplog.text
    with pytest.raises(ValueError, match="emergency"):
        ToolContext().log("fatal", "x")  # type: ignore[arg-type]  # what a program may write
