"""`--check`, `--diff` and `--dry-run` tell one plan, and that plan is what `generate` then does."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import toolcast.project.worker
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st
from toolcast.cli.main import cli

from tests.project.fake import FAKE, project, put, states, tree

Command = Callable[..., Result]
ROOT = Path(__file__).parents[2]
CLI = "import sys; from toolcast.cli.main import run; sys.exit(run(sys.argv[1:]))"
FAKED = f"import toolcast.project.worker as r; from tests.project.fake import FAKE; r.FRONTEND = FAKE; {CLI}"


def _changed(base: Path) -> None:
    put(base / "specs/a.yaml", "2")
    put(base / "specs/h/new.yaml", "1")
    (base / "specs/g/b.yaml").unlink()
    (base / "generated/schemas/mcp/a.json").unlink()
    (base / "generated/registry.py").write_bytes(b"r\xe9sum\xe9 \x1b[31m\x0c\r\nno end")


def _told(answer: dict[str, Any]) -> tuple[dict[str, str], set[str]]:
    plan = answer["plan"]
    return {each["path"]: each["digest"] for each in plan["writes"]}, {
        each["path"] for each in plan["deletes"]
    }


def _done(before: dict[str, bytes], after: dict[str, bytes]) -> tuple[dict[str, str], set[str]]:
    written = {
        f"generated/{path}": f"sha256:{hashlib.sha256(content).hexdigest()}"
        for path, content in after.items()
        if before.get(path) != content
    }
    return written, {f"generated/{path}" for path in before.keys() - after.keys()}


@pytest.mark.usefixtures("fake")
class TestPreview:
    def test_what_a_dry_run_says_is_what_generate_does(self, run: Command, base: Path) -> None:
        run("generate")
        _changed(base)
        seen = states(base)
        answer = json.loads(run("generate", "--dry-run", "--format", "json").stdout)
        lines = run("generate", "--dry-run").stdout.splitlines()
        drift = re.findall(
            r"^  (?:changed|missing|orphaned) +(\S+)$", run("generate", "--check").stdout, re.M
        )
        diff = run("generate", "--diff").stdout
        assert states(base) == seen
        before = tree(base / "generated")
        stated = run("generate", "--format", "json")
        after = tree(base / "generated")
        written, deleted = _done(before, after)
        assert _told(answer) == (written, deleted)
        for write in answer["plan"]["writes"]:
            path = write["path"].removeprefix("generated/")
            assert write["size"] == len(after[path])
            assert write["kind"] == ("changed" if path in before else "new")
        assert answer["plan"]["unchanged"] == len(before.keys() & after.keys()) - sum(
            before[path] != after[path] for path in before.keys() & after.keys()
        )
        assert {line.split()[1] for line in lines} == {*written, *deleted}
        # Below each cause; the manifest alone follows from the others.
        assert {*drift} == {*written, *deleted} - {"generated/manifest.txt"}
        assert {line.split()[1] for line in lines if line.startswith("deleted")} == deleted
        headed = re.findall(r"^(?:---|\+\+\+) [ab]/(\S+)$", diff, re.MULTILINE)
        assert set(headed) == {*written, *deleted}
        summaries = [answer["summary"], json.loads(stated.stdout)["summary"]]
        for each in summaries:
            del each["seconds"]
        assert summaries[0] == summaries[1]
        again = json.loads(run("generate", "--dry-run", "--format", "json").stdout)
        assert _told(again) == ({}, set())

    def test_what_is_blocked_does_nothing_and_says_so(self, run: Command, base: Path) -> None:
        put(base / "generated/a.py", "mine")
        result = run("generate", "--dry-run", "--format", "json")
        assert result.exit_code == 1
        answer = json.loads(result.stdout)
        assert answer["plan"]["blocked"]
        assert _told(answer) == ({}, set())
        assert [each["code"] for each in answer["diagnostics"]] == ["foreign-file"]
        assert run("generate", "--diff").stdout == ""
        assert run("generate", "--dry-run").stdout == ""
        assert run("generate").exit_code == 1
        assert tree(base / "generated") == {"a.py": b"mine"}

    def test_colours_are_for_terminals(
        self, run: Command, base: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run("generate")
        _changed(base)
        assert "\x1b[3" not in run("generate", "--dry-run").stdout
        monkeypatch.setenv("FORCE_COLOR", "1")
        coloured = run("generate", "--diff").stdout
        assert "\x1b[1m+++ /dev/null\x1b[0m\n" in coloured
        assert "\x1b[32m+" in coloured
        assert "\x1b[31m-r\\udce9sum\\udce9 \\x1b[31m\\x0c\\r\x1b[0m\n" in coloured  # it steers no terminal
        assert "\x1b[31mdeleted \x1b[0m generated/g/b.py" in run("generate", "--dry-run").stdout

    @pytest.mark.usefixtures("base")
    @pytest.mark.parametrize("other", ["--check", "--diff", "--watch"])
    def test_one_way_at_a_time(self, run: Command, other: str) -> None:
        assert run("generate", "--dry-run", other).exit_code == 2


@settings(max_examples=8)
@given(
    first=st.dictionaries(st.sampled_from(["a", "b", "g/c", "g/h/d"]), st.integers(0, 3)),
    second=st.dictionaries(st.sampled_from(["a", "b", "g/c", "g/h/d"]), st.integers(0, 3)),
    damage=st.lists(st.tuples(st.integers(0, 50), st.sampled_from([b"", b"x", None]))),
)
def test_any_plan_is_reported_as_it_is_carried_out(
    tmp_path_factory: pytest.TempPathFactory,
    first: dict[str, int],
    second: dict[str, int],
    damage: list[tuple[int, bytes | None]],
) -> None:
    base = tmp_path_factory.mktemp("p")
    project(base, {f"{name}.yaml": f"name: {name[-1]}\nv{version}" for name, version in first.items()})

    def run(*arguments: str) -> Any:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(toolcast.project.worker, "FRONTEND", FAKE)
            patch.chdir(base)
            return json.loads(CliRunner().invoke(cli, ["generate", "--format", "json", *arguments]).stdout)

    run()
    shutil.rmtree(base / "specs")
    (base / "specs").mkdir()
    for name, version in second.items():
        put(base / f"specs/{name}.yaml", f"name: {name[-1]}\nv{version}")
    for number, content in damage:
        paths = sorted(path for path in (base / "generated").rglob("*.json") if path.is_file())
        if paths and content is None:
            paths[number % len(paths)].unlink()
        elif paths:
            paths[number % len(paths)].write_bytes(content or b"")
    before = tree(base / "generated")
    answer = run("--dry-run")
    run()
    assert _told(answer) == _done(before, tree(base / "generated"))


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_git_can_apply_a_diff(tmp_path: Path) -> None:
    """Piped, a diff is exact: applying it leaves what generate would."""

    def toolcast(*arguments: str) -> bytes:
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        environment.pop("FORCE_COLOR", None)
        command = [sys.executable, "-c", FAKED, "generate", *arguments]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=True).stdout

    project(tmp_path, {"a.yaml": "1", "g/b.yaml": "1"})
    toolcast()
    _changed(tmp_path)
    diff = toolcast("--diff")
    shutil.copytree(tmp_path / "generated", tmp_path / "saved")
    subprocess.run(
        ["git", "apply", "--whitespace=nowarn", "-"],
        cwd=tmp_path,
        input=diff,
        check=True,
        capture_output=True,
    )
    applied = tree(tmp_path / "generated")
    shutil.rmtree(tmp_path / "generated")
    (tmp_path / "saved").rename(tmp_path / "generated")
    toolcast()
    assert tree(tmp_path / "generated") == applied
