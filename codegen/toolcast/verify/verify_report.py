"""The findings of a verification, as values that the command prints."""

from typing import Any, Literal

from msgspec import Struct

from ..diagnostics import Diagnostic, Severity

Law = Literal["L1", "L2", "L3", "L4", "L5"]

TITLES: dict[Law, str] = {
    "L1": "equivalence",
    "L2": "no lock-out",
    "L3": "way back",
    "L4": "ledger",
    "L5": "fixpoint",
}


class Counterexample(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The smallest case found in which two sides disagree.

    `instance` is JSON text, empty where a law is about the schema alone. `expected` and `actual` are the two
    verdicts in words; `place` is a JSON pointer into the contract, or into the spec.
    """

    law: Law
    file: str
    line: int
    column: int
    provider: str = ""
    instance: str = ""
    expected: str
    actual: str
    place: str = ""
    severity: Severity = "error"


class Disagreement(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A difference of another model family: information, unless the project decides else."""

    kind: Literal["accepts what is invalid", "refuses what is valid", "cannot be built"]
    count: int
    instance: str
    reason: str
    severity: Severity = "note"


class ToolReport(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The report on one tool.

    The two allowances leave the verdict on `open` instances open; the spec suppresses `suppressed` findings.
    """

    tool: str
    file: str
    line: int
    column: int
    instances: int = 0
    valid: int = 0
    invalid: int = 0
    open: int = 0
    counterexamples: tuple[Counterexample, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()
    second_opinion: tuple[Disagreement, ...] | None = None
    suppressed: int = 0


class Failure(Struct, frozen=True):
    """One disagreement about one instance, before it is made small."""

    kind: str
    expected: str
    actual: str
    instance: Any = None
    place: str = ""
