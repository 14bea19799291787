"""The report of a run: what it did, or what stopped it."""

import msgspec
from msgspec import Struct

from ..diagnostics import Diagnostic
from .core.compiled import ToolEntry
from .output.faults import broken_off, reason, remedy
from .output.plan import Plan
from .output.publish import PublishError
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
        return any(problem.severity == "error" for problem in self.diagnostics)


def stopped(report: Report, fault: PublishError, shown_output: str) -> Report:
    """The report of a run that the disk stopped: its plan is what was done."""
    plan, done = report.plan, fault.done
    writes = tuple(write for write in plan.writes if write.path in done)
    deletes = tuple(delete for delete in plan.deletes if delete.path in done)
    total = len(plan.writes) + len(plan.deletes)
    problem = broken_off(fault.path, fault.error, len(done), total, shown_output)
    return msgspec.structs.replace(
        report,
        plan=msgspec.structs.replace(plan, writes=writes, deletes=deletes),
        diagnostics=tuple(sorted({*report.diagnostics, problem})),
    )


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


def package_failed(file: str, fault: str) -> Diagnostic:
    """That the files about all tools cannot be made."""
    message = f"the compiler failed on the files about all tools: {fault}"
    hint = "this is a fault of toolcast or of an overriding template; please report it with the specs"
    return Diagnostic(file=file, code="internal-error", message=message, hint=hint)
