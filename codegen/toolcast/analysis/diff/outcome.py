"""The values of a comparison: what is asked for, what is found of single tools, and the outcome."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct

from ...command_settings import Level
from ...diagnostics import Diagnostic
from .rules import RULES, Audience, Change

if TYPE_CHECKING:
    import datetime

    from ...spec.tool_spec import Suppression
    from ..recorded_calls import RecordedCalls
    from .pairs import Pair

RANKS: Final[Mapping[Level, int]] = {"error": 0, "warning": 1, "note": 2, "off": 3}


class DiffFinding(Struct, frozen=True):
    """A change and its level in this project; `suppression` is the spec's own."""

    change: Change
    level: Level
    suppression: Suppression | None = None


class DiffOutcome(Struct, frozen=True, kw_only=True):
    """A comparison: `pairs` were compared, `unchanged` counts equal tools, `findings` are the worst first
    within each tool, and `diagnostics` are specs that do not compile and faults of suppressions.
    """

    old: str
    new: str
    pairs: tuple[Pair, ...]
    unchanged: int
    findings: tuple[DiffFinding, ...]
    suppressed: tuple[DiffFinding, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def failed(self) -> bool:
        """Return whether a change is an error here, or a spec does not compile."""
        return any(each.level == "error" for each in self.findings) or any(
            each.severity == "error" for each in self.diagnostics
        )


class Choice(Struct, frozen=True, kw_only=True):
    """The changes to report. Empty tuples mean all, but caches only where the configuration has a level for
    them; `tools` are names or paths of specs; `today` ends suppressions. `accepted` are reasons by
    fingerprint, besides those of the configuration; `calls` are recorded ones.
    """

    today: datetime.date
    tools: tuple[str, ...] = ()
    audiences: tuple[Audience, ...] = ()
    level: Level = "note"  # the least one
    accepted: Mapping[str, str] = {}
    calls: RecordedCalls | None = None


class ComparedTools(Struct, frozen=True, kw_only=True):
    """The tools that differ: `pairs` are those that are chosen, `names` and `paths` those of all of them; the
    problems are those of tools that do not compile in one of the states.
    """

    pairs: tuple[Pair, ...] = ()
    names: frozenset[str] = frozenset()
    paths: frozenset[str] = frozenset()
    changes: tuple[Change, ...] = ()
    old_problems: tuple[Diagnostic, ...] = ()
    new_problems: tuple[Diagnostic, ...] = ()


Version = Literal["major", "minor", "patch", "none"]
"""The part of a version that a change raises, as in Semantic Versioning."""
_PUBLIC: Final = frozenset({"calls", "results", "code", "trust"})


def version_change(changes: Iterable[Change]) -> Version:
    """Return what some changes ask of the version of their tools.

    What breaks callers, readers of results, code or a grant of permissions (rules that are errors, whatever
    level a project gives them) is major; all else that they may notice is minor; texts for models,
    definitions for providers and caches are a patch.
    """
    found = tuple(changes)
    public = [each for each in found if each.audience in _PUBLIC]
    if any(RULES[each.rule].level == "error" for each in public):
        return "major"
    return "minor" if public else "patch" if found else "none"
