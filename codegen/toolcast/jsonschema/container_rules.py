"""Rules about objects and arrays. A tuple counts as an array."""

# ruff: noqa: ARG001, SIM110  # checks share one signature; loops are twice as fast as generators

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from . import messages
from .json_values import JsonObject, key
from .node import (
    Builder,
    CompiledNode,
    Rule,
    RuleContext,
    Validation,
    evaluate_all,
    explain_parts,
    size_rule,
    value_rule,
)
from .scalar_rules import compile_pattern
from .validator_errors import Violation


def _properties_rule(context: RuleContext) -> Rule | None:
    """`properties`; settling drops an explicit null of an optional property that does not accept null."""
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
        stated = ((name, item) for name, item in value.items() if name in nodes)
        return explain_parts(((nodes[name], item, messages.member(path, name)) for name, item in stated), run)

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
        parts = (
            (node, item, messages.member(path, name))
            for name, item in value.items()
            for search, node in pairs
            if run.finds(search, name)
        )
        return explain_parts(parts, run)

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


def _items_rule(context: RuleContext) -> Rule | None:
    """`prefixItems` and `items`."""
    prefix = [
        context.child(sub, "prefixItems", i) for i, sub in enumerate(context.schema.get("prefixItems", ()))
    ]
    rest = context.child(context.schema["items"], "items") if "items" in context.schema else None
    start = len(prefix)

    def nodes(value: Any) -> list[tuple[int, CompiledNode]]:
        pairs = list(enumerate(prefix[: len(value)]))
        return pairs + [(i, rest) for i in range(start, len(value))] if rest is not None else pairs

    def check(value: Any, run: Validation) -> bool:
        if not isinstance(value, (list, tuple)):
            return True
        for node, item in zip(prefix, value, strict=False):
            if not node.check(item, run):
                return False
        if rest is not None:
            accepts = rest.check
            for item in value[start:] if start else value:
                if not accepts(item, run):
                    return False
        return True

    def explain(value: Any, path: str, run: Validation) -> list[Violation]:
        if rest is not None and rest.schema is False and len(value) > start:
            wanted = f"must have at most {messages.count(start, 'item')}"
            return [Violation(path, f"{messages.label(path)} {wanted}, got {len(value)}", "items", False)]
        return explain_parts(((node, value[at], f"{path}[{at}]") for at, node in nodes(value)), run)

    def settle(value: object, run: Validation) -> object:
        return _settle_items(value, run, nodes(value)) if isinstance(value, (list, tuple)) else value

    def indices(value: Any, run: Validation, evaluated: set[Any]) -> bool:
        evaluated.update(range(min(start, len(value))))
        return rest is not None or start >= len(value)

    return Rule(check, explain, settle, indices=indices)


def _settle_items(value: Any, run: Validation, nodes: Iterable[tuple[int, CompiledNode]]) -> Any:
    """An array whose items at some indices are settled, each by a node."""
    changed: list[Any] | None = None
    for index, node in nodes:
        item = node.settle(value[index], run)
        if item is not value[index]:
            changed = list(value) if changed is None else changed
            changed[index] = item
    return value if changed is None else run.keep_alive(changed)


def _unique_rule(context: RuleContext) -> Rule | None:
    """`uniqueItems`, in time linear in the size of the array."""
    if context.schema.get("uniqueItems") is not True:
        return None

    def check(value: Any, run: Validation) -> bool:
        if not isinstance(value, (list, tuple)) or len(value) < 2:
            return True
        return len({key(item) for item in value}) == len(value)

    def message(value: Any, path: str) -> str:
        first: dict[Any, int] = {}
        for index, item in enumerate(value):
            earlier = first.setdefault(key(item), index)
            if earlier != index:
                twice = f"items {earlier} and {index} are both {messages.literal(item)}"
                return f"{messages.label(path)} must not repeat items: {twice}"
        return f"{messages.label(path)} must not repeat items"

    return value_rule(check, "uniqueItems", True, message)


def _contains_rule(context: RuleContext) -> Rule | None:
    """`contains` with `minContains` and `maxContains`."""
    node = context.child(context.schema["contains"], "contains")
    least = int(context.schema.get("minContains", 1))
    most = int(context.schema["maxContains"]) if "maxContains" in context.schema else None

    def check(value: Any, run: Validation) -> bool:
        if not isinstance(value, (list, tuple)):
            return True
        hits = 0
        for item in value:
            if hits >= least and most is None:
                return True
            if node.check(item, run):
                hits += 1
                if most is not None and hits > most:
                    return False
        return hits >= least

    def explain(value: Any, path: str, run: Validation) -> list[Violation]:
        hits = sum(node.check(item, run) for item in value)
        few = hits < least
        keyword = ("minContains" if "minContains" in context.schema else "contains") if few else "maxContains"
        wanted = f"at least {least}" if few else f"at most {most}"
        text = f"must have {wanted} matching ({messages.describe(node.schema)}) among its items, got {hits}"
        return [Violation(path, f"{messages.label(path)} {text}", keyword, context.schema.get(keyword))]

    def indices(value: Any, run: Validation, evaluated: set[Any]) -> bool:
        evaluated.update(index for index, item in enumerate(value) if node.check(item, run))
        return False

    return Rule(check, explain, indices=indices)


def unevaluated_rule(context: RuleContext) -> Rule | None:
    """`unevaluatedItems`: applies to the items that nothing else in this schema evaluates."""
    node = context.child(context.schema["unevaluatedItems"], "unevaluatedItems")
    owner = context.node

    def remaining(value: Any, run: Validation) -> list[int]:
        evaluated: set[Any] = set()
        for rule in owner.rules:
            if rule.indices is not None and not rule.last and rule.indices(value, run, evaluated):
                return []
        return [index for index in range(len(value)) if index not in evaluated]

    def check(value: Any, run: Validation) -> bool:
        if not isinstance(value, (list, tuple)):
            return True
        for index in remaining(value, run):
            if not node.check(value[index], run):
                return False
        return True

    def explain(value: Any, path: str, run: Validation) -> list[Violation]:
        return explain_parts(((node, value[at], f"{path}[{at}]") for at in remaining(value, run)), run)

    def settle(value: object, run: Validation) -> object:
        if not isinstance(value, (list, tuple)):
            return value
        return _settle_items(value, run, [(index, node) for index in remaining(value, run)])

    return Rule(check, explain, settle, indices=evaluate_all, last=True)


BUILDERS: Mapping[str, Builder] = {
    "required": _required_rule,
    "minProperties": size_rule("minProperties", (dict,), "property"),
    "maxProperties": size_rule("maxProperties", (dict,), "property"),
    "dependentRequired": _dependent_required_rule,
    "propertyNames": _property_names_rule,
    "properties": _properties_rule,
    "patternProperties": _pattern_properties_rule,
    "additionalProperties": _additional_rule,
    "minItems": size_rule("minItems", (list, tuple), "item"),
    "maxItems": size_rule("maxItems", (list, tuple), "item"),
    "prefixItems": _items_rule,
    "items": _items_rule,
    "contains": _contains_rule,
    "uniqueItems": _unique_rule,
}
