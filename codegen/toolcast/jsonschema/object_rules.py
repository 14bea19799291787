"""Rules about objects."""

# ruff: noqa: ARG001  # checks share one signature; loops are twice as fast as generators

from collections.abc import Callable, Mapping
from typing import Any

from . import messages
from .json_values import JsonObject
from .node import Builder, CompiledNode, Rule, RuleContext, Validation, evaluate_all, size_rule
from .scalar_rules import compile_pattern
from .validator_errors import Violation


def _properties_rule(context: RuleContext) -> Rule | None:
    """`properties`; settling drops an explicit null of an optional property that does not accept null."""
    if "properties" not in context.schema:
        return None
    nodes = {
        name: context.child(sub, "properties", name) for name, sub in context.schema["properties"].items()
    }
    required = frozenset(context.schema.get("required", ()))
    optional = [name for name in nodes if name not in required]
    droppable: dict[str, bool] = {}  # filled at the first call: the nodes are not finished yet

    def check(value: Any, run: Validation) -> bool:
        if isinstance(value, dict):
            for name, item in value.items():
                node = nodes.get(name)
                if node is not None and not node.check(item, run):
                    return False
        return True

    def explain(value: Any, path: str, run: Validation) -> list[Violation]:
        found: list[Violation] = []
        for name, item in value.items():
            node = nodes.get(name)
            if node is not None and not node.check(item, run):
                found += node.explain(item, messages.member(path, name), run)
                if len(found) >= run.limit:
                    break
        return found

    def settle(value: object, run: Validation) -> object:
        if not isinstance(value, dict):
            return value
        if not droppable:
            droppable.update({name: not nodes[name].check(None, run) for name in optional})
        changed: JsonObject | None = None
        for name, item in value.items():
            node = nodes.get(name)
            if node is None:
                continue
            if item is None and droppable.get(name):
                changed = dict(value) if changed is None else changed
                del changed[name]
                continue
            settled = node.settle(item, run)
            if settled is not item:
                changed = dict(value) if changed is None else changed
                changed[name] = settled
        return value if changed is None else run.keep_alive(changed)

    def names(value: Any, run: Validation, evaluated: set[Any]) -> bool:
        evaluated.update(name for name in value if name in nodes)
        return False

    return Rule(check, explain, settle, names=names)


def _pattern_properties_rule(context: RuleContext) -> Rule | None:
    if "patternProperties" not in context.schema:
        return None
    at = f"{context.pointer}/patternProperties"
    pairs = [
        (compile_pattern(pattern, at), context.child(sub, "patternProperties", pattern))
        for pattern, sub in context.schema["patternProperties"].items()
    ]

    def check(value: Any, run: Validation) -> bool:
        if isinstance(value, dict):
            for name, item in value.items():
                for search, node in pairs:
                    if run.finds(search, name) and not node.check(item, run):
                        return False
        return True

    def explain(value: Any, path: str, run: Validation) -> list[Violation]:
        found: list[Violation] = []
        for name, item in value.items():
            for search, node in pairs:
                if run.finds(search, name) and not node.check(item, run):
                    found += node.explain(item, messages.member(path, name), run)
            if len(found) >= run.limit:
                break
        return found

    def settle(value: object, run: Validation) -> object:
        def matching(name: str) -> list[CompiledNode]:
            return [node for search, node in pairs if run.finds(search, name)]

        return settle_members(value, run, matching)

    def names(value: Any, run: Validation, evaluated: set[Any]) -> bool:
        evaluated.update(name for name in value if any(run.finds(search, name) for search, _ in pairs))
        return False

    return Rule(check, explain, settle, names=names)


def _additional_rule(context: RuleContext) -> Rule | None:
    """`additionalProperties`: applies to what the sibling `properties` and `patternProperties` leave."""
    if "additionalProperties" not in context.schema:
        return None
    node = context.child(context.schema["additionalProperties"], "additionalProperties")
    known = frozenset(context.schema.get("properties", ()))
    patterns = context.schema.get("patternProperties", {})
    searches = [compile_pattern(pattern, f"{context.pointer}/patternProperties") for pattern in patterns]

    def extra(name: str, run: Validation) -> bool:
        return name not in known and not any(run.finds(search, name) for search in searches)

    def check(value: Any, run: Validation) -> bool:
        if isinstance(value, dict):
            for name, item in value.items():
                if name not in known and not node.check(item, run) and extra(name, run):
                    return False
        return True

    def explain(value: Any, path: str, run: Validation) -> list[Violation]:
        found: list[Violation] = []
        for name, item in value.items():
            if extra(name, run) and not node.check(item, run):
                found += explain_extra(node, name, value, path, run, known, "additionalProperties")
                if len(found) >= run.limit:
                    break
        return found

    def settle(value: object, run: Validation) -> object:
        def matching(name: str) -> list[CompiledNode]:
            return [node] if extra(name, run) else []

        return settle_members(value, run, matching)

    return Rule(check, explain, settle, names=evaluate_all)


