"""Texts of others in Markdown: nothing of them is markup."""

import re

from .console import printable
from .hidden_characters import escape_hidden

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
