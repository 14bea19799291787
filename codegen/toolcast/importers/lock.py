"""`import.lock`: digests of what was imported, so that the next import knows what changed on which side.

JSON lines, to be checked in: the version of the format, then one line per tool, sorted, so that branches that
import different tools merge.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct, field

from ..jsonschema.json_values import JsonObject
from ..replace_file import replace_file
from ..spec.tool_spec import SourceKind
from .merge import are_digests

NAME = "import.lock"
_VERSION = 1
_MAX_BYTES = 64 * 1024 * 1024
_encode = msgspec.json.Encoder(order="sorted").encode

Key: TypeAlias = tuple[str, str, str]
"""Kind of source, which one, and its own name of the tool."""


class LockError(ValueError):
    """An unreadable file; the message says why, and where."""


class LockedTool(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The last state of one tool that came from a source.

    `fields` are digests of what was merged last; `pending` is by field the source's value where the spec
    differs on purpose or by conflict, null for none; `read_only` is MCP's hint, which a spec has no key for.
    """

    kind: SourceKind
    label: str = field(name="from")
    name: str
    fields: JsonObject
    pending: JsonObject = {}
    read_only: bool | None = None

    @property
    def key(self) -> Key:
        return self.kind, self.label, self.name


class LockedType(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The last state of one shared type, by its path below the specs root."""

    kind: SourceKind
    label: str = field(name="from")
    type: str
    fields: Any
    pending: JsonObject = {}


class _Header(Struct, frozen=True, forbid_unknown_fields=True):
    version: int


class Lock(Struct, frozen=True):
    tools: Mapping[Key, LockedTool] = {}
    types: Mapping[str, LockedType] = {}

    def of_source(self, kind: str, label: str) -> Iterator[LockedTool]:
        """Yield the tools that came from one source."""
        return (tool for key, tool in self.tools.items() if key[:2] == (kind, label))

    def text(self) -> str:
        lines = [_encode(_Header(_VERSION)), *(_encode(self.tools[key]) for key in sorted(self.tools))]
        lines += [_encode(self.types[path]) for path in sorted(self.types)]
        return "".join(f"{line.decode()}\n" for line in lines)


def load_lock(path: Path) -> Lock:
    """Read a lock file; an absent one is empty. Raises LockError."""
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise LockError(f"it is larger than {_MAX_BYTES // 2**20} MiB")
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        return Lock()
    except OSError as problem:
        raise LockError(str(problem.strerror or problem).lower()) from None
    tools: dict[Key, LockedTool] = {}
    types: dict[str, LockedType] = {}
    for number, line in enumerate(lines, 1):
        try:
            if number == 1:
                version = msgspec.json.decode(line, type=_Header).version
                if version != _VERSION:
                    raise LockError(f"it has version {version}, and this toolcast reads {_VERSION}")
            else:
                data = msgspec.json.decode(line)
                is_type = isinstance(data, dict) and "type" in data
                if is_type:
                    type_ = msgspec.convert(data, LockedType)
                    types[type_.type] = type_
                else:
                    tool = msgspec.convert(data, LockedTool)
                    tools[tool.key] = tool
                if not are_digests(data["fields"]):
                    raise LockError(f"line {number} is not one of an import.lock: its fields are no digests")
        except (msgspec.MsgspecError, UnicodeError, RecursionError) as problem:
            raise LockError(f"line {number} is not one of an import.lock: {problem}") from None
    return Lock(tools, types)


def write_text(path: Path, text: str) -> None:
    """Write a file, whole or not at all, and its folder; a link is replaced. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, text.encode(), follow=False)
