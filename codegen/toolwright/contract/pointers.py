"""JSON pointers and references in normal forms."""

from collections.abc import Iterator, Mapping
from typing import Any

from .vocabulary import SCHEMA, SCHEMA_LIST, SCHEMA_MAP

PREFIX = "#/$defs/"


def escape(step: str) -> str:
    """One step of a JSON pointer (RFC 6901)."""
    return step.replace("~", "~0").replace("/", "~1")


def steps(pointer: str) -> list[str]:
    """The steps of a JSON pointer such as `/properties/a~1b`; `""` has none."""
    return [s.replace("~1", "/").replace("~0", "~") for s in pointer.lstrip("#").split("/")[1:]]


def follow(document: Any, pointer: str) -> Any:
    """What stands at a JSON pointer. Raises LookupError where there is nothing."""
    node = document
    for step in steps(pointer):
        node = node[int(step)] if isinstance(node, list) else node[step]
    return node


def defined(reference: str) -> str | None:
    """The definition a normal-form reference names; None for `#`, the root."""
    return steps(reference)[1] if reference.startswith(PREFIX) else None


def subschemas(schema: Any) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """The schemas directly below one, with their paths. Literals are never taken for schemas."""
    if not isinstance(schema, dict):
        return
    for keyword, value in schema.items():
        if keyword in SCHEMA:
            yield (keyword,), value
        elif keyword in SCHEMA_LIST:
            yield from (((keyword, i), item) for i, item in enumerate(value))
        elif keyword in SCHEMA_MAP:
            yield from (((keyword, name), item) for name, item in value.items())


def direct(schema: Any) -> set[str]:
    """Names of the definitions that `schema` itself refers to."""
    found: set[str] = set()
    queue = [schema]
    while queue:
        node = queue.pop()
        if isinstance(node, dict):
            name = defined(node["$ref"]) if "$ref" in node else None
            found |= {name} if name is not None else set()
            queue.extend(item for _, item in subschemas(node))
    return found


def reachable(schema: Any, defs: Mapping[str, Any]) -> set[str]:
    """Names of the definitions that `schema` reaches."""
    found: set[str] = set()
    queue = [schema]
    while queue:
        node = queue.pop()
        if not isinstance(node, dict):
            continue
        name = defined(node["$ref"]) if "$ref" in node else None
        if name is not None and name not in found:
            found.add(name)
            queue.append(defs[name])
        queue.extend(item for _, item in subschemas(node))
    return found


def rebased(schema: Any, root: str) -> Any:
    """A copy in which `#` means `#/<root>`, for a file that holds several roots."""
    if not isinstance(schema, dict):
        return schema
    out: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword == "$ref" and value == "#":
            out[keyword] = f"#/{root}"
        elif keyword in SCHEMA:
            out[keyword] = rebased(value, root)
        elif keyword in SCHEMA_LIST:
            out[keyword] = [rebased(item, root) for item in value]
        elif keyword in SCHEMA_MAP:
            out[keyword] = {name: rebased(item, root) for name, item in value.items()}
        else:
            out[keyword] = value
    return out


def without(schema: Any, keyword: str) -> Any:
    """The schema without an annotation, at any depth; the very same object where it does not occur."""
    if not isinstance(schema, dict):
        return schema
    out: dict[str, Any] = {}
    changed = keyword in schema
    for name, value in schema.items():
        if name == keyword:
            continue
        new = value
        if name in SCHEMA:
            new = without(value, keyword)
        elif name in SCHEMA_LIST:
            items = [without(item, keyword) for item in value]
            new = items if any(a is not b for a, b in zip(items, value, strict=True)) else value
        elif name in SCHEMA_MAP:
            named = {key: without(item, keyword) for key, item in value.items()}
            new = named if any(named[key] is not value[key] for key in value) else value
        changed |= new is not value
        out[name] = new
    return out if changed else schema
