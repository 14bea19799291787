"""Rules of in-place applicators, whose schemas apply to the same value: `$ref`, `allOf`, `not`, `if`, …"""

# ruff: noqa: ARG001, SIM110  # checks share one signature; loops are twice as fast as generators

from collections.abc import Mapping
from typing import Any

from . import messages
from .node import Builder, CompiledNode, Rule, RuleContext, Validation, evaluate_all
from .object_rules import explain_extra, settle_members
from .validator_errors import Violation


def reference_rule(context: RuleContext) -> Rule | None:
    """`$ref`. Where the target has references, verdicts are kept and the depth is counted."""
    if "$ref" not in context.schema:
        return None
    node = context.reference(context.schema["$ref"])

    def check(value: Any, run: Validation) -> bool:
        if not node.has_reference:
            return node.check(value, run)
        known = run.verdicts.get(key := (id(value), id(node)))
        if known is None:
            known = run.verdicts[key] = run.enter(node.check, value, run)
        return known

    def explain(value: Any, path: str, run: Validation) -> list[Violation]:
        key = (id(value), id(node), path)
        found = run.found.get(key)
        if found is None:
            found = run.found[key] = run.enter(node.explain, value, path, run)
        return list(found)

    def settle(value: object, run: Validation) -> object:
        key = (id(value), id(node))
        if key not in run.settled:
            run.settled[key] = run.enter(node.settle, value, run)
        return run.settled[key]

    def names(value: Any, run: Validation, evaluated: set[Any]) -> bool:
        return run.enter(node.names, value, run, evaluated)

    def indices(value: object, run: Validation, evaluated: set[object]) -> bool:
        return run.enter(node.indices, value, run, evaluated)

    return Rule(check, explain, settle, names, indices)


def _all_rule(context: RuleContext) -> Rule | None:
    if "allOf" not in context.schema:
        return None
    nodes = [context.inplace(sub, "allOf", index) for index, sub in enumerate(context.schema["allOf"])]

    def check(value: Any, run: Validation) -> bool:
        for node in nodes:
            if not node.check(value, run):
                return False
        return True

    def explain(value: Any, path: str, run: Validation) -> list[Violation]:
        found: list[Violation] = []
        for node in nodes:
            if not node.check(value, run):
                found += [one for one in node.explain(value, path, run) if one not in found]
                if len(found) >= run.limit:
                    break
        return found

    def settle(value: object, run: Validation) -> object:
        for node in nodes:
            value = node.settle(value, run)
        return value

    def names(value: Any, run: Validation, evaluated: set[Any]) -> bool:
        return any(node.names(value, run, evaluated) for node in nodes)

    def indices(value: object, run: Validation, evaluated: set[object]) -> bool:
        return any(node.indices(value, run, evaluated) for node in nodes)

    return Rule(check, explain, settle, names, indices)


def _not_rule(context: RuleContext) -> Rule | None:
    """`not`. It evaluates no properties."""
    if "not" not in context.schema:
        return None
    node = context.inplace(context.schema["not"], "not")

    def check(value: Any, run: Validation) -> bool:
        return not node.check(value, run)

    def explain(value: Any, path: str, run: Validation) -> list[Violation]:
        refused = node.schema
        if isinstance(refused, dict) and set(refused) == {"required"} and isinstance(value, dict):
            both = messages.names(refused["required"])
            text = f"{messages.label(path)} must not have {both}{' together' if ',' in both else ''}"
        else:
            described = messages.describe(refused)
            vague = described.startswith("of another form") or not refused
            tail = "" if vague else f": it must not be {described}"
            text = f"{messages.label(path)} is not allowed to be {messages.show(value)} here{tail}"
        return [Violation(path, text, "not", refused)]

    return Rule(check, explain)


