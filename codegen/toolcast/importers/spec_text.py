"""The text of an imported spec, and the YAML in which it is written."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, TypeVar

import jsonschema_rs
import yaml
from msgspec import Struct

from ..jsonschema.json_values import JsonObject
from ..jsonschema.schema_node import SchemaChange
from ..permissions import Permission
from ..spec.tool_spec import SourceKind
from .declared_tools import Declared

T = TypeVar("T")

_PLAIN = re.compile(r"[A-Za-z](?:[A-Za-z0-9_$./@%+~^*()=;?!<>&|'\"-]| (?=[^ #]))*")
_RESERVED = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "none", "nan", "inf"})
_BLOCK = re.compile(r"[ -~\u00a1-\u1fff\u2030-\ud7ff\ue000-\ufdff\n]+")
_SINGLE_QUOTED = re.compile(r"[ -~\u00a1-\u1fff\u2030-\ud7ff\ue000-\ufdff]+")
_PLAIN_UNICODE = re.compile(r"[\u00a1-\u1fff\u2030-\ud7ff\ue000-\ufdff]")
_FLOW_WIDTH = 80
_ENDLESS = 1 << 30  # never fold: a folded line is where readers differ

_MAX_DEPTH = 200


class UnwritableError(ValueError):
    """Data that is no JSON, or that YAML cannot hold: lone surrogates, non-finite numbers, too deep."""


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - PyYAML's signature
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        super().increase_indent(flow, False)


def dump(data: object, *, flow: bool = False) -> str:
    """Return the YAML text of a JSON value; `flow`: the entries of a mapping on one line, without braces.
    Raises UnwritableError.
    """
    check_writable(data)
    text = str(
        yaml.dump(
            data,
            Dumper=_Dumper,
            default_flow_style=flow,
            sort_keys=False,
            allow_unicode=True,
            width=_ENDLESS,
        )
    )
    if text.endswith("\n...\n"):  # behind a text that ends in empty lines: other keys may follow
        text = text[: -len("...\n")]
    return text.strip().removeprefix("{").removesuffix("}") if flow else text


def check_writable(data: object) -> None:
    """Refuse a value that YAML cannot carry exactly. Raises UnwritableError."""
    for depth, value in _walk(data):
        if depth > _MAX_DEPTH:
            raise UnwritableError(f"nested deeper than {_MAX_DEPTH} levels")
        if isinstance(value, str):
            if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
                raise UnwritableError(f"lone surrogate in {value[:40]!a}")
        elif isinstance(value, float):
            if value != value or value in (float("inf"), float("-inf")):
                raise UnwritableError(f"{value} is not a JSON number")
        elif isinstance(value, Mapping):
            for key in value:
                if not isinstance(key, str):
                    raise UnwritableError(f"object key {key!r} is not a string")
        elif not (value is None or isinstance(value, bool | int | list)):
            raise UnwritableError(f"{type(value).__name__} is not a JSON type")


def _walk(data: object) -> Iterator[tuple[int, object]]:
    """Yield every value and key with its depth, without recursion, at most one level past the limit."""
    stack: list[tuple[int, object]] = [(0, data)]
    while stack:
        depth, value = stack.pop()
        yield depth, value
        if isinstance(value, Mapping):
            stack += [(depth + 1, child) for pair in value.items() for child in pair]
        elif isinstance(value, list):
            stack += [(depth + 1, child) for child in value]


def _is_plain(text: str) -> bool:
    """Return whether `text` may stand without quotes in any YAML, block or flow."""
    ascii_only = _PLAIN_UNICODE.sub("a", text)
    return bool(_PLAIN.fullmatch(ascii_only)) and text.lower() not in _RESERVED and text == text.strip()


def _string_style(text: str) -> str | None:
    if _is_plain(text):
        return None
    if "\n" in text and _is_block(text):
        return "|"
    if ('"' in text or "\\" in text) and _SINGLE_QUOTED.fullmatch(text):
        return "'"
    return '"'


def _is_block(text: str) -> bool:
    lines = text.split("\n")
    return (
        bool(_BLOCK.fullmatch(text))
        and bool(lines[0])
        and not lines[0].startswith(" ")
        and not any(line.endswith(" ") for line in lines)
    )


def _represent_str(dumper: yaml.SafeDumper, data: str) -> yaml.Node:
    return dumper.represent_scalar("tag:yaml.org,2002:str", data, style=_string_style(data))


def _represent_list(dumper: yaml.SafeDumper, data: list[object]) -> yaml.Node:
    scalar = all(item is None or isinstance(item, bool | int | float | str) for item in data)
    short = scalar and sum(len(item) + 4 if isinstance(item, str) else 8 for item in data) <= _FLOW_WIDTH
    flow = short and not any(isinstance(item, str) and "\n" in item for item in data)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", data, flow_style=flow)


_Dumper.add_representer(str, _represent_str)
_Dumper.add_representer(list, _represent_list)


_MAX_EXAMPLE_BYTES = 20_000


class Choices(Struct, frozen=True, kw_only=True):
    """Decisions of the user for all tools; None leaves a TODO line that does not compile.

    Attributes:
        permissions: by shell pattern of the source's or the spec's name; the last that matches decides first.
        trust_hints: whether MCP's hints decide before `permission`, the decision for all others.
        secrets: names of parameters; each tool gets those that it has. `secrets_of`: the same by pattern.
        examples: most recorded calls that become examples.
    """

    permission: Permission | None = None
    permissions: tuple[tuple[str, Permission], ...] = ()
    trust_hints: bool = False
    secrets: Sequence[str] | None = None
    secrets_of: tuple[tuple[str, tuple[str, ...]], ...] = ()
    examples: int = 3

    def permission_for(self, *names: str, claimed: Permission | None = None) -> Permission | None:
        """Return the permission of the tool that has one of `names`; `claimed` by its hints."""
        trusted = claimed if self.trust_hints else None
        return last_match(self.permissions, names) or trusted or self.permission

    def secrets_for(self, *names: str) -> Sequence[str] | None:
        """Return the secrets decided for the tool that has one of `names`."""
        decided = last_match(self.secrets_of, names)
        return self.secrets if decided is None else decided


def last_match(rules: Sequence[tuple[str, T]], names: Sequence[str]) -> T | None:
    """Return the value of the last shell pattern that one of `names` fits."""
    fitting = [value for pattern, value in rules if any(fnmatchcase(name, pattern) for name in names)]
    return fitting[-1] if fitting else None


_HEAD = ("name", "description", "summary")


def spec_text(
    tool: Declared, data: JsonObject, choices: Choices, source: tuple[SourceKind, str] | None
) -> str:
    """Return the YAML text of the spec with the keys `data`, and the kind and label of its `source`. Raises
    UnwritableError.
    """
    name = data["name"]
    head = {key: data[key] for key in _HEAD if key in data}
    tail = {key: value for key, value in data.items() if key not in _HEAD}
    if source is not None:
        kind, label = source
        tail["source"] = {"kind": kind, "name": tool.name, "from": label}
    decided = _permission(tool, name, choices) + _secrets(tool, name, choices)
    return _comments(tool, name) + dump(head) + decided + dump(tail)


def declared_keys(tool: Declared, name: str, examples: int) -> JsonObject:
    """Return the keys that a declaration fills, in order: all but permission, secrets and source."""
    described = _tidy(tool.description) if tool.description else ""
    texts = {"description": described} if described else {"summary": in_words(name)}
    optional = {
        "result": tool.result,
        "describe_result": None if tool.describe_result else False,
        "defaults": "include" if tool.keeps_defaults else None,
        "parallel": None if tool.parallel else False,
        "external": tool.external or None,
        "callers": list(tool.callers) or None,
        "defer": tool.defer or None,
        "stream_arguments": tool.stream_arguments,
        "blocking": None if tool.blocking else False,
        "execution": {"task_support": tool.task_support} if tool.task_support else None,
        "examples": _valid_calls(tool, examples) or None,
        "annotations": tool.annotations or None,
        "icons": list(tool.icons) or None,
        "meta": tool.meta or None,
        "scopes": list(tool.scopes) or None,
        "http": tool.http or None,
        "deprecated": {} if tool.deprecated else None,
        "providers": tool.providers or None,
    }
    return {
        "name": name,
        **texts,
        **({"parameters": tool.parameters} if tool.input is None else {"input": tool.input}),
        **{key: value for key, value in optional.items() if value is not None},
    }


def _tidy(description: str) -> str:
    return "\n".join(line.rstrip() for line in description.replace("\r\n", "\n").split("\n")).strip()


def permission_of(tool: Declared) -> Permission | None:
    """Return the permission that MCP's hints claim; None where they claim nothing or contradict each other.

    A read of an open world sends its arguments out, so it is `network`. Hints about destruction only mean
    something for tools that write, so they state `write`. `openWorldHint` alone states nothing.
    """
    destructive = tool.annotations.get("destructive")
    if tool.read_only is True:
        if destructive is True:
            return None
        return "network" if tool.annotations.get("open_world") is True else "read"
    if tool.read_only is False or destructive is not None:
        return "write"
    return None


def decided_permission(tool: Declared, name: str, choices: Choices) -> Permission | None:
    """Return the tool's permission, if it is decided. Hints decide only where their source is trusted:
    "Clients should never make tool use decisions based on ToolAnnotations received from untrusted servers"
    (MCP).
    """
    return choices.permission_for(tool.name, name, claimed=permission_of(tool))


def decided_secrets(tool: Declared, name: str, choices: Choices) -> list[str] | None:
    """Return the tool's parameters that may carry secrets; None where that is undecided."""
    names = property_names(tool.parameters)
    secrets = choices.secrets_for(tool.name, name)
    if secrets is None:
        return None if names else []
    return [name for name in names if name in secrets]


