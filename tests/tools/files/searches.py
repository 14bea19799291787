"""Trees and patterns for searches, and simple oracles of what they find."""

import re
from pathlib import Path

from hypothesis import strategies as st

NAMES = st.sampled_from(["a.py", "b.py", "c.md", ".hidden", "Makefile", "d.txt", "e f.rs", "ü.py"])
FOLDERS = st.sampled_from(["", "src/", "src/deep/", ".git/", "node_modules/x/", ".github/", "src/.venv/"])
PIECES = st.sampled_from(
    [
        "a",
        "b",
        "A",
        "foo",
        "Foo bar",
        "k",
        " ",
        "_",
        "1",
        "é",
        "É",
        "ß",
        "ſ",
        "K",
        "日",
        "\n",
        "\r\n",
        "\r",
        "\t",
        "\n\n",
        "foo\n",
        "\x0b",
        "\u2028",
        "x" * 30,
        "-",
        ".",
        "{",
    ]
)
TEXT = st.lists(PIECES, max_size=12).map("".join)
CONTENT = st.one_of(
    TEXT.map(str.encode),
    TEXT.map(str.encode),
    TEXT.map(lambda text: b"\xef\xbb\xbf" + text.encode()),
    TEXT.map(lambda text: b"\xff\xfe" + text.encode("utf-16-le")),
    TEXT.map(lambda text: b"\xfe\xff" + text.encode("utf-16-be")),
    st.tuples(TEXT, st.sampled_from([b"\0", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xff\xfea"]), TEXT).map(
        lambda parts: parts[0].encode() + parts[1] + parts[2].encode()
    ),
)
TREES = st.dictionaries(st.tuples(FOLDERS, NAMES).map("".join), CONTENT, max_size=8)

_ATOMS = st.sampled_from(
    [
        "a", "b", "k", "s", "foo", "Foo", "é", "ß", "日", ".", r"\w", r"\W", r"\d", r"\D", r"\s", r"\S",
        r"\b", r"\B", "^", "$", "[ab]", "[^a]", "[a-z]", r"[^\w]", r"[\s_]", "[[:alpha:]]", r"\.", r"\{",
        "{", " ", "x", r"\x61", r"\pL", r"\p{Lu}", r"\P{L}", r"[^\n]", r"\t", r"\x{e9}", "(?i:a)", "(?s:.)",
        "()", "[É-ê]", "-", "_",
    ]
)  # fmt: skip


def patterns() -> st.SearchStrategy[str]:
    return st.recursive(_ATOMS, _combined, max_leaves=6)


def _combined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    counts = st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{0,}", "*?", "+?"])
    return st.one_of(
        st.lists(inner, min_size=2, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=2).map("|".join),
        st.tuples(st.sampled_from(["(", "(?:", "(?P<n>", "(?i:", "(?-i:"]), inner).map(
            lambda parts: "".join(parts) + ")"
        ),
        st.tuples(inner, counts).map(lambda parts: f"(?:{parts[0]}){parts[1]}"),
    )


def make_tree(root: Path, tree: dict[str, bytes]) -> None:
    """Write the files of a tree; its folders are there also without one."""
    (root / "src/deep").mkdir(parents=True, exist_ok=True)
    for path, content in tree.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)


def lines_of(content: bytes) -> list[str]:
    """The lines of a file in UTF-8, as an editor counts them; none where it is binary."""
    text = content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    if "\0" in text or not text:
        return []
    *ended, last = text.split("\n")
    return [*(line.removesuffix("\r") for line in ended), *([last] if last else [])]


def matching_lines(pattern: str, content: bytes, ignore_case: bool) -> list[tuple[int, str]]:
    """The numbered lines in which `re` finds a pattern."""
    expression = re.compile(pattern, re.ASCII | (re.IGNORECASE if ignore_case else 0))
    return [pair for pair in enumerate(lines_of(content), 1) if expression.search(pair[1])]
