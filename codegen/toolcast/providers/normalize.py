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

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from ..jsonschema.json_values import JsonMapping, JsonObject
from ..jsonschema.nesting import ENDLESS, heights, levels
from ..jsonschema.pointers import escape, unescape
from ..jsonschema.schema_document import SchemaDocument, parse_schema
from ..jsonschema.schema_node import (
    LibrarySchemaError,
    SchemaError,
    SchemaNode,
    Segments,
    changes_of,
    descendants,
    pointer,
    to_json,
)
from ..jsonschema.unusable_values import python_object
from ..runtime.wire import WireBranch, WireForm, WireForms
from .dialect_plan import DialectPlan, plan_of
from .ledger import NOT_STRICT, Ledger, LedgerEntry
from .node import PLAIN, Node, Walk
from .passes.names import Renames, renames_of
from .plain_documents import Behaviour, Traits, behaviour_of, traits_of
from .profiles.dialect import Dialect, nameless, takes_text
from .profiles.envelope import Normalized
from .profiles.load_profiles import load_profile
from .profiles.profile import Profile
from .walk import Walker

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
    """One schema, normalised for any number of providers; dialects that treat it alike share a walk. What it
    returns shares containers, so nothing of it may be changed.
    """

    __slots__ = ("_by_behaviour", "_document", "_listed", "_outcomes", "_renames", "_traits")

    def __init__(self, schema: object, *, checked: bool = False) -> None:
        """`checked`: the schema is a contract, so its keywords are those of 2020-12 and well formed. Raises
        `SchemaError` for a schema that is not an object, and for unbounded nesting.
        """
        self._document = parse_schema(_parameters_of(schema), checked=checked)
        self._outcomes: dict[tuple[Dialect, int | None], WalkOutcome] = {}
        self._listed: tuple[SchemaNode, ...] = ()  # the nodes, once they are needed
        self._renames: dict[str, Renames] = {"": {}}
        self._traits: Traits | UnsetType | None = UNSET  # once a second dialect needs them
        self._by_behaviour: dict[Behaviour, WalkOutcome] = {}

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
        """Walk under `dialect`. `most` levels of values may be nested; `tall`: those of definitions."""
        pattern = dialect.property_names or ""
        if pattern not in self._renames:
            self._renames[pattern] = renames_of(self._nodes(), pattern)
        renames = self._renames[pattern]
        key = dialect if renames else nameless(dialect), most
        found = self._outcomes.get(key)
        if found is not None:
            return found
        behaviour = self._behaviour(key[0]) if self._outcomes and most is None and not renames else None
        alike = self._by_behaviour.get(behaviour) if behaviour is not None else None
        if alike is not None:
            found = replace(alike, plan=plan_of(key[0]))
        else:
            walk = Walk(document=self._document, renames=renames, most=most, heights=tall)
            found = outcome_of(walk, plan_of(key[0]))
            if behaviour is not None:
                self._by_behaviour[behaviour] = found
        self._outcomes[key] = found
        return found

    def _nodes(self) -> tuple[SchemaNode, ...]:
        self._listed = self._listed or tuple(descendants(self._document.root))
        return self._listed

    def _behaviour(self, dialect: Dialect) -> Behaviour | None:
        """Return the part of a dialect on which the outcome depends; None where all of it may."""
        if self._traits is UNSET:
            self._traits = traits_of(self._nodes())
            for (each, most), outcome in self._outcomes.items():
                known = behaviour_of(each, self._traits) if self._traits and most is None else None
                if known is not None and not outcome.walk.renames:
                    self._by_behaviour[known] = outcome
        return behaviour_of(dialect, self._traits) if self._traits else None


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
    """The walk whose output is sent, the strict flag, and why strict mode was given up."""

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


_ROOT = "#"
_DEFINITION = "#/$defs/"
NULL = frozenset(("null",))
_UNIONS = ("anyOf", "oneOf")
_SAME_VALUE = ("allOf", "if", "then", "else", "not", "dependentSchemas")
"""Keywords whose subschemas apply to the same value: only renamed properties are decoded through them."""
_SOME_ITEMS = ("contains", "unevaluatedItems")
_UNION_KEYWORDS = frozenset((*_UNIONS, *_SAME_VALUE, *_SOME_ITEMS, "unevaluatedProperties"))


