"""Questions that a handler asks whoever made the call: the user, by forms and pages to visit, the model, and
the client, for its roots.

A form is a msgspec Struct of texts, numbers, booleans, choices (an enum of texts in its order, or a Literal,
sorted) and lists of choices, as in MCP's elicitation. `Meta` states title, description, bounds and, by
`extra_json_schema`, `format` or titles of the choices (`oneOf`, and in a list `anyOf`, of `{"const": …,
"title": …}`; `enumNames` for older clients).
"""

from collections.abc import Awaitable, Callable, Mapping
from enum import Enum
from typing import Any, Generic, Literal, TypeAlias, TypeVar
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct, inspect

from ..jsonschema.json_values import JsonMapping, JsonObject
from .codec import to_builtins
from .errors import MissingCapabilityError, RefusalError
from .result import Content


def choices_of(kind: inspect.Type) -> tuple[str, ...] | None:
    """Return the texts that a type allows, an enum's in its order; None if it is no choice of texts."""
    kind = stated_type(kind)[0]
    if isinstance(kind, inspect.LiteralType):
        values: tuple[Any, ...] = tuple(kind.values)
    elif isinstance(kind, inspect.EnumType):
        values = tuple(member.value for member in kind.cls)
    else:
        return None
    return values if all(isinstance(value, str) for value in values) else None


def stated_type(kind: inspect.Type) -> tuple[inspect.Type, JsonObject]:
    """Return a type without its metadata and None, and the JSON Schema keywords that it states."""
    stated: JsonObject = {}
    while True:
        if isinstance(kind, inspect.Metadata):
            stated = {**(kind.extra_json_schema or {}), **stated}
            kind = kind.type
        elif isinstance(kind, inspect.UnionType):
            others = [each for each in kind.types if not isinstance(each, inspect.NoneType)]
            if len(others) != 1:
                return kind, stated
            kind = others[0]
        else:
            return kind, stated


T = TypeVar("T")

_Action: TypeAlias = Literal["accept", "decline", "cancel"]
_ACTIONS = ("accept", "decline", "cancel")


class ElicitationRequest(Struct, frozen=True, kw_only=True):
    """A question for a user.

    Attributes:
        message: the question and its reason.
        schema: JSON Schema of the form: an object of scalars, choices and lists of choices; empty for a page.
        url: address of a page to visit; "" for a form.
        key: name of the question among those of its call, which MCP clients answer it by; "" for a number.
    """

    message: str
    schema: JsonMapping = {}
    url: str = ""
    key: str = ""


class Elicited(Struct, Generic[T], frozen=True):
    """A user's answer.

    Attributes:
        action: "accept"; "decline" if the user said no; "cancel" if the user closed the question.
        data: the filled-in form; None unless it was accepted.
    """

    action: _Action
    data: T | None = None

    @property
    def accepted(self) -> bool:
        """True if the user accepted."""
        return self.action == "accept"


Asker: TypeAlias = Callable[
    [ElicitationRequest],
    "Elicited[JsonMapping] | Awaitable[Elicited[JsonMapping]]",
]
"""Whoever asks the user: gives the fields of the form by name. A plain one must not block."""


async def ask(asker: Asker | None, name: str, question: ElicitationRequest, form: type[T]) -> Elicited[T]:
    """Ask, and hold the answer to the form; `name` is that of the tool or the prompt that asks.

    Raises RefusalError if nobody can be asked, or the answer does not fit; TypeError for a form that cannot
    be asked, and for what is no text.
    """
    _check_texts(question)
    schema = form_schema(form)
    answer = await put_question(asker, name, msgspec.structs.replace(question, schema=schema))
    if not answer.accepted:
        return Elicited(answer.action)
    return Elicited("accept", _filled(form, schema, answer.data, name))


async def ask_to_visit(asker: Asker | None, name: str, question: ElicitationRequest) -> Elicited[None]:
    """Ask to visit a page. Raises as `ask`, and ValueError for what is no address of a page."""
    _check_texts(question)
    _check_url(question.url)
    return Elicited((await put_question(asker, name, question)).action)


def _check_texts(question: ElicitationRequest) -> None:
    for text in (question.message, question.url, question.key):
        if not isinstance(text, str):
            raise TypeError(f"a question must be a text, not {type(text).__name__}")


