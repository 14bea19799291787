"""mypy and pyright accept the right handlers and report the wrong ones, where they are registered."""

from pathlib import Path

from toolcast.config import load_config
from toolcast.project.frontend import FRONTEND
from toolcast.project.generate import build

from tests.e2e.checkers import ROOT, check

FOLDER = Path(__file__).parent / "typing"


def test_wrong_handlers_are_reported(tmp_path: Path) -> None:
    lines = (FOLDER / "bad.py").read_text("utf-8").splitlines()
    expected = {"bad.py": {number for number, line in enumerate(lines, 1) if line.endswith("# report")}}
    mypy, pyright, said = check([FOLDER], tmp_path)
    assert mypy == expected, said
    assert pyright == expected, said


def test_handler_stubs_fit_their_protocols(tmp_path: Path) -> None:
    """`toolcast stubs` writes handlers that a registration of all tools accepts as they are."""
    from click.testing import CliRunner
    from toolcast.cli.main import cli

    text = (ROOT / "pyproject.toml").read_text("utf-8")
    assert "[tool.toolcast]" in text
    project = tmp_path / "project"
    (project / "specs").mkdir(parents=True)
    for path in (ROOT / "specs").rglob("*.yaml"):
        copy = project / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    settings = '[tool.toolcast]\noutput = "made"\nproviders = ["mcp"]\nstubs = "handlers"\n'
    (project / "pyproject.toml").write_text(settings, "utf-8")
    config, problems = load_config(project)
    assert config is not None, problems
    report = build(config, FRONTEND, jobs=1)
    assert not report.failed, report.diagnostics
    command = ["stubs", "--config", str(project / "pyproject.toml")]
    first = CliRunner().invoke(cli, command)
    assert first.exit_code == 0, first.output
    written = sorted((project / "handlers").rglob("*.py"))
    assert len(written) == len(report.entries)
    written[0].write_text(written[0].read_text("utf-8") + "# mine\n", "utf-8")
    again = CliRunner().invoke(cli, command)
    assert f"0 handlers written, {len(written)} kept" in again.output
    assert written[0].read_text("utf-8").endswith("# mine\n")
    (project / "handlers" / "app.py").write_text(_application(report.entries), "utf-8")
    mypy, pyright, said = check([project / "handlers"], tmp_path, project)
    assert (mypy, pyright) == ({}, {}), said


def _application(entries: tuple[object, ...]) -> str:
    modules = [(getattr(e, "module"), getattr(e, "keyword")) for e in entries]  # noqa: B009
    return "\n".join(
        [
            "from made.registry import register_all",
            "from toolcast.runtime import ToolRegistry",
            "",
            *(f"from handlers.{module} import {keyword}" for module, keyword in modules),
            "",
            "register_all(",
            "    ToolRegistry(),",
            *(f"    {keyword}={keyword}," for _, keyword in modules),
            ")",
            "",
        ]
    )
