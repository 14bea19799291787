"""Where a value may lack what a default fills in, as data for the validator in JavaScript.

Read from the typed tree, so that JavaScript fills in what the Struct has.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from msgspec import UNSET, Struct

from ..contract.tree import Array, Contract, Map, Node, Object, Reference, Tuple, Union, children

Plan = dict[str, Any]
"""As `Plan` in `support/defaults.js`."""


class Filled(Struct, frozen=True):
    """What decoding fills in.

    Attributes:
        properties: the properties that a default fills in, by the pointers of their schemas. A default of
            null may stand for absence.
        targets: by the pointer of a node, the definitions whose values it has, each with all its defaults:
            that of a reference, and those that an object of several parts takes its fields from.
    """

    properties: frozenset[str] = frozenset()
    targets: Mapping[str, frozenset[str]] = {}


def default_plans(
    contract: Contract, root: str, plain: Collection[str], without: Collection[str] = ()
) -> dict[str, Plan]:
    """Where values of a root may lack what a default fills in.

    Args:
        contract: the contract.
        root: `parameters`, `result`, or `$defs/Name`.
        plain: the unions whose values decoding keeps as they are, by pointer.
        without: properties of the root that have no part in it.

    Returns:
        The plan of each definition that is needed, sorted by name; "" is the root. Empty where no default is.
    """
    nodes = {**contract.definitions, "": _root(contract, root)}

    def plan(name: str, lacking: Collection[str]) -> Plan | None:
        return _plan(nodes[name], root, plain, lacking)

    lacking = {name for name in nodes if plan(name, ()) is not None}
    while more := {name for name in nodes.keys() - lacking if plan(name, lacking) is not None}:
        lacking |= more
    plans = {name: plan(name, lacking) for name in lacking}
    if "" in plans and without:
        plans[""] = _without(plans[""] or {}, without)
    needed: dict[str, Plan] = {}
    pending = [""]
    while pending:
        name = pending.pop()
        if found := plans.get(name):
            needed[name] = found
            pending += [each for each in _named(found) if each not in needed]
    return dict(sorted(needed.items()))


def filled_in(contract: Contract, plain: Collection[str]) -> Filled:
    """What decoding fills in.

    Args:
        contract: the contract.
        plain: the unions whose values decoding keeps as they are, by pointer.

    Returns:
        It, for the schemas of the contract.
    """
    found: set[str] = set()
    targets: dict[str, set[str]] = {}
    by_field: dict[str, list[tuple[str, Object]]] = {}
    for name, definition in contract.definitions.items():
        if isinstance(definition, Object) and definition.fields:
            by_field.setdefault(definition.fields[0].pointer, []).append((name, definition))
    pending: list[Node] = [*contract.roots.values(), *contract.definitions.values()]
    while pending:
        node = pending.pop()
        if node.pointer in plain:
            continue
        pending += children(node)
        if isinstance(node, Reference):
            targets.setdefault(node.pointer, set()).add(node.name)
        for field in node.fields if isinstance(node, Object) else ():
            if field.default is not UNSET and field.default is not None:
                found.add(field.pointer)
            for name, definition in by_field.get(field.pointer, ()):
                if _has_fields_of(node, definition):
                    targets.setdefault(node.pointer, set()).add(name)
    return Filled(frozenset(found), {pointer: frozenset(names) for pointer, names in targets.items()})


def _has_fields_of(node: Node, definition: Object) -> bool:
    """Whether an object is made of all that a definition declares."""
    assert isinstance(node, Object)
    extra = node.extra and node.extra.pointer
    own = {field.pointer for field in node.fields}
    return (definition.extra and definition.extra.pointer) == extra and own.issuperset(
        field.pointer for field in definition.fields
    )


def _root(contract: Contract, root: str) -> Node:
    kind, _, name = root.partition("/")
    return contract.definitions[name] if kind == "$defs" else contract.roots[kind]


def _plan(node: Node, root: str, plain: Collection[str], lacking: Collection[str]) -> Plan | None:
    """The plan of one node, where `lacking` are the definitions that have one."""

    def below(each: Node) -> Plan | None:
        return _plan(each, root, plain, lacking)

    match node:
        case Reference():
            return {"definition": node.name} if node.name in lacking else None
        case Object():
            return _object(node, below)
        case Map():
            return _made(others=_pair([], below(node.values)))
        case Array():
            return _made(items=below(node.items))
        case Tuple():
            prefix = [below(each) for each in node.items]
            return _made(prefix=prefix if any(prefix) else None)
        case Union() if node.pointer not in plain:
            branches = [[_which(node, each, root), below(each)] for each in node.branches]
            return _made(branches=branches if any(plan for _, plan in branches) else None)
        case _:
            return None


def _object(node: Object, below: Callable[[Node], Plan | None]) -> Plan | None:
    plans = {field.encode_name: below(field.node) for field in node.fields}
    defaults = {
        field.encode_name: field.default
        for field in node.fields
        if field.default is not UNSET and (field.default is not None or field.nullable)
    }
    return _made(
        defaults=defaults,
        properties={name: plan for name, plan in plans.items() if plan is not None},
        others=None if node.extra is None else _pair(list(plans), below(node.extra)),
    )


def _pair(names: list[str], plan: Plan | None) -> list[Any] | None:
    return None if plan is None else [names, plan]


def _which(union: Union, branch: Node, root: str) -> str:
    """How the validator tells a branch: by the value's type, or by its schema."""
    if union.mode == "types" or branch.pointer == union.pointer:
        if isinstance(branch, Object | Map):
            return "object"
        return "array" if isinstance(branch, Array | Tuple) else "other"
    return branch.pointer if root.startswith("$defs/") else branch.pointer.removeprefix(f"/{root}")


def _made(**parts: Any) -> Plan | None:
    return {name: part for name, part in parts.items() if part} or None


def _without(plan: Plan, names: Collection[str]) -> Plan:
    kept: Mapping[str, Any] = {
        key: {name: item for name, item in plan[key].items() if name not in names}
        if key in ("defaults", "properties")
        else plan[key]
        for key in plan
    }
    return {key: part for key, part in kept.items() if part}


def _named(plan: Any) -> set[str]:
    """The definitions that a plan leads to."""
    if isinstance(plan, list):
        return {name for each in plan for name in _named(each)}
    if not isinstance(plan, dict):
        return set()
    if isinstance(plan.get("definition"), str):
        return {plan["definition"]}
    return {name for key, each in plan.items() if key != "defaults" for name in _named_in(key, each)}


def _named_in(key: str, part: Any) -> set[str]:
    return {name for each in part.values() for name in _named(each)} if key == "properties" else _named(part)