async def put_question(asker: Asker | None, name: str, request: ElicitationRequest) -> Elicited[JsonMapping]:
    """Ask, and return the answer as it came. Raises MissingCapabilityError if nobody can be asked."""
    if asker is None:
        raise MissingCapabilityError(
            f"{name!r} has to ask the user, and whoever made the call takes no questions. Tell the user "
            "so; a client that can ask is needed.",
            {"elicitation": {"url" if request.url else "form": {}}},
        )
    outcome = asker(request)
    answer = await outcome if isinstance(outcome, Awaitable) else outcome
    if not isinstance(answer, Elicited) or answer.action not in _ACTIONS:
        raise TypeError(f"an asker must return Elicited, not {type(answer).__name__}")
    return answer


def _check_url(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or not url.isprintable() or " " in url:
        raise ValueError(f"a page to visit must have an address like https://host/path, not {url!r:.80}")


def _filled(form: type[T], schema: JsonMapping, data: object, name: str) -> T:
    """Convert the answer. A whole float counts as an integer, as in JSON Schema; null counts as absent if the
    field may be left out."""
    if not isinstance(data, Mapping):
        raise RefusalError(_misfit(name, "it has no fields"))
    required = schema["required"]
    whole: JsonObject = {}
    for key, value in data.items():
        kind = schema["properties"].get(key, {}).get("type")
        if value is None and key not in required:
            continue
        if kind == "integer" and isinstance(value, float) and value.is_integer():
            whole[key] = int(value)
        else:
            whole[key] = value
    try:
        return msgspec.convert(whole, form)
    except (msgspec.ValidationError, RecursionError) as problem:
        raise RefusalError(_misfit(name, str(problem))) from None


def _misfit(name: str, why: str) -> str:
    return (
        f"The answer that {name!r} got does not fit its question: {why[:200]}. Ask the user, then call it "
        "again."
    )


def form_schema(form: type[object]) -> JsonObject:
    """Return the JSON Schema of a form, flat as in MCP's elicitation. Raises TypeError, naming the field."""
    kind = inspect.type_info(form)
    if not isinstance(kind, inspect.StructType) or kind.array_like or kind.tag_field is not None:
        raise TypeError(f"a form must be a plain msgspec Struct, not {form!r}")
    properties = {
        field.encode_name: _with_default(_property(field.type, f"{form.__name__}.{field.name}"), field)
        for field in kind.fields
    }
    required = [field.encode_name for field in kind.fields if field.required]
    return {"type": "object", "properties": properties, "required": required}


_ANNOTATIONS = ("title", "description")
_FORMATS = ("email", "uri", "date", "date-time")


def _property(kind: inspect.Type, where: str) -> JsonObject:
    """Return the schema of one field. Bounds that forms lack, such as patterns, are checked in the answer."""
    plain, stated = stated_type(kind)
    made = {key: stated[key] for key in _ANNOTATIONS if key in stated}
    if (choices := choices_of(plain)) is not None:
        return {"type": "string", **made, **_choice(choices, stated, "oneOf", where)}
    match plain:
        case inspect.StrType():
            if "format" in stated and stated["format"] not in _FORMATS:
                raise TypeError(
                    f"{where}: a form has the formats {', '.join(_FORMATS)}, not {stated['format']!r}"
                )
            bounds = {
                "minLength": plain.min_length,
                "maxLength": plain.max_length,
                "format": stated.get("format"),
            }
            return {"type": "string", **made, **_present(bounds)}
        case inspect.BoolType():
            return {"type": "boolean", **made}
        case inspect.IntType() | inspect.FloatType():
            name = "integer" if isinstance(plain, inspect.IntType) else "number"
            return {"type": name, **made, **_present({"minimum": plain.ge, "maximum": plain.le})}
        case inspect.ListType() if (items := choices_of(plain.item_type)) is not None:
            below = _choice(items, stated_type(plain.item_type)[1], "anyOf", where)
            listed = {"type": "string", **below} if "enum" in below else below
            return {
                "type": "array", **made, "items": listed,
                **_present({"minItems": plain.min_length or None, "maxItems": plain.max_length}),
            }  # fmt: skip
        case _:
            raise TypeError(
                f"{where}: a form has texts, numbers, yes or no, choices of texts, and lists of choices; ask "
                "for anything else as text"
            )


def _choice(choices: tuple[str, ...], stated: JsonMapping, titled: str, where: str) -> JsonObject:
    if titled in stated:
        if sorted(each.get("const", "") for each in stated[titled]) != sorted(choices):
            raise TypeError(f"{where}: `{titled}` must give each of {', '.join(choices)} a title")
        return {titled: stated[titled]}
    names = stated.get("enumNames")
    if names is not None and len(names) != len(choices):
        raise TypeError(f"{where}: `enumNames` must have {len(choices)} names")
    return {"enum": list(choices), **_present({"enumNames": names})}


def _present(keywords: JsonMapping) -> JsonObject:
    return {key: value for key, value in keywords.items() if value is not None}


def _with_default(schema: JsonObject, field: inspect.Field) -> JsonObject:
    default = field.default
    if field.default_factory is not msgspec.NODEFAULT:
        default = field.default_factory()
    if isinstance(default, Enum):
        default = default.value
    if default is msgspec.NODEFAULT or default is None or default in ([], ""):
        return schema
    return {**schema, "default": to_builtins(default)}


_Role: TypeAlias = Literal["user", "assistant"]


class Message(Struct, frozen=True):
    """One message of a conversation.

    Attributes:
        role: "user" or "assistant".
        content: a text, or a piece: an image, audio, a resource.
    """

    role: _Role
    content: str | Content


class SamplingRequest(Struct, frozen=True, kw_only=True):
    """A conversation that a model is to continue.

    Attributes:
        messages: the conversation.
        max_tokens: most tokens of the answer.
        system: the system prompt; "" for none.
        temperature: randomness of the answer; None for the model's own.
        stop: texts at which the answer ends.
        models: names of models, or parts of them, the preferred first; whoever is asked decides.
        key: as that of `ElicitationRequest`.
    """

    messages: tuple[Message, ...]
    max_tokens: int
    system: str = ""
    temperature: float | None = None
    stop: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    key: str = ""


class Sampled(Struct, frozen=True):
    """A model's answer: a stranger's text, whose instructions are not the program's.

    Attributes:
        text: the text; "" if the answer is an image or audio.
        model: name of the model.
        stop_reason: why it ended: `endTurn`, `stopSequence`, `maxTokens`, another word, or "".
        content: the image or audio; None if the answer is text.
    """

    text: str
    model: str = ""
    stop_reason: str = ""
    content: Content | None = None


Sampler: TypeAlias = Callable[[SamplingRequest], Sampled | Awaitable[Sampled]]
"""Whoever asks the model. A plain one must not block."""


async def sample(sampler: Sampler | None, name: str, request: SamplingRequest) -> Sampled:
    """Ask the model of whoever made the call, by `sampler`; `name` is for messages. Raises
    MissingCapabilityError where there is no model to ask, ValueError for a request without a message or a
    token, and TypeError for an answer that is not `Sampled`.
    """
    if not request.messages or request.max_tokens < 1:
        raise ValueError("sample() needs a message, and max_tokens of at least 1")
    if sampler is None:
        raise MissingCapabilityError(
            f"{name!r} needs an answer of a model, and whoever made the call offers none. Do its work "
            "yourself, or tell the user.",
            {"sampling": {}},
        )
    outcome = sampler(request)
    answer = await outcome if isinstance(outcome, Awaitable) else outcome
    if not isinstance(answer, Sampled):
        raise TypeError(f"a sampler must return Sampled, not {type(answer).__name__}")
    return answer


def request(**fields: Any) -> SamplingRequest:
    """Make a request, whose messages may be a text of the user. Raises TypeError."""
    if isinstance(fields["messages"], str):
        fields["messages"] = [Message("user", fields["messages"])]
    try:
        return msgspec.convert(fields, SamplingRequest)
    except msgspec.ValidationError as problem:
        raise TypeError(f"sample(): {problem}") from None


class Root(Struct, frozen=True):
    """A folder or file that whoever made the call works in.

    Attributes:
        uri: its address, `file:///…`.
        name: its name for people, or "".
    """

    uri: str
    name: str = ""


RootLister: TypeAlias = Callable[[str], Awaitable[tuple[Root, ...]]]
"""Whoever lists the roots; takes the key of the question."""


async def list_roots(lister: RootLister | None, name: str, key: str) -> tuple[Root, ...]:
    """Ask for the roots. Raises MissingCapabilityError where there are none to ask for."""
    if lister is None:
        raise MissingCapabilityError(
            f"{name!r} needs the roots of whoever made the call, who names none. Tell the user.",
            {"roots": {}},
        )
    return await lister(key)
