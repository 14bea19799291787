"""Every tool of the shared corpora: no crash, and none of the findings that would be false."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from toolcast.cli.main import import_group

from tests.lint.projects import run
from tests.sampled import sampled

CORPORA = ("bfcl", "github-mcp-server", "mcp-servers", "openapi", "tau-bench")
# By corpus and code, as counted when the findings were read one by one; `permission` is read for all of them.
READ = {
    ("bfcl", "destructive-read"): 1,  # resetStateProperty
    ("github-mcp-server", "destructive-read"): 4,
    ("github-mcp-server", "flag-argument"): 3,
    ("openapi", "destructive-read"): 2,
    ("mcp-servers", "destructive-read"): 16,
}


@pytest.mark.corpora
@pytest.mark.parametrize("corpus", sampled(CORPORA, ("github-mcp-server", "tau-bench")))
def test_real_tools_are_linted(shared_dir: Path, tmp_path: Path, corpus: str) -> None:
    source = shared_dir / "corpora" / f"{corpus}.jsonl"
    tools = len(source.read_text(encoding="utf-8").splitlines())
    (tmp_path / "pyproject.toml").write_text("[tool.toolcast]\n", encoding="utf-8")
    decided = ("--permission", "read", "--secrets", "none")
    done = CliRunner().invoke(
        import_group, ["tools", str(source), "--into", str(tmp_path / "specs"), *decided]
    )
    assert done.exit_code == 0, done.output
    outcome = run(tmp_path, losses=True)
    assert outcome.tools + len({each.file for each in outcome.refused}) == tools
    found: dict[str, int] = {}
    for each in outcome.findings:
        found[each.code] = found.get(each.code, 0) + 1
        assert each.tool == "" or each.line > 0, each
    counted = {code: found.get(code, 0) for (name, code) in READ if name == corpus}
    assert counted == {code: count for (name, code), count in READ.items() if name == corpus}
    assert "secret-parameter" not in found  # none of them takes a secret
    assert found.get("vague-description", 0) <= tools / 15
    assert not {"rejected", "unused-ignore", "name-pattern"} & set(found)
