"""The pages of the rules of lint and diff: each with its level and its meaning."""

from __future__ import annotations

from toolcast.analysis.diff.rules import AUDIENCES
from toolcast.analysis.diff.rules import RULES as DIFF_RULES
from toolcast.analysis.lint.finding import RULES as LINT_RULES

_LINT = """\
# Lint rules

The findings of `toolcast lint` ([how it judges](lint.md)) by code, as `toolcast lint --list` prints them. A
project sets [severities](configuration.md#tooltoolcastlint); a spec [suppresses](specs.md#suppressions) a
code with a reason, except those that concern the whole set.
"""
_DIFF = """\
# Diff rules

The changes that `toolcast diff` reports ([states and audiences](diff.md)) by audience, as
`toolcast diff --list` prints them. A project sets [levels](configuration.md#tooltoolcastdiff) of rules and
audiences; a spec [suppresses](specs.md#suppressions) a rule with a reason and an end.
"""


def lint_rules() -> str:
    """The page of the rules of lint."""
    parts = [_LINT]
    for code, rule in sorted(LINT_RULES.items()):
        level = f"{rule.severity}, whole set" if rule.whole else rule.severity
        parts.append(f"## {code}\n\n**{rule.title}** ({level}). {rule.about}\n")
    return "\n".join(parts)


def diff_rules() -> str:
    """The page of the rules of diff."""
    parts = [_DIFF]
    for audience in AUDIENCES:
        parts.append(f"## {audience.capitalize()}\n")
        for id, rule in DIFF_RULES.items():
            if rule.audience == audience:
                parts.append(f"### {id}\n\n**{rule.title}** ({rule.level}). {rule.about}\n")
    return "\n".join(parts)
