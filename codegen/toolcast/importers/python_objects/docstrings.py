"""What docstrings say of a tool and of its parameters, in Google's, NumPy's or Sphinx' style."""

import inspect
from collections.abc import Mapping
from typing import Any

import griffe
from msgspec import Struct

_STYLES: Any = {style: {"warnings": False} for style in ("google", "numpy", "sphinx")}
_MAX_TEXT = 200_000
"""Characters of a docstring that are parsed."""


class DocText(Struct, frozen=True, kw_only=True):
    """A docstring in its parts.

    Attributes:
        text: what describes the whole, without the parts below.
        parameters: descriptions of parameters or fields, by name.
        returns: description of the result.
    """

    text: str = ""
    parameters: Mapping[str, str] = {}
    returns: str = ""


def read_docstring(text: str | None) -> DocText:
    """The parts of a docstring, in the style that it is written in; all of it is text where it has none."""
    if not text:
        return DocText()
    text = inspect.cleandoc(text[:_MAX_TEXT])
    sections: Any = griffe.parse_auto(griffe.Docstring(text), default="google", per_style_options=_STYLES)
    described: list[str] = []
    parameters: dict[str, str] = {}
    returns: list[str] = []
    for section in sections:
        kind = section.kind.value
        if kind == "text":
            described.append(section.value)
        elif kind == "admonition":
            described.append(f"{section.title}: {section.value.description}")
        elif kind in ("parameters", "other parameters", "attributes"):
            for each in section.value:
                parameters.setdefault(each.name.lstrip("*"), _one_paragraph(each.description))
        elif kind in ("returns", "yields"):
            returns += [_one_paragraph(each.description) for each in section.value]
    return DocText(
        text="\n\n".join(part.strip() for part in described if part.strip()),
        parameters={name: words for name, words in parameters.items() if words},
        returns="\n".join(words for words in returns if words),
    )


def _one_paragraph(text: str) -> str:
    """`text` with its paragraphs on one line each: docstrings are wrapped."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n") if part.strip())
