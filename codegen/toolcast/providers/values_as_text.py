"""Values encoded as strings: literals of other types, and any value as JSON text; and the keywords that
cannot be kept with an encoded value."""

from __future__ import annotations

from typing import Any

from ..jsonschema.keywords import METADATA, TYPE_OF
from .constraint_texts import MAX_WORDS, phrase, text
from .json_paths import Path
from .state import State
from .wire_forms import mark, unmarked

Node = dict[str, Any]
REFERENCE = '"$ref":'
LITERALS = frozenset(("default", "examples", "example"))


def texts(values: list[Any]) -> dict[str, Any]:
    """A string for each literal, in order: itself where it is a non-empty string, else its JSON text."""
    own = {value for value in values if isinstance(value, str)}
    clash = {text(value) for value in values if not isinstance(value, str)} & own
    out: dict[str, Any] = {}
    for value in values:
        as_is = isinstance(value, str) and value and value not in clash
        out.setdefault(value if as_is else text(value), value)
    return out


def as_json(state: State, node: Node, path: Path, notes: list[str], *, keyword: str = "type") -> Node:
    """Any schema as a string of JSON text, with a description; `keyword` is for the ledger."""
    constraints = {key: item for key, item in node.items() if key not in METADATA and key != "$defs"}
    words = "JSON text"
    if constraints:
        shown = unmarked(constraints) if state.encoded else constraints
        schema = _whole(state, shown, path)
        is_described = 0 < len(schema) <= MAX_WORDS
        words += f" of a value that matches this schema: {schema}" if is_described else ""
        if not is_described:
            state.note(path, keyword, "widened", "lost", "sent as JSON text, its schema beyond words")
    else:
        words += " of any value"
    notes.append(f"{words}.")
    reason = "sent as a string of JSON text, which decoding undoes"
    for key in (keyword, *constraints):
        state.note(path, key, "rewritten", "kept elsewhere", reason)
    _record_origins(state, constraints, reason)
    out = {key: item for key, item in node.items() if key in METADATA}
    out = without_literals(state, out, path, notes)
    return mark(state, {"type": "string", **out}, encoding="json")


def _record_origins(state: State, node: Node, reason: str) -> None:
    """Note the same for branches that come from other paths."""
    for keyword in ("anyOf", "oneOf", "allOf"):
        for branch in node.get(keyword, ()):
            if not isinstance(branch, dict):
                continue
            if id(branch) in state.origins:
                for key in branch:  # in this order, which no hash decides
                    if key not in METADATA:
                        state.note(state.origins[id(branch)], key, "rewritten", "kept elsewhere", reason)
            _record_origins(state, branch, reason)


def _whole(state: State, schema: Node, path: Path) -> str:
    """JSON of `schema` with the definitions that it refers to, self-contained; empty where it
    refers to the root, or anywhere else; too long ones need not be whole."""
    words = text(schema)
    if REFERENCE not in words:
        return words
    definitions: Node = {}
    pending: list[Any] = [schema]
    while pending and len(words) <= MAX_WORDS:
        each = pending.pop()
        if isinstance(each, list):
            pending += each
        elif isinstance(each, dict):
            reference = each.get("$ref")
            if isinstance(reference, str):
                name = reference.removeprefix("#/$defs/")
                if name == reference or "/" in name:
                    return ""
                if name not in definitions:
                    definitions[name], _, _ = state.target(reference, path)
                    pending.append(definitions[name])
                    words = text({**schema, "$defs": definitions})
            pending += each.values()
    return words


def without_literals(state: State, node: Node, path: Path, notes: list[str]) -> Node:
    """Describe defaults and examples, which do not have the wire form."""
    if LITERALS.isdisjoint(node):
        return node
    for key in sorted(LITERALS & node.keys()):
        state.describe(path, key, phrase(key, node[key]), notes, "is in a form that is not sent")
    return {key: item for key, item in node.items() if key not in LITERALS}


def without_idle(state: State, node: Node, kind: str, path: Path) -> Node:
    """`node`, which takes nothing of type `kind`, without keywords that speak of it: they would judge the
    form that is sent."""
    idle = [key for key in node if TYPE_OF.get(key) == kind]
    for key in idle:
        state.note(path, key, "dropped", "kept elsewhere", f"says nothing: no {kind} fits here")
    return {key: item for key, item in node.items() if key not in idle} if idle else node
