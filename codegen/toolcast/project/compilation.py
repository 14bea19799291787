"""A set of specs in, all their output files out: `toolcast.compile`."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from ..config import DEFAULT_PROVIDERS
from ..diagnostics import Diagnostic
from ..providers import Profile
from .core.pure import compile_specs, make_kit
from .state.cache import Cache
from .steps.assemble import assemble


class Compilation(Struct, frozen=True, kw_only=True):
    """What a set of specs compiles to. `files`: posix path below the output folder → bytes."""

    files: Mapping[str, bytes]
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def failed(self) -> bool:
        """True if a spec has an error; its files are missing."""
        return any(problem.severity == "error" for problem in self.diagnostics)


def compile_set(
    specs: Mapping[str, bytes],
    *,
    providers: Sequence[str] | None,
    models: Sequence[str],
    targets: Sequence[str] = (),
    templates: Mapping[str, str] | None,
    profiles: Mapping[str, Profile] | None,
    shown_root: str,
) -> Compilation:
    """See `toolcast.compile`."""
    wanted = DEFAULT_PROVIDERS if providers is None else providers
    kit = make_kit(wanted, profiles=profiles, models=models, targets=targets, templates=templates)
    made = list(compile_specs(sorted(specs), specs, kit, shown_root=shown_root))
    cache = Cache(kit=kit.digest, units={each.path: each.record for each in made})
    assembled = assemble({shown_root: cache}, kit, shown_root=shown_root)
    files = {path: content for each in made for path, content in each.files.items()}
    kept = {path: files[path] for path in assembled.digests}
    used = [each for each in made if each.path not in assembled.unused]
    warnings = {problem for each in used for problem in each.record.diagnostics}
    return Compilation(
        files=dict(sorted({**kept, **assembled.files}.items())),
        diagnostics=tuple(sorted({*assembled.diagnostics, *warnings})),
    )