UNDECIDED_PERMISSION = "read, write, execute or network; does not compile until decided"
UNDECIDED_SECRETS = "parameters that may carry <secret_ref:NAME>, or []"
"""The comments of undecided lines, which go when they are decided."""


def _permission(tool: Declared, name: str, choices: Choices) -> str:
    decided = decided_permission(tool, name, choices)
    if decided:
        return dump({"permission": decided})
    claimed = permission_of(tool)
    hint = f"; its hints claim {claimed}" if claimed and not choices.trust_hints else ""
    return f"permission: TODO  # {UNDECIDED_PERMISSION}{hint}\n"


def property_names(parameters: object) -> list[str]:
    """Return the names of top-level parameters, as far as the schema states them."""
    properties = parameters.get("properties") if isinstance(parameters, dict) else None
    return list(properties) if isinstance(properties, dict) else []


def _secrets(tool: Declared, name: str, choices: Choices) -> str:
    decided = decided_secrets(tool, name, choices)
    if decided is not None:
        return dump({"secrets": decided})
    names = property_names(tool.parameters)
    properties = tool.parameters["properties"]
    stated = [
        name
        for name in names
        if isinstance(properties[name], dict) and properties[name].get("format") == "password"
    ]
    hint = f"; format password: {json.dumps(stated)}" if stated else ""
    return f"secrets: TODO  # {UNDECIDED_SECRETS}{hint}\n"


