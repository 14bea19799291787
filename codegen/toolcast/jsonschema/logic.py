"""Rules that apply further schemas to the same value: references, allOf, not, conditions, dependents."""

# ruff: noqa: ARG001, SIM110  # checks share one signature; loops are twice as fast as generators

from collections.abc import Mapping
from typing import Any

from . import assertions as words
from .errors import Violation
from .node import Node, Rule, Run, everything
from .objects import explain_extra
from .site import Builder, Site


def reference_rule(site: Site) -> Rule | None:
    """`$ref`. Where the target refers further, verdicts are remembered and the depth is counted."""
    if "$ref" not in site.schema:
        return None
    node = site.reference(site.schema["$ref"])

    def check(value: Any, run: Run) -> bool:
        if not node.has_reference:
            return node.check(value, run)
        known = run.verdicts.get(place := (id(value), id(node)))
        if known is None:
            known = run.verdicts[place] = run.enter(node.check, value, run)
        return known

    def explain(value: Any, path: str, run: Run) -> list[Violation]:
        place = (id(value), id(node), path)
        found = run.found.get(place)
        if found is None:
            found = run.found[place] = run.enter(node.explain, value, path, run)
        return list(found)

    def settle(value: Any, run: Run) -> Any:
        place = (id(value), id(node))
        if place not in run.settled:
            run.settled[place] = run.enter(node.settle, value, run)
        return run.settled[place]

    def names(value: Any, run: Run, seen: set[Any]) -> bool:
        return run.enter(node.names, value, run, seen)

    def indices(value: Any, run: Run, seen: set[Any]) -> bool:
        return run.enter(node.indices, value, run, seen)

    return Rule(check, explain, settle, names, indices)


def all_rule(site: Site) -> Rule | None:
    """`allOf`; settled by each in turn."""
    if "allOf" not in site.schema:
        return None
    nodes = [site.inplace(sub, "allOf", index) for index, sub in enumerate(site.schema["allOf"])]

    def check(value: Any, run: Run) -> bool:
        for node in nodes:
            if not node.check(value, run):
                return False
        return True

    def explain(value: Any, path: str, run: Run) -> list[Violation]:
        found: list[Violation] = []
        for node in nodes:
            if not node.check(value, run):
                found += [one for one in node.explain(value, path, run) if one not in found]
                if len(found) >= run.limit:
                    break
        return found

    def settle(value: Any, run: Run) -> Any:
        for node in nodes:
            value = node.settle(value, run)
        return value

    def names(value: Any, run: Run, seen: set[Any]) -> bool:
        return any(node.names(value, run, seen) for node in nodes)

    def indices(value: Any, run: Run, seen: set[Any]) -> bool:
        return any(node.indices(value, run, seen) for node in nodes)

    return Rule(check, explain, settle, names, indices)


def not_rule(site: Site) -> Rule | None:
    """`not`. What it looks at does not count as evaluated."""
    if "not" not in site.schema:
        return None
    node = site.inplace(site.schema["not"], "not")

    def check(value: Any, run: Run) -> bool:
        return not node.check(value, run)

    def explain(value: Any, path: str, run: Run) -> list[Violation]:
        refused = node.schema
        if isinstance(refused, dict) and set(refused) == {"required"} and isinstance(value, dict):
            both = words.names(refused["required"])
            text = f"{words.label(path)} must not have {both}{' together' if ',' in both else ''}"
        else:
            described = words.describe(refused)
            vague = described.startswith("of another form") or not refused
            tail = "" if vague else f": it must not be {described}"
            text = f"{words.label(path)} is not allowed to be {words.show(value)} here{tail}"
        return [Violation(path, text, "not", refused)]

    return Rule(check, explain)


def condition_rule(site: Site) -> Rule | None:
    """`if` with `then` and `else`; without both of them it only marks what it evaluates."""
    if "if" not in site.schema:
        return None
    test = site.inplace(site.schema["if"], "if")
    yes, no = (
        site.inplace(site.schema[word], word) if word in site.schema else None for word in ("then", "else")
    )

    def chosen(value: Any, run: Run) -> Node | None:
        if yes is None and no is None:
            return None
        return yes if test.check(value, run) else no

    def check(value: Any, run: Run) -> bool:
        node = chosen(value, run)
        return node is None or node.check(value, run)

    def explain(value: Any, path: str, run: Run) -> list[Violation]:
        node = chosen(value, run)
        return [] if node is None else node.explain(value, path, run)

    def settle(value: Any, run: Run) -> Any:
        node = chosen(value, run)
        return value if node is None else node.settle(value, run)

    def names(value: Any, run: Run, seen: set[Any]) -> bool:
        if test.check(value, run):
            every = test.names(value, run, seen)
            return (yes is not None and yes.names(value, run, seen)) or every
        return no is not None and no.names(value, run, seen)

    def indices(value: Any, run: Run, seen: set[Any]) -> bool:
        if test.check(value, run):
            every = test.indices(value, run, seen)
            return (yes is not None and yes.indices(value, run, seen)) or every
        return no is not None and no.indices(value, run, seen)

    return Rule(check, explain, settle, names, indices)


def dependent_schemas_rule(site: Site) -> Rule | None:
    """`dependentSchemas`."""
    if "dependentSchemas" not in site.schema:
        return None
    nodes = {
        name: site.inplace(sub, "dependentSchemas", name)
        for name, sub in site.schema["dependentSchemas"].items()
    }

    def applying(value: Any) -> list[Node]:
        return [node for name, node in nodes.items() if name in value] if isinstance(value, dict) else []

    def check(value: Any, run: Run) -> bool:
        for node in applying(value):
            if not node.check(value, run):
                return False
        return True

    def explain(value: Any, path: str, run: Run) -> list[Violation]:
        found: list[Violation] = []
        for node in applying(value):
            found += node.explain(value, path, run)
        return found

    def settle(value: Any, run: Run) -> Any:
        for node in applying(value):
            value = node.settle(value, run)
        return value

    def names(value: Any, run: Run, seen: set[Any]) -> bool:
        return any(node.names(value, run, seen) for node in applying(value))

    return Rule(check, explain, settle, names)


def unevaluated_properties_rule(site: Site) -> Rule | None:
    """`unevaluatedProperties`: applies to the properties that nothing else in this schema has looked at."""
    if "unevaluatedProperties" not in site.schema:
        return None
    node = site.child(site.schema["unevaluatedProperties"], "unevaluatedProperties")
    owner = site.node
    known = frozenset(site.schema.get("properties", ()))

    def remaining(value: Any, run: Run) -> list[str]:
        seen: set[Any] = set()
        for rule in owner.rules:
            if rule.names is not None and not rule.last and rule.names(value, run, seen):
                return []
        return [name for name in value if name not in seen]

    def check(value: Any, run: Run) -> bool:
        if not isinstance(value, dict):
            return True
        for name in remaining(value, run):
            if not node.check(value[name], run):
                return False
        return True

    def explain(value: Any, path: str, run: Run) -> list[Violation]:
        found: list[Violation] = []
        for name in remaining(value, run):
            if not node.check(value[name], run):
                found += explain_extra(node, name, value[name], path, run, known, "unevaluatedProperties")
        return found

    return Rule(check, explain, names=everything, last=True)


BUILDERS: Mapping[str, Builder] = {
    "allOf": all_rule,
    "if": condition_rule,
    "dependentSchemas": dependent_schemas_rule,
    "not": not_rule,
}
