"""Unions: native where msgspec chooses exactly as the schema does, else by the schemas of the branches."""

from msgspec import structs

from ...contract.tree import Anything, Enum, Node, Null, Object, Reference, Union
from .builder import ANY, Builder, NameParts
from .module_model import Expression
from .source_literals import deferred

PLAIN = {"str", "int", "bool"}


def union_type(builder: Builder, node: Union, file: str, name_parts: NameParts) -> Expression:
    """The type of a union, its null branches last."""
    nulls = [b for b in node.branches if isinstance(b, Null) and not b.residue]
    others = [b for b in node.branches if b not in nulls]
    if node.mode == "any" and any(isinstance(b, Anything) and not b.residue for b in others):
        builder.plain_unions.add(node.pointer)
        return ANY if not node.residue else Expression(text="Any", kinds=ANY.kinds, exact=False)
    if len(others) == 1 and len(nulls) == 1:
        return _nullable(builder, node, others[0], file, name_parts)
    if node.pointer in builder.tagged:
        return _tagged(builder, node, others, bool(nulls), file, name_parts)
    named = [(b, (*name_parts, _branch_name(b, i))) for i, b in enumerate(node.branches)]
    if node.mode == "types":
        return _by_type(builder, node, named, file)
    branches = [builder.checked_type_of(b, file, *name) for b, name in named]
    native = (
        not node.residue
        and _distinguishable(branches, exclusive=node.mode == "one")
        and not _corrupts_memory(branches)
    )
    keyword = "anyOf" if node.mode == "any" else "oneOf"
    branch_sources = ", ".join(f'("/{keyword}/{i}", {deferred(b.text, 12)})' for i, b in enumerate(branches))
    return Expression(
        text=_joined(branches),
        kinds=frozenset[str]().union(*(b.kinds for b in branches)),
        exact=native,
        marker="" if native else f"one_of({builder.node_arguments(file, node.pointer)}, {branch_sources})",
        uses=frozenset[str]().union(*(b.uses for b in branches)),
        details=_details(branches),
    )


def _corrupts_memory(branches: list[Expression]) -> bool:
    """Whether msgspec, in all versions up to 0.22, would read and free memory that is not its own: in a union
    of a string that has a pattern with an array or a map, and in one of a tuple of fixed length with whatever
    has constraints (docs/reference/limits.md). Such a union never reaches it; each branch alone does."""
    details = _details(branches)
    if "positions" in details and details & {"pattern", "limits"}:
        return True
    return "pattern" in details and any(b.kinds & {"list", "dict"} for b in branches)


def _details(branches: list[Expression]) -> frozenset[str]:
    return frozenset[str]().union(*(b.details for b in branches))


def _without_constraints(branch: Expression) -> Expression:
    return structs.replace(branch, text=branch.bare or branch.text, details=branch.details & {"positions"})


def _nullable(builder: Builder, node: Union, other: Node, file: str, name_parts: NameParts) -> Expression:
    """`T | None`: checks of T stay checks, since a marker and a check both let None pass."""
    inner = builder.type_of(other, file, *name_parts)
    if not inner.exact:
        inner = builder.checked_type(inner, other, file, *name_parts)
    text = inner.text if "none" in inner.kinds or inner.text == "Any" else f"{inner.text} | None"
    return Expression(
        text=text,
        kinds=inner.kinds | {"none"},
        exact=not node.residue,
        checks=inner.checks,
        uses=inner.uses,
        details=inner.details,
    )


def _tagged(
    builder: Builder, node: Union, others: list[Node], nullable: bool, file: str, name_parts: NameParts
) -> Expression:
    branches = [builder.type_of(b, file, *name_parts, _branch_name(b, i)) for i, b in enumerate(others)]
    texts = [b.text for b in branches] + (["None"] if nullable else [])
    kinds = frozenset[str]().union(*(b.kinds for b in branches))
    return Expression(
        text=" | ".join(texts),
        kinds=kinds | ({"none"} if nullable else set()),
        exact=not node.residue,
        uses=frozenset[str]().union(*(b.uses for b in branches)),
    )


def _by_type(builder: Builder, node: Union, named: list[tuple[Node, NameParts]], file: str) -> Expression:
    """A `type` list: the kinds never overlap, so one check of the node covers every branch."""
    branches = [builder.type_of(b, file, *name) for b, name in named]
    corrupts = _corrupts_memory(branches)
    if corrupts:
        branches = [_without_constraints(b) for b in branches]
    if any(not b.exact for b in branches):
        branches = [builder.checked_type(e, b, file, *n) for e, (b, n) in zip(branches, named, strict=True)]
        if any("custom" in b.kinds for b in branches):
            builder.plain_unions.add(node.pointer)
            return Expression(text="Any", kinds=frozenset({"any"}), exact=False)
    return Expression(
        text=_joined(branches),
        kinds=frozenset[str]().union(*(b.kinds for b in branches)),
        exact=not node.residue and not corrupts and all(b.native for b in branches),
        uses=frozenset[str]().union(*(b.uses for b in branches)),
        details=_details(branches),
    )


def _distinguishable(branches: list[Expression], *, exclusive: bool) -> bool:
    """Whether msgspec's choice among the branches is the schema's."""
    visited: dict[str, str] = {}
    for branch in branches:
        if branch.kinds & {"custom", "any"}:
            return False
        for kind in sorted(branch.kinds):
            group = "dict" if kind.startswith("struct:") else kind
            if group in visited:
                literals = {visited[group].startswith("Literal"), branch.text.startswith("Literal")}
                covered = (
                    group in PLAIN and PLAIN & {visited[group], branch.text} and literals == {True, False}
                )
                if exclusive or not covered:
                    return False
            visited[group] = branch.text
    return True


def _joined(branches: list[Expression]) -> str:
    texts = list(dict.fromkeys(b.text for b in branches))
    if "Any" in texts:
        return "Any"
    return " | ".join([t for t in texts if t != "None"] + [t for t in texts if t == "None"])


def _branch_name(branch: Node, index: int) -> str:
    """A name for what a branch defines: its tag's value where it has one."""
    if isinstance(branch, Object):
        for field in branch.fields:
            if field.required and isinstance(field.node, Enum) and len(field.node.values) == 1:
                return str(field.node.values[0])
    return branch.name if isinstance(branch, Reference) else f"Option{index + 1}"
