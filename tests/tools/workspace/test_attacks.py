"""Attacks on a workspace, each of which fails: nothing outside is read, changed or named."""

import asyncio
import contextlib
import errno
import fcntl
import gc
import os
import re
import resource
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from toolcast.runtime import RefusalError
from toolcast.runtime.workers import Workers
from toolcast_tools.workspace import PathError, Workspace, WorkspaceError, atomic_write
from toolcast_tools.workspace.atomic_write import temporary_name
from toolcast_tools.workspace.resolution import status_or_none

SECRET = "nobody may read this"
OPERATIONS: dict[str, Callable[[Workspace, str], Any]] = {
    "open": lambda workspace, path: workspace.open(path).read(),
    "open-w": lambda workspace, path: workspace.open(path, "w").close(),
    "write": lambda workspace, path: workspace.write(path, b"attack"),
    "write-new": lambda workspace, path: workspace.write(path, b"attack", create_only=True, parents=True),
    "append": lambda workspace, path: workspace.append(path, b"attack", parents=True),
    "names": lambda workspace, path: workspace.names(path),
    "stat": lambda workspace, path: workspace.stat(path),
    "exists": lambda workspace, path: workspace.exists(path),
    "resolve": lambda workspace, path: workspace.resolve(path),
    "mkdir": lambda workspace, path: workspace.mkdir(f"{path}/new", parents=True),
    "rename": lambda workspace, path: workspace.rename(f"{path}/secret", "stolen"),
    "rename-to": lambda workspace, path: workspace.rename("a.txt", f"{path}/a.txt", replace=True),
    "remove": lambda workspace, path: workspace.remove(f"{path}/secret", recursive=True),
    "walk": lambda workspace, path: [entry.path for entry in workspace.walk(path)],
    "glob": lambda workspace, path: [entry.path for entry in workspace.glob("**", path)],
    "glob-in": lambda workspace, path: [entry.path for entry in workspace.glob(f"{path}/*")],
    "folder": lambda workspace, path: workspace.folder(path).__enter__(),
}


@pytest.fixture(autouse=True)
def _no_descriptor_is_left() -> Iterator[None]:
    before = open_descriptors()
    yield
    if open_descriptors() - before:
        gc.collect()  # after the tests that leave cycles alone: it takes longer than most of them
    assert not open_descriptors() - before


def open_descriptors() -> Counter[str]:
    listed = Path("/proc/self/fd")
    if not listed.exists():
        return Counter()
    targets = []
    for fd in listed.iterdir():
        with contextlib.suppress(OSError):
            targets.append(str(fd.readlink()))
    return Counter(target for target in targets if not target.startswith("/proc/"))


@pytest.fixture
def box(tmp_path: Path) -> Path:
    root = tmp_path / "box"
    (root / "sub").mkdir(parents=True)
    (root / "a.txt").write_text("a")
    (root / "sub" / "b.txt").write_text("b")
    (tmp_path / "outside" / "deep").mkdir(parents=True)
    (tmp_path / "outside" / "secret").write_text(SECRET)
    return root


@pytest.fixture
def outside(box: Path) -> Iterator[Path]:
    """The folder beside, which is unchanged in the end."""
    folder = box.parent / "outside"
    before = snapshot(folder)
    yield folder
    assert snapshot(folder) == before


@pytest.fixture
def workspace(box: Path) -> Iterator[Workspace]:
    with Workspace(box) as made:
        yield made


def snapshot(folder: Path) -> dict[str, tuple[int, float, bytes]]:
    found = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        found[str(path)] = (status.st_mode, status.st_mtime, path.read_bytes() if path.is_file() else b"")
    return found


