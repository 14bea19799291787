"""Disks that refuse, and things in the way: told with file, reason and remedy; nothing is lost."""

import contextlib
import errno
import json
import os
import resource
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from toolcast.config import Config
from toolcast.diagnostics import Diagnostic
from toolcast.project.generate import Report, build
from toolcast.project.output.output_tree import TEMPORARY
from toolcast.project.output.publish import clean

from tests.project.fake import FAKE, config_of, project, put, tree
from tests.project.fault_injection import EVERY, Refusing, run_in_fork, seams

OLD = {"a.yaml": "1", "g/b.yaml": "1", "g/gone.yaml": "1"}
FAULTS = {"full": errno.ENOSPC, "denied": errno.EACCES, "read-only": errno.EROFS, "broken": errno.EIO}


def _change(config: Config) -> None:
    (config.specs / "g/gone.yaml").unlink()
    put(config.specs / "a.yaml", "2")
    put(config.specs / "h/new.yaml", "1")


def _clean_build(config: Config, folder: Path) -> dict[str, bytes]:
    shutil.copytree(config.specs, folder / "specs")
    shutil.copy(config.base / "pyproject.toml", folder)
    build(config_of(folder), FAKE)
    return tree(folder / "generated")


def _hold(config: Config, before: dict[str, bytes], expected: dict[str, bytes]) -> None:
    found = tree(config.output)
    for path, content in found.items():
        assert content in (before.get(path), expected.get(path)), path
    assert not [path for path in found if path.endswith(TEMPORARY)]


def _states(folder: Path) -> dict[Path, tuple[int, int, int, int]]:
    """What a write below `folder` would change; reading a folder changes its time of access alone."""
    found = {path: path.lstat() for path in folder.rglob("*")}
    return {path: (s.st_mode, s.st_ino, s.st_size, s.st_mtime_ns) for path, s in found.items()}


def _assert_reported(problem: Diagnostic, *words: str) -> None:
    assert problem.hint
    assert problem.file
    for word in words:
        assert word in f"{problem.file}: {problem.message} ({problem.hint})"


@pytest.mark.parametrize("fault", FAULTS)
def test_any_step_may_be_refused(memory: Path, fault: str) -> None:
    """No exception, no torn file, no half file left; the next run does the rest."""
    config = project(memory / "p", OLD)
    build(config, FAKE)
    shutil.copytree(config.base, memory / "saved")
    before = tree(config.output)
    _change(config)
    expected = _clean_build(config, memory / "clean")

    at = Refusing(-1, FAULTS[fault])
    with seams(at):
        build(config, FAKE)
    assert at.count > 30
    for step in range(list(FAULTS).index(fault), at.count, 1 if EVERY else 13):
        shutil.rmtree(config.base)
        shutil.copytree(memory / "saved", config.base)
        _change(config)
        with seams(Refusing(step, FAULTS[fault])):
            report = build(config, FAKE)
        _hold(config, before, expected)
        problems = [each for each in report.diagnostics if each.code in ("io-error", "not-remembered")]
        for problem in problems:
            _assert_reported(problem, os.strerror(FAULTS[fault]))
        if not problems:  # what was refused was a tidying
            assert tree(config.output) == expected
        elif problems[0].code == "not-remembered":
            assert not report.failed
            assert tree(config.output) == expected
        done = {write.path for write in report.plan.writes}
        assert all(tree(config.output)[path] == expected[path] for path in done)
        assert not build(config, FAKE).failed
        assert tree(config.output) == expected


@pytest.fixture
def small(memory: Path) -> Iterator[Path]:
    """A real file system of a few pages; needs the right to mount."""
    place = memory / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("cannot mount a file system here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def _fill(filler: Path, *, but: int) -> None:
    with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(4096))
    os.truncate(filler, filler.stat().st_size - but * 4096)


@pytest.mark.parametrize("pages", [0, 1, 2, 3])
def test_a_full_disk(memory: Path, small: Path, pages: int) -> None:
    config = project(small / "p", OLD)
    build(config, FAKE)
    before = tree(config.output)
    _change(config)
    expected = _clean_build(config, memory / "clean")
    filler = small / "filler"
    _fill(filler, but=pages)
    for _ in range(2):
        report = build(config, FAKE)
        assert report.failed or pages > 1  # every file that is replaced makes room for the next
        for problem in report.diagnostics:
            _assert_reported(problem, "No space left", "make room")
        _hold(config, before, expected)
        assert report.failed or tree(config.output) == expected
    filler.unlink()
    assert not build(config, FAKE).failed
    assert tree(config.output) == expected


