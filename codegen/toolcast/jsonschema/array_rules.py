"""Rules about arrays. A tuple counts as an array."""

# ruff: noqa: ARG001, SIM110  # checks share one signature; loops are twice as fast as generators

from collections.abc import Iterable, Mapping
from typing import Any

from . import messages
from .equality import key
from .node import Builder, CompiledNode, Rule, RuleContext, Validation, evaluate_all, size_rule, value_rule
from .validator_errors import Violation


def _items_rule(context: RuleContext) -> Rule | None:
    """`prefixItems` and `items`."""
    if "prefixItems" not in context.schema and "items" not in context.schema:
        return None
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
        found: list[Violation] = []
        for index, node in nodes(value):
            if not node.check(value[index], run):
                found += node.explain(value[index], f"{path}[{index}]", run)
                if len(found) >= run.limit:
                    break
        return found

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
    if "contains" not in context.schema:
        return None
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
    if "unevaluatedItems" not in context.schema:
        return None
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
        found: list[Violation] = []
        for index in remaining(value, run):
            if not node.check(value[index], run):
                found += node.explain(value[index], f"{path}[{index}]", run)
        return found

    def settle(value: object, run: Validation) -> object:
        if not isinstance(value, (list, tuple)):
            return value
        return _settle_items(value, run, [(index, node) for index in remaining(value, run)])

    return Rule(check, explain, settle, indices=evaluate_all, last=True)


BUILDERS: Mapping[str, Builder] = {
    "minItems": size_rule("minItems", (list, tuple), "item"),
    "maxItems": size_rule("maxItems", (list, tuple), "item"),
    "prefixItems": _items_rule,
    "items": _items_rule,
    "contains": _contains_rule,
    "uniqueItems": _unique_rule,
}
