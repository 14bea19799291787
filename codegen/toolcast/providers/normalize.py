"""Rewrites a schema in a provider's dialect, with a ledger of every difference.

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

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from ..runtime.wire import WireForms
from .cycles import reaches
from .depth import ENDLESS, heights, levels
from .inline_references import Segments
from .json_paths import parse, pointer
from .keyword_rules import Rules
from .ledger import LedgerEntry
from .profiles.dialect import Dialect, nameless
from .profiles.dialect_check import takes_text
from .profiles.load_profiles import load_profile
from .profiles.profile import Profile
from .provider_errors import SchemaError
from .quarantine import without_defects
from .renames import names_of
from .root import rooted
from .state import MAX_NODES, State
from .subschema_operations import rules_of
from .upgraded_schema import Source, source_of
from .walk import finished, walked
from .wire_forms import extract_wire_forms


class Normalized(Struct, frozen=True, kw_only=True):
    """A schema in a provider's dialect.

    Attributes:
        schema: the parameters' schema for the provider.
        strict: the value of the provider's strict flag; None where it has none.
        ledger: every difference, in walking order; paths are JSON pointers into the schema that was
            normalised.
        wire_forms: how arguments in the wire form are decoded; None where the wire form is the contract's
            own.
    """

    schema: dict[str, Any]
    strict: bool | None
    ledger: tuple[LedgerEntry, ...]
    wire_forms: WireForms | None = None


def normalize(schema: Any, provider: str | Profile, *, strict: bool | None = None) -> Normalized:
    """Rewrite a schema in a provider's dialect. The schema is not changed.

    Args:
        schema: a JSON Schema for an object: a dict, of draft 4 to 2020-12.
        provider: id of a built-in profile, or a profile.
        strict: whether strict mode is wanted; None for the profile's default.

    Returns:
        The schema, the strict flag, the ledger and the wire form.

    Raises:
        SchemaError: the schema has no form in the dialect, or `strict=True` is not possible.
        ProfileError: the provider is not known.
    """
    return SchemaNormalizer(schema).normalize(provider, strict=strict)


class SchemaNormalizer:
    """One schema, normalised for any number of providers; equal dialects are walked once.

    What it returns shares containers, so nothing of it may be changed.
    """

    __slots__ = ("_source", "_walks")

    def __init__(self, schema: Any, *, checked: bool = False) -> None:
        """`checked`: the schema is a contract, so its keywords are those of 2020-12 and well formed.

        Raises `SchemaError` for a schema that is not an object, and for unbounded nesting.
        """
        parameters = parameters_of(schema)
        self._source = Source(parameters) if checked else without_defects(source_of(parameters))
        self._walks: dict[tuple[Dialect, int | None], Walk] = {}

    def normalize(self, provider: str | Profile, *, strict: bool | None = None) -> Normalized:
        """As the function of that name. Raises `SchemaError` and `ProfileError`."""
        profile = provider if isinstance(provider, Profile) else load_profile(provider)
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
            walk = self._walk(profile.strict)
            blockers = [*walk.state.blockers, *_too_deep(walk, profile.limits.depth)]
            if not blockers:
                return _normalized(walk, True, ())
            reasons = _reasons(blockers, "reject" if strict else "lost")
        walk = self._walk(profile.dialect)
        if profile.strict is None:
            walk = self._shallow(walk, profile)
        flag = None if profile.strict is None else False
        if profile.always_strict:  # there is nothing to fall back to
            blockers = walk.state.blockers
            reasons = _reasons(blockers, "reject", "cannot be expressed, and strictness cannot be turned off")
        return _normalized(walk, flag, reasons)

    def _shallow(self, walk: Walk, profile: Profile) -> Walk:
        """`walk`, or one that nests no deeper than the provider allows: the rest is sent as JSON text."""
        if profile.limits.depth is None:
            return walk
        limit = profile.limits.depth - 1  # some count the scalars in the innermost object as a level, too
        if _nests_within(walk, limit) or not takes_text(profile.dialect):
            return walk
        return self._walk(profile.dialect, limit, heights(walk.schema, walk.state.names))

    def _walk(self, dialect: Dialect, most: int | None = None, tall: Mapping[Segments, int] = {}) -> Walk:
        """The walk under `dialect`. `most` levels of values may be nested; `tall`: those of definitions."""
        pattern = dialect.property_names
        names = names_of(self._source.document, pattern) if pattern else {}
        key = dialect if names else nameless(dialect), most
        found = self._walks.get(key)
        if found is None:
            found = self._walks[key] = walked_through(self._source, rules_of(*key), names, tall)
        return found


class Walk(Struct, frozen=True):
    """The result of a walk: the output, its wire forms, and the ledger."""

    schema: dict[str, Any]
    wire_forms: WireForms | None
    state: State


Reasons = tuple[LedgerEntry, ...]
"""The reasons for which a mode was given up."""


def _normalized(walk: Walk, strict: bool | None, reasons: Reasons) -> Normalized:
    ledger = (*reasons, *walk.state.entries.values())
    return Normalized(schema=walk.schema, strict=strict, ledger=ledger, wire_forms=walk.wire_forms)


def _nests_within(walk: Walk, limit: int) -> bool:
    """Whether the output has at most `limit` levels of nesting."""
    return (walk.state.deepest <= limit and not walk.state.names) or levels(walk.schema) <= limit


def _too_deep(walk: Walk, limit: int | None) -> Reasons:
    """A strict mode that refuses deeper nesting is given up, as for any other unsupported schema."""
    if limit is None or _nests_within(walk, limit):
        return ()
    found = levels(walk.schema)
    shown = str(found) if found < ENDLESS else "more than a thousand"
    reason = f"{shown} levels of nesting exceed the limit of {limit}"
    return (LedgerEntry(path="", keyword="properties", action="widened", severity="lost", reason=reason),)


def parameters_of(schema: Any) -> dict[str, Any]:
    """A tool's parameters as an object schema. Raises `SchemaError` where it is none."""
    if schema is True or schema is None:
        return {}
    if not isinstance(schema, dict):
        raise SchemaError("", f"the parameters of a tool are an object schema, not {schema!r:.40}")
    return schema


