"""Objects of a case against the keywords of one schema: names first, then what each may hold."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any, Final

from msgspec.structs import replace

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
from .gaps import PROPERTIES, Gap, Goal, made_of, merged, size_gaps

_VARIED: Final = 4
"""Objects that are made around a value, where the small ones are refused."""
_MAX_LISTED: Final = 8
"""Names in one message."""


def object_gaps(goal: Goal) -> list[Gap]:
    """Objects against required, declared and free properties, and their number."""
    schema = goal.target.schema
    found = _required_gaps(goal) if "required" in schema else []
    if not schema.keys().isdisjoint(("properties", "patternProperties", "additionalProperties")):
        found += _declared_gaps(goal)
        if not is_closed(goal.facts):
            found += _free_gaps(goal)
    if "propertyNames" in schema:
        found += _name_gaps(goal)
    if "minProperties" in schema or "maxProperties" in schema:
        found += size_gaps(goal, PROPERTIES, lambda size: _of_size(goal, size))
    if "dependentRequired" in schema or "dependentSchemas" in schema:
        found += _dependent_gaps(goal)
    if "unevaluatedProperties" in schema:
        found += _unevaluated_gaps(goal)
    return found


def _with(goal: Goal, name: str) -> Any:
    def embed(value: object) -> Iterator[Any]:
        first: JsonObject | None = None
        for builder, soft in (
            (goal.prover.builder, (goal.target,)),
            (goal.prover.builder, ()),
            *((goal.prover.varied, ()) for _ in range(_VARIED)),
        ):
            try:
                made = builder.object_with(goal.case, name, value, soft, goal.case.refused)
            except UnfillableError:
                continue
            if fits(goal.case, made):
                yield made
                return
            first = made if first is None else first
        if first is not None:  # what surrounds it may still be right
            yield first

    return embed


# -- declared and required ------------------------------------------------------------------------


def _required_gaps(goal: Goal) -> list[Gap]:
    ours = set(required_names(goal.facts))
    declared = set(declared_names(goal.facts))
    found: list[Gap] = []
    for name in goal.target.schema["required"]:
        if name in ours:
            continue
        new = name not in declared
        message = (
            f"`{name}` is new and required" if new else f"`{name}` was optional before and is required now"
        )
        reason = "required-added" if new else "made-required"
        gap = goal.gap(reason, message, partial(_without, goal, name))
        found.append(Gap(_place(goal, name), reason, message, gap.values))
    return found


def _without(goal: Goal, name: str) -> Iterator[object]:
    make = partial(goal.prover.builder.object_without, goal.case, name)
    return made_of(partial(make, (goal.target,)), make)


def _place(goal: Goal, name: str) -> str:
    """Return the pointer of a property in the first contract; in the second where that lacks it."""
    for facts in (goal.facts, (goal.target,)):
        for fact in facts:
            if name in fact.schema.get("properties", ()):
                return f"{fact.pointer}/properties/{escape(name)}"
    return goal.case.pointer


def _declared_gaps(goal: Goal) -> list[Gap]:
    schema = goal.target.schema
    ours = declared_names(goal.facts)
    known = set(ours)
    names = dict.fromkeys([*ours, *required_names(goal.facts), *schema.get("properties", ())])
    found: list[Gap] = []
    for name in names:
        parts = member_parts(goal.facts, name)
        if parts is None:
            continue
        for theirs in _applied(goal.target, name):
            if theirs.schema is True or theirs.schema == {}:
                continue
            if name not in known and is_closed(goal.facts):
                continue
            gaps = _member_gaps(goal, name, parts, theirs)
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


def _member_gaps(goal: Goal, name: str, parts: list[Part], theirs: Part) -> list[Gap]:
    embed = _with(goal, name)
    if theirs.schema is False:
        if goal.prover.emptiness.reason(parts):
            return []
        closed = name not in goal.target.schema.get("properties", ())
        message = (
            f"`{name}` is no longer declared, and the object is closed"
            if closed
            else f"`{name}` must be absent now"
        )
        values = partial(made_of, *[partial(goal.prover.builder.value, parts)] * 3)
        reason = "property-removed" if closed else "property-forbidden"
        return [Gap(_place(goal, name), reason, message, values).around(embed)]
    forgiven = theirs.pointer.endswith("/properties/" + escape(name)) and goal.prover.forgives_null(
        goal.target, name
    )
    parts = parts or [Part(goal.target.side, True, _place(goal, name))]
    return [gap.around(embed) for gap in goal.prover.gaps(parts, theirs, without_null=forgiven)]


def _declared_now(gaps: list[Gap], theirs: Part, name: str) -> Gap:
    """Return all that is refused of a property that was free before as one reason."""
    message = f"`{name}` was not declared before and had any value; it has a schema now"
    return Gap(
        theirs.pointer,
        "property-declared",
        message,
        lambda: chain.from_iterable(gap.values() for gap in gaps),
    )


# -- free names -----------------------------------------------------------------------------------


def _name_parts(case: Case) -> list[Part]:
    return [fact.below("propertyNames") for fact in case.facts if "propertyNames" in fact.schema]


def _classes(case: Case) -> Iterator[tuple[str | None, list[Part]]]:
    """Yield undeclared names, those of each pattern and the rest, with the schemas of their values."""
    rest: list[Part] = []
    for fact in case.facts:
        if "additionalProperties" in fact.schema:
            rest.append(fact.below("additionalProperties"))
        for pattern in fact.schema.get("patternProperties", ()):
            yield pattern, [fact.below("patternProperties", pattern)]
    yield None, [*rest, *(part for part, _ in unevaluated(case.facts))]


def _free_gaps(goal: Goal) -> list[Gap]:
    patterns = list(goal.target.schema.get("patternProperties", ()))
    additional = goal.target.schema.get("additionalProperties", True)
    found: list[Gap] = []
    for pattern, parts in _classes(goal.case):
        if goal.prover.emptiness.reason(parts):
            continue
        own = [pattern] if pattern is not None else []
        others = [] if pattern is not None else _all_patterns(goal.case)
        for theirs in patterns:
            if theirs in others:
                continue
            name = _name(goal, [*own, theirs], others)
            if name is not None:
                below = goal.target.below("patternProperties", theirs)
                more = _also_matched(goal.case, [*own, theirs], parts)
                found += _class_gaps(goal, name, [*parts, *more], below)
        if additional is not True and additional != {} and not set(own) & set(patterns):
            name = _name(goal, own, [*others, *patterns])
            if name is not None:
                below = goal.target.below("additionalProperties")
                more = _also_matched(goal.case, own, parts)
                found += _class_gaps(goal, name, [*parts, *more], below)
    return merged(found)


def _also_matched(case: Case, own: Sequence[str], known: Sequence[Part]) -> list[Part]:
    """Return the schemas of further patterns that every name which matches `own` matches."""
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


def _class_gaps(goal: Goal, name: str, parts: list[Part], theirs: Part) -> list[Gap]:
    embed = _with(goal, name)
    if theirs.schema is False:
        message = "properties that are not declared are refused now"
        values = partial(made_of, *[partial(goal.prover.builder.value, parts)] * 2)
        return [Gap(goal.case.pointer, "object-closed", message, values).around(embed)]
    parts = parts or [Part(goal.target.side, True, goal.case.pointer)]
    return [gap.around(embed) for gap in goal.prover.gaps(parts, theirs)]


def _name(goal: Goal, found: Sequence[str], refused: Sequence[str]) -> str | None:
    """Return an undeclared name that fits; None where none does, and any where that is undecided."""
    taken = {*declared_names(goal.facts), *goal.target.schema.get("properties", ())}
    names = _name_parts(goal.case)
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


def _name_gaps(goal: Goal) -> list[Gap]:
    theirs = goal.target.below("propertyNames")
    names = _name_parts(goal.case)
    found: list[Gap] = []
    refused = [
        name
        for name in dict.fromkeys([*declared_names(goal.facts), *required_names(goal.facts)])
        if not theirs.accepts(name)
        and (parts := member_parts(goal.facts, name)) is not None
        and not goal.prover.emptiness.reason(parts)
    ]
    if refused:
        listed = ", ".join(f"`{name}`" for name in refused[:_MAX_LISTED])

        def with_names() -> Iterator[Any]:
            for name in refused[:_MAX_LISTED]:
                make = partial(goal.prover.builder.value, member_parts(goal.facts, name) or ())
                for value in made_of(make):
                    yield from _with(goal, name)(value)

        found.append(
            Gap(goal.case.pointer, "property-names-narrowed", f"names refused now: {listed}", with_names)
        )
    if is_closed(goal.facts):
        return found
    text = goal.prover.made(theirs, {"type": "string"})
    for pattern, parts in _classes(goal.case):
        if goal.prover.emptiness.reason(parts):
            continue
        own = [
            *names,
            text,
            *([goal.prover.made(theirs, {"pattern": pattern})] if pattern is not None else []),
        ]
        for gap in goal.prover.gaps(own, theirs):

            def named(name: Any, parts: list[Part] = parts) -> Iterator[Any]:
                make = partial(goal.prover.builder.value, member_parts(goal.facts, name) or parts)
                for value in made_of(make):
                    yield from _with(goal, name)(value)

            around = gap.around(named)
            found.append(Gap(goal.case.pointer, "property-names-narrowed", around.message, around.values))
    return merged(found)


# -- numbers of properties and dependencies -------------------------------------------------------


def _of_size(goal: Goal, size: JsonObject) -> Iterator[Any]:
    for sized in cases_of([goal.made(size)], goal.case):
        yield from goal.values(sized)


def _dependent_gaps(goal: Goal) -> list[Gap]:
    found: list[Gap] = []
    named: Iterable[str] = dict.fromkeys(
        [*goal.target.schema.get("dependentRequired", ()), *goal.target.schema.get("dependentSchemas", ())]
    )
    for name in named:
        if member_parts(goal.facts, name) is None:
            continue
        for present in cases_of([goal.made({"required": [name]})], goal.case):
            if goal.prover.emptiness.case(present):
                continue
            for other in goal.target.schema.get("dependentRequired", {}).get(name, ()):
                if other in required_names(present.facts):
                    continue
                message = f"`{name}` requires `{other}` now"
                below = replace(goal, case=present)
                found.append(below.gap("dependency-added", message, partial(_without, below, other)))
            if name in goal.target.schema.get("dependentSchemas", ()):
                found += goal.prover.case_gaps(present, goal.target.below("dependentSchemas", name))
    return found


def _unevaluated_gaps(goal: Goal) -> list[Gap]:
    """`unevaluatedProperties` as `additionalProperties` of all schemas that surely apply."""
    if "additionalProperties" in goal.target.schema:
        return []
    rest = goal.target.below("unevaluatedProperties")
    for fact in goal.facts:
        if "unevaluatedProperties" in fact.schema and _evaluates_alike(goal, fact):
            return (
                [] if not goal.prover.gaps([fact.below("unevaluatedProperties")], rest) else [_depends(goal)]
            )
    known = evaluated(goal.target)
    if known is None or any(_branching(fact) for fact in possible_facts([goal.target])):
        return [_depends(goal)]
    made = goal.made(
        {
            "properties": dict.fromkeys(sorted(known.names), True),
            "patternProperties": dict.fromkeys(known.patterns, True),
            "additionalProperties": rest.schema,
        },
    )
    return object_gaps(replace(goal, target=made))


_IN_PLACE: Final = ("$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas")


def _evaluates_alike(goal: Goal, ours: Part) -> bool:
    """Return whether the target evaluates the properties that `ours` does, for every value of both."""
    one, two = ours.schema, goal.target.schema
    if "additionalProperties" in one:
        return False
    for keyword in ("properties", "patternProperties"):
        if set(one.get(keyword, ())) - set(two.get(keyword, ())):
            return False
    restricted = [{word: each[word] for word in _IN_PLACE if word in each} for each in (one, two)]
    return goal.prover.same(goal.prover.made(ours, restricted[0]), goal.made(restricted[1]))


def _branching(fact: Part) -> bool:
    return not fact.schema.keys().isdisjoint(("anyOf", "oneOf", "if", "not", "dependentSchemas"))


def _depends(goal: Goal) -> Gap:
    message = "which properties `unevaluatedProperties` applies to depends on the branches of unions"
    return goal.gap("object-closed", message, lambda: iter(()))
