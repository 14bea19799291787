"""The operations of keywords that hold schemas: each is walked; some must not be widened."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ..jsonschema.keywords import SCHEMA, SCHEMA_LIST, SCHEMA_MAP
from . import union_overlaps
from .accepted_types import shapes
from .arrays_and_objects import describe
from .cycles import changed_behind
from .json_paths import Path, pointer
from .keyword_rules import Rules
from .maps_as_pairs import is_map
from .nulls_as_absence import left_out
from .operations import Op, closed
from .pattern_features import supported_pattern
from .profiles.dialect import Dialect, disposition
from .provider_errors import SchemaError
from .renames import accepts_alike, misjudges, names_sent, renamed
from .state import State
from .unions import note_free_union
from .walk import NOTHING, walked

Node = dict[str, Any]

VALUE_KEYWORDS = frozenset(("not", "if", "then", "else", "contains", "propertyNames"))
"""Keywords under which a wider subschema may refuse more, or whose subschema would apply to an encoded
value."""
CONDITIONAL = ("then", "else")
COUNTING = ("minContains", "maxContains")


def _one(state: State, _: Node, key: str, value: Any, out: Node, path: Path, __: list[str]) -> None:
    if key == "additionalProperties":
        if value is False:
            out[key] = False  # known as a flag where schemas cannot be true or false, too
            return
        if state.dialect.closed:
            closed(state, path, key, out)
            return
        if value is True or value == {}:
            out[key] = value if value is True else {}  # states that keys are free, not their values
            return
    if state.overlap is not None and key == "items":
        state.next_overlap = state.types_elsewhere = union_overlaps.of_items(state, state.overlap)
        out[key] = walked(state, state.rules, value, (path, key))
        _leave_union(state)
        return
    out[key] = walked(state, state.rules, value, (path, key))


def _leave_union(state: State) -> None:
    """Reset the overlap: the next schema is in no union."""
    state.next_overlap = None
    state.types_elsewhere = NOTHING


def _unchanged_only(
    state: State, node: Node, key: str, value: Any, out: Node, path: Path, notes: list[str]
) -> None:
    """A subschema that must not be widened: the keyword is described where it was."""
    if key in CONDITIONAL and "if" in node and "if" not in out and _follows(node, "if", key):
        return  # described with its condition
    if key == "propertyNames" and state.renames and not accepts_alike(state, value):
        value = names_sent(state, value)
        if value is None:
            describe(state, path, key, node[key], notes)
            return
    changes = state.changes
    result = walked(state, state.rules, value, (path, key))
    exact = key == "propertyNames" or (key == "contains" and "maxContains" not in node)
    if (exact or (state.changes == changes and not changed_behind(state, value))) and not _needless(
        state, node, key
    ):
        out[key] = result
        return
    describe(state, path, key, value, notes)
    for other in COUNTING if key == "contains" else ():
        if other in node:
            state.note(
                path, other, "widened", "lost", "says nothing without contains, which is stated in words"
            )
    for other in CONDITIONAL if key == "if" else ():  # they would hold for no value, or for all
        if other in node:
            out.pop(other, None)
            describe(state, path, other, node[other], notes)


def _needless(state: State, node: Node, key: str) -> bool:
    """Whether `contains` constrains nothing, by a `minContains` that the dialect lacks: alone, it requires
    one."""
    if key != "contains" or node.get("minContains") != 0:
        return False
    return disposition(state.dialect, "minContains") != "keep"


def _follows(node: Node, first: str, second: str) -> bool:
    """Whether `second` comes after `first`."""
    return next(key for key in node if key in (first, second)) == first


def _many(state: State, node: Node, key: str, value: Any, out: Node, path: Path, notes: list[str]) -> None:
    if not isinstance(value, list):
        raise SchemaError(pointer(path), f"{key} must be a list of schemas")
    rules = state.rules
    location = (path, key)
    changes = state.changes
    drop = (
        key == "anyOf" and rules.dialect.booleans == "rewrite" and any(child is not False for child in value)
    )
    union = rules.encodes and key in ("anyOf", "oneOf")
    kinds = [shapes(state, child, (location, str(i))) for i, child in enumerate(value)] if union else []
    if union:
        confused(state, value, path, key)
    branches: list[Any] = []
    for i, child in enumerate(value):
        if drop and child is False:
            continue
        if union:
            state.next_overlap, state.types_elsewhere = union_overlaps.of_branch(
                state, value, kinds, i, location
            )
        branches.append(walked(state, rules, child, (location, str(i))))
    if union:
        _leave_union(state)
    if (
        key == "anyOf"
        and rules.dialect.any_of != "keep"
        and any(one is True or one == {} for one in branches)
    ):
        note_free_union(state, path)
        return
    if key == "oneOf" and (state.changes != changes or changed_behind(state, value)):
        # Branches grew wider, so that one value may fit two of them: exclusiveness would refuse it.
        if "anyOf" in node:
            describe(state, path, key, value, notes)
            return
        state.note(
            path, key, "rewritten", "changed", "its branches became wider: anyOf, so that none is refused"
        )
        key = "anyOf"
    out[key] = branches


def _named(state: State, node: Node, key: str, value: Any, out: Node, path: Path, __: list[str]) -> None:
    if not isinstance(value, dict):
        raise SchemaError(pointer(path), f"{key} must be an object of schemas")
    rules = state.rules
    if key == "$defs":
        if path is None:
            out[key] = {}  # filled once the walk has found all references
        elif rules.dialect.ref_targets == "any":
            out[key] = {
                name: walked(state, rules, child, ((path, key), name)) for name, child in value.items()
            }
        else:
            state.note(
                path, key, "rewritten", "kept elsewhere", "what is referred to stands under the root's $defs"
            )
        return
    location = (path, key)
    children: Node = {}
    nulls: list[str] = []
    holder: list[bool] = []
    own = key == "properties"
    omits_null, overlap = rules.nulls and own, state.overlap if own else None
    patterns = key == "patternProperties"
    for name, child in value.items():
        if omits_null:
            state.null_omissions = holder = []
        if own and child is False and rules.dialect.booleans == "rewrite":
            reason = "a key that is forbidden is not declared"
            state.note((location, name), "false", "dropped", "changed", reason)
        else:
            sent = _sent_pattern(state, rules, name, location) if patterns else name
            if sent is not None:
                if overlap is not None:
                    state.next_overlap = state.types_elsewhere = union_overlaps.of_property(
                        state, overlap, name
                    )
                children[sent] = walked(state, rules, child, (location, name))
        if holder:
            nulls.append(name)
    if overlap is not None:
        _leave_union(state)
    state.null_omissions = None
    if state.renames and key in ("properties", "dependentSchemas"):
        children = renamed(state, node, out, key, children, path)
    if nulls:
        left_out(state, node, out, nulls, path)
    out[key] = children


def _sent_pattern(state: State, rules: Rules, pattern: str, location: Path) -> str | None:
    """A pattern of keys in the dialect; None, with an entry, where it is dropped."""
    if state.renames and misjudges(state, pattern):
        reason = "would judge names that properties are sent under"
        state.note(location, pattern, "dropped", "lost", reason)
        state.evaluation += 1
        return None
    if not rules.patterns:
        return pattern
    sent = supported_pattern(rules.dialect, pattern)
    if sent is None:
        state.note(location, pattern, "dropped", "lost", "the pattern of keys cannot be expressed there")
        state.evaluation += 1
    elif sent != pattern:
        state.note(location, pattern, "rewritten", "kept elsewhere", "whole keys are matched: no anchors")
    return sent


INNER: dict[frozenset[str], Op] = {
    VALUE_KEYWORDS: _unchanged_only,
    SCHEMA: _one,
    SCHEMA_LIST: _many,
    SCHEMA_MAP: _named,
}


@lru_cache(maxsize=64)
def rules_of(dialect: Dialect, most: int | None = None) -> Rules:
    """The table of a dialect, in which `most` levels of values may be nested; made once."""
    return Rules(dialect, INNER, most)


def sent_as(state: State, node: Any, path: Path) -> str:
    """The JSON type in which a referenced schema is sent, where that differs from its own; else empty."""
    if not isinstance(node, dict) or not isinstance(node.get("$ref"), str):
        return ""
    found, location, _ = state.target(node["$ref"], path)
    if not isinstance(found, dict):
        return ""
    if "$ref" in found:
        return sent_as(state, found, location)
    dialect = state.dialect
    if dialect.maps == "pairs" and is_map(found) and not found.get("properties"):
        return "array"
    if dialect.tuples == "object" and "prefixItems" in found:
        return "object"
    return ""


def confused(state: State, branches: list[Any], path: Path, keyword: str) -> None:
    """Block where another branch of a union accepts the wire form of a definition too."""
    kinds = [sent_as(state, branch, path) for branch in branches]
    if not any(kinds):
        return
    for i, kind in enumerate(kinds):
        if kind and any(
            kind in shapes(state, other, path) or kind == kinds[j]
            for j, other in enumerate(branches)
            if j != i
        ):
            state.block(path, keyword, f"two alternatives would both be sent as {kind}s")
            return
