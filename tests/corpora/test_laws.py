"""All laws over a share of real tools, for every provider; `make laws` holds all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.corpora.compile import CORPORA
from bench.fuzz.finding import Tally
from bench.laws import Held, held, page
from tests.sampled import sampled

EVERY = 100


@pytest.mark.corpora
@pytest.mark.parametrize(
    "corpus",
    sampled(CORPORA, ("github-mcp-server",)),
)
def test_real_tools_hold_to_all_laws_for_every_provider(
    shared_dir: Path, tmp_path: Path, corpus: str
) -> None:
    file = shared_dir / "corpora" / f"{corpus}.jsonl"
    found = held(file, tmp_path / corpus, every=EVERY, examples=30, seed=1, jobs=1)
    assert found.told == ()
    assert found.verified + found.refused == found.tools > 0


def test_the_table_counts_what_was_reported() -> None:
    found = Held("notes", 1200, 1199, 1, 7000, ("note: L3 [gemini]: {}: …",))
    text = page([found], Tally(schemas=50, compiled=40, instances=900), 60)
    assert "1,199" in text
    assert "composed" in text
