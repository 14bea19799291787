"""Composed schemas, the whole way: contract, module, import, decode; judged by an independent validator.

    python -m bench.fuzz --schemas 20000 --instances 50 --seed 1
    python -m bench.fuzz --minutes 2 --seed fresh

Each schema depends on the seed and its number alone. A disagreement is made small, the instance and then the
schema, and printed with both verdicts; the exit status is then 1. Refusals are counted by their code.
"""

import argparse
import collections
import json
import random
import secrets
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from msgspec import Struct
from toolwright.build import emit
from toolwright.build.compile import Options
from toolwright.build.workers import processors
from toolwright.spec import SourceDocument, parse_document, read_tool
from toolwright.spec.model import ToolSpec
from toolwright.verify.equivalence import equivalence
from toolwright.verify.hold import asserted_formats, smallest
from toolwright.verify.instances import instances
from toolwright.verify.oracle import Oracle, OracleError
from toolwright.verify.report import Failure
from toolwright.verify.shrink import shrink
from toolwright.verify.subject import NotCompiledError, subject

from .schemas import compose

CHUNK = 25
SCHEMA_BUDGET = 150
"""Schemas tried to make a finding small."""
FAULTS = ("internal-error", "unsound-module")
"""Refusals that are findings themselves: the compiler's own."""


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


def one(seed: str, number: int, count: int, tally: Tally) -> None:
    """One schema of a run."""
    parameters = compose(random.Random(f"{seed}:{number}"))
    tally.schemas += 1
    try:
        failures = judge(parameters, random.Random(f"{seed}:{number}:instances"), count, tally)
    except NotCompiledError as refused:
        for problem in refused.found:
            tally.refused = {**tally.refused, problem.code: tally.refused.get(problem.code, 0) + 1}
            if problem.code in FAULTS:
                failure = Failure(
                    problem.code, "it compiles or is refused for a true reason", problem.message
                )
                tally.findings.append(_finding(number, failure, _smaller_fault(parameters, problem.code)))
        return
    except OracleError as problem:
        code = f"oracle: {problem}"[:60]
        tally.refused = {**tally.refused, code: tally.refused.get(code, 0) + 1}
        return
    except Exception as fault:  # whatever the compiler raises is a finding
        failure = Failure(
            f"raises {type(fault).__name__}", "it compiles", f"{type(fault).__name__}: {fault}"[:500]
        )
        tally.findings.append(_finding(number, failure, _smaller_fault(parameters, type(fault).__name__)))
        return
    for failure in failures:
        schema, last = _smaller_schema(parameters, failure)
        tally.findings.append(_finding(number, last, schema))


def _finding(number: int, failure: Failure, schema: Any) -> Finding:
    return Finding(
        number=number,
        kind=failure.kind,
        schema=schema,
        instance=json.dumps(failure.instance),
        expected=failure.expected[:400],
        actual=failure.actual[:600],
    )


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


def unformatted() -> None:
    """Leave the formatter out in this process: it takes a fifth of the time and changes no meaning."""

    def encoded(source: str, *, ours: bool = False) -> bytes:
        del ours
        return source.encode()

    setattr(emit, "formatted", encoded)  # noqa: B010 - an import of its own, which type checkers hide


def chunk(seed: str, start: int, stop: int, count: int) -> Tally:
    """The schemas from `start` to `stop`: what one process does at a time."""
    tally = Tally()
    for number in range(start, stop):
        one(seed, number, count, tally)
    return tally


