"""Attacks through the tools for files: each fails, in words, and in bounded time and memory."""

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from toolcast.runtime import RefusalError
from toolcast_tools.files import Files
from toolcast_tools.files.content_search import SearchOptions, search_content
from toolcast_tools.generated.files.grep import GrepParams
from toolcast_tools.workspace import Workspace

from tests.held import descriptors
from tests.tools.files.calls import edit, glob, grep, multi_edit, read, write

SECRET = "the secret outside"

TOOLS: dict[str, Callable[[Files, str], Any]] = {
    "file_read": lambda files, path: read(files, path),
    "file_write": lambda files, path: write(files, path, "changed"),
    "append": lambda files, path: write(files, path, "changed", mode="append"),
    "create": lambda files, path: write(files, f"{path}.new", "changed", mode="create"),
    "edit": lambda files, path: edit(files, path, "secret", "changed"),
    "multi_edit": lambda files, path: multi_edit(files, path, ("secret", "changed", False)),
    "glob": lambda files, path: glob(files, "*", path=path),
    "grep": lambda files, path: grep(files, "secret", path=path, output="lines"),
}


@pytest.fixture
def outside(box: Path) -> Path:
    """A folder beside the workspace, with a file that nothing may show or change."""
    folder = box.parent / "outside"
    folder.mkdir()
    (folder / "secret.txt").write_text(SECRET)
    return folder


def refused(call: Callable[[], Any]) -> str:
    """What a call that ends is refused with; nothing where it is not refused."""
    try:
        call()
    except RefusalError as problem:
        return str(problem)
    return ""


def check_untouched(outside: Path) -> None:
    assert os.listdir(outside) == ["secret.txt"]  # noqa: PTH208 - hidden ones, too
    assert (outside / "secret.txt").read_text() == SECRET


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    "path",
    [
        "../outside/secret.txt", "to-file", "to-folder/secret.txt", "to-folder",
        "inner/up/outside/secret.txt", "/etc/passwd", "/proc/self/root/etc/passwd", "/proc/self/cwd",
    ],
)  # fmt: skip
def test_paths_and_links_that_lead_outside_are_refused_by_every_tool(
    files: Files, box: Path, outside: Path, tool: str, path: str
) -> None:
    (box / "inner").mkdir()
    (box / "to-file").symlink_to(outside / "secret.txt")
    (box / "to-folder").symlink_to(outside)
    (box / "inner/up").symlink_to("../..")
    if tool == "create" and path == "to-file":
        path = "to-folder/other"
    if tool == "create" and path == "to-folder":
        path = "to-folder/."
    with pytest.raises(RefusalError) as caught:
        TOOLS[tool](files, path)
    assert SECRET not in str(caught.value)
    check_untouched(outside)


def test_searches_follow_no_link(box: Path, outside: Path) -> None:
    (box / "to-folder").symlink_to(outside)
    (box / "to-file").symlink_to(outside / "secret.txt")
    (box / "a.txt").write_text("other")
    files = Files(box)
    assert grep(files, "secret").matches == []
    assert glob(files, "**/secret.txt", include_hidden=True).total == 0


@contextmanager
def swapping(box: Path, outside: Path) -> Iterator[None]:
    """`box/sub` is by turns a folder with a harmless file and a link to the folder outside."""
    (box / "folder").mkdir()
    (box / "folder/secret.txt").write_text("harmless secret")
    (box / "link").symlink_to(outside)
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            for name in ("folder", "link"):
                try:
                    (box / name).rename(box / "sub")
                    (box / "sub").rename(box / name)
                except OSError:  # a tool has made the folder anew meanwhile
                    shutil.rmtree(box / "sub", ignore_errors=True)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


@pytest.mark.parametrize("tool", [name for name in TOOLS if name != "create"])
def test_a_folder_that_becomes_a_link_during_a_call_leads_nowhere(
    files: Files, box: Path, outside: Path, tool: str
) -> None:
    path = "sub" if tool == "glob" else "sub/secret.txt"
    with swapping(box, outside):
        for _ in range(150):
            try:
                result = TOOLS[tool](files, path)
            except RefusalError:
                continue
            assert SECRET not in repr(result)
    check_untouched(outside)


def test_a_search_shows_nothing_of_a_link_that_changes_meanwhile(box: Path, outside: Path) -> None:
    with Workspace(box) as workspace, swapping(box, outside):
        options = SearchOptions(frozenset(), 1 << 20, 20)
        for _ in range(20):
            result = search_content(
                workspace, GrepParams(pattern="outside|harmless", output="lines"), options
            )
            assert SECRET not in repr(result)


@pytest.mark.parametrize(
    "pattern",
    ["--pre=touch pwned", "-e", "--files", "$(touch pwned)", "`touch pwned`; touch pwned", "a\x1b]0;b"],
)
def test_a_pattern_is_no_option_and_no_command(box: Path, pattern: str) -> None:
    for number in range(101):
        (box / f"-{number}.txt").write_text("text")
    (box / "--files").write_text(pattern)
    literal = "".join(f"\\x{{{ord(letter):x}}}" for letter in pattern)
    for wanted in (literal, pattern.replace("$", r"\$").replace("(", r"\(").replace(")", r"\)")):
        assert [each.path for each in grep(Files(box), wanted).matches] == ["--files"]
    assert not list(box.rglob("*pwned"))


