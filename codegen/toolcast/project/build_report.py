"""The report of a run: what it did, or what stopped it."""

import msgspec
from msgspec import Struct

from ..diagnostics import Diagnostic
from .core.compiled import ToolEntry
from .output.faults import reason, remedy
from .output.plan import Plan
from .sharing import Shares


class Report(Struct, frozen=True, kw_only=True):
    """What a run did, or would do. `rebuilt`, `fetched` and `refused` count tools; `shares` count units."""

    tools: int = 0
    rebuilt: int = 0
    fetched: int = 0  # others compiled them
    refused: int = 0
    plan: Plan = Plan()
    diagnostics: tuple[Diagnostic, ...] = ()
    entries: tuple[ToolEntry, ...] = ()  # every tool that compiles, by spec path
    shares: Shares = Shares()
    seconds: float = 0.0

    @property
    def failed(self) -> bool:
        """True if a spec has an error, or the run could not end."""
        return any(problem.severity == "error" for problem in self.diagnostics)


def not_remembered(report: Report, shown_state: str, error: OSError) -> Report:
    """The report of a run whose outputs are right, but which the next run cannot build upon."""
    problem = Diagnostic(
        file=shown_state,
        severity="warning",
        code="not-remembered",
        message=f"the output is complete, but what the next run could reuse was not saved: {reason(error)}",
        hint=remedy(error),
    )
    return msgspec.structs.replace(report, diagnostics=tuple(sorted({*report.diagnostics, problem})))
