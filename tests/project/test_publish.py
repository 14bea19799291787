"""L9: killed anywhere, every file is old or new, and the next run repairs; nothing foreign is touched."""

import hashlib
import multiprocessing
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from toolcast.config import Config
from toolcast.project import pool
from toolcast.project.generate import build
from toolcast.project.output.publish import clean
from toolcast.project.state.files import locked
from toolcast.project.state.index import up_to_date

from tests.project.fake import FAKE, project, put, states, tree

OLD = {"a.yaml": "1", "g/b.yaml": "1", "g/gone.yaml": "1"}
NEW = {"a.yaml": "2", "g/b.yaml": "2", "h/new.yaml": "1"}


def _change(config: Config) -> None:
    (config.specs / "g/gone.yaml").unlink()
    for path, text in NEW.items():
        put(config.specs / path, text)


def _clean_build(folder: Path) -> dict[str, bytes]:
    config = project(folder, NEW)
    build(config, FAKE)
    return tree(config.output)


def test_a_really_killed_process(tmp_path: Path) -> None:
    expected = _clean_build(tmp_path / "clean")
    config = project(tmp_path / "one", OLD)
    build(config, FAKE)
    _change(config)
    code = (
        "import os, sys; from pathlib import Path\n"
        "import toolcast.project.output.publish as p\n"
        "import tests.project.fake as f\n"
        "from toolcast.project.generate import build\n"
        "real, n = os.replace, [0]\n"
        "def replace(source, target):\n"
        "    n[0] += 1\n"
        "    if n[0] == 9: os.kill(os.getpid(), 9)\n"
        "    return real(source, target)\n"
        "os.replace = replace\n"
        "build(f.config_of(Path(sys.argv[1])), f.FAKE)\n"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "one")], cwd=root, check=False)
    assert done.returncode == -9
    build(config, FAKE)
    assert tree(config.output) == expected


def test_foreign_files_are_never_touched(tmp_path: Path) -> None:
    config = project(tmp_path, {"a.yaml": "", "b.yaml": ""})
    put(config.output / "a.py", "print('mine')\n")
    put(config.output / "contracts/b.json", "{}\n")
    put(config.output / "notes.txt", "mine")
    before = tree(config.output)
    report = build(config, FAKE)
    assert [problem.code for problem in report.diagnostics] == ["foreign-file", "foreign-file"]
    assert all("move the file" in problem.hint for problem in report.diagnostics)
    assert tree(config.output) == before
    (config.output / "a.py").unlink()
    (config.output / "contracts/b.json").unlink()
    assert not build(config, FAKE).failed
    assert (config.output / "notes.txt").read_text() == "mine"


def test_a_listed_file_without_the_mark_is_not_deleted(tmp_path: Path) -> None:
    config = project(tmp_path, {"a.yaml": ""})
    build(config, FAKE)
    put(config.output / "a.py", "print('mine now')\n")
    (config.specs / "a.yaml").unlink()
    report = build(config, FAKE)
    assert [(problem.code, problem.severity) for problem in report.diagnostics] == [("kept-file", "warning")]
    assert (config.output / "a.py").exists()
    assert not (config.output / "contracts/a.json").exists()


@pytest.mark.parametrize("what", ["file", "folder", "fifo", "directory"])
def test_links_and_other_things_in_the_way_are_refused(tmp_path: Path, what: str) -> None:
    outside = tmp_path / "outside"
    put(outside / "b.py", "precious")
    config = project(tmp_path / "p", {"g/b.yaml": ""})
    target = config.output / "g" / "b.py"
    if what == "folder":
        config.output.mkdir()
        target.parent.symlink_to(outside)
    else:
        target.parent.mkdir(parents=True)
        if what == "file":
            target.symlink_to(outside / "b.py")
        elif what == "fifo":
            os.mkfifo(target)
        else:
            target.mkdir()
    report = build(config, FAKE)
    assert report.failed
    assert {problem.code for problem in report.diagnostics} <= {"link-in-the-way", "not-a-file"}
    assert tree(outside) == {"b.py": b"precious"}


def test_manifest_paths_cannot_reach_outside(tmp_path: Path) -> None:
    config = project(tmp_path / "p", {"a.yaml": ""})
    build(config, FAKE)
    put(tmp_path / "p" / "precious.json", "{}")
    manifest = config.output / "manifest.txt"
    lines = "evil\t-\t../precious.json %2e%2e/precious.json /etc/x.json a/../../precious.json\n"
    manifest.write_bytes(manifest.read_bytes() + lines.encode())
    assert not build(config, FAKE).failed
    assert (tmp_path / "p" / "precious.json").exists()


