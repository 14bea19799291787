"""Laws of the readers over generated data and generated text."""

import json
from collections.abc import Iterator
from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st
from toolcast.spec.json_reader import parse_json, scan_json
from toolcast.spec.parsed_document import Path
from toolcast.spec.read_file import Kind, SourceDocument, parse_document
from toolcast.spec.spec_checker import Limits

from tests.spec.helper import read

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(
    ["no", "12", "~", "<<", "a: b", "# x", "1e5", "*x", "\u2028", "\x85", "'", '"', "\\", "{", "😀"]
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
DATA = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=15,
)
# Pieces that meet often in broken files find more than random letters do.
_SIGNS = [*"{}[]:,-?&*!|>%@`'\"\\#\n\t \r\0", "- ", ": ", "&a ", "*a", "<<", "!!int ", "...", "---\n"]
_WORDS = ["a", "1", "1e9", "null", "true", "NaN", "é", '"a"', "\\u", "d800", "//", "\u2028", "\ufeff"]
PIECES = st.sampled_from([*_SIGNS, *_WORDS, "%YAML 1.2\n"])
SOUP = st.lists(PIECES, max_size=25).map("".join) | st.text(max_size=40)


def paths(data: Any, at: Path = ()) -> Iterator[tuple[Path, Any]]:
    yield at, data
    entries = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for step, value in entries:
        yield from paths(value, (*at, step))


def text_at(text: str, line: int, column: int) -> str:
    """The text from `line` and `column` (from 1) on, with lines as JSON text has them."""
    return "\n".join(text.split("\n")[line - 1 :])[column - 1 :]


@given(DATA, st.sampled_from([None, 1, 4]))
def test_json_positions_point_at_each_value(data: Any, indent: int | None) -> None:
    text = json.dumps(data, indent=indent, ensure_ascii=False)
    document = read(text, "json")
    assert document.data == data
    decoder = json.JSONDecoder()
    for path, value in paths(data):
        assert decoder.raw_decode(text_at(text, *document.locate(path)))[0] == value
        if path and isinstance(path[-1], str):
            assert decoder.raw_decode(text_at(text, *document.locate(path, key=True)))[0] == path[-1]


@given(DATA, st.sampled_from([None, 1, 4]))
def test_yaml_positions_of_flow_text(data: Any, indent: int | None) -> None:
    """JSON text is YAML text, so the same oracle serves; escapes keep raw control characters out."""
    text = escape_astral(json.dumps(data, indent=indent, ensure_ascii=False))
    document = read(text)
    assert document.data == data
    decoder = json.JSONDecoder()
    for path, value in paths(data):
        here = text_at(text, *document.locate(path))
        assert decoder.raw_decode(here)[0] == value
        if path and isinstance(path[-1], str):
            assert decoder.raw_decode(text_at(text, *document.locate(path, key=True)))[0] == path[-1]


def escape_astral(text: str) -> str:
    """Spell what YAML refuses raw as an escape that both formats know."""
    return "".join(
        f"\\u{ord(c):04x}" if 0x7E < ord(c) < 0xA0 or c in "\ufeff\ufffe\uffff" else c for c in text
    )


@given(DATA, st.booleans(), st.sampled_from([None, True, False]))
def test_yaml_positions_of_block_text(data: Any, allow_unicode: bool, flow: bool | None) -> None:
    """Quoted by PyYAML's emitter; the oracle is PyYAML's own composer with its node marks."""
    text = yaml.dump(
        data, Dumper=Quoting, allow_unicode=allow_unicode, default_flow_style=flow, sort_keys=False, width=60
    )
    document = parse_document(text.encode(), "s", "yaml")
    assert isinstance(document, SourceDocument), (text, document)
    assert document.data == data
    for path, (line, column) in node_places(yaml.compose(text, Loader=yaml.SafeLoader)):
        assert document.locate(path) == (line, column)


class Quoting(yaml.SafeDumper):
    """Quotes every text, so that nothing rests on YAML 1.1's idea of what needs quotes."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002  (PyYAML's signature)
        return True


def _quoted(dumper: Quoting, text: str) -> yaml.Node:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"')


def _json_number(dumper: Quoting, number: float) -> yaml.Node:
    return dumper.represent_scalar("tag:yaml.org,2002:float", json.dumps(number))


Quoting.add_representer(str, _quoted)
Quoting.add_representer(float, _json_number)


def node_places(node: Any, at: Path = ()) -> Iterator[tuple[Path, tuple[int, int]]]:
    yield at, (node.start_mark.line + 1, node.start_mark.column + 1)
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from node_places(value, (*at, key.value))
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            yield from node_places(value, (*at, index))


@given(DATA)
def test_same_data_from_both_formats(data: Any) -> None:
    as_json = read(json.dumps(data), "json").data
    as_yaml = read(yaml.dump(data, Dumper=Quoting, sort_keys=False)).data
    assert json.dumps(as_json) == json.dumps(as_yaml)  # order and types of numbers, too


@given(SOUP, st.sampled_from(["yaml", "json"]))
def test_any_text_is_read_or_refused_at_a_place(text: str, kind: Kind) -> None:
    check(text.encode(errors="replace"), kind)


@given(st.binary(max_size=30), st.sampled_from(["yaml", "json"]))
def test_any_bytes_are_read_or_refused_at_a_place(data: bytes, kind: Kind) -> None:
    check(data, kind)


def check(data: bytes, kind: Kind) -> None:
    result = parse_document(data, "s", kind)
    if isinstance(result, SourceDocument):
        assert json.loads(json.dumps(result.data)) == result.data
        for path, _ in paths(result.data):
            line, column = result.locate(path)
            assert line >= 1
            assert column >= 1
    else:
        assert result
        assert all(each.line >= 1 and each.column >= 1 and each.message for each in result)


@given(SOUP)
def test_json_accepts_what_the_standard_library_accepts(text: str) -> None:
    """Apart from what is refused by name, the scan and Python's own parser agree on what JSON is."""
    problems, _ = scan_json(text)
    codes = {each.code for each in problems}
    try:
        json.loads(text)
        accepted = True
    except ValueError:
        accepted = False
    if accepted:
        assert codes <= {"duplicate-key", "not-a-json-number", "lone-surrogate", "number-out-of-range"}
    else:
        assert codes & {"syntax", "control-character", "empty-document", "not-a-json-number"}


LIMITS = st.builds(Limits, depth=st.integers(1, 4), values=st.integers(1, 12), lone_surrogates=st.booleans())


@given(st.one_of(SOUP, DATA.map(json.dumps), DATA.map(lambda data: json.dumps([data, "\ud800"]))), LIMITS)
def test_json_is_decoded_exactly_where_the_scan_finds_no_problem(text: str, limits: Limits) -> None:
    data, problems = parse_json(text, limits)
    assert problems == scan_json(text, limits)[0]
    if any(problem.code != "duplicate-key" for problem in problems):
        assert data is None
    else:
        assert data == json.loads(text, object_pairs_hook=lambda pairs: dict(reversed(pairs)))
