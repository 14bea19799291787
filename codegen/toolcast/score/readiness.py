"""What directories and clients of MCP ask of a tool beyond what the protocol demands.

Sources, read in 2026-11: MCP 2026-07-28, server/tools; Anthropic's directory policy and its guides to
submitting local and remote servers (support.claude.com, articles 11697096, 13145358, 12922832 and 12922490),
by which each tool has a title and, unless it only reads, states whether it is destructive; OpenAI's review of
apps, which refuses tools whose `openWorldHint` or `destructiveHint` is not stated (github.com/Teamwork/mcp,
pull request 420).
"""

import re
from collections.abc import Sequence
from typing import Final

from ..lint.linted_tool import Subject
from ..providers import Profile
from .score_model import Requirement

_PROTOCOL: Final = "MCP 2026-07-28, server/tools"
_DIRECTORY: Final = "Anthropic, MCP directory policy"
_APPS: Final = "OpenAI, review of apps"
_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,128}")
_LONG_NAME: Final = 64
"""Characters of a name that clients accept which send it to Chat Completions or to Anthropic."""


def requirements(subject: Subject, profiles: Sequence[Profile]) -> tuple[Requirement, ...]:
    """What is asked of a tool that MCP clients are offered.

    Args:
        subject: the tool.
        profiles: the providers of the project.

    Returns:
        What is demanded, then what is advised; nothing where no provider is a version of MCP.
    """
    if not any(each.id == "mcp" or each.id.startswith("mcp-") for each in profiles):
        return ()
    tool = subject.tool
    hints = tool.annotations
    described = bool(tool.description.strip())  # how long it is says nothing of how good it is
    return (
        _demanded(
            "name",
            _NAME.fullmatch(tool.name) is not None,
            _PROTOCOL,
            "take letters, digits, `_`, `-` and `.`",
        ),
        _demanded(
            "description",
            described,
            _DIRECTORY,
            "say in `description` what the tool does and when it applies",
        ),
        _demanded(
            "destructive",
            hints.destructive is not None,
            _APPS if tool.permission == "read" else _DIRECTORY,
            "write `annotations: {destructive: …}`",
        ),
        _demanded("open_world", hints.open_world is not None, _APPS, "write `annotations: {open_world: …}`"),
        _demanded("title", hints.title is not None, _DIRECTORY, "write `annotations: {title: …}`"),
        _advised(
            "idempotent", hints.idempotent is not None, _PROTOCOL, "write `annotations: {idempotent: …}`"
        ),
        _advised(
            "short name", len(tool.name) <= _LONG_NAME, _DIRECTORY, f"take at most {_LONG_NAME} characters"
        ),
        _advised("result", tool.result is not None, _PROTOCOL, "write the schema of `result`"),
        _advised("icons", bool(tool.icons), _PROTOCOL, "write `icons`"),
    )


def _demanded(name: str, met: bool, source: str, fix: str) -> Requirement:
    return Requirement(name=name, met=met, advised=False, source=source, fix="" if met else fix)


def _advised(name: str, met: bool, source: str, fix: str) -> Requirement:
    return Requirement(name=name, met=met, advised=True, source=source, fix="" if met else fix)
