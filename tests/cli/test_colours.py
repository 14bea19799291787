"""Colours of all that is printed for people: read on light and on dark terminals, and left out on request."""

import json
import re
from pathlib import Path

import pytest
from rich import terminal_theme
from rich.terminal_theme import TerminalTheme

from tests.cli.conftest import Command
from tests.project.fake import put

THEMES: dict[str, TerminalTheme] = {
    name: getattr(terminal_theme, name)
    for name in ("DEFAULT_TERMINAL_THEME", "MONOKAI", "DIMMED_MONOKAI", "NIGHT_OWLISH", "SVG_EXPORT_THEME")
}
"""rich's themes: two with a light background, three with a dark one."""
PLAIN = {"0", "1", "22", "39", "49"}
READABLE = 3.0
"""The contrast that WCAG 2.2 asks of large text and of user interfaces."""
SGR = re.compile(r"\x1b\[([0-9;]*)m")


def contrast(first: tuple[int, ...], second: tuple[int, ...]) -> float:
    def luminance(colour: tuple[int, ...]) -> float:
        parts = [value / 255 for value in colour]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def codes(text: str) -> set[str]:
    return {code for found in SGR.findall(text) for code in (found or "0").split(";")} - PLAIN


@pytest.fixture
def project(empty: Path) -> Path:
    """A tool with every kind of JSON value, one that is undecided, and one with errors."""
    put(empty / "pyproject.toml", "[tool.toolcast]\n")
    properties = {
        "n": {"type": "integer", "minimum": 1, "default": 3},
        "b": {"type": "boolean", "default": True},
        "p": {"type": ["string", "null"], "pattern": "^a", "default": None},
    }
    parameters = {"type": "object", "properties": properties, "additionalProperties": False}
    whole = {"summary": "x", "permission": "read", "secrets": [], "parameters": parameters}
    put(empty / "specs/a.json", json.dumps(whole))
    put(empty / "specs/b.json", json.dumps({**whole, "permission": "TODO"}))
    put(empty / "specs/c.json", json.dumps({**whole, "parameters": {"type": "array"}}))
    return empty


COMMANDS = [
    ("show", "a"),
    ("show", "a", "--provider", "openai"),
    ("show", "a", "--ledger"),
    ("show", "a", "--provider", "gemini", "--steps"),
    ("show", "--providers"),
    ("show", "b"),
    ("list",),
    ("lint",),
    ("lint", "--list"),
    ("generate", "--diff"),
    ("generate", "--check"),
]


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_colour_is_read_on_every_background(
    run: Command, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    plain = run(*command)
    monkeypatch.setenv("FORCE_COLOR", "1")
    coloured = run(*command)
    used = codes(coloured.output)
    assert {int(code) for code in used} <= set(range(31, 37)), "neither dim, nor bright, nor a background"
    for name, theme in THEMES.items():
        colours = {code: theme.ansi_colors[int(code) - 30] for code in used}
        weak = {
            code: round(contrast(colour, theme.background_color), 1)
            for code, colour in colours.items()
            if contrast(colour, theme.background_color) < READABLE
        }
        assert weak == {}, name
    assert SGR.search(coloured.output)
    if command[0] != "generate" and "--steps" not in command:
        bare = SGR.sub("", coloured.output)
        assert [line.rstrip() for line in bare.splitlines()] == [
            line.rstrip() for line in plain.output.splitlines()
        ]
    assert not SGR.search(plain.output)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not SGR.search(run(*command).output)