def in_words(name: str) -> str:
    """Return a tool's name as a sentence: `get-user_ID` → `Get user ID.`"""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_-]+", " ", name).strip()
    return f"{words[:1].upper()}{words[1:]}." if words else name


def _comments(tool: Declared, name: str) -> str:
    """Yield the comments at the head of a spec, JSON-quoted, so that no text of the declaration ends one."""
    lines: list[str] = []
    if tool.source:
        lines.append(f"# Source: {json.dumps(tool.source)}\n")
    if (tool.spec_name or tool.name) != name:
        lines.append(f"# Original name: {json.dumps(tool.name)}\n")
    if tool.left_out:
        lines.append(f"# Left out: {json.dumps(list(tool.left_out))}\n")
    if not _tidy(tool.description):
        lines.append(
            "# The source describes nothing: the summary is the name in words. Say what the tool does.\n"
        )
    nullable = [root + entry.path for root, entry in tool.changes if entry.keyword == "nullable"]
    if nullable:
        lines.append(f"# Said to be nullable, and a union with null here: {json.dumps(nullable)}\n")
    for root, entry in tool.changes:
        if entry.keyword != "nullable":
            lines.append(f"# Schema changed: {json.dumps(in_short(root, entry))}\n")
    for pointer, default in tool.wrong_defaults:
        shown = json.dumps(default) if len(json.dumps(default)) <= 200 else "a long value"
        lines.append(f"# Default left out, as it does not fit its schema: {json.dumps(pointer)}, {shown}\n")
    return "".join(lines)


def in_short(root: str, entry: SchemaChange) -> str:
    """Return a change of the schema `root` in words."""
    return f"{root}{entry.path}: `{entry.keyword}` {entry.reason}"[:300]


def _valid_calls(tool: Declared, limit: int) -> list[object]:
    if limit <= 0 or not tool.calls or not isinstance(tool.parameters, dict):
        return []
    try:
        validator = jsonschema_rs.validator_for(tool.parameters, retriever=_offline)
    except (ValueError, jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError):
        return []  # the compiler reports what is wrong with it
    found: JsonObject = {}
    for call in tool.calls:
        if len(found) == limit:
            break
        text = json.dumps(call, sort_keys=True)
        if isinstance(call, dict) and len(text) <= _MAX_EXAMPLE_BYTES and validator.is_valid(call):
            found.setdefault(text, call)
    return list(found.values())


def _offline(uri: str) -> Any:
    raise ValueError(f"reference to {uri} is not followed")
