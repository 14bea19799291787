"""The keys of the tables of a text format, from docstrings, for docs/reference/text-calls.md."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import getdoc
from typing import Any

import griffe
import msgspec
from toolcast.text_formats.text_format import CallForm, Markers, ParameterForm

TABLES: tuple[tuple[str, type[msgspec.Struct]], ...] = (
    ("Of `[[calls]]`", CallForm),
    ("Of `parameters`", ParameterForm),
    ("Of `sections`, `thoughts` and `results`", Markers),
)


def keys_list() -> str:
    """Write all keys.

    Returns:
        Markdown: a list for each table of the file.
    """
    return "\n\n".join("\n".join(_table(title, kind)) for title, kind in TABLES)


def _table(title: str, kind: type[msgspec.Struct]) -> Iterator[str]:
    yield f"**{title}**:"
    yield ""
    described = _described(kind)
    for field in msgspec.structs.fields(kind):
        shown = "" if field.required or field.default in ((), "") else _shown(field.default)
        default = f" (default: {shown})" if shown else ""
        yield f"* `{field.encode_name}`: {described[field.name]}{default}"


def _described(kind: type[msgspec.Struct]) -> dict[str, str]:
    """What the class says about each of its fields, on one line."""
    sections = griffe.Docstring(getdoc(kind) or "").parse("google")
    return {
        item.name: " ".join(item.description.split()).removesuffix(".")
        for section in sections
        if section.kind is griffe.DocstringSectionKind.attributes
        for item in section.value
    }


def _shown(default: Any) -> str:
    if isinstance(default, tuple):
        return ", ".join(f"`{each}`" for each in default)
    return f"`{str(default).lower() if isinstance(default, bool) else default}`"
