"""Take back everything that builds have written."""

import contextlib
from collections.abc import Callable

from msgspec import Struct

from ..config import Config, show
from ..diagnostics import Diagnostic
from .output.faults import reason, remedy
from .output.journal import PREFIX, repair
from .output.manifest import NAME
from .output.ownership import find_owned
from .output.plan import Existing, make_plan
from .output.publish import PublishError, publish
from .output.tree import Tree, sweep_all
from .state.cache import load_cache
from .state.index import Index
from .state.lock import locked


class Cleaned(Struct, frozen=True, kw_only=True):
    """`files`: posix paths below the output root that were removed, or would be."""

    files: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...] = ()


def clean(
    config: Config, *, dry_run: bool, waiting: Callable[[str], None] = lambda _message: None
) -> Cleaned:
    """Delete what the manifest lists and bears our mark, then the manifest, then `.toolwright/`."""
    if dry_run:
        return _clean(config, dry_run=True)
    try:
        with locked(config.state, waiting):
            return _clean(config, dry_run=False)
    except PublishError as fault:
        return _refused(f"{show(config.output)}/{fault.path}", fault.error, tuple(sorted(fault.done)))
    except OSError as error:
        return _refused(show(config.base / str(error.filename or config.output)), error)


def _refused(file: str, error: OSError, files: tuple[str, ...] = ()) -> Cleaned:
    problem = Diagnostic(
        file=file, code="io-error", message=f"cannot remove: {reason(error)}", hint=remedy(error)
    )
    return Cleaned(files=files, diagnostics=(problem,))


def _clean(config: Config, *, dry_run: bool) -> Cleaned:
    index = Index(config.base)
    tree = Tree(config.output, index)
    owned = find_owned(tree, load_cache(config.state), config.state) | {NAME}
    existing: dict[str, Existing] = {}
    for path in owned:
        if (found := tree.look(path)) is not None:
            existing[path] = found
    plan = make_plan({}, existing, owned, shown_output=show(config.output))
    files = tuple(delete.path for delete in plan.deletes)
    if not dry_run:
        repair(config.state, config.output)
        publish(plan, config.output, config.state, index)
        sweep_all(config.output)
        with contextlib.suppress(OSError):  # it holds something that is not ours
            config.output.rmdir()
        _remove_state(config)
    return Cleaned(files=files, diagnostics=plan.diagnostics)


def _remove_state(config: Config) -> None:
    for name in ("index", "cache.json", ".gitignore", "lock"):
        (config.state / name).unlink(missing_ok=True)
    for pattern in (f"{PREFIX}*", ".*.tmp"):
        for leftover in config.state.glob(pattern):
            leftover.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        config.state.rmdir()
