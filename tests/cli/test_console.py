"""How diagnostics look in each form, character by character."""

import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.colours import wants_colour
from toolcast.console import printable, render
from toolcast.diagnostics import Diagnostic

PROBLEMS = (
    Diagnostic(
        file="specs/a.yaml",
        line=2,
        column=1,
        code="unknown-key",
        message="unknown key 'permision'",
        hint="did you mean 'permission'?",
    ),
    Diagnostic(file="specs/a.yaml", line=3, column=9, code="wide", message="two\nlines", severity="warning"),
    Diagnostic(file="specs/gone.yaml", line=3, column=9, code="gone", message="100 % gone"),
    Diagnostic(file="specs", code="no-specs", message="nothing"),
)
TEXT = """\
specs/a.yaml:2:1: error[unknown-key]: unknown key 'permision'
  2 | permision: write
    | ^
  hint: did you mean 'permission'?
specs/a.yaml:3:9: warning[wide]: two
  lines
  3 | 名前: "x y"
    |           ^
specs/gone.yaml:3:9: error[gone]: 100 % gone
specs: error[no-specs]: nothing
"""
GITHUB = """\
::error file=specs/a.yaml,line=2,col=1,title=unknown-key::unknown key 'permision'%0Ahint: did you mean \
'permission'?
::warning file=specs/a.yaml,line=3,col=9,title=wide::two%0Alines
::error file=specs/gone.yaml,line=3,col=9,title=gone::100 %25 gone
::error file=specs,title=no-specs::nothing
"""


@pytest.fixture(autouse=True)
def _project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs/a.yaml").write_text('name: a\npermision: write\n名前: "x\ty"\n', encoding="utf-8")


def test_text() -> None:
    assert render(PROBLEMS, "text") == TEXT


def test_colours_change_nothing_but_colours() -> None:
    import re

    coloured = render(PROBLEMS, "text", colour=True)
    assert coloured != TEXT
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == TEXT


def test_github() -> None:
    assert render(PROBLEMS, "github") == GITHUB


def test_json() -> None:
    read = json.loads(render(PROBLEMS, "json"))
    assert read[0] == {
        "file": "specs/a.yaml",
        "line": 2,
        "column": 1,
        "severity": "error",
        "code": "unknown-key",
        "message": "unknown key 'permision'",
        "hint": "did you mean 'permission'?",
    }
    assert len(read) == len(PROBLEMS)


def test_long_lines_are_cut_around_the_column(tmp_path: Path) -> None:
    (tmp_path / "long.json").write_text("a" * 500 + "HERE" + "b" * 500)
    problem = Diagnostic(file="long.json", line=1, column=501, code="c", message="m")
    _, source, caret = render((problem,), "text").splitlines()
    assert len(source) < 120
    assert source[caret.index("^")] == "H"


HARMLESS = st.text(
    st.characters(exclude_categories=["Cc", "Cf", "Cs", "Zl", "Zp"]) | st.sampled_from("\n\r\t%:,")
)


@given(st.text(), st.text())
def test_github_annotations_hold_nothing_that_steers_a_log(file: str, message: str) -> None:
    text = render((Diagnostic(file=file, line=1, code="c", message=message),), "github")
    assert text.count("\n") == 1
    assert not {"\x1b", "\x9b", "\u2028", "\u202e", "\r"} & set(text)


@given(HARMLESS, HARMLESS)
def test_github_annotations_are_one_line_and_read_back(file: str, message: str) -> None:
    """The oracle is the runner's own rule: undo %25, %0D, %0A, and in properties %3A and %2C."""
    text = render((Diagnostic(file=file, line=1, code="c", message=message),), "github")
    assert text.count("\n") == 1
    assert "\r" not in text
    head, _, data = text.rstrip("\n").partition(",title=c::")
    name = head.removeprefix("::error file=").removesuffix(",line=1")
    assert "," not in name
    assert ":" not in name
    undo = {"%2C": ",", "%3A": ":", "%0A": "\n", "%0D": "\r"}
    for key, value in undo.items():
        name = name.replace(key, value)
    data = data.replace("%0A", "\n").replace("%0D", "\r")
    assert name.replace("%25", "%") == file
    assert data.replace("%25", "%") == message


@given(st.text())
def test_nothing_steers_the_terminal(text: str) -> None:
    shown = printable(text)
    assert "\x1b" not in shown
    assert "\x9b" not in shown
    assert "\u202e" not in shown
    shown.encode()


@pytest.mark.parametrize(
    ("variables", "tty", "expected"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
        ({"TERM": "dumb"}, True, False),
    ],
)
def test_who_gets_colours(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], tty: bool, expected: bool
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: tty)
    assert wants_colour(stream) is expected
