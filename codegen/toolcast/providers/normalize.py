"""A schema in, what one provider accepts out, with a ledger of every difference.

Two decisions that the laws leave open:

* **Closing open objects.** Strict modes demand `additionalProperties: false` on every object. An object that
  declares properties and does not speak of others is closed: only keys without a declared meaning are
  lost, and the ledger says so (`additionalProperties`, rewritten, changed). An object that is open on purpose
  (`additionalProperties: true` or a schema) or declares no property at all stays open: no strict mode.
* **Values of any type**, for a dialect in which every node needs a type: a union of all types. Lists in it
  end somewhere, because such a dialect has no references: the innermost hold strings of JSON text.
* **Types left out**, for the same dialects and for strict modes: a node that uses keywords of some types
  only is read as those types (`properties` means an object); the ledger says so (`type`, changed).
* **Root unions**, where a provider wants a plain object: the properties of all alternatives in one
  object, each with the schema that its own alternative gives it; which belong together, the description says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from ..runtime.ways import Ways
from .children import rules_of
from .cycles import reaches
from .definitions import definitions
from .depth import ENDLESS, heights, levels
from .dialect import Dialect, nameless
from .errors import SchemaError
from .ledger import LedgerEntry
from .paths import pointer
from .profile import Profile, load_profile
from .quarantine import without_corners
from .refs import Segments
from .renames import names_of
from .root import rooted
from .rules import Rules
from .sound import takes_text
from .source import Source, source_of
from .state import State
from .walk import finished
from .ways import taken


class Normalized(Struct, frozen=True, kw_only=True):
    """One provider's version of a schema.

    `strict` is what the provider's flag must say, `None` where it has none. `ledger` is in walking order;
    its paths are JSON pointers into the schema that was given. `ways` undoes what had to be sent in another
    form; `None` where nothing had to.
    """

    schema: dict[str, Any]
    strict: bool | None
    ledger: tuple[LedgerEntry, ...]
    ways: Ways | None = None


def normalize(schema: Any, provider: str | Profile, *, strict: bool | None = None) -> Normalized:
    """What `provider` accepts instead of `schema`, a tool's parameters in any draft of JSON Schema.

    `strict` None: strict if the whole contract survives it. False: never. True: demanded, so where it is not
    possible the ledger's reasons have severity `reject` instead of `lost`, and the result is still usable.
    Never changes `schema`. The bad corners that `quarantined` leaves out are left out here, too, and are in
    the ledger; what no value fits stays. Raises `SchemaError` for what cannot be read as parameters (a root
    that takes no object, unbounded nesting), `ProfileError` for an unknown provider.
    """
    profile = provider if isinstance(provider, Profile) else load_profile(provider)
    source = without_corners(source_of(parameters_of(schema)))
    return finish(*decided(source, profile, strict, walk))


Walked = tuple[dict[str, Any], State]
Reasons = tuple[LedgerEntry, ...]
"""Why a mode was given up."""


def decided(
    source: Source, profile: Profile, strict: bool | None, walk: Callable[..., Walked]
) -> tuple[dict[str, Any], State, bool | None, Reasons]:
    """The output of the mode in which `profile` can be told of `source`, what its walk gathered, the flag,
    and why another mode was given up. `walk` is the function of that name, or one that says the same."""
    reasons: Reasons = ()
    if strict and profile.strict is None and not profile.always_strict:
        reasons = (
            LedgerEntry(
                path="",
                keyword="strict",
                action="dropped",
                severity="reject",
                reason="this provider has no strict mode",
            ),
        )
    if profile.strict is not None and strict is not False:
        out, state = walk(source, profile.strict)
        blockers = [*state.blockers, *_too_deep(out, state, profile.limits.depth)]
        if not blockers:
            return out, state, True, ()
        reasons = _reasons(blockers, "reject" if strict else "lost")
    out, state = walk(source, profile.dialect)
    if profile.strict is None:
        out, state = _shallow(source, profile, out, state, walk)
    flag = None if profile.strict is None else False
    if profile.always_strict:  # there is nothing to fall back to
        reasons = _reasons(state.blockers, "reject", "cannot be said, and strictness cannot be turned off")
    return out, state, flag, reasons


def finish(out: dict[str, Any], state: State, strict: bool | None, reasons: Reasons) -> Normalized:
    """What was decided, as the answer. The marks of the way back are taken out of `out`, once."""
    if state.encoded:
        state.ways, state.encoded = taken(out), False
    ledger = (*reasons, *state.entries.values())
    return Normalized(schema=out, strict=strict, ledger=ledger, ways=state.ways)


def _shallow(
    source: Source, profile: Profile, out: dict[str, Any], state: State, walk: Callable[..., Walked]
) -> Walked:
    """`out`, or what nests no deeper than the provider allows: JSON text stands for what is below that."""
    if profile.limits.depth is None:
        return out, state
    limit = profile.limits.depth - 1  # some count the scalars in the innermost object as a level, too
    if (state.deepest <= limit and not state.names) or levels(out) <= limit:
        return out, state
    if not takes_text(profile.dialect):
        return out, state
    return walk(source, profile.dialect, limit, heights(out, state.names))


def _too_deep(out: dict[str, Any], state: State, limit: int | None) -> Reasons:
    """A strict mode that refuses deeper nesting is given up, as for anything else that it cannot say."""
    if limit is None or (state.deepest <= limit and not state.names):
        return ()
    found = levels(out)
    if found <= limit:
        return ()
    shown = str(found) if found < ENDLESS else "more than a thousand"
    reason = f"{shown} levels of nesting exceed the limit of {limit}"
    return (LedgerEntry(path="", keyword="properties", action="widened", severity="lost", reason=reason),)


def parameters_of(schema: Any) -> dict[str, Any]:
    """A tool's parameters as an object schema. Raises `SchemaError` for what is none."""
    if schema is True or schema is None:
        return {}
    if not isinstance(schema, dict):
        raise SchemaError("", f"the parameters of a tool are an object schema, not {schema!r:.40}")
    return schema