def wire_forms_of(out: Node) -> WireForms | None:
    """Return the wire forms of a finished output; `None` if nothing in it is encoded."""
    # Names are the same in every branch of a union, and so need no choice of one.
    same = _SAME_VALUE if any(map(_encodes, descendants(out))) else (*_SAME_VALUE, *_UNIONS)
    forms = {
        _DEFINITION + name: _form(child, f"/$defs/{escape(name)}", same)
        for name, child in out.keywords.get("$defs", {}).items()
    }
    forms[_ROOT] = root = _form(out, "", same)
    used = _used(forms)
    kept = {name: _pruned(form, used) for name, form in forms.items() if name in used}
    whole = _pruned(root, used)
    if whole == PLAIN:
        return None
    if not any(form.ref == _ROOT for each in (whole, *kept.values()) for form in _all(each)):
        kept.pop(_ROOT, None)
    return WireForms(root=whole, definitions=kept)


def _own(node: SchemaNode) -> WireForm:
    return node.form if isinstance(node, Node) else PLAIN


def _encodes(node: SchemaNode) -> bool:
    """Return whether a node is sent in another form than its own, by more than names."""
    form = _own(node)
    return bool(form.encoding or form.rest or form.nulls or form.drops)


def _form(schema: Any, at: str, same: tuple[str, ...]) -> WireForm:
    """Return the wire form of one output node. The subschemas of `same` apply to the same value."""
    if not isinstance(schema, SchemaNode):
        return PLAIN
    own, node = _own(schema), schema.keywords
    if own.encoding in ("json", "texts"):
        return own
    if own.encoding == "pairs":
        return replace(own, values=_entry(node.get("items"), f"{at}/items", same))
    reference = node.get("$ref")
    if isinstance(reference, str) and reference.startswith("#"):
        own = replace(own, ref=_name(reference))
    properties = _each(node, "properties", at, same)
    prefix = tuple(
        _some(child, f"{at}/prefixItems/{i}", same) for i, child in enumerate(node.get("prefixItems", ()))
    )
    items = _some(node.get("items"), f"{at}/items", same)
    values = _some(node.get("additionalProperties"), f"{at}/additionalProperties", same)
    if own.rest:
        values = _rest(node, own.rest, at, same)
        properties.pop(own.rest, None)
    if values is None:
        properties = {name: form for name, form in properties.items() if form != PLAIN}
    patterns = _each(node, "patternProperties", at, same)
    found = replace(
        own,
        properties=properties,
        patterns={name: form for name, form in patterns.items() if form != PLAIN},
        prefix=prefix if items or any(prefix) else (),  # items of the prefix are not in `items`
        items=items,
        values=values,
        all_of=()
        if _UNION_KEYWORDS.isdisjoint(node)
        else (*_all_of(node, at, same), *_anywhere(node, at, same)),
    )
    choices = () if "anyOf" in same else _choices(node, at, same)
    if len(choices) == 1 and choices[0].form and found == PLAIN:
        return choices[0].form  # whatever is not of that form is left as it is
    return replace(found, choices=choices)


def _each(node: JsonMapping, keyword: str, at: str, same: tuple[str, ...]) -> dict[str, WireForm]:
    children = node.get(keyword, {})
    return {name: _form(child, f"{at}/{keyword}/{escape(name)}", same) for name, child in children.items()}


def _some(schema: object, at: str, same: tuple[str, ...]) -> WireForm | None:
    form = _form(schema, at, same)
    return None if form == PLAIN else form


def _entry(schema: object, at: str, same: tuple[str, ...]) -> WireForm | None:
    """Return the wire form of the values of a list of pairs."""
    value = schema.keywords.get("properties", {}).get("value") if isinstance(schema, SchemaNode) else None
    return _some(value, f"{at}/properties/value", same)


def _rest(node: JsonMapping, name: str, at: str, same: tuple[str, ...]) -> WireForm | None:
    """Return the wire form of undeclared values; where the property accepts null, its list is in a branch."""
    held = node["properties"][name].keywords
    location = f"{at}/properties/{escape(name)}"
    for i, branch in enumerate(held.get("anyOf", ())):
        if isinstance(branch, SchemaNode) and "items" in branch.keywords:
            held, location = branch.keywords, f"{location}/anyOf/{i}"
    return _entry(held.get("items"), f"{location}/items", same)