# --- paths ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("operation", OPERATIONS)
def test_no_path_leads_any_operation_out(
    workspace: Workspace, box: Path, outside: Path, operation: str
) -> None:
    links = {
        "out": "../outside",
        "out-absolute": str(outside),
        "sub/out": "../../outside",
        "chain": "sub/out",
        "proc": "/proc/self/root",
        "cwd": "/proc/self/cwd",
        "fd": "/dev/fd",
        "loop": "loop",
    }
    for name, target in links.items():
        (box / name).symlink_to(target)
    paths = [
        *links,
        "../outside",
        "sub/../../outside",
        "sub/../../box/../outside",
        "./../outside",
        "sub/./.././../outside",
        "out/deep/..",
        "proc/etc",
        "proc/etc/passwd",
        str(outside),
        f"{box}/../outside",
        f"/{outside}",
        "/proc/self/root",
        f"/proc/self/root{outside}",
        "/proc/self/cwd",
        "/dev/fd/0",
        "/",
        "",
        "a\0b",
        "../outside\0.txt",
        "\ud800",
        "n" * 300,
        "n/" * 5000,
        "../" * 100 + "etc/passwd",
    ]
    for path in paths:
        with contextlib.suppress(RefusalError):
            outcome = OPERATIONS[operation](workspace, path)
            # Only a name of its own, in a folder of its own, may have been made or found to be missing.
            assert operation in ("exists", "write-new", "append", "mkdir") or not outcome, (path, outcome)
            assert not path.startswith((*links, "..", "/", "sub")), path


def test_names_in_other_encodings_are_names(workspace: Workspace, box: Path) -> None:
    for name in ("%2e%2e", "..%2f", "..\\", "\u2024\u2024", "．．", "\u002e\u200b.", "..;", "..."):
        assert workspace.write(f"{name}", b"x")
        assert (box / name).read_bytes() == b"x"
        workspace.remove(name)


def test_names_that_are_no_text_are_listed_opened_and_removed(workspace: Workspace, box: Path) -> None:
    Path(os.fsdecode(os.fsencode(box) + b"/\xff.txt")).write_text("x")
    (name,) = [name for name in workspace.names() if name.endswith("\udcff.txt") or "\udcff" in name]
    (entry,) = workspace.glob("?.txt", skip=lambda name: name == "a.txt")
    assert entry.path == name
    with entry.open() as file:
        assert file.read() == b"x"
    workspace.remove(name)
    assert workspace.names() == ["a.txt", "sub"]


