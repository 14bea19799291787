"""The plan of a run in which all that changed are contents: only what was made now need be compared.

`generate` plans by a look at every output, of thousands. Where the last run left everything well, nothing of
it was touched since, and the same units have the same files as then, most of those looks can only say so.
"""

from msgspec import structs

from ..config import Config, show
from .collect import Collected, source_digest
from .output.content import Content, held
from .output.journal import read_journal
from .output.manifest import NAME, amend_manifest
from .output.plan import Existing, Plan, make_plan
from .output.tree import Tree
from .state.cache import Cache, Unit
from .state.fingerprint import Sources
from .state.index import Index


def narrow_plan(
    got: Collected,
    whole: dict[str, Unit],
    cache: Cache,
    sources: Sources,
    index: Index,
    tree: Tree,
    config: Config,
) -> Plan | None:
    """The plan, as it would be by a look at everything; None where more than contents may have changed.

    Expects the setting of the last run: the head of the manifest says nothing else then.
    """
    if not (index.sound and index.untouched and _same_files(got, whole, cache)):
        return None
    if read_journal(config.state, config.output).touched:  # a run was killed since
        return None
    manifest = tree.look(NAME)
    if manifest is None or manifest.kind != "file" or manifest.content.digest != cache.manifest:
        return None  # it is the ground for its own next state
    lines = {
        path: (source_digest(config.specs, path, unit.uses, sources), tuple(unit.outputs))
        for path, unit in got.units.items()
        if path in got.files
    }
    amended = amend_manifest(manifest.content.read(), lines)
    if amended is None:
        return None
    expected: dict[str, Content | None] = {NAME: held(amended)}
    for files in got.files.values():
        expected.update(files.contents())
    existing: dict[str, Existing] = {NAME: manifest}
    for path in expected.keys() - {NAME}:
        if (found := tree.look(path)) is not None:
            existing[path] = found
    plan = make_plan(expected, existing, frozenset(expected), shown_output=show(config.output))
    outputs = 1 + sum(len(unit.outputs) for unit in cache.units.values())  # with the manifest
    return structs.replace(plan, unchanged=plan.unchanged + outputs - len(expected))


def _same_files(got: Collected, whole: dict[str, Unit], cache: Cache) -> bool:
    """Whether the same units have the files that they had."""
    if got.kept or {*got.units, *whole} != cache.units.keys():
        return False
    made = (got.units.get(path) or whole[path] for path in got.files)
    return all(
        unit.outputs.keys() == cache.units[path].outputs.keys()
        for path, unit in zip(got.files, made, strict=True)
    )
