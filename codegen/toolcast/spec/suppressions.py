"""Suppressions of a spec: its keys `lint.ignore`, `verify.ignore` and `diff.ignore`.

`toolcast lint --list` explains the codes of lint, docs/reference/specs.md those of verification. `toolcast
diff` reports rules in `diff.ignore` that it does not know.
"""

import re
from collections.abc import Mapping
from datetime import date
from typing import Final, Literal

from ..jsonschema.json_values import JsonMapping
from .spec_checker import SpecChecker, quoted
from .tool_spec import Suppression

Command = Literal["lint", "verify", "diff"]

LINT_CODES: Final = (
    "advised-name-length",
    "advised-optional",
    "advised-unions",
    "depth",
    "description-length",
    "destructive-read",
    "duplicate-description",
    "enum-values",
    "flag-argument",
    "hidden-character",
    "hidden-text",
    "imperative-text",
    "long-enum",
    "lossy",
    "missing-description",
    "name-collision",
    "name-length",
    "name-pattern",
    "not-strict",
    "past-removal",
    "properties",
    "property-name",
    "refused-calls",
    "rejected",
    "required-at-least",
    "reserved-meta-key",
    "schema-warning",
    "search-name",
    "secret-parameter",
    "string-chars",
    "tokens",
    "unknown-replacement",
    "unresolved-secrets",
    "unstated-annotation",
    "vague-description",
    "vague-parameter",
)
"""Findings about one tool, sorted. Those about the whole set are no single spec's to ignore."""

VERIFY_CODES: Final = ("L1", "L2", "L3", "L4", "L5", "few-instances", "not-verified", "second-opinion")
"""Laws, warnings and the second opinion of `toolcast verify`."""

CODES: Final[Mapping[Command, tuple[str, ...] | None]] = {
    "lint": LINT_CODES,
    "verify": VERIFY_CODES,
    "diff": None,  # any, of the form `RULE`
}
RULE: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
"""The form of the id of a rule of `toolcast diff`."""
DATE_HINT: Final = "write year, month and day, as in `2027-03-01`"
DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def suppressions(checker: SpecChecker, command: Command, stated: JsonMapping) -> dict[str, Suppression]:
    """Read the valid suppressions of one command, by code. Wrong parts of `stated` are None."""
    found: dict[str, Suppression] = {}
    for code, each in (stated.get("ignore") or {}).items():
        members = {"reason": each} if isinstance(each, str) else each or {}
        reason, until = members.get("reason"), members.get("until")
        try:
            end = None if until is None else date.fromisoformat(until)
        except ValueError:  # the year 0, which `date` lacks
            path = (command, "ignore", code, "until")
            checker.report(path, "bad-date", f"{quoted(str(until))} is not a date", DATE_HINT)
            continue
        if reason is not None:
            found[code] = Suppression(reason, end)
    return found


def in_force(suppressed: Mapping[str, Suppression], today: date) -> dict[str, Suppression]:
    """Return the suppressions of one tool and command that have not ended by `today`."""
    return {code: each for code, each in suppressed.items() if each.until is None or today <= each.until}