@pytest.mark.parametrize(
    "pattern", [r"(a+)+$", r"(a|a)*b", r"(a|aa)+$", r"(.*a){20}b", r"^(([a-z])+.)+[A-Z]$", r"a*" * 40 + "b"]
)
@pytest.mark.parametrize("multiline", [True, False])
def test_patterns_that_backtrack_for_ever_elsewhere_end_here(
    files: Files, box: Path, pattern: str, multiline: bool
) -> None:
    (box / "a.txt").write_text("a" * 200_000 + "!\n")
    assert grep(files, pattern, multiline=multiline).matches == []


@pytest.mark.parametrize(
    "pattern",
    [
        "a{1000}{1000}",
        "(a{1000}){1000}",
        "(((a{30}){30}){30}){30}",
        "(?i:[a-z]{500}){2,3}" * 90,
        r"\pL{1000}",
        r"(\PL\pL){900}",
        "(" * 4000,
        "[" * 4000,
        r"\x{110000}",
    ],
)
def test_patterns_that_would_take_all_memory_are_refused(files: Files, box: Path, pattern: str) -> None:
    (box / "a.txt").write_text("a" * 1000)
    with pytest.raises(RefusalError, match=r"^The pattern '"):
        grep(files, pattern)


@pytest.mark.parametrize(
    "piece", [r"\pL", r"[\w\W]", "(?i)k", "{", "[:", r"(?i:\p{Ll}|\x{1E9E})", "a|", "()"]
)
def test_patterns_of_many_pieces_end(files: Files, box: Path, piece: str) -> None:
    (box / "a.txt").write_text("a" * 1000)
    pattern = piece * (4096 // len(piece))
    assert len(refused(lambda: grep(files, pattern))) < 1000


def test_a_search_ends_at_its_limit(box: Path) -> None:
    (box / "a.txt").write_bytes(b"a\n" * 4_000_000)
    files = Files(box, search_seconds=0.05)
    for multiline in (True, False):
        with pytest.raises(RefusalError, match=r"took longer than 0\.05 seconds and was stopped"):
            grep(files, "a", output="count", multiline=multiline)


@pytest.mark.parametrize("pattern", ["**/" * 300 + "*", "/".join(["**"] * 300), "*a" * 300, "**/*" * 100])
def test_globs_of_many_stars_end(files: Files, box: Path, pattern: str) -> None:
    for number in range(20):
        (box / f"{number}/a/a").mkdir(parents=True)
        (box / f"{number}/a/a/{'a' * 200}").touch()
    assert len(refused(lambda: glob(files, pattern))) < 1000
    assert len(refused(lambda: grep(files, "x", glob=pattern))) < 1000


@pytest.mark.parametrize(
    "pattern", ["{a,b}" * 150, "{" * 400, "{a,{b,{c,{d," * 80 + "}" * 300, "[" * 900, "{a,b}/" * 100]
)
def test_globs_of_many_braces_are_refused(files: Files, pattern: str) -> None:
    assert refused(lambda: glob(files, pattern))
    assert refused(lambda: grep(files, "x", glob=pattern))


def test_a_giant_file_is_not_read(files: Files, box: Path) -> None:
    with (box / "giant").open("wb") as file:
        file.truncate(1 << 40)
    for tool in ("file_read", "edit", "multi_edit"):
        with pytest.raises(RefusalError, match="'giant' is larger than"):
            TOOLS[tool](files, "giant")
    assert grep(files, "a").skipped == 1
    assert grep(files, "a", path="giant").skipped == 1


def test_a_giant_line_is_cut(files: Files, box: Path) -> None:
    (box / "a.txt").write_text("x" * 5_000_000 + "needle" + "y" * 5_000_000 + "\n" + "z" * 5_000_000)
    assert len(read(files, "a.txt").content) < 5000
    (found,) = grep(files, "needle", output="lines", context={"before": 1, "after": 1}).matches
    assert found.text is not None
    assert "needle" in found.text
    assert len(found.text) + sum(map(len, found.after or ())) < 3000
    with pytest.raises(RefusalError) as caught:
        edit(files, "a.txt", "x" * 1000 + "w" * 100_000, "v")
    assert len(str(caught.value)) < 3000
    assert len(edit(files, "a.txt", "needle", "n" * 100_000).snippet or "") < 10_000


def test_many_lines_with_much_context_are_cut(files: Files, box: Path) -> None:
    (box / "a.txt").write_text(("x" * 990 + "\n") * 20_000)
    result = grep(files, "x", output="lines", limit=10_000)
    assert result.truncated
    assert sum(len(each.text or "") for each in result.matches) < 1_100_000


def test_an_edit_that_would_fill_the_memory_is_refused(files: Files, box: Path) -> None:
    (box / "a.txt").write_text("x" * 50_000)
    with pytest.raises(RefusalError, match=r"would have 50,000,000,000 characters"):
        edit(files, "a.txt", "x", "y" * 1_000_000, replace_all=True)
    doubling = [
        ("x" if number % 2 else "y", ("y" if number % 2 else "x") * 2, True) for number in range(1, 101)
    ]
    with pytest.raises(RefusalError, match="so nothing was written"):
        multi_edit(files, "a.txt", *doubling)
    with pytest.raises(RefusalError, match="would have 10,000,000 lines"):
        multi_edit(files, "a.txt", ("x", "\n" * 200, True), dry_run=True)
    (box / "a.txt").write_text("x" * 100_001)
    with pytest.raises(RefusalError, match="occurs 100,001 times"):
        edit(files, "a.txt", "x", "y", replace_all=True)
    (box / "a.txt").write_text("\n" * 1_000_001)
    with pytest.raises(RefusalError, match="more than 1,000,000 lines"):
        edit(files, "a.txt", "x", "y")
    assert os.listdir(box) == ["a.txt"]  # noqa: PTH208 - hidden ones, too


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("a" * 2_000_000, "a" * 2_000 + "b"),
        ("a\n" * 200_000, "a\n" * 1_000 + "b"),
        (" " * 2_000_000 + "x", "\t" * 2_000 + "y"),
        ("1\t" * 300_000, "1\t" * 100_000 + "x"),
    ],
)
def test_looking_for_the_nearest_text_ends(files: Files, box: Path, text: str, old: str) -> None:
    (box / "a.txt").write_text(text)
    with pytest.raises(RefusalError) as caught:
        edit(files, "a.txt", old, "x")
    assert len(str(caught.value)) < 3000


