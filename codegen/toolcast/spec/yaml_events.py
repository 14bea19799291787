"""libyaml's event stream over a text, with YAML 1.2's idea of a line. Imports PyYAML on first use."""

import re
from collections.abc import Mapping
from typing import Any

from .reader_problems import Lines, Problem, RefusedError

# libyaml follows YAML 1.1, where these end a line; in 1.2 they are ordinary characters. They are swapped
# for private-use characters before parsing and swapped back in every scalar.
_OLD_BREAKS = re.compile("[\x85\u2028\u2029]")

# What libyaml's reader refuses: all outside c-printable (YAML 1.2.2, 5.1).
_FORBIDDEN = "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"


def open_events(text: str) -> tuple[Any, Mapping[int, str]]:
    """A libyaml parser over `text`, and the translation that every scalar's value needs (often empty).

    Raises `RefusedError` where PyYAML came without libyaml, or where it refuses a character.
    """
    # Loaded here, so that a project whose specs are JSON, or unchanged, never pays for it.
    try:
        from yaml._yaml import CParser
        from yaml.reader import ReaderError
    except ImportError:
        raise RefusedError(
            Problem(
                line=1,
                column=1,
                code="yaml-unavailable",
                message="YAML cannot be read here: PyYAML is missing or was built without libyaml",
                hint="run pip install 'toolcast[build]' with a PyYAML wheel, or write the spec as JSON",
            )
        ) from None

    swapped, back = _swap_old_breaks(text)
    try:
        return CParser(swapped), back
    except ReaderError:
        raise forbidden_character(text) from None


def forbidden_character(text: str) -> RefusedError:
    """The problem with the first character of `text` that YAML does not allow raw."""
    found = re.search(_FORBIDDEN, text)  # compiled here: it takes longer than to read a small spec
    offset = found.start() if found else 0
    line, column = Lines(text).place(offset)
    code = f"U+{ord(text[offset]):04X}" if text else "?"
    return RefusedError(
        Problem(
            line=line,
            column=column,
            code="control-character",
            message=f"the character {code} may not stand in a YAML file as it is",
            hint='remove it, or write it as an escape inside double quotes, such as "\\x07" or "\\u0007"',
        )
    )


def _swap_old_breaks(text: str) -> tuple[str, dict[int, str]]:
    if text.isascii() or not _OLD_BREAKS.search(text):
        return text, {}
    lowered = text.lower()
    # A stand-in must not occur in the text, neither raw nor spelled as an escape.
    free = (c for c in map(chr, range(0xE000, 0xF8FF)) if c not in text and f"{ord(c):x}" not in lowered)
    there: dict[int, str] = {}
    back: dict[int, str] = {}
    for old in sorted(set(_OLD_BREAKS.findall(text))):
        new = next(free, None)
        if new is None:
            line, column = Lines(text).place(text.index(old))
            raise RefusedError(
                Problem(
                    line=line,
                    column=column,
                    code="control-character",
                    message=f"the line separator U+{ord(old):04X} cannot be read in this file",
                    hint="write it as an escape inside double quotes",
                )
            )
        there[ord(old)] = new
        back[ord(new)] = old
    return text.translate(there), back