def _condition_rule(context: RuleContext) -> Rule | None:
    """`if` with `then` and `else`; without both of them it only marks what it evaluates."""
    if "if" not in context.schema:
        return None
    test = context.inplace(context.schema["if"], "if")
    yes, no = (
        context.inplace(context.schema[keyword], keyword) if keyword in context.schema else None
        for keyword in ("then", "else")
    )

    def chosen(value: Any, run: Validation) -> CompiledNode | None:
        if yes is None and no is None:
            return None
        return yes if test.check(value, run) else no

    def check(value: Any, run: Validation) -> bool:
        node = chosen(value, run)
        return node is None or node.check(value, run)

    def explain(value: Any, path: str, run: Validation) -> list[Violation]:
        node = chosen(value, run)
        return [] if node is None else node.explain(value, path, run)

    def settle(value: object, run: Validation) -> object:
        node = chosen(value, run)
        return value if node is None else node.settle(value, run)

    def names(value: Any, run: Validation, evaluated: set[Any]) -> bool:
        if test.check(value, run):
            every = test.names(value, run, evaluated)
            return (yes is not None and yes.names(value, run, evaluated)) or every
        return no is not None and no.names(value, run, evaluated)

    def indices(value: object, run: Validation, evaluated: set[object]) -> bool:
        if test.check(value, run):
            every = test.indices(value, run, evaluated)
            return (yes is not None and yes.indices(value, run, evaluated)) or every
        return no is not None and no.indices(value, run, evaluated)

    return Rule(check, explain, settle, names, indices)


def _dependent_schemas_rule(context: RuleContext) -> Rule | None:
    if "dependentSchemas" not in context.schema:
        return None
    nodes = {
        name: context.inplace(sub, "dependentSchemas", name)
        for name, sub in context.schema["dependentSchemas"].items()
    }

    def applying(value: object) -> list[CompiledNode]:
        return [node for name, node in nodes.items() if name in value] if isinstance(value, dict) else []

    def check(value: Any, run: Validation) -> bool:
        for node in applying(value):
            if not node.check(value, run):
                return False
        return True

    def explain(value: Any, path: str, run: Validation) -> list[Violation]:
        found: list[Violation] = []
        for node in applying(value):
            found += node.explain(value, path, run)
        return found

    def settle(value: object, run: Validation) -> object:
        for node in applying(value):
            value = node.settle(value, run)
        return value

    def names(value: Any, run: Validation, evaluated: set[Any]) -> bool:
        return any(node.names(value, run, evaluated) for node in applying(value))

    return Rule(check, explain, settle, names)


def unevaluated_properties_rule(context: RuleContext) -> Rule | None:
    """`unevaluatedProperties`: applies to the properties that nothing else in this schema evaluates."""
    if "unevaluatedProperties" not in context.schema:
        return None
    node = context.child(context.schema["unevaluatedProperties"], "unevaluatedProperties")
    owner = context.node
    known = frozenset(context.schema.get("properties", ()))

    def remaining(value: Any, run: Validation) -> list[str]:
        evaluated: set[Any] = set()
        for rule in owner.rules:
            if rule.names is not None and not rule.last and rule.names(value, run, evaluated):
                return []
        return [name for name in value if name not in evaluated]

    def check(value: Any, run: Validation) -> bool:
        if not isinstance(value, dict):
            return True
        for name in remaining(value, run):
            if not node.check(value[name], run):
                return False
        return True

    def explain(value: Any, path: str, run: Validation) -> list[Violation]:
        found: list[Violation] = []
        for name in remaining(value, run):
            if not node.check(value[name], run):
                found += explain_extra(node, name, value, path, run, known, "unevaluatedProperties")
        return found

    def settle(value: object, run: Validation) -> object:
        if not isinstance(value, dict):
            return value
        left = frozenset(remaining(value, run))
        return settle_members(value, run, lambda name: [node] if name in left else [])

    return Rule(check, explain, settle, names=evaluate_all, last=True)


BUILDERS: Mapping[str, Builder] = {
    "allOf": _all_rule,
    "if": _condition_rule,
    "dependentSchemas": _dependent_schemas_rule,
    "not": _not_rule,
}
