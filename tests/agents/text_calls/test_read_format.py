"""A format's file is read, or refused with everything that is wrong with it."""

import pickle
from pathlib import Path

import pytest
from toolcast.agents.text_calls import (
    FormatError,
    TextFormat,
    check_format,
    known_formats,
    parse,
    read_format,
)
from toolcast.text_formats.text_format import CallForm

HEAD = 'id = "acme"\ntitle = "Acme"\n'
CALL = f'{HEAD}[[calls]]\nopen = ["<call:{{name}}>"]\nclose = ["</call>"]\ncontent = "json-arguments"\n'


def problems(folder: Path, text: str) -> list[tuple[int, str, str]]:
    """Line, code, and message with hint of each problem of a file."""
    file = folder / "acme.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        read_format(file)
    for each in caught.value.diagnostics:
        assert f"{file}:{each.line}:{each.column}: " in str(caught.value) or not each.line
        assert each.hint or each.code == "unreadable-file"
    return [(each.line, each.code, f"{each.message} {each.hint}") for each in caught.value.diagnostics]


def test_a_format_of_ones_own_is_read_with(tmp_path: Path) -> None:
    file = tmp_path / "acme.toml"
    file.write_text(CALL, encoding="utf-8")
    format = read_format(file)
    text = '<call:now>{"zone": "UTC"}</call> <tool_call>{"name": "other"}</tool_call>'
    assert [(call.name, call.format) for call in parse(text, format).calls] == [("now", "acme")]
    assert [call.name for call in parse(text, ["auto", format]).calls] == ["now", "other"]


@pytest.mark.parametrize("id", known_formats())
def test_every_known_format_makes_sense(id: str) -> None:
    assert check_format(known_formats()[id]) == ()


def test_the_file_of_a_known_format_is_named_for_its_id() -> None:
    assert [each.id for each in known_formats().values()] == [*known_formats()]


