"""The tools of the shared corpora are scored, each corpus as one set."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from toolcast.cli.import_ import import_group
from toolcast.score.score_model import FULL

from tests.sampled import sampled
from tests.score.scores import scored

CORPORA = ("bfcl", "github-mcp-server", "mcp-servers", "openapi", "tau-bench")


@pytest.mark.corpora
@pytest.mark.parametrize("corpus", sampled(CORPORA, ("github-mcp-server", "tau-bench")))
def test_real_tools_are_scored(shared_dir: Path, tmp_path: Path, corpus: str) -> None:
    source = shared_dir / "corpora" / f"{corpus}.jsonl"
    (tmp_path / "pyproject.toml").write_text('[tool.toolcast]\nproviders = ["mcp"]\n', encoding="utf-8")
    decided = ("--permission", "read", "--secrets", "none")
    done = CliRunner().invoke(
        import_group, ["tools", str(source), "--into", str(tmp_path / "specs"), *decided]
    )
    assert done.exit_code == 0, done.output
    score = scored(tmp_path, broken=True)
    names = [each.tool for each in score.tools]
    assert len(names) > 10
    assert all(0 <= each.points <= FULL for each in score.tools)
    assert {name for pair in score.pairs for name in (pair.first, pair.second)} <= set(names)
    assert all(pair.first != pair.second and 0 < pair.similarity <= 1 for pair in score.pairs)
    places = [each.rank for tool in score.tools for each in tool.retrievals]
    assert score.set.queries == len(places) > 0
    assert score.set.found_first == places.count(1)
    assert score.set.found_first > len(places) / 2
