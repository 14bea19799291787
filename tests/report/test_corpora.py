"""Every tool of the shared corpora is collected and rendered, for every built-in provider."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from toolcast.cli.import_ import import_group
from toolcast.jsonschema.pointers import resolve
from toolcast.report.catalogue import catalogue
from toolcast.report.page import render_page

from tests.report.reports import report_of
from tests.sampled import sampled

CORPORA = ("bfcl", "github-mcp-server", "mcp-servers", "openapi", "tau-bench")
PROVIDERS = (
    'providers = ["openai", "openai-responses", "anthropic", "bedrock-strict", "gemini", "mcp", "python"]\n'
)


@pytest.mark.corpora
@pytest.mark.parametrize("corpus", sampled(CORPORA, ("github-mcp-server", "tau-bench")))
def test_real_tools_are_collected(shared_dir: Path, tmp_path: Path, corpus: str) -> None:
    source = shared_dir / "corpora" / f"{corpus}.jsonl"
    tools = len(source.read_text(encoding="utf-8").splitlines())
    (tmp_path / "pyproject.toml").write_text(f"[tool.toolcast]\n{PROVIDERS}", encoding="utf-8")
    decided = ("--permission", "read", "--secrets", "none")
    done = CliRunner().invoke(
        import_group, ["tools", str(source), "--into", str(tmp_path / "specs"), *decided]
    )
    assert done.exit_code == 0, done.output
    report = report_of(tmp_path)
    refused = {each.file for each in report.diagnostics if each.severity == "error"}
    assert len(report.tools) + len(refused) == tools
    for each in report.details:
        lines = each.spec_text.count("\n") + 1
        assert each.struct_text
        for one in each.providers:
            for loss in one.losses:
                assert 1 <= loss.line <= lines
                assert loss.shown_at is None or resolve(one.definition, loss.shown_at) is not None
    assert render_page(report)
    assert sum(line.startswith("### ") for line in catalogue(report)) == len(report.tools)
