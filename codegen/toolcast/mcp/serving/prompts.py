"""Prompts that a program offers to MCP clients beside its tools."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar, overload

from msgspec import Struct

from ...runtime.context import ToolContext
from ...runtime.elicitation import stated_type
from ...runtime.result import Content
from ...runtime.sampling import Message
from .announce import Changes
from .text_arguments import Complete, TextArguments

P = TypeVar("P")

Messages: TypeAlias = str | Message | Content | Sequence[str | Message | Content]
"""A text or a piece is a message of the user."""
Make: TypeAlias = Callable[[ToolContext], Messages | Awaitable[Messages]]
MakeParams: TypeAlias = Callable[[P, ToolContext], Messages | Awaitable[Messages]]
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
    def definition(self) -> dict[str, Any]:
        made: dict[str, Any] = {"name": self.name}
        texts = {"title": self.title, "description": self.description}
        made.update({key: text for key, text in texts.items() if text})
        listed: list[dict[str, Any]] = []
        for name, field in self.arguments.fields.items():
            stated = stated_type(field.type)[1]
            shown: dict[str, Any] = {key: stated[key] for key in ("title", "description") if key in stated}
            listed.append({"name": name, **shown, "required": field.required})
        return {**made, "arguments": listed} if listed else made


class Prompts:
    """Prompts by name. They may be added and removed while a server runs."""

    def __init__(self) -> None:
        self.changes = Changes()
        self._prompts: dict[str, Prompt] = {}

    @overload
    def add(
        self, name: str, content: Messages | Make, params: None = None, *,
        title: str = "", description: str = "", complete: Mapping[str, Complete] | None = None,
    ) -> None: ...  # fmt: skip
    @overload
    def add(
        self, name: str, content: MakeParams[P], params: type[P], *,
        title: str = "", description: str = "", complete: Mapping[str, Complete] | None = None,
    ) -> None: ...  # fmt: skip
    def add(
        self,
        name: str,
        content: Any,
        params: type[Any] | None = None,
        *,
        title: str = "",
        description: str = "",
        complete: Mapping[str, Complete] | None = None,
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


def messages_of(value: Any) -> tuple[Message, ...]:
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
