"""Defects that a judge has found and that still stand. Each names the findings it explains; one that explains
nothing any more fails as well, so that this list is true."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

REJECTED: Mapping[tuple[str, str], tuple[str, ...]] = {}
"""By provider and corpus: parts of what the provider would answer."""
UNSTABLE: Mapping[tuple[str, str], tuple[str, ...]] = {}
CASES_REFUSED: tuple[str, ...] = ()
CASES_LOST: tuple[str, ...] = ()


def unexplained(findings: Iterable[str], known: tuple[str, ...]) -> list[str]:
    """The findings that no known defect explains, and the known defects that nothing shows any more."""
    lines = list(findings)
    gone = [
        f"no longer found, take it off the list: {part}"
        for part in known
        if not any(part in x for x in lines)
    ]
    return [*beyond(lines, known), *gone]


def beyond(findings: Iterable[str], known: tuple[str, ...]) -> list[str]:
    """The findings that no known defect explains."""
    return [line for line in findings if not any(part in line for part in known)]
