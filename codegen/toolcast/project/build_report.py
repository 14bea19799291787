"""The report of a run: what it did, or what stopped it."""

from collections.abc import Callable, Mapping

import msgspec
from msgspec import Struct

from ..diagnostics import Diagnostic
from ..output_layout import MODELS
from .core.compiled import ToolEntry
from .former import Former
from .output.drift import Cause
from .output.plan import Plan, reason, remedy


class Stale(Struct, frozen=True, kw_only=True):
    """The output of a spec that does not compile now: it stays as it was.

    `spec` is shown as diagnostics show it, `outputs` are posix paths below the output root, the module first.
    `flaw`: why the tool is not in the registry, or the type cannot be imported; empty if nothing is wrong
    with them. `deleted`: the spec is gone, but other stale outputs need this one.
    """

    spec: str
    outputs: tuple[str, ...]
    flaw: str = ""
    deleted: bool = False
    keyword: str = ""  # what `register_all` calls the tool; empty for a type, and where it is not known


class Report(Struct, frozen=True, kw_only=True):
    """What a run did, or would do. `rebuilt` and `refused` count tools.

    `entries` are those of the tools that compile, `stale` is what others keep.
    """

    tools: int = 0
    rebuilt: int = 0
    refused: int = 0
    plan: Plan = Plan()
    diagnostics: tuple[Diagnostic, ...] = ()
    entries: tuple[ToolEntry, ...] = ()  # by spec path
    stale: tuple[Stale, ...] = ()  # by spec path
    causes: tuple[Cause, ...] = ()  # of everything that the plan would do; only of `check`
    seconds: float = 0.0

    @property
    def failed(self) -> bool:
        """True if a spec has an error, or the run could not end."""
        return any(problem.severity == "error" for problem in self.diagnostics)


def stale_outputs(former: Mapping[str, Former], shown: Callable[[str], str]) -> tuple[Stale, ...]:
    """What a report has of `former`, by spec path. `shown`: a spec's path as diagnostics show it."""

    def rank(output: str) -> tuple[bool, bool, str]:
        return not output.endswith(".py"), output.startswith(f"{MODELS}/"), output

    return tuple(
        Stale(
            spec=shown(path),
            outputs=tuple(sorted(each.unit.outputs, key=rank)),
            flaw=each.flaw,
            deleted=each.deleted,
            keyword="" if each.unit.entry is None else each.unit.entry.keyword,
        )
        for path, each in sorted(former.items())
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
