"""`anyOf` and `oneOf`: verdicts, and the choice of the branch that a refused value was meant for."""

# ruff: noqa: SIM110  # checks share one signature; loops are twice as fast as generators

from collections.abc import Hashable, Mapping
from typing import Any

from . import assertions as words
from .equality import key
from .errors import TooManyBranches, Violation
from .node import Check, Node, Rule, Run
from .site import Builder, Site


def union_rule(word: str) -> Builder:
    """The rule of `anyOf` or `oneOf`."""

    def build(site: Site) -> Rule | None:
        if word not in site.schema:
            return None
        nodes = [site.inplace(sub, word, index) for index, sub in enumerate(site.schema[word])]
        check = _any(nodes) if word == "anyOf" else _one(nodes)

        def explain(value: Any, path: str, run: Run) -> list[Violation]:
            hits: list[int] = []
            if word == "oneOf":
                run.spend(len(nodes))
                hits = [index for index, node in enumerate(nodes, 1) if node.check(value, run)]
            if len(hits) > 1:
                which = " and ".join(map(str, hits[:5]))
                text = f"{words.label(path)} matches more than one of the {len(nodes)} forms allowed here"
                return [
                    Violation(path, f"{text} (numbers {which}); it must match exactly one", word, len(nodes))
                ]
            return explain_union(nodes, value, path, run, word)

        def names(value: Any, run: Run, seen: set[Any]) -> bool:
            return any(node.names(value, run, seen) for node in nodes if node.check(value, run))

        def indices(value: Any, run: Run, seen: set[Any]) -> bool:
            return any(node.indices(value, run, seen) for node in nodes if node.check(value, run))

        return Rule(check, explain, _settle(nodes), names, indices)

    return build


def _bounded(nodes: list[Node], judge: Check) -> Check:
    """`judge` for so many tries; in runs that ask more than once, each value is judged once."""
    count = len(nodes)

    def check(value: Any, run: Run) -> bool:
        if not run.patient:
            run.branches -= count  # `run.spend`, spelt out: this is the one that counts
            if run.branches < 0:
                raise TooManyBranches
            return judge(value, run)
        place = (id(value), id(nodes))
        known = run.verdicts.get(place)
        if known is None:
            run.spend(count)
            known = run.verdicts[place] = judge(value, run)
        return known

    return check


def _any(nodes: list[Node]) -> Check:
    def judge(value: Any, run: Run) -> bool:
        for node in nodes:
            if node.check(value, run):
                return True
        return False

    return _bounded(nodes, judge)


def _one(nodes: list[Node]) -> Check:
    def judge(value: Any, run: Run) -> bool:
        hit = False
        for node in nodes:
            if node.check(value, run):
                if hit:
                    return False
                hit = True
        return hit

    return _bounded(nodes, judge)


def _settle(nodes: list[Node]) -> Any:
    """By the first branch that accepts the value as it is, else by the first that accepts it settled.

    In this order, because a value that is accepted already must not lose a null that it may have.
    """

    def settle(value: Any, run: Run) -> Any:
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


def explain_union(nodes: list[Node], value: Any, path: str, run: Run, word: str) -> list[Violation]:
    """The violations of the branch that was meant, or one that sums all branches up."""
    meant = _by_tag(nodes, value, path, word)
    if isinstance(meant, Node):
        return meant.explain(value, path, run)
    if meant is not None:
        return [meant]
    run.spend(len(nodes))
    branches = [(node, node.explain(value, path, run)) for node in nodes]
    fitting = [(node, found) for node, found in branches if not _wrong_kind(found, path)]
    if not fitting:
        forms = " or ".join(dict.fromkeys(words.describe(node.resolved()) for node in nodes[:20]))
        more = " or another form" if len(nodes) > 20 else ""
        text = f"{words.label(path)} must be {forms}{more}, {words.got(value)}"
        return [Violation(path, text, word, len(nodes))]
    if len(fitting) == 1:  # the only form of this kind: its own words say most
        return fitting[0][1]
    _, closest = min(fitting, key=lambda pair: len(pair[1]))
    reasons = "; ".join(one.message for one in closest[:3])
    more = f"; and {len(closest) - 3} more" if len(closest) > 3 else ""
    text = f"{words.label(path)} matches none of the {len(nodes)} forms allowed here; for the closest: "
    return [Violation(path, text + reasons + more, word, len(nodes))]


def _wrong_kind(found: list[Violation], path: str) -> bool:
    """Whether a branch refuses the value itself, not a part of it."""
    return any(one.path == path and one.keyword in ("type", "const", "enum", "false") for one in found)


def _by_tag(nodes: list[Node], value: Any, path: str, word: str) -> Node | Violation | None:
    """The branch a discriminating property names, or what is wrong with that property."""
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
            text = f"missing required property `{name}` (one of {words.listed(allowed)})"
            where = "" if path == "$" else f" in {words.label(path)}"
            return Violation(path, text + where, word, name)
        given = key(value[name])
        for node, members in zip(nodes, sets, strict=True):
            if given in members:
                return node
        at = words.member(path, name)
        text = f"{words.label(at)} must be one of {words.listed(allowed)}, got {words.show(value[name])}"
        return Violation(at, text, "enum", allowed)
    return None


def _tags(node: Node) -> dict[str, tuple[list[Hashable], list[Any]]]:
    """The required properties of a branch that are constants: their keys and values."""
    schema = node.resolved()
    found: dict[str, tuple[list[Hashable], list[Any]]] = {}
    if isinstance(schema, bool):
        return found
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        sub = properties.get(name)
        if isinstance(sub, dict) and ("const" in sub or "enum" in sub):
            members = [sub["const"]] if "const" in sub else list(sub["enum"])
            found[name] = ([key(member) for member in members], members)
    return found


BUILDERS: Mapping[str, Builder] = {word: union_rule(word) for word in ("anyOf", "oneOf")}
