"""oneOf and anyOf of one node in the dialect; branches collapsed into one schema that accepts what each
accepts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..jsonschema.equality import equal
from ..jsonschema.keywords import TYPE_OF
from .all_of import all_evaluated, describe_or_drop, without_references
from .constraint_texts import text
from .inline_references import Segments, record_children
from .json_paths import Path
from .json_types import MOVED
from .merge_nodes import merged
from .state import State

Node = dict[str, Any]
MAX_BRANCHES = 64
"""Branches up to which the siblings of a union are merged into each of them."""


def shared(state: State, objects: list[Node], path: Path) -> None:
    """Note the properties of branches that others leave open: one schema for all constrains those too."""
    for one in objects:
        for name, schema in one.get("properties", {}).items():
            undeclared_in_some = any(
                {"additionalProperties", "patternProperties"}.isdisjoint(other)
                and name not in other.get("properties", {})
                for other in objects
            )
            speaks = (
                [key for key in schema if key in MOVED or key == "anyOf"] if isinstance(schema, dict) else []
            )
            keyword = speaks[0] if speaks else ""
            if undeclared_in_some and keyword:
                location = state.origins.get(id(schema), ((path, "properties"), name))
                reason = "holds for all alternatives, though some leave this key open"
                state.note(location, keyword, "rewritten", "changed", reason)


def as_any_of(state: State, node: Node, path: Path) -> Node:
    """`oneOf` as `anyOf`: a value that fits two branches is no longer refused."""
    state.note(
        path,
        "oneOf",
        "rewritten",
        "changed",
        "is expressed by anyOf: that only one branch may fit is not checked",
    )
    for i, branch in enumerate(node["oneOf"]):
        state.record_origin(branch, ((path, "oneOf"), str(i)))
    if "anyOf" in node:
        rest = {key: value for key, value in node.items() if key != "oneOf"}
        return {**rest, "allOf": [*node.get("allOf", ()), {"anyOf": node["oneOf"]}]}
    return {("anyOf" if key == "oneOf" else key): value for key, value in node.items()}


def siblings_into_branches(
    state: State, node: Node, path: Path, notes: list[str], entered: list[Segments]
) -> Node:
    """`anyOf` with only annotations as siblings: the others are merged into each branch."""
    branches: list[Any] = node["anyOf"]
    if any(branch is True or branch == {} for branch in branches):
        note_free_union(state, path)
        return {key: value for key, value in node.items() if key != "anyOf"}
    if state.dialect.booleans == "rewrite" and all(branch is False for branch in branches):
        reason = "no branch takes anything, which cannot be expressed here"
        state.note(path, "anyOf", "widened", "changed", reason)
        state.block(path, "anyOf", reason)
        return {key: value for key, value in node.items() if key != "anyOf"}
    base = {key: value for key, value in node.items() if key in MOVED}
    if not base:
        return node
    outer = {key: value for key, value in node.items() if key not in MOVED and key != "anyOf"}
    groups = required_groups(branches)
    if groups and "properties" in base and not state.dialect.closed:
        words = "At least one of these sets of keys must be given: " + "; ".join(map(", ".join, groups)) + "."
        describe_or_drop(state, path, "anyOf", words, notes)
        return {**outer, **base}
    record_children(state, base, path)
    distinct_types: list[Node] = []
    for i, raw in enumerate(branches):
        if raw is False:
            continue
        location = state.origins.get(id(raw), ((path, "anyOf"), str(i)))
        branch = without_references(state, raw, location, entered)
        record_children(state, branch, location)
        one = merged(base, branch) if isinstance(branch, dict) else None
        if one is None and isinstance(branch, dict) and _disjoint(base, branch):
            continue  # this branch is unsatisfiable together with the siblings
        if one is None or len(distinct_types) >= MAX_BRANCHES:
            state.block(path, "anyOf", "alternatives beside other keywords cannot be expressed")
            describe_or_drop(state, path, "anyOf", f"Must also match one of: {text(branches)}.", notes)
            return {**outer, **all_evaluated(state, base, path)}
        distinct_types.append({key: value for key, value in one.items() if key != "$defs"})
        state.record_origin(distinct_types[-1], location)
    for key in ("anyOf", *base):
        state.note(
            path, key, "rewritten", "kept elsewhere", "what stands beside anyOf is stated in each branch"
        )
    return {**outer, "anyOf": distinct_types} if distinct_types else {**outer, **base}


def note_free_union(state: State, path: Path) -> None:
    """Note that a union is dropped, because it accepts any value."""
    reason = "a branch takes any value, so the others say nothing"
    state.note(path, "anyOf", "dropped", "kept elsewhere", reason)


def collapsed(state: State, node: Node, path: Path) -> Node:
    """A null branch as `nullable`; a union of one branch as that branch."""
    branches = [branch for branch in node["anyOf"] if branch is not False]
    rest = [branch for branch in branches if not (isinstance(branch, dict) and branch.get("type") == "null")]
    if len(rest) == len(node["anyOf"]) and len(rest) != 1:
        return node
    if not branches:
        state.note(
            path, "anyOf", "widened", "changed", "no branch takes anything, which cannot be expressed here"
        )
        return {key: value for key, value in node.items() if key != "anyOf"}
    for i, branch in enumerate(node["anyOf"]):
        state.record_origin(branch, ((path, "anyOf"), str(i)))
    out = dict(node)
    if len(rest) < len(branches):
        state.note(path, "anyOf", "rewritten", "kept elsewhere", "null is expressed by nullable")
        _only_null(state, branches)
        if not rest:
            del out["anyOf"]
            out["type"] = "null"
            return out
        out["nullable"] = True
    out["anyOf"] = rest
    if len(rest) == 1 and isinstance(rest[0], dict):
        del out["anyOf"]
        record_children(state, rest[0], state.origins.get(id(rest[0]), ((path, "anyOf"), "0")))
        state.note(path, "anyOf", "rewritten", "kept elsewhere", "one branch is left, and stands for itself")
        inner = rest[0]
        out = {**inner, **out}
    return out


def _only_null(state: State, branches: list[Any]) -> None:
    """Note the other keywords of null branches, which are dropped with them."""
    for branch in branches:
        if isinstance(branch, dict) and branch.get("type") == "null":
            for key in branch:
                if TYPE_OF.get(key):
                    reason = "says nothing of null"
                    state.note(state.origins[id(branch)], key, "dropped", "kept elsewhere", reason)
                elif key in ("anyOf", *MOVED) and key != "type" and branch[key] not in (None, [None]):
                    reason = "null is expressed by nullable, which takes it whatever stands beside it"
                    state.note(state.origins[id(branch)], key, "dropped", "lost", reason)


def required_groups(branches: list[Any]) -> list[list[str]]:
    """The sets of keys, if all branches only state required keys; else empty."""
    groups: list[list[str]] = []
    for branch in branches:
        if not isinstance(branch, dict) or not isinstance(branch.get("required"), list):
            return []
        if branch.keys() - {"required", "type"}:
            return []
        groups.append([str(name) for name in branch["required"]])
    return groups


def _disjoint(left: Node, right: Node) -> bool:
    mine, theirs = left.get("type"), right.get("type")
    if mine is None or theirs is None:
        return False
    both = {"type": mine}, {"type": theirs}
    return not equal(mine, theirs) and merged(*both) is None


def nullable_union(state: State, out: Node, path: Path) -> Node:
    """An output union in which branches turned out to be null, as `nullable`; or one of a single branch."""
    rest = [branch for branch in out["anyOf"] if branch.get("type") != "null"]
    if len(rest) == len(out["anyOf"]) and len(rest) != 1:
        return out
    state.note(
        path,
        "anyOf",
        "rewritten",
        "kept elsewhere",
        "null is expressed by nullable, a single branch by itself",
    )
    outer = {key: value for key, value in out.items() if key != "anyOf"}
    if not rest:
        return {"type": "null", **outer}
    if len(rest) < len(out["anyOf"]):
        outer["nullable"] = True
    return {**rest[0], **outer} if len(rest) == 1 else {**outer, "anyOf": rest}


def in_words(keyword: str, branches: list[Any], objects: list[Node]) -> str:
    """Describes which keys belong together."""
    how = "Exactly one" if keyword == "oneOf" else "At least one"
    groups = required_groups(branches)
    if groups:
        return f"{how} of these sets of keys must be given: " + "; ".join(map(", ".join, groups)) + "."
    if not objects:
        return "No arguments fit: none of the alternatives takes an object."
    sets = [", ".join(_signature(one)) for one in objects]
    return f"{how} of these alternatives must be given: " + "; ".join(s or "no keys" for s in sets) + "."


def _signature(node: Node) -> list[str]:
    """The description of a branch: its keys, with the constants that distinguish it."""
    required = node.get("required", ())
    words: list[str] = []
    for name, schema in node.get("properties", {}).items():
        fixed = isinstance(schema, dict) and "const" in schema
        words.append(
            (f"{name} = {schema['const']!r}" if fixed else name) + ("" if name in required else " (optional)")
        )
    return words


def union(objects: list[Node], base: Node, without: tuple[str, ...]) -> Node:
    """One object that accepts what any of `objects` accepts, for the names that they declare."""
    first = objects[0]
    out = {
        key: value
        for key, value in first.items()
        if key not in without and (key in base or all(key in o and equal(o[key], value) for o in objects))
    }
    for key in [key for key in out if not all(key in o and equal(o[key], out[key]) for o in objects)]:
        if key in base and key in ("description", "title"):
            out[key] = base[key]
        else:
            del out[key]
    properties: dict[str, Any] = {}
    for one in objects:
        for name, schema in one.get("properties", {}).items():
            properties[name] = _either(properties[name], schema) if name in properties else schema
    for one in objects:
        for name in properties:
            if name not in one.get("properties", {}):
                properties[name] = _either(properties[name], _undeclared(one))
    if properties:
        out["properties"] = properties
    required = [
        name for name in first.get("required", ()) if all(name in o.get("required", ()) for o in objects)
    ]
    if required or base.get("required") == []:
        out["required"] = required
    else:
        out.pop("required", None)
    patterns = any("patternProperties" in one for one in objects) and "patternProperties" not in out
    if all(one.get("additionalProperties") is False for one in objects) and not patterns:
        out["additionalProperties"] = False
    else:
        out.pop("additionalProperties", None) if out.get("additionalProperties") is False else None
    return out


def _undeclared(node: Node) -> Any:
    """The schema of an undeclared name in an object; `False` where it states none."""
    if node.get("patternProperties"):
        return True
    return node.get("additionalProperties", False)


def _either(left: Any, right: Any) -> Any:
    if equal(left, right):
        return left
    if left is True or right is True:
        return True
    if left is False or right is False:
        return right if left is False else left
    fixed = literals(left), literals(right)
    if fixed[0] is not None and fixed[1] is not None and left.get("type") == right.get("type"):
        out = {key: value for key, value in left.items() if key not in ("const", "enum")}
        out["enum"] = distinct([*fixed[0], *fixed[1]])
        return out
    pure = isinstance(left, dict) and left.keys() == {"anyOf"}
    return {"anyOf": [*left["anyOf"], right] if pure else [left, right]}


def literals(schema: Node) -> list[Any] | None:
    """The values of a schema that only lists them; else `None`."""
    if not schema.keys() <= {"const", "enum", "type", "description", "title"}:
        return None
    return [schema["const"]] if "const" in schema else schema.get("enum")


def distinct(values: list[Any]) -> list[Any]:
    """JSON values once each, in order."""
    out: list[Any] = []
    for value in values:
        if not any(equal(value, old) for old in out):
            out.append(value)
    return out


WIDER: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems"), min),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems"), max),
}


def widest(branches: list[Node], kind: str) -> tuple[Node, bool]:
    """Branches of one type collapsed into one node, and whether that accepts exactly the same values."""
    out: Node = {"type": kind}
    values = [[one["const"]] if "const" in one else one.get("enum") for one in branches]
    exact = not any(isinstance(one, list) for one in values)
    if all(isinstance(one, list) for one in values):
        out["enum"] = distinct([value for one in values for value in one or ()])
        exact = all(literals(one) is not None for one in branches)
    for key in dict.fromkeys(key for one in branches for key in one):
        if key in ("type", "enum", "const"):
            continue
        if all(key in one and equal(one[key], branches[0].get(key)) for one in branches):
            out[key] = branches[0][key]
            continue
        exact = False
        if key in WIDER and all(key in one for one in branches):
            out[key] = WIDER[key](one[key] for one in branches)
        elif key == "items" and all(key in one for one in branches):
            out[key] = {"anyOf": distinct([one[key] for one in branches])}
    return out, exact