def settle_members(value: object, run: Validation, nodes_of: Callable[[str], list[CompiledNode]]) -> object:
    """An object whose members are settled, each by the nodes of its name."""
    if not isinstance(value, dict):
        return value
    changed: JsonObject | None = None
    for name, item in value.items():
        settled = item
        for node in nodes_of(name):
            settled = node.settle(settled, run)
        if settled is not item:
            changed = dict(value) if changed is None else changed
            changed[name] = settled
    return value if changed is None else run.keep_alive(changed)


def explain_extra(
    node: CompiledNode,
    name: str,
    value: JsonObject,
    path: str,
    run: Validation,
    known: frozenset[str],
    keyword: str,
) -> list[Violation]:
    """The violations of a property of `value` that is not among the `known` ones."""
    at = messages.member(path, name)
    if node.schema is not False:
        return node.explain(value[name], at, run)
    near = messages.nearest(name, known - value.keys())
    where = "" if path == "$" else f" in {messages.label(path)}"
    if near is not None:
        advice = f"; did you mean `{near}`?"
    else:
        advice = (
            f"; known properties: {messages.names(known)}" if known else "; no properties are allowed here"
        )
    shown = name if len(name) <= 100 else name[:100] + "…"
    return [Violation(at, f"unknown property `{shown}`{where}{advice}", keyword, False)]


def _required_rule(context: RuleContext) -> Rule | None:
    """`required`; each missing property is one violation, with a hint from its schema."""
    wanted = tuple(context.schema.get("required", ()))
    if not wanted:
        return None
    properties = context.schema.get("properties", {})
    known = {
        name: context.child(properties[name], "properties", name) for name in wanted if name in properties
    }
    every = frozenset(wanted)

    def hints(name: str) -> str:
        return messages.hint(known[name].resolved()) if name in known else ""

    def check(value: Any, run: Validation) -> bool:
        return not isinstance(value, dict) or every <= value.keys()

    def explain(value: Any, path: str, run: Validation) -> list[Violation]:
        where = "" if path == "$" else f" in {messages.label(path)}"
        return [
            Violation(path, f"missing required property `{name}`{hints(name)}{where}", "required", name)
            for name in wanted
            if name not in value
        ][: run.limit]

    return Rule(check, explain)


def _dependent_required_rule(context: RuleContext) -> Rule | None:
    wanted = {
        name: tuple(needs) for name, needs in context.schema.get("dependentRequired", {}).items() if needs
    }
    if not wanted:
        return None

    def missing(value: object) -> list[tuple[str, str]]:
        if not isinstance(value, dict):
            return []
        return [
            (name, need)
            for name, needs in wanted.items()
            if name in value
            for need in needs
            if need not in value
        ]

    def explain(value: Any, path: str, run: Validation) -> list[Violation]:
        where = "" if path == "$" else f" in {messages.label(path)}"
        return [
            Violation(
                path,
                f"missing property `{need}`{where}, required because `{name}` is given",
                "dependentRequired",
                need,
            )
            for name, need in missing(value)
        ][: run.limit]

    def check(value: Any, run: Validation) -> bool:
        return not missing(value)

    return Rule(check, explain)


def _property_names_rule(context: RuleContext) -> Rule | None:
    if "propertyNames" not in context.schema:
        return None
    node = context.child(context.schema["propertyNames"], "propertyNames")

    def check(value: Any, run: Validation) -> bool:
        if isinstance(value, dict):
            for name in value:
                if not node.check(name, run):
                    return False
        return True

    def explain(value: Any, path: str, run: Validation) -> list[Violation]:
        found: list[Violation] = []
        for name in value:
            if not node.check(name, run):
                reason = node.explain(name, "$", run)[0].message.replace("the value", "it", 1)
                text = f"the property name {messages.literal(name)} is not allowed: {reason}"
                found.append(Violation(messages.member(path, name), text, "propertyNames", node.schema))
        return found[: run.limit]

    return Rule(check, explain)


BUILDERS: Mapping[str, Builder] = {
    "required": _required_rule,
    "minProperties": size_rule("minProperties", (dict,), "property"),
    "maxProperties": size_rule("maxProperties", (dict,), "property"),
    "dependentRequired": _dependent_required_rule,
    "propertyNames": _property_names_rule,
    "properties": _properties_rule,
    "patternProperties": _pattern_properties_rule,
    "additionalProperties": _additional_rule,
}
