"""Descriptions of parameters that state again what their schema states: a model reads it twice, and pays
twice.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from .descriptions import properties, readable
from .finding import Finding
from .linted_tool import Subject
from .words import KINDS, SMALL, among, is_dense, name_words, stem, text_words

_FRAME: Final = (
    SMALL
    | KINDS
    | among(
        "accepted allowed any between bool can characters choice choices choose default defaults dict "
        "e.g eg either equal exactly float format greater if int items large larger least less "
        "letters limit long max maximum min minimum more most must not omitted one only option "
        "optional options pick possible range required set should small smaller specified than then "
        "unless up valid values when"
    )
)
"""Words that state a type, a default, a choice or a bound."""
_BRACKETS: Final = re.compile(r"\(([^()]*)\)")
_BRACKET: Final = "\0"
"""Stands for what was in brackets: it explains the words before, so that these repeat nothing."""
_PARTS: Final = re.compile(r"[;\n]|[.](?=\s|\Z)|,\s*(?=(?:the )?(?:default|max|min))", re.IGNORECASE)
_BOUNDS: Final = (
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength"),
    *("minItems", "maxItems", "multipleOf"),
)
_BRANCHES: Final = ("anyOf", "oneOf", "allOf")
_SCALARS: Final = (str, int, float)
_MOST: Final = 1_000
"""Values of a schema that are read."""
_MAX_TEXT: Final = 10_000
"""Characters of a description that are read."""
_SHOWN: Final = 5
"""Parameters that a finding names."""


def repeated_parts(name: str, schema: Mapping[str, Any], text: str) -> tuple[str, ...]:
    """The parts of a description that say only what its schema says.

    A part is a sentence, what stands in brackets or after a colon, or what begins with the default or a
    bound. It repeats the schema if it has values of it, words for a type, a default, a choice or a bound,
    and no others: "Defaults to 10.", "(asc or desc)". Where a value is explained, the part has other words.

    Args:
        name: of the parameter.
        schema: its JSON Schema.
        text: its description.

    Returns:
        The parts, in order; none for scripts without spaces between words.
    """
    if is_dense(text):
        return ()
    text = text[:_MAX_TEXT]
    own = {stem(word) for word in name_words(name)}
    nodes = _nodes(schema)
    bounds = _stated(node[key] for node in nodes for key in _BOUNDS if key in node)
    values = bounds | _stated(value for node in nodes for value in _choices(node))
    default = bounds | _stated(node["default"] for node in nodes if "default" in node)
    found: list[str] = []
    brackets = (inner for inner in _BRACKETS.findall(text))
    for part in (
        *_PARTS.split(_BRACKETS.sub(_BRACKET, text)),
        *(each for inner in brackets for each in _PARTS.split(inner)),
    ):
        words = _words(part)
        stated = (default if "default" in words else values) - own - _FRAME
        repeats = [word for word in words if word in stated]
        if (
            repeats
            and _BRACKET not in part
            and len(words) > 1  # one value alone in brackets explains the word before it
            and all(word in stated or word in own or word in _FRAME for word in words)
        ):
            found.append(part.strip(" -*,"))
    return tuple(found)


def _words(text: str) -> list[str]:
    return [stem(part) for word in text_words(text) for part in (name_words(word) or (word,))]


def _nodes(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """A schema, its alternatives, and the items of a list."""
    nodes: list[Any] = [schema, schema.get("items")]
    nodes += [each for key in _BRANCHES for each in schema.get(key, ())[:_MOST]]
    return [node for node in nodes if isinstance(node, Mapping)]


def _choices(node: Mapping[str, Any]) -> Iterator[Any]:
    yield from node.get("enum", ())[:_MOST]
    yield from (node[key] for key in ("const", "format") if key in node)


def _stated(values: Iterable[Any]) -> frozenset[str]:
    """The words of values; a list or an object has none."""
    texts = (
        f"{value:g}" if isinstance(value, float) else str(value)
        for value in values
        if isinstance(value, _SCALARS)
    )
    return frozenset(word for text in texts for word in _words(text))


def repeated_text(subject: Subject) -> Iterator[Finding]:
    """One finding for all parameters whose description repeats the schema."""
    found: list[tuple[Any, str]] = []
    for path, name, schema in properties(subject.parameters):
        text = schema.get("description")
        if isinstance(text, str) and (parts := repeated_parts(name, schema, text)):
            found.append((path, f"`{readable(path)}` ({parts[0]!r})"))
    if found:
        names = ", ".join(shown for _, shown in found[:_SHOWN])
        more = f", and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        message = f"descriptions repeat what the schema states: {names}{more}"
        fix = "leave it out, or say what a value does and when to choose it: a model reads the schema, too"
        yield subject.finding("repeats-schema", message, fix, schema=found[0][0])
