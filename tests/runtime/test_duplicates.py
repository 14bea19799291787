"""No key may stand twice in one object: the comparison of colons never lets one pass."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from toolcast.runtime import ArgumentError, ToolBinding
from toolcast.runtime.bounded_json import DuplicateKeyError, find_duplicates, read_json

from generated.files.glob import GLOB
from tests.runtime.sample.files.edit import EDIT

Binding = ToolBinding[Any, Any]


class Pairs(list[tuple[str, Any]]):
    """An object as pairs, so that a name may come twice."""


# Names and strings made of what the count looks at: colons, quotes, backslashes, escapes.
_TEXT = st.text(st.sampled_from(':"\\ua03\n A{}[],é'), max_size=4)
_SCALAR = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXT
_JSON = st.recursive(
    _SCALAR,
    lambda inner: st.lists(inner, max_size=3) | st.lists(st.tuples(_TEXT, inner), max_size=4).map(Pairs),
    max_leaves=12,
)
_SPACE = st.sampled_from(["", "", " ", "\n", "\t ", "\r\n"])


@st.composite
def texts(draw: st.DrawFn, value: Any) -> str:
    """JSON for a value, with any white space and any way of escaping."""

    def string(item: str) -> str:
        written = []
        for char in item:
            how = draw(st.integers(0, 3)) if char == ":" else draw(st.integers(2, 3))
            written.append(
                {0: f"\\u{ord(char):04x}", 1: f"\\u{ord(char):04X}"}.get(how, json.dumps(char)[1:-1])
            )
        return '"' + "".join(written) + '"'

    def write(item: Any) -> str:
        space = draw(_SPACE)
        if isinstance(item, Pairs):
            inner = ",".join(f"{space}{string(name)}{space}:{space}{write(sub)}" for name, sub in item)
            return f"{{{inner}{space}}}"
        if isinstance(item, list):
            return f"[{space}{','.join(write(sub) for sub in item)}{space}]"
        return string(item) if isinstance(item, str) else json.dumps(item)

    return write(value)


def doubled(value: Any) -> bool:
    """Whether an object in it has a name twice: the plain definition."""
    if isinstance(value, Pairs):
        names = [name for name, _ in value]
        return len(set(names)) < len(names) or any(doubled(item) for _, item in value)
    return isinstance(value, list) and any(doubled(item) for item in value)


@given(st.data())
def test_plain_data_is_refused_exactly_where_a_name_comes_twice(data: st.DataObject) -> None:
    value = data.draw(_JSON)
    text = data.draw(texts(value))
    if doubled(value):
        with pytest.raises(DuplicateKeyError):
            read_json(text, unique=True)
    else:
        assert read_json(text, unique=True) == json.loads(text)


_NAMES = ("file_path", "old_string", "new_string", "replace_all", "x")


@given(st.data())
def test_a_binding_refuses_every_doubled_name(data: st.DataObject) -> None:
    edit: Binding = EDIT
    pairs = data.draw(st.lists(st.tuples(st.sampled_from(_NAMES[:3]), _TEXT), max_size=5))
    pairs += data.draw(st.lists(st.tuples(st.just("replace_all"), st.booleans()), max_size=2))
    value = Pairs(data.draw(st.permutations(pairs)))
    text = data.draw(texts(value))
    for form in (text, text.encode()):
        try:
            params = edit.decode(form)
        except ArgumentError as problem:
            repeated = {one.keyword for one in problem.violations} == {"duplicate"}
            assert repeated == doubled(value)
        else:
            assert not doubled(value)
            assert edit.decode(dict(value)) == params


@pytest.mark.parametrize(
    ("text", "path", "name"),
    [
        ('{"file_path": "a", "file_path": "a"}', "$.file_path", "file_path"),
        ('{"file_path": "a", "old_string": "b", "old_string": "d"}', "$.old_string", "old_string"),
        # The escaped colon of the value that stays makes up for the colon of the key that goes.
        (
            '{"file_path": "\\u003a", "file_path": "\\u003A", "old_string": "b", "new_string": "c"}',
            "$.file_path",
            "file_path",
        ),
        ('{"file_path": "a", "file\\u005fpath": "a"}', "$.file_path", "file_path"),
    ],
)  # fmt: skip
def test_where_and_which(edit: Binding, text: str, path: str, name: str) -> None:
    for form in (text, text.encode(), json.dumps(text)):
        with pytest.raises(ArgumentError) as caught:
            edit.decode(form)
        (violation,) = caught.value.violations
        assert (violation.path, violation.keyword, violation.expected) == (path, "duplicate", name)
        assert f"duplicate property `{name}`; send it once" in str(caught.value)


SHAPES_CALL = (
    '{"tags": ["a"], "pet": {"name": "Tom", "lives": 9}, "limits": {"unit-name": "m", "x": 1},'
    ' "tree": {"label": "r", "children": [{"label": "c"}]}}'
)


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ('"tags": ["a"]', '"tags": ["a"], "tags": ["a"]', "$.tags"),
        ('"lives": 9', '"lives": 9, "lives": 9', "$.pet.lives"),  # in a union
        ('"x": 1', '"x": 1, "x": 1', "$.limits.x"),  # among further properties
        ('"label": "c"', '"label": "c", "label": "c"', "$.tree.children[0].label"),  # in a recursive one
    ],
)
def test_inside_markers(shapes: Binding, old: str, new: str, path: str) -> None:
    assert shapes.decode(SHAPES_CALL)
    text = SHAPES_CALL.replace(old, new)
    for form in (text, text.encode()):
        with pytest.raises(ArgumentError) as caught:
            shapes.decode(form)
        assert [one.path for one in caught.value.violations] == [path]


@pytest.mark.parametrize(
    "text",
    [
        b'{"file_path": "/a", "old_string": "b", "new_string": "c", "replace_all": true, "file_path": "/a"}',
        b'{"file_path": "/a", "old_string": ":", "new_string": "c", "new_string": "c"}',
        b'{"file_path": "/a", "old_string": "\\u003a", "new_string": "c", "new_string": "c"}',
        b'{"file_path": "/a:", "old_string": "", "new_string": "c", "file_path": "/a"}',
        b'{"replace_all": true, "file_path": "/", "old_string": "", "new_string": "c", "replace_all": false}',
    ],
)
def test_escapes_and_colons_in_strings_hide_no_key(edit: Binding, text: bytes) -> None:
    for arguments in (text, text.decode()):
        for _ in range(2):
            with pytest.raises(ArgumentError, match="duplicate property"):
                edit.decode(arguments)


def test_a_default_that_is_written_makes_up_for_no_key() -> None:
    """`exclude` has a default that msgspec writes where a text lacks it: one colon more."""
    GLOB.decode(b'{"pattern": "a"}')  # its decoder is made
    for text in (b'{"pattern": "a", "pattern": "b"}', b'{"pattern": "a", "limit": 5, "pattern": "a"}'):
        with pytest.raises(ArgumentError, match="duplicate property"):
            GLOB.decode(text)


@example(3)
@given(st.integers(1, 60))
def test_findings_are_limited_and_in_order(count: int) -> None:
    text = "[" + ",".join(f'{{"n{i}": 1, "n{i}": 2}}' for i in range(count)) + "]"
    found = find_duplicates(text)
    assert found == [(f"$[{i}]", f"n{i}") for i in range(min(count, 50))]
