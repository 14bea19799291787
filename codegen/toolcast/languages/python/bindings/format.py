"""The formatter, in one place and with one explicit mode: no file outside can change a byte."""

import ast
from functools import cache
from typing import Any

from ..structs.source_literals import LINE_LENGTH


@cache
def _mode() -> Any:
    from black.mode import Mode, TargetVersion

    return Mode(
        target_versions={TargetVersion.PY311},
        line_length=LINE_LENGTH,
        string_normalization=True,
        magic_trailing_comma=True,
        preview=False,
        unstable=False,
    )


def formatted(source: str) -> bytes:
    """Format source with black, as UTF-8 with LF. Raise ValueError when it is not Python, which is a bug of
    ours or of an overriding template, never of a spec.
    """
    import black  # takes as long as a small build: only where a module is made
    from black.parsing import InvalidInput

    try:
        return black.format_str(source, mode=_mode()).encode()
    except (ValueError, InvalidInput) as problem:
        raise ValueError(f"the rendered module is not valid Python: {problem}") from problem


def parsed(source: bytes) -> ast.Module:
    """Parse source to its syntax tree. Raise ValueError when it is not Python."""
    try:
        return ast.parse(source)
    except SyntaxError as problem:
        raise ValueError(f"the rendered module is not valid Python: {problem}") from problem


def require_python(source: bytes) -> None:
    """Raise ValueError when source is not Python, in a fraction of the memory that `parsed` takes."""
    try:
        compile(source, "<generated>", "exec", dont_inherit=True)
    except SyntaxError as problem:
        raise ValueError(f"the rendered module is not valid Python: {problem}") from problem
