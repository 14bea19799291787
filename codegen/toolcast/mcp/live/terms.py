"""The terms on which a program takes a server's tools, and the names under which it offers them."""

import re
from collections.abc import Callable, Collection, Mapping
from fnmatch import fnmatchcase
from hashlib import sha256
from typing import Any, TypeAlias

from msgspec import Struct

from ...permissions import PERMISSIONS, Permission
from ...runtime.hidden_parameters import PATH
from .server_tool import Limits, LiveTool

_LONGEST = 64
"""Characters that every provider takes, so that a name never depends on the provider."""
_FOREIGN = re.compile(r"[^A-Za-z0-9_-]+")
_PLAIN = re.compile(r"[A-Za-z0-9_-]+")
_MARKED = re.compile(r"_[0-9a-f]{8}\Z")
_SERVER = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,31}")


def offered_name(server: str, tool: str) -> str:
    """Return a name of letters, digits, `_` and `-`, at most LONGEST of them: `server__tool` where that is
    one.

    Any other name is cleaned, cut, and ends in `_` and eight hex digits of the SHA-256 of `tool`, whatever
    other tools there are. A name that ends like that already gets digits, too: no server can list a name that
    another one's is changed to.
    """
    name = f"{server}__{_FOREIGN.sub('_', tool)}"
    if len(name) <= _LONGEST and _PLAIN.fullmatch(tool) and not _MARKED.search(tool):
        return name
    mark = sha256(tool.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{name[: _LONGEST - len(mark) - 1]}_{mark}"


def _check_server(name: str) -> str:
    if not _SERVER.fullmatch(name) or "__" in name:
        raise ValueError(
            f"{name!r} is no name for a server: up to 32 letters, digits, '-' and single '_', no digit first."
        )
    return name


Permissions: TypeAlias = Permission | Mapping[str, Permission] | Callable[[LiveTool], Permission]
"""One for all tools, by the server's names (others `execute`), or decided for each."""

CAREFUL: Permission = "execute"
"""The permission of a tool of which only its server's claims are known: anything. A policy that allows no
more than reading or writing run refuses it."""


class Terms(Struct, frozen=True, kw_only=True):
    """The arguments of `mcp_tools`, checked: a wrong one is a ValueError."""

    server: str
    permission: Permissions = CAREFUL
    secrets: Mapping[str, Collection[str]] = {}
    inject: Mapping[str, Mapping[str, str]] = {}
    names: frozenset[str] | None = None
    timeout: float | None = None
    recheck: float | None = None
    limits: Limits

    def __post_init__(self) -> None:
        _check_server(self.server)
        for name, seconds in (("timeout", self.timeout), ("recheck", self.recheck)):
            if seconds is not None and not seconds > 0:
                raise ValueError(f"{name} must be more than 0 seconds, not {seconds!r}.")
        rule = self.permission
        if not callable(rule):
            for one in rule.values() if isinstance(rule, Mapping) else [rule]:
                _known(one)
        for tool, parameters in self.secrets.items():
            if isinstance(parameters, str):
                raise ValueError(f"secrets of {tool!r} must be a list of parameters, not a text.")

        for pattern, paths in self.inject.items():
            for parameter, path in paths.items():
                if not PATH.fullmatch(path):
                    raise ValueError(
                        f"inject of {pattern!r}: {path!r} is no path for {parameter!r}; write context.NAME."
                    )

    def wants(self, tool: str) -> bool:
        return self.names is None or tool in self.names

    def permission_of(self, tool: LiveTool) -> Permission:
        """Return the permission of a tool. Raises ValueError where the program's rule answers none."""
        rule = self.permission
        if callable(rule):
            return _known(rule(tool))
        return rule.get(tool.name, CAREFUL) if isinstance(rule, Mapping) else rule

    def secrets_of(self, tool: LiveTool) -> tuple[str, ...]:
        return tuple(self.secrets.get(tool.name, ()))

    def injected_of(self, tool: str) -> dict[str, str]:
        """Return the parameters of a tool, by the server's name, that the program fills in."""
        fitting = [paths for pattern, paths in self.inject.items() if fnmatchcase(tool, pattern)]
        return {parameter: path for paths in fitting for parameter, path in paths.items()}

    def check_listed(self, tools: Collection[str]) -> None:
        """Raise ValueError for a pattern of `inject` that fits no tool of a listing: the parameter might be
        there under another name.
        """
        for pattern in self.inject:
            if not any(fnmatchcase(tool, pattern) for tool in tools):
                raise ValueError(f"inject: MCP server {self.server!r} lists no tool {pattern!r}.")


def hinted_permission(tool: LiveTool) -> Permission:
    """Derive a tool's permission from its server's annotations. Only for servers that are trusted: a
    malicious one claims that everything reads.

    Args:
        tool: the tool.

    Returns:
        "read", "write", "network" or "execute".
    """
    if tool.hint("readOnlyHint"):
        return "network" if tool.hint("openWorldHint") else "read"
    if tool.hint("destructiveHint") is False and tool.hint("openWorldHint") is False:
        return "write"
    return CAREFUL


def _known(permission: Any) -> Permission:
    if permission not in PERMISSIONS:
        raise ValueError(f"There is no permission {permission!r}. Choose among {', '.join(PERMISSIONS)}.")
    known: Permission = permission
    return known