def test_check_and_diff_write_nothing(tmp_path: Path) -> None:
    config = project(tmp_path, {"a.yaml": "", "b.yaml": ""})
    assert not build(config, FAKE, mode="check").plan.empty
    assert not config.state.exists()
    build(config, FAKE)
    put(config.specs / "a.yaml", "new")
    (config.specs / "b.yaml").unlink()
    (config.output / "registry.py").unlink()
    before = states(tmp_path)
    for mode in ("check", "diff"):
        plan = build(config, FAKE, mode=mode).plan
        assert {write.path for write in plan.writes if write.kind == "new"} == {"registry.py"}
        assert "a.py" in {write.path for write in plan.writes if write.kind == "changed"}
        assert "b.py" in {delete.path for delete in plan.deletes}
        assert states(tmp_path) == before


def test_check_does_not_trust_the_cache(tmp_path: Path) -> None:
    config = project(tmp_path, {"a.yaml": ""})
    build(config, FAKE)
    cache = config.state / "cache.json"
    wrong = (config.output / "a.py").read_bytes().replace(b"BODY", b"EVIL")
    (config.output / "a.py").write_bytes(wrong)
    text = cache.read_text()
    for path, content in tree(config.output).items():
        if path == "a.py":
            old = content.replace(b"EVIL", b"BODY")
            text = text.replace(hashlib.sha256(old).hexdigest(), hashlib.sha256(content).hexdigest())
    cache.write_text(text)
    written = build(config, FAKE, mode="diff").plan.writes  # the forged cache deceives who trusts it
    assert {write.path for write in written} == {"manifest.txt"}  # which has a digest of the former bytes
    assert [write.path for write in build(config, FAKE, mode="check").plan.writes] == ["a.py"]


def test_unchanged_files_are_not_written(tmp_path: Path) -> None:
    config = project(tmp_path, {"a.yaml": "", "b.yaml": ""})
    build(config, FAKE)
    before = states(config.output)
    put(config.specs / "b.yaml", "new")
    build(config, FAKE)
    after = states(config.output)
    changed = {Path(path).name for path in after if before[path] != after[path] and Path(path).is_file()}
    assert changed == {"b.py", "b.json", "manifest.txt"}


def test_emptied_folders_and_bytecode_go(tmp_path: Path) -> None:
    config = project(tmp_path, {"g/h/a.yaml": "", "b.yaml": ""})
    build(config, FAKE)
    put(config.output / "g/h/__pycache__/a.cpython-311.pyc", "x")
    put(config.output / "g/h/__pycache__/__init__.cpython-311.pyc", "x")
    (config.specs / "g/h/a.yaml").unlink()
    build(config, FAKE)
    assert not (config.output / "g").exists()


def test_a_second_run_waits_and_says_so(tmp_path: Path) -> None:
    config = project(tmp_path, {"a.yaml": ""})
    messages: list[str] = []
    with locked(config.state, messages.append):
        thread = threading.Thread(target=build, args=(config, FAKE), kwargs={"waiting": messages.append})
        thread.start()
        deadline = time.monotonic() + 60
        while not messages and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not config.output.exists()
    thread.join()
    assert len(messages) == 1
    assert (config.output / "a.py").exists()


def _build_in_process(base: str) -> None:
    from tests.project.fake import config_of

    build(config_of(Path(base)), FAKE)


def test_many_runs_at_once(tmp_path: Path) -> None:
    expected = _clean_build(tmp_path / "clean")
    config = project(tmp_path / "one", NEW)
    context = multiprocessing.get_context("fork")
    runs = [context.Process(target=_build_in_process, args=(str(tmp_path / "one"),)) for _ in range(4)]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert [run.exitcode for run in runs] == [0, 0, 0, 0]
    assert tree(config.output) == expected


def test_clean_leaves_what_is_not_ours(tmp_path: Path) -> None:
    config = project(tmp_path, {"a.yaml": "", "g/b.yaml": ""})
    build(config, FAKE)
    put(config.output / "mine.txt", "mine")
    before = states(tmp_path)
    files = clean(config, dry_run=True).files
    assert "g/b.py" in files
    assert "manifest.txt" in files
    assert states(tmp_path) == before
    clean(config, dry_run=False)
    assert tree(config.output) == {"mine.txt": b"mine"}
    assert not config.state.exists()
    build(config, FAKE)
    (config.output / "mine.txt").unlink()
    clean(config, dry_run=False)
    assert not config.output.exists()


