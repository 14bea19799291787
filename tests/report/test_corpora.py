"""Every tool of the shared corpora is collected and rendered, for every built-in provider."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from toolcast.analysis.report.page import render_page
from toolcast.analysis.report.report_model import Loss, ProviderDetail
from toolcast.cli.main import import_group
from toolcast.jsonschema.pointers import resolve, split

from tests.report.reports import report_of
from tests.sampled import sampled

CORPORA = ("bfcl", "github-mcp-server", "mcp-servers", "openapi", "tau-bench")
PROVIDERS = (
    'providers = ["openai", "openai-responses", "anthropic", "bedrock-strict", "gemini", "mcp", "python"]\n'
)


def _specs(folder: Path) -> Iterator[Path]:
    return (folder / "specs").rglob("*.yaml")


def _has(schema: Any, keyword: str) -> bool:
    return isinstance(schema, dict) and keyword in schema


def _is_nearest(loss: Loss, provider: ProviderDetail) -> None:
    """A loss is shown inside the schema, at the property that it is about: not at one around it."""
    start = provider.schema_pointer
    assert loss.shown_at is not None
    assert f"{loss.shown_at}/".startswith(f"{start}/")
    written, shown = _properties(loss.pointer), _properties(loss.shown_at.removeprefix(start or ""))
    # A dialect adds properties for undeclared keys, and a definition may be inlined below others.
    assert written == [name for name in shown if name in written][-len(written) :] or not written


def _properties(pointer: str) -> list[str]:
    names: list[str] = []
    steps = iter(split(pointer))
    for step in steps:
        if step == "properties" and (name := next(steps, None)) is not None:
            names.append(name)
    return names


@pytest.mark.corpora
@pytest.mark.parametrize("corpus", sampled(CORPORA, ["tau-bench"]))
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
    lines = {
        str(path.relative_to(tmp_path)): path.read_text("utf-8").splitlines() for path in _specs(tmp_path)
    }
    for each in report.details:
        assert each.struct_text
        for one in each.providers:
            for loss in one.losses:
                line = lines[loss.file][loss.line - 1]
                assert 1 <= loss.column <= len(line) + 1
                if loss.of != "spec" and _has(resolve(each.contract, loss.pointer), loss.keyword):
                    assert line[loss.column - 1 :].lstrip("'\"").startswith(loss.keyword)
                if loss.shown_at is not None:
                    resolve(one.definition, loss.shown_at)
                if loss.of == "parameters" and one.schema_pointer is not None:
                    _is_nearest(loss, one)
    assert render_page(report)
