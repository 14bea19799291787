"""What a run of composed schemas comes to."""

import collections
import json
from typing import Any

from msgspec import Struct
from toolcast.analysis.verify.verified_tool import Failure


class Finding(Struct, frozen=True, kw_only=True):
    """One disagreement. `number` and the seed make the schema again."""

    number: int
    kind: str
    schema: Any
    instance: str
    expected: str
    actual: str


class Tally(Struct):
    """What a run of schemas came to."""

    schemas: int = 0
    compiled: int = 0
    instances: int = 0
    valid: int = 0
    open: int = 0
    barren: int = 0  # schemas without a single valid instance
    refused: dict[str, int] = {}
    findings: list[Finding] = []

    def add(self, other: "Tally") -> None:
        """Sum up, in place."""
        for name in ("schemas", "compiled", "instances", "valid", "open", "barren"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.refused = dict(collections.Counter(self.refused) + collections.Counter(other.refused))
        self.findings = [*self.findings, *other.findings]


def finding(number: int, failure: Failure, schema: Any) -> Finding:
    """A failure of the schema with that number, as it is told."""
    return Finding(
        number=number,
        kind=failure.kind,
        schema=schema,
        instance=json.dumps(failure.instance),
        expected=failure.expected[:400],
        actual=failure.actual[:600],
    )


def show(finding: Finding) -> str:
    """A finding in lines, as JSON that can be pasted."""
    schema = json.dumps(finding.schema)
    return (
        f"schema {finding.number}: {finding.kind}\n  parameters: {schema}\n"
        f"  instance:   {finding.instance}\n  expected:   {finding.expected}\n  actual:     {finding.actual}"
    )
