"""What a pass makes is the same whatever the order of sets in a process is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
from tests.providers.passes.golden import CASES, cases_of
for name in sorted(path.stem for path in CASES.glob("*.yaml")):
    for case in cases_of(name):
        done = case.applied(name)
        print(name, case.name, done.schema, done.wire_forms, done.ledger, done.blockers)
"""


def printed(seed: str) -> str:
    root = str(Path(__file__).resolve().parents[3])
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=root, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_the_order_of_sets_changes_nothing() -> None:
    assert printed("1") == printed("2")
