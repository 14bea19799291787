"""JSON on a terminal, in colours that are read on light and on dark backgrounds."""

from pygments.token import (  # type: ignore[import-untyped] # it ships no types; rich depends on it
    Keyword,
    Name,
    Number,
    String,
)
from rich.console import Console
from rich.style import Style
from rich.syntax import ANSISyntaxTheme, Syntax

_COLOURS = ANSISyntaxTheme(
    {
        Name: Style(bold=True),
        String: Style(color="green"),
        Number: Style(color="magenta"),
        Keyword: Style(color="cyan"),
    }
)
"""The terminal's own colours, which its theme adapts to its background; punctuation has none."""


def print_json(text: str) -> None:
    """Print JSON text to stdout in colours, whatever stdout is. Lines are broken at the terminal's width."""
    console = Console(force_terminal=True, color_system="standard")
    console.print(Syntax(text, "json", theme=_COLOURS, background_color="default", word_wrap=True))
