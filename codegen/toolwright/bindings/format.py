"""The formatter, in one place and with one explicit mode: no file outside can change a byte."""

import ast
from functools import cache
from typing import Any

LINE_LENGTH = 100


@cache
def _mode() -> Any:
    import black

    return black.Mode(
        target_versions={black.TargetVersion.PY311},
        line_length=LINE_LENGTH,
        string_normalization=True,
        magic_trailing_comma=True,
        preview=False,
        unstable=False,
    )


def formatted(source: str) -> bytes:
    """`source` as black leaves it, UTF-8 with LF.

    Raises ValueError when `source` is not Python or when formatting changed what it means: both are bugs
    of ours or of an overriding template, never of a spec.
    """
    import black

    try:
        before = ast.parse(source)
        text = black.format_str(source, mode=_mode())
    except (SyntaxError, ValueError, black.InvalidInput) as problem:
        raise ValueError(f"the rendered module is not valid Python: {problem}") from problem
    if ast.dump(before) != ast.dump(ast.parse(text)) and not _same_but_docstrings(before, ast.parse(text)):
        raise ValueError("formatting changed the meaning of the rendered module")
    return text.encode()


def _same_but_docstrings(before: ast.Module, after: ast.Module) -> bool:
    return ast.dump(_stripped(before)) == ast.dump(_stripped(after))


def _stripped(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            if isinstance(node.value.value, str):
                node.value.value = " ".join(node.value.value.split())
    return tree
