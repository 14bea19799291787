"""What each provider refuses, checked on complete tool objects. Written from the providers' rules alone.

Nothing here knows the walk or the profiles: only published rules, recorded traffic and error texts. Each
finding is one string, the path first, then the provider's own words where they are known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from . import anthropic, compatible, declarations, google, local, mcp, moonshot, openai, portable
from .checker import Checker as Checker
from .checker import Tool
from .nodes import nodes as nodes

CHECKERS: Mapping[str, Checker] = {
    **openai.CHECKERS,
    **anthropic.CHECKERS,
    **google.CHECKERS,
    **mcp.CHECKERS,
    **compatible.CHECKERS,
    **moonshot.CHECKERS,
    **local.CHECKERS,
    **portable.CHECKERS,
    **declarations.CHECKERS,
}
CHECKS: Mapping[str, Callable[[Tool], list[str]]] = {id: each.reject for id, each in CHECKERS.items()}


def reject(provider: str, tool: Tool) -> list[str]:
    """Why `provider` would answer this tool object with an error."""
    return CHECKERS[provider].reject(tool)


def ignored(provider: str, tool: Tool) -> list[str]:
    """What `provider` takes and does not enforce."""
    return CHECKERS[provider].ignored(tool)
