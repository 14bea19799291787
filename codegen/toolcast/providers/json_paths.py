"""JSON pointers: written lazily while walking, read when a reference is followed (RFC 6901)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote

from ..jsonschema.pointers import child, escape, unescape
from .provider_errors import SchemaError

MAX_SEGMENTS = 200
"""Anchors below more are ignored."""

Path = tuple[Any, str] | None
"""A path while walking: `(parent, segment)`, `None` at the root. Cheap to extend."""


def pointer(path: Path) -> str:
    """The JSON pointer of `path`, with `~` and `/` escaped."""
    out = ""
    while path is not None:
        path, segment = path
        out = f"/{escape(segment)}{out}"
    return out


def extended(path: Path, segments: Iterable[str | int]) -> Path:
    """`path` with further segments."""
    for segment in segments:
        path = path, str(segment)
    return path


def parse(reference: str, at: Path) -> tuple[str, ...]:
    """The segments of a local reference such as `#/$defs/a~1b`; `#` is empty. Raises `SchemaError`."""
    if reference in ("#", "#/"):
        return ()
    if not reference.startswith("#/"):
        raise SchemaError(
            pointer(at),
            f"the reference {reference!r} does not point into this schema",
            "bundle what it refers to under $defs and use '#/$defs/Name'",
        )
    raw = unquote(reference[2:]) if "%" in reference else reference[2:]
    return tuple(map(unescape, raw.split("/")))


def resolve(document: Any, segments: tuple[str, ...], reference: str, at: Path) -> tuple[Any, Path]:
    """The schema at `segments` of `document`, and its path. Raises `SchemaError` where there is none."""
    value: Any = document
    path: Path = None
    for segment in segments:
        try:
            value = child(value, segment)
        except LookupError:
            raise SchemaError(
                pointer(at),
                f"the reference {reference!r} leads nowhere: {pointer(path) or '#'} has no {segment!r}",
                "define it, or correct the reference",
            ) from None
        path = (path, segment)
    if not isinstance(value, dict | bool):
        raise SchemaError(pointer(at), f"the reference {reference!r} leads to something that is no schema")
    return value, path


def anchors(document: Any) -> dict[str, tuple[str, ...]]:
    """Every `$anchor` in a document with the segments that lead to it; the first of a name wins."""
    found: dict[str, tuple[str, ...]] = {}
    queue: list[tuple[Any, tuple[str, ...]]] = [(document, ())]
    while queue:
        value, segments = queue.pop()
        if len(segments) > MAX_SEGMENTS:
            continue
        if isinstance(value, dict):
            name = value.get("$anchor")
            if isinstance(name, str):
                found.setdefault(name, segments)
            queue.extend((item, (*segments, str(key))) for key, item in value.items())
        elif isinstance(value, list):
            queue.extend((item, (*segments, str(i))) for i, item in enumerate(value))
    return found