def test_a_read_only_file_system(small: Path) -> None:
    config = project(small / "p", OLD)
    build(config, FAKE)
    before = tree(config.output)
    _change(config)
    subprocess.run(["mount", "-o", "remount,ro", str(small)], check=True)
    report = build(config, FAKE)
    assert report.failed
    _assert_reported(report.diagnostics[0], "Read-only", "writable")
    assert tree(config.output) == before
    assert build(config, FAKE, mode="diff").plan.writes  # reading is enough to tell
    assert build(config, FAKE, mode="check").plan.writes
    assert clean(config, dry_run=False).diagnostics


def test_files_that_may_not_grow(memory: Path) -> None:
    config = project(memory / "p", OLD)
    build(config, FAKE)
    before = tree(config.output)
    _change(config)
    expected = _clean_build(config, memory / "clean")
    for limit in (10, 60, 2000):

        def work() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))  # noqa: B023 - called in this turn
            report = build(config, FAKE)
            codes = {each.code for each in report.diagnostics}
            assert codes <= {"io-error", "not-remembered"}
            assert codes or limit == 2000  # noqa: B023

        assert run_in_fork(work) == 0
        _hold(config, before, expected)
    assert not build(config, FAKE).failed
    assert tree(config.output) == expected


def _as_nobody(work: Callable[[], Report], folder: Path) -> list[Diagnostic]:
    """The diagnostics of `work`, done by a user who may not write everywhere."""
    if os.geteuid() != 0:
        return list(work().diagnostics)
    for path in (folder, *folder.rglob("*")):
        os.lchown(path, 65534, 65534)
    read, write = os.pipe()

    def unprivileged() -> None:
        os.setegid(65534)
        os.seteuid(65534)
        reported = [(each.file, each.code, each.message, each.hint) for each in work().diagnostics]
        os.write(write, json.dumps(reported).encode())

    assert run_in_fork(unprivileged) == 0
    os.close(write)
    with os.fdopen(read) as file:
        return [
            Diagnostic(file=where, code=code, message=message, hint=hint)
            for where, code, message, hint in json.load(file)
        ]


@pytest.mark.parametrize("place", ["generated", "generated/g", "generated/contracts", ".toolcast"])
def test_read_only_folders(memory: Path, place: str) -> None:
    memory.chmod(0o755)
    config = project(memory / "p", OLD)
    build(config, FAKE)
    before = tree(config.output)
    _change(config)
    expected = _clean_build(config, memory / "clean")
    folder = config.base / place
    folder.chmod(0o555)
    problems = _as_nobody(lambda: build(config, FAKE), config.base)
    folder.chmod(0o755)
    _assert_reported(problems[0], place, "Permission denied", "writable")
    _hold(config, before, expected)
    assert not build(config, FAKE).failed
    assert tree(config.output) == expected


def test_read_only_files_are_replaced(memory: Path) -> None:
    """A file's own mode forbids to write into it; we never do that."""
    memory.chmod(0o755)
    config = project(memory / "p", OLD)
    build(config, FAKE)
    _change(config)
    for path in config.output.rglob("*"):
        if path.is_file():
            path.chmod(0o444)
    assert _as_nobody(lambda: build(config, FAKE), config.base) == []
    assert tree(config.output) == _clean_build(config, memory / "clean")


def test_a_file_that_nobody_may_read_is_no_file_of_ours(memory: Path) -> None:
    memory.chmod(0o755)
    config = project(memory / "p", {"a.yaml": "1"})
    put(config.output / "a.py", "secret")
    put(config.output / "other.py", "secret")
    for name in ("a.py", "other.py"):
        (config.output / name).chmod(0)
    problems = _as_nobody(lambda: build(config, FAKE), config.base)
    assert [(each.code, each.file.rpartition("/")[2]) for each in problems] == [("unreadable", "a.py")]
    _assert_reported(problems[0], "Permission denied", "readable")


