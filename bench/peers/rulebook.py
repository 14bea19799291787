"""The providers' own rules, as the tests have them: from published rules, apart from any transformer."""

from __future__ import annotations

from typing import Any

from tests.providers import rules


def findings(profile: str, tool: dict[str, Any]) -> list[str]:
    """Why the provider would refuse this tool, this one tool's sizes included."""
    checker = rules.CHECKERS.get(profile)
    if checker is None:  # an output that nobody holds to its provider's rules passes for nothing
        return [f"tests/providers/rules has no rules for {profile}"]
    return [*checker.reject(tool), *checker.over_limit(tool)]
