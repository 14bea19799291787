"""Prompts and resources that a program offers to MCP clients beside its tools.

Their arguments, those of a URI included, come as text.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar, overload

import msgspec
from msgspec import Struct, inspect

from ...jsonschema.json_values import JsonObject
from ...runtime.context import ToolContext
from ...runtime.errors import RefusalError
from ...runtime.questions import Message, choices_of, stated_type
from ...runtime.result import Content
from ..sdk import load
from .listed import Changes

_Complete: TypeAlias = Callable[[str, Mapping[str, str]], Iterable[str] | Awaitable[Iterable[str]]]
"""Proposes values of an argument: from what is typed so far, and the other arguments that are known. A plain
one must not block."""

_MOST_VALUES = 100
"""Values that one completion has at most (server/utilities/completion)."""

_SCALARS = (inspect.StrType, inspect.IntType, inspect.FloatType, inspect.BoolType)


class TextArguments:
    """The fields of a Struct that are given as texts. `what` names the prompt or the resource in errors.

    Raises TypeError, naming the field, for a type that has no text, and ValueError for a completion of no
    field.
    """

    def __init__(self, params: type[object] | None, complete: Mapping[str, _Complete], what: str) -> None:
        self._params = params
        self._complete = dict(complete)
        kind = None if params is None else inspect.type_info(params)
        if kind is not None and (not isinstance(kind, inspect.StructType) or kind.array_like):
            raise TypeError(f"{what}: the parameters must be a msgspec Struct, not {params!r}")
        self.fields: dict[str, inspect.Field] = (
            {} if kind is None else {each.encode_name: each for each in kind.fields}
        )
        for name, field in self.fields.items():
            plain = stated_type(field.type)[0]
            if choices_of(plain) is None and not isinstance(plain, _SCALARS):
                raise TypeError(
                    f"{what}: {name!r} comes as text, so it must be a text, a number, a boolean or a choice"
                )
        unknown = complete.keys() - self.fields.keys()
        if unknown:
            raise ValueError(f"{what}: there is no parameter {min(unknown)!r} to complete")

    @property
    def completes(self) -> bool:
        return bool(self._complete) or any(choices_of(field.type) for field in self.fields.values())

    def convert(self, arguments: Mapping[str, str]) -> Any:
        """Return the typed parameters; None without any. Raises RefusalError for what does not fit."""
        unknown = arguments.keys() - self.fields.keys()
        if unknown:
            known = ", ".join(map(repr, self.fields)) or "none"
            raise RefusalError(f"There is no argument {min(unknown)!r:.80}; there are: {known}.")
        if self._params is None:
            return None
        try:
            return msgspec.convert(dict(arguments), self._params, strict=False)
        except msgspec.ValidationError as problem:
            raise RefusalError(f"The arguments do not fit: {problem}") from None

    async def values(self, name: str, typed: str, known: Mapping[str, str]) -> tuple[list[str], int]:
        """Return the values to propose for an argument, and their number before the bound."""
        if (function := self._complete.get(name)) is not None:
            proposed = function(typed, known)
            found = [str(each) for each in (await proposed if isinstance(proposed, Awaitable) else proposed)]
        else:
            field = self.fields.get(name)
            choices = () if field is None else choices_of(field.type) or ()
            start = typed.casefold()
            found = [each for each in choices if each.casefold().startswith(start)]
        return found[:_MOST_VALUES], len(found)


P = TypeVar("P")

_Messages: TypeAlias = str | Message | Content | Sequence[str | Message | Content]
"""A text or a piece is a message of the user."""
_Make: TypeAlias = Callable[[ToolContext], _Messages | Awaitable[_Messages]]
_MakeParams: TypeAlias = Callable[[P, ToolContext], _Messages | Awaitable[_Messages]]
"""Functions that make the messages of a prompt, now or awaited; plain ones run in a worker thread."""


class Prompt(Struct, frozen=True, kw_only=True):
    """A prompt as a client sees it, and the source of its messages."""

    name: str
    title: str
    description: str
    content: Any  # messages or a function
    arguments: TextArguments
    parameterized: bool

    @property
    def definition(self) -> JsonObject:
        made: JsonObject = {"name": self.name}
        texts = {"title": self.title, "description": self.description}
        made.update({key: text for key, text in texts.items() if text})
        listed: list[JsonObject] = []
        for name, field in self.arguments.fields.items():
            stated = stated_type(field.type)[1]
            shown: JsonObject = {key: stated[key] for key in ("title", "description") if key in stated}
            listed.append({"name": name, **shown, "required": field.required})
        return {**made, "arguments": listed} if listed else made


class Prompts:
    """Prompts by name. They may be added and removed while a server runs."""

    def __init__(self) -> None:
        self.changes = Changes()
        self._prompts: dict[str, Prompt] = {}

    @overload
    def add(
        self, name: str, content: _Messages | _Make, params: None = None, *,
        title: str = "", description: str = "", complete: Mapping[str, _Complete] | None = None,
    ) -> None: ...  # fmt: skip
    @overload
    def add(
        self, name: str, content: _MakeParams[P], params: type[P], *,
        title: str = "", description: str = "", complete: Mapping[str, _Complete] | None = None,
    ) -> None: ...  # fmt: skip
    def add(
        self,
        name: str,
        content: Any,
        params: type[Any] | None = None,
        *,
        title: str = "",
        description: str = "",
        complete: Mapping[str, _Complete] | None = None,
    ) -> None:
        """Offer a prompt.

        Args:
            name: its name.
            content: messages, or a function that takes the parameters, where there are any, and the context
                of the request, and returns messages. A text or a piece is a message of the user.
            params: a msgspec Struct with the arguments as fields; their texts are converted to its types.
                Titles and descriptions are those of `Meta`.
            title: its name for people.
            description: what it is for.
            complete: functions that propose values, by field; choices are proposed without one.

        Raises:
            ValueError: the name is taken, or empty.
            TypeError: a field cannot come as text, or `content` is none.
        """
        if not name or name in self._prompts:
            raise ValueError(f"there is a prompt {name!r} already" if name else "a prompt needs a name")
        if not callable(content):
            if params is not None:
                raise TypeError(f"prompt {name!r} has parameters, so its content must be a function")
            messages_of(content)
        arguments = TextArguments(params, complete or {}, f"prompt {name!r}")
        self._prompts[name] = Prompt(
            name=name, title=title, description=description, content=content, arguments=arguments,
            parameterized=params is not None,
        )  # fmt: skip
        self.changes.tell()

    def remove(self, name: str) -> None:
        """Offer a prompt no more.

        Args:
            name: its name.

        Raises:
            LookupError: there is none.
        """
        if self._prompts.pop(name, None) is None:
            raise LookupError(f"there is no prompt {name!r}")
        self.changes.tell()

    @property
    def prompts(self) -> Mapping[str, Prompt]:
        """Return the prompts by name."""
        return self._prompts


def messages_of(value: object) -> tuple[Message, ...]:
    """Return the content of a prompt as messages. Raises TypeError for anything else."""
    listed = [value] if isinstance(value, str | Message | Content) else value
    if not isinstance(listed, Sequence) or isinstance(listed, bytes | bytearray):
        raise TypeError(f"a prompt is made of texts, messages and pieces, not {type(value).__name__}")
    made: list[Message] = []
    for each in listed:
        message = each if isinstance(each, Message) else Message("user", each)
        if message.role not in ("user", "assistant") or not isinstance(message.content, str | Content):
            raise TypeError(f"a prompt is made of texts, messages and pieces, not {type(each).__name__}")
        made.append(message)
    return tuple(made)


_Contents: TypeAlias = str | bytes
_Read: TypeAlias = Callable[[ToolContext], _Contents | Awaitable[_Contents]]
_ReadParams: TypeAlias = Callable[[P, ToolContext], _Contents | Awaitable[_Contents]]
"""Functions that read a resource, now or awaited; plain ones run in a worker thread."""

_BINARY = "application/octet-stream"


class Resource(Struct, frozen=True, kw_only=True):
    """A resource, or a template of resources, as a client sees it, and the source of its content."""

    uri: str
    name: str
    title: str
    description: str
    media_type: str
    size: int | None
    content: Any  # text, bytes or a function
    arguments: TextArguments
    template: Any = None  # the SDK's UriTemplate

    @property
    def definition(self) -> JsonObject:
        made: JsonObject = {
            "uri" if self.template is None else "uriTemplate": self.uri,
            "name": self.name,
        }
        texts = {"title": self.title, "description": self.description, "mimeType": self.media_type}
        made.update({key: text for key, text in texts.items() if text})
        return made if self.size is None else {**made, "size": self.size}


class Found(NamedTuple):
    """The resource at a URI, and its typed parameters, None without any."""

    resource: Resource
    params: Any


class Resources:
    """Resources by URI, and templates of URIs. Resources may be added and removed while a server runs."""

    def __init__(self) -> None:
        self.changes = Changes()
        self._resources: dict[str, Resource] = {}
        self._templates: dict[str, Resource] = {}

    def add(
        self,
        uri: str,
        content: _Contents | _Read,
        *,
        name: str = "",
        title: str = "",
        description: str = "",
        media_type: str = "",
    ) -> None:
        """Offer a resource.

        Args:
            uri: its URI.
            content: text, bytes, or a function that takes the context of the request and returns either.
            name: its name; the URI by default.
            title: its name for people.
            description: what it is.
            media_type: such as `text/markdown`; by default `text/plain` for text, and
                `application/octet-stream` for bytes.

        Raises:
            ValueError: the URI is not one, or is taken; the media type is not valid.
            TypeError: `content` is none.
        """
        size = None
        if isinstance(content, str | bytes):
            made = Content.resource(uri, content, media_type)
            media_type, size = made.media_type, len(made.data)
        elif not callable(content):
            raise TypeError(f"content must be text, bytes or a function, not {type(content).__name__}")
        if ":" not in uri or not uri.isprintable() or " " in uri:
            raise ValueError(f"a URI has a scheme and no spaces, as in notes://today; {uri!r:.80} is none")
        if uri in self._resources:
            raise ValueError(f"there is a resource {uri!r} already")
        self._resources[uri] = Resource(
            uri=uri, name=name or uri, title=title, description=description, media_type=media_type, size=size,
            content=content, arguments=TextArguments(None, {}, uri),
        )  # fmt: skip
        self.changes.tell()

    def add_template(
        self,
        template: str,
        read: _ReadParams[P],
        params: type[P],
        *,
        name: str = "",
        title: str = "",
        description: str = "",
        media_type: str = "",
        complete: Mapping[str, _Complete] | None = None,
    ) -> None:
        """Offer the resources at URIs that fit a template.

        Args:
            template: a URI with variables, as in `notes://{day}` (RFC 6570).
            read: takes the parameters and the context of the request; returns text or bytes.
            params: a msgspec Struct with the variables as fields; their texts are converted to its types.
            name: name of the template; the template by default.
            title: its name for people.
            description: what its resources are.
            media_type: their media type.
            complete: functions that propose values, by field; choices are proposed without one.

        Raises:
            McpMissingError: the SDK is not installed.
            ValueError: the template is not valid, or is taken; a variable has no field, or a field that is
                required no variable.
            TypeError: a field cannot come as text.
        """
        parsed = load("mcp.shared.uri_template").UriTemplate.parse(template)
        arguments = TextArguments(params, complete or {}, template)
        names = set(parsed.variable_names)
        if not names:
            raise ValueError(f"{template!r} has no variables; use add()")
        for field in arguments.fields.values():
            if field.required and field.encode_name not in names:
                raise ValueError(f"{template!r} has no variable {{{field.encode_name}}}")
        if names - arguments.fields.keys():
            raise ValueError(f"{params.__name__} has no field {min(names - arguments.fields.keys())!r}")
        if template in self._templates:
            raise ValueError(f"there is a template {template!r} already")
        self._templates[template] = Resource(
            uri=template, name=name or template, title=title, description=description, media_type=media_type,
            size=None, content=read, arguments=arguments, template=parsed,
        )  # fmt: skip
        self.changes.tell()

    def remove(self, uri: str) -> None:
        """Offer a resource, or a template, no more.

        Args:
            uri: its URI, or the template.

        Raises:
            LookupError: there is none.
        """
        if self._resources.pop(uri, None) is None and self._templates.pop(uri, None) is None:
            raise LookupError(f"there is no resource {uri!r}")
        self.changes.tell()

    def updated(self, uri: str) -> None:
        """Tell the clients that subscribed to a resource that its content changed. From any thread.

        Args:
            uri: its URI.
        """
        self.changes.tell(uri)

    @property
    def resources(self) -> Mapping[str, Resource]:
        """Return the resources by URI."""
        return self._resources

    @property
    def templates(self) -> Mapping[str, Resource]:
        """Return the templates of URIs."""
        return self._templates

    def find(self, uri: str) -> Found | None:
        """Find the resource at a URI. A resource comes before templates; of these the first added counts.

        Args:
            uri: the URI.

        Returns:
            The resource or template, and its typed parameters; None where there is none.

        Raises:
            RefusalError: a variable of the URI does not fit its type, or leads out of a folder.
        """
        if (found := self._resources.get(uri)) is not None:
            return Found(found, None)
        for resource in [*self._templates.values()]:
            variables = resource.template.match(uri)
            if variables is not None:
                texts = {
                    key: text if isinstance(text, str) else "/".join(text) for key, text in variables.items()
                }
                _check_paths(texts)
                return Found(resource, resource.arguments.convert(texts))
        return None


def _check_paths(texts: Mapping[str, str]) -> None:
    """A function may make a path of a variable: none leads out of its folder. Raises RefusalError."""
    paths = load("mcp.shared.path_security")
    for name, text in texts.items():
        if "\0" in text or paths.contains_path_traversal(text) or paths.is_absolute_path(text):
            raise RefusalError(f"{name!r} must not begin at the root of a file system, or step upwards.")


def contents(resource: Resource, uri: str, value: Any) -> Content:
    """Return the content of a resource as a piece. Raises TypeError for what a function may not return."""
    if not isinstance(value, str | bytes):
        raise TypeError(f"a resource is read as text or bytes, not {type(value).__name__}")
    return Content.resource(uri, value, resource.media_type)
