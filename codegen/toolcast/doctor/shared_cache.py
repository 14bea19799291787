"""The cache that machines share, by using it."""

import time
from collections.abc import Iterator

from ..config import Config
from ..project.artifacts.action import Action, Output, decode_action, encode_action
from ..project.artifacts.cache_location import AUTHORIZATION, CacheLocation, locate_cache
from ..project.artifacts.folder import Folder, entries
from ..project.artifacts.store import MAX_ENTRY, BadEntryError, ReadOnlyError, StoreError
from ..project.sharing import WHERE
from ..project.state.fingerprint import digest
from .examination import Finding

_BLOB = b"toolcast doctor was here\n"
_KEY = digest(b"toolcast doctor")


def examine_cache(config: Config) -> Iterator[Finding]:
    """Whether it answers, and returns what was stored. Leaves one small entry, always the same."""
    location, problem = locate_cache(config)
    if problem is not None:
        yield Finding("shared cache", "broken", f"{problem.file}: {problem.message}", problem.hint)
    elif location is None:
        yield Finding("shared cache", "well", "none is configured")
    else:
        yield _tried(location)
        if isinstance(location.store, Folder):
            yield from _size(location.store, config)
        if (withheld := location.withheld) is not None:
            yield Finding("shared cache", "note", withheld.message, withheld.hint)


def _tried(location: CacheLocation) -> Finding:
    where = f"{location.store.shown} (named by {location.named})"
    started = time.perf_counter()
    try:
        text = _round_trip(location)
    except (StoreError, BadEntryError) as error:
        kind = "a folder" if isinstance(location.store, Folder) else "a server"
        fix = f"correct the address, or make it {kind} that can be used; builds work without it"
        if not isinstance(location.store, Folder):
            fix += f"; {AUTHORIZATION} is the Authorization header for the URL in {WHERE}"
        return Finding("shared cache", "broken", f"{where}: {error}", fix)
    spent = (time.perf_counter() - started) * 1000
    return Finding("shared cache", "well", f"{where}: {text}, in {spent:.0f} ms")


def _round_trip(location: CacheLocation) -> str:
    session = location.store.session()
    try:
        if not location.write:
            session.get("ac", _KEY, MAX_ENTRY)
            return "answers; this machine only reads"
        entry = encode_action(Action((Output("doctor", digest(_BLOB), len(_BLOB)),)))
        try:
            session.put("cas", digest(_BLOB), _BLOB)
            session.put("ac", _KEY, entry)
        except ReadOnlyError:
            session.get("ac", _KEY, MAX_ENTRY)
            return "answers; it takes nothing from this machine"
        blob, back = session.get("cas", digest(_BLOB), MAX_ENTRY), session.get("ac", _KEY, MAX_ENTRY)
    finally:
        session.close()
    try:
        named = decode_action(back or b"").outputs
    except ValueError:
        named = ()
    if blob != _BLOB or [each.hash for each in named] != [digest(_BLOB)]:
        raise BadEntryError("it does not give back what it was given")
    return "gives back what it was given"


def _size(folder: Folder, config: Config) -> Iterator[Finding]:
    try:
        kept = list(entries(folder.path))
    except OSError:
        return
    size = sum(each.size for each in kept) / 1e6
    text = f"{len(kept)} files, {size:.1f} of {config.cache_size / 1e6:.0f} MB"
    yield Finding("shared cache", "well", text)
