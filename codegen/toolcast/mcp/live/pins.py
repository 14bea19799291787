"""Approved tools of servers, in the form in which they were approved."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct

from ...jsonschema.json_values import JsonObject
from ...replace_file import replace_file
from .server_tool import LiveTool

_VERSION = 1
_encode = msgspec.json.Encoder(order="sorted").encode


class PinsError(ValueError):
    """A file of pins that cannot be read; nothing is approved by it."""


class Pin(Struct, frozen=True, forbid_unknown_fields=True):
    """One tool as it was approved. The order of properties and white space do not count.

    Attributes:
        digest: SHA-256 of all that the server states about the tool.
        parts: SHA-256 of each part, so that a change can be named.
    """

    digest: str
    parts: Mapping[str, str]

    @classmethod
    def of(cls, tool: LiveTool, inject: Mapping[str, str] | None = None) -> "Pin":
        """Make the pin of a tool in its present form.

        Args:
            tool: the tool.
            inject: the parameters that the program fills in, which models are not offered.

        Returns:
            The pin.
        """
        fields: JsonObject = {
            "title": tool.title,
            "description": tool.description,
            "inputSchema": tool.input_schema,
            "outputSchema": tool.output_schema,
            "annotations": tool.annotations,
        }
        if inject:  # pins from before have no such part
            fields["inject"] = sorted(inject.items())
        parts = {name: _digest(value) for name, value in fields.items()}
        return cls(digest=_digest([tool.server, tool.name, fields]), parts=parts)

    def changed(self, now: "Pin") -> tuple[str, ...]:
        """Compare with another pin of the tool.

        Args:
            now: the other pin.

        Returns:
            The parts that differ.
        """
        if self.digest == now.digest:
            return ()
        names = sorted({*self.parts, *now.parts})
        return tuple(name for name in names if self.parts.get(name) != now.parts.get(name)) or ("name",)


class Pins(Struct, frozen=True, forbid_unknown_fields=True):
    """Approved tools, by server and by the server's name for the tool. A value: every change makes another
    one.

    Attributes:
        servers: pins by server and tool.
        version: version of the file format.
    """

    servers: Mapping[str, Mapping[str, Pin]] = {}
    version: int = _VERSION

    @classmethod
    def load(cls, path: str | Path) -> "Pins":
        """Read a file.

        Args:
            path: path of the file.

        Returns:
            The pins; none where there is no file.

        Raises:
            PinsError: the file cannot be read, or has another version.
        """
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
        """Write a file, whole or not at all; sorted, so that a review shows what changed.

        Args:
            path: path of the file.
        """
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        replace_file(target, msgspec.json.format(_encode(self), indent=2) + b"\n")

    def get(self, server: str, tool: str) -> Pin | None:
        """Find the pin of a tool.

        Args:
            server: name of the server.
            tool: the server's name for the tool.

        Returns:
            The pin; None where the tool was never approved.
        """
        return self.servers.get(server, {}).get(tool)

    def with_tools(self, server: str, tools: Mapping[str, Pin]) -> "Pins":
        """Add or replace pins.

        Args:
            server: name of the server.
            tools: pins by the server's names.

        Returns:
            New pins.
        """
        pins = {**self.servers.get(server, {}), **tools}
        return Pins({**self.servers, server: pins}) if pins else self


def _digest(value: object) -> str:
    return sha256(_encode(value)).hexdigest()