def walk(
    source: Source, dialect: Dialect, most: int | None = None, tall: Mapping[Segments, int] = {}
) -> Walked:
    """The output for `source` under `dialect`, and what the walk gathered. Raises `SchemaError`.

    `most` levels of values may be nested, `tall` are the levels of definitions.
    """
    names = names_of(source.document, dialect.property_names) if dialect.property_names else {}
    return through(source, rules_of(dialect if names else nameless(dialect), most), names, tall)


def through(source: Source, rules: Rules, names: dict[str, str], tall: Mapping[Segments, int] = {}) -> Walked:
    """Walk once; and again where a definition lost what a schema that was walked before relies on.

    `names` are sent instead of others.
    """
    losses: frozenset[Segments] = frozenset()
    while True:
        state = State(source, rules.dialect, losses)
        state.rules = rules
        state.renames = names
        state.heights = tall
        out = _once(state, rules)
        if not state.lost or not state.judged or state.lost <= losses:
            return out, state
        losses |= state.lost
        if not any(reaches(state, schema, losses) for schema in state.judged):
            return out, state


def _once(state: State, rules: Rules) -> dict[str, Any]:
    notes: list[str] = []
    entered: list[Segments] = []
    try:
        out = finished(state, rules, rooted(state, notes, entered), None, notes, entered)
        if state.pending or "$defs" in out or "$defs" in state.document:
            definitions(state, rules, out)
    except RecursionError:
        raise SchemaError(pointer(None), "schemas are nested too deeply") from None
    return out


def _reasons(blockers: list[LedgerEntry], severity: str, prefix: str = "not strict") -> Reasons:
    once = {(entry.path, entry.keyword): entry for entry in reversed(blockers)}
    return tuple(
        LedgerEntry(
            path=entry.path,
            keyword=entry.keyword,
            action="widened",
            severity="reject" if severity == "reject" else "lost",
            reason=f"{prefix}: {entry.reason}",
        )
        for entry in reversed(once.values())
    )
