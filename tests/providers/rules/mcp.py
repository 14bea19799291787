"""The Model Context Protocol's Tool, in three versions (§6)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from . import common
from .checker import Checker, Rule, Tool, ToolRule
from .nodes import Node, Path, Schema, walk

BASE = {"name", "title", "description", "inputSchema", "outputSchema", "annotations", "_meta"}
ANNOTATIONS = {"title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
DIALECT = re.compile(r"https?://json-schema\.org/(draft/2020-12|draft/2019-09|draft-0[467])/schema#?")
TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


def place(path: Path) -> str:
    return "".join(("inputSchema", *(f".{part}" for part in path))) + ": "


def tool_members(*further: str) -> ToolRule:
    def rule(tool: Tool) -> Iterator[str]:
        yield from common.members(BASE | set(further), "Unrecognized key: {key}")(tool)
        yield from common.members(ANNOTATIONS, "Unrecognized key: {key}", "annotations")(tool)
        if not isinstance(tool.get("inputSchema"), dict):
            yield "inputSchema: Required"

    return rule


def object_output(tool: Tool) -> Iterator[str]:
    """Until 2025-11-25 a result is an object."""
    if "outputSchema" in tool and tool["outputSchema"].get("type") != "object":
        yield 'outputSchema.type: Invalid literal value, expected "object"'


def valid_output(tool: Tool) -> Iterator[str]:
    held = tool.get("outputSchema")
    if isinstance(held, dict):
        yield from (f"outputSchema: {words}" for words in VALID(Node((), held, held)))


def dialect(node: Node) -> Iterator[str]:
    stated = node.schema.get("$schema")
    if not node.path and stated is not None and not DIALECT.fullmatch(str(stated)):
        yield f"$schema: unsupported dialect {stated}"


def headers(schema: Schema) -> Iterator[str]:
    """x-mcp-header: a token, unique, on integer, string or boolean properties that are surely there."""
    seen: set[str] = set()
    for node in walk(schema):
        if not isinstance(node.schema, dict) or "x-mcp-header" not in node.schema:
            continue
        value = node.schema["x-mcp-header"]
        if not isinstance(value, str) or not TOKEN.fullmatch(value):
            yield f"x-mcp-header: {value!r} is not a token"
        elif value.lower() in seen:
            yield f"x-mcp-header: {value!r} is used twice"
        else:
            seen.add(value.lower())
        if len(node.types) != 1 or node.types[0] not in ("integer", "string", "boolean"):
            yield f"x-mcp-header: not on a property of type {node.schema.get('type')}"
        if any(part != "properties" for part in node.path[::2]):
            yield "x-mcp-header: only on properties that are reachable from the root"


VALID = common.valid("2020-12", "must match JSON Schema 2020-12")
NAME = common.named(r"[A-Za-z0-9_.-]{1,128}", "name: SHOULD be 1-128 characters of [A-Za-z0-9_.-]: {name}")
RULES = (
    common.object_root('type: Invalid literal value, expected "object"'),
    VALID,
    common.resolvable,
    dialect,
)


def _checker(envelope: tuple[ToolRule, ...], *further: Rule) -> Checker:
    return Checker(
        schema=lambda tool: tool.get("inputSchema"),
        envelope=(*envelope, valid_output),
        doubted_envelope=(NAME,),
        rules=(*RULES, *further),
        place=place,
    )


CHECKERS = {
    "mcp": _checker((tool_members("icons"),), common.at_root(headers)),
    "mcp-2025-11-25": _checker((tool_members("icons", "execution"), object_output)),
    "mcp-2025-06-18": _checker((tool_members(), object_output)),
}
