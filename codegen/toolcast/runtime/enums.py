"""A schema of a string, in any dialect, with an enum."""

from collections.abc import Mapping
from typing import Any

from .node import follow

_UNIONS = ("anyOf", "oneOf")
_DEEP = 8  # references in a row; more are a circle


_OUTSIDE = ("title", "description", "default")


def with_enum(
    node: Any, values: tuple[str, ...], root: Any, *, mixed: bool = False, deep: int = 0
) -> dict[str, Any] | None:
    """`node` with `values` for its strings, or those of its items; None where it takes anything else.

    Null stays what it is: in the enum where that may be `mixed`, else in a branch of its own, because some
    providers (Gemini) take enums of one type only. References are resolved in `root` and written out, since
    others may use the same.
    """
    if not isinstance(node, Mapping) or deep > _DEEP:
        return None
    if "$ref" in node:
        return _referred(node, values, root, mixed, deep)
    for union in _UNIONS:
        if union in node:
            branches = [
                branch
                if _types(branch) == {"null"}
                else with_enum(branch, values, root, mixed=mixed, deep=deep + 1)
                for branch in node[union]
            ]
            return None if None in branches else {**node, union: branches}
    types = _types(node)
    if types == {"array"} or types == {"array", "null"}:
        items = with_enum(node.get("items"), values, root, mixed=mixed, deep=deep + 1)
        return None if items is None else {**node, "items": items}
    if types != {"string"} and types != {"string", "null"}:
        return None
    rest = {key: value for key, value in node.items() if key not in ("type", "enum")}
    if "null" not in types:
        return {"type": node["type"], "enum": [*values], **rest}
    if mixed:
        return {"type": node["type"], "enum": [*values, None], **rest}
    string, null = (next(t for t in node["type"] if t.lower() == kind) for kind in ("string", "null"))
    outside = {key: rest.pop(key) for key in _OUTSIDE if key in rest}
    return {**outside, "anyOf": [{"type": string, "enum": [*values], **rest}, {"type": null}]}


def _types(node: Any) -> set[str]:
    """The JSON types that a schema states; OpenAPI writes them in capitals."""
    stated = node.get("type") if isinstance(node, Mapping) else None
    listed = stated if isinstance(stated, list) else [stated]
    return {str(each).lower() for each in listed if isinstance(each, str)}


def _referred(
    node: Mapping[str, Any], values: tuple[str, ...], root: Any, mixed: bool, deep: int
) -> dict[str, Any] | None:
    reference = node["$ref"]
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    try:
        target = follow(root, reference[1:])
    except LookupError:
        return None
    if not isinstance(target, Mapping):
        return None
    siblings = {key: value for key, value in node.items() if key != "$ref"}
    return with_enum({**target, **siblings}, values, root, mixed=mixed, deep=deep + 1)