def test_another_spelling_of_a_protected_name_reaches_no_file(
    workspace: Workspace, box: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file system that folds case, played by calls of the system that do."""
    (box / ".git").mkdir()
    (box / ".git" / "config").write_text("c")

    def folding(call: Callable[..., Any]) -> Callable[..., Any]:
        def folded(path: Any, *rest: Any, **options: Any) -> Any:
            return call(path.lower() if isinstance(path, str) else path, *rest, **options)

        return folded

    for name in ("open", "stat", "readlink", "mkdir", "unlink", "rmdir", "rename", "replace", "link"):
        monkeypatch.setattr(os, name, folding(getattr(os, name)))
    assert workspace.open(".git/config").read() == "c"
    refusals = 0
    for path in (".GIT/config", ".git/CONFIG", ".Git"):
        for name, operation in OPERATIONS.items():
            with contextlib.suppress(PathError):
                operation(workspace, path)
                raise AssertionError((name, path))
            refusals += 1
    assert refusals == 3 * len(OPERATIONS)
    monkeypatch.undo()
    assert snapshot(box / ".git").keys() == {str(box / ".git" / "config")}
    assert (box / ".git" / "config").read_text() == "c"


# --- links ---------------------------------------------------------------------------------------------


def test_renaming_over_a_link_that_leads_out_replaces_the_link(
    workspace: Workspace, box: Path, outside: Path
) -> None:
    (box / "link").symlink_to(outside / "secret")
    with pytest.raises(PathError, match="exists already"):
        workspace.rename("a.txt", "link")
    workspace.rename("a.txt", "link", replace=True)
    assert not (box / "link").is_symlink()
    assert (box / "link").read_text() == "a"
    (box / "folder").symlink_to(outside)
    with pytest.raises(PathError, match="not a folder"):
        workspace.rename("sub", "folder", replace=True)


def test_removing_a_link_that_leads_out_removes_the_link(
    workspace: Workspace, box: Path, outside: Path
) -> None:
    (box / "sub" / "link").symlink_to(outside)
    (box / "link").symlink_to(outside)
    workspace.remove("link", recursive=True)
    workspace.remove("sub", recursive=True)
    assert workspace.names() == ["a.txt"]
    assert outside.exists()


def test_a_hard_link_to_a_file_outside_is_not_written(workspace: Workspace, box: Path, outside: Path) -> None:
    os.link(outside / "secret", box / "hard")
    assert workspace.open("hard").read() == SECRET
    for operation in ("open-w", "write", "append"):
        with pytest.raises(WorkspaceError, match="hard link"):
            OPERATIONS[operation](workspace, "hard")
    assert workspace.stat("hard").links == 2
    workspace.rename("hard", "sub/hard")
    workspace.rename("a.txt", "sub/hard", replace=True)
    assert (outside / "secret").read_text() == SECRET


@pytest.mark.parametrize("plant", ["link", "hard link", "pipe", "socket", "left", "folder"])
def test_what_is_planted_under_the_temporary_name_is_not_written(
    workspace: Workspace, box: Path, outside: Path, plant: str
) -> None:
    beside = box / temporary_name("a.txt")
    with contextlib.ExitStack() as stack:
        if plant == "link":
            beside.symlink_to(outside / "secret")
        elif plant == "hard link":
            os.link(outside / "secret", beside)
        elif plant == "pipe":
            os.mkfifo(beside)
        elif plant == "socket":
            server = stack.enter_context(socket.socket(socket.AF_UNIX))
            with contextlib.chdir(box):  # the whole path may be too long for a socket
                server.bind(beside.name)
        elif plant == "left":
            beside.write_text("half of what a killed process wr")
            beside.chmod(0o600)
        else:
            beside.mkdir()
            with pytest.raises(PathError, match=f"folder '{beside.name}' is in the way"):
                workspace.write("a.txt", b"new")
            beside.rmdir()
        workspace.write("a.txt", b"new")
    assert (box / "a.txt").read_bytes() == b"new"
    assert workspace.names() == ["a.txt", "sub"]


SWAP = """
import os, sys
os.chdir(sys.argv[1])
while os.path.lexists("running"):
    try:
        os.rename("swap", "real")
        os.rename("link", "swap")
        os.rename("swap", "link")
        os.rename("real", "swap")
    except OSError:
        pass
"""


@contextlib.contextmanager
def swapped(folder: Path, outside: Path) -> Iterator[None]:
    """Another process exchanges the folder `swap` for a link that leads out, as fast as it can."""
    (folder / "swap" / "deep").mkdir(parents=True)
    (folder / "link").symlink_to(outside)
    (folder / "running").touch()
    process = subprocess.Popen([sys.executable, "-I", "-S", "-c", SWAP, str(folder)])
    try:
        until = time.monotonic() + 60
        while not (folder / "swap").is_symlink() and time.monotonic() < until:
            pass
        yield
    finally:
        (folder / "running").unlink()
        process.wait(30)


def test_a_folder_exchanged_for_a_link_leads_no_operation_out(
    workspace: Workspace, box: Path, outside: Path
) -> None:
    done, refused = 0, 0
    seen: set[str] = set()

    def attempt(call: Callable[[], Any]) -> None:
        nonlocal done, refused
        try:
            found = call()
            done += 1
            if isinstance(found, list):
                seen.update(found)
        except PathError:
            refused += 1

    with swapped(box, outside):
        for _ in range(30):
            attempt(lambda: workspace.write("swap/secret", b"mine"))
            attempt(lambda: workspace.append("swap/secret", b"more"))
            attempt(lambda: workspace.mkdir("swap/made/by/me", parents=True))
            attempt(lambda: [entry.path for entry in workspace.walk("swap")])
            attempt(lambda: [entry.path for entry in workspace.walk()])
            attempt(lambda: [entry.open().read().decode() for entry in workspace.glob("*/secret")])
            attempt(lambda: workspace.names("swap"))
            attempt(lambda: workspace.rename("swap/secret", "swap/moved", replace=True))
            attempt(lambda: workspace.rename("swap/moved", "swap/deep/moved"))
            attempt(lambda: workspace.rename("swap/made", "swap/deep/made"))
            attempt(lambda: workspace.remove("swap/deep", recursive=True))
            attempt(lambda: workspace.remove("swap/secret"))
            attempt(lambda: workspace.mkdir("swap/deep"))
    assert done
    assert SECRET not in seen


def test_a_folder_exchanged_while_its_tree_is_removed_leads_nowhere(
    workspace: Workspace, box: Path, outside: Path
) -> None:
    for number in range(3):
        tree = box / f"tree-{number}"
        tree.mkdir()
        with swapped(tree, outside):
            for name in ("x", "y", "z"):
                (tree / f"more-{name}").mkdir()
                (tree / f"more-{name}" / "file").touch()
            with contextlib.suppress(PathError):
                workspace.remove(tree.name, recursive=True)
            tree.mkdir(exist_ok=True)
            (tree / "running").touch()
        with contextlib.suppress(PathError):
            workspace.remove(tree.name, recursive=True)


# --- files that are none -------------------------------------------------------------------------------


def test_pipes_sockets_and_devices_are_neither_read_nor_written(workspace: Workspace, box: Path) -> None:
    names = ["pipe", "socket"]
    os.mkfifo(box / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        with contextlib.chdir(box):  # the whole path may be too long for a socket
            server.bind("socket")
        with contextlib.suppress(OSError):
            os.mknod(box / "null", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
            names.append("null")
        for name in names:
            for operation in ("open", "open-w", "write", "append"):
                with pytest.raises(PathError, match="no regular file"):
                    OPERATIONS[operation](workspace, name)
            (entry,) = workspace.glob(name)
            assert entry.kind == workspace.stat(name).kind == "other"
            with pytest.raises(PathError, match="no regular file"):
                entry.open()
            workspace.rename(name, f"sub/{name}")
            workspace.remove(f"sub/{name}")


# --- depth and numbers ---------------------------------------------------------------------------------


def nest(folder: Path, name: str, levels: int) -> None:
    """Folders in folders, with a file and a link in some."""
    fd = os.open(folder, os.O_RDONLY)
    for level in range(levels):
        os.mkdir(name, dir_fd=fd)
        inner = os.open(name, os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = inner
        if level % 50 == 0:
            os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=fd))
            os.symlink("/", "link", dir_fd=fd)
    os.close(fd)


def test_folders_nested_without_end_are_refused_and_removed(workspace: Workspace, box: Path) -> None:
    nest(box / "sub", "d", 1200)
    refused("more than 200 folders deep", lambda: list(workspace.walk()))
    refused("more than 200 folders deep", lambda: list(workspace.glob("**/file")))
    assert len(list(workspace.walk(skip=lambda name: name == "d"))) == 3
    assert len(list(workspace.walk(max_depth=5))) == 2 + 2 + 3 + 1 + 1
    with pytest.raises(PathError, match="more than 200 folders deep"):
        workspace.stat("sub/" + "d/" * 250)
    with pytest.raises(PathError, match="too long"):
        workspace.stat("sub/" + "d/" * 2500)
    workspace.remove("sub", recursive=True)
    assert workspace.names() == ["a.txt"]


def test_steps_up_and_down_without_end_are_refused(workspace: Workspace, box: Path) -> None:
    assert workspace.stat("sub/../" * 500 + "a.txt").size == 1
    with pytest.raises(PathError, match="too long"):
        workspace.stat("sub/../" * 100_000 + "a.txt")
    (box / "sub" / "0").symlink_to("../a.txt")
    for number in range(1, 60):
        (box / "sub" / str(number)).symlink_to("../sub/" * 100 + str(number - 1))
    assert workspace.stat("sub/30").size == 1
    with pytest.raises(PathError, match="too many links"):
        workspace.stat("sub/59")


def test_a_folder_with_too_many_files_is_refused(workspace: Workspace, box: Path) -> None:
    for number in range(50):
        (box / "sub" / f"{number}").touch()
    with pytest.raises(PathError, match="more than 40"):
        workspace.names("sub", max_entries=40)
    for call in (workspace.walk(max_entries=40), workspace.glob("**/none", max_entries=40)):
        with pytest.raises(PathError, match=r"'.' has more than 40"):
            list(call)
    assert len(workspace.names("sub", max_entries=51)) == 51


def test_a_walk_that_nobody_waits_for_ends(workspace: Workspace) -> None:
    ended = threading.Event()
    began = threading.Event()

    def endless() -> None:
        try:
            while True:
                began.set()
                list(workspace.walk())
        except PathError as refused:
            if "cancelled" in str(refused):
                ended.set()

    async def cancelled() -> None:
        task = asyncio.create_task(Workers(1).run(endless))
        while not began.is_set():
            await asyncio.sleep(0)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert ended.wait(60)


# --- faults --------------------------------------------------------------------------------------------

WRITER = """
import sys
from toolcast_tools.workspace import Workspace
workspace = Workspace(sys.argv[1])
print("ready", flush=True)
number = 0
while True:
    number += 1
    workspace.write("big", bytes([97 + number % 26]) * 3_000_000)
    workspace.write(f"new-{number % 3}", b"x" * 1_000_000)
    workspace.remove(f"new-{number % 3}")
"""


def test_a_process_killed_while_it_writes_leaves_the_former_content_or_the_new_one(
    workspace: Workspace, box: Path
) -> None:
    workspace.write("big", b"a" * 3_000_000)
    for number in range(3):
        process = subprocess.Popen([sys.executable, "-c", WRITER, str(box)], stdout=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.01 + number * 0.026)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        content = (box / "big").read_bytes()
        assert content == content[:1] * 3_000_000
        for name in ("new-0", "new-1", "new-2"):
            if (box / name).exists():
                assert (box / name).read_bytes() == b"x" * 1_000_000
        assert len([name for name in workspace.names() if name.startswith(".toolcast-")]) <= 1
        for name in ("big", "new-0", "new-1", "new-2"):
            workspace.write(name, b"z" * 3_000_000)
        assert [name for name in workspace.names() if name.startswith(".toolcast-")] == []
        for name in ("new-0", "new-1", "new-2"):
            workspace.remove(name)


@pytest.mark.parametrize("change", ["write", "append"])
def test_a_new_file_that_kept_its_second_name_in_a_kill_can_be_written(
    workspace: Workspace, box: Path, change: str
) -> None:
    (box / "new").write_bytes(b"first")
    os.link(box / "new", box / temporary_name("new"))
    getattr(workspace, change)("new", b"second")
    assert (box / "new").read_bytes() == {"write": b"second", "append": b"firstsecond"}[change]
    assert not (box / temporary_name("new")).exists()


def in_a_child(work: Callable[[], None], prepare: Callable[[], None] = lambda: None) -> None:
    """Run `work` in a fork, with limits or rights that are not the test's."""
    child = os.fork()
    if child == 0:
        try:
            prepare()
            work()
            os._exit(0)
        except BaseException as problem:
            sys.stderr.write(f"{type(problem).__name__}: {problem}\n")
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


def refused(words: str, call: Callable[..., Any], *arguments: Any) -> None:
    with pytest.raises(PathError, match=re.escape(words)):
        call(*arguments)


def faults(workspace: Workspace, box: Path, words: str) -> None:
    """What is too large is refused, and leaves everything as it was."""
    before = workspace.names()
    data = b"x" * 3_000_000
    refused(words, lambda: workspace.write("a.txt", data))
    refused(words, lambda: workspace.write("new", data))
    refused(words, lambda: workspace.write("made/for/new", data, parents=True))
    refused(words, lambda: workspace.append("a.txt", data))
    refused(words, lambda: workspace.append("new", data))
    assert workspace.names() == before
    assert (box / "a.txt").read_text() == "a"


def test_a_file_over_the_limit_of_the_process_leaves_nothing(workspace: Workspace, box: Path) -> None:
    in_a_child(
        lambda: faults(workspace, box, "too large"),
        lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000)),
    )


