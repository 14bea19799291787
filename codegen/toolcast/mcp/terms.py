"""The terms on which a program takes a server's tools."""

from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeAlias

from msgspec import Struct

from ..runtime.view import PERMISSIONS, Permission
from .listing_limits import Limits
from .offered_names import check_server
from .server_tool import LiveTool

Permissions: TypeAlias = Permission | Mapping[str, Permission] | Callable[[LiveTool], Permission]
"""One for all tools, by the server's names (others `execute`), or decided for each."""

CAREFUL: Permission = "execute"
"""What a tool may do of which nothing is known but what its server claims: anything. A policy that lets no
more than reading or writing run refuses it."""


class Terms(Struct, frozen=True, kw_only=True):
    """`mcp_tools` says what each part means."""

    server: str
    permission: Permissions = CAREFUL
    secrets: Mapping[str, Collection[str]] = {}
    names: frozenset[str] | None = None
    timeout: float | None = None
    recheck: float | None = None
    limits: Limits

    def __post_init__(self) -> None:
        """Raises ValueError for what cannot be meant."""
        check_server(self.server)
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

    def wants(self, tool: str) -> bool:
        """Whether a tool, by the server's name, is to be taken at all."""
        return self.names is None or tool in self.names

    def permission_of(self, tool: LiveTool) -> Permission:
        """What a tool may do. Raises ValueError where the program's own rule answers something else."""
        rule = self.permission
        if callable(rule):
            return _known(rule(tool))
        return rule.get(tool.name, CAREFUL) if isinstance(rule, Mapping) else rule

    def secrets_of(self, tool: LiveTool) -> tuple[str, ...]:
        """The parameters that may carry references."""
        return tuple(self.secrets.get(tool.name, ()))


def hinted_permission(tool: LiveTool) -> Permission:
    """A tool's permission as its server's annotations claim it. For servers whose word is taken, only: a
    malicious one claims that everything reads."""
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
