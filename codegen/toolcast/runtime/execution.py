"""What every call of a registry shares: the tool as it is called, and how calls are carried out."""

from typing import Any, NamedTuple

from .binding import ToolBinding
from .handlers import Handler
from .workers import Workers


class Ready(NamedTuple):
    """A tool whose handler can be called: `awaited` says that it is async."""

    binding: ToolBinding[Any, Any]
    handler: Handler
    awaited: bool


class Execution:
    """How one registry, and every selection of it, carries out calls: in which threads plain handlers run,
    and whether typed results are held to their contracts."""

    __slots__ = ("check_results", "workers")

    def __init__(self, workers: Workers, check_results: bool) -> None:
        self.workers = workers
        self.check_results = check_results
