"""`toolcast report`: what it writes, where, its exit status, and what it says to wrong use."""

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result
from toolcast.analysis.report.report_model import Report
from toolcast.cli.main import cli

from tests.lint.projects import GOOD, spec, write
from tests.system_limits import UNIX, limited

Command = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"count": GOOD, "g/add": spec(description="Adds two numbers.")}, 'providers = ["mcp"]\n')
    return lambda *arguments: CliRunner().invoke(cli, ["report", *arguments], prog_name="toolcast")


def _written(folder: Path) -> set[str]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix() for path in paths} - {
        "pyproject.toml", "specs/count.yaml", "specs/g/add.yaml",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("form", "file"),
    [
        ("html", "toolcast-report.html"),
        ("json", "toolcast-report.json"),
    ],
)
def test_one_file_is_written_and_nothing_else(run: Command, tmp_path: Path, form: str, file: str) -> None:
    result = run("--format", form)
    assert result.exit_code == 0, result.output
    assert _written(tmp_path) == {file}
    assert result.stdout.startswith(f"toolcast: 2 tools in {file} (")


def test_standard_output_has_the_data_alone(run: Command, tmp_path: Path) -> None:
    result = run("--format", "json", "--out", "-")
    report = msgspec.json.decode(result.stdout, type=Report)
    assert [row.name for row in report.tools] == ["add", "count"]
    assert [each.id for each in report.providers] == ["mcp"]
    assert _written(tmp_path) == set()


def test_a_tool_and_providers_may_be_chosen(run: Command) -> None:
    result = run("count", "--provider", "openai", "--provider", "gemini", "--format", "json", "--out", "-")
    report = msgspec.json.decode(result.stdout, type=Report)
    assert [row.name for row in report.tools] == ["count"]
    assert [each.id for each in report.details[0].providers] == ["openai", "gemini"]


def test_specs_with_errors_are_told_and_the_page_is_written(run: Command, tmp_path: Path) -> None:
    write(tmp_path, {"wrong": spec(permission="fly")}, 'providers = ["mcp"]\n')
    result = run("-o", "page.html")
    assert result.exit_code == 1
    assert "specs/wrong.yaml:2:13: error[" in result.stderr
    assert b"specs/wrong.yaml" in (tmp_path / "page.html").read_bytes()
    assert "toolcast: 2 tools in page.html" in result.stdout


def test_the_differences_to_another_state_are_shown(run: Command, tmp_path: Path) -> None:
    old = tmp_path / "old"
    properties = {"text": {"type": "string", "description": "Any text."}, "more": {"type": "integer"}}
    old.mkdir()
    write(old, {"count": spec(properties=properties), "g/add": spec(description="Adds two numbers.")})
    result = run("--against", "old", "--format", "json", "--out", "-")
    assert result.exit_code == 0, result.output
    report = msgspec.json.decode(result.stdout, type=Report)
    assert report.diff is not None
    broken = [each for each in report.diff.changes if each.audience == "calls" and each.level == "error"]
    assert {each.tool for each in broken} == {"count"}
    assert any(each.witness is not None for each in broken)


def test_a_state_that_cannot_be_read_ends_the_command(run: Command, tmp_path: Path) -> None:
    result = run("--against", "nothing")
    assert result.exit_code == 2
    assert _written(tmp_path) == set()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--open", "--format", "json"), "--open opens a page"),
        (("--open", "--out", "-"), "--open opens a page"),
        (("--format", "markdown"), "'markdown' is not one of"),
    ],
)
def test_options_that_exclude_each_other_are_refused(
    run: Command, tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert words in result.stderr
    assert _written(tmp_path) == set()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("countt",), "unknown-tool"),
        (("count", "none"), "unknown-tool"),
        (("--provider", "opnai"), "unknown-provider"),
        (("--provider", "mcp", "--provider", "opnai"), "unknown-provider"),
    ],
)
def test_names_of_nothing_replace_no_report(
    run: Command, tmp_path: Path, arguments: tuple[str, ...], code: str
) -> None:
    page = tmp_path / "toolcast-report.html"
    assert run().exit_code == 0
    before = page.read_bytes()
    result = run(*arguments)
    assert result.exit_code == 1
    assert f"error[{code}]" in result.stderr
    assert page.read_bytes() == before


def test_a_folder_without_specs_gets_no_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, ["report"], prog_name="toolcast")
    assert result.exit_code == 1
    assert "error[no-specs]" in result.stderr
    assert not list(tmp_path.iterdir())


def test_a_place_that_cannot_be_written_is_told(run: Command) -> None:
    result = run("--out", "missing/page.html")
    assert result.exit_code == 1
    assert "missing/page.html: error[io-error]: cannot write" in result.stderr


