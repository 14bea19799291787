"""Which tools of which servers were approved, as they were then."""

import os
from collections.abc import Collection, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from .server_tool import LiveTool

_VERSION = 1
_encode = msgspec.json.Encoder(order="sorted").encode


class PinsError(ValueError):
    """A file of pins that cannot be read; nothing is approved by it."""


class Pin(Struct, frozen=True, forbid_unknown_fields=True):
    """One tool as it was approved: the SHA-256 of all that its server says of it, and of each part, so that a
    change can be named. Order of properties and white space do not count."""

    digest: str
    parts: Mapping[str, str]

    @classmethod
    def of(cls, tool: LiveTool) -> "Pin":
        """The pin of a tool as it is now."""
        said: dict[str, Any] = {
            "title": tool.title,
            "description": tool.description,
            "inputSchema": tool.input_schema,
            "outputSchema": tool.output_schema,
            "annotations": tool.annotations,
        }
        parts = {name: _digest(value) for name, value in said.items()}
        return cls(digest=_digest([tool.server, tool.name, said]), parts=parts)

    def changed(self, now: "Pin") -> tuple[str, ...]:
        """The parts in which `now` differs."""
        if self.digest == now.digest:
            return ()
        names = sorted({*self.parts, *now.parts})
        return tuple(name for name in names if self.parts.get(name) != now.parts.get(name)) or ("name",)


class PinChange(Struct, frozen=True):
    """A difference between two sets of pins."""

    server: str
    tool: str
    kind: Literal["new", "changed", "gone"]
    parts: tuple[str, ...] = ()

    def __str__(self) -> str:
        """`changed  git/git_status: description`."""
        parts = f": {', '.join(self.parts)}" if self.parts else ""
        return f"{self.kind:8} {self.server}/{self.tool}{parts}"


class Pins(Struct, frozen=True, forbid_unknown_fields=True):
    """Approved tools: by server, by the server's name for the tool. A value; every change makes another."""

    servers: Mapping[str, Mapping[str, Pin]] = {}
    version: int = _VERSION

    @classmethod
    def load(cls, path: str | Path) -> "Pins":
        """What a file says; without a file nothing is approved. Raises PinsError for any other file."""
        try:
            raw = Path(path).read_bytes()
        except FileNotFoundError:
            return cls()
        try:
            pins = msgspec.json.decode(raw, type=cls)
        except (msgspec.MsgspecError, UnicodeError, RecursionError) as problem:
            raise PinsError(
                f"{path} holds no pins: {problem}. Restore it, or delete it and approve anew."
            ) from None
        if pins.version != _VERSION:
            raise PinsError(f"{path} has version {pins.version}, and this toolcast reads {_VERSION}.")
        return pins

    def save(self, path: str | Path) -> None:
        """Write the file, whole or not at all; sorted, so that a review shows what changed."""
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        try:
            temporary.write_bytes(msgspec.json.format(_encode(self), indent=2) + b"\n")
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)

    def get(self, server: str, tool: str) -> Pin | None:
        """The pin of a tool; None where it was never approved."""
        return self.servers.get(server, {}).get(tool)

    def with_tools(self, server: str, tools: Mapping[str, Pin]) -> "Pins":
        """These pins, and `tools` in the place of the same ones of before."""
        return self._with(server, {**self.servers.get(server, {}), **tools})

    def without(self, server: str, tools: Collection[str]) -> "Pins":
        """These pins without some tools of a server."""
        left = {name: pin for name, pin in self.servers.get(server, {}).items() if name not in tools}
        return self._with(server, left)

    def diff(self, now: "Pins") -> tuple[PinChange, ...]:
        """What is different in `now`, sorted by server and tool."""
        changes = []
        for server in sorted({*self.servers, *now.servers}):
            mine, its = self.servers.get(server, {}), now.servers.get(server, {})
            for tool in sorted({*mine, *its}):
                if tool not in mine:
                    changes.append(PinChange(server, tool, "new"))
                elif tool not in its:
                    changes.append(PinChange(server, tool, "gone"))
                elif mine[tool].digest != its[tool].digest:
                    changes.append(PinChange(server, tool, "changed", mine[tool].changed(its[tool])))
        return tuple(changes)

    def _with(self, server: str, tools: Mapping[str, Pin]) -> "Pins":
        servers = {name: each for name, each in self.servers.items() if name != server}
        return Pins({**servers, **({server: tools} if tools else {})})


def _digest(value: Any) -> str:
    return sha256(_encode(value)).hexdigest()
