"""libyaml's complaints in plain words, at the place that a person must look at."""

from typing import Any, Final

from .reader_problems import Lines, Problem, quoted

# libyaml's wording → (message, hint, whether the start of the construct is the better place).
_WORDS: Final[dict[str, tuple[str, str, bool]]] = {
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


def explain(error: Any, text: str) -> Problem:
    """The problem behind a `yaml.MarkedYAMLError`. `text` is what libyaml was given."""
    raw: str = error.problem
    if raw == "found character that cannot start any token":
        return _bad_start(error, text)
    message, hint, at_context = _WORDS.get(
        raw, (f"this is not valid YAML: {raw}", "put unusual text in quotes", False)
    )
    mark = error.problem_mark or error.context_mark
    if at_context and error.context_mark is not None:
        mark = error.context_mark
    line, column = mark.line + 1, mark.column + 1
    if mark.index >= len(text):
        line, column = Lines(text).place(len(text))  # libyaml counts a line that is not there
        if raw == "did not find expected node content":
            message, hint = "the text ends before a `[` or `{` is closed", "add the closing bracket"
    return Problem(line=line, column=column, code="syntax", message=message, hint=hint)


def _bad_start(error: Any, text: str) -> Problem:
    mark = error.problem_mark
    start = text[mark.index : mark.index + 1]
    if start == "\t":
        message, hint = "a tab indents this line", "indent with spaces"
    else:
        message = f"text cannot start with {quoted(start)} without quotes"
        hint = "put the text in quotes"
    return Problem(line=mark.line + 1, column=mark.column + 1, code="syntax", message=message, hint=hint)
