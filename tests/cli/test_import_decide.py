"""Decisions that imports leave open: told in one entry, and set by one command."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from toolcast.cli.main import cli
from toolcast.console import render
from toolcast.diagnostics import Diagnostic

SPEC = """\
# Ours.
description: Does it.
permission: TODO  # read, write, execute or network; does not compile until decided; its hints claim read
secrets: TODO  # parameters that may carry <secret_ref:NAME>, or []
parameters: {type: object, properties: {a: {}, b: {}}}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("[tool.toolcast]\n")
    (tmp_path / "specs" / "web").mkdir(parents=True)
    for name in ("get_a", "get_b", "put_a", "put_b"):
        (tmp_path / "specs" / "web" / f"{name}.yaml").write_text(SPEC)
    return tmp_path / "specs" / "web"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments))


@pytest.mark.usefixtures("project")
def test_one_entry_instead_of_many() -> None:
    done = run("generate")
    assert done.exit_code == 1
    assert done.stderr.splitlines() == [
        "error[todo]: 8 decisions are a person's, in 4 specs",
        "  4 × a person must decide what this tool may do",
        "  4 × a person must decide which parameters may carry secrets",
        "  in specs/web/get_a.yaml, specs/web/get_b.yaml, specs/web/put_a.yaml and 1 more "
        "(toolcast list --undecided)",
        "  hint: `toolcast import decide --permission read --secrets none` decides them all; "
        "`--permission 'get_*=read'` those of the tools whose name matches",
    ]
    listed = run("generate", "--format", "json")
    assert [each["code"] for each in json.loads(listed.stdout)["diagnostics"]] == ["todo"] * 8


def test_few_are_told_one_by_one() -> None:
    found = [Diagnostic(file=f"{name}.yaml", line=1, column=1, code="todo", message="m") for name in "abc"]
    assert render(found, "text").count("error[todo]: m") == 3


def test_one_command_decides_all_and_touches_nothing_else(project: Path) -> None:
    done = run("import", "decide", "--permission", "read", "--permission", "put_*=write", "--secrets", "none")
    assert done.exit_code == 0, done.output
    assert "decided  specs/web/put_b.yaml: permission write, secrets none" in done.output
    assert done.output.endswith("4 specs changed, 0 still undecided, 0 problems\n")
    text = (project / "put_a.yaml").read_text()
    assert text == SPEC.replace(SPEC.splitlines()[2], "permission: write").replace(
        SPEC.splitlines()[3], "secrets: []"
    )
    assert run("generate").exit_code == 0
    before = {path: path.stat().st_mtime_ns for path in project.iterdir()}
    again = run("import", "decide", "--permission", "execute", "--secrets", "a")
    assert again.output == "0 specs changed, 0 still undecided, 0 problems\n"
    assert {path: path.stat().st_mtime_ns for path in project.iterdir()} == before


def test_a_selection_and_what_is_left(project: Path) -> None:
    (project / "get_a.yaml").write_text(SPEC.replace("permission: TODO", "permission: execute # was TODO"))
    done = run("import", "decide", "get_*", "--secrets", "a,c")
    assert done.output.endswith("2 specs changed, 3 still undecided, 0 problems\n")
    assert "secrets: [a]\n" in (project / "get_a.yaml").read_text()
    assert "permission: execute # was TODO  # read" in (project / "get_a.yaml").read_text()
    assert "permission: TODO" in (project / "get_b.yaml").read_text()


def test_json_and_lists_with_todo(project: Path) -> None:
    (project / "get_a.yaml").unlink()
    spec = {"description": "D.", "permission": "TODO", "secrets": ["TODO"], "parameters": {"type": "object"}}
    (project / "get_a.json").write_text(json.dumps(spec))
    assert run("import", "decide", "get_a", "--permission", "read", "--secrets", "none").exit_code == 0
    assert json.loads((project / "get_a.json").read_text()) == {**spec, "permission": "read", "secrets": []}


def test_without_a_decision_it_is_refused(project: Path) -> None:
    done = run("import", "decide")
    assert done.exit_code == 2
    assert "give --permission or --secrets" in done.output
    assert (project / "get_a.yaml").read_text() == SPEC
