"""A case against unions, `not` and conditions. Where no branch holds for a whole case, it is split."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec.structs import replace

from ...jsonschema.case_facts import (
    declared_names,
    is_closed,
    member_parts,
    required_names,
    values_of,
)
from ...jsonschema.cases import FRACTION, INTEGER, Case, Part, cases_of, possible_facts
from ...jsonschema.json_values import JsonObject, key
from .gaps import Gap, Goal, merged, together

_MAX_SPLITS: Final = 4
"""Splits of one case, each of what the former one left."""
_MAX_ALONE: Final = 4
"""Branches of which each is tried without the others."""
_MAX_LITERALS: Final = 40
"""Values of a property that a case is split by."""


def union_gaps(goal: Goal, keyword: str) -> list[Gap]:
    """Return why a case may fit no branch of a union (`oneOf`: not exactly one)."""
    branches = goal.target.listed(keyword)
    whole = goal.made({keyword: goal.target.schema[keyword]})
    return _branch_gaps(replace(goal, target=whole), branches, 0)


def _branch_gaps(goal: Goal, branches: list[Part], depth: int) -> list[Gap]:
    prover, case, whole = goal.prover, goal.case, goal.target
    exclusive = "oneOf" in whole.schema
    if not exclusive and any(prover.same(fact, branch) for branch in branches for fact in case.facts):
        return []
    alike = [branch for branch in branches if _stands_alike(case, branch)]
    if not exclusive and any(not prover.case_gaps(case, branch) for branch in alike):
        return []
    viable = [branch for branch in branches if not prover.disjoint(case, branch)]
    failed: list[list[Gap]] = []
    for branch in viable:
        gaps = prover.case_gaps(case, branch)
        if gaps:
            failed.append(gaps)
        elif not exclusive or all(prover.disjoint(case, each) for each in viable if each is not branch):
            return []
    if depth < _MAX_SPLITS and len(viable) > 1 and prover.spend():
        pieces = _split(goal, branches)
        if pieces:
            found: list[Gap] = []
            for piece in pieces:
                if not prover.emptiness.case(piece):
                    found += _branch_gaps(replace(goal, case=piece), viable, depth + 1)
            return merged(found)
    if not viable:
        message = "no branch of the union accepts it now"
        return [goal.gap("branch-removed", message, lambda: goal.values(case))]
    if len(failed) < len(viable):
        message = "more than one branch of `oneOf` may accept it now"
        return [goal.gap("branches-overlap", message, lambda: _overlap(goal, viable))]
    best = min(failed, key=len)
    if len(viable) == 1:
        return [_refused_by(gap, whole) for gap in best]
    if not exclusive and depth == 0 and len(viable) <= _MAX_ALONE:
        alone = _refused_by_others(goal, viable)
        if not alone:
            return []
        failed = [alone, *failed]
    everything = together(
        [gap for gaps in (best, *(each for each in failed if each is not best)) for gap in gaps]
    )
    if len(best) > 1:
        everything = Gap(
            case.pointer, "union-narrowed", "no branch of the union accepts all of it now", everything.values
        )
    searched = goal.gap(everything.reason, everything.message, lambda: iter(()))
    return [_refused_by(together([everything, searched]), whole)]


def _stands_alike(case: Case, branch: Part) -> bool:
    return case.pointer.rsplit("/", 2)[-2:] == branch.pointer.rsplit("/", 2)[-2:]


def _refused_by_others(goal: Goal, viable: list[Part]) -> list[Gap]:
    """Return gaps of the most likely branch, for values that no other branch accepts."""
    found: list[Gap] = []
    for branch in viable:
        others = tuple(each for each in viable if each is not branch)
        rest = replace(goal.case, refused=(*goal.case.refused, *others))
        gaps = [] if goal.prover.emptiness.case(rest) else goal.prover.case_gaps(rest, branch)
        if not gaps:  # what the others leave is in this one
            return []
        found += gaps
    return found


def _refused_by(gap: Gap, whole: Part) -> Gap:
    """Return the gap without values that another branch accepts."""

    def values() -> Iterator[Any]:
        return (value for value in gap.values() if not whole.accepts(value))

    return Gap(gap.pointer, gap.reason, gap.message, values)


def _overlap(goal: Goal, branches: Sequence[Part]) -> Iterator[object]:
    for one in branches[:8]:
        for two in branches[:8]:
            if one is two:
                continue
            for both in cases_of([one, two], goal.case):
                yield from goal.values(both)


def exclusion_gaps(goal: Goal) -> list[Gap]:
    """Return why a case may hold values that `not` excludes."""
    excluded = goal.target.below("not")
    if goal.prover.disjoint(goal.case, excluded):
        return []
    whole = goal.made({"not": goal.target.schema["not"]})

    def values() -> Iterator[Any]:
        for both in cases_of([excluded], goal.case):
            yield from goal.values(both)

    message = "`not` excludes some of it now"
    return [replace(goal, target=whole).gap("exclusion-added", message, values)]


def condition_gaps(goal: Goal, depth: int = 0) -> list[Gap]:
    """Return why values may be refused by `then` or by `else`."""
    condition = goal.target.below("if")
    found: list[Gap] = []
    if "then" in goal.target.schema:
        for both in cases_of([condition], goal.case):
            if not goal.prover.emptiness.case(both):
                found += goal.prover.case_gaps(both, goal.target.below("then"))
    if "else" in goal.target.schema and not goal.prover.contains(goal.case, condition):
        rest = replace(goal.case, refused=(*goal.case.refused, condition))
        found += goal.prover.case_gaps(rest, goal.target.below("else"))
    if found and depth < _MAX_SPLITS and goal.prover.spend():
        pieces = _split(goal, [condition])
        if pieces:
            found = [
                gap
                for piece in pieces
                if not goal.prover.emptiness.case(piece)
                for gap in condition_gaps(replace(goal, case=piece), depth + 1)
            ]
    return merged(found)


# -- splits ---------------------------------------------------------------------------------------


def _split(goal: Goal, hints: Sequence[Part]) -> list[Case]:
    """Split a case by the properties that `hints` mention; empty where they distinguish nothing."""
    facts = possible_facts(hints)
    if goal.case.kind == "object":
        return _split_object(goal, facts)
    if goal.case.kind == "number":
        return _split_number(goal, facts)
    keywords = ("minLength", "maxLength") if goal.case.kind == "string" else ("minItems", "maxItems")
    return _split_length(goal, facts, keywords)


def _pieces(goal: Goal, hint: Part, restrictions: list[JsonObject]) -> list[Case]:
    made = [goal.prover.made(hint, each) for each in restrictions]
    return [piece for part in made for piece in cases_of([part], goal.case)]


def _split_object(goal: Goal, facts: list[Part]) -> list[Case]:
    required = set(required_names(goal.facts))
    for fact in facts:
        for name, schema in fact.schema.get("properties", {}).items():
            members = member_parts(goal.facts, name)
            if members is None or not isinstance(schema, (dict, bool)):
                continue
            absent = [] if name in required else [{"properties": {name: False}}]
            if schema is False:
                if absent:
                    return _pieces(goal, fact, [*absent, {"required": [name]}])
                continue
            pieces = _by_value(facts, name, members)
            if pieces:
                return _pieces(goal, fact, [*absent, *pieces])
    for fact in facts:
        for name in fact.schema.get("required", ()):
            if name in required or member_parts(goal.facts, name) is None:
                continue
            if name not in declared_names(goal.facts) and is_closed(goal.facts):
                continue
            return _pieces(goal, fact, [{"properties": {name: False}}, {"required": [name]}])
    return []


def _by_value(facts: list[Part], name: str, members: list[Part]) -> list[JsonObject]:
    """Return restrictions of one property to each listed value and the rest, or to each type."""
    cases = cases_of(members) if members else []
    literals = [value for each in cases for value in each.literals or ()]
    complete = bool(cases) and all(each.literals is not None for each in cases)
    if complete and len(literals) == 1:
        return []
    listed: dict[object, object] = {}
    for fact in facts:
        schema = fact.schema.get("properties", {}).get(name)
        for each in possible_facts([Part(fact.side, schema, "")]) if isinstance(schema, dict) else ():
            for keyword in ("enum", "const"):
                if keyword in each.schema:
                    values = each.schema["enum"] if keyword == "enum" else [each.schema["const"]]
                    listed.update({key(value): value for value in values})
    if complete and literals and len(literals) <= _MAX_LITERALS and listed:
        return [{"properties": {name: {"enum": [value]}}, "required": [name]} for value in literals]
    if listed and len(listed) <= _MAX_LITERALS:
        if any("not" in part.schema for part in members if isinstance(part.schema, dict)):
            return []  # what is left after a split by the same values
        values = list(listed.values())
        rest = {"properties": {name: {"not": {"enum": values}}}, "required": [name]}
        return [*({"properties": {name: {"enum": [v]}}, "required": [name]} for v in values), rest]
    kinds = dict.fromkeys(each.kind for each in cases)
    if 1 < len(kinds) < 6:
        return [{"properties": {name: {"type": kind}}, "required": [name]} for kind in kinds]
    return []


def _split_number(goal: Goal, facts: list[Part]) -> list[Case]:
    if (
        goal.case.mask & INTEGER
        and goal.case.mask & FRACTION
        and any("integer" in str(kinds) for kinds in values_of(facts, "type"))
    ):
        return [replace(goal.case, mask=INTEGER), replace(goal.case, mask=FRACTION)]
    known = {
        repr(bound)
        for keyword in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
        for bound in values_of(goal.facts, keyword)
    }
    for fact in facts:
        for keyword in ("minimum", "exclusiveMaximum", "maximum", "exclusiveMinimum"):
            bound = fact.schema.get(keyword)
            if bound is None or repr(bound) in known:
                continue
            below, above = (
                ({"exclusiveMaximum": bound}, {"minimum": bound})
                if keyword in ("minimum", "exclusiveMaximum")
                else ({"maximum": bound}, {"exclusiveMinimum": bound})
            )
            return _pieces(goal, fact, [below, above])
    return []


def _split_length(goal: Goal, facts: list[Part], keywords: tuple[str, str]) -> list[Case]:
    least, most = keywords
    known = {int(length) for keyword in keywords for length in values_of(goal.facts, keyword)}
    for fact in facts:
        for keyword, off in ((least, -1), (most, 0)):
            if keyword in fact.schema:
                bound = int(fact.schema[keyword]) + off
                if bound < 0 or {bound, bound + 1} & known:
                    continue
                return _pieces(goal, fact, [{most: bound}, {least: bound + 1}])
    if goal.case.kind == "string":
        taken = set(values_of(goal.facts, "pattern"))
        for fact in facts:
            pattern = fact.schema.get("pattern")
            if pattern is None or pattern in taken:
                continue
            if any(part.schema == {"pattern": pattern} for part in goal.case.refused):
                continue
            return _pieces(goal, fact, [{"pattern": pattern}, {"not": {"pattern": pattern}}])
    return []
