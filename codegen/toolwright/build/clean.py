"""Take back everything that builds have written."""

import contextlib
from collections.abc import Callable

from msgspec import Struct

from ..config import Config, show
from ..diagnostics import Diagnostic
from .cache import load_cache
from .fingerprint import digest
from .index import Index
from .lock import locked
from .manifest import NAME, parse_manifest
from .plan import Existing, make_plan
from .publish import publish, read_journal
from .tree import Tree, sweep_all


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
    except OSError as error:
        file = show(config.base / str(error.filename or config.output))
        problem = Diagnostic(file=file, code="io-error", message=f"cannot remove: {error.strerror or error}")
        return Cleaned(files=(), diagnostics=(problem,))


def _clean(config: Config, *, dry_run: bool) -> Cleaned:
    index = Index(config.base)
    tree = Tree(config.output, index)
    listed = tree.look(NAME)
    owned = {NAME, *parse_manifest(listed.content if listed else b"").files, *read_journal(config.state)}
    for unit in load_cache(config.state).units.values():
        for path, expected in unit.outputs.items():
            found = tree.look(path)
            if found is not None and found.kind == "file" and digest(found.content) == expected:
                owned.add(path)
    existing: dict[str, Existing] = {}
    for path in owned:
        if (found := tree.look(path)) is not None:
            existing[path] = found
    plan = make_plan({}, existing, frozenset(owned), shown_output=show(config.output))
    files = tuple(delete.path for delete in plan.deletes)
    if not dry_run:
        publish(plan, config.output, config.state, index)
        sweep_all(config.output)
        with contextlib.suppress(OSError):  # it holds something that is not ours
            config.output.rmdir()
        _remove_state(config)
    return Cleaned(files=files, diagnostics=plan.diagnostics)


def _remove_state(config: Config) -> None:
    for name in ("index", "cache.json", "journal", ".gitignore", "lock"):
        (config.state / name).unlink(missing_ok=True)
    for leftover in config.state.glob(".*.tmp"):
        leftover.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        config.state.rmdir()