def test_an_immutable_file(tmp_path: Path) -> None:
    config = project(tmp_path, OLD)
    build(config, FAKE)
    before = tree(config.output)
    _change(config)
    expected = _clean_build(config, tmp_path / "clean")
    target = config.output / "registry.py"
    if shutil.which("chattr") is None or subprocess.run(["chattr", "+i", target], check=False).returncode:
        pytest.skip("cannot make a file immutable here")
    try:
        report = build(config, FAKE)
    finally:
        subprocess.run(["chattr", "-i", target], check=True)
    _assert_reported(report.diagnostics[0], "generated/registry.py", "not permitted", "files were dealt with")
    _hold(config, before, expected)
    assert not build(config, FAKE).failed
    assert tree(config.output) == expected


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


THINGS: dict[str, tuple[Callable[[Path], object], str]] = {
    "a link to a file": (lambda path: path.symlink_to(path.parents[3] / "outside/x.py"), "symbolic link"),
    "a link to a folder": (lambda path: path.symlink_to(path.parents[3] / "outside"), "symbolic link"),
    "a link to nothing": (lambda path: path.symlink_to("nowhere"), "symbolic link"),
    "a link to itself": (lambda path: path.symlink_to(path.name), "symbolic link"),
    "a folder": (lambda path: put(path / "mine.txt", "mine"), "a folder stands"),
    "a pipe": (os.mkfifo, "no file"),
    "a socket": (_socket, "no file"),
    "a file": (lambda path: path.write_text("print('mine')\n"), "did not write"),
    "an empty file": (lambda path: path.write_text(""), "did not write"),
}


