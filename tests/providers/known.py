"""Defects that a judge has found and that still stand. Each names the findings it explains; one that explains
nothing any more fails as well, so that this list is true."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

REJECTED: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("cloud-code-assist", "json-schema-test-suite"): (
        'Unknown name "dependentRequired"',
        "Property keys should match",
        "Input should be 'object'",
    ),
    ("conservative", "json-schema-test-suite"): (
        "dependentRequired",
        "is no portable property name",
        "schema must have type 'object'",
    ),
    ("moonshot", "json-schema-test-suite"): ("dependentRequired",),
    ("vllm-xgrammar", "json-schema-test-suite"): ("enum array must not be empty",),
    ("xai", "json-schema-test-suite"): ("enum with zero variants",),
}
"""By provider and corpus: parts of what the provider would answer."""
UNSTABLE: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("moonshot", "mcp-servers"): ("normalising twice changes it",),
}
CASES_REFUSED = ("construct/deprequired",)
CASES_LOST = ("construct/root_anyof (openai_strict)", "UnsupportedSchema: #/$schema")


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
