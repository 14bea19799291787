"""One composed schema: compiled, imported, and held to the law with instances; what fails is made small."""

import json
import random
from typing import Any

from toolcast.analysis.instances.edits import instances
from toolcast.analysis.instances.oracle import Oracle, OracleError, asserted_formats
from toolcast.analysis.instances.shrink import shrink
from toolcast.analysis.verify.equivalence import equivalence
from toolcast.analysis.verify.tool_laws import smallest
from toolcast.analysis.verify.verified_tool import Failure, NotCompiledError, subject
from toolcast.project.core.compiled import Options
from toolcast.spec.read_file import SourceDocument, parse_document
from toolcast.spec.spec_reader import read_tool
from toolcast.spec.tool_spec import ToolSpec

from . import dialects
from .finding import Tally, finding
from .schemas import compose

SCHEMA_BUDGET = 150
"""Schemas tried to make a finding small."""
FEW = 30
"""Instances for each of them, where a law for providers is broken."""
FAULTS = ("internal-error", "unsound-module")
"""Refusals that are findings themselves: the compiler's own."""


def tool_of(parameters: Any) -> ToolSpec:
    """A spec with these parameters. Raises NotCompiledError."""
    content = {"description": "A tool.", "permission": "read", "secrets": [], "parameters": parameters}
    document = parse_document(json.dumps(content).encode(), "specs/tool.json", "json")
    if not isinstance(document, SourceDocument):
        raise NotCompiledError(tuple(document))
    spec, problems, _ = read_tool(document, "tool.json", frozenset())
    if spec is None:
        raise NotCompiledError(tuple(problems))
    return spec


def judge(parameters: Any, rng: random.Random, count: int, tally: Tally) -> list[Failure]:
    """Every kind of failure of one schema, each once and small. Raises NotCompiledError, OracleError."""
    with subject(tool_of(parameters), {}, Options(providers=())) as found:
        oracle = Oracle(found.contract, "/parameters", asserted_formats())
        made = list(instances(oracle, rng, count))
        tally.compiled += 1
        tally.instances += len(made)
        valid = sum(map(oracle.accepts, made))
        tally.valid += valid
        tally.barren += not valid
        return list(smallest(made, lambda value: equivalence(found.binding, oracle, value)))


def one(seed: str, number: int, count: int, tally: Tally, providers: tuple[str, ...] = ()) -> None:
    """One schema of a run; with `providers`, held to all laws for each of them."""
    parameters = compose(random.Random(f"{seed}:{number}"))
    tally.schemas += 1
    try:
        if providers:
            failures = list(dialects.failures(tool_of(parameters), providers, count, tally))
        else:
            failures = judge(parameters, random.Random(f"{seed}:{number}:instances"), count, tally)
    except NotCompiledError as refused:
        for problem in refused.found:
            tally.refused = {**tally.refused, problem.code: tally.refused.get(problem.code, 0) + 1}
            if problem.code in FAULTS:
                failure = Failure(
                    problem.code, "it compiles or is refused for a true reason", problem.message
                )
                tally.findings.append(finding(number, failure, _smaller_fault(parameters, problem.code)))
        return
    except OracleError as problem:
        code = f"oracle: {problem}"[:60]
        tally.refused = {**tally.refused, code: tally.refused.get(code, 0) + 1}
        return
    except Exception as fault:  # whatever the compiler raises is a finding
        failure = Failure(
            f"raises {type(fault).__name__}", "it compiles", f"{type(fault).__name__}: {fault}"[:500]
        )
        tally.findings.append(finding(number, failure, _smaller_fault(parameters, type(fault).__name__)))
        return
    for failure in failures:
        smaller = _smaller_dialect if providers else _smaller_schema
        schema, last = smaller(parameters, failure)
        tally.findings.append(finding(number, last, schema))


def _smaller_schema(parameters: Any, failure: Failure) -> tuple[Any, Failure]:
    """The smallest schema under which the same instance (or a smaller one) fails in the same way."""
    last = failure

    def fails(candidate: Any) -> bool:
        nonlocal last
        if not isinstance(candidate, dict) or candidate.get("type") != "object":
            return False
        try:
            with subject(tool_of(candidate), {}, Options(providers=())) as found:
                oracle = Oracle(found.contract, "/parameters", asserted_formats())
                found_now = equivalence(found.binding, oracle, last.instance)
                if found_now is None or found_now.kind != failure.kind:
                    return False

                def check(value: Any) -> Failure | None:
                    return equivalence(found.binding, oracle, value)

                last = next(smallest([last.instance], check))
                return True
        except Exception:  # a schema that does not compile does not show it
            return False

    return shrink(parameters, fails, SCHEMA_BUDGET), last


def _smaller_dialect(parameters: Any, failure: Failure) -> tuple[Any, Failure]:
    """The smallest schema under which the same law fails for the same provider."""
    last = failure

    def fails(candidate: Any) -> bool:
        nonlocal last
        if not isinstance(candidate, dict) or candidate.get("type") != "object":
            return False
        try:
            found = dialects.alike(tool_of(candidate), failure, FEW)
        except Exception:  # a schema that does not compile does not show it
            return False
        last = found or last
        return found is not None

    return shrink(parameters, fails, SCHEMA_BUDGET), last


def _smaller_fault(parameters: Any, kind: str) -> Any:
    """The smallest schema that is refused with the same code, or that raises the same exception."""

    def fails(candidate: Any) -> bool:
        if not isinstance(candidate, dict) or candidate.get("type") != "object":
            return False
        try:
            judge(candidate, random.Random(0), 5, Tally())
        except NotCompiledError as refused:
            return any(problem.code == kind for problem in refused.found)
        except Exception as fault:
            return type(fault).__name__ == kind
        return False

    return shrink(parameters, fails, SCHEMA_BUDGET)