def walked_through(
    source: Source, rules: Rules, names: dict[str, str], tall: Mapping[Segments, int] = {}
) -> Walk:
    """Walk once; and again where a definition changed on which an earlier schema depends.

    `names` are sent instead of others, `tall` are the levels of definitions. Raises `SchemaError`.
    """
    losses: frozenset[Segments] = frozenset()
    while True:
        state = State(source, rules.dialect, losses)
        state.rules = rules
        state.renames = names
        state.heights = tall
        out = _once(state, rules)
        if not state.lost or not state.must_be_unchanged or state.lost <= losses:
            break
        losses |= state.lost
        if not any(reaches(state, schema, losses) for schema in state.must_be_unchanged):
            break
    return Walk(out, extract_wire_forms(out) if state.encoded else None, state)


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


Node = dict[str, Any]


def definitions(state: State, rules: Rules, out: Node) -> None:
    """Walk the targets of references, and their targets, and add them to the output's `$defs`."""
    state.level = -MAX_NODES  # references count the depth of their targets
    state.forget_origins(0)  # schemas that the root inlined have their own paths here
    own: Node = {}
    done: dict[str, Any] = {}
    found = state.document.get("$defs")
    if isinstance(found, dict) and rules.dialect.refs == "keep":
        for name, child in found.items():
            own[name] = ((None, "$defs"), name), child
            if not rules.dialect.prune_definitions and ("$defs", name) not in state.names:
                state.names[("$defs", name)] = name
                state.pending.append(("$defs", name))
    while state.pending:
        segments = state.pending.pop()
        name = state.names[segments]
        found, location = state.resolve(segments)
        state.source = segments
        before = state.changes, state.evaluation
        done[name] = walked(state, rules, found, location)
        if (state.changes, state.evaluation) != before:
            state.lost.add(segments)
    if rules.dialect.prune_definitions and rules.dialect.ref_targets == "definitions" and done:
        done = _needed(out, done)
    for name, (location, _) in own.items():
        if name not in done:
            state.note(location[0], name, "dropped", "kept elsewhere", "nothing refers to it")
    ordered = [name for name in own if name in done] + [name for name in done if name not in own]
    if ordered or ("$defs" in out and not rules.dialect.prune_definitions):
        out["$defs"] = {name: done[name] for name in ordered}
    elif "$defs" in out:
        del out["$defs"]
        state.note(None, "$defs", "dropped", "kept elsewhere", "nothing refers to it")


def _needed(out: Node, done: dict[str, Any]) -> dict[str, Any]:
    """The definitions that the output refers to: some that were walked may have been removed again."""
    found: set[str] = set()
    pending: list[Any] = [child for key, child in out.items() if key != "$defs"]
    while pending:
        each = pending.pop()
        if isinstance(each, list):
            pending += each
        elif isinstance(each, dict):
            reference = each.get("$ref")
            if isinstance(reference, str) and reference.startswith("#/$defs/"):
                name = parse(reference, None)[-1]
                if name in done and name not in found:
                    found.add(name)
                    pending.append(done[name])
            pending += each.values()
    return {name: child for name, child in done.items() if name in found}
