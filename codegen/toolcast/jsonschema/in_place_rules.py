"""Rules of in-place applicators, whose schemas apply to the same value: `$ref`, `allOf`, `not`, `if`, …"""

# ruff: noqa: ARG001, SIM110  # checks share one signature; loops are twice as fast as generators

from collections.abc import Hashable, Mapping
from typing import Any

from . import messages
from .container_rules import explain_extra, settle_members
from .json_values import key
from .node import Builder, Check, CompiledNode, Rule, RuleContext, Validation, evaluate_all, explain_parts
from .validator_errors import TooManyBranches, Violation


def reference_rule(context: RuleContext) -> Rule | None:
    """`$ref`. Where the target has references, verdicts are kept and the depth is counted."""
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
        return explain_parts(((node, value, path) for node in applying(value)), run)

    def settle(value: object, run: Validation) -> object:
        for node in applying(value):
            value = node.settle(value, run)
        return value

    def names(value: Any, run: Validation, evaluated: set[Any]) -> bool:
        return any(node.names(value, run, evaluated) for node in applying(value))

    return Rule(check, explain, settle, names)


def unevaluated_properties_rule(context: RuleContext) -> Rule | None:
    """`unevaluatedProperties`: applies to the properties that nothing else in this schema evaluates."""
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


def _union_rule(keyword: str) -> Builder:
    def build(context: RuleContext) -> Rule | None:
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
    each = tuple(tuple(found) for _, found in fitting)
    return [Violation(path, text + reasons + more, keyword, len(nodes), each)]


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


BUILDERS: Mapping[str, Builder] = {
    "allOf": _all_rule,
    "if": _condition_rule,
    "dependentSchemas": _dependent_schemas_rule,
    "not": _not_rule,
    "anyOf": _union_rule("anyOf"),
    "oneOf": _union_rule("oneOf"),
}
