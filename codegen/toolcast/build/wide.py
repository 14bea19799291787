"""The plan of a run by a look at every path that should stand in the output folder, or did."""

from itertools import chain

from .. import __version__
from ..config import Config, show
from .collect import Collected, source_digest
from .output.content import Content, held
from .output.manifest import NAME, render_manifest
from .output.ownership import find_owned, find_strays, settle_case
from .output.plan import Existing, Plan, make_plan
from .output.tree import Tree
from .state.cache import Cache, Unit
from .state.fingerprint import Sources
from .state.libraries import PRINTERS, Library

_INTACT = Existing("intact")


def wide_plan(
    got: Collected,
    whole: dict[str, Unit],
    used: tuple[Library, ...],
    cache: Cache,
    sources: Sources,
    tree: Tree,
    config: Config,
) -> tuple[Plan, str]:
    """The plan, and the digest of the manifest that will stand. Raises OSError.

    Adds to `got` what is told of files that nothing accounts for.
    """
    expected: dict[str, Content | None] = {}
    for path, unit in chain(got.units.items(), whole.items()):
        files = got.files.get(path)
        expected.update(dict.fromkeys(unit.outputs) if files is None else files.contents())
    manifest = held(_manifest(got, whole, used, sources, config))
    expected[NAME] = manifest
    owned = find_owned(tree, cache, config.state)
    existing: dict[str, Existing] = {}
    for path in chain(expected, owned - expected.keys()):
        if path in expected and expected[path] is None:
            existing[path] = _INTACT
        elif (found := tree.look(path)) is not None:
            existing[path] = found
    settle_case(expected, existing, owned, config.output)
    plan = make_plan(expected, existing, owned, shown_output=show(config.output))
    if not cache.units:  # a look through the whole folder, for once
        got.diagnostics += find_strays(config.output, expected.keys() | owned)
    return plan, manifest.digest


def _manifest(
    got: Collected, whole: dict[str, Unit], used: tuple[Library, ...], sources: Sources, config: Config
) -> bytes:
    versions = {library.name: library.version for library in used if library.name in PRINTERS}
    lines = {
        path: (source_digest(config.specs, path, unit.uses, sources), unit.outputs)
        for path, unit in got.units.items()
    }
    ours = tuple(path for unit in whole.values() for path in unit.outputs)
    return render_manifest({"toolcast": __version__, **versions}, lines, ours)
