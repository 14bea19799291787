"""What unquoted words and numbers mean: YAML 1.2.2, chapter 10.3, not PyYAML's YAML 1.1."""

from typing import Any

import pytest

from tests.spec.helper import places, read, refuse

PLAIN: list[tuple[str, Any]] = [
    *[(word, word) for word in ("no", "NO", "yes", "on", "Off", "y", "n", "tRUE", "nULL", "None")],
    *[(word, True) for word in ("true", "True", "TRUE")],
    *[(word, False) for word in ("false", "False", "FALSE")],
    *[(word, None) for word in ("null", "Null", "NULL", "~", "")],
    ("1:30", "1:30"),
    ("190:20:30", "190:20:30"),
    ("2024-01-01", "2024-01-01"),
    ("2001-12-14t21:59:43.10-05:00", "2001-12-14t21:59:43.10-05:00"),
    ("0o17", 15),
    ("017", 17),
    ("0x1F", 31),
    ("0b11", "0b11"),
    ("1_000", "1_000"),
    ("+12", 12),
    ("-0", 0),
    ("-0x1", "-0x1"),
    ("0o8", "0o8"),
    ("0xg", "0xg"),
    ("12345678901234567890123", 12345678901234567890123),
    ("1.", 1.0),
    (".5", 0.5),
    ("-.5e-3", -0.0005),
    ("1e3", 1000.0),
    ("1e+3", 1000.0),
    ("1.5", 1.5),
    ("0.0e999", 0.0),
    ("1.2.3", "1.2.3"),
    (".", "."),
    ("+", "+"),
    ("1e", "1e"),
    ("-a", "-a"),
    ("=", "="),
    ("٣", "٣"),
    ("é", "é"),
]


@pytest.mark.parametrize(("text", "value"), PLAIN)
def test_plain_scalars(text: str, value: Any) -> None:
    data = read(f"a: {text}\n").data["a"]
    assert (type(data), data) == (type(value), value)


@pytest.mark.parametrize("text", ["no", "12", "~", "2024-01-01", ".inf", "<<", "1e999", "true"])
@pytest.mark.parametrize("style", ["'{}'", '"{}"', "|-\n  {}", ">-\n  {}", "!!str {}"])
def test_quoted_scalars_are_text(text: str, style: str) -> None:
    assert read(f"a: {style.format(text)}\n").data == {"a": text}


@pytest.mark.parametrize("word", [".inf", "-.Inf", "+.INF", ".nan", ".NaN", ".NAN"])
def test_numbers_that_json_lacks(word: str) -> None:
    assert places(refuse(f"a:\n  - {word}\n")) == [("not-a-json-number", 2, 5)]


@pytest.mark.parametrize("word", ["1e999", "-1e309", "1e-999", "9" * 1001, "0." + "1" * 1000])
def test_numbers_out_of_range(word: str) -> None:
    assert places(refuse(f"a: {word}\n")) == [("number-out-of-range", 1, 4)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("!!int 12", 12),
        ("!!int '12'", 12),
        ("!!float 1", 1.0),
        ("!!bool 'true'", True),
        ("!!null ''", None),
        ("!<tag:yaml.org,2002:str> 1", "1"),
        ("!!seq [1]", [1]),
        ("!!map {a: 1}", {"a": 1}),
    ],
)
def test_core_tags(text: str, value: Any) -> None:
    data = read(f"a: {text}\n").data["a"]
    assert (type(data), data) == (type(value), value)


@pytest.mark.parametrize(
    "tag", ["!!timestamp", "!!binary", "!!set", "!mine", "!!python/object:os.system", "!", "&x !"]
)
def test_other_tags(tag: str) -> None:
    assert places(refuse(f"a: {tag} 12\n")) == [("unknown-tag", 1, 4)]


@pytest.mark.parametrize("text", ["!!seq {}", "!!map []", "!!omap [a: 1]"])
def test_tags_of_another_kind(text: str) -> None:
    assert places(refuse(f"a: {text}\n")) == [("unknown-tag", 1, 4)]


@pytest.mark.parametrize("text", ["!!int a", "!!int 1.5", "!!bool yes", "!!float x", "!!null 0"])
def test_tag_mismatch(text: str) -> None:
    assert places(refuse(f"a: {text}\n")) == [("tag-mismatch", 1, 4)]


@pytest.mark.parametrize("char", ["\x85", "\u2028", "\u2029"])
@pytest.mark.parametrize("style", ["x{}y", "'x{}y'", '"x{}y"', "|-\n  x{}y", "[x{}y, z]"])
def test_line_separators_of_yaml_1_1_are_text(char: str, style: str) -> None:
    data = read(f"k{char}: {style.format(char)}\nz: 1\n")
    value = data.data[f"k{char}"]
    assert (value[0] if isinstance(value, list) else value) == f"x{char}y"
    assert data.locate(("z",), key=True) == (3 if "\n" in style else 2, 1)


def test_line_separator_beside_private_use_characters() -> None:
    """The stand-in for a separator must be a character that the text does not use, in any spelling."""
    text = 'a: "\ue000\\uE001\\U0000e002\u2028"\n'
    assert read(text).data == {"a": "\ue000\ue001\ue002\u2028"}


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_line_endings_do_not_matter(newline: str) -> None:
    text = "a: |\n  one\n  two\nb: >-\n  x\n  y\nc:\n- 1\n"
    document = read(text.replace("\n", newline))
    assert document.data == {"a": "one\ntwo\n", "b": "x y", "c": [1]}
    assert document.locate(("c", 0)) == (8, 3)
