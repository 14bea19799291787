"""How well the tools of a set can be told apart: by a search, and side by side."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from .confusable import ConfusedPair, by_tool, confused_pairs, confusions
from .findability import Retrieval, hard_to_find, retrievals
from .finding import Finding
from .linted_tool import Subject
from .tool_texts import tool_texts


class Distinction(Struct, frozen=True, kw_only=True):
    """What was measured. `retrievals` are by tool."""

    retrievals: Mapping[str, tuple[Retrieval, ...]]
    pairs: tuple[ConfusedPair, ...]


def distinction(subjects: Sequence[Subject]) -> Distinction:
    """Compare the tools of a set."""
    texts = [tool_texts(each) for each in subjects]
    found = zip(subjects, retrievals(texts), strict=True)
    return Distinction(
        retrievals={subject.tool.name: own for subject, own in found}, pairs=confused_pairs(texts)
    )


def indistinct(subjects: Sequence[Subject], found: Distinction) -> Iterator[Finding]:
    """Findings about tools that a search does not find, or that may be taken for others."""
    pairs = by_tool(found.pairs)
    for subject in subjects:
        yield from hard_to_find(subject, found.retrievals[subject.tool.name])
        yield from confusions(subject, pairs.get(subject.tool.name, ()))
