"""Arbitrary and nearly right arguments against `execute`, for every provider and every kind of registry.

    python -m bench.bridge --seconds 300
    python -m bench.bridge --seed 7 --start 41 --rounds 1

Nothing may be raised, nothing may be an internal error, and no handler may get parameters that the spec
refuses; jsonschema-rs judges. A round takes one tool: every second one is of the reference set, the others
have composed schemas. It depends on the seed and its number alone. The exit status is 1 after a finding.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import random
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from toolcast.analysis.instances.oracle import OracleError
from toolcast.analysis.verify.verified_tool import NotCompiledError, subject
from toolcast.project.core.compiled import Options
from toolcast.providers import available
from toolcast.spec.read_file import SourceDocument, parse_document
from toolcast.spec.spec_reader import read_tool
from toolcast.spec.tool_spec import ToolSpec

from generated.registry import BINDINGS

from ..fuzz.schemas import compose
from ..turns import turns
from .ground import Finding, Ground, Round

CONTRACTS = Path(__file__).parents[2] / "generated" / "contracts"
EACH = 12
"""Values for each provider in a round."""


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; its exit status."""
    seed, start, rounds, seconds = turns("bench.bridge", __doc__, arguments)
    logging.getLogger("toolcast.runtime").disabled = True
    return run(seed, start, rounds, seconds)


def run(seed: str, start: int, rounds: int | None, seconds: float | None) -> int:
    """Rounds until so many, or so many seconds, are through; the number of findings, at most 1."""
    begun = time.monotonic()
    calls = handled = failures = done = 0
    numbers = itertools.count(start) if rounds is None else range(start, start + rounds)
    for number in numbers:
        if seconds is not None and time.monotonic() - begun > seconds:
            break
        round = one(seed, number)
        done, calls, handled = done + 1, calls + round.calls, handled + round.handled
        failures += len(round.findings)
        for finding in round.findings:
            print(show(seed, finding), flush=True)
    spent = time.monotonic() - begun
    print(
        f"seed {seed}: {done} rounds, {calls} calls, {handled} of them handled, {failures} findings; "
        f"{spent:.0f} s, {calls / spent:.0f} calls/s"
    )
    return int(failures > 0)


def one(seed: str, number: int) -> Round:
    """One round; one without calls where a schema does not compile."""
    rng = random.Random(f"{seed}:{number}")
    try:
        with subject(_tool(rng, number), {}, Options(providers=available())) as found:
            return asyncio.run(Ground(found, number).calls(rng, EACH))
    except (NotCompiledError, OracleError):
        return Round()


def _tool(rng: random.Random, number: int) -> ToolSpec:
    """A reference tool, or a composed one; some of its parameters may take secrets."""
    if number % 2:
        parameters: Any = compose(rng)
        names = list(parameters.get("properties", {}))
        return tool_of("composed", parameters, rng.sample(names, rng.randrange(len(names) + 1)))
    name = rng.choice(sorted(BINDINGS))
    contract = json.loads((CONTRACTS / f"{name}.json").read_text("utf-8"))
    parameters = {**contract["parameters"], "$defs": contract.get("$defs", {})}
    return tool_of(name, parameters, BINDINGS[name].secrets)


def tool_of(name: str, parameters: Mapping[str, Any], taking: Sequence[str]) -> ToolSpec:
    """A spec with these parameters; `taking` are those for secrets. Raises NotCompiledError."""
    content = {"name": name, "description": "A tool.", "permission": "read", "secrets": taking}
    text = json.dumps({**content, "parameters": parameters})
    document = parse_document(text.encode(), f"specs/{name}.json", "json")
    if not isinstance(document, SourceDocument):
        raise NotCompiledError(tuple(document))
    spec, problems, _ = read_tool(document, f"{name}.json", frozenset())
    if spec is None:
        raise NotCompiledError(tuple(problems))
    return spec


def show(seed: str, finding: Finding) -> str:
    """A finding in lines, with the command that makes it again."""
    return (
        f"round {finding.round}: {finding.tool}, {finding.registry}, provider {finding.provider}\n"
        f"  arguments: {finding.arguments}\n  {finding.what}\n"
        f"  again: python -m bench.bridge --seed {seed} --start {finding.round} --rounds 1"
    )


if __name__ == "__main__":
    sys.exit(main())
