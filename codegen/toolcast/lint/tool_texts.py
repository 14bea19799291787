"""The words of a tool, by where they stand: what a search of tools reads, and what two tools are compared
by.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from msgspec import Struct, structs

from ..agents.search_index import search_words
from ..spec.summary import first_sentence
from .descriptions import properties
from .linted_tool import Subject
from .words import EMPTY, SMALL, among, name_words, stem

NEUTRAL: Final = (
    SMALL
    | EMPTY
    | among(
        "also allow allows basically comprehensive convenient easily easy efficient efficiently "
        "enable enables great helpful just note please powerful provide provides quickly really "
        "robust seamless seamlessly simple simply useful very "
        "if no not such their then there they was do does did how what when where which who whose why but"
    )
)
"""Words that say nothing of what a tool does. No measure counts them."""

MAX_EXAMPLES: Final = 5
"""Examples of a tool that are read."""
_MAX_TEXT: Final = 2_000
"""Characters of a description of a parameter, or of a value, that are read."""
_MAX_VALUES: Final = 1_000
"""Keys and values of an example that are read."""
_MAX_WORDS: Final = 64
"""Different words of one text that are compared."""


class ToolTexts(Struct, frozen=True, kw_only=True):
    """What is written about one tool. `details` is the description without its first sentence."""

    name: str
    group: str = ""
    summary: str
    details: str
    parameters: tuple[str, ...]  # names, at any depth
    parameter_texts: tuple[str, ...]
    examples: tuple[Any, ...] = ()


def tool_texts(subject: Subject) -> ToolTexts:
    """The texts of a spec, as written."""
    tool = subject.tool
    written = texts(
        tool.name, tool.description, subject.parameters, summary=tool.summary, examples=tool.examples
    )
    return structs.replace(written, group=tool.group)


def texts(
    name: str,
    description: str,
    parameters: Mapping[str, Any],
    *,
    summary: str = "",
    examples: tuple[Any, ...] = (),
) -> ToolTexts:
    """The texts of a tool.

    Args:
        name: its name.
        description: its description in full.
        parameters: the JSON Schema of its arguments.
        summary: its summary; the first sentence of the description if empty.
        examples: arguments that fit.

    Returns:
        The texts; of the examples the first `MAX_EXAMPLES`.
    """
    short = summary or first_sentence(description)
    whole = " ".join(description.split())
    listed = properties(parameters)
    described = [schema.get("description") for _, _, schema in listed]
    return ToolTexts(
        name=name,
        summary=short,
        details=whole.removeprefix(short),
        parameters=tuple(name for _, name, _ in listed),
        parameter_texts=tuple(text[:_MAX_TEXT] for text in described if isinstance(text, str)),
        examples=examples[:MAX_EXAMPLES],
    )


def separated(name: str) -> str:
    """The words of an identifier, separated by spaces."""
    return " ".join(name_words(name)) or name


def meaningful(text: str) -> tuple[str, ...]:
    """The words of a text in any script that say something, each once: in lower case, without the ending of
    a plural. The first `_MAX_WORDS`.
    """
    words = search_words(text.casefold())  # "GitHub" is one word of a text
    return tuple(islice(dict.fromkeys(map(stem, telling(words))), _MAX_WORDS))


def telling(words: Iterable[str]) -> Iterator[str]:
    """Those words that say something of what a tool does."""
    return (word for word in words if word not in NEUTRAL and stem(word) not in NEUTRAL)


def names_other(tool: ToolTexts, other: ToolTexts) -> bool:
    """Whether a description names another tool: as an identifier that is no plain word, or in quotes."""
    name = re.escape(other.name)
    quoted = rf"[`'\"]{name}[`'\"]"
    plain = rf"(?<![\w-]){name}(?![\w-])"
    pattern = quoted if other.name.isalpha() and other.name.islower() else plain
    return re.search(pattern, f"{tool.summary} {tool.details}") is not None


def example_text(value: Any) -> str:
    """The keys and values of an example as one text, in order."""
    return " ".join(_pieces(value))


def _pieces(value: Any) -> Iterator[str]:
    waiting = [value]
    for _ in range(_MAX_VALUES):
        if not waiting:
            return
        each = waiting.pop()
        if isinstance(each, Mapping):
            for key, item in reversed([*each.items()]):
                waiting += (item, _Key(key))
        elif isinstance(each, list):
            waiting += reversed(each)
        elif isinstance(each, _Key):
            yield separated(each)
        elif each is not None and not isinstance(each, bool):
            yield str(each)[:_MAX_TEXT]


class _Key(str):
    """A key of an example, whose words may be joined as in an identifier."""
