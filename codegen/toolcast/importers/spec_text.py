"""One declared tool → the text of its spec, with TODO lines for what only a person can decide."""

import json
import re
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from ..providers import LedgerEntry
from ..spec.model import Permission
from .declarations import Declared
from .invalid_defaults import without_wrong_defaults
from .yaml_text import dump

_MAX_EXAMPLE_BYTES = 20_000


class Choices(Struct, frozen=True, kw_only=True):
    """What the one who imports decides for all tools.

    Without `permission` a TODO line stands there that does not compile; with `trust_hints` only where MCP's
    hints state nothing. `secrets` names parameters: each tool gets those that it has, `()` means none, None
    leaves a TODO line. At most `examples` calls that the schema accepts become examples.
    """

    permission: Permission | None = None
    trust_hints: bool = False
    secrets: Sequence[str] | None = None
    examples: int = 3


def spec_text(tool: Declared, name: str, choices: Choices) -> str:
    """YAML text of the spec. Raises UnwritableError where YAML cannot hold what was declared."""
    head: dict[str, Any] = {"name": name}
    described = tidy(tool.description) if tool.description else ""
    if described:
        head["description"] = described
    else:
        head["summary"] = in_words(name)
    parameters, wrong = without_wrong_defaults(tool.parameters)
    tail: dict[str, Any] = {"parameters": parameters}
    if tool.result is not None:
        tail["result"] = tool.result
    chosen = valid_calls(tool, choices.examples)
    if chosen:
        tail["examples"] = chosen
    if tool.annotations:
        tail["annotations"] = tool.annotations
    decided = _permission(tool, choices) + _secrets(tool, choices.secrets)
    return _comments(tool, name, described, wrong) + dump(head) + decided + dump(tail)


def tidy(description: str) -> str:
    """The description without blanks at line ends and at both ends, which no reader sees."""
    return "\n".join(line.rstrip() for line in description.replace("\r\n", "\n").split("\n")).strip()


def permission_of(tool: Declared) -> Permission | None:
    """What MCP's hints claim, or None where they claim nothing or contradict each other.

    A read that reaches an open world sends its arguments out, so it is `network`, not `read`. Hints
    about destruction are only meaningful for tools that write, so stating one states `write`.
    `openWorldHint` alone does not say what a tool does.
    """
    destructive = tool.annotations.get("destructive")
    if tool.read_only is True:
        if destructive is True:
            return None
        return "network" if tool.annotations.get("open_world") is True else "read"
    if tool.read_only is False or destructive is not None:
        return "write"
    return None


def _permission(tool: Declared, choices: Choices) -> str:
    """The line that says what the tool may do. Hints decide only for who trusts their source: "Clients should
    never make tool use decisions based on ToolAnnotations received from untrusted servers" (MCP, schema)."""
    claimed = permission_of(tool)
    decided = choices.permission or (claimed if choices.trust_hints else None)
    if decided:
        return dump({"permission": decided})
    hint = f"; its hints claim {claimed}" if claimed and not choices.trust_hints else ""
    return f"permission: TODO  # read, write, execute or network; does not compile until decided{hint}\n"


def property_names(parameters: Any) -> list[str]:
    """Names of the top-level parameters, as far as the schema states them."""
    properties = parameters.get("properties") if isinstance(parameters, dict) else None
    return list(properties) if isinstance(properties, dict) else []


def _secrets(tool: Declared, secrets: Sequence[str] | None) -> str:
    names = property_names(tool.parameters)
    if secrets is not None:
        return dump({"secrets": [name for name in names if name in secrets]})
    if not names:
        return "secrets: []\n"  # nothing that could carry one
    stated = [name for name in names if _is_password(tool.parameters["properties"][name])]
    hint = f"; format password: {json.dumps(stated)}" if stated else ""
    return f"secrets: TODO  # parameters that may carry <secret_ref:NAME>, or []{hint}\n"


def _is_password(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("format") == "password"


def in_words(name: str) -> str:
    """A tool's name as a sentence: `get-user_ID` → `Get user ID.`"""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_-]+", " ", name).strip()
    return f"{words[:1].upper()}{words[1:]}." if words else name


def _comments(tool: Declared, name: str, described: str, wrong: Sequence[tuple[str, Any]]) -> str:
    """Where the spec comes from. JSON-quoted, so no text of the declaration ends the comment."""
    lines: list[str] = []
    if tool.source:
        lines.append(f"# Source: {json.dumps(tool.source)}\n")
    if tool.name != name:
        lines.append(f"# Original name: {json.dumps(tool.name)}\n")
    if tool.left_out:
        lines.append(f"# Left out: {json.dumps(list(tool.left_out))}\n")
    if not described:
        lines.append(
            "# The source describes nothing: the summary is the name in words. Say what the tool does.\n"
        )
    nullable = [root + entry.path for root, entry in tool.changes if entry.keyword == "nullable"]
    if nullable:
        lines.append(f"# Said to be nullable, and a union with null here: {json.dumps(nullable)}\n")
    for root, entry in tool.changes:
        if entry.keyword != "nullable":
            lines.append(f"# Schema changed: {json.dumps(in_short(root, entry))}\n")
    for pointer, default in wrong:
        shown = json.dumps(default) if len(json.dumps(default)) <= 200 else "a long value"
        lines.append(f"# Default left out, as it does not fit its schema: {json.dumps(pointer)}, {shown}\n")
    return "".join(lines)


def in_short(root: str, entry: LedgerEntry) -> str:
    """What became of a part of the schema `root`, in words."""
    return f"{root}{entry.path}: {entry.keyword} {entry.action}, {entry.reason}"[:300]


def valid_calls(tool: Declared, limit: int) -> list[Any]:
    """The first `limit` different recorded calls that the parameters accept; none if the schema is broken."""
    if limit <= 0 or not tool.calls or not isinstance(tool.parameters, dict):
        return []
    import jsonschema_rs

    try:
        validator = jsonschema_rs.validator_for(tool.parameters, retriever=_offline)
    except (ValueError, jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError):
        return []  # the compiler says what is wrong with it
    found: dict[str, Any] = {}
    for call in tool.calls:
        if len(found) == limit:
            break
        text = json.dumps(call, sort_keys=True)
        if isinstance(call, dict) and len(text) <= _MAX_EXAMPLE_BYTES and validator.is_valid(call):
            found.setdefault(text, call)
    return list(found.values())


def _offline(uri: str) -> Any:
    raise ValueError(f"reference to {uri} is not followed")
