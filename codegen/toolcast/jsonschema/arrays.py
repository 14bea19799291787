"""Rules about arrays. A tuple counts as an array."""

# ruff: noqa: ARG001, ARG005, E731, SIM110  # checks share one signature; loops are twice as fast as generators

from collections.abc import Mapping
from typing import Any

from . import assertions as words
from .equality import key
from .errors import Violation
from .node import Check, Node, Rule, Run, everything
from .site import Builder, Site, plain


def items_rule(site: Site) -> Rule | None:
    """`prefixItems` and `items`."""
    if "prefixItems" not in site.schema and "items" not in site.schema:
        return None
    prefix = [site.child(sub, "prefixItems", i) for i, sub in enumerate(site.schema.get("prefixItems", ()))]
    rest = site.child(site.schema["items"], "items") if "items" in site.schema else None
    start = len(prefix)

    def nodes(value: Any) -> list[tuple[int, Node]]:
        pairs = list(enumerate(prefix[: len(value)]))
        return pairs + [(i, rest) for i in range(start, len(value))] if rest is not None else pairs

    def check(value: Any, run: Run) -> bool:
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

    def explain(value: Any, path: str, run: Run) -> list[Violation]:
        if rest is not None and rest.schema is False and len(value) > start:
            wanted = f"must have at most {words.count(start, 'item')}"
            return [Violation(path, f"{words.label(path)} {wanted}, got {len(value)}", "items", False)]
        found: list[Violation] = []
        for index, node in nodes(value):
            if not node.check(value[index], run):
                found += node.explain(value[index], f"{path}[{index}]", run)
                if len(found) >= run.limit:
                    break
        return found

    def settle(value: Any, run: Run) -> Any:
        if not isinstance(value, (list, tuple)):
            return value
        changed: list[Any] | None = None
        for index, node in nodes(value):
            item = node.settle(value[index], run)
            if item is not value[index]:
                changed = list(value) if changed is None else changed
                changed[index] = item
        return value if changed is None else run.made(changed)

    def indices(value: Any, run: Run, seen: set[Any]) -> bool:
        seen.update(range(min(start, len(value))))
        return rest is not None or start >= len(value)

    return Rule(check, explain, settle, indices=indices)


def size_rule(word: str) -> Builder:
    """`minItems` or `maxItems`."""

    def build(site: Site) -> Rule | None:
        if word not in site.schema:
            return None
        bound = int(site.schema[word])
        check: Check
        if word == "minItems":
            check = lambda value, run: not isinstance(value, (list, tuple)) or len(value) >= bound
            wanted = f"at least {words.count(bound, 'item')}"
        else:
            check = lambda value, run: not isinstance(value, (list, tuple)) or len(value) <= bound
            wanted = f"at most {words.count(bound, 'item')}"
        return plain(
            check,
            word,
            bound,
            lambda value, path: f"{words.label(path)} must have {wanted}, got {len(value)}",
        )

    return build


def unique_rule(site: Site) -> Rule | None:
    """`uniqueItems`, in time linear in the size of the array."""
    if site.schema.get("uniqueItems") is not True:
        return None

    def check(value: Any, run: Run) -> bool:
        if not isinstance(value, (list, tuple)) or len(value) < 2:
            return True
        return len({key(item) for item in value}) == len(value)

    def message(value: Any, path: str) -> str:
        first: dict[Any, int] = {}
        for index, item in enumerate(value):
            earlier = first.setdefault(key(item), index)
            if earlier != index:
                twice = f"items {earlier} and {index} are both {words.literal(item)}"
                return f"{words.label(path)} must not repeat items: {twice}"
        return f"{words.label(path)} must not repeat items"

    return plain(check, "uniqueItems", True, message)


def contains_rule(site: Site) -> Rule | None:
    """`contains` with `minContains` and `maxContains`."""
    if "contains" not in site.schema:
        return None
    node = site.child(site.schema["contains"], "contains")
    least = int(site.schema.get("minContains", 1))
    most = int(site.schema["maxContains"]) if "maxContains" in site.schema else None

    def check(value: Any, run: Run) -> bool:
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

    def explain(value: Any, path: str, run: Run) -> list[Violation]:
        hits = sum(node.check(item, run) for item in value)
        few = hits < least
        word = ("minContains" if "minContains" in site.schema else "contains") if few else "maxContains"
        wanted = f"at least {least}" if few else f"at most {most}"
        text = f"must have {wanted} matching ({words.describe(node.schema)}) among its items, got {hits}"
        return [Violation(path, f"{words.label(path)} {text}", word, site.schema.get(word))]

    def indices(value: Any, run: Run, seen: set[Any]) -> bool:
        seen.update(index for index, item in enumerate(value) if node.check(item, run))
        return False

    return Rule(check, explain, indices=indices)


def unevaluated_rule(site: Site) -> Rule | None:
    """`unevaluatedItems`: applies to the items that nothing else in this schema has looked at."""
    if "unevaluatedItems" not in site.schema:
        return None
    node = site.child(site.schema["unevaluatedItems"], "unevaluatedItems")
    owner = site.node

    def remaining(value: Any, run: Run) -> list[int]:
        seen: set[Any] = set()
        for rule in owner.rules:
            if rule.indices is not None and not rule.last and rule.indices(value, run, seen):
                return []
        return [index for index in range(len(value)) if index not in seen]

    def check(value: Any, run: Run) -> bool:
        if not isinstance(value, (list, tuple)):
            return True
        for index in remaining(value, run):
            if not node.check(value[index], run):
                return False
        return True

    def explain(value: Any, path: str, run: Run) -> list[Violation]:
        found: list[Violation] = []
        for index in remaining(value, run):
            if not node.check(value[index], run):
                found += node.explain(value[index], f"{path}[{index}]", run)
        return found

    return Rule(check, explain, indices=everything, last=True)


BUILDERS: Mapping[str, Builder] = {
    "minItems": size_rule("minItems"),
    "maxItems": size_rule("maxItems"),
    "prefixItems": items_rule,
    "items": items_rule,
    "contains": contains_rule,
    "uniqueItems": unique_rule,
}