def test_faults_of_the_compiler_are_reported_with_their_spec(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "MANY", 16)
    specs = {f"t{n}.yaml": str(n) for n in range(16)} | {"t7.yaml": "die", "t10.yaml": "raise"}
    config = project(tmp_path, specs)
    report = build(config, FAKE, jobs=2)
    codes = {problem.file.rpartition("/")[2]: problem.code for problem in report.diagnostics}
    assert codes == {"t7.yaml": "worker-crash", "t10.yaml": "internal-error"}
    assert report.refused == 2
    assert (config.output / "t15.py").exists()


def test_units_that_collide_are_refused(tmp_path: Path) -> None:
    config = project(
        tmp_path,
        {
            "registry.yaml": "",
            "a-b.yaml": "",
            "a_b.yaml": "",
            "c.yaml": "name: d",
            "d.yaml": "",
            "G/e.yaml": "name: E",
            "g/e.yaml": "",
            "fine.yaml": "",
        },
    )
    report = build(config, FAKE)
    codes = {problem.file.rpartition("specs/")[2]: problem.code for problem in report.diagnostics}
    assert codes == {
        "registry.yaml": "output-collision",
        "a-b.yaml": "name-collision",
        "c.yaml": "duplicate-name",
        "d.yaml": "duplicate-name",
        "G/e.yaml": "output-collision",
        "g/e.yaml": "output-collision",
    }
    assert {path.name for path in config.output.glob("*.py")} == {
        "__init__.py",
        "a_b.py",
        "fine.py",
        "registry.py",
    }


def test_folders_that_differ_by_case_are_refused_whole(tmp_path: Path) -> None:
    """Else a machine that does not tell them apart would put both into one."""
    specs = {
        "G/a.yaml": "",
        "g/b.yaml": "",
        "g/c/d.yaml": "",
        "h/I/e.yaml": "",
        "h/i/f.yaml": "",
        "h/j.yaml": "",
    }
    config = project(tmp_path, {**specs, "fine.yaml": ""})
    report = build(config, FAKE)
    reported = {problem.file.rpartition("specs/")[2]: problem for problem in report.diagnostics}
    assert set(reported) == set(specs) - {"h/j.yaml"}
    assert {problem.code for problem in reported.values()} == {"output-collision"}
    assert "'g' is 'G'" in reported["g/c/d.yaml"].message
    assert "'h/I' is 'h/i'" in reported["h/I/e.yaml"].message
    found = list(tree(config.output))
    assert len({path.casefold() for path in found}) == len(found)
    assert {"h/j.py", "fine.py"} <= set(found)
    (config.specs / "G/a.yaml").unlink()
    (config.specs / "h/I/e.yaml").unlink()
    assert not build(config, FAKE).failed


def test_leftovers_that_no_manifest_lists_are_reported(tmp_path: Path) -> None:
    config = project(tmp_path, {"a.yaml": ""})
    build(config, FAKE)
    shutil.copy(config.output / "a.py", config.output / "old.py")
    report = build(config, FAKE, mode="check")
    assert [(each.code, each.severity) for each in report.diagnostics] == [("stray-output", "warning")]
    assert (config.output / "old.py").exists()


@pytest.mark.parametrize(
    "path", ["contracts/old.json", "schemas/mcp/old.json", "wire_forms/openai/deep/old.json"]
)
def test_json_that_no_manifest_lists_is_reported_where_only_we_write(tmp_path: Path, path: str) -> None:
    config = project(tmp_path, {"a.yaml": ""})
    build(config, FAKE)
    put(config.output / path, "{}")
    put(config.output / "schemas/own.json", "{}")
    put(config.output / "own/contracts/own.json", "{}")
    (config.output / "contracts/link.json").symlink_to("nowhere")
    put(tmp_path / "outside/x.json", "{}")
    put(tmp_path / "outside/x.py", "# Generated by toolcast")
    (config.output / "schemas/acme").symlink_to(tmp_path / "outside")
    (problem,) = build(config, FAKE, mode="check").diagnostics
    assert (problem.code, problem.severity) == ("stray-output", "warning")
    assert problem.file.endswith(path)


