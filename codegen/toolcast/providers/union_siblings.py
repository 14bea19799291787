"""Siblings of an output's anyOf, and outputs that accept null as well."""

from __future__ import annotations

from typing import Any

from ..jsonschema.keywords import METADATA
from .constraint_texts import described, describes_default, phrase
from .json_paths import Path
from .nullable import with_null, wrapped
from .state import State
from .wire_forms import MARK

Node = dict[str, Any]
WORDS = ("default", "examples", "example", "deprecated")


def without_siblings(state: State, out: Node, path: Path) -> Node:
    """An output union without siblings.

    A description goes into every branch if none has its own, else before that of the first one. `nullable`
    goes into the first branch: a union takes what any branch takes.
    """
    if out.keys() <= {"anyOf", MARK} or not out["anyOf"]:
        return out
    branches: list[Node] = [dict(branch) for branch in out["anyOf"]]
    already_described = "default" in out and describes_default(out.get("description"), out["default"])
    notes = [
        phrase(key, out[key]) for key in WORDS if key in out and not (key == "default" and already_described)
    ]
    description = described(out.get("description"), [note for note in notes if note])
    texts = {"description": description, "title": out.get("title")}
    for key, text in texts.items():
        if not isinstance(text, str):
            continue
        if not text:
            state.note(path, key, "dropped", "kept elsewhere", "is empty")
            continue
        in_no_branch = not any(key in branch for branch in branches)
        for branch in branches if in_no_branch else ():
            branch[key] = text
        if not in_no_branch and key == "description":
            first = branches[0]
            own = first.get("description")
            first[key] = described(text, [own]) if isinstance(own, str) else text
        if in_no_branch or key == "description":
            state.note(
                path, key, "rewritten", "kept elsewhere", "nothing stands beside anyOf: in its branches"
            )
        else:
            state.note(
                path, key, "dropped", "lost", "nothing stands beside anyOf, and branches have their own"
            )
    if out.get("nullable") is True:
        branches[0]["nullable"] = True
    for key in out:
        if key in WORDS and phrase(key, out[key]):
            state.note(path, key, "spilled", "kept elsewhere", "nothing stands beside anyOf: in words")
        elif key not in ("anyOf", "description", "title", "nullable", MARK):
            state.note(path, key, "dropped", "lost", "nothing stands beside anyOf")
    result: Node = {
        "anyOf": [without_siblings(state, one, path) if "anyOf" in one else one for one in branches]
    }
    if MARK in out:
        result[MARK] = out[MARK]
    return result


def all_without_siblings(state: State, out: Any, path: Path) -> Any:
    """`alone`, for every union inside a schema that is output already."""
    if isinstance(out, list):
        return [all_without_siblings(state, one, path) for one in out]
    if not isinstance(out, dict):
        return out
    inner = {key: all_without_siblings(state, one, path) for key, one in out.items()}
    return without_siblings(state, inner, path) if "anyOf" in inner else inner


def takes_null(state: State, out: Any, path: Path) -> Any:
    """An output schema that accepts null as well, in the dialect."""
    if isinstance(out, bool):
        return out or {"type": "null"}
    dialect = state.dialect
    if dialect.type_arrays == "keep":
        result = with_null(out)
    elif _has_null(out) or {"type", "$ref", "enum", "const", "anyOf"}.isdisjoint(out):
        return out  # accepts null, or anything
    elif dialect.type_arrays == "nullable":
        result = {**out, "nullable": True}
    elif "anyOf" in out and out.keys() - {"anyOf"} <= METADATA:
        result = {**out, "anyOf": [*out["anyOf"], {"type": "null"}]}
    else:
        result = wrapped(out)
    return without_siblings(state, result, path) if dialect.any_of == "only" and "anyOf" in result else result


def _has_null(out: Node) -> bool:
    return (
        out.get("type") == "null"
        or out.get("nullable") is True
        or any(isinstance(branch, dict) and _has_null(branch) for branch in out.get("anyOf", ()))
    )