@pytest.mark.parametrize("thing", THINGS)
def test_things_in_the_way_of_a_file(memory: Path, thing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(memory)
    put(memory / "outside/x.py", "precious")
    config = project(memory / "p", {"a.yaml": "1", "g/b.yaml": "1"})
    make, word = THINGS[thing]
    for path in ("g/b.py", "schemas/mcp.x/b.json"):
        (config.output / path).parent.mkdir(parents=True)
    make(config.output / "g/b.py")
    before = _states(config.output)
    for mode in ("write", "check", "diff"):
        report = build(config, FAKE, mode=mode)  # type: ignore[arg-type]
        assert report.failed
        assert len(report.diagnostics) == 1
        _assert_reported(
            report.diagnostics[0], "p/generated/g/b.py", word, "move" if "link" not in word else "remove"
        )
    assert _states(config.output) == before
    assert tree(memory / "outside") == {"x.py": b"precious"}
    shutil.rmtree(config.output)
    build(config, FAKE)
    (config.output / "g/b.py").unlink()
    make(config.output / "g/b.py")
    (config.specs / "g/b.yaml").unlink()  # now nothing is wanted there, and what stands there stays
    report = build(config, FAKE)
    kept = [("kept-file", "warning")] if thing != "a folder" else []  # that is no file to be kept
    assert [(each.code, each.severity) for each in report.diagnostics] == kept
    assert os.path.lexists(config.output / "g/b.py")
    assert tree(memory / "outside") == {"x.py": b"precious"}
    assert not clean(config, dry_run=False).files or os.path.lexists(config.output / "g/b.py")


@pytest.mark.parametrize("thing", [thing for thing in THINGS if thing != "a folder"])
@pytest.mark.parametrize("place", ["g", "."])
def test_things_in_the_way_of_a_folder(
    memory: Path, thing: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(memory)
    put(memory / "outside/x.py", "precious")
    config = project(memory / "p", {"a.yaml": "1", "g/b.yaml": "1", "g/h/c.yaml": "1"})
    target = config.output / place
    target.parent.mkdir(parents=True, exist_ok=True)
    THINGS[thing][0](target)
    report = build(config, FAKE)
    assert report.failed
    shown = "p/generated/g" if place == "g" else "p/generated"
    assert {each.file for each in report.diagnostics} == {shown}
    assert len(report.diagnostics) == 1
    assert report.diagnostics[0].hint
    assert os.path.lexists(target)
    assert tree(memory / "outside") == {"x.py": b"precious"}
    build(config, FAKE)
    target.unlink()
    assert not build(config, FAKE).failed
    shutil.move(config.output / "g", memory / "moved")
    (config.output / "g").symlink_to(memory / "moved")
    (config.specs / "g/b.yaml").unlink()
    before = tree(memory / "moved")
    assert build(config, FAKE).failed  # g/h/c is still wanted
    shutil.rmtree(config.specs / "g")
    assert not build(config, FAKE).failed
    assert clean(config, dry_run=False).diagnostics == ()
    assert tree(memory / "moved") == before  # nothing behind a link is ours


@pytest.mark.parametrize("name", ["", "lock", "cache.json", "index", ".gitignore"])
@pytest.mark.parametrize("thing", ["a folder", "a link to nothing", "a link to itself", "a pipe"])
def test_things_in_the_place_of_what_is_remembered(memory: Path, name: str, thing: str) -> None:
    put(memory / "outside/x.py", "precious")
    config = project(memory / "p", OLD)
    target = config.state / name if name else config.state
    target.parent.mkdir(exist_ok=True)
    if thing == "a link to nothing":
        target.symlink_to(memory / "no/where")
    else:
        THINGS[thing][0](target)
    report = build(config, FAKE)
    for problem in report.diagnostics:
        assert problem.code in ("io-error", "not-remembered")
        _assert_reported(problem, ".toolcast")
    if report.failed:
        assert tree(config.output) == {}
    else:
        assert tree(config.output) == _clean_build(config, memory / "clean")


def test_names_that_are_too_long(memory: Path) -> None:
    config = project(memory / "p", {"long.yaml": f"name: {'n' * 252}", "a.yaml": "1"})
    report = build(config, FAKE)
    assert [(each.code, each.file.rpartition("/")[2]) for each in report.diagnostics] == [
        ("long-name", "long.yaml")
    ]
    assert (config.output / "a.py").exists()
    deep = "/".join("d" * 200 for _ in range(21))
    config = project(memory / "q", {"a.yaml": "1"}, f'output = "{deep}"\n')
    report = build(config, FAKE)
    assert report.failed
    _assert_reported(report.diagnostics[0], "too long", "shorter")


def test_names_that_are_no_text(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes that are not UTF-8, in every folder that is looked through, and in the project's own path."""
    odd = os.fsdecode(b"caf\xe9")
    (memory / odd / "p" / "mine").mkdir(parents=True)
    config = project(memory / odd / "p", {"a.yaml": "1"}, 'templates = "mine"\n')
    monkeypatch.chdir(config.base)
    for folder in ("mine", "specs/_more", "generated", "generated/g"):
        put(config.base / folder / f"{odd}.txt", "x")
        put(config.base / folder / f"{odd}/{odd}.py", "# Generated by toolcast")
    report = build(config, FAKE)
    assert not report.failed
    shown = [each.file for each in report.diagnostics if each.code == "stray-output"]
    assert len(shown) == 2
    assert all(each.encode() for each in shown)
    again = build(config, FAKE)
    assert again.plan.empty
    assert again.rebuilt == 0
    assert clean(config, dry_run=False).diagnostics == ()
    assert len(tree(config.output)) == 4


@pytest.mark.parametrize("name", ["con", "NUL", "aux", "Com1", "lpt9", "prn"])
def test_names_that_windows_keeps_for_itself(memory: Path, name: str) -> None:
    config = project(memory / "p", {"a.yaml": f"name: {name}", "fine.yaml": "1", "conx.yaml": "1"})
    report = build(config, FAKE)
    assert [each.code for each in report.diagnostics] == ["windows-name"]
    _assert_reported(report.diagnostics[0], "specs/a.yaml", "Windows", "name")
    assert (config.output / "fine.py").exists()
    assert (config.output / "conx.py").exists()
    other = project(memory / "q", {f"{name}/b.yaml": "1"})
    assert [each.code for each in build(other, FAKE).diagnostics] == ["windows-name"]


def test_a_change_of_case_where_case_means_nothing(memory: Path) -> None:
    """Two hard links stand for the two spellings of one file; the folder for one that ignores case."""
    config = project(memory / "p", {"Tool.yaml": "1", "b.yaml": "1"})
    build(config, FAKE)
    (config.specs / "Tool.yaml").rename(config.specs / "tool.yaml")
    put(config.specs / "tool.yaml", "2")
    for path in [path for path in config.output.rglob("Tool.*") if path.is_file()]:
        os.link(path, path.with_name(path.name.lower()))
    plan = build(config, FAKE, mode="diff").plan
    assert not plan.blocked
    written = {write.path: write.kind for write in plan.writes}
    assert written["contracts/tool.json"] == written["tool.py"] == "new"
    assert {"contracts/Tool.json", "Tool.py"} <= {delete.path for delete in plan.deletes}
