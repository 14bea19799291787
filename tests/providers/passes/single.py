"""One pass applied to a whole schema: a walk whose list has that pass only."""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from toolcast.jsonschema.nesting import heights
from toolcast.jsonschema.schema_document import SchemaDocument, parse_schema
from toolcast.jsonschema.schema_node import descendants, to_json
from toolcast.providers import passes
from toolcast.providers.dialect_plan import DialectPlan, Stage, plan_of
from toolcast.providers.ledger import Ledger, LedgerEntry
from toolcast.providers.node import Node, Pass, Walk
from toolcast.providers.normalize import wire_forms_of
from toolcast.providers.passes.annotations import DESCRIPTION
from toolcast.providers.passes.names import renames_of
from toolcast.providers.profiles.dialect import VALUE_KEYWORDS, Dialect, disposition
from toolcast.providers.walk import Walker
from toolcast.runtime.wire import WireForms

STAGES: dict[str, tuple[Pass, ...]] = {
    "start": passes.START,
    "combinators": passes.COMBINATORS,
    "rewriting": passes.REWRITING,
    "completion": passes.COMPLETION,
}
ALL: dict[str, Pass] = {each.name: each for stage in STAGES.values() for each in stage}
"""Every pass, by name."""
KEYWORDS = "keywords"
"""The name of the step that is no pass: the walk over the keywords of a node."""


class Call(Struct, frozen=True):
    """One application of the pass to a node: the node, what it was like before and after, and the result."""

    given: Node
    before: Any
    after: Any
    result: Node


class Applied(Struct, frozen=True):
    """What a pass has made of a schema.

    Attributes:
        schema: the output.
        wire_forms: how values in its form are decoded.
        ledger: the differences that the pass noted.
        blockers: its reasons against the mode.
        calls: its applications to nodes.
    """

    schema: dict[str, Any]
    wire_forms: WireForms | None
    ledger: tuple[LedgerEntry, ...]
    blockers: tuple[LedgerEntry, ...]
    calls: tuple[Call, ...]


def apply_alone(
    name: str,
    schema: dict[str, Any],
    dialect: Dialect,
    *,
    walked: bool = False,
    levels: int | None = None,
    beside: tuple[str, ...] = (),
    watched: bool = True,
) -> Applied:
    """Apply one pass to each node of a schema.

    The sentences that it notes are added to descriptions.

    Args:
        name: the name of the pass, or `KEYWORDS` for none.
        schema: a contract.
        dialect: the dialect that the pass is given.
        walked: whether the walk treats keywords as the dialect says, too; else it keeps them all.
        levels: how many levels of values may be nested; None for any number.
        beside: the names of passes that act as well.
        watched: whether `calls` are wanted, which takes time.

    Returns:
        The output, and what was written down.
    """
    document = parse_schema(schema, checked=True)
    walk = Walk(document)
    if dialect.property_names:
        walk = replace(walk, renames=renames_of(tuple(descendants(document.root)), dialect.property_names))
    if levels is not None:
        walk = replace(walk, most=levels, heights=_heights(document))
    calls: list[Call] = []
    plan = _plan(name, dialect, walked or name == KEYWORDS, calls if watched else None, beside)
    while True:
        ledger = Ledger()
        calls.clear()
        walker = Walker(plan, walk, ledger)
        out = walker.output()
        changed = walk.changed | walker.lost
        # Another walk, where what an earlier schema rests on has changed: as in `normalize`.
        if changed == walk.changed or not any(document.reaches(each, changed) for each in ledger.compared):
            break
        walk = replace(walk, changed=changed)
    return Applied(
        to_json(out),
        wire_forms_of(out),
        tuple(ledger.entries.values()),
        tuple(ledger.blockers),
        tuple(calls),
    )


def _plan(
    name: str, dialect: Dialect, walked: bool, calls: list[Call] | None, beside: tuple[str, ...] = ()
) -> DialectPlan:
    """A plan in which only one pass is, those beside it, and the one that adds sentences to descriptions."""

    def given(each: Pass) -> Pass:
        """A pass with the dialect, whatever that of the walk is; the one in question writes its calls."""

        def call(node: Node, _: Dialect, ledger: Ledger) -> Node:
            if each.name != name or calls is None:
                return each.apply(node, dialect, ledger)
            before = snapshot(node)
            result = each.apply(node, dialect, ledger)
            calls.append(Call(node, before, snapshot(node), result))
            return result

        return replace(each, apply=call, needed=lambda _: True)

    plan = plan_of(dialect if walked else _neutral(dialect))
    chosen = {name, DESCRIPTION.name, *beside}
    stages = {
        stage: [given(each) for each in members if each.name in chosen] for stage, members in STAGES.items()
    }
    stages["before"] = stages["combinators"] + stages["rewriting"]
    made = {stage: Stage.of(members, dialect) for stage, members in stages.items()}
    return replace(plan, encodes=plan_of(dialect).encodes, **made)


def _neutral(dialect: Dialect) -> Dialect:
    """A dialect whose walk keeps all, but for keywords by which values are judged and that the dialect lacks:
    values may be sent in another form because of that. It has the axes by which a walk tells the place of a
    node."""
    return Dialect(
        keep=("title", "$schema"),
        describe=tuple(key for key in VALUE_KEYWORDS if disposition(dialect, key) != "keep"),
        null=dialect.null,
        maps=dialect.maps,
        tuples=dialect.tuples,
        enums=dialect.enums,
        typed=dialect.typed,
    )


def _heights(document: SchemaDocument) -> Any:
    walker = Walker(_plan("", Dialect(), False, None), Walk(document), Ledger())
    return heights(to_json(walker.output()), walker.names)


def snapshot(node: Node) -> Any:
    return (
        _copied(node.keywords),
        node.path,
        node.notes,
        node.entered,
        repr(node.form),
        node.absent_null,
        None if node.before is None else _copied(node.before.keywords),
    )


def _copied(value: Any) -> Any:
    """Keywords as JSON that shares no container with them; order included."""
    if isinstance(value, dict):
        return [(key, _copied(item)) for key, item in value.items()]
    if isinstance(value, list):
        return [_copied(item) for item in value]
    if isinstance(value, Node):
        return snapshot(value)
    keywords = getattr(value, "keywords", None)
    return (value.__class__.__name__, value) if keywords is None else _copied(keywords)