FAULTS = {
    "a misspelt key": ("alias = []\n" + CALL, 1, "unknown-key", "did you mean 'aliases'?"),
    "a misspelt key of a form": (CALL + "exakt = true\n", 7, "unknown-key", "did you mean 'exact'?"),
    "a key beside the one that it is like": (CALL + "contents = 1\n", 7, "unknown-key", "'contents' known: "),
    "a misspelt value": (CALL.replace("json-arguments", "json"), 6, "unknown-value", "json-calls"),
    "a wrong type": (CALL.replace('["</call>"]', "3"), 5, "wrong-type", "calls[0].close"),
    "a missing key": (CALL + "[[calls]]\nopen = ['<x>']\n", 7, "missing-key", "calls[1] needs 'content'"),
    "a table that is none": (HEAD + "calls = [1]\n", 3, "wrong-type", "calls[0] must be a table"),
    "a prompt without tools": (CALL + '[[prompts]]\ntext = "hi"\n', 7, "wrong-value", "{tools} once"),
    "a prompt for nobody": (
        CALL + "[[prompts]]\naliases = ['other']\ntext = '{tools}'\n",
        8,
        "unknown-alias",
        "add it to the format's `aliases`",
    ),
    "no calls": (HEAD, 0, "no-calls", "[[calls]]"),
    "an id that is taken": (CALL.replace('"acme"', '"auto"'), 1, "unusable-name", "`auto` is taken"),
    "an id that is a path": (CALL.replace('"acme"', '"../x"'), 1, "unusable-name", "letters"),
    "the id as an alias": ('aliases = ["acme"]\n' + CALL, 1, "repeated-name", "2 times"),
    "no name": (CALL.replace("{name}", "x"), 4, "missing-hole", "{name}"),
    "an unknown hole": (CALL.replace("{name}", "{name}{tool}"), 4, "unknown-hole", "{tool}"),
    "a hole twice": (CALL.replace("{name}", "{name} {name}"), 4, "repeated-hole", "{name}"),
    "adjacent holes": (CALL.replace("{name}", "{name}{id}"), 4, "adjacent-holes", "divides"),
    "a hole first": (CALL.replace("<call:", ""), 4, "no-literal", "begins with a hole"),
    "white space first": (CALL.replace("<call:", " <call:"), 4, "no-literal", "white space"),
    "an empty marker": (CALL.replace("</call>", ""), 5, "empty-marker", "calls[0].close[0]"),
    "a closing marker with a hole": (CALL.replace("</call>", "</{name}>"), 5, "hole-in-close", "as it"),
    "an id of a hole that is not there": (
        CALL + 'id = "{number}"\n', 7, "unknown-hole", "<call:{name}>",
    ),
    "an id that is more than a hole": (CALL + 'id = "{name.x}"\n', 7, "unknown-hole", "single brace"),
    "a key of another content": (CALL + 'quote = "|"\n', 7, "meaningless-key", "braces"),
    "content without an end": (
        CALL.replace('"</call>"', "").replace("json-arguments", "elements"), 5, "no-marker", "its own end",
    ),
    "parameters without a form": (CALL.replace("json-arguments", "parameters"), 6, "no-parameters", "{key}"),
    "a parameter without its name": (
        CALL.replace("json-arguments", "parameters") + 'parameters = [{open = ["<p>"], close = ["</p>"]}]\n',
        7, "missing-hole", "{key}",
    ),
    "a section that never ends": (
        CALL.replace("[[calls]]", 'sections = [{open = "<c>", close = "<c>"}]\n[[calls]]'),
        3, "equal-markers", "second opening",
    ),
    "a marker with two meanings": (
        CALL.replace("[[calls]]", 'thoughts = [{open = "<call:{name}>", close = "</c>"}]\n[[calls]]'),
        3, "two-meanings", "also opens a call",
    ),
    "a form that is never tried": (CALL + CALL.removeprefix(HEAD), 8, "unreachable-form", "calls[0]"),
    "a repeat": (CALL.replace('call:{name}>', 'call:{name}>", "<call:{name}>'), 4, "unreachable-form", ""),
    "an unknown hole in what follows": (CALL + 'begins = [" {x}"]\n', 7, "unknown-hole", "{x}"),
    "an empty further marker": (CALL + 'again = [""]\n', 7, "empty-marker", "again[0]"),
    "the whole text between markers": (CALL + 'place = "whole"\n', 7, "meaningless-key", "peek"),
    "too many markers": (CALL.replace('"</call>"', '"</c>",' * 2100), 0, "too-many-markers", "2,048"),
    "a long marker": (CALL.replace("</call>", "x" * 257), 5, "long-marker", "257"),
    "a fence that is not said to be one": (
        CALL.replace("<call:{name}>", "```call {name}"), 4, "unmarked-fence", "fence = true",
    ),
    "no TOML": (HEAD + "x = \n", 3, "unreadable-file", "is no TOML"),
    "nested beyond reason": (HEAD + "x = " + "[" * 5000 + "]" * 5000, 0, "unreadable-file", ""),
    "a large file": ("#" * 300_000, 0, "unreadable-file", "300,000 bytes"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_with_its_place_and_a_remedy(tmp_path: Path, fault: str) -> None:
    text, line, code, words = FAULTS[fault]
    found = problems(tmp_path, text)
    assert [(place, kind) for place, kind, _ in found if kind == code] == [(line, code)], found
    assert any(words in message for _, kind, message in found if kind == code), found


def test_every_problem_is_told_at_once(tmp_path: Path) -> None:
    text = CALL.replace("{name}", "x").replace("</call>", "{id}") + 'prefix = "p"\n'
    assert [code for _, code, _ in problems(tmp_path, text)] == [
        "missing-hole",
        "hole-in-close",
        "meaningless-key",
    ]


def test_what_is_no_file_is_refused_in_words(tmp_path: Path) -> None:
    for path, words in ((tmp_path, "no regular file"), (tmp_path / "none.toml", "no such file")):
        with pytest.raises(FormatError, match=words):
            read_format(path)
    (tmp_path / "latin.toml").write_bytes(b'id = "\xe9"')
    with pytest.raises(FormatError, match="no UTF-8"):
        read_format(str(tmp_path / "latin.toml"))


def test_a_format_made_in_code_is_checked_when_it_is_used() -> None:
    form = CallForm(open=("",), content="json-calls")
    with pytest.raises(FormatError, match="the marker '' is empty"):
        parse("", TextFormat(id="own", title="Own", calls=(form,)))


def test_the_error_survives_a_process() -> None:
    with pytest.raises(FormatError) as caught:
        read_format("none.toml")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (str(copy), copy.diagnostics) == (str(caught.value), caught.value.diagnostics)


@pytest.mark.parametrize(("name", "near"), [("hermess", "hermes"), ("Mistral", "mistral"), ("autoo", "auto")])
def test_an_unknown_name_is_refused_with_the_nearest(name: str, near: str) -> None:
    with pytest.raises(ValueError, match=f"no text format '{name}'. Did you mean '{near}'"):
        parse("", name)
