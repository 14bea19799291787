"""What the table does at a keyword that holds no schema. All operations share one signature."""

# ruff: noqa: ARG001 - the table calls every operation alike, whether it needs all arguments or not
from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from .kinds import KINDS
from .literals import checked_types
from .paths import Path
from .refs import kept
from .state import State
from .structure import said
from .values import copied

Node = dict[str, Any]
MAX_PATTERN = 4_000
LOOKAROUND = re.compile(r"\(\?<?[=!]")


@lru_cache(maxsize=1024)
def compiles(pattern: Any) -> bool:
    """Whether Python's `re` takes a pattern."""
    if not isinstance(pattern, str) or len(pattern) > MAX_PATTERN:
        return False
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


def reference(
    state: State, node: Node, key: str, value: Any, out: Node, path: Path, notes: list[str]
) -> None:
    """Keep a reference; its target is queued."""
    out[key] = kept(state, value, path)


def stated(state: State, node: Node, key: str, value: Any, out: Node, path: Path, notes: list[str]) -> None:
    """A type, if JSON Schema knows it."""
    if value.__class__ is str and value in KINDS:
        out[key] = value
    else:
        out[key] = (
            list(checked_types(node, path)) if isinstance(value, list) else checked_types(node, path)[0]
        )


def inlined(state: State, node: Node, key: str, value: Any, out: Node, path: Path, notes: list[str]) -> None:
    """Definitions of a dialect that has none."""
    state.note(path, key, "inlined", "kept elsewhere", "definitions stand where they are referred to")


def closed(state: State, node: Node, key: str, value: Any, out: Node, path: Path, notes: list[str]) -> None:
    """`additionalProperties` where it must be false."""
    out[key] = False
    if value is not False:
        state.block(path, key, "keys that no property declares are allowed, which strict cannot say")


def drop(state: State, node: Node, key: str, value: Any, out: Node, path: Path, notes: list[str]) -> None:
    """Only the ledger tells."""
    state.note(path, key, "dropped", "lost", "this dialect lacks the keyword")


def spill(state: State, node: Node, key: str, value: Any, out: Node, path: Path, notes: list[str]) -> None:
    """Said in the description."""
    said(state, path, key, value, notes)


def block(state: State, node: Node, key: str, value: Any, out: Node, path: Path, notes: list[str]) -> None:
    """The mode is given up."""
    state.block(path, key, "this dialect lacks the keyword")


def marked(state: State, node: Node, key: str, value: Any, out: Node, path: Path, notes: list[str]) -> None:
    """What a rewrite noted for the way back."""
    out[key] = value


def renamed_list(
    state: State, node: Node, key: str, value: Any, out: Node, path: Path, notes: list[str]
) -> None:
    """Names of properties, some of which are sent under another name."""
    names = state.renames
    out[key] = (
        [names.get(name, name) for name in value] if names and isinstance(value, list) else copied(value)
    )


def renamed_lists(
    state: State, node: Node, key: str, value: Any, out: Node, path: Path, notes: list[str]
) -> None:
    """The same, for each of some properties."""
    names = state.renames
    if not names or not isinstance(value, dict):
        out[key] = copied(value)
        return
    out[key] = {names.get(name, name): [names.get(one, one) for one in ones] for name, ones in value.items()}


def format(state: State, node: Node, key: str, value: Any, out: Node, path: Path, notes: list[str]) -> None:
    """A format, if the dialect knows it."""
    dialect = state.dialect
    if dialect.formats is None or value in dialect.formats:
        out[key] = value
    elif dialect.other_formats == "spill":
        said(state, path, key, value, notes)
    elif dialect.other_formats == "drop":
        drop(state, node, key, value, out, path, notes)
    elif dialect.other_formats == "block":
        block(state, node, key, value, out, path, notes)
    else:
        out[key] = value


def pattern(state: State, node: Node, key: str, value: Any, out: Node, path: Path, notes: list[str]) -> None:
    """A pattern, if the provider can compile it."""
    dialect = state.dialect
    looks = not dialect.lookaround and isinstance(value, str) and LOOKAROUND.search(value)
    if looks or (dialect.patterns == "python" and not compiles(value)):
        said(state, path, key, value, notes)
    else:
        out[key] = value
