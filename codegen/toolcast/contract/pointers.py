"""JSON pointers and references in normal forms."""

from collections.abc import Iterator, Mapping
from operator import is_not
from typing import Any

from .vocabulary import SCHEMA, SCHEMA_LIST, SCHEMA_MAP

PREFIX = "#/$defs/"


def escape(step: str) -> str:
    """One step of a JSON pointer (RFC 6901)."""
    return step.replace("~", "~0").replace("/", "~1") if "~" in step or "/" in step else step


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


def indexed(schema: Any, pointer: str) -> Iterator[tuple[Any, str]]:
    """Every object among a schema and those below it, with its pointer."""
    waiting = [(schema, pointer)]
    while waiting:
        schema, pointer = waiting.pop()
        if not isinstance(schema, dict):
            continue
        yield schema, pointer
        for keyword, value in schema.items():
            if keyword in SCHEMA:
                waiting.append((value, f"{pointer}/{keyword}"))
            elif keyword in SCHEMA_LIST:
                waiting += [(item, f"{pointer}/{keyword}/{i}") for i, item in enumerate(value)]
            elif keyword in SCHEMA_MAP:
                waiting += [
                    (item, f"{pointer}/{keyword}/{escape(str(name))}") for name, item in value.items()
                ]


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
            new = items if any(map(is_not, items, value)) else value
        elif name in SCHEMA_MAP:
            named = {key: without(item, keyword) for key, item in value.items()}
            new = named if any(map(is_not, named.values(), value.values())) else value
        changed |= new is not value
        out[name] = new
    return out if changed else schema
