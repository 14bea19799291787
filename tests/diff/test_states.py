"""What is compared: commits, folders and lists of tools, and what strangers may put there."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from toolcast.analysis.diff import targets as git_state

from tests.diff.projects import EDIT, Repository, changed, diff, rules, toolcast, with_properties

OTHER = changed(EDIT, description="Tell which files there are.")
WIDER = with_properties(EDIT, mode={"enum": ["a", "b", "c"], "description": "How."})


def refused(*arguments: str) -> str:
    """What is said where a state cannot be read: one problem, with a way out."""
    result = toolcast("diff", *arguments)
    assert result.exit_code == 2, result.output
    (head, *_, hint) = result.stderr.strip().splitlines()
    assert ": error[" in head
    assert hint.startswith("  hint: ")
    return head.partition("error[")[2].partition("]")[0]


def test_the_work_tree_against_the_last_commit(repository: Repository) -> None:
    repository.commit({"files/edit": EDIT, "files/list": OTHER})
    assert diff()["tools"] == 0
    repository.write({"files/edit": with_properties(EDIT, mode=None), "files/list": OTHER})
    answer = diff()
    assert (answer["old"], answer["new"], answer["tools"], answer["unchanged"]) == (
        "HEAD", "the work tree", 1, 1,
    )  # fmt: skip
    assert ("edit", "parameter-removed") in rules(answer)
    assert {each["file"] for each in answer["changes"]} == {"specs/files/edit.json"}


def test_a_branch_is_compared_with_where_it_left(repository: Repository) -> None:
    repository.commit({"edit": EDIT})
    repository.git("switch", "-q", "-c", "topic")
    repository.commit({"edit": WIDER})
    repository.git("switch", "-q", "main")
    repository.commit({"edit": EDIT, "later": OTHER})
    repository.git("switch", "-q", "topic")
    since = diff("--against", "main")
    assert {tool for tool, _ in rules(since)} == {"edit"}
    assert since["old"].startswith("main (merge base ")
    exact = diff("--against", "main..")
    assert ("later", "tool-removed") in rules(exact)
    between = diff("--against", "topic..", "--to", "main")
    assert ("later", "tool-added") in rules(between)
    assert ("edit", "values-narrowed") in rules(between)


def test_the_configuration_says_what_to_compare_with(repository: Repository) -> None:
    first = repository.commit({"edit": EDIT})
    repository.commit({"edit": WIDER})
    repository.write({"edit": WIDER}, f'diff = {{against = "{first}"}}\n')
    assert diff()["tools"] == 1
    assert diff("--against", "HEAD")["tools"] == 0


def test_a_shared_type_changes_the_tools_that_use_it(repository: Repository) -> None:
    def specs(length: int) -> dict[str, Any]:
        return {
            "_types/place": {"type": "object", "properties": {"at": {"$ref": "inner.json"}}},
            "_types/inner": {"type": "string", "maxLength": length},
            "a/edit": with_properties(EDIT, place={"$ref": "../_types/place.json"}),
            "list": OTHER,
        }

    repository.commit(specs(9))
    repository.write(specs(5))
    answer = diff()
    assert (answer["tools"], answer["unchanged"]) == (1, 1)
    assert rules(answer) == [("edit", "bound-narrowed")]
    (change,) = [each for each in answer["changes"] if each["audience"] == "calls"]
    assert change["file"] == "specs/_types/place.json"


def test_folders_and_projects(repository: Repository, tmp_path: Path) -> None:
    repository.write({"edit": EDIT}, 'specs = "specs"\n')
    for against in (tmp_path / "old", tmp_path / "bare"):
        shutil.copytree(repository.folder, against)
    repository.write({"edit": WIDER})
    assert rules(diff("--against", "../old")) == rules(diff("--against", "../bare/specs"))
    assert rules(diff("--against", "../old", "--to", "../bare")) == []
    (tmp_path / "bare/specs/edit.json").write_text("{", encoding="utf-8")
    broken = diff("--against", "../bare/specs", "--to", "../old")
    assert rules(broken) == [("edit", "not-compared")]
    assert "does not compile in ../bare/specs: " in broken["changes"][0]["message"]


def test_a_configured_path_is_seen_from_the_configuration(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.write({"edit": EDIT})
    shutil.copytree(repository.folder / "specs", tmp_path / "old")
    repository.write({"edit": WIDER}, 'diff = {against = "../old"}\n')
    monkeypatch.chdir(repository.folder / "specs")
    answer = diff()
    assert rules(answer) == [("edit", "calls-widened")]
    assert answer["old"].endswith("/old")


def test_lists_of_tools(repository: Repository, tmp_path: Path) -> None:
    def tool(limit: int, **more: Any) -> dict[str, Any]:
        count = {"type": "integer", "maximum": limit}
        schema = {"type": "object", "properties": {"count": count}}
        return {"name": "take", "description": "Take some.", "inputSchema": schema, **more}

    repository.commit({})
    old, new = tmp_path / "old.json", tmp_path / "new.jsonl"
    old.write_text(json.dumps({"result": {"tools": [tool(9)]}}), encoding="utf-8")
    new.write_text(f"\n{json.dumps(tool(5))}\n", encoding="utf-8")
    answer = diff("--against", "../old.json", "--to", "../new.jsonl")
    assert rules(answer) == [("take", "bound-narrowed")]
    assert {(each["file"], each["line"]) for each in answer["changes"]} == {("../new.jsonl", 2)}
    repository.write({"take": changed(EDIT, parameters=tool(9)["inputSchema"], description="Take some.")})
    assert rules(diff("--against", "../old.json")) == []
    deep: dict[str, Any] = {}
    for _ in range(300):
        deep = {"type": "object", "properties": {"a": deep}}
    old.write_text(json.dumps([{**tool(9), "inputSchema": deep}]), encoding="utf-8")
    answer = diff("--against", "../old.json")  # it is there, and cannot be read
    assert [each["rule"] for each in answer["changes"]] == ["not-compared"]
    assert "(import-unwritable)" in answer["changes"][0]["message"]
    old.write_text("[]", encoding="utf-8")
    assert rules(diff("--against", "../old.json")) == [("take", "tool-added")]
    old.write_text('{"a": 1}', encoding="utf-8")
    assert refused("--against", "../old.json") == "import-no-tools"


def test_a_commit_without_the_specs_folder(repository: Repository) -> None:
    repository.git("commit", "-q", "--allow-empty", "-m", "nothing")
    repository.write({"edit": EDIT})
    answer = diff()
    assert rules(answer) == [("edit", "tool-added")]
    assert "has no folder specs" in answer["diagnostics"][0]["message"]


def test_specs_below_a_folder_of_the_repository(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = Repository.__new__(Repository)
    inner.folder = repository.folder / "a [b]" / "*"
    inner.write({"edit": EDIT})
    repository.git("add", "-A")
    repository.git("commit", "-q", "-m", "state")
    inner.write({"edit": WIDER})
    monkeypatch.chdir(inner.folder)
    assert rules(diff()) == [("edit", "calls-widened")]


# -- what git cannot give --------------------------------------------------------------------------


def test_what_is_no_commit(repository: Repository) -> None:
    assert refused() == "unknown-ref"  # nothing is committed yet
    repository.commit({"edit": EDIT})
    for name in ("nowhere", "HEAD~9", "HEAD:specs", "HEAD^{tree}", "a" * 600, "main...HEAD", "^HEAD"):
        assert refused("--against", name) in ("unknown-ref", "bad-ref"), name
    for name in ("--upload-pack=touch x", "-h", "--output=x", "a\nb", "\x1b[31m", ""):
        assert refused(f"--against={name}") == "bad-ref", name
    assert refused("--to", "nowhere") == "unknown-ref"
    assert {each.name for each in Path().iterdir()} == {".git", "specs", "pyproject.toml"}


def test_a_name_of_a_path_and_a_commit(repository: Repository) -> None:
    repository.commit({"edit": EDIT})
    repository.git("branch", "specs")
    assert refused("--against", "specs") == "ambiguous-state"
    repository.write({"edit": WIDER})
    assert diff("--against", "specs..")["old"] == "specs"
    assert diff("--against", "./specs")["tools"] == 0


def test_no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Repository.__new__(Repository)
    place.folder = tmp_path
    place.write({"edit": EDIT})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert refused() == "no-repository"
    assert diff("--against", "specs")["tools"] == 0
    monkeypatch.setenv("PATH", str(tmp_path))
    assert refused() == "no-git"


def test_a_shallow_clone_says_how_to_deepen_it(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit({"edit": EDIT})
    repository.git("branch", "other")
    repository.commit({"edit": WIDER})
    repository.git("clone", "-q", "--depth", "1", f"file://{repository.folder}", str(tmp_path / "clone"))
    monkeypatch.chdir(tmp_path / "clone")
    for against in ("origin/other", "HEAD~1"):
        result = toolcast("diff", "--against", against)
        assert result.exit_code == 2
        assert "fetch-depth: 0" in result.stderr


def test_histories_that_never_meet(repository: Repository) -> None:
    repository.commit({"edit": EDIT})
    repository.git("switch", "-q", "--orphan", "elsewhere")
    repository.commit({"edit": WIDER})
    assert refused("--against", "main") == "no-merge-base"
    assert diff("--against", "main..")["tools"] == 1


def test_a_repository_of_somebody_else(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.commit({"edit": EDIT})
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")  # as git's own tests pretend it
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    result = toolcast("diff")
    assert result.exit_code == 2
    assert "git-owner" in result.stderr
    assert "safe.directory" in result.stderr


# -- a stranger's repository -----------------------------------------------------------------------


def test_nothing_of_the_repository_is_run(repository: Repository) -> None:
    """Everything that a repository can name to be run when git reads it, as a program that leaves a mark."""
    mark = repository.folder / "mark"
    program = repository.folder / "program"
    program.write_text(f"#!/bin/sh\ntouch '{mark}'\ncat\n", encoding="utf-8")
    program.chmod(0o755)
    repository.commit({"edit": EDIT, ".gitattributes": "* filter=x diff=x\n"})
    repository.write({"edit": WIDER})
    for setting in (
        "core.fsmonitor", "core.pager", "core.sshCommand", "core.editor", "core.askPass", "diff.external",
        "filter.x.clean", "filter.x.smudge", "filter.x.process", "diff.x.textconv", "diff.x.command",
        "credential.helper", "uploadpack.packObjectsHook", "core.alternateRefsCommand", "pager.ls-tree",
        "pager.cat-file", "gpg.program",
    ):  # fmt: skip
        repository.git("config", setting, str(program))
    hooks = repository.folder / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("post-checkout", "post-index-change", "reference-transaction", "pre-auto-gc"):
        shutil.copy(program, hooks / hook)
    assert rules(diff()) == [("edit", "calls-widened")]
    assert diff("--against", "main~0..", "--to", "HEAD")["tools"] == 0
    assert not mark.exists()


def test_a_partial_clone_fetches_nothing(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit({"edit": EDIT})
    repository.commit({"edit": WIDER})
    repository.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    repository.git("clone", "-q", "--filter=blob:none", f"file://{repository.folder}", str(clone))
    monkeypatch.chdir(clone)
    before = sorted((clone / ".git").rglob("*"))
    result = toolcast("diff", "--against", "HEAD~1")
    assert result.exit_code == 2
    assert "git fetch --refetch" in result.stderr
    assert sorted((clone / ".git").rglob("*")) == before


def test_links_of_a_commit_count_as_files_of_the_folder_only(repository: Repository) -> None:
    repository.write({"edit": EDIT, "data.txt": json.dumps(OTHER)})
    specs = repository.folder / "specs"
    (specs / "a").mkdir()
    for name, target in (
        ("one.json", "data.txt"), ("a/two.json", "../one.json"), ("out.json", "../pyproject.toml"),
        ("abs.json", "/etc/passwd"), ("loop.json", "loop.json"), ("gone.json", "nothing.json"),
    ):  # fmt: skip
        (specs / name).symlink_to(target)
    repository.git("add", "-A")
    repository.git("commit", "-q", "-m", "state")
    for path in specs.rglob("*.json"):
        if path.is_symlink():
            path.unlink()
    answer = diff()
    assert {tool for tool, rule in rules(answer) if rule == "tool-removed"} == {"one", "two"}
    told = {each["file"] for each in answer["changes"] if "(link)" in each["message"]}
    assert told == {f"specs/{name}.json" for name in ("out", "abs", "loop", "gone")}


def test_a_commit_is_bounded(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.commit({"edit": EDIT, "large": "{" + " " * 2_000_000 + "}"})
    repository.write({"edit": EDIT})
    (problem,) = [each for each in diff()["changes"] if "(too-large)" in each["message"]]
    assert problem["file"] == "specs/large.json"
    monkeypatch.setattr(git_state, "MAX_TOTAL", 10)
    assert refused() == "too-large"


def test_a_submodule_and_odd_names(repository: Repository) -> None:
    repository.commit({"edit": EDIT})
    inside = repository.git("rev-parse", "HEAD")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{inside},specs/module.json")
    blob = subprocess.run(
        ["git", "hash-object", "-w", "--stdin"], input=b"{}", capture_output=True, check=True
    ).stdout.decode().strip()  # fmt: skip
    tree = f"100644 blob {blob}\tspecs/b\x1b[31m.json\0100644 blob {blob}\tspecs/\udce9.json\0"
    subprocess.run(
        ["git", "update-index", "-z", "--index-info"], input=os.fsencode(tree), check=True
    )  # fmt: skip
    repository.git("commit", "-q", "-m", "odd")
    result = toolcast("diff", "--against", "HEAD")
    assert "\x1b" not in result.output
    answer = diff("--against", "HEAD")
    told = [each["message"] for each in answer["changes"] if each["rule"] == "not-compared"]
    assert all(any(code in message for message in told) for code in ("(link)", "(file-name)"))


# -- shared types outside of the specs folder ------------------------------------------------------


def test_types_of_another_folder_are_those_of_the_commit(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    types = repository.folder / "common/_types"
    types.mkdir(parents=True)
    money = types / "money.json"
    money.write_text('{"type": "string", "maxLength": 9}', encoding="utf-8")
    project = repository.folder / "app"
    inner = Repository.__new__(Repository)
    inner.folder = project
    specs = {
        "pay": with_properties(EDIT, amount={"$ref": "../../common/_types/money.json"}),
        "list": OTHER,
    }
    inner.write(specs, 'types = ["../common/_types"]\n')
    repository.git("add", "-A")
    repository.git("commit", "-q", "-m", "state")
    monkeypatch.chdir(project)
    assert diff()["tools"] == 0
    money.write_text('{"type": "string", "maxLength": 5}', encoding="utf-8")
    answer = diff()
    assert (rules(answer), answer["unchanged"]) == ([("pay", "bound-narrowed")], 1)
    money.unlink()
    assert "missing-reference" in {each["code"] for each in diff()["diagnostics"]}


def test_types_of_a_package_are_as_they_are_now(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "packages/acme_types"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "money.json").write_text('{"type": "string", "maxLength": 9}', encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path / "packages"))
    settings = 'types = ["package:acme_types"]\n'
    pay = with_properties(EDIT, amount={"$ref": "package:acme_types/money.json"})
    repository.commit({"pay": pay}, settings)
    repository.write({"pay": with_properties(pay, more={"type": "string"})}, settings)
    answer = diff()
    assert (rules(answer), answer["diagnostics"]) == ([("pay", "parameter-added")], [])