def test_a_full_disk_leaves_nothing(box: Path) -> None:
    mounted = box / "disk"
    mounted.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(mounted)]
    if os.geteuid() != 0 or subprocess.run(command, check=False, capture_output=True).returncode != 0:
        pytest.skip("mounting a small file system needs root")
    try:
        (mounted / "a.txt").write_text("a")
        with Workspace(mounted) as workspace:
            faults(workspace, mounted, "no space left")
        with Workspace(box) as workspace:
            refused("another file system", lambda: workspace.rename("a.txt", "disk/b.txt"))
            refused("'disk' is in use", lambda: workspace.remove("disk", recursive=True))
            assert workspace.stat("a.txt").size == 1
    finally:
        subprocess.run(["umount", str(mounted)], check=True)


def test_too_many_open_files_are_a_refusal(workspace: Workspace, box: Path) -> None:
    nest(box / "sub", "d", 100)

    def work() -> None:
        for path in ("a.txt", "sub/" + "d/" * 80 + "file"):
            held = []
            with contextlib.suppress(OSError):
                while True:
                    held.append(os.open("/", os.O_RDONLY))
            for name in ("open", "write", "append", "names", "walk"):
                refused("too many files are open", OPERATIONS[name], workspace, path)
            for fd in held:
                os.close(fd)

    in_a_child(work, lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (60, 60)))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_what_somebody_else_may_not_do_is_a_refusal(workspace: Workspace, box: Path) -> None:
    for folder, mode in (("closed", 0o000), ("fixed", 0o555), ("free", 0o777)):
        (box / folder).mkdir()
        (box / folder / "f").write_text("f")
        (box / folder / "f").chmod(0o600)
        (box / folder).chmod(mode)

    def work() -> None:
        for path in ("closed/f", "fixed/f", "free/f"):
            for name in ("open", "open-w", "append"):
                refused("permission is denied", OPERATIONS[name], workspace, path)
        for path in ("closed/f", "fixed/f", "fixed/new"):
            refused("permission is denied", workspace.write, path, b"x")
            refused("permission is denied", workspace.mkdir, f"{path}-folder")
        refused("permission is denied", lambda: workspace.remove("fixed/f"))
        refused("permission is denied", lambda: workspace.remove("fixed", recursive=True))
        refused("permission is denied", lambda: workspace.rename("fixed/f", "free/g"))
        refused("permission is denied", lambda: workspace.names("closed"))
        refused("permission is denied", lambda: list(workspace.walk("closed")))
        # A folder below that may not be read hides what is in it, and nothing else.
        paths = [entry.path for entry in workspace.walk()]
        assert "closed" in paths
        assert "closed/f" not in paths
        assert "free/f" in paths
        # The folder is free to write, so the file there can be replaced; it has another owner then.
        assert workspace.write("free/f", b"mine") is False
        assert workspace.stat("free/f").mode == 0o600

    def become() -> None:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)

    in_a_child(work, become)
    assert sorted(path.name for path in box.rglob("f")) == ["f", "f", "f"]


