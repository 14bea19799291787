"""Texts that are not JSON: read as what was written, or refused."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from toolcast.providers import decode
from toolcast.runtime import ArgumentError, Guesses
from toolcast.runtime.repairs.json_text import strict_tokens
from toolcast.runtime.repairs.texts import MAX_TEXT

from tests.counting import grows_linearly

ANYTHING = '{"type": "object"}'
NESTED = json.dumps(
    {
        "type": "object",
        "required": ["a"],
        "properties": {
            "a": {"type": "object", "properties": {"b": {"type": "integer"}, "c": {"type": "integer"}}},
            "c": {"type": "integer"},
        },
    }
)
EVERY = Guesses(["cut-value", *Guesses("all").allow])


def read(text: str, schema: str = ANYTHING, guesses: Guesses = EVERY) -> Any:
    """What `text` is read as; None where it is refused."""
    try:
        return decode(text, "mcp", schema=schema, guesses=guesses)
    except ArgumentError:
        return None


WORDS = st.text("\a\x1b\xa0abc xyz,:'\"{}[]()/#\\\n\t`é🙂.-_0123", max_size=8)
NAMES = st.from_regex(r"[a-z_][a-z0-9_]{0,5}", fullmatch=True).filter(
    lambda name: name not in ("true", "false", "null", "none")
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**6), 10**6)
    | st.floats(-1e3, 1e3).map(lambda x: round(x, 3))
    | WORDS
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES | WORDS, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(NAMES, VALUES, min_size=1, max_size=3)


def pieces(value: Any) -> list[str]:
    """The JSON of `value`, token by token."""
    text = json.dumps(value, ensure_ascii=False)
    return [token.json for token in strict_tokens(text, 0, len(text)).tokens]


def damaged(value: Any, draw: Callable[[Any], Any], where: Callable[[str], bool], put: str | None) -> str:
    """The JSON of `value` with a token left out (`put` is None), or with `put` before it."""
    tokens = pieces(value)
    places = [at for at, token in enumerate(tokens) if where(token)]
    assume(places)
    at = draw(st.sampled_from(places))
    tokens[at : at + 1] = [] if put is None else [put, tokens[at]]
    return " ".join(tokens)


def in_single_quotes(value: Any) -> str:
    """As JavaScript writes it."""
    if isinstance(value, str):
        body = json.dumps(value, ensure_ascii=False)[1:-1].replace('\\"', '"').replace("'", "\\'")
        return f"'{body}'"
    if isinstance(value, list):
        return f"[{', '.join(map(in_single_quotes, value))}]"
    if isinstance(value, dict):
        members = (f"{in_single_quotes(name)}: {in_single_quotes(item)}" for name, item in value.items())
        return f"{{{', '.join(members)}}}"
    return json.dumps(value)


def with_bare_keys(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(with_bare_keys, value))}]"
    if isinstance(value, dict):
        members = (
            f"{name if name.isidentifier() else json.dumps(name)}: {with_bare_keys(item)}"
            for name, item in value.items()
        )
        return f"{{{', '.join(members)}}}"
    return json.dumps(value)


def with_comments(value: Any, draw: Callable[[Any], Any]) -> str:
    comment = st.sampled_from(["/* one, [two] */", '// "three": {\n', "# four }\n", " "])
    return " ".join(part for token in pieces(value) for part in (draw(comment), token))


def with_raw_newlines(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\\n", "\n").replace("\\t", "\t")


FAULTS: dict[str, Callable[[Any, Callable[[Any], Any]], str]] = {
    "trailing comma": lambda value, draw: damaged(value, draw, lambda token: token in "}]", ","),
    "missing comma": lambda value, draw: damaged(value, draw, lambda token: token == ",", None),
    "missing colon": lambda value, draw: damaged(value, draw, lambda token: token == ":", None),
    "missing bracket": lambda value, draw: damaged(value, draw, lambda token: token in "}]", None),
    "surplus brace": lambda value, draw: damaged(value, draw, lambda _: True, "}"),
    "surplus bracket": lambda value, draw: damaged(value, draw, lambda _: True, "]"),
    "bracket at the end": lambda value, _: json.dumps(value) + "}",
    "single quotes": lambda value, _: in_single_quotes(value),
    "Python": lambda value, _: repr(value),
    "unquoted keys": lambda value, _: with_bare_keys(value),
    "comments": with_comments,
    "raw newlines": lambda value, _: with_raw_newlines(value),
    "fence": lambda value, _: f"```json\n{json.dumps(value)}\n```",
    "prose": lambda value, _: f"Here it is: {json.dumps(value, indent=1)}\nShall I go on?",
    "prose and fence": lambda value, _: f"Here it is:\n```json\n{json.dumps(value)}\n```\nDone.",
}


@pytest.mark.parametrize("fault", FAULTS)
@given(value=OBJECTS, data=st.data())
def test_a_damaged_text_is_read_as_it_was_meant_or_refused(
    fault: str, value: Any, data: st.DataObject
) -> None:
    text = FAULTS[fault](value, data.draw)
    found = read(text)
    assert found is None or json.dumps(found) == json.dumps(value)


def test_a_comma_behind_a_bracket_may_lack_the_closing_one() -> None:
    assert read('{"_": {"": {, "_": null}}') == {"_": {"": {}, "_": None}}
    assert read('{"a": {, "b": 1}}') == {"a": {"b": 1}}


def sloppy(value: Any, draw: Callable[[Any], Any], key: bool = False) -> str:
    """JSON with several faults at once, none of which takes anything away."""
    gap = draw(st.sampled_from(["", " ", "\n", "/* c, */", "// d: 1\n", "# }\n"]))
    if isinstance(value, str):
        if key and value.isidentifier() and draw(st.booleans()):
            return gap + value
        ways = (json.dumps, in_single_quotes, with_raw_newlines, repr)
        return gap + draw(st.sampled_from(ways))(value)
    if isinstance(value, (list, dict)):
        inner = (
            [sloppy(item, draw) for item in value]
            if isinstance(value, list)
            else [f"{sloppy(name, draw, True)}:{sloppy(item, draw)}" for name, item in value.items()]
        )
        marks = "[]" if isinstance(value, list) else "{}"
        last = draw(st.sampled_from(["", ","])) if inner else ""
        return f"{gap}{marks[0]}{','.join(inner)}{last}{gap}{marks[1]}"
    return gap + draw(st.sampled_from((json.dumps, repr)))(value)


@given(value=OBJECTS, data=st.data())
def test_several_faults_at_once_are_read_as_they_were_meant_or_refused(
    value: Any, data: st.DataObject
) -> None:
    around = data.draw(st.sampled_from(["{}", "```json\n{}\n```", "Here it is: {} Done.", "{}}}", "{}]"]))
    found = read(around.format(sloppy(value, data.draw)))
    assert found is None or json.dumps(found) == json.dumps(value)


MENDED = (
    "trailing comma",
    "missing comma",
    "unquoted keys",
    "raw newlines",
    "fence",
    "prose",
    "single quotes",
    "Python",
)
PLAIN_VALUE = {
    "path": "/tmp/a b.txt",
    "tags": ["x", "y"],
    "n": 5,
    "dry": True,
    "note": None,
    "text": "a\nb\tc",
}


@pytest.mark.parametrize("fault", MENDED)
@given(data=st.data())
def test_a_plain_value_is_not_refused(fault: str, data: st.DataObject) -> None:
    assert read(FAULTS[fault](PLAIN_VALUE, data.draw)) == PLAIN_VALUE


@pytest.mark.parametrize(
    ("text", "one", "other"),
    [
        ('{"a": {"b": 1, "c": 2}', {"a": {"b": 1, "c": 2}}, {"a": {"b": 1}, "c": 2}),
        ('{"a": {"b": 1}, "c": 2}}', {"a": {"b": 1}, "c": 2}, {"a": {"b": 1, "c": 2}}),
    ],
)
def test_two_readings_that_fit_are_refused_and_named(text: str, one: Any, other: Any) -> None:
    with pytest.raises(ArgumentError) as caught:
        decode(text, "mcp", schema=NESTED, guesses=EVERY)
    assert "They can be read in two ways" in str(caught.value)
    for reading in (one, other):
        assert json.dumps(reading, separators=(",", ":")) in str(caught.value)
        closed = {
            "type": "object",
            "required": list(reading),
            "maxProperties": len(reading),
            "properties": {"a": {"const": reading["a"]}},
        }
        assert read(text, json.dumps(closed)) == reading


@pytest.mark.parametrize(
    "text",
    [
        '{"a": }',  # nothing is there
        '{"a": , "b": 1}',
        '{"a": 1, ...}',
        '{"a": [1, 2, ...]}',
        '{"a": [1, , 2]}',
        '{"a": 1, "a": 2,}',  # a property twice
        "{'a': 1, 'a': 2}",
        '{"a": 1} {"b": 2}',  # two objects
        '{"a": 1}\n{"a": 2}',
        '{"a": 1}, {"b": 2}',
        'First {"a": 1}, then [2]',
        '{"a": "x" junk, "b": 1}',
        '{"a": 1, JUNK "b": 1}',
        '{"a": [1, 2',  # cut after a comma, or in the middle of nothing
        '{"a": [1,',
        '{"a": {"b":',
        '{"a": ["x", "y',
        '{"a": {',
        '{"a": "x" // , "b": {}}',  # where does the comment end?
        '{"employees": ["John", {"n": 1}, "Pet',
        '{"a": 1e }',
        '{"a": 0x10}',
        '{"a": NaN}',
        '{"a": 1_}',
        '{"a": (1, 2}',
        '{"a": "b\\',
        '"a": {"b": 1}',  # an object without its braces
        '"x": 1, "a": {"b": 1}',
        'x: 5, a: {"b": 1}',
        '{"a": 1} b: true',
        "{'a': 1} 'b': 2",
        '{"a": "C:\\Users\\bob"}',  # a backspace, or not
        '{"a": "C:\\Users\\\\bob"}',
        "{'a': '\\x41'}",  # Python's A, or not
        "{'a': '\\101'}",
        "{'a': 'b\\\nc'}",
        '{"a": [""/* b */]}',  # the library's readings: `/* b */`, `null// b`
        '{"a": b// c\n}',
        '{"a": ["b", "some"one with quotes"]}',  # one item, or two
        '{"a": ["b" c" ]}',
        '{"a": ["b +\\n " c"]}',
        "{'a': 'x: 'b' + 'c', d'}",  # code in a string, or an expression
        '{"a": "x = "b" + "c""}',
        '{"a": \'b\' + "c"}',
        '{"a: 1, "b": 2}',  # a member, or a name with a quote
        '{"a": "b\\n"c": 1}',
        "{‘a’: ‘it’s’}",
        "{`a´: ‘b`}",
        '{"a": [, 1]}',  # the first item may be missing
        '{"a": """b"""}',  # three quotes are no two strings, nor an empty one
        '{"a": ["""b"""]}',
        """{"a": '''b'''}""",
        '{"a" “# b”',
        """{"a": ['it's']}""",  # an apostrophe ends no string
        "no JSON at all",
        "```\nno\n```",
        "",
        "\ufeff",
        "[" * 1000,
    ],
)
def test_what_is_not_there_is_not_invented_and_nothing_is_dropped(text: str) -> None:
    found = read(text, guesses=Guesses("all"))
    assert not found
    if found is not None:
        assert not text.strip()  # blank text means no arguments


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": "b c', {"a": "b c"}),
        ('{"a": ["b"], "c": "New York', {"a": ["b"], "c": "New York"}),
        ('{"a": [1, 25', {"a": [1, 25]}),
        ('{"a": "b}', {"a": "b"}),
        ('{"a": New', {"a": "New"}),
    ],
)
def test_a_cut_value_counts_only_where_it_is_asked_for(text: str, value: Any) -> None:
    assert read(text, guesses=Guesses("all")) is None
    assert read(text) == value


