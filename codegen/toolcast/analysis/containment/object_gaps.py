"""Objects of a case against the keywords of one schema: names first, then what each may hold."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from ...jsonschema.case_facts import (
    declared_names,
    evaluated,
    is_closed,
    matches,
    member_parts,
    patterned,
    required_names,
    text_lengths,
    unevaluated,
    values_of,
)
from ...jsonschema.cases import Case, Part, cases_of, possible_facts
from ...jsonschema.json_values import JsonObject
from ...jsonschema.pointers import escape
from ..instances.generator import UnfillableError, fits
from ..instances.pattern_texts import UndecidedTextError, find_text
from .gaps import PROPERTIES, Gap, Prover, merged, size_gaps

_VARIED: Final = 4
"""Objects that are made around a value, where the small ones are refused."""
_MAX_LISTED: Final = 8
"""Names in one message."""


def object_gaps(prover: Prover, case: Case, target: Part) -> list[Gap]:
    """Objects against required, declared and free properties, and their number."""
    schema = target.schema
    found = _required_gaps(prover, case, target) if "required" in schema else []
    if not schema.keys().isdisjoint(("properties", "patternProperties", "additionalProperties")):
        found += _declared_gaps(prover, case, target)
        if not is_closed(case.facts):
            found += _free_gaps(prover, case, target)
    if "propertyNames" in schema:
        found += _name_gaps(prover, case, target)
    if "minProperties" in schema or "maxProperties" in schema:
        found += size_gaps(
            prover, case, target, PROPERTIES, lambda size: _of_size(prover, case, target, size)
        )
    if "dependentRequired" in schema or "dependentSchemas" in schema:
        found += _dependent_gaps(prover, case, target)
    if "unevaluatedProperties" in schema:
        found += _unevaluated_gaps(prover, case, target)
    return found


def _with(prover: Prover, case: Case, target: Part, name: str) -> Any:
    """Puts a value into an object of `case`, under `name`."""

    def embed(value: object) -> Iterator[Any]:
        first: JsonObject | None = None
        for builder, soft in (
            (prover.builder, (target,)),
            (prover.builder, ()),
            *((prover.varied, ()) for _ in range(_VARIED)),
        ):
            try:
                made = builder.object_with(case, name, value, soft, case.refused)
            except UnfillableError:
                continue
            if fits(case, made):
                yield made
                return
            first = made if first is None else first
        if first is not None:  # what surrounds it may still be right
            yield first

    return embed


# -- declared and required ------------------------------------------------------------------------


def _required_gaps(prover: Prover, case: Case, target: Part) -> list[Gap]:
    ours = set(required_names(case.facts))
    declared = set(declared_names(case.facts))
    found: list[Gap] = []
    for name in target.schema["required"]:
        if name in ours:
            continue
        new = name not in declared
        message = (
            f"`{name}` is new and required" if new else f"`{name}` was optional before and is required now"
        )
        place = _place(case, target, name)
        gap = prover.gap(
            case,
            target,
            "required-added" if new else "made-required",
            message,
            lambda name=name: _without(prover, case, target, name),  # type: ignore[misc]
        )
        found.append(Gap(place, gap.reason, gap.message, gap.values))
    return found


def _without(prover: Prover, case: Case, target: Part, name: str) -> Iterator[object]:
    for soft in ((target,), ()):
        try:
            yield prover.builder.object_without(case, name, soft)
        except UnfillableError:
            continue


def _place(case: Case, target: Part, name: str) -> str:
    """The pointer of a property in the first contract; in the second where that lacks it."""
    for facts in (case.facts, (target,)):
        for fact in facts:
            if name in fact.schema.get("properties", ()):
                return f"{fact.pointer}/properties/{escape(name)}"
    return case.pointer


def _declared_gaps(prover: Prover, case: Case, target: Part) -> list[Gap]:
    schema = target.schema
    ours = declared_names(case.facts)
    known = set(ours)
    names = dict.fromkeys([*ours, *required_names(case.facts), *schema.get("properties", ())])
    found: list[Gap] = []
    for name in names:
        parts = member_parts(case.facts, name)
        if parts is None:
            continue
        for theirs in _applied(target, name):
            if theirs.schema is True or theirs.schema == {}:
                continue
            if name not in known and is_closed(case.facts):
                continue
            gaps = _member_gaps(prover, case, target, name, parts, theirs)
            if name not in known and not any(part.schema is not True for part in parts):
                gaps = [_declared_now(gaps, theirs, name)] if gaps else []
            found += gaps
    return found


def _applied(target: Part, name: str) -> list[Part]:
    schema = target.schema
    found = [target.below("properties", name)] if name in schema.get("properties", ()) else []
    found += [
        target.below("patternProperties", pattern)
        for pattern in schema.get("patternProperties", ())
        if matches(pattern, name)
    ]
    if not found and "additionalProperties" in schema:
        found.append(target.below("additionalProperties"))
    return found


def _member_gaps(
    prover: Prover, case: Case, target: Part, name: str, parts: list[Part], theirs: Part
) -> list[Gap]:
    embed = _with(prover, case, target, name)
    if theirs.schema is False:
        if prover.emptiness.reason(parts):
            return []
        closed = name not in target.schema.get("properties", ())
        message = (
            f"`{name}` is no longer declared, and the object is closed"
            if closed
            else f"`{name}` must be absent now"
        )

        def values() -> Iterator[Any]:
            for _ in range(3):
                try:
                    yield prover.builder.value(parts)
                except UnfillableError:
                    return

        reason = "property-removed" if closed else "property-forbidden"
        return [Gap(_place(case, target, name), reason, message, values).around(embed)]
    forgiven = theirs.pointer.endswith("/properties/" + escape(name)) and prover.forgives_null(target, name)
    parts = parts or [Part(target.side, True, _place(case, target, name))]
    return [gap.around(embed) for gap in prover.gaps(parts, theirs, without_null=forgiven)]


def _declared_now(gaps: list[Gap], theirs: Part, name: str) -> Gap:
    """All that is refused of a property that was free before, as one reason."""
    message = f"`{name}` was not declared before and had any value; it has a schema now"

    def values() -> Iterator[Any]:
        for gap in gaps:
            yield from gap.values()

    return Gap(theirs.pointer, "property-declared", message, values)


# -- free names -----------------------------------------------------------------------------------


def _name_parts(case: Case) -> list[Part]:
    return [fact.below("propertyNames") for fact in case.facts if "propertyNames" in fact.schema]


def _classes(case: Case) -> Iterator[tuple[str | None, list[Part]]]:
    """Names that nothing declares: those of each pattern, and the rest, each with the schemas of values."""
    rest: list[Part] = []
    for fact in case.facts:
        if "additionalProperties" in fact.schema:
            rest.append(fact.below("additionalProperties"))
        for pattern in fact.schema.get("patternProperties", ()):
            yield pattern, [fact.below("patternProperties", pattern)]
    yield None, [*rest, *(part for part, _ in unevaluated(case.facts))]


def _free_gaps(prover: Prover, case: Case, target: Part) -> list[Gap]:
    """Names that neither side declares."""
    patterns = list(target.schema.get("patternProperties", ()))
    additional = target.schema.get("additionalProperties", True)
    found: list[Gap] = []
    for pattern, parts in _classes(case):
        if prover.emptiness.reason(parts):
            continue
        own = [pattern] if pattern is not None else []
        others = [] if pattern is not None else _all_patterns(case)
        for theirs in patterns:
            if theirs in others:
                continue
            name = _name(case, target, [*own, theirs], others)
            if name is not None:
                below = target.below("patternProperties", theirs)
                more = _also_matched(case, [*own, theirs], parts)
                found += _class_gaps(prover, case, target, name, [*parts, *more], below)
        if additional is not True and additional != {} and not set(own) & set(patterns):
            name = _name(case, target, own, [*others, *patterns])
            if name is not None:
                below = target.below("additionalProperties")
                more = _also_matched(case, own, parts)
                found += _class_gaps(prover, case, target, name, [*parts, *more], below)
    return merged(found)


def _also_matched(case: Case, own: Sequence[str], known: Sequence[Part]) -> list[Part]:
    """The schemas of further patterns that every name matches which matches `own`."""
    found: list[Part] = []
    for fact, pattern in patterned(case.facts):
        part = fact.below("patternProperties", pattern)
        if not own or any(part.key == each.key for each in known):
            continue
        try:
            if pattern in own or find_text(own, (pattern,)) is None:
                found.append(part)
        except UndecidedTextError:
            continue
    return found


def _all_patterns(case: Case) -> list[str]:
    stated = [pattern for fact in case.facts for pattern in fact.schema.get("patternProperties", ())]
    return [*stated, *(pattern for _, known in unevaluated(case.facts) for pattern in known.patterns)]


def _class_gaps(
    prover: Prover, case: Case, target: Part, name: str, parts: list[Part], theirs: Part
) -> list[Gap]:
    """Gaps of the values of a class of names, of which `name` is one."""
    embed = _with(prover, case, target, name)
    if theirs.schema is False:
        message = "properties that are not declared are refused now"

        def values() -> Iterator[Any]:
            for _ in range(2):
                try:
                    yield prover.builder.value(parts)
                except UnfillableError:
                    return

        return [Gap(case.pointer, "object-closed", message, values).around(embed)]
    parts = parts or [Part(target.side, True, case.pointer)]
    return [gap.around(embed) for gap in prover.gaps(parts, theirs)]


def _name(case: Case, target: Part, found: Sequence[str], refused: Sequence[str]) -> str | None:
    """A name that nothing declares, with patterns that match it and patterns that do not; None where there is
    none. Where that is not decided, a name that may be none."""
    taken = {*declared_names(case.facts), *target.schema.get("properties", ())}
    names = _name_parts(case)
    cases = cases_of(names) if names else []
    facts = [fact for each in cases if each.kind == "string" for fact in each.facts] if len(cases) < 2 else []
    patterns = list(dict.fromkeys([*found, *values_of(facts, "pattern")]))
    lengths = text_lengths(facts)
    fallback: str | None = None
    for least in (max(lengths.least, 1), *range(lengths.least, lengths.least + 12)):
        try:
            name = find_text(patterns, refused, least, lengths.most)
        except UndecidedTextError:
            fallback = "other"
            break
        if name is None and least <= lengths.least:
            return None
        if name is not None:
            fallback = name
            if name not in taken and all(part.accepts(name) for part in names):
                return name
    for name in ("other", "x", "zz", "a", "_", "Other", "x1", "1"):
        if (
            name not in taken
            and all(part.accepts(name) for part in names)
            and all(matches(pattern, name) for pattern in found)
            and not any(matches(pattern, name) for pattern in refused)
        ):
            return name
    return fallback


def _name_gaps(prover: Prover, case: Case, target: Part) -> list[Gap]:
    theirs = target.below("propertyNames")
    names = _name_parts(case)
    found: list[Gap] = []
    refused = [
        name
        for name in dict.fromkeys([*declared_names(case.facts), *required_names(case.facts)])
        if not theirs.accepts(name)
        and (parts := member_parts(case.facts, name)) is not None
        and not prover.emptiness.reason(parts)
    ]
    if refused:
        listed = ", ".join(f"`{name}`" for name in refused[:_MAX_LISTED])

        def with_names() -> Iterator[Any]:
            for name in refused[:_MAX_LISTED]:
                try:
                    value = prover.builder.value(member_parts(case.facts, name) or ())
                except UnfillableError:
                    continue
                yield from _with(prover, case, target, name)(value)

        found.append(Gap(case.pointer, "property-names-narrowed", f"names refused now: {listed}", with_names))
    if is_closed(case.facts):
        return found
    text = prover.made(theirs, {"type": "string"})
    for pattern, parts in _classes(case):
        if prover.emptiness.reason(parts):
            continue
        own = [*names, text, *([prover.made(theirs, {"pattern": pattern})] if pattern is not None else [])]
        for gap in prover.gaps(own, theirs):

            def named(name: Any, parts: list[Part] = parts) -> Iterator[Any]:
                try:
                    value = prover.builder.value(member_parts(case.facts, name) or parts)
                except UnfillableError:
                    return
                yield from _with(prover, case, target, name)(value)

            around = gap.around(named)
            found.append(Gap(case.pointer, "property-names-narrowed", around.message, around.values))
    return merged(found)


# -- numbers of properties and dependencies -------------------------------------------------------


def _of_size(prover: Prover, case: Case, target: Part, size: JsonObject) -> Iterator[Any]:
    for sized in cases_of([prover.made(target, size)], case):
        try:
            yield prover.builder.of_case(sized)
        except UnfillableError:
            continue


def _dependent_gaps(prover: Prover, case: Case, target: Part) -> list[Gap]:
    found: list[Gap] = []
    named: Iterable[str] = dict.fromkeys(
        [*target.schema.get("dependentRequired", ()), *target.schema.get("dependentSchemas", ())]
    )
    for name in named:
        if member_parts(case.facts, name) is None:
            continue
        for present in cases_of([prover.made(target, {"required": [name]})], case):
            if prover.emptiness.case(present):
                continue
            for other in target.schema.get("dependentRequired", {}).get(name, ()):
                if other in required_names(present.facts):
                    continue
                message = f"`{name}` requires `{other}` now"
                found.append(
                    prover.gap(
                        present,
                        target,
                        "dependency-added",
                        message,
                        lambda present=present, other=other: _without(prover, present, target, other),  # type: ignore[misc]
                    )
                )
            if name in target.schema.get("dependentSchemas", ()):
                found += prover.case_gaps(present, target.below("dependentSchemas", name))
    return found


def _unevaluated_gaps(prover: Prover, case: Case, target: Part) -> list[Gap]:
    """`unevaluatedProperties` as `additionalProperties` of all schemas that surely apply."""
    if "additionalProperties" in target.schema:
        return []
    rest = target.below("unevaluatedProperties")
    for fact in case.facts:
        if "unevaluatedProperties" in fact.schema and _evaluates_alike(prover, fact, target):
            return (
                []
                if not prover.gaps([fact.below("unevaluatedProperties")], rest)
                else [_depends(prover, case, target)]
            )
    known = evaluated(target)
    if known is None or any(_branching(fact) for fact in possible_facts([target])):
        return [_depends(prover, case, target)]
    made = prover.made(
        target,
        {
            "properties": dict.fromkeys(sorted(known.names), True),
            "patternProperties": dict.fromkeys(known.patterns, True),
            "additionalProperties": rest.schema,
        },
    )
    return object_gaps(prover, case, made)


_IN_PLACE: Final = ("$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas")


def _evaluates_alike(prover: Prover, ours: Part, theirs: Part) -> bool:
    """Return whether one schema evaluates the properties that another does, for every value of both."""
    one, two = ours.schema, theirs.schema
    if "additionalProperties" in one:
        return False
    for keyword in ("properties", "patternProperties"):
        if set(one.get(keyword, ())) - set(two.get(keyword, ())):
            return False
    restricted = [{word: each[word] for word in _IN_PLACE if word in each} for each in (one, two)]
    return prover.same(prover.made(ours, restricted[0]), prover.made(theirs, restricted[1]))


def _branching(fact: Part) -> bool:
    return not fact.schema.keys().isdisjoint(("anyOf", "oneOf", "if", "not", "dependentSchemas"))


def _depends(prover: Prover, case: Case, target: Part) -> Gap:
    message = "which properties `unevaluatedProperties` applies to depends on the branches of unions"
    return prover.gap(case, target, "object-closed", message, lambda: iter(()))
