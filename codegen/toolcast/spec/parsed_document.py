"""A parsed file: plain data, the position of each value in it, and diagnostics at those positions."""

from typing import Any, Protocol

from ..diagnostics import Diagnostic, Severity

Path = tuple[str | int, ...]
"""A path inside a document: object keys and array indices from the root."""


class Document(Protocol):
    """One parsed file: plain JSON data, with the line and column of each path in it."""

    @property
    def file(self) -> str:
        """Posix path as shown in diagnostics, e.g. `specs/files/edit.yaml`."""
        ...

    @property
    def data(self) -> Any:
        """Plain JSON values only: dict, list, str, int, float, bool, None."""
        ...

    def locate(self, path: Path, *, key: bool = False) -> tuple[int, int]:
        """Line and column (from 1) of the value at `path`, or of its key; the nearest parent if absent."""
        ...


class SharedTypes(dict[str, Document]):
    """The shared types of a run, by path. `broken` has those with errors: they are reported there, and not as
    missing where specs refer to them."""

    broken: frozenset[str] = frozenset()


def diagnose(
    document: Document,
    path: Path,
    code: str,
    message: str,
    hint: str = "",
    *,
    key: bool = False,
    severity: Severity = "error",
) -> Diagnostic:
    """Make a diagnostic at a position in a document.

    Args:
        document: the document.
        path: path of the value.
        code: code of the problem, in kebab case.
        message: what is wrong, in one sentence.
        hint: how to correct it.
        key: the position is that of the key, not of the value.
        severity: severity of the problem.

    Returns:
        The diagnostic, with line and column.
    """
    line, column = document.locate(path, key=key)
    return Diagnostic(
        file=document.file, line=line, column=column, code=code, message=message, hint=hint, severity=severity
    )
