"""Resources that a program offers to MCP clients beside its tools."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple, TypeAlias, TypeVar

from msgspec import Struct

from ...runtime.context import ToolContext
from ...runtime.errors import RefusalError
from ...runtime.result import Content
from ..sdk import load
from .announce import Changes
from .text_arguments import Complete, TextArguments

P = TypeVar("P")

Contents: TypeAlias = str | bytes
Read: TypeAlias = Callable[[ToolContext], Contents | Awaitable[Contents]]
ReadParams: TypeAlias = Callable[[P, ToolContext], Contents | Awaitable[Contents]]
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
    def definition(self) -> dict[str, Any]:
        made: dict[str, Any] = {
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
        content: Contents | Read,
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
        read: ReadParams[P],
        params: type[P],
        *,
        name: str = "",
        title: str = "",
        description: str = "",
        media_type: str = "",
        complete: Mapping[str, Complete] | None = None,
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
