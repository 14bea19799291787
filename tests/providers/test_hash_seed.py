"""Schema and ledger are the same whatever the order of sets in a process is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
from toolcast.providers import available, normalize
from tests.providers.test_law_regressions import CONTRACTS
from tests.providers.test_lock_out_regressions import CONTRACTS as OTHERS
for contract in (*CONTRACTS.values(), *OTHERS.values()):
    for provider in available():
        print(normalize(contract, provider))
"""


def said(seed: str) -> str:
    root = str(Path(__file__).resolve().parents[2])
    found = {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=root, env=found, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_the_order_of_sets_is_not_seen() -> None:
    assert said("1") == said("2")
