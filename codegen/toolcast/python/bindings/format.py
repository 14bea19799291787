"""The formatter, in one place and with one explicit mode: no file outside can change a byte."""

import ast
from functools import cache
from typing import Any

from .layout import LINE_LENGTH, lay_out


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


def blacken(source: str) -> str:
    """`source` as black leaves it. Raises ValueError when it is not Python."""
    import black
    from black.parsing import InvalidInput

    try:
        return black.format_str(source, mode=_mode())
    except (ValueError, InvalidInput) as problem:
        raise ValueError(f"the rendered module is not valid Python: {problem}") from problem


def formatted(source: str, *, ours: bool = False) -> bytes:
    """`source` as black leaves it, UTF-8 with LF.

    `ours` says that a built-in template printed it: black itself is asked only where `layout` does not know
    a long statement. Raises ValueError when `source` is not Python, which is a bug of ours or of an
    overriding template, never of a spec.
    """
    laid_out = lay_out(source) if ours else None
    return (blacken(source) if laid_out is None else laid_out).encode()


def parsed(source: bytes) -> ast.Module:
    """The syntax tree. Raises ValueError when `source` is not Python."""
    try:
        return ast.parse(source)
    except SyntaxError as problem:
        raise ValueError(f"the rendered module is not valid Python: {problem}") from problem


def require_python(source: bytes, *, ours: bool = False) -> None:
    """Raise ValueError when `source` is not Python. Takes a fraction of the memory that `parsed` takes.

    What `ours` is goes piece by piece: two empty lines stand only between two statements of the module.
    """
    try:
        for piece in source.split(b"\n\n\n") if ours else (source,):
            compile(piece, "<generated>", "exec", dont_inherit=True)
    except SyntaxError as problem:
        raise ValueError(f"the rendered module is not valid Python: {problem}") from problem
