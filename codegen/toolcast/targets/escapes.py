"""Escapes for the texts of specs in each kind of file, so that none of them changes its structure (L8)."""

import html
import json
import re
import shlex
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from ..console import printable
from ..hidden_characters import escape_hidden
from .model import Type

_NAMED = re.compile(r"(`[A-Za-z0-9_.$*#/\[\]<>-]{1,100}`)")
"""A name between backticks, as messages have it: a code span already."""
_SPECIAL = re.compile(
    r"[\\`*<>&@|~#]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])"  # markup wherever it stands
    r"|\](?=[\[(:])|(?<=:)/(?=/)|(?<=www)\."  # links, also those that are made of bare addresses
    r"|^[+-]|^[0-9](?=[0-9]*(?:[.)]|$))"  # lists, also where a full stop comes after the text
)
_SPACE = re.compile(r"\s+")


def escaped(text: str) -> str:
    """Text that Markdown shows as it is: no markup but names as code, no mention, no link, one line.
    Characters that nobody sees are escaped as in JSON.
    """
    flat = _flat(text)
    parts = _NAMED.split(flat)
    return "".join(each if number % 2 else _SPECIAL.sub(_entity, each) for number, each in enumerate(parts))


def _flat(text: str) -> str:
    return _SPACE.sub(" ", escape_hidden(printable(text))).strip()


def _entity(found: re.Match[str]) -> str:
    return f"&#{ord(found[0])};" if found[0] in "<>&@/0123456789" else f"\\{found[0]}"


def code(text: str) -> str:
    """Text as a code span, whatever backticks it has."""
    flat = _flat(text) or " "
    longest = max((len(run) for run in re.findall(r"`+", flat)), default=0)
    fence = "`" * (longest + 1)
    space = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{fence}{space}{flat}{space}{fence}"


_WORDS: Final = {"any": "any value", "map": "object", "tuple": "array", "nothing": "no value"}
_MOST: Final = 6
"""Values of an enum, and branches of a union, that are shown."""
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.$-]*(?:/[A-Za-z0-9_.$-]+)*")
_END_OF_HTML: Final = re.compile(r"--(!?)>")
_BLOCK: Final = re.compile(r"^[=:]")
"""Characters that could make a heading or a table of the line before, in Markdown."""
_LONG_ESCAPE: Final = re.compile(r"\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})")


class Written(str):
    """Text that prints as it is: a template or an escape wrote it."""

    __slots__ = ()


def _json(text: str) -> str:
    """A string of JSON, which is one of JavaScript, too; what a reader does not see is escaped."""
    quoted = json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
    return escape_hidden(quoted)


def _go(text: str) -> str:
    """A string literal of Go, Python and YAML, where `\\u` has no surrogates."""
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError("a text has half of a surrogate pair, which this language cannot write")

    def joined(found: re.Match[str]) -> str:
        pair = f'"{found[0]}"'
        return f"\\U{ord(json.loads(pair)):08x}"

    return _LONG_ESCAPE.sub(joined, _json(text))


def _yaml(text: str) -> str:
    """A string of YAML in which no `---` ends front matter, for readers that look for that alone."""
    return _go(text).replace("--", "-\\u002d")


def line(text: str) -> str:
    """Write one line of a comment, which no text ends."""
    plain = escape_hidden(" ".join(text.split())).replace("*/", "* /").replace("/*", "/ *").rstrip("\\")
    return _END_OF_HTML.sub(r"-- \1>", plain)


def paragraph(text: str) -> str:
    """Write one paragraph of Markdown that keeps the lines of a text."""
    lines = (escaped(each) for each in text.splitlines())
    return "\\\n".join(_BLOCK.sub(r"\\\g<0>", each) for each in lines if each)


def cell(text: str) -> str:
    """Write code in a cell of a table of Markdown, which a bar would end."""
    return code(text).replace("|", "\\|")


def json_value(found: object, indent: int = 2) -> Written:
    """Write any value as JSON, in which no character hides; on one line with `indent` 0."""
    return Written(escape_hidden(msgspec.json.format(msgspec.json.encode(found), indent=indent).decode()))


def words(kind: Type) -> str:
    """Return a type in words, such as `array of string or null`."""
    parts: list[str] = [json_value(each, 0) for each in kind.members[:_MOST]] or [
        *dict.fromkeys(words(each) for each in kind.branches[:_MOST] if kind.kind == "union")
    ]
    left = len(kind.members or kind.branches) - _MOST
    parts += [f"{left} more"] if left > 0 and parts else []
    plain = kind.name or _WORDS.get(kind.kind, kind.kind)
    found = (" | " if kind.members else " or ").join(parts) or plain
    if kind.kind in ("array", "map") and kind.element is not None:
        found = f"{plain} of {words(kind.element)}"
    stated = "null" in parts or kind.kind == "any"
    return f"{found} or null" if kind.nullable and not stated else found


def fenced(text: str) -> str:
    """A block of Markdown that shows all lines of a text as they are."""
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", text)), 0)
    return f"{fence}text\n{escape_hidden(text)}\n{fence}"


def name(text: str) -> str:
    """A name that is an identifier, or several of those with `.`, `/` or `-` between. Raises ValueError."""
    if not _NAME.fullmatch(text):
        raise ValueError(f"{text!r} is not written as a name")
    return text


ESCAPES: Final[Mapping[str, Callable[[str], str]]] = {
    "json": _json,
    "go": _go,
    "python": _go,
    "yaml": _yaml,
    "line": line,
    "markdown": escaped,
    "html": lambda text: html.escape(escape_hidden(text)),
    "shell": lambda text: shlex.quote(escape_hidden(text)),
}
"""The default of a target by its `escape`; each is also a filter of templates, as are others below."""
FILTERS: Final[Mapping[str, Callable[[str], str]]] = {
    **ESCAPES, "name": name, "code": code, "cell": cell, "paragraph": paragraph, "fenced": fenced,
}  # fmt: skip
"""Each writes a text."""
