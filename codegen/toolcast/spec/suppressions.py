"""What a spec declares not to apply to its tool: keys `lint.ignore`, `verify.ignore` and `diff.ignore`.

The codes of lint are explained by `toolcast lint --list`, those of verification in
docs/reference/specs.md. Which rules
`diff.ignore` may name is known to `toolcast diff`, which reports the others.
"""

import re
from collections.abc import Mapping
from datetime import date
from typing import Any, Final, Literal

from .reader_problems import quoted
from .spec_checker import SpecChecker
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
    "rejected",
    "repeats-schema",
    "required-at-least",
    "reserved-meta-key",
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
DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")

_KEYS: Final = ("reason", "until")
_WITH_END: Final = "write `{reason: …, until: 2027-03-01}`"
_DATE_HINT: Final = "write year, month and day, as in `2027-03-01`"


def suppressions(checker: SpecChecker, command: Command, value: Any) -> dict[str, Suppression]:
    """What is suppressed for one command.

    Args:
        checker: the checker of the spec's document.
        command: the key that `value` stands at.
        value: the value, `{ignore: {CODE: reason}}`, or `{reason, until}` in place of the reason.

    Returns:
        The suppressions by code; those with an error are reported and left out.
    """
    entries = checker.mapping((command,), value) or {}
    checker.known_keys((command,), entries, ("ignore",), {})
    ignored = checker.mapping((command, "ignore"), entries["ignore"]) if "ignore" in entries else None
    found: dict[str, Suppression] = {}
    for code, stated in (ignored or {}).items():
        if _known(checker, command, code) and (made := _suppression(checker, command, code, stated)):
            found[code] = made
    return found


def _known(checker: SpecChecker, command: Command, code: str) -> bool:
    known = CODES[command]
    path = (command, "ignore", code)
    if known is None:
        if RULE.fullmatch(code) is None:
            message = f"{quoted(code)} is not the id of a rule of {command}"
            checker.report(path, "unknown-code", message, f"see `toolcast {command} --list`", key=True)
            return False
    elif code not in known:
        what = "codes of single tools are" if command == "lint" else "codes are"
        hint, _ = checker.suggest(code, known, what)
        checker.report(path, "unknown-code", f"{quoted(code)} is not a code of {command}", hint, key=True)
        return False
    return True


def _suppression(checker: SpecChecker, command: Command, code: str, stated: Any) -> Suppression | None:
    path = (command, "ignore", code)
    if not isinstance(stated, dict):
        reason = checker.text(path, stated)
        if reason is not None and command == "diff":
            checker.report(path, "missing-key", "a suppression for diff needs an end date", _WITH_END)
            return None
        return None if reason is None else Suppression(reason)
    unknown = checker.known_keys(path, stated, _KEYS, {})
    required = _KEYS if command == "diff" else _KEYS[:1]
    for key in required:
        if key not in stated and key not in unknown:
            checker.report(path, "missing-key", f"`{key}` is missing", _WITH_END, key=True)
    reason = checker.text((*path, "reason"), stated["reason"]) if "reason" in stated else None
    until = _date(checker, (*path, "until"), stated["until"]) if "until" in stated else None
    return None if reason is None else Suppression(reason, until)


def _date(checker: SpecChecker, path: tuple[str, ...], value: Any) -> date | None:
    text = checker.text(path, value)
    if text is None:
        return None
    try:
        if DATE.fullmatch(text):
            return date.fromisoformat(text)
    except ValueError:
        pass  # such as 2027-02-30
    checker.report(path, "bad-date", f"{quoted(text)} is not a date", _DATE_HINT)
    return None


def in_force(suppressed: Mapping[str, Suppression], today: date) -> dict[str, Suppression]:
    """The suppressions that have not ended.

    Args:
        suppressed: the suppressions of one tool and command, by code.
        today: the date of the run.

    Returns:
        Those without an end, and those whose last day is not before `today`.
    """
    return {code: each for code, each in suppressed.items() if each.until is None or today <= each.until}