def test_a_deep_tree_is_no_recursion(files: Files, box: Path) -> None:
    deep = box
    for _ in range(120):
        deep = deep / "d"
    deep.mkdir(parents=True)
    (deep / "a.txt").write_text("x")
    assert glob(files, "**/a.txt").total == 1
    assert len(grep(files, "x").matches) == 1
    for _ in range(100):
        deep = deep / "d"
    deep.mkdir(parents=True)
    with pytest.raises(RefusalError, match="folders deep"):
        grep(files, "x")


@pytest.mark.parametrize("tool", ["file_write", "append", "edit", "multi_edit"])
def test_a_hard_link_to_a_file_outside_is_not_written(
    files: Files, box: Path, outside: Path, tool: str
) -> None:
    (box / "hard").hardlink_to(outside / "secret.txt")
    with pytest.raises(RefusalError, match="hard link"):
        TOOLS[tool](files, "hard")
    check_untouched(outside)


def test_a_pipe_is_not_waited_for(files: Files, box: Path) -> None:
    os.mkfifo(box / "pipe")
    for tool in ("file_read", "file_write", "append", "edit", "multi_edit", "grep"):
        with pytest.raises(RefusalError):
            TOOLS[tool](files, "pipe")
    assert grep(files, "x").matches == []
    assert glob(files, "*").paths == []


@pytest.mark.parametrize(
    "name", ["\x1b[2J\x1b]0;owned\x07.txt", "a\nb.txt", "a\rb.txt", "\u202etxt.exe", "a\x9b31mb", "a\tb"]
)
def test_terminal_escape_sequences_in_names_are_escaped(box: Path, name: str) -> None:
    (box / name).write_text("needle")
    for number in range(101):
        (box / f"{number}.md").write_text("other")
    files = Files(box)
    (found,) = grep(files, "needle").matches
    (listed,) = glob(files, "*", exclude=[f"{number}.md" for number in range(101)]).paths
    assert found.path == listed
    assert listed.isprintable()
    with pytest.raises(RefusalError) as caught:
        read(files, f"{name}.no")
    assert str(caught.value).isprintable()
    diff = multi_edit(files, name, ("needle", "pin", False)).diff
    assert all(line.isprintable() for line in diff.split("\n"))


def test_names_that_are_no_text_are_shown_as_text(box: Path) -> None:
    files = Files(box)
    for number in range(101):
        (box / f"{number}.md").write_text("other")
    os.close(os.open(os.fsencode(box) + b"/a\xff.txt", os.O_CREAT | os.O_WRONLY))
    (box / os.fsdecode(b"a\xff.txt")).write_text("needle")
    assert glob(files, "*.txt").paths == [r"a\udcff.txt"]
    assert [each.path for each in grep(files, "needle").matches] == [r"a\udcff.txt"]


def test_no_descriptor_is_left_open(files: Files, box: Path, outside: Path) -> None:
    (box / "a.txt").write_text("secret text")
    (box / "to-folder").symlink_to(outside)
    (box / "b").mkdir()
    before = descriptors()
    for tool in TOOLS.values():
        for path in ("a.txt", "b", "b/no/way", "to-folder/secret.txt", "to-folder", "\x00", "no"):
            with suppress(RefusalError):
                tool(files, path)
    files.close()
    files.close()
    assert descriptors() <= before - 1  # the workspace's own
