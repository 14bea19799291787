"""The pages of the rules of lint and diff: each with its level and its meaning."""

from __future__ import annotations

from toolcast.diff.change import AUDIENCES
from toolcast.diff.rules import RULES as DIFF_RULES
from toolcast.lint.finding import RULES as LINT_RULES

from .markdown import codes, table

_LEVELS = ("error", "warning", "note")
_LINT = """\
# Lint rules

What `toolcast lint` finds ([how it is judged](lint.md)), by code. `toolcast lint --list` prints the same.
A project changes the severity of a code in [`levels`](configuration.md#tooltoolcastlint) of
`[tool.toolcast.lint]`; a spec [suppresses one](specs.md#suppressions) with a reason, unless the rule concerns
the whole set.
"""
_DIFF = """\
# Diff rules

What `toolcast diff` reports ([states and audiences](diff.md)), by audience. `toolcast diff --list` prints the
same. A project changes the level of a rule or of an audience in
[`levels`](configuration.md#tooltoolcastdiff) of `[tool.toolcast.diff]`; a spec
[suppresses a rule](specs.md#suppressions) with a reason and an end.
"""


def lint_rules() -> str:
    """The page of the rules of lint."""
    by_level = [
        [level, codes(code for code, rule in sorted(LINT_RULES.items()) if rule.severity == level)]
        for level in _LEVELS
    ]
    parts = [_LINT, table(["severity", "codes"], by_level)]
    for code, rule in sorted(LINT_RULES.items()):
        whole = " It concerns the whole set, so no spec can suppress it." if rule.whole else ""
        parts.append(f"## {code}\n\n**{rule.title}** ({rule.severity}). {rule.about}{whole}\n")
    return "\n".join(parts)


def diff_rules() -> str:
    """The page of the rules of diff."""
    rows = [[audience, *(codes(_of(audience, level)) or "–" for level in _LEVELS)] for audience in AUDIENCES]
    parts = [_DIFF, table(["audience", *_LEVELS], rows)]
    for audience in AUDIENCES:
        parts.append(f"## {audience.capitalize()}\n")
        for id, rule in DIFF_RULES.items():
            if rule.audience == audience:
                parts.append(f"### {id}\n\n**{rule.title}** ({rule.level}). {rule.about}\n")
    return "\n".join(parts)


def _of(audience: str, level: str) -> list[str]:
    return [id for id, rule in DIFF_RULES.items() if (rule.audience, rule.level) == (audience, level)]