def test_what_is_left_when_manifest_and_cache_are_lost_is_reported(tmp_path: Path) -> None:
    """Of a spec that is deleted, too; the manifest is what would have said that its files are ours."""
    config = project(tmp_path, {"a.yaml": "", "g/b.yaml": ""})
    build(config, FAKE)
    lost = tree(config.output)
    shutil.rmtree(config.state)
    (config.output / "manifest.txt").unlink()
    (config.specs / "g/b.yaml").unlink()
    reported = {each.file.rpartition("/")[2] for each in build(config, FAKE).diagnostics}
    assert {"b.py", "b.json"} <= reported
    (config.output / "manifest.txt").unlink()
    shutil.rmtree(config.state)
    (problem,) = clean(config, dry_run=True).diagnostics
    assert (problem.code, problem.severity) == ("no-manifest", "warning")
    assert "restore" in problem.hint
    assert clean(config, dry_run=False).files == ()
    assert (config.output / "contracts/b.json").exists()
    put(config.output / "manifest.txt", lost["manifest.txt"].decode())
    assert clean(config, dry_run=False).diagnostics == ()
    assert not config.output.exists()


def test_where_nothing_was_generated_json_is_not_ours_at_all(tmp_path: Path) -> None:
    config = project(tmp_path, {"a.yaml": ""})
    put(config.output / "contracts/own.json", "{}")
    assert clean(config, dry_run=False).diagnostics == ()
    assert tree(config.output) == {"contracts/own.json": b"{}"}


def test_a_file_in_the_way_that_may_be_ours_has_the_manifest_as_the_way_out(tmp_path: Path) -> None:
    config = project(tmp_path, {"a.yaml": ""})
    build(config, FAKE)
    shutil.rmtree(config.state)
    (config.output / "manifest.txt").unlink()
    put(config.specs / "a.yaml", "2")
    blocked = [each for each in build(config, FAKE).diagnostics if each.code == "foreign-file"]
    assert blocked
    assert all("restore manifest.txt" in each.hint for each in blocked)
    put(config.output / "manifest.txt", "mine")
    (problem,) = [each for each in build(config, FAKE).diagnostics if each.file.endswith("manifest.txt")]
    assert "version control" in problem.hint


def test_an_output_folder_that_is_a_link_is_reported_as_such(tmp_path: Path) -> None:
    config = project(tmp_path, {"a.yaml": ""})
    (tmp_path / "real").mkdir()
    config.output.symlink_to("real")
    (problem,) = build(config, FAKE).diagnostics
    assert problem.code == "link-in-the-way"
    assert "`output`" in problem.hint
    (problem,) = clean(config, dry_run=False).diagnostics
    assert (problem.code, problem.severity) == ("link-kept", "warning")
    assert list((tmp_path / "real").iterdir()) == []


def test_a_missing_library_leaves_all_outputs_alone(tmp_path: Path) -> None:
    config = project(tmp_path, {"a.yaml": "", "b.yaml": ""})
    build(config, FAKE)
    before = tree(config.output)
    put(config.specs / "a.yaml", "no library")
    report = build(config, FAKE)
    assert [each.code for each in report.diagnostics] == ["missing-library"]
    assert "toolcast[build]" in report.diagnostics[0].hint
    assert tree(config.output) == before


def test_a_folder_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    config = project(tmp_path, {"a.yaml": ""})
    put(config.output, "a file where the folder should be")
    report = build(config, FAKE)
    assert report.failed
    assert config.output.read_text() == "a file where the folder should be"


@pytest.mark.parametrize("then", ["edited", "deleted"])
def test_an_edit_right_after_the_rename_is_not_taken_for_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, then: str
) -> None:
    """Somebody who watches the folder may be faster than the look at what was written."""
    config = project(tmp_path / "p", OLD)
    rename = os.replace

    def edited(source: str, target: str) -> None:
        rename(source, target)
        file = Path(target)
        if os.fspath(target).endswith("/g/b.py"):
            if then == "deleted":
                file.unlink()
            else:
                file.write_bytes(file.read_bytes() + b"# edited")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", edited)
        build(config, FAKE)
    assert up_to_date(str(config.base)) is None
    assert [write.path for write in build(config, FAKE).plan.writes] == ["g/b.py"]
    assert up_to_date(str(config.base)) == (len(OLD), "")
