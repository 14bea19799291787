"""A comparison for people who use the tools: by tool, under the headings of a changelog."""

from collections.abc import Iterable, Iterator
from typing import Final, Literal, get_args

from msgspec import Struct

from .change import Audience, Change
from .compare_states import NOT_COMPARED, DiffOutcome, Finding
from .pairs import Pair

_Kind = Literal["removed", "renamed", "breaking", "deprecated", "added", "changed", "not compared"]
KINDS: Final[tuple[_Kind, ...]] = get_args(_Kind)
"""The headings, in their order."""

_TOLD: Final[frozenset[Audience]] = frozenset({"calls", "results", "code", "model", "trust"})
"""Whoever uses a tool notices these; definitions for providers and caches are for those who run it."""
_TOOL_RULES: Final = frozenset({"tool-added", "tool-removed", "tool-renamed", NOT_COMPARED})


class Entry(Struct, frozen=True, kw_only=True):
    """The sentences about one tool under one heading."""

    kind: _Kind
    tool: str
    sentences: tuple[str, ...]


def entries_of(outcome: DiffOutcome) -> tuple[Entry, ...]:
    """Return the entries of a changelog, by heading and name, suppressed changes included."""
    by_tool: dict[str, list[Finding]] = {}
    for each in (*outcome.findings, *outcome.suppressed):
        by_tool.setdefault(each.change.tool, []).append(each)
    found = [entry for pair in outcome.pairs for entry in _entries(pair, by_tool.get(pair.name, []))]
    found += [
        Entry(
            kind="not compared", tool=each.change.tool or each.change.file, sentences=(each.change.message,)
        )
        for each in outcome.findings
        if each.change.rule == NOT_COMPARED
    ]
    return tuple(sorted(found, key=lambda each: (KINDS.index(each.kind), each.tool)))


def _entries(pair: Pair, findings: list[Finding]) -> Iterator[Entry]:
    name = pair.name
    if pair.new is None:
        yield Entry(kind="removed", tool=name, sentences=(_gone(pair),))
        return
    if pair.old is None:
        yield Entry(kind="added", tool=name, sentences=(pair.new.tool.summary,))
        return
    if pair.renamed_from:
        sentence = f"called `{pair.renamed_from}` before; calls by that name fail"
        yield Entry(kind="renamed", tool=name, sentences=(sentence,))
    told = [
        each for each in findings if each.change.audience in _TOLD and each.change.rule not in _TOOL_RULES
    ]
    told.sort(key=lambda each: each.change.rule)
    before, after = pair.old.tool.deprecated, pair.new.tool.deprecated
    if after is not None and before is None:
        use = f"use `{after.use}` instead" if after.use else "it will be removed"
        until = f"; it is removed after {after.remove_after}" if after.remove_after and after.use else ""
        until = f" after {after.remove_after}" if after.remove_after and not after.use else until
        yield Entry(kind="deprecated", tool=name, sentences=(f"{use}{until}",))
    breaking = _sentences(each for each in told if each.level == "error")
    if breaking:
        yield Entry(kind="breaking", tool=name, sentences=breaking)
    changed = tuple(
        each for each in _sentences(each for each in told if each.level != "error") if each not in breaking
    )
    if changed:
        yield Entry(kind="changed", tool=name, sentences=changed)


def _gone(pair: Pair) -> str:
    assert pair.old is not None
    deprecated = pair.old.tool.deprecated
    if deprecated is not None and deprecated.use:
        return f"use `{deprecated.use}` instead"
    return pair.old.tool.summary


def _sentences(findings: Iterable[Finding]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_sentence(each.change) for each in findings))


def _sentence(change: Change) -> str:
    return f"in the result, {change.message}" if change.audience == "results" else change.message
