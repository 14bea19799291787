"""Rewrites a schema in a provider's dialect, with a ledger of every difference.

Two decisions that the laws leave open:

* **Closing open objects.** Strict modes demand `additionalProperties: false` on every object. An object that
  declares properties and does not speak of others is closed: only keys without a declared meaning are
  lost, and the ledger says so (`additionalProperties`, rewritten, changed). An object that is open on purpose
  (`additionalProperties: true` or a schema) or declares no property at all stays open: no strict mode.
* **Values of any type**, for a dialect in which every node needs a type: a string of JSON text, or a union of
  all types where arrays and objects need state nothing of their parts. Objects that declare no property are
  JSON text too, where a provider wants one declared: no key stands for others.
* **Types left out**, for the same dialects and for strict modes: a node that uses keywords of some types
  only is read as those types (`properties` means an object); the ledger says so (`type`, changed).
* **Root unions**, where a provider wants a plain object: the properties of all alternatives in one
  object, each with the schema that its own alternative gives it; which belong together, the description says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from ..jsonschema.json_values import JsonObject
from ..jsonschema.nesting import ENDLESS, heights, levels
from ..jsonschema.schema_document import SchemaDocument, parse_schema
from ..jsonschema.schema_node import LibrarySchemaError, SchemaError, Segments, changes_of, pointer, to_json
from ..jsonschema.unusable_values import python_object
from ..runtime.wire import WireForms
from .dialect_plan import DialectPlan, plan_of
from .ledger import NOT_STRICT, Ledger, LedgerEntry
from .node import Walk
from .passes.names import Renames, renames_of
from .profiles.dialect import Dialect, nameless, takes_text
from .profiles.envelope import Normalized
from .profiles.load_profiles import load_profile
from .profiles.profile import Profile
from .walk import Walker
from .wire_forms import wire_forms_of

_ALWAYS_STRICT = "is refused by strict mode, which cannot be turned off and "
"""How the reason of a blocker starts where there is no other mode."""


def normalize(schema: object, provider: str | Profile, *, strict: bool | None = None) -> Normalized:
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
    """One schema, normalised for any number of providers; equal dialects are walked once. What it returns
    shares containers, so nothing of it may be changed.
    """

    __slots__ = ("_document", "_outcomes")

    def __init__(self, schema: object, *, checked: bool = False) -> None:
        """`checked`: the schema is a contract, so its keywords are those of 2020-12 and well formed. Raises
        `SchemaError` for a schema that is not an object, and for unbounded nesting.
        """
        self._document = parse_schema(_parameters_of(schema), checked=checked)
        self._outcomes: dict[tuple[Dialect, int | None], WalkOutcome] = {}

    @property
    def document(self) -> SchemaDocument:
        """The schema as it was parsed."""
        return self._document

    def normalize(self, provider: str | Profile, *, strict: bool | None = None) -> Normalized:
        """As the function of that name. Raises `SchemaError` and `ProfileError`."""
        choice = self.choice(provider, strict=strict)
        return Normalized(
            schema=choice.outcome.schema,
            strict=choice.strict,
            ledger=(*choice.reasons, *choice.outcome.ledger),
            wire_forms=choice.outcome.wire_forms,
        )

    def choice(self, provider: str | Profile, *, strict: bool | None = None) -> _Choice:
        """Return the walk whose output a provider is sent, as `normalize` chooses it.

        Raises SchemaError where the schema has no form in the dialect, and ProfileError for an unknown
        provider.
        """
        profile = provider if isinstance(provider, Profile) else load_profile(provider)
        reasons: _Reasons = ()
        if strict and profile.strict is None and not profile.always_strict and not profile.request.strict:
            reasons = (
                LedgerEntry(
                    path="",
                    keyword="strict",
                    action="dropped",
                    severity="reject",
                    reason="is not available, because the provider has no strict mode",
                ),
            )
        if profile.strict is not None and strict is not False:
            outcome = self._outcome(profile.strict)
            blockers = [*outcome.blockers, *_too_deep(outcome, profile.limits.depth)]
            if not blockers:
                return _Choice(outcome, True)
            reasons = _reasons(blockers, "reject" if strict else "lost")
        outcome = self._outcome(profile.dialect)
        if profile.strict is None:
            outcome = self._shallow(outcome, profile)
        flag = None if profile.strict is None else False
        if profile.always_strict:  # there is nothing to fall back to
            reasons = _reasons(outcome.blockers, "reject", _ALWAYS_STRICT)
        return _Choice(outcome, flag, reasons)

    def _shallow(self, outcome: WalkOutcome, profile: Profile) -> WalkOutcome:
        """`outcome`, or one that nests no deeper than the provider allows: the rest is sent as JSON text."""
        if profile.limits.depth is None:
            return outcome
        limit = profile.limits.depth - 1  # some count the scalars in the innermost object as a level, too
        if _nests_within(outcome, limit) or not takes_text(profile.dialect):
            return outcome
        return self._outcome(profile.dialect, limit, heights(outcome.schema, outcome.names))

    def _outcome(
        self, dialect: Dialect, most: int | None = None, tall: Mapping[Segments, int] = {}
    ) -> WalkOutcome:
        """Return the walk under `dialect`. `most` levels of values may be nested; `tall`: those of
        definitions.
        """
        pattern = dialect.property_names
        renames: Renames = renames_of(self._document.root, pattern) if pattern else {}
        key = dialect if renames else nameless(dialect), most
        found = self._outcomes.get(key)
        if found is None:
            walk = Walk(document=self._document, renames=renames, most=most, heights=tall)
            found = self._outcomes[key] = outcome_of(walk, plan_of(key[0]))
        return found


class WalkOutcome(Struct, frozen=True, eq=False):
    """The result of a walk.

    `plan` is what it did to each node, `wire_forms` how arguments in its form are decoded, `blockers` why the
    mode cannot be used, `names` those of definitions in the output, by where they were written, `deepest` how
    deeply schemas are nested.
    """

    walk: Walk
    plan: DialectPlan
    schema: JsonObject
    wire_forms: WireForms | None
    ledger: tuple[LedgerEntry, ...]
    blockers: tuple[LedgerEntry, ...]
    names: dict[Segments, str]
    deepest: int


_Reasons = tuple[LedgerEntry, ...]
"""The reasons for which a mode was given up."""


class _Choice(Struct, frozen=True, eq=False):
    """The walk whose output a provider is sent, with the strict flag, if it has one, and why strict mode was
    given up.
    """

    outcome: WalkOutcome
    strict: bool | None
    reasons: _Reasons = ()


def outcome_of(walk: Walk, plan: DialectPlan) -> WalkOutcome:
    """Walk once; and again where a definition changed on which an earlier schema depends. Raises
    `SchemaError`.
    """
    while True:
        ledger = Ledger(walk.document.changes)
        walker = Walker(plan, walk, ledger)
        try:
            out = walker.output()
        except RecursionError:
            raise SchemaError(pointer(None), "schemas are nested too deeply") from None
        if not walker.lost or not ledger.compared or walker.lost <= walk.changed:
            break
        changed = walk.changed | walker.lost
        walk = Walk(walk.document, walk.renames, walk.most, walk.heights, changed)
        if not any(walk.document.reaches(schema, changed) for schema in ledger.compared):
            break
    return WalkOutcome(
        walk=walk,
        plan=plan,
        schema=to_json(out),
        wire_forms=wire_forms_of(out) if walker.encoded else None,
        ledger=tuple(ledger.entries.values()),
        blockers=tuple(ledger.blockers),
        names=walker.names,
        deepest=walker.deepest,
    )


def _nests_within(outcome: WalkOutcome, limit: int) -> bool:
    return (outcome.deepest <= limit and not outcome.names) or levels(outcome.schema) <= limit


def _too_deep(outcome: WalkOutcome, limit: int | None) -> _Reasons:
    """A strict mode that refuses deeper nesting is given up, as for any other unsupported schema."""
    if limit is None or _nests_within(outcome, limit):
        return ()
    found = levels(outcome.schema)
    shown = str(found) if found < ENDLESS else "more than a thousand"
    reason = f"allows at most {limit} levels of nesting, and the schema has {shown}"
    return (LedgerEntry(path="", keyword="properties", action="widened", severity="lost", reason=reason),)


def _parameters_of(schema: object) -> JsonObject:
    if schema is True or schema is None:
        return {}
    if (found := python_object(schema)) is not None:
        raise LibrarySchemaError("", found.message, found.hint)
    if not isinstance(schema, dict):
        raise SchemaError("", f"the parameters of a tool are an object schema, not {schema!r:.40}")
    return schema


def _reasons(blockers: Iterable[LedgerEntry], severity: str, prefix: str = NOT_STRICT) -> _Reasons:
    return tuple(
        LedgerEntry(
            path=entry.path,
            keyword=entry.keyword,
            action="widened",
            severity="reject" if severity == "reject" else "lost",
            reason=prefix + entry.reason,
        )
        for entry in changes_of(blockers).values()
    )