def test_root_keeps_the_owner_of_what_it_replaces(workspace: Workspace, box: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    os.chown(box / "a.txt", 1234, 1235)
    (box / "a.txt").chmod(0o4750)
    workspace.write("a.txt", b"new")
    status = (box / "a.txt").stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (1234, 1235, 0o750)


# --- many at once --------------------------------------------------------------------------------------


def at_once(calls: list[Callable[[], Any]]) -> list[Any]:
    """The outcomes of calls that run in threads at the same time."""
    outcomes: list[Any] = [None] * len(calls)
    start = threading.Barrier(len(calls))

    def run(position: int) -> None:
        start.wait()
        try:
            outcomes[position] = calls[position]()
        except PathError as problem:
            outcomes[position] = problem

    threads = [threading.Thread(target=run, args=(position,)) for position in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def test_writers_of_one_file_leave_the_content_of_one_of_them(workspace: Workspace, box: Path) -> None:
    contents = [bytes([97 + number]) * 200_000 for number in range(8)]
    for path in ("a.txt", "new"):
        outcomes = at_once([partial(workspace.write, path, data) for data in contents])
        assert not [each for each in outcomes if isinstance(each, Exception) and "exists" not in str(each)]
        assert (box / path).read_bytes() in contents
    assert workspace.names() == ["a.txt", "new", "sub"]


def test_a_file_that_another_call_is_naming_is_written(
    workspace: Workspace, box: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For a moment it has two names."""

    def named_just_before(place: Any) -> os.stat_result | None:
        monkeypatch.undo()
        beside = box / temporary_name("new")
        beside.write_bytes(b"theirs")
        (box / "new").hardlink_to(beside)
        return status_or_none(place)

    monkeypatch.setattr("toolcast_tools.workspace.workspace.status_or_none", named_just_before)
    assert workspace.write("new", b"ours") is False
    assert (box / "new").read_bytes() == b"ours"
    assert [path.name for path in box.iterdir() if path.name.startswith(".toolcast")] == []


@pytest.mark.parametrize("number", range(4))
def test_one_of_many_creates_a_file_and_one_takes_a_name(
    workspace: Workspace, box: Path, number: int
) -> None:
    contents = [b"1", b"2", b"3", b"4"]
    made = at_once([partial(workspace.write, "new", data, create_only=True) for data in contents])
    assert made.count(True) == 1
    assert (box / "new").read_bytes() == contents[made.index(True)]
    folders = number % 2 == 0
    sources = [f"from-{each}" for each in range(4)]
    for source in sources:
        workspace.write(f"{source}/f" if folders else source, source.encode(), parents=True)
    moves = at_once([partial(workspace.rename, source, "to") for source in sources])
    assert moves.count(None) == 1
    left = [source for source in sources if workspace.exists(source)]
    assert len(left) == 3
    moved = box / "to" / "f" if folders else box / "to"
    assert {*left, moved.read_text()} == set(sources)


def test_a_file_that_another_process_never_ends_writing_is_refused(
    workspace: Workspace, box: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(atomic_write, "_PATIENCE", 0.05)
    beside = box / temporary_name("a.txt")
    with beside.open("w") as held:
        held.write("half")
        held.flush()
        fcntl.flock(held, fcntl.LOCK_EX)
        refused("'a.txt' is in use", workspace.write, "a.txt", b"new")
        assert beside.read_text() == "half"
    assert (box / "a.txt").read_text() == "a"
    workspace.write("a.txt", b"new")
    assert workspace.names() == ["a.txt", "sub"]


def test_a_file_system_without_locks_is_a_refusal(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def flock(fd: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, f"{fd} {operation}")

    monkeypatch.setattr(fcntl, "flock", flock)
    for path in ("a.txt", "new"):
        refused("cannot be locked", workspace.write, path, b"new")
    assert workspace.names() == ["a.txt", "sub"]
    assert workspace.open("a.txt").read() == "a"


@pytest.mark.parametrize("path", ["a.txt", "new"])
def test_what_another_process_appends_survives_a_failed_append(
    workspace: Workspace, box: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """The disk is full after three bytes, and then another process finds room for two of its own."""
    write = os.write
    before = (box / path).read_bytes() if (box / path).exists() else b""

    def full(fd: int, data: bytes) -> int:
        if len(data) < 6:
            with (box / path).open("ab") as file:
                file.write(b"22")
            raise OSError(errno.ENOSPC, "full")
        return write(fd, data[:3])

    monkeypatch.setattr(os, "write", full)
    refused("no space left", workspace.append, path, b"111111")
    assert (box / path).read_bytes() == before + b"11122"


def test_a_workspace_closed_while_calls_run_looks_up_nothing_elsewhere(box: Path) -> None:
    workspace = Workspace(box)
    entries = workspace.walk()
    next(entries)
    with workspace.folder("sub") as fd:
        workspace.close()
        assert os.fstat(fd).st_ino == (box / "sub").stat().st_ino
        workspace.close()
        held = [os.open("/", os.O_RDONLY) for _ in range(20)]
        with pytest.raises(ValueError, match="closed"):
            list(entries)
        for fd in held:
            os.close(fd)
    with pytest.raises(ValueError, match="closed"):
        workspace.open("a.txt")
