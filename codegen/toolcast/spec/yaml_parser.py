"""libyaml's event stream over a text, with YAML 1.2's line breaks; its errors as problems with hints.

PyYAML is imported on first use.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from .positions import Lines
from .reader_problems import Limits, Problem, RefusedError, quoted, too_deep

# libyaml follows YAML 1.1, where these end a line; in 1.2 they are ordinary characters. They are swapped
# for private-use characters before parsing and swapped back in every scalar.
_OLD_BREAKS = re.compile("[\x85\u2028\u2029]")

# What libyaml's reader refuses: all outside c-printable (YAML 1.2.2, 5.1).
_FORBIDDEN = "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"


def open_parser(text: str) -> tuple[Any, Mapping[int, str]]:
    """A libyaml parser over `text`, and the translation that every scalar's value needs (often empty).

    Raises `RefusedError` where PyYAML came without libyaml, or where it refuses a character.
    """
    # Imported here: a project whose specs are JSON, or unchanged, does not need it.
    try:
        from yaml._yaml import CParser
        from yaml.reader import ReaderError
    except ImportError:
        raise RefusedError(
            Problem(
                1,
                1,
                "yaml-unavailable",
                "YAML cannot be read here: PyYAML is missing or was built without libyaml",
                "run pip install 'toolcast[build]' with a PyYAML wheel, or write the spec as JSON",
            )
        ) from None

    swapped, restored = _replace_old_breaks(text)
    try:
        return CParser(swapped), restored
    except ReaderError:
        raise forbidden_character(text) from None


def forbidden_character(text: str) -> RefusedError:
    """The problem with the first character of `text` that YAML does not allow raw."""
    found = re.search(_FORBIDDEN, text)  # compiled here: it takes longer than to read a small spec
    offset = found.start() if found else 0
    line, column = Lines(text).position(offset)
    code = f"U+{ord(text[offset]):04X}" if text else "?"
    return RefusedError(
        Problem(
            line,
            column,
            "control-character",
            f"the character {code} may not stand in a YAML file as it is",
            'remove it, or write it as an escape inside double quotes, such as "\\x07" or "\\u0007"',
        )
    )


def _replace_old_breaks(text: str) -> tuple[str, dict[int, str]]:
    if text.isascii() or not _OLD_BREAKS.search(text):
        return text, {}
    lowered = text.lower()
    # A replacement must not occur in the text, neither raw nor as an escape.
    free = (c for c in map(chr, range(0xE000, 0xF8FF)) if c not in text and f"{ord(c):x}" not in lowered)
    replaced: dict[int, str] = {}
    restored: dict[int, str] = {}
    for old in sorted(set(_OLD_BREAKS.findall(text))):
        new = next(free, None)
        if new is None:
            line, column = Lines(text).position(text.index(old))
            raise RefusedError(
                Problem(
                    line,
                    column,
                    "control-character",
                    f"the line separator U+{ord(old):04X} cannot be read in this file",
                    "write it as an escape inside double quotes",
                )
            )
        replaced[ord(old)] = new
        restored[ord(new)] = old
    return text.translate(replaced), restored


# libyaml's wording → (message, hint, whether the position is the start of the construct).
_EXPLANATIONS: Final[dict[str, tuple[str, str, bool]]] = {
    "mapping values are not allowed in this context": (
        "a `:` makes a key here, where none can stand",
        "put text that holds `: ` in quotes, or check the indentation",
        False,
    ),
    "could not find expected ':'": (
        "a `:` is missing after this key, or the text goes on without quotes",
        "write `key: value`, or indent the text's next lines",
        True,
    ),
    "did not find expected key": (
        "this does not line up with the keys above, or ends them early",
        "check the indentation, and quote text that starts with a quote, bracket or other special character",
        False,
    ),
    "did not find expected '-' indicator": (
        "this does not line up with the list above",
        "start each item with `- ` in the same column",
        False,
    ),
    "did not find expected ',' or ']'": (
        "a list in [ ] is not closed, or lacks a comma",
        "add the `,` or `]`; quote items that hold special characters",
        True,
    ),
    "did not find expected ',' or '}'": (
        "a mapping in { } is not closed, or lacks a comma",
        "add the `,` or `}`; quote texts that hold special characters",
        True,
    ),
    "did not find expected node content": (
        "a value was expected here",
        "write the value, or remove the extra `,`",
        False,
    ),
    "found unexpected end of stream": (
        "a quoted text is never closed",
        "add the closing quote",
        True,
    ),
    "found unexpected document indicator": (
        "a quoted text runs into a `---` or `...` line",
        "close the quote before that line",
        True,
    ),
    "found unknown escape character": (
        "this backslash escape does not exist",
        "use single quotes for text with backslashes, or write each as \\\\",
        False,
    ),
    "did not find expected hexdecimal number": (
        "a \\x, \\u or \\U escape lacks hexadecimal digits",
        "write \\xHH, \\uHHHH or \\UHHHHHHHH, or use single quotes for text with backslashes",
        False,
    ),
    "found invalid Unicode character escape code": (
        "this escape is half of a surrogate pair, or no character at all",
        "write the character itself, or one \\U escape with eight digits such as \\U0001F600",
        False,
    ),
    "found a tab character where an indentation space is expected": (
        "a tab indents this line",
        "indent with spaces",
        False,
    ),
    "found a tab character that violates indentation": (
        "a tab indents this line",
        "indent with spaces",
        False,
    ),
    "did not find expected alphabetic or numeric character": (
        "a `*` or `&` at the start makes an alias or an anchor, and its name is missing",
        "put text that starts with `*` or `&` in quotes",
        True,
    ),
    "block sequence entries are not allowed in this context": (
        "a list item cannot stand here",
        "start the list on its own line, below its key",
        False,
    ),
    "mapping keys are not allowed in this context": (
        "a `? ` makes a key here, where none can stand",
        "put text that starts with `? ` in quotes",
        False,
    ),
    "did not find expected <document start>": (
        "the text goes on after its value has ended",
        "check the indentation and the brackets above this line",
        False,
    ),
    "found undefined tag handle": (
        "a `!` at the start makes a tag, and this one is not known",
        "put text that starts with `!` in quotes",
        True,
    ),
    "found incompatible YAML document": (
        "the file declares a version of YAML that is not 1.2",
        "remove the %YAML line",
        False,
    ),
}


def explain_error(error: Any, text: str, limits: Limits) -> Problem:
    """The problem of a `yaml.MarkedYAMLError`. `text` is the text that libyaml read."""
    raw: str = error.problem
    if raw == "exceeded maximum nesting depth":  # of libyaml, from 0.2.6 on, before any event
        return too_deep(error.problem_mark.line + 1, error.problem_mark.column + 1, limits)
    if raw == "found character that cannot start any token":
        return _bad_start(error, text)
    message, hint, at_context = _EXPLANATIONS.get(
        raw, (f"this is not valid YAML: {raw}", "put unusual text in quotes", False)
    )
    mark = error.problem_mark or error.context_mark
    if at_context and error.context_mark is not None:
        mark = error.context_mark
    line, column = mark.line + 1, mark.column + 1
    if mark.index >= len(text):
        line, column = Lines(text).position(len(text))  # libyaml counts a line that is not there
        if raw == "did not find expected node content":
            message, hint = "the text ends before a `[` or `{` is closed", "add the closing bracket"
    return Problem(line, column, "syntax", message, hint)


def _bad_start(error: Any, text: str) -> Problem:
    mark = error.problem_mark
    start = text[mark.index : mark.index + 1]
    if start == "\t":
        message, hint = "a tab indents this line", "indent with spaces"
    else:
        message = f"text cannot start with {quoted(start)} without quotes"
        hint = "put the text in quotes"
    return Problem(mark.line + 1, mark.column + 1, "syntax", message, hint)
