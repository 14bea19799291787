"""`toolcast doctor`: every fault it knows, made on purpose."""

import importlib.metadata
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import toolcast.project.state.fingerprint as fingerprint_module
from click.testing import Result
from toolcast.project.state.lock import locked

from tests.project.artifacts.server import serving, status
from tests.project.fake import put, states

Command = Callable[..., Result]
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def quiet(
    fake: None,  # noqa: ARG001 - build with the stand-in
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """No cache from outside, and a generator that nobody edits meanwhile."""
    for name in ("TOOLCAST_CACHE", "TOOLCAST_CACHE_AUTH", "TOOLCAST_CACHE_WRITE"):
        monkeypatch.delenv(name, raising=False)
    generator = tmp_path_factory.mktemp("generator")
    put(generator / "made_up.py", "1\n")
    monkeypatch.setattr(fingerprint_module, "PACKAGE", generator)
    monkeypatch.setattr(fingerprint_module, "templates_dir", lambda: generator / "templates")
    return generator


def found(run: Command, *arguments: str) -> dict[str, tuple[str, str, str]]:
    """By topic: state, text and fix of the worst finding."""
    result = run("doctor", "--format", "json", *arguments)
    answer = json.loads(result.stdout)
    assert result.exit_code == int(answer["broken"] > 0)
    worst = sorted(answer["findings"], key=lambda each: ["well", "note", "broken"].index(each["state"]))
    assert all(each["fix"] for each in worst if each["state"] == "broken")
    return {each["topic"]: (each["state"], each["text"], each["fix"]) for each in worst}


def test_all_is_well(run: Command, base: Path) -> None:
    run("generate")
    before = states(base)
    result = run("doctor")
    assert result.exit_code == 0
    assert "toolcast: 0 broken, " in result.stdout
    assert states(base) == before
    answer = found(run)
    assert not [topic for topic, (state, _, _) in answer.items() if state == "broken"]
    assert answer["specs"][:2] == ("well", "specs: 2 tools, 0 shared types")
    assert answer["providers"][:2] == ("well", "openai, mcp")
    extras = {topic.removeprefix("extra ") for topic in answer if topic.startswith("extra ")}
    page = (ROOT / "docs/reference/installing.md").read_text("utf-8")
    for_users = set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    assert extras == for_users - {"build"}  # no extra for work on toolcast itself
    assert answer["output"][:2] == ("well", "generated: 11 files of ours")
    assert answer["state"][1].startswith(".toolcast: 3 units of the last run, with an index")
    assert answer["lock"][0] == "well"
    assert answer["library msgspec"][1].startswith(importlib.metadata.version("msgspec"))
    assert answer["shared cache"][:2] == ("well", "none is configured")


def test_nothing_is_there_yet(run: Command, empty: Path) -> None:
    answer = found(run)
    assert answer["configuration"][0] == "note"
    assert answer["specs"] == (
        "broken",
        "specs is no folder",
        "run `toolcast init`, or set `specs` in [tool.toolcast]",
    )
    assert answer["output"][0] == "note"
    assert list(empty.iterdir()) == []


def test_a_wrong_configuration(run: Command, base: Path) -> None:
    put(base / "pyproject.toml", "[tool.toolcast]\nouptut = 'x'\n")
    state, text, fix = found(run)["configuration"]
    assert (state, text) == ("broken", "pyproject.toml:2: unknown key 'ouptut' in [tool.toolcast]")
    assert "output" in fix
    assert run("doctor").exit_code == 1


def test_a_former_output(run: Command, base: Path) -> None:
    run("generate")
    put(base / "pyproject.toml", "[tool.toolcast]\noutput = 'new'\n")
    run("generate")
    state, _, fix = _of(run, "output", "generated was")
    assert (state, fix) == ("note", "run: toolcast clean --former")
    run("clean", "--former")
    assert found(run)["output"][0] == "well"


def test_a_lost_manifest(run: Command, base: Path) -> None:
    run("generate")
    (base / "generated/manifest.txt").unlink()
    state, text, fix = found(run)["output"]
    assert state == "broken"
    assert "manifest.txt is gone" in text
    assert "more" in text
    assert "restore" in fix


def test_what_the_manifest_does_not_list(run: Command, base: Path) -> None:
    run("generate")
    put(base / "generated/schemas/mcp/old.json", "{}")
    state, text, fix = _of(run, "output", "looks like")
    assert state == "note"
    assert text.endswith(": generated/schemas/mcp/old.json")
    assert "by hand" in fix


def _of(run: Command, topic: str, start: str) -> tuple[str, str, str]:
    """The one finding of a topic whose text starts so."""
    answer = json.loads(run("doctor", "--format", "json").stdout)["findings"]
    (row,) = [each for each in answer if each["topic"] == topic and each["text"].startswith(start)]
    return row["state"], row["text"], row["fix"]


def test_an_unknown_provider(run: Command, base: Path) -> None:
    put(base / "pyproject.toml", "[tool.toolcast]\nproviders = ['opnai']\n")
    state, text, fix = found(run)["providers"]
    assert state == "broken"
    assert "opnai" in text
    assert "openai" in fix


@pytest.mark.parametrize(
    ("version", "text"), [(None, "not installed"), ("0.1", "0.1 is not in the supported range")]
)
def test_a_library_that_is_missing_or_too_old(
    run: Command, monkeypatch: pytest.MonkeyPatch, base: Path, version: str | None, text: str
) -> None:
    del base
    real = importlib.metadata.version

    def asked(name: str) -> str:
        if name != "black":
            return real(name)
        if version is None:
            raise importlib.metadata.PackageNotFoundError(name)
        return version

    monkeypatch.setattr(importlib.metadata, "version", asked)
    state, reported, fix = found(run)["library black"]
    assert state == "broken"
    assert reported.startswith(text)
    assert fix.startswith("run: pip install 'black")


def test_not_installed_but_run_from_source(run: Command, monkeypatch: pytest.MonkeyPatch, base: Path) -> None:
    del base

    def missing(name: str) -> Any:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "distribution", missing)
    assert found(run)["toolcast"][0] == "note"


