"""Patterns match what Python's glob and bash's globstar match, and no pattern takes exponential time."""

import contextlib
import glob
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast_tools.workspace import PathError, Workspace
from toolcast_tools.workspace.glob_pattern import parse_glob

FILES = [
    "a", "b/a", "b/ab.py", "b/c/abc.py", "b/c/.a", "b/.h/a", ".h/b/a.py", ".ab", "a-b", "ca/c/c/c/b",
    "ca/ü", "ca/a b",
]  # fmt: skip


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("box")
    for file in FILES:
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(file)
    (root / "empty").mkdir()
    return root


@pytest.fixture(scope="module")
def workspace(box: Path) -> Iterator[Workspace]:
    with Workspace(box) as made:
        yield made


SETS = ["[ab]", "[!a]", "[a-c]", "[!b-c.]", "[]a]"]
CHARACTERS = st.sampled_from(["a", "b", "c", ".", "*", "?", "ü", "-", *SETS])
NAMES = st.one_of(
    st.lists(CHARACTERS, min_size=1, max_size=4).map("".join), st.sampled_from(["**", "*", "*.py"])
)
PATTERNS = st.tuples(st.lists(NAMES, min_size=1, max_size=4).map("/".join), st.sampled_from(["", "", "/"]))


def found(workspace: Workspace, pattern: str, hidden: bool = False) -> list[str]:
    """What matches; nothing where a folder that the pattern names does not exist."""
    try:
        return [entry.path for entry in workspace.glob(pattern, include_hidden=hidden)]
    except PathError as refused:
        if "does not exist" in str(refused) or "not a folder" in str(refused):
            return []
        raise


def steps_up(pattern: str) -> bool:
    return any(re.fullmatch(r"\.\.?", part) for part in re.split(r"[/{},]", pattern))


@given(pattern=PATTERNS.map("".join), hidden=st.booleans())
def test_a_pattern_matches_what_the_standard_library_matches(
    workspace: Workspace, box: Path, pattern: str, hidden: bool
) -> None:
    if steps_up(pattern):
        return  # Python adds `.` and `..` to what it lists
    # At the end `**` is what is below; the library adds the folder itself.
    other = re.sub(r"(^|/)\*\*(/?)$", r"\1**/*\2", pattern)
    listed = glob.glob(other, root_dir=box, recursive=True, include_hidden=hidden)  # noqa: PTH207 - the oracle
    mine = found(workspace, pattern, hidden)
    assert sorted(mine) == sorted({each.rstrip("/") for each in listed} - {""})
    assert mine == sorted(mine, key=lambda path: path.split("/"))


CHOICES = st.deferred(
    lambda: st.lists(st.one_of(NAMES, CHOICES, st.just("b/a")), min_size=2, max_size=3).map(
        lambda names: "{" + ",".join(names) + "}"
    )
)
BRACES = st.lists(st.one_of(NAMES, CHOICES, st.just("/")), min_size=1, max_size=4).map("".join)


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is the oracle")
@given(pattern=BRACES)
def test_a_pattern_with_braces_matches_what_bash_matches(
    workspace: Workspace, box: Path, pattern: str
) -> None:
    # Where a brace follows or leads a star, the choices may join into `**`, `..` or an absolute path. A lone
    # dot is the folder itself, which no pattern lists.
    if re.search(
        r"(^|[/,{])[.{}]*/|\*[{},]*\*|//|\.[{},]*\.|(^|[{,/])\.([,}/]|$)|(^|/)[{},]*\.[},]*(/|$)|-|/[,}]|\[\]",
        pattern,
    ):
        return
    shell = ["bash", "-O", "globstar", "-O", "nullglob", "-c", f'printf "%s\\0" {pattern}']
    done = subprocess.run(shell, cwd=box, capture_output=True, check=True, env={"LC_ALL": "C.UTF-8"})
    words = [word for word in done.stdout.decode().split("\0") if word]
    if not pattern.endswith("/"):  # with it stands the folder itself, for `**`
        words = [word for word in words if not word.endswith("/")]
    expected = {os.path.normpath(word) for word in words if os.path.exists(f"{box}/{word}")}  # noqa: PTH110 - a final slash counts
    assert set(found(workspace, pattern)) == expected