@pytest.mark.parametrize("form", ["html", "json"])
def test_an_earlier_report_is_replaced(run: Command, tmp_path: Path, form: str) -> None:
    target = tmp_path / "page"
    target.touch()  # as mktemp leaves it
    target.chmod(0o640)
    for names in (("count",), ("add",)):
        result = run(*names, "--format", form, "--out", "page")
        assert result.exit_code == 0, result.output
        assert names[0] in target.read_text("utf-8")
    assert target.stat().st_mode & 0o777 == 0o640
    assert _written(tmp_path) == {"page"}


@pytest.mark.parametrize("form", ["html", "json"])
def test_what_is_no_report_is_replaced_by_force_alone(run: Command, tmp_path: Path, form: str) -> None:
    target = tmp_path / "README.md"
    target.write_text("# Mine\n")
    result = run("--format", form, "--out", "README.md")
    assert result.exit_code == 1
    assert result.stderr.startswith("README.md: error[not-a-report]: is a file that is no report")
    assert "--force" in result.stderr
    assert target.read_text() == "# Mine\n"
    assert run("--format", form, "--out", "README.md", "--force").exit_code == 0
    assert target.read_text() != "# Mine\n"


@UNIX
def test_a_report_that_cannot_be_written_leaves_the_earlier_one(run: Command, tmp_path: Path) -> None:
    assert run("--out", "page.html").exit_code == 0
    before = (tmp_path / "page.html").read_bytes()
    with limited("RLIMIT_FSIZE", 50_000):
        result = run("count", "--out", "page.html")
    assert result.exit_code == 1
    assert "page.html: error[io-error]: cannot write: file too large" in result.stderr
    assert (tmp_path / "page.html").read_bytes() == before
    assert _written(tmp_path) == {"page.html"}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="links and pipes as POSIX has them")
def test_a_link_stays_a_link_and_a_pipe_a_pipe(run: Command, tmp_path: Path) -> None:
    (tmp_path / "link.json").symlink_to("kept.json")
    assert run("--format", "json", "--out", "link.json").exit_code == 0
    assert (tmp_path / "link.json").is_symlink()
    assert msgspec.json.decode((tmp_path / "kept.json").read_bytes(), type=Report).tools
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit((tmp_path / "pipe").read_bytes)
        assert run("--format", "json", "--out", "pipe").exit_code == 0
        assert msgspec.json.decode(read.result(60), type=Report).tools
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has a device that is always full")
@pytest.mark.usefixtures("run")
def test_a_full_disk_is_told(tmp_path: Path) -> None:
    for out, place in (("-", "standard output"), ("/dev/full", "/dev/full")):
        with Path("/dev/full").open("wb") as full:
            words = (sys.executable, "-m", "toolcast", "report", "count", "--out", out)
            done = subprocess.run(words, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, check=False)
        assert done.returncode == 1
        told = done.stderr.decode()
        assert told.startswith(f"{place}: error[io-error]: cannot write: no space left")
        assert "Traceback" not in told


def _open(folder: Path, **browser: str) -> subprocess.CompletedProcess[str]:
    """Run `toolcast report --open` where BROWSER alone names a browser."""
    write(folder, {"count": GOOD}, 'providers = ["mcp"]\n')
    tools = folder / "no commands"
    tools.mkdir()
    shown = {name: value for name, value in os.environ.items() if not name.endswith(("DISPLAY", "BROWSER"))}
    return subprocess.run(
        (sys.executable, "-m", "toolcast", "report", "--open"),
        cwd=folder, capture_output=True, text=True, timeout=60, check=False,
        env={**shown, "PATH": str(tools), "NO_COLOR": "1", **browser},
    )  # fmt: skip


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system always has something that opens")
def test_without_a_browser_the_address_to_open_is_named(tmp_path: Path) -> None:
    done = _open(tmp_path)
    page = tmp_path / "toolcast-report.html"
    assert page.read_bytes().startswith(b"<!doctype html>")
    assert (done.returncode, done.stdout[:22]) == (0, "toolcast: 1 tool in to")
    assert (
        done.stderr == f"toolcast: no browser was found; open {page.as_uri()}, or set BROWSER to a browser\n"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script stands for the browser")
def test_the_page_is_opened_in_the_browser_that_the_environment_names(tmp_path: Path) -> None:
    folder = tmp_path / "größe & more"
    folder.mkdir()
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > "{tmp_path}/opened"\n')
    browser.chmod(0o755)
    done = _open(folder, BROWSER=str(browser))
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "opened").read_text() == f"{(folder / 'toolcast-report.html').as_uri()}\n"
