"""All that is known of one corpus: compiled, imported, judged by the oracles."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from tests.providers.rules import CHECKS

from .compile import PROVIDERS, Outcome, Refusal, compile_corpus, definitions
from .judge import Verdict
from .oracle import is_schema, wrong_defaults

_ROOT = Path(__file__).resolve().parents[2]

REASONS: Mapping[str, str] = {
    "default-mismatch": (
        'The default of a parameter is not a value of that parameter, such as the text `"false"` for a\n'
        "boolean. A typed field cannot have it, and to convert or to drop it would be a guess."
    ),
    "malformed-schema": (
        'The parameters are not JSON Schema, such as `type: ""`; the meta-schema refuses them as well.'
    ),
}
"""Why each kind of refusal is true. `confirmed` judges each single one."""


class Measured(Struct, frozen=True, kw_only=True):
    """One corpus. `findings` are rules of a provider that a written file breaks."""

    corpus: str
    tools: int
    compiled: int
    refusals: tuple[Refusal, ...]  # one per refused tool: its first
    changes: tuple[Refusal, ...]  # what the import left out of specs, and said so
    undescribed: int  # definitions without a description: the import takes the name in words
    doubtful: tuple[Refusal, ...]  # refusals and changes that no oracle confirms
    strict: int  # tools that OpenAI's strict mode takes
    verdict: Verdict
    findings: tuple[str, ...]
    faults: tuple[str, ...]

    @property
    def problems(self) -> list[str]:
        """Everything that must not be."""
        doubtful = [
            f"{each.tool}: {each.code} without a reason that holds: {each.message}" for each in self.doubtful
        ]
        return [*self.faults, *doubtful, *self.findings, *self.verdict.disagreements]


def measure(file: Path, folder: Path, *, every: int = 1) -> Measured:
    """Compile each `every`-th tool of the corpus `file` below the empty `folder` and judge what came out."""
    outcome = compile_corpus(file, folder / file.stem, every=every)
    first = {each.tool: each for each in reversed(outcome.refusals)}
    openai = definitions(outcome, "openai")
    return Measured(
        corpus=outcome.corpus,
        tools=len(outcome.records),
        compiled=len(outcome.compiled),
        refusals=tuple(sorted(first.values())),
        changes=outcome.changes,
        undescribed=sum(not (each.get("description") or "").strip() for each in outcome.records.values()),
        doubtful=tuple(
            each
            for each in (*outcome.refusals, *outcome.changes)
            if not confirmed(each, outcome.records[each.tool])
        ),
        strict=sum(bool(each["function"].get("strict")) for each in openai.values()),
        verdict=_judged(outcome),
        findings=tuple(_findings(outcome)),
        faults=outcome.faults,
    )


def confirmed(refusal: Refusal, record: Mapping[str, Any]) -> bool:
    """Whether something else than the compiler says the same of the published definition."""
    if refusal.code == "import-default":
        places = (
            path.removeprefix("#") or "that of the parameters"
            for path in wrong_defaults(record["parameters"])
        )
        return any(f"its own schema: {place}" in refusal.message for place in places)
    if refusal.code in ("malformed-schema", "import-defect"):
        return not is_schema(record["parameters"])
    return False


def reasons(refusals: list[Refusal]) -> Counter[str]:
    """How many tools were refused for which reason."""
    return Counter(each.code for each in refusals)


def _findings(outcome: Outcome) -> list[str]:
    return [
        f"{name}: {provider}: {finding}"
        for provider in PROVIDERS
        for name, tool in definitions(outcome, provider).items()
        for finding in CHECKS[provider](tool)
    ]


def _judged(outcome: Outcome) -> Verdict:
    pairs = [(name, outcome.records[name]) for name in outcome.compiled]
    command = (sys.executable, "-m", "bench.corpora.judge", str(outcome.project))
    done = subprocess.run(
        command,
        cwd=_ROOT,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        input=msgspec.json.encode(pairs),
        capture_output=True,
        timeout=1800,
        check=False,
    )
    if done.returncode != 0:
        return Verdict(disagreements=[f"judging failed: {done.stderr.decode(errors='replace')}"])
    return msgspec.json.decode(done.stdout, type=Verdict)
