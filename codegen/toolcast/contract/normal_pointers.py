"""JSON pointers and references in normal forms."""

from collections.abc import Iterator, Mapping
from operator import is_not
from typing import Any

from ..jsonschema.keywords import SCHEMA, SCHEMA_LIST, SCHEMA_MAP
from ..jsonschema.pointers import join, split
from ..jsonschema.subschemas import map_subschemas, subschemas

PREFIX = "#/$defs/"


def defined(reference: str) -> str | None:
    """The definition a normal-form reference names; None for `#`, the root."""
    return split(reference)[1] if reference.startswith(PREFIX) else None


def indexed(schema: Any, pointer: str) -> Iterator[tuple[Any, str]]:
    """Every object among a schema and those below it, with its pointer."""
    waiting = [(schema, pointer)]
    while waiting:
        schema, pointer = waiting.pop()
        if isinstance(schema, dict):
            yield schema, pointer
            waiting += [(item, pointer + join(path)) for path, item in subschemas(schema)]


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
    """Names of the definitions that `schema` reaches, among `defs`, which are all that there are."""
    found: set[str] = set()
    queue = [schema] if defs else []
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
    out = map_subschemas(schema, lambda below: rebased(below, root))
    if out.get("$ref") == "#":
        out["$ref"] = f"#/{root}"
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
            new = items if any(map(is_not, items, value)) else value
        elif name in SCHEMA_MAP:
            named = {key: without(item, keyword) for key, item in value.items()}
            new = named if any(map(is_not, named.values(), value.values())) else value
        changed |= new is not value
        out[name] = new
    return out if changed else schema
