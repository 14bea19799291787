"""Files whose paths match a pattern, in the order that a model asks for."""

from collections.abc import Callable
from typing import Any, Final

from ...runtime.workspace import Entry, Workspace
from ...runtime.workspace.atomic_write import is_temporary
from ..generated.files.glob import GlobParams, GlobResult
from .shown_paths import shown_path

_ORDERS: Final[dict[str, Callable[[Entry], Any]]] = {
    "modified": lambda entry: (-entry.modified, entry.path),
    "name": lambda entry: entry.path,
    "size": lambda entry: (-entry.size, entry.path),
}


def find_files(workspace: Workspace, params: GlobParams) -> GlobResult:
    """List the files that match a pattern.

    Args:
        workspace: where the files are.
        params: as the model wrote them.

    Returns:
        The paths from the workspace's root; the last changed, or the largest, first.

    Raises:
        RefusalError: the pattern or the path cannot be used, or there are too many files.
    """
    exclude = frozenset(params.exclude)
    found = workspace.glob(
        params.pattern,
        "." if params.path is None else params.path,
        skip=lambda name: name in exclude or is_temporary(name),
        include_hidden=params.include_hidden,
    )
    entries = sorted((entry for entry in found if entry.kind == "file"), key=_ORDERS[params.sort])
    return GlobResult(paths=[shown_path(entry.path) for entry in entries[: params.limit]], total=len(entries))