@pytest.mark.parametrize("text", ['{a:"b,c,}', '{"a": "b +}', "{`a´: `b", '{\\"a\\": \\"b\\", c'])
def test_a_cut_string_that_may_have_ended_before_is_refused(text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize(
    ("text", "value", "guess", "before"),
    [
        ("{\"a\": 'b' +\n 'c', \"d\": [1,]}", {"a": "bc", "d": [1]}, "python-literals", "'b' +\n 'c'"),
        ('{"a": "b" + /* x */ "c" + "d"}', {"a": "bcd"}, "python-literals", '"b" + /* x */ "c" + "d"'),
        ("{`a´:1}", {"a": 1}, "typographic-quotes", "`a´"),
        ("{‘a’:1}", {"a": 1}, "typographic-quotes", "‘a’"),
        ('{"a":\u00a0"b\u00a0c"}', {"a": "b\u00a0c"}, "blanks", "\u00a0"),
        ('{, "a": 1}', {"a": 1}, "trailing-comma", ","),
        ('{"a": 1},\n', {"a": 1}, "trailing-comma", ","),
        ('{"a": [{}\n{}]}', {"a": [{}, {}]}, "missing-comma", ""),
        (
            '{"a": https://b.example/c}',
            {"a": "https://b.example/c"},
            "unquoted-values",
            "https://b.example/c",
        ),
        ('{"a":"b\\u20', {"a": "b"}, "cut-value", "\\u20"),
    ],
)
def test_a_reading_is_told_as_it_stands_in_the_text(text: str, value: Any, guess: Any, before: str) -> None:
    guesses = EVERY.recorded()
    assert read(text, guesses=guesses) == value
    made = [each for each in guesses.repairs() if each.guess == guess and each.before == before]
    assert made
    for each in guesses.repairs():
        assert each.offset is not None
        assert text.startswith(each.before, each.offset), each
    without = Guesses(EVERY.allow - {guess})
    assert read(text, guesses=without) is None


KEEPING = Guesses(EVERY.allow - {"prose", "fence", "comments"})
LETTERS = st.recursive(
    st.text("ab ", max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
    max_leaves=6,
)


@given(
    value=st.dictionaries(st.text("ab", min_size=1, max_size=2), LETTERS, min_size=1, max_size=3),
    changes=st.lists(
        st.tuples(st.integers(0, 200), st.integers(0, 2), st.sampled_from(list("{}[](),:'\"`a \n"))),
        min_size=1,
        max_size=4,
    ),
)
def test_every_letter_is_kept(value: Any, changes: list[tuple[int, int, str]]) -> None:
    text = json.dumps(value)
    for at, width, put in changes:
        at %= len(text) + 1
        text = text[:at] + put + text[at + width :]
    found = read(text, guesses=KEEPING)
    if found is not None and not is_json(text):
        written = [char for char in text if char in "ab"]
        assert [char for char in json.dumps(found) if char in "ab"] == written


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@given(st.text(st.sampled_from(list("{}[](),:'\"`/*#\\ \nabtTN10.-_")) | st.characters(), max_size=60))
@example('{"a": "\\ud800"}')
@example("{'a': '\\ud83d\\ude00'}")
@example('{"a": 1e999,}')
@example("{a: " + "9" * 5000 + "}")
@example('{"a": (((1)))}')
def test_no_text_raises(text: str) -> None:
    found = read(text)
    assert found is None or isinstance(found, dict)


HOSTILE: dict[str, Callable[[int], str]] = {
    "open brackets": lambda n: "[" * n,
    "open braces": lambda n: '{"a":' * n,
    "parentheses": lambda n: "{a:" + "(" * n,
    "pairs": lambda n: '{"a": ' + "[]" * n,
    "closing": lambda n: '{"a": 1' + "}" * n,
    "mixed closing": lambda n: '{"a": [' + "]}" * n,
    "members": lambda n: '{"a": {' + '"b": 1, ' * n + '"c": 2}',
    "nested members": lambda n: "{" + '"a": {"b": 1}, ' * n + '"c": {"d": 1',
    "items": lambda n: '{"a": [' + "[1, 2], " * n + "3",
    "quotes": lambda n: '{"a": ' + '"' * n,
    "inner quotes": lambda n: '{"a": "' + 'x" ' * n + '"}',
    "apostrophes": lambda n: "{'a': '" + "it's " * n + "'}",
    "backslashes": lambda n: '{"a": "' + "\\" * n,
    "comments": lambda n: "{" + "/*" * n + "}",
    "line comments": lambda n: "{" + "# x\n" * n + "}",
    "fences": lambda n: "```" * n + '{"a": 1,}',
    "blanks": lambda n: "{'a': 1" + " \n" * n + "}" + " " * n,
    "bare words": lambda n: "{a: " + "b " * n + "}",
    "expressions": lambda n: '{"a": ' + '"b" + ' * n + "}",
    "expressions and comments": lambda n: '{"a": "' + '" /* + */ ' * n + '"}',
    "other quotes": lambda n: "{‘a’: ‘" + "b’ " * n + "}",
    "cut escapes": lambda n: '{"a": "' + "\\\\" * n + "\\u",
    "commas": lambda n: '{"a": [1' + "," * n + "]}",
    "no commas": lambda n: '{"a": [' + '"x" ' * n + "]}",
    "prose": lambda n: "word (x) " * n + '{"a": 1,}' + " word" * n,
}


@pytest.mark.parametrize("family", HOSTILE)
def test_hostile_texts_take_linear_work(family: str) -> None:
    def work(times: int) -> Callable[[], Any]:
        text = HOSTILE[family](80 * times)
        return lambda: read(text)

    assert grows_linearly(work)


def test_long_and_deep_texts_are_left_alone() -> None:
    assert read('{"a": "' + "x" * MAX_TEXT + '",}') is None
    assert read('{"a": ' + "[" * 60 + "]" * 60 + ",}") is None


def test_every_guess_that_a_reading_takes_must_be_allowed() -> None:
    text = "{'a': 1,}"
    assert read(text, guesses=Guesses(["single-quotes", "trailing-comma"])) == {"a": 1}
    assert read(text, guesses=Guesses(["single-quotes"])) is None
    assert read(text, guesses=Guesses(["trailing-comma"])) is None


def test_one_word_before_an_object_may_be_its_name() -> None:
    inner = {"type": "object", "required": ["b"], "properties": {"b": {"type": "integer"}}}
    assert read('a: {"b": 1}', json.dumps(inner | {"additionalProperties": False})) == {"b": 1}
    either = {"anyOf": [inner, {"type": "object", "required": ["a"], "properties": {"a": inner}}]}
    assert read('a: {"b": 1}', json.dumps(either)) is None
    assert read('The a: {"b": 1}', json.dumps(either)) == {"b": 1}


def test_backslashes_that_escape_nothing_are_kept() -> None:
    assert read('{"a": "C:\\Users\\Xaver"}') == {"a": "C:\\Users\\Xaver"}
    assert read('{"a": "^\\s*\\(a|b\\)"}') == {"a": "^\\s*\\(a|b\\)"}


def test_a_number_without_quotes_is_no_string() -> None:
    schema = {"type": "object", "properties": {"b": {"type": "integer"}}}
    text = '{"b":0,a:[]}'  # the library reads "0"
    assert read(text, json.dumps(schema)) == {"b": 0, "a": []}
    assert read(text) is None
    assert read(text, json.dumps({"type": "object", "properties": {"b": {"type": "string"}}})) in (
        None,
        {"b": "0", "a": []},  # as `number-to-string` has it
    )


MIDDLE = '{"a": [{"b": 1], "c": 2}'


def test_brackets_before_the_end_need_two_opinions() -> None:
    assert read(MIDDLE) == {"a": [{"b": 1}], "c": 2}
    # The library merges the arrays; moving one bracket is another reading, and the contract takes both.
    text = '{"key": ["a"], ["b"], "other": 1}'
    assert read(text) is None
    assert read(text, json.dumps({"properties": {"key": {"items": {"type": "string"}}}})) is None


def test_without_the_library_the_error_tells_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "json_repair", None)
    with pytest.raises(ArgumentError, match=r"pip install 'toolcast\[repair\]'"):
        decode("{'a': 1}", "mcp", schema=ANYTHING, guesses=EVERY)
    for text in ('{"a": 1,}', '{"a": 1', '{"a": 1}}', '```\n{"a": 1}\n```', 'So it is {"a": 1}', '{"a" 1}'):
        assert read(text) == {"a": 1}
    assert read('{"a": 1 "b": 2}') == {"a": 1, "b": 2}
    with pytest.raises(ArgumentError, match="pip install"):
        decode(MIDDLE, "mcp", schema=ANYTHING, guesses=EVERY)
    used = Guesses(["fence"])
    for text in ('{"a": 1,}', "{'a': 1}"):
        with pytest.raises(ArgumentError, match="not valid JSON") as caught:
            decode(text, "mcp", schema=ANYTHING, guesses=used)
        assert "pip" not in str(caught.value)