@pytest.mark.parametrize(
    ("pattern", "names", "others"),
    [
        ("\\*", ["*"], ["a"]),
        ("[*]", ["*"], ["a"]),
        ("a\\{b,c}", ["a{b,c}"], ["ab"]),
        ("[a\\]]", ["a", "]"], ["\\"]),
        ("[a-]", ["a", "-"], ["b"]),
        ("[^a]", ["b", "^"], ["a"]),
        ("[!^]", ["b"], ["^"]),
        ("{a}", ["a"], ["{a}"]),
        ("{a,}b", ["ab", "b"], ["a"]),
        ("a,b}", ["a,b}"], ["a"]),
        ("*&&*", ["a&&b"], ["a&b"]),
        ("[&~|#]", ["&", "~", "|", "#"], ["a"]),
        ("a\nb*", ["a\nb\nc"], ["ab"]),
        ("*.tar.*", ["x.tar.gz", "x.tar."], ["x.tar"]),
        ("*a*b*c", ["abc", "aabbcc", "acbcc"], ["abca", "bac"]),
        ("?", ["a", "ü", "\udcff"], ["", "aa"]),
    ],
)
def test_characters_and_their_escapes(pattern: str, names: list[str], others: list[str]) -> None:
    parsed = parse_glob(pattern)
    for name in names + others:
        matches, _ = parsed.step(parsed.start(), name, include_hidden=True)
        assert matches == (name in names), name


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("", "not empty"),
        ("a\0*", "zero byte"),
        ("*" * 2000, "longer than 1000 characters"),
        ("{a,b", "has '{' without '}'"),
        ("[ab", "has '[' without ']'"),
        ("[]", "has '[' without ']'"),
        ("[a/b]", "has '[' without ']'"),
        ("[", "has '[' without ']'"),
        ("[a-", "has '[' without ']'"),
        ("[z-a]", "range z-a"),
        ("[[:alpha:]]", "named class"),
        ("a\\", "backslash before no character"),
        ("*/../*", "steps upwards"),
        ("a/..", "steps upwards"),
        ("{a,b}" * 20, "too many alternatives"),
        ("{" * 20 + "a" + "}" * 20, "more than 10 levels"),
        ("{" * 900, "more than 10 levels"),
        ("{a/b/c/d/e/f/g/h,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", "too many alternatives"),
        ("../*", "outside"),
        ("/etc/*", "outside"),
        ("/*", "outside"),
    ],
)
def test_what_is_no_pattern_is_refused_in_words(workspace: Workspace, pattern: str, words: str) -> None:
    with pytest.raises(PathError, match=re.escape(words)) as caught:
        list(workspace.glob(pattern))
    assert len(str(caught.value)) < 400


@given(pattern=st.text(st.sampled_from("ab*?[]{},!-^\\/.\0\n\ud800"), max_size=30))
def test_any_text_is_a_pattern_or_refused(workspace: Workspace, pattern: str) -> None:
    with contextlib.suppress(PathError):
        for path in found(workspace, pattern):
            assert (workspace.root / path).exists()


def test_only_folders_that_can_match_are_entered(workspace: Workspace) -> None:
    locked = list(workspace.glob("b/*.py", max_entries=4))
    assert [entry.path for entry in locked] == ["b/ab.py"]
    with pytest.raises(PathError, match="more than 4"):
        list(workspace.glob("**/*.py", max_entries=4))
    entered: list[str] = []

    def skip(name: str) -> bool:
        entered.append(name)
        return False

    assert [entry.path for entry in workspace.glob("{b,ca}/a*", skip=skip)] == ["b/a", "b/ab.py", "ca/a b"]
    assert "abc.py" not in entered


def test_no_pattern_takes_exponential_time() -> None:
    program = """
from toolcast_tools.workspace.glob_pattern import parse_glob
name = "a" * 255
stars = ["*a" * 400 + "b", "*" * 900 + "b", "a*" * 100 + "?b", "*[a-b]" * 100 + "c", "{*a*a,*a*b}*a*a*a*c"]
for pattern in stars:
    parsed = parse_glob(pattern)
    assert not parsed.step(parsed.start(), name, include_hidden=False)[0]
parsed = parse_glob("**/a/" * 100 + "b")
positions = parsed.start()
for _ in range(190):
    ends, positions = parsed.step(positions, "a", include_hidden=False)
    assert not ends
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=100)
