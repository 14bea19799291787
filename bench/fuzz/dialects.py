"""All laws held to one composed schema, for every provider asked for; what fails is made small."""

from __future__ import annotations

import json
from collections.abc import Iterator

from toolcast.analysis.verify.tool_laws import Effort, check_laws
from toolcast.analysis.verify.verified_tool import Failure, NotCompiledError
from toolcast.project.core.compiled import Options
from toolcast.spec.tool_spec import ToolSpec

from .finding import Tally


def failures(tool: ToolSpec, providers: tuple[str, ...], count: int, tally: Tally) -> Iterator[Failure]:
    """One failure for each law and provider. Raises NotCompiledError."""
    report = check_laws(tool, {}, Options(providers=providers), Effort(examples=count))
    wrong = tuple(each for each in report.warnings if each.severity == "error")
    if wrong:
        raise NotCompiledError(wrong)
    tally.compiled += bool(report.instances)
    tally.instances += report.instances
    tally.valid += report.valid
    tally.barren += not report.valid
    seen: set[str] = set()
    for each in report.counterexamples:
        kind = f"{each.law} [{each.provider}]" if each.provider else each.law
        if kind not in seen:
            seen.add(kind)
            instance = json.loads(each.instance) if each.instance else None
            place = f" ({each.place})" if each.place else ""
            yield Failure(kind, each.expected, each.actual + place, instance)


def alike(tool: ToolSpec, failure: Failure, count: int) -> Failure | None:
    """A failure of the same law under the same provider, if this tool has one. Raises NotCompiledError."""
    provider = failure.kind.partition("[")[2].rstrip("]")
    found = failures(tool, (provider,) if provider else (), count, Tally())
    return next((each for each in found if each.kind == failure.kind), None)