def run(
    *,
    seed: str,
    schemas: int | None,
    minutes: float | None,
    count: int,
    jobs: int,
    told: Callable[[Tally, Tally], None],
) -> Tally:
    """Fuzz until so many schemas or minutes are through; `told` gets each part and the whole."""
    total = Tally()
    ends = time.monotonic() + minutes * 60 if minutes else None
    numbers = _chunks(schemas)
    waiting: dict[Future[Tally], tuple[int, int]] = {}
    more = True
    pool = ProcessPoolExecutor(jobs, initializer=unformatted)
    try:
        while more or waiting:
            while more and len(waiting) < 2 * jobs:
                part = None if ends is not None and time.monotonic() > ends else next(numbers, None)
                more = part is not None
                if part is not None:
                    waiting[pool.submit(chunk, seed, *part, count)] = part
            done, _ = wait(waiting, return_when=FIRST_COMPLETED)
            parts = [(waiting.pop(future), future) for future in done]
            lost = [part for part, future in parts if isinstance(future.exception(), BrokenProcessPool)]
            if lost:  # one process died and took the pool along: nobody knows yet which schema did it
                lost += waiting.values()
                waiting.clear()
                pool.shutdown(wait=False)
                pool = ProcessPoolExecutor(jobs, initializer=unformatted)
            for tally in [future.result() for place, future in parts if place not in lost]:
                total.add(tally)
                told(tally, total)
            for tally in (found for start, stop in lost for found in _alone(seed, start, stop, count)):
                total.add(tally)
                told(tally, total)
    finally:
        pool.shutdown()
    return total


def _alone(seed: str, start: int, stop: int, count: int) -> Iterator[Tally]:
    """Halves of a range in processes of their own, until the schema that kills its process stands alone."""
    try:
        with ProcessPoolExecutor(1, initializer=unformatted) as pool:
            yield pool.submit(chunk, seed, start, stop, count).result()
    except BrokenProcessPool:
        if stop - start > 1:
            middle = (start + stop) // 2
            yield from _alone(seed, start, middle, count)
            yield from _alone(seed, middle, stop, count)
            return
        failure = Failure("crash", "it compiles and judges", "the process died")
        yield Tally(schemas=1, findings=[_finding(start, failure, compose(random.Random(f"{seed}:{start}")))])


def _chunks(schemas: int | None) -> Iterator[tuple[int, int]]:
    start = 0
    while schemas is None or start < schemas:
        stop = start + CHUNK if schemas is None else min(start + CHUNK, schemas)
        yield start, stop
        start = stop


def show(finding: Finding) -> str:
    """A finding in lines, as JSON that can be pasted."""
    schema = json.dumps(finding.schema)
    return (
        f"schema {finding.number}: {finding.kind}\n  parameters: {schema}\n"
        f"  instance:   {finding.instance}\n  expected:   {finding.expected}\n  actual:     {finding.actual}"
    )


def main(arguments: list[str] | None = None) -> int:
    """The command; its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.fuzz", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--schemas", type=int, help="how many (default: 20000, or as many as fit --minutes)")
    parser.add_argument("--instances", type=int, default=50, help="for each schema (default: 50)")
    parser.add_argument("--seed", default="1", help="any text; 'fresh' takes a new one (default: 1)")
    parser.add_argument("--minutes", type=float, help="stop after so long")
    parser.add_argument("--jobs", type=int, default=processors(), help="processes (default: all processors)")
    given = parser.parse_args(arguments)
    seed = str(secrets.randbelow(2**32)) if given.seed == "fresh" else given.seed
    schemas = given.schemas or (None if given.minutes else 20_000)
    started = time.monotonic()

    def told(part: Tally, total: Tally) -> None:
        for finding in part.findings:
            print(show(finding), flush=True)
        if sys.stderr.isatty():
            print(
                f"\r{total.schemas} schemas, {len(total.findings)} findings",
                end="",
                file=sys.stderr,
                flush=True,
            )

    total = run(
        seed=seed, schemas=schemas, minutes=given.minutes, count=given.instances, jobs=given.jobs, told=told
    )
    seconds = time.monotonic() - started
    refused = ", ".join(f"{count} {code}" for code, count in sorted(total.refused.items())) or "none"
    print(
        f"seed {seed}: {total.schemas} schemas, {total.compiled} compiled, {total.instances} instances "
        f"({total.valid} valid; {total.barren} schemas without one), {len(total.findings)} disagreements; "
        f"refusals: {refused}; {seconds:.0f} s, {total.schemas / seconds:.1f} schemas/s"
    )
    return int(bool(total.findings))


if __name__ == "__main__":
    sys.exit(main())
