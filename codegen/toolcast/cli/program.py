"""A program whose registry a command uses: its logs, its faults, and its end."""

import asyncio
import logging
import sys
from typing import TYPE_CHECKING, Any

import click

from ..console import one_line, printable
from .options import refuse

if TYPE_CHECKING:
    from ..runtime.view import ToolView
    from .registry_target import TargetError

_CLOSING = 5.0
"""Seconds that handlers have to release what they hold."""


def no_registry(target: str, problem: "TargetError") -> click.exceptions.Exit:
    """Tell why there is no registry, with the traceback of the program's own fault; raise the answer."""
    if problem.__cause__ is not None:
        import traceback

        traceback.print_exception(problem.__cause__)
    return refuse(problem.target or target, "no-registry", str(problem), problem.hint)


async def close(registry: "ToolView") -> None:
    """Release what the registry's handlers hold; failures go to the log."""
    aclose = getattr(registry, "aclose", None)
    if aclose is None:
        return
    try:
        async with asyncio.timeout(_CLOSING):
            await aclose()
    except Exception:
        logging.getLogger("toolcast.mcp").exception("The registry was not closed properly.")


class _OneLine(logging.Formatter):
    """Each record on its line; a traceback below it, indented. Both quote what servers and clients send."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name that logging calls
        return one_line(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:  # noqa: N802 - the name that logging calls
        return "\n".join(f"  {printable(line)}" for line in super().formatException(ei).split("\n"))


def log_to_stderr(level: int = logging.INFO, *, verbose: bool = False) -> None:
    """Logs to stderr: ours, and from others what matters."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_OneLine("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(handlers=[handler])
    logging.getLogger("toolcast").setLevel(level)
    if verbose:
        logging.getLogger().setLevel(logging.INFO)
        logging.getLogger("mcp").setLevel(logging.DEBUG)
