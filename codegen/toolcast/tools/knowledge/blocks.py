"""A document as a sequence of headings and paragraphs: its passages and its outline."""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from ..generated.knowledge.get_document_info import Section

PASSAGE: Final = 1500
"""Characters of a passage."""
MAX_PASSAGES: Final = 5000
"""Passages of one document; the rest of it is not indexed."""
MAX_HEADINGS: Final = 500
"""Headings that are kept of one document."""
_HEADING: Final = 300
"""Characters of a heading."""


class Block(Struct, frozen=True):
    """A heading, or a paragraph.

    Attributes:
        text: its text.
        level: 1 to 6 for a heading; 0 for a paragraph.
    """

    text: str
    level: int = 0


class Passage(Struct, frozen=True):
    """A part of a document that is found by itself.

    Attributes:
        section: the headings that it stands below, the outermost first.
        text: its text.
    """

    section: str
    text: str


class Heading(Struct, frozen=True):
    """A heading of the outline; `level` counts from 1."""

    level: int
    title: str


def headings(blocks: Sequence[Block]) -> list[Heading]:
    """The headings of a document.

    Args:
        blocks: the document.

    Returns:
        The headings, at most `MAX_HEADINGS`, each cut at 300 characters.
    """
    found = [Heading(level=block.level, title=block.text[:_HEADING]) for block in blocks if block.level]
    return found[:MAX_HEADINGS]


def passages(blocks: Sequence[Block]) -> list[Passage]:
    """Cut a document into passages: paragraphs of one section, up to 1,500 characters.

    Args:
        blocks: the document.

    Returns:
        Its passages, at most `MAX_PASSAGES`. A heading without a paragraph is a passage of its own.
    """
    found: list[Passage] = []
    trail: list[Heading] = []
    parts: list[str] = []
    used = True

    def end() -> None:
        section = " > ".join(heading.title for heading in trail)
        if parts or not used:
            found.append(Passage(section, "\n\n".join(parts) or trail[-1].title))
        parts.clear()

    for block in blocks:
        if len(found) >= MAX_PASSAGES:
            return found[:MAX_PASSAGES]
        if block.level:
            end()
            while trail and trail[-1].level >= block.level:
                trail.pop()
            trail.append(Heading(level=block.level, title=block.text[:_HEADING]))
            used = False
            continue
        for piece in _pieces(block.text):
            if parts and sum(map(len, parts)) + len(piece) > PASSAGE:
                end()
            parts.append(piece)
            used = True
    end()
    return found[:MAX_PASSAGES]


def outline(found: Sequence[Heading], depth: int) -> list[Section]:
    """The headings as a tree.

    Args:
        found: the headings, in their order.
        depth: levels of the tree.

    Returns:
        The sections, each with those below it.
    """
    roots: list[Section] = []
    # Levels may be left out (1, then 3): the tree goes down by one all the same.
    trail: list[tuple[int, list[Section]]] = [(0, roots)]
    for heading in found:
        while trail[-1][0] >= heading.level:
            trail.pop()
        below: list[Section] = []
        if len(trail) <= depth:
            trail[-1][1].append(Section(title=heading.title, sections=below))
        trail.append((heading.level, below))
    return roots


def _pieces(text: str) -> Iterator[str]:
    """A paragraph in pieces of at most `PASSAGE` characters, cut between words where there are any."""
    start = 0
    while len(text) - start > PASSAGE:
        end = start + PASSAGE
        space = max(text.rfind(" ", start + PASSAGE // 2, end), text.rfind("\n", start + PASSAGE // 2, end))
        end = space if space > 0 else end
        yield text[start:end].strip()
        start = end
    rest = text[start:].strip()
    if rest:
        yield rest
