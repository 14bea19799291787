"""The generated decoders judge every witness as both contracts do."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from toolcast.analysis.containment.compare import compare
from toolcast.analysis.verify.equivalence import ACCEPTED, as_text, decoded
from toolcast.analysis.verify.verified_tool import NotCompiledError, subject
from toolcast.contract.build import Built
from toolcast.project.core.compiled import Options

from bench.containment.contracts import built_schema, built_tool
from bench.containment.edits import edited
from bench.fuzz.judge import tool_of
from bench.fuzz.schemas import compose

PAIRS = 60
EVERY = 60


def disagreements(old: Built, new: Built) -> list[Any] | None:
    """Witnesses that a decoder judges otherwise; None where there is no witness."""
    escapes = compare(old, new, "parameters").escapes
    if not escapes:
        return None
    options = Options(providers=())
    tools = [tool_of(built.normal.standalone("parameters")) for built in (old, new)]
    with subject(tools[0], {}, options) as first, subject(tools[1], {}, options) as second:
        return [
            (escape.reason, escape.value)
            for escape in escapes
            if decoded(first.binding, as_text(escape.value))[0] != ACCEPTED
            or not decoded(second.binding, as_text(escape.value))[0].startswith("refuses")
        ]


@pytest.mark.parametrize(
    "part", [pytest.param(part, marks=[pytest.mark.thorough] if part else []) for part in range(20)]
)
def test_decoders_of_composed_pairs(part: int) -> None:
    found = 0
    for number in range(part * PAIRS, (part + 1) * PAIRS):
        rng = random.Random(f"decoders:{number}")
        schema = compose(rng)
        old = built_schema(schema)
        new = built_schema(edited(rng, schema)) if old is not None else None
        if old is None or new is None:
            continue
        try:
            wrong = disagreements(old, new)
        except NotCompiledError:  # the compiler refuses some patterns and names
            continue
        assert wrong in (None, []), number
        found += wrong is not None
    assert found


@pytest.mark.corpora
@pytest.mark.parametrize(
    "part", [pytest.param(part, marks=[pytest.mark.thorough] if part else []) for part in range(EVERY)]
)
def test_decoders_of_successive_revisions(shared_dir: Path, part: int) -> None:
    file = shared_dir / "corpora" / "revisions" / "revisions.jsonl"
    found = 0
    for line in file.read_text(encoding="utf-8").splitlines()[part::EVERY]:
        row = json.loads(line)
        if not row["old"] or not row["new"]:
            continue
        old, new = built_tool(row["old"]), built_tool(row["new"])
        if old is None or new is None:
            continue
        for first, second in ((old, new), (new, old)):
            wrong = disagreements(first, second)
            assert wrong in (None, []), row["id"]
            found += wrong is not None
    assert found
