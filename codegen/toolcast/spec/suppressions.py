"""Suppressions of a spec: its keys `lint.ignore`, `verify.ignore` and `diff.ignore`.

`toolcast lint --list` explains the codes of lint, docs/reference/specs.md those of verification. `toolcast
diff` reports rules in `diff.ignore` that it does not know.
"""

import re
from collections.abc import Mapping
from datetime import date
from typing import Final, Literal

from ..jsonschema.json_values import JsonMapping, JsonObject
from .spec_checker import TEXT, Names, SpecChecker, Words, closed, quoted
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
_RULE: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
"""The form of the id of a rule of `toolcast diff`."""
_DATE_HINT: Final = "write year, month and day, as in `2027-03-01`"
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_REASON_HINT: Final = "write the reason, or `{reason: …, until: 2027-03-01}`"
_END_HINT: Final = "a suppression for diff needs an end date: write `{reason: …, until: 2027-03-01}`"


def suppressions_schema(command: Command, *examples: JsonObject) -> JsonObject:
    """Make the schema of the key of one command, with the codes that it may name."""
    known = CODES[command]
    mapping = closed(
        {
            "reason": {**TEXT, "description": "Why it does not apply."},
            "until": {
                "type": "string",
                "pattern": f"^{_DATE.pattern}$",
                "format": "date",
                "description": "The last day on which it is suppressed.",
            },
        },
        required=("reason", "until") if command == "diff" else ("reason",),
    )
    entry = mapping if command == "diff" else {"anyOf": [TEXT, mapping]}
    ignore: JsonObject = {
        "description": "The code, and the reason why it does not apply here.",
        "type": "object",
        "additionalProperties": False if known else entry,
    }
    if known:
        ignore["properties"] = dict.fromkeys(known, entry)
    else:
        ignore["propertyNames"] = {"pattern": f"^{_RULE.pattern}$"}
    ignore["examples"] = list(examples)
    return closed({"ignore": ignore}, *({"ignore": each} for each in examples))


def suppressions_words(command: Command) -> dict[str, Words]:
    """Return the words of diagnostics about the key of one command."""
    codes = Names(
        code="unknown-code",
        wanted=f"a code of {command}" if CODES[command] else f"the id of a rule of {command}",
        listed="codes of single tools are" if command == "lint" else "codes are",
        hint=f"see `toolcast {command} --list`",
    )
    return {
        "ignore": Words(names=codes),
        "ignore.*.until": Words(code="bad-date", wanted="a date", hint=_DATE_HINT),
        "ignore.*.reason": Words(),
        "ignore.*": Words(hint=_END_HINT if command == "diff" else _REASON_HINT),
    }


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
            checker.report(path, "bad-date", f"{quoted(str(until))} is not a date", _DATE_HINT)
            continue
        if reason is not None:
            found[code] = Suppression(reason, end)
    return found


def in_force(suppressed: Mapping[str, Suppression], today: date) -> dict[str, Suppression]:
    """Return the suppressions of one tool and command that have not ended by `today`."""
    return {code: each for code, each in suppressed.items() if each.until is None or today <= each.until}
