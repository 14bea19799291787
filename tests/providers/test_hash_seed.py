"""Schema and ledger, and what each pass makes, are the same whatever the order of sets in a process is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
from toolcast.providers import normalize
from tests.providers.passes.golden import CASES, cases_of
from tests.providers.sampled import SAMPLE
from tests.providers.test_law_regressions import CONTRACTS
from tests.providers.test_lock_out_regressions import LOCKED_OUT
branch = {"type": "object", "properties": {}, "required": ["a"], "minProperties": 1}
union = {"type": "object", "properties": {"v": {"oneOf": [branch, {"type": "string"}]}}}
for contract in (union, *CONTRACTS.values(), *LOCKED_OUT.values()):
    for provider in SAMPLE:
        print(normalize(contract, provider))
for name in sorted(path.stem for path in CASES.glob("*.yaml")):
    for case in cases_of(name):
        done = case.applied(name)
        print(name, case.name, done.schema, done.wire_forms, done.ledger, done.blockers)
"""


def printed(seed: str) -> str:
    root = str(Path(__file__).resolve().parents[2])
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=root, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_the_order_of_sets_changes_nothing() -> None:
    assert printed("1") == printed("2")
