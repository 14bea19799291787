"""The operations of keywords that hold no schema. All have one signature."""

# ruff: noqa: ARG001 - the table calls every operation alike, whether it needs all arguments or not
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from ..jsonschema.upgrade import NEWEST, outdated
from .arrays_and_objects import describe
from .constraint_texts import describes_default
from .inline_references import keep_reference
from .json_paths import Path
from .json_types import ATOMS, KINDS, copied
from .pattern_features import supported_pattern
from .profiles.dialect import disposition
from .renames import holds_names, sent_under
from .state import State
from .type_keyword import checked_types
from .wire_forms import MARK

Node = dict[str, Any]
Op = Callable[[State, Node, str, Any, Node, Path, list[str]], None]


def reference(
    state: State, node: Node, key: str, value: Any, out: Node, path: Path, notes: list[str]
) -> None:
    """Keep a reference; its target is queued."""
    out[key] = keep_reference(state, value, path)


def keep_type(
    state: State, node: Node, key: str, value: Any, out: Node, path: Path, notes: list[str]
) -> None:
    """A type, if JSON Schema knows it."""
    if value.__class__ is str and value in KINDS:
        out[key] = value
    else:
        out[key] = (
            list(checked_types(node, path)) if isinstance(value, list) else checked_types(node, path)[0]
        )


def draft(state: State, node: Node, key: str, value: Any, out: Node, path: Path, notes: list[str]) -> None:
    """The name of a draft; an older one is replaced by the newest."""
    out[key] = value
    if outdated(value):
        out[key] = NEWEST
        state.note(path, key, "rewritten", "kept elsewhere", "names the draft that this is raised to")


def inlined(state: State, node: Node, key: str, value: Any, out: Node, path: Path, notes: list[str]) -> None:
    """Definitions of a dialect that has none."""
    state.note(path, key, "inlined", "kept elsewhere", "definitions stand where they are referred to")


def closed(state: State, path: Path, key: str, out: Node) -> None:
    """`additionalProperties`, which is not false, where it must be."""
    out[key] = False
    state.block(path, key, "keys that no property declares are allowed, which strict cannot say")


def drop(state: State, node: Node, key: str, value: Any, out: Node, path: Path, notes: list[str]) -> None:
    """Drop the keyword; the ledger has it."""
    state.note(path, key, "dropped", "lost", "this dialect lacks the keyword")


def omitted(state: State, node: Node, key: str, value: Any, out: Node, path: Path, notes: list[str]) -> None:
    """Omit a keyword that constrains nothing, and costs tokens in every request."""
    state.note(path, key, "dropped", "kept elsewhere", "constrains nothing, and no model needs it")


def describe_keyword(
    state: State, node: Node, key: str, value: Any, out: Node, path: Path, notes: list[str]
) -> None:
    """State the constraint in the description."""
    if key == "default" and describes_default(node.get("description"), value):
        state.note(path, key, "spilled", "kept elsewhere", "the description tells it already")
    else:
        describe(state, path, key, value, notes)


def block(state: State, node: Node, key: str, value: Any, out: Node, path: Path, notes: list[str]) -> None:
    """Give the mode up."""
    state.block(path, key, "this dialect lacks the keyword")


def marked(state: State, node: Node, key: str, value: Any, out: Node, path: Path, notes: list[str]) -> None:
    """The marks of a rewrite, joined with those that operations have made before."""
    more = out.get(MARK)
    out[key] = value if more is None else replace(value, names=more.names, nulls=more.nulls)


def renamed_list(
    state: State, node: Node, key: str, value: Any, out: Node, path: Path, notes: list[str]
) -> None:
    """Names of properties, some of which are sent under another name."""
    names = state.renames
    if not names or not isinstance(value, list):
        out[key] = copied(value)
        return
    out[key] = [names.get(name, name) for name in value]
    sent_under(state, out, value)


def renamed_lists(
    state: State, node: Node, key: str, value: Any, out: Node, path: Path, notes: list[str]
) -> None:
    """The same, for each of some properties."""
    names = state.renames
    if not names or not isinstance(value, dict):
        out[key] = copied(value)
        return
    out[key] = {names.get(name, name): [names.get(one, one) for one in ones] for name, ones in value.items()}
    sent_under(state, out, [*value, *(one for ones in value.values() for one in ones)])


def renamed_literals(
    state: State, node: Node, key: str, value: Any, out: Node, path: Path, notes: list[str]
) -> None:
    """Literals, unless they have a property that is sent under another name."""
    if state.renames and holds_names(state, value):
        describe(state, path, key, value, notes)
    else:
        out[key] = copied(value)


def format(state: State, node: Node, key: str, value: Any, out: Node, path: Path, notes: list[str]) -> None:
    """A format, if the dialect knows it."""
    dialect = state.dialect
    if dialect.formats is None or value in dialect.formats:
        out[key] = value
    elif dialect.other_formats == "describe":
        describe(state, path, key, value, notes)
    elif dialect.other_formats == "drop":
        drop(state, node, key, value, out, path, notes)
    elif dialect.other_formats == "block":
        block(state, node, key, value, out, path, notes)
    else:
        out[key] = value


def pattern(state: State, node: Node, key: str, value: Any, out: Node, path: Path, notes: list[str]) -> None:
    """A pattern, if the provider can compile it."""
    if supported_pattern(state.dialect, value) is None:
        describe(state, path, key, value, notes)
    else:
        out[key] = value


def guarded(state: State, node: Node, key: str, value: Any, out: Node, path: Path, notes: list[str]) -> None:
    """A keyword that the dialect knows under some conditions only."""
    dialect = state.dialect
    if (
        (key in dialect.integers_only and not _integer(node))
        or any(key == one and _number(value) and value > most for one, most in dialect.at_most)
        or (dialect.pattern_alone and key in LENGTHS and _shaped(state, node))
    ):
        describe(state, path, key, value, notes)
    else:
        out[key] = value if value.__class__ in ATOMS else copied(value)


LENGTHS = frozenset(("minLength", "maxLength"))


def _integer(node: Node) -> bool:
    kinds = node.get("type")
    return kinds == "integer" or (isinstance(kinds, list) and set(kinds) - {"null"} == {"integer"})


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _shaped(state: State, node: Node) -> bool:
    """Whether a pattern or a format of this node is kept."""
    dialect = state.dialect
    dispositions = {"keep"} if dialect.other == "keep" else set[str]()
    return any(
        key in node
        and disposition(dialect, key) == "keep"
        and (
            supported_pattern(dialect, node[key]) is not None
            if key == "pattern"
            else dialect.formats is None
            or node[key] in dialect.formats
            or dialect.other_formats in dispositions
        )
        for key in ("pattern", "format")
    )
