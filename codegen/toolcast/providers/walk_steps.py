"""The steps of a walk: the schema after each pass that changed it, with the entries that the pass wrote.

A step is the difference between two walks over the same document: one with the first passes of the dialect,
and one with one more. The keywords of all nodes are one step, between the passes before and after them; a
walk without that step visits every schema and keeps all keywords. Every walk adds the sentences of its passes
to descriptions.

`written_at` finds where the schemas of a provider's JSON were written in the contract.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from ..jsonschema.json_values import JsonObject
from ..jsonschema.pointers import join
from ..jsonschema.schema_node import SchemaError, SchemaNode, Segments, pointer, subnodes, to_json
from .dialect_plan import partial_plan
from .ledger import Ledger, LedgerEntry, entry_of
from .node import Pass
from .normalize import SchemaNormalizer, WalkOutcome, outcome_of
from .passes import COMPLETION, passes_of
from .passes.annotations import DESCRIPTION
from .profiles.load_profiles import load_profile
from .profiles.profile import Profile
from .walk import Walker

_PARSED = "Read the schema as JSON Schema 2020-12: upgrade older forms, leave defects out."
_GIVEN_UP = "Give strict mode up, which cannot express the schema: it is sent without."
_ALWAYS = "Note what strict mode, which cannot be turned off, does not express."
_MISSING = "Note that strict mode is wanted, which the provider does not have."
_KEYWORDS = "Keep, drop or describe each keyword, and move definitions to where references find them."


class Step(Struct, frozen=True, kw_only=True):
    """One step of a walk.

    Attributes:
        name: `parsed`, `strict`, `keywords`, or the name of a pass.
        summary: what it does, in one sentence.
        schema: the schema after it.
        entries: the entries of the ledger that it wrote.
    """

    name: str
    summary: str
    schema: JsonObject
    entries: tuple[LedgerEntry, ...]


def steps(schema: object, provider: str | Profile, *, strict: bool | None = None) -> tuple[Step, ...]:
    """Explain how `normalize` rewrites a schema. The schema is not changed.

    Args:
        schema: as of `normalize`.
        provider: as of `normalize`.
        strict: as of `normalize`.

    Returns:
        The schema as it was parsed; where strict mode was given up, the reasons; then each step that changed
        the schema or wrote an entry. They are the steps of the walk whose output is sent: the last schema is
        that of `normalize`, and the entries of all steps are its ledger.

    Raises:
        SchemaError: as by `normalize`.
        ProfileError: as by `normalize`.
    """
    profile = provider if isinstance(provider, Profile) else load_profile(provider)
    normalizer = SchemaNormalizer(schema)
    choice = normalizer.choice(profile, strict=strict)
    parsed: JsonObject = to_json(normalizer.document.root)
    walked = tuple(_walked(choice.outcome))
    entries = _entries(choice.outcome, walked)
    found = [Step(name="parsed", summary=_PARSED, schema=parsed, entries=entries[0])]
    if choice.reasons:
        summary = _ALWAYS if profile.always_strict else _MISSING if choice.strict is None else _GIVEN_UP
        found.append(Step(name="strict", summary=summary, schema=parsed, entries=choice.reasons))
    before = parsed
    for (each, outcome), written in zip(walked, entries[1:], strict=True):
        if written or repr(outcome.schema) != repr(before):  # in its order, and true is not 1
            name, summary = ("keywords", _KEYWORDS) if each is None else (each.name, summary_of(each))
            found.append(Step(name=name, summary=summary, schema=outcome.schema, entries=written))
            before = outcome.schema
    return tuple(found)


def summary_of(each: Pass) -> str:
    """Return the first sentence of the docstring of a pass's function."""
    paragraph = (each.apply.__doc__ or "").partition("\n\n")[0]
    first, _, rest = " ".join(paragraph.split()).partition(". ")
    return f"{first}." if rest else first


def _walked(whole: WalkOutcome) -> Iterator[tuple[Pass | None, WalkOutcome]]:
    """Each pass, None for the keywords, with the outcome of the walk that ends with it."""
    needed = [each for each in passes_of(whole.plan.dialect) if each is not DESCRIPTION]
    early = [each for each in needed if each not in COMPLETION]
    late = [each for each in needed if each in COMPLETION]
    walk = replace(whole.walk, changed=frozenset())  # each finds by itself what it changes
    nameless = replace(walk, renames={})
    chosen: tuple[Pass, ...] = (DESCRIPTION,)
    for each in (*early, None, *late):
        if each is not None:
            chosen = (*chosen, each)
        keywords = each is None or each in late
        plan = partial_plan(whole.plan, chosen, keywords=keywords)
        with suppress(SchemaError):  # it may nest too deeply without the next pass, whose step then has both
            outcome = outcome_of(walk if keywords else nameless, plan)
            yield each, outcome if keywords else _with_definitions(outcome)


def _with_definitions(outcome: WalkOutcome) -> WalkOutcome:
    """Return an outcome with the definitions as they were written, if they are there to be inlined only."""
    root = outcome.walk.document.root.keywords
    if outcome.plan.dialect.refs != "inline" or "$defs" not in root or "$defs" not in outcome.schema:
        return outcome
    return replace(outcome, schema={**outcome.schema, "$defs": to_json(root["$defs"])})


def _entries(
    whole: WalkOutcome, walked: Sequence[tuple[Pass | None, WalkOutcome]]
) -> tuple[tuple[LedgerEntry, ...], ...]:
    """Return the entries of each step, of parsing first: an entry belongs to the step since which it was
    always there. What a later step takes back belongs to none.
    """
    ledgers = [
        frozenset(map(entry_of, whole.walk.document.changes)),
        *(frozenset(outcome.ledger) for _, outcome in walked),
    ]
    written: list[list[LedgerEntry]] = [[] for _ in ledgers]
    for entry in whole.ledger:
        at = len(ledgers) - 1
        while at and entry in ledgers[at - 1]:
            at -= 1
        written[at].append(entry)
    return tuple(map(tuple, written))


def written_at(schema: object, provider: str | Profile, *, strict: bool | None = None) -> dict[str, str]:
    """For each schema of what `normalize` returns, return the place at which it was written: JSON pointers
    into the output → JSON pointers into `schema`.

    Several places of the output may have one: a definition that is inlined, the parts of an encoded value.
    Arguments and errors are those of `normalize`.
    """
    outcome = SchemaNormalizer(schema).choice(provider, strict=strict).outcome
    found: dict[str, str] = {}
    pending: list[tuple[Segments, SchemaNode]] = [
        ((), Walker(outcome.plan, outcome.walk, Ledger(outcome.walk.document.changes)).output())
    ]
    while pending:
        segments, node = pending.pop()
        found[join(segments)] = pointer(node.path)
        pending += [
            ((*segments, *below), item) for below, item in subnodes(node) if isinstance(item, SchemaNode)
        ]
    return found
