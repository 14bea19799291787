"""`x-mcp-header`: the HTTP header into which MCP clients copy an argument, and what they refuse.

An HTTP client of MCP 2026-07-28 sends the argument in `Mcp-Param-<value>`, too, where gateways read it. It
drops a tool of which one annotation breaks a rule. Source: modelcontextprotocol b0f60ba5 (2026-08-22),
specification 2026-07-28, "Custom Headers from Tool Parameters".
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from typing import Any, Final

from msgspec import Struct

from ..jsonschema.json_values import JsonObject
from ..jsonschema.keywords import Path, map_subschemas, subschemas
from ..jsonschema.messages import show
from ..jsonschema.pointers import join
from ..jsonschema.schema_node import SchemaChange

KEYWORD: Final = "x-mcp-header"
HEADER_NAME: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
"""A field name of RFC 9110, section 5.6.2."""
_TYPES: Final = ("string", "integer", "boolean")


class _HeaderProblem(Struct, frozen=True):
    """An annotation that clients refuse: the path of its schema, the fault as a sentence without a full stop,
    and how to correct it.
    """

    path: Path
    message: str
    hint: str


def header_problems(schema: object) -> Iterator[_HeaderProblem]:
    """Find the annotations that MCP clients refuse, a problem for each broken rule, in the order of the
    schema. The schema of parameters is in the words of 2020-12. References are not followed: clients follow
    none."""
    known: dict[str, str] = {}
    for path, node in annotated(schema):
        value = node[KEYWORD]
        if not path or any(step != "properties" for step in path[::2]):
            yield _HeaderProblem(
                path,
                f"`{KEYWORD}` stands where MCP clients look for none, and drop the tool",
                "annotate a property of the parameters, or a property of one; not behind `$ref`, in items or "
                "in branches",
            )
            continue
        if not isinstance(value, str) or not HEADER_NAME.fullmatch(value):
            yield _HeaderProblem(
                path,
                f"{show(value)} is no name of an HTTP header",
                "write a name of letters, digits and `-`, such as Region: clients send Mcp-Param-Region",
            )
        elif value.lower() in known:
            yield _HeaderProblem(
                path,
                f"the header {show(value)} is that of `{known[value.lower()]}`, too",
                "give each parameter a header of its own; case makes no difference",
            )
        else:
            known[value.lower()] = ".".join(map(str, path[1::2]))
        if node.get("type") not in _TYPES:
            yield _HeaderProblem(
                path,
                f"`{KEYWORD}` is for strings, integers and booleans",
                f"state one of these types beside it (`type: {_TYPES[0]}`), or leave the annotation out",
            )


def without_refused_headers(schema: Any) -> tuple[Any, tuple[SchemaChange, ...]]:
    """Leave out the annotations that MCP clients refuse, of a schema with 200 levels at most. Returns the
    schema, the same object if it has none of them, and an entry for each broken rule."""
    problems = tuple(header_problems(schema))
    entries = tuple(
        SchemaChange(
            path=join(each.path),
            keyword=KEYWORD,
            action="dropped",
            severity="lost",
            reason=f"is left out, because {each.message}",
        )
        for each in problems
    )
    return (without_headers(schema, {each.path for each in problems}) if problems else schema), entries


def without_headers(schema: object, paths: Container[Path]) -> object:
    """Return a copy of a schema, of 200 levels at most, without the annotations at `paths`."""

    def changed(node: Any, path: Path) -> Any:
        if not isinstance(node, dict):
            return node
        steps = iter([step for step, _ in subschemas(node)])
        out = map_subschemas(node, lambda below: changed(below, path + next(steps)))
        if path in paths:
            out.pop(KEYWORD, None)
        return out

    return changed(schema, ())


def annotated(schema: object) -> Iterator[tuple[Path, JsonObject]]:
    """Find the schemas with the annotation, each with its path, in the order of the schema."""
    pending: list[tuple[Path, object]] = [((), schema)]
    while pending:
        path, node = pending.pop()
        if isinstance(node, dict):
            if KEYWORD in node:
                yield path, node
            pending += reversed([(path + step, below) for step, below in subschemas(node)])