def _choices(node: JsonMapping, at: str, same: tuple[str, ...]) -> tuple[WireBranch, ...]:
    """Return the branches of a union, those without a wire form included: a value may be of any."""
    for keyword in _UNIONS:
        branches = node.get(keyword)
        if branches is None:
            continue
        choices = [
            WireBranch(at=f"{at}/{keyword}/{i}", form=_some(branch, f"{at}/{keyword}/{i}", same))
            for i, branch in enumerate(branches)
        ]
        with_form = [i for i, choice in enumerate(choices) if choice.form is not None]
        if len(with_form) == 1 and _alone(branches, with_form[0]):
            return (choices[with_form[0]],)
        if with_form:
            return tuple(choices)
    return ()


def _alone(branches: list[Any], index: int) -> bool:
    """Return whether no other branch accepts a value of the JSON type of the one at `index`."""
    own = _kinds(branches[index])
    others = [_kinds(branch) for i, branch in enumerate(branches) if i != index]
    return all(kind == NULL or (own and kind and kind.isdisjoint(own)) for kind in others)


def _kinds(branch: object) -> frozenset[str]:
    """Return the types that a branch states; empty if it states none, and so accepts any."""
    stated = branch.keywords.get("type") if isinstance(branch, SchemaNode) else None
    return frozenset(stated if isinstance(stated, list) else (stated,) if stated else ())


def _all_of(node: JsonMapping, at: str, same: tuple[str, ...]) -> Iterator[WireForm]:
    """Yield the wire forms of subschemas of `node` that apply to the same value."""
    for keyword in same:
        value = node.get(keyword)
        if value is None:
            continue
        children = value if isinstance(value, list) else value.values() if keyword[0] == "d" else [value]
        for child in children:
            form = _form(child, at, same)
            if form != PLAIN:
                yield form


def _anywhere(node: Mapping[str, object], at: str, same: tuple[str, ...]) -> Iterator[WireForm]:
    """Yield the wire forms of subschemas that apply to some items or properties, used for all: only names."""
    for keyword in _SOME_ITEMS:
        items = _some(node.get(keyword), at, same)
        if items is not None:
            yield WireForm(items=items)
    values = _some(node.get("unevaluatedProperties"), at, same)
    if values is not None:
        yield WireForm(patterns={"": values})


def _name(reference: str) -> str:
    """Return the name of a reference's target in `WireForms.definitions`."""
    if reference in (_ROOT, "#/"):
        return _ROOT
    last = reference.rsplit("/", 1)[-1]
    return _DEFINITION + unescape(last).replace("%25", "%")


def _used(definitions: dict[str, WireForm]) -> frozenset[str]:
    """Return the definitions in which something is encoded, directly or in their targets."""
    used = {name for name, form in definitions.items() if _acts(form, frozenset())}
    while True:
        more = {
            name for name, form in definitions.items() if name not in used and _acts(form, frozenset(used))
        }
        if not more:
            return frozenset(used)
        used |= more


def _acts(form: WireForm, used: frozenset[str]) -> bool:
    return _pruned(form, used) != PLAIN


def _pruned(form: WireForm, used: frozenset[str]) -> WireForm:
    """`form` without parts in which nothing is encoded. `used` are the definitions in which something is."""

    def below(child: WireForm | None) -> WireForm | None:
        if child is None:
            return None
        left = _pruned(child, used)
        return None if left == PLAIN else left

    properties = {name: left for name, child in form.properties.items() if (left := below(child))}
    values = below(form.values)
    if values is not None:  # `values` does not apply to declared properties
        properties = {name: properties.get(name, PLAIN) for name in form.properties}
    prefix = tuple(below(child) for child in form.prefix)
    items = below(form.items)
    all_of = tuple(left for child in form.all_of if (left := below(child)))
    choices = tuple(replace(choice, form=below(choice.form)) for choice in form.choices)
    return replace(
        form,
        ref=form.ref if form.ref in used else "",
        properties=properties,
        prefix=prefix if items or any(prefix) else (),
        items=items,
        patterns={name: left for name, child in form.patterns.items() if (left := below(child))},
        values=values,
        all_of=all_of,
        choices=choices if any(choice.form for choice in choices) else (),
    )


def _all(form: WireForm) -> Iterator[WireForm]:
    """Yield a wire form and every one below it; references are not followed."""
    yield form
    choices = (choice.form for choice in form.choices)
    below = (*form.properties.values(), *form.patterns.values(), *form.prefix, form.items, form.values)
    for child in (*below, *form.all_of, *choices):
        if child is not None:
            yield from _all(child)
