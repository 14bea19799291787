"""Delete everything that builds have written."""

import contextlib
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from ..config import Config, show
from ..diagnostics import Diagnostic, has_errors
from .output.manifest import NAME
from .output.output_tree import Tree, crosses_link, remove_all_temporary
from .output.plan import reason, remedy
from .output.publish import JOURNAL_PREFIX, find_owned, find_strays, plan_outputs, publish
from .state.cache import load_cache
from .state.files import locked
from .state.index import Index


class _Cleaned(Struct, frozen=True, kw_only=True):
    """The files that were removed, or would be; `files` are posix paths below the output root."""

    files: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


def clean(
    config: Config,
    *,
    dry_run: bool,
    waiting: Callable[[str], None] = lambda _message: None,
) -> _Cleaned:
    """Delete what the manifest lists and bears our mark, then the manifest, then `.toolcast/`."""
    if dry_run:
        return _clean(config, dry_run=True)
    try:
        with locked(config.state, waiting):
            return _clean(config, dry_run=False)
    except OSError as error:
        place = show(config.base / str(error.filename or config.output))
        message = f"cannot remove: {reason(error)}"
        problem = Diagnostic(file=place, code="io-error", message=message, hint=remedy(error))
        return _Cleaned(diagnostics=(problem,))


def _clean(config: Config, *, dry_run: bool) -> _Cleaned:
    files, problems = _delete_outputs(config, dry_run=dry_run)
    failed = has_errors(problems)
    if not dry_run and not failed:
        _remove_state(config)
    return _Cleaned(files=files, diagnostics=tuple(sorted(set(problems))))


def _delete_outputs(config: Config, *, dry_run: bool) -> tuple[tuple[str, ...], list[Diagnostic]]:
    root, index = config.output, Index(config.base, load=False)
    shown = show(root)
    if crosses_link(root, ""):
        message = "is a symbolic link, and links are not followed: what is behind it stays"
        hint = "delete it by hand, or set `output` to the folder that it leads to"
        return (), [Diagnostic(file=shown, code="link-kept", severity="warning", message=message, hint=hint)]
    tree = Tree(root, index)
    owned = find_owned(tree, load_cache(config.state), config.state)
    lost = [] if NAME in owned else _warn_of_lost_manifest(root, owned)
    plan = plan_outputs({}, tree, owned | {NAME}, shown_output=shown)
    problems = [*plan.diagnostics, *lost]
    if not dry_run:
        plan, failures = publish(plan, root, config.state, index, shown_output=shown)
        problems += failures
        if not failures:
            remove_all_temporary(root)
            with contextlib.suppress(OSError):  # it holds something that is not ours
                root.rmdir()
    return tuple(sorted(delete.path for delete in plan.deletes)), problems


def _warn_of_lost_manifest(root: Path, owned: frozenset[str]) -> list[Diagnostic]:
    left = [problem.file for problem in find_strays(root, owned)]
    if not any(file.endswith(".py") for file in left):  # none bears our mark
        return []
    which = left[0] if len(left) == 1 else f"{left[0]} and {len(left) - 1} more"
    message = f"is not there, so nothing says that what looks like output of toolcast is ours: {which} stay"
    hint = "restore the manifest, then run `toolcast clean` again; or delete by hand what is left"
    place = f"{show(root)}/{NAME}"
    return [Diagnostic(file=place, code="no-manifest", severity="warning", message=message, hint=hint)]


def _remove_state(config: Config) -> None:
    for name in ("index", "cache.json", ".gitignore", "lock"):
        (config.state / name).unlink(missing_ok=True)
    for pattern in (f"{JOURNAL_PREFIX}*", ".*.tmp"):
        for leftover in config.state.glob(pattern):
            leftover.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        config.state.rmdir()
