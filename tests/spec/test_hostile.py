"""Files made to break a reader: each is refused at a place, quickly, and nothing is raised."""

import os
import pickle
from pathlib import Path

import pytest
from toolcast.spec.read_file import Kind, read_document
from toolcast.spec.spec_checker import MAX_BYTES, MAX_DEPTH, MAX_VALUES

from tests.spec.helper import places, read, refuse


def test_alias_bomb() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    [(code, line, _)] = places(refuse("\n".join(lines)))
    assert (code, line) == ("too-many-values", 5)


def test_alias_count_is_exact() -> None:
    """The root, the list, and aliases of one value each, up to the limit and one past it."""
    room = MAX_VALUES - 3
    assert len(read(f"x: &a 1\ny: [{'*a,' * room}]").data["y"]) == room
    assert refuse(f"x: &a 1\ny: [{'*a,' * (room + 1)}]")[0].code == "too-many-values"


def test_alias_cycle() -> None:
    assert places(refuse("a: &x\n  b: [*x]\n")) == [("alias-cycle", 2, 7)]
    assert places(refuse("&x [*x]")) == [("alias-cycle", 1, 5)]


def test_unknown_alias() -> None:
    assert places(refuse("a: *x\nb: *y\n")) == [("unknown-alias", 1, 4), ("unknown-alias", 2, 4)]


def test_anchor_given_twice() -> None:
    """The latest anchor above an alias wins, even one inside the other's value."""
    assert read("a: &x [&x 1, *x]\nb: *x\nc: &x 2\nd: *x\n").data == {"a": [1, 1], "b": 1, "c": 2, "d": 2}


def test_depth_through_aliases() -> None:
    half = MAX_DEPTH // 2
    text = "a: &x {}1{}\nb: {}*x{}\n"
    inner = "[" * (half - 1), "]" * (half - 1)
    fits = MAX_DEPTH - 1 - (half - 1)
    read(text.format(*inner, "[" * fits, "]" * fits))
    found = refuse(text.format(*inner, "[" * (fits + 1), "]" * (fits + 1)))
    assert places(found) == [("too-deep", 2, 4 + fits + 1)]


@pytest.mark.parametrize("kind", ["yaml", "json"])
def test_depth(kind: Kind) -> None:
    read("[" * MAX_DEPTH + "]" * MAX_DEPTH, kind)
    for deeper in (MAX_DEPTH + 1, 100_000):
        ((code, line, column),) = places(refuse("[" * deeper, kind))
        assert (code, line) == ("too-deep", 1)
        assert column in (MAX_DEPTH + 1, 1001), "libyaml from 0.2.6 on refuses 1,000 levels by itself"
        assert places(refuse('{"a":' * deeper, kind))[0][0] in ("too-deep", "syntax")


def test_depth_of_block_text() -> None:
    assert refuse("- " * 5000)[0].code == "too-deep"
    assert refuse("? " * 5000)[0].code == "too-deep"


@pytest.mark.parametrize("kind", ["yaml", "json"])
def test_values(kind: Kind) -> None:
    assert len(read(f"[{','.join('1' * (MAX_VALUES - 1))}]", kind).data) == MAX_VALUES - 1
    found = refuse(f"[\n{','.join('1' * MAX_VALUES)}]", kind)
    assert places(found) == [("too-many-values", 2, 2 * MAX_VALUES - 1)]


@pytest.mark.parametrize("kind", ["yaml", "json"])
def test_size(kind: Kind) -> None:
    text = '"' + "x" * (MAX_BYTES - 2) + '"'
    assert len(read(text, kind).data) == MAX_BYTES - 2
    assert places(refuse(text + " ", kind)) == [("too-large", 0, 0)]


@pytest.mark.parametrize("kind", ["yaml", "json"])
def test_invalid_utf_8(kind: Kind) -> None:
    assert places(refuse(b'["\xc3\xa9",\r\n "\xff"]', kind)) == [("not-utf-8", 2, 3)]
    assert places(refuse(b"\xff\xfe[\x00]\x00", kind)) == [("not-utf-8", 1, 1)]
    assert places(refuse(b'"\xed\xa0\x80"', kind)) == [("not-utf-8", 1, 2)]  # an encoded surrogate


@pytest.mark.parametrize("kind", ["yaml", "json"])
def test_byte_order_mark(kind: Kind) -> None:
    document = read(b'\xef\xbb\xbf{"a": 1}', kind)
    assert (document.data, document.locate(("a",))) == ({"a": 1}, (1, 7))


@pytest.mark.parametrize("char", ["\0", "\x07", "\x1b", "\x7f", "\x9f", "\ufffe"])
def test_raw_control_characters_in_yaml(char: str) -> None:
    assert places(refuse(f"a: 'é😀'\nb: x{char}")) == [("control-character", 2, 5)]
    assert places(refuse("- 1\n" * 20_000 + char)) == [("control-character", 20_001, 1)]


@pytest.mark.parametrize("kind", ["yaml", "json"])
def test_escaped_control_characters_are_text(kind: Kind) -> None:
    assert read(r'["\u0000\u0007\u007f\u2028"]', kind).data == ["\0\x07\x7f\u2028"]


@pytest.mark.parametrize(
    ("text", "column"),
    [
        (r'["\ud800"]', 3),
        (r'["a\udc00"]', 4),
        (r'["\ud83d\ude00\ud83d"]', 15),
        (r'["\ud83dx\ude00"]', 3),
        (r'["\\ud800\uDBFF"]', 10),
    ],
)
def test_lone_surrogates(text: str, column: int) -> None:
    assert places(refuse(text, "json"))[0] == ("lone-surrogate", 1, column)
    assert refuse(text, "yaml")[0].code == "syntax"


def test_surrogate_pairs_in_json() -> None:
    assert read(r'["\ud83d\ude00", "\\ud800"]', "json").data == ["😀", "\\ud800"]


def test_many_duplicate_keys() -> None:
    assert len(refuse("a: 1\n" * 20_000)) == 19_999


def test_unreadable_files(tmp_path: Path) -> None:
    fifo = tmp_path / "pipe.yaml"
    os.mkfifo(fifo)
    for file in (tmp_path / "none.yaml", tmp_path, fifo, tmp_path / "a\0b.yaml"):
        found = read_document(file, "shown.yaml")
        assert isinstance(found, tuple)
        assert [(each.file, each.code) for each in found] == [("shown.yaml", "cannot-read")]


def test_kind_by_suffix(tmp_path: Path) -> None:
    for name in ("a.json", "a.yaml"):
        (tmp_path / name).write_text("a: 1")
    assert isinstance(read_document(tmp_path / "a.json", "a"), tuple)
    assert not isinstance(read_document(tmp_path / "a.yaml", "a"), tuple)


def test_documents_can_be_sent_to_workers() -> None:
    copy = pickle.loads(pickle.dumps(read("a: 1\nb: 2")))
    assert (copy.file, copy.data, copy.locate(("b",))) == ("s", {"a": 1, "b": 2}, (2, 4))
