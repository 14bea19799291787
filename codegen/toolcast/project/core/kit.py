"""What specs are compiled with, as values: once a kit is made, nothing of it is read from disk again."""

from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct

from ... import __version__
from ...providers import Profile, available, load_profile
from ..state.fingerprint import combine, digest
from ..state.libraries import PRINTERS, libraries
from .compiled import Options


class Kit(Struct, frozen=True, kw_only=True):
    """`known`: the ids that a spec's `providers` may name. `printers`: the libraries that decide how output
    looks, with their versions. `digest` is that of all this: two kits with one digest compile alike."""

    options: Options
    known: tuple[str, ...]
    printers: Mapping[str, str]
    digest: str


def make_kit(
    providers: Sequence[str],
    *,
    profiles: Mapping[str, Profile] | None = None,
    models: Sequence[str] = (),
    templates: Mapping[str, str] | None = None,
) -> Kit:
    """A kit for `providers` (ids): built-in ones, and those of `profiles`, which may replace a built-in one.

    `templates` are overriding templates by file name. Raises ProfileError for an id that is not known.
    """
    own = profiles or {}
    chosen = {id: own[id] if id in own else load_profile(id) for id in dict.fromkeys(providers)}
    texts = tuple(sorted((templates or {}).items()))
    overriding = None if templates is None else texts
    options = Options(providers=tuple(chosen), models=tuple(models), templates=overriding, profiles=chosen)
    used = {library.name: library.version for library in libraries(models=bool(models))}
    known = tuple(sorted({*available(), *own}))
    parts = ["toolcast", __version__, "known", *known, "models", *options.models]
    for id, profile in chosen.items():
        parts += ["provider", id, digest(msgspec.json.encode(profile))]
    for name, text in texts:
        parts += ["template", name, text]
    for name, version in used.items():
        parts += ["library", name, version]
    return Kit(
        options=options,
        known=known,
        printers={name: version for name, version in used.items() if name in PRINTERS},
        digest=combine(parts),
    )
