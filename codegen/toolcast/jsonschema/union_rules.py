"""`anyOf` and `oneOf`: verdicts, and the branch whose violations are reported."""

# ruff: noqa: SIM110  # checks share one signature; loops are twice as fast as generators

from collections.abc import Hashable, Mapping
from typing import Any

from . import messages
from .equality import key
from .node import Builder, Check, CompiledNode, Rule, RuleContext, Validation
from .validator_errors import TooManyBranches, Violation


def _union_rule(keyword: str) -> Builder:
    def build(context: RuleContext) -> Rule | None:
        if keyword not in context.schema:
            return None
        nodes = [context.inplace(sub, keyword, index) for index, sub in enumerate(context.schema[keyword])]
        check = _any(nodes) if keyword == "anyOf" else _one(nodes)

        def explain(value: Any, path: str, run: Validation) -> list[Violation]:
            hits: list[int] = []
            if keyword == "oneOf":
                run.spend(len(nodes))
                hits = [index for index, node in enumerate(nodes, 1) if node.check(value, run)]
            if len(hits) > 1:
                which = " and ".join(map(str, hits[:5]))
                text = f"{messages.label(path)} matches more than one of the {len(nodes)} forms allowed here"
                return [
                    Violation(
                        path, f"{text} (numbers {which}); it must match exactly one", keyword, len(nodes)
                    )
                ]
            return _explain_union(nodes, value, path, run, keyword)

        def names(value: Any, run: Validation, evaluated: set[Any]) -> bool:
            return any(node.names(value, run, evaluated) for node in nodes if node.check(value, run))

        def indices(value: object, run: Validation, evaluated: set[object]) -> bool:
            return any(node.indices(value, run, evaluated) for node in nodes if node.check(value, run))

        return Rule(check, explain, _settle(nodes), names, indices)

    return build


def _bounded(nodes: list[CompiledNode], check_branches: Check) -> Check:
    """`check_branches`, which counts the branches tried; a patient run checks each value once."""
    count = len(nodes)

    def check(value: Any, run: Validation) -> bool:
        if not run.patient:
            run.branches -= count  # `run.spend`, inlined: this is called most often
            if run.branches < 0:
                raise TooManyBranches
            return check_branches(value, run)
        key = (id(value), id(nodes))
        known = run.verdicts.get(key)
        if known is None:
            run.spend(count)
            known = run.verdicts[key] = check_branches(value, run)
        return known

    return check


def _any(nodes: list[CompiledNode]) -> Check:
    def check_branches(value: object, run: Validation) -> bool:
        for node in nodes:
            if node.check(value, run):
                return True
        return False

    return _bounded(nodes, check_branches)


def _one(nodes: list[CompiledNode]) -> Check:
    def check_branches(value: object, run: Validation) -> bool:
        hit = False
        for node in nodes:
            if node.check(value, run):
                if hit:
                    return False
                hit = True
        return hit

    return _bounded(nodes, check_branches)


def _settle(nodes: list[CompiledNode]) -> Any:
    """By the first branch that accepts the value as it is, else by the first that accepts it settled: a value
    that is accepted must not lose a null that it may have.
    """

    def settle(value: object, run: Validation) -> object:
        if not isinstance(value, (dict, list, tuple, float)):
            return value  # the allowances change nothing else
        run.spend(len(nodes))
        for node in nodes:
            if node.check(value, run):
                return node.settle(value, run)
        for node in nodes:
            settled = node.settle(value, run)
            if settled is not value and node.check(settled, run):
                return settled
        return value

    return settle


def _explain_union(
    nodes: list[CompiledNode], value: object, path: str, run: Validation, keyword: str
) -> list[Violation]:
    """The violations of the branch that the value is closest to, or one that summarises all branches."""
    selected = _selected_by_tag(nodes, value, path, keyword)
    if isinstance(selected, CompiledNode):
        return selected.explain(value, path, run)
    if selected is not None:
        return [selected]
    run.spend(len(nodes))
    branches = [(node, node.explain(value, path, run)) for node in nodes]
    fitting = [(node, found) for node, found in branches if not _wrong_kind(found, path)]
    if not fitting:
        forms = " or ".join(dict.fromkeys(messages.describe(node.resolved()) for node in nodes[:20]))
        more = " or another form" if len(nodes) > 20 else ""
        text = f"{messages.label(path)} must be {forms}{more}, {messages.got(value)}"
        return [Violation(path, text, keyword, len(nodes))]
    if len(fitting) == 1:  # the only branch of this type
        return fitting[0][1]
    _, closest = min(fitting, key=lambda pair: len(pair[1]))
    reasons = "; ".join(one.message for one in closest[:3])
    more = f"; and {len(closest) - 3} more" if len(closest) > 3 else ""
    text = f"{messages.label(path)} matches none of the {len(nodes)} forms allowed here; for the closest: "
    return [Violation(path, text + reasons + more, keyword, len(nodes))]


def _wrong_kind(found: list[Violation], path: str) -> bool:
    """Return whether a branch refuses the value itself, not a part of it."""
    return any(one.path == path and one.keyword in ("type", "const", "enum", "false") for one in found)


def _selected_by_tag(
    nodes: list[CompiledNode], value: object, path: str, keyword: str
) -> CompiledNode | Violation | None:
    """The branch that a discriminating property selects, or the violation of that property."""
    if not isinstance(value, dict):
        return None
    tags = [_tags(node) for node in nodes]
    shared = set.intersection(*(set(found) for found in tags)) if all(tags) else set()
    for name in sorted(shared):
        sets = [set(found[name][0]) for found in tags]
        if sum(map(len, sets)) != len(set.union(*sets)):
            continue  # two branches share a tag
        allowed = [member for found in tags for member in found[name][1]]
        if name not in value:
            text = f"missing required property `{name}` (one of {messages.listed(allowed)})"
            where = "" if path == "$" else f" in {messages.label(path)}"
            return Violation(path, text + where, keyword, name)
        tag = key(value[name])
        for node, members in zip(nodes, sets, strict=True):
            if tag in members:
                return node
        at = messages.member(path, name)
        one_of = f"must be one of {messages.listed(allowed)}, got {messages.show(value[name])}"
        text = f"{messages.label(at)} {one_of}"
        return Violation(at, text, "enum", allowed)
    return None


def _tags(node: CompiledNode) -> dict[str, tuple[list[Hashable], list[Any]]]:
    """The required properties of a branch that are constants: their keys and values."""
    schema = node.resolved()
    found: dict[str, tuple[list[Hashable], list[object]]] = {}
    if isinstance(schema, bool):
        return found
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        sub = properties.get(name)
        if isinstance(sub, dict) and ("const" in sub or "enum" in sub):
            members = [sub["const"]] if "const" in sub else list(sub["enum"])
            found[name] = ([key(member) for member in members], members)
    return found


BUILDERS: Mapping[str, Builder] = {keyword: _union_rule(keyword) for keyword in ("anyOf", "oneOf")}
