"""What a text was read as."""

from typing import Any, Literal, NamedTuple, TypeAlias

from msgspec import Struct

Form = Literal["json", "xml", "invoke", "short", "attributes", "lines", "function", "arrow", "pairs"]
"""How the arguments were written.

* `json`: an object with `arguments` or `parameters`; also a bare object where the name stands elsewhere.
* `xml`: `<name>…</name>` elements. `invoke`: `<parameter name="k">v</parameter>` or `<parameter=k>`.
* `short`: `tool>value`. `attributes`: `tool key="v"`. `lines`: `key: value` on lines of their own.
* `function`: `tool(key="v")`. `arrow`: `TOOL_CALL{tool => …}`. `pairs`: `<arg_key>`, `<arg_value>`.
"""


class Call(Struct, frozen=True, kw_only=True):
    """One call in a text.

    Attributes:
        name: name of the tool.
        arguments: JSON text as the model wrote it, or, where `textual`, the strings between the marks, whose
            types only the tool's contract knows. In form `short`, the one value of a call that names no
            parameter.
        id: the model's id of the call, or "".
        start: offset of the first character of the block.
        end: offset after its last character.
        form: how the arguments were written.
        textual: whether values are text.
    """

    name: str
    arguments: str | dict[str, Any]
    id: str = ""
    start: int
    end: int
    form: Form
    textual: bool = False


class Problem(Struct, frozen=True, kw_only=True):
    """A call that begins in a text and cannot be carried out.

    Attributes:
        start: offset of the first character.
        end: offset after the last character.
        reason: tells the model what to change.
    """

    start: int
    end: int
    reason: str


class Parsed(Struct, frozen=True, kw_only=True):
    """The calls of a text.

    Attributes:
        calls: in their order.
        text: what is left for the user.
        problems: calls that cannot be carried out.
    """

    calls: tuple[Call, ...]
    text: str
    problems: tuple[Problem, ...] = ()


class Found(NamedTuple):
    """A call before its place in the text is known."""

    name: str
    arguments: str | dict[str, Any]
    form: Form
    id: str = ""
    textual: bool = False


Read: TypeAlias = tuple[list[Found], int]
"""The calls of one block, and the offset at which reading goes on."""


class BrokenError(Exception):
    """A block that must be a call and cannot be read; the text states why."""