def test_an_output_that_is_none(run: Command, base: Path) -> None:
    put(base / "generated/manifest.txt", "my notes")
    assert found(run)["output"][0] == "broken"
    for text in (
        "# Generated by toolcast 1\n<<<<<<< HEAD\n",
        "<<<<<<< HEAD\n# Generated by toolcast 1\n",
    ):
        put(base / "generated/manifest.txt", text)
        assert "holds the marks of a merge conflict" in found(run)["output"][1]
    put(base / "generated/manifest.txt", "# Generated by toolcast 1\n<<<<<<< HEAD\n")
    assert found(run)["output"][0] == "note"
    (base / "generated/manifest.txt").unlink()
    (base / "generated").rmdir()
    put(base / "generated", "a file")
    assert found(run)["output"][0] == "broken"


def test_no_permission(run: Command, base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("generate")
    real = os.access
    monkeypatch.setattr(
        os, "access", lambda path, mode: Path(path) != base / "generated" and real(path, mode)
    )
    state, text, fix = found(run)["output"]
    assert (state, text) == ("broken", "generated: no permission to write in generated")
    assert fix == "run: chmod u+rwx generated"


def test_who_holds_the_lock(run: Command, base: Path) -> None:
    run("generate")
    code = (
        "import sys, pathlib; from toolcast.project.state.lock import locked\n"
        "with locked(pathlib.Path(sys.argv[1]), print): print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(base / ".toolcast")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        state, text, _ = found(run)["lock"]
        process.communicate("")
    assert state == "note"
    if sys.platform == "linux":
        assert text == f"process {process.pid} is building this project"
    assert found(run)["lock"][0] == "well"
    with locked(base / ".toolcast", print):  # asking has not disturbed it
        assert found(run)["lock"][0] == "note"


def git(base: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=base, check=True, capture_output=True)


def test_what_git_does(run: Command, base: Path) -> None:
    run("generate")
    assert "git" not in found(run)
    git(base, "init", "-q")
    state, text, fix = found(run)["git"]
    assert (state, fix) == ("note", "run: toolcast init --add gitattributes")
    assert "line endings" in text
    put(base / ".gitattributes", "generated/** text eol=lf\n")
    assert "add tools at the same place" in found(run)["git"][1]
    (base / ".gitattributes").unlink()
    result = run("init", "--add", "gitattributes")
    assert result.exit_code == 0
    assert found(run)["git"][0] == "well"
    git(base, "config", "--unset", "merge.toolcast.driver")  # as in another clone
    state, text, fix = found(run)["git"]
    assert (state, text.partition(",")[0]) == (
        "note",
        "this clone does not know how to merge generated/manifest.txt",
    )
    assert fix.removeprefix("run: ") in result.output
    assert "set       merge.toolcast.driver" in run("init", "--add", "gitattributes").output
    assert "kept      merge.toolcast.driver" in run("init", "--add", "gitattributes").output
    git(base, "config", "--unset", "merge.toolcast.driver")
    git(base, *shlex.split(fix.removeprefix("run: git ")))
    assert found(run)["git"][0] == "well"
    put(base / ".gitignore", "generated/\n")
    assert "git ignores" in found(run)["git"][1]


def test_a_shared_folder(run: Command, base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLCAST_CACHE", str(base / "shared"))
    run("doctor")
    answer = json.loads(run("doctor", "--format", "json").stdout)["findings"]
    first, second = [each["text"] for each in answer if each["topic"] == "shared cache"]
    assert first.startswith("shared (named by TOOLCAST_CACHE): gives back what it was given, in ")
    assert second == "2 files, 0.0 of 2000 MB"
    monkeypatch.setenv("TOOLCAST_CACHE", str(base / "specs"))
    assert found(run)["shared cache"][0] == "broken"


def test_a_shared_server(run: Command, base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    del base
    monkeypatch.setenv("TOOLCAST_CACHE_AUTH", "Bearer s3cret")
    with serving() as server:
        monkeypatch.setenv("TOOLCAST_CACHE", server.url)
        assert found(run)["shared cache"][0] == "well"
        assert len(server.held) == 2
        assert set(server.headers) == {"Bearer s3cret"}
        refuse = status(403)
        server.fault = lambda request: request.command == "PUT" and refuse(request)
        assert "takes nothing from this machine" in found(run)["shared cache"][1]
        monkeypatch.setenv("TOOLCAST_CACHE_WRITE", "0")
        assert "this machine only reads" in found(run)["shared cache"][1]
        server.fault = refuse
        state, text, fix = found(run)["shared cache"]
        assert state == "broken"
        assert "403" in text
        assert "TOOLCAST_CACHE_AUTH" in fix
        monkeypatch.delenv("TOOLCAST_CACHE_WRITE")
        server.fault = lambda _request: server.held.clear() or False
        assert "does not give back" in found(run)["shared cache"][1]
        output = run("doctor").stdout
    assert found(run)["shared cache"][0] == "broken"
    assert "s3cret" not in output


def test_a_secret_on_an_open_wire(run: Command, base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    del base
    monkeypatch.setenv("TOOLCAST_CACHE", "http://cache.invalid/x")
    assert "is not sent" not in run("doctor").stdout
    monkeypatch.setenv("TOOLCAST_CACHE_AUTH", "Bearer s3cret")
    output = " ".join(run("doctor").stdout.split())
    assert (
        "TOOLCAST_CACHE_AUTH is not sent to http://cache.invalid/x: everyone on the way could read it"
        in output
    )
    assert "s3cret" not in output


# explain


def test_a_tool_that_stands(run: Command, base: Path) -> None:
    run("generate")
    before = states(base)
    result = run("doctor", "--explain", "a")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "specs/a.yaml stands as the last run left it: nothing that it was made from has changed.",
        "It was compiled when it was last built, because",
        "  there was no record of an earlier run on this machine",
        "It became a.py, contracts/a.json, schemas/mcp/a.json, schemas/openai/a.json.",
    ]
    assert states(base) == before


@pytest.mark.parametrize("name", ["b", "g/b", "g/b.yaml", "specs/g/b.yaml", "kind-of-b"])
def test_a_tool_by_name_or_path(run: Command, base: Path, name: str) -> None:
    if name == "kind-of-b":
        put(base / "specs/g/b.yaml", "name: kind-of-b")
    if name != "specs/g/b.yaml":  # as well before the first run
        run("generate")
    answer = json.loads(run("doctor", "--explain", name, "--format", "json").stdout)
    assert answer["spec"] == "g/b.yaml"


def test_a_wrong_name_gets_a_suggestion(run: Command, base: Path) -> None:
    put(base / "specs/weather.yaml", "")
    result = run("doctor", "--explain", "wether")
    assert result.exit_code == 1
    assert "did you mean 'weather'?" in result.stderr


def now(run: Command, name: str = "a") -> list[str]:
    answer = json.loads(run("doctor", "--explain", name, "--format", "json").stdout)
    assert answer["stale"] == bool(answer["now"])
    return [each["text"] for each in answer["now"]]


def test_every_reason_is_reported(run: Command, base: Path, quiet: Path) -> None:
    put(base / "specs/a.yaml", "uses: _types/t.yaml")
    put(base / "specs/_types/t.yaml", "1")
    assert now(run) == ["there was no record of an earlier run on this machine"]
    run("generate")
    assert now(run) == []
    put(base / "specs/a.yaml", "uses: _types/t.yaml\nmore")
    put(base / "specs/_types/t.yaml", "2")
    put(base / "generated/a.py", "edited")
    (base / "generated/contracts/a.json").unlink()
    put(base / "pyproject.toml", "[tool.toolcast]\nproviders = ['openai']\nmodels = ['pydantic']\n")
    put(quiet / "made_up.py", "2\n")
    reasons = now(run)
    assert reasons[:2] == [
        "the source of toolcast changed",
        "the version of datamodel-code-generator changed",
    ]
    assert reasons[2:] == [
        "`models` in the configuration changed",
        "`providers` in the configuration changed",
        "specs/a.yaml changed",
        "specs/_types/t.yaml changed",
        "generated/a.py was changed or deleted",
        "generated/contracts/a.json was changed or deleted",
    ]
    (base / "specs/_types/t.yaml").unlink()
    assert "specs/_types/t.yaml, which it refers to, is gone" in now(run)


def test_a_spec_that_was_deleted(run: Command, base: Path) -> None:
    run("generate")
    (base / "specs/a.yaml").unlink()
    assert now(run) == []
    assert run("doctor", "--explain", "a").stdout.splitlines() == [
        "specs/a.yaml is gone: the next run deletes what it became.",
        "It was compiled when it was last built, because",
        "  there was no record of an earlier run on this machine",
        "It became a.py, contracts/a.json, schemas/mcp/a.json, schemas/openai/a.json.",
    ]
    run("generate")
    assert run("doctor", "--explain", "a").exit_code == 1


def test_the_last_reason_is_remembered(run: Command, base: Path) -> None:
    run("generate")
    put(base / "specs/a.yaml", "2")
    assert now(run) == ["specs/a.yaml changed"]
    run("generate")
    put(base / "specs/new.yaml", "")
    run("generate")
    answer = json.loads(run("doctor", "--explain", "a", "--format", "json").stdout)
    assert answer["now"] == []
    assert answer["before"] == [{"reason": "source a.yaml", "text": "specs/a.yaml changed"}]
    assert "the run before did not have this spec" in run("doctor", "--explain", "new").stdout


def test_a_tool_that_does_not_compile(run: Command, base: Path) -> None:
    run("generate")
    put(base / "specs/a.yaml", "bad")
    run("generate")
    assert now(run) == ["the run before could not compile it, or saw it change meanwhile"]


def test_where_it_came_from(run: Command, base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLCAST_CACHE", str(base / "shared"))
    run("generate")
    (base / ".toolcast/cache.json").unlink()
    run("generate")
    assert "It was fetched from the shared cache when" in run("doctor", "--explain", "a").stdout
