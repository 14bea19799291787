"""Text formats compiled for reading: where the next marker stands in a text, and what may begin there."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Literal, TypeAlias

from msgspec import Struct

from ..text_format import CallForm, Mark, Markers, ParameterForm, TextFormat
from .feed import Ends, Feed
from .marker_patterns import Pattern

_RARE = "<[=_`"
"""Characters by which markers are searched for: prose has few of them."""
_DENSE = 64
"""Characters between two of a kind below which a regular expression finds a marker faster than `str.find`."""
_Kind: TypeAlias = Literal[
    "call", "section", "section-end", "thought", "thought-end", "result", "dropped", "end"
]
_ORDER: tuple[str, ...] = (
    "json-calls",
    "json-arguments",
    "parameters",
    "python",
    "braces",
    "elements",
    "words",
)
"""Contents in the order in which they are tried: the one that tells least comes last."""
_SECTIONS = _ORDER.index("elements") - 0.5
"""Rank of sections."""
_AT_START = ("start", "whole")
_FOLLOWS: dict[str, tuple[str, ...]] = {
    "json-calls": tuple(
        f" {fence}{begun}" for fence in ("", "``` ", "```json ") for begun in ("{", "[ {", "[ [", "[ ]")
    ),
    "json-arguments": (" {", " ```json {"),
    "python": (" {name}(", " [ {name}("),
    "braces": (" {",),
    "elements": (" <",),
    "words": ("",),
}
"""Beginnings of contents. Without one the opening marker begins another form, or none."""
_THINK = tuple(
    Markers(open=f"<{name}>", close=f"</{name}>", prefilled=True) for name in ("think", "thinking")
)


class ReadyParameter(Struct, frozen=True, eq=False):
    """A form of parameters, compiled; `ends` are the literals that end a value."""

    form: ParameterForm
    open: Pattern
    ends: Ends


class ReadyCall(Struct, frozen=True, eq=False):
    """A form of calls, compiled for one opening template.

    Attributes:
        ends: closing markers of `elements` and `words`; where the opening one may be a word, also the next
            such.
        outer: closing markers of sections, which also end a call of parameters.
        heads: how an object of `json-calls` begins that has its name and arguments first.
        again: what begins another call before the closing marker.
    """

    form: CallForm
    format: str
    close: Ends
    ends: Ends
    parameters: tuple[ReadyParameter, ...]
    outer: Ends
    heads: tuple[Pattern, ...]
    again: tuple[Pattern, ...] = ()


class Candidate(Struct, frozen=True, eq=False):
    """A form, section, thought or marker that may begin at a place of the text.

    Attributes:
        mark: how surely the literal begins a call.
        fence: whether it is a block of Markdown.
        inner: what ends a thought, and what begins a call in one that has no end.
        calls: whether such a call is one.
    """

    kind: _Kind
    pattern: Pattern
    close: Ends
    call: ReadyCall | None = None
    mark: Mark = "word"
    fence: bool = False
    inner: Ends | None = None
    calls: bool = False


class Group(Struct, frozen=True, eq=False):
    """Markers that hold one rare character.

    Attributes:
        markers: matches a marker from its rare character on, and looks back at what stands before it.
        literals: the markers, the longest first, with the number of characters before the rare one.
        by_rest: the markers that are equal from the rare character on.
    """

    character: str
    markers: re.Pattern[str]
    literals: tuple[tuple[str, int], ...]
    by_rest: dict[str, tuple[tuple[str, int], ...]]
    longest: int


class Grammar(Struct, frozen=True, eq=False):
    """Formats, compiled.

    Attributes:
        candidates: by the literal that they begin with, in the order in which they are tried.
        by_ink: by the literal and the next character that is not white space; "" for any other.
        starts: forms of calls that are the whole text, or begin it.
        fences: forms and sections that are blocks of Markdown.
        peeks: whether a call anywhere begins without a marker.
        leads: what may stand before the first word.
        ends: what may stand behind the last.
    """

    candidates: dict[str, tuple[Candidate, ...]]
    by_ink: dict[str, dict[str, tuple[Candidate, ...]]]
    groups: tuple[Group, ...]
    literals: Ends
    starts: tuple[Candidate, ...]
    fences: tuple[Candidate, ...]
    peeks: bool
    leads: Ends
    ends: Ends

    def fitting(self, literal: str, ink: str) -> tuple[Candidate, ...]:
        """Return the candidates for `literal` with the character `ink` behind it."""
        if not ink:
            return self.candidates[literal]
        fitting = self.by_ink[literal]
        return fitting.get(ink, fitting[""])

    @property
    def may_start(self) -> bool:
        """True where something is read at the start of a text alone."""
        return bool(self.starts or self.fences or self.leads.literals)


@lru_cache(maxsize=64)
def compile_grammar(formats: tuple[TextFormat, ...]) -> Grammar:
    """Compile formats, in the order in which they are tried."""
    ranked = sorted((*_calls(formats), *_sections(formats)), key=lambda each: each[0])
    tried = [candidate for _, candidate in ranked]
    starts = tuple(one for one in tried if one.call is not None and one.call.form.place in _AT_START)
    marked = [one.pattern.literal for one in tried if one not in starts]
    # The longest first: what one format drops may begin a thought of another one.
    others = sorted(_other_markers(formats, marked), key=lambda each: -len(each.pattern.template))
    begun = _by_literal([*(one for one in tried if one not in starts), *others])
    return Grammar(
        candidates=begun,
        by_ink={literal: _by_ink(literal, several) for literal, several in begun.items()},
        groups=_groups_of(begun),
        literals=Ends(begun),
        starts=starts,
        fences=tuple(one for one in tried if one.fence),
        peeks=any(one.call is not None and one.call.form.peek for one in tried if one not in starts),
        leads=Ends(marker for each in formats for marker in each.starts),
        ends=Ends(marker for each in formats for marker in each.ends),
    )


def _by_ink(literal: str, candidates: tuple[Candidate, ...]) -> dict[str, tuple[Candidate, ...]]:
    inks = [one.pattern.inks(len(literal)) for one in candidates]
    named = {"", *(ink for each in inks if each is not None for ink in each)}
    return {
        ink: tuple(one for one, each in zip(candidates, inks, strict=True) if each is None or ink in each)
        for ink in named
    }


def _calls(formats: tuple[TextFormat, ...]) -> "Iterator[tuple[float, Candidate]]":
    """Make candidates of calls, each with its rank. What closes a form of one format closes it in all."""
    closing: dict[tuple[str, str], set[str]] = {}
    for each in formats:
        for form in each.calls:
            for template in form.open:
                closing.setdefault((template, form.content), set()).update(form.close)
    for each in formats:
        outer = Ends(section.close for section in each.sections)
        for form in each.calls:
            parameters, follows, heads = tuple(_parameters(form)), _follows(form), _heads(form)
            for template in form.open:
                close = Ends(form.close if form.exact else closing[template, form.content])
                ends = Ends([*close.literals, *form.open]) if form.mark == "word" else close
                again = tuple(Pattern(other, follows) for other in form.again)
                ready = ReadyCall(form, each.id, close, ends, parameters, outer, heads, again)
                pattern = Pattern(template, form.begins if form.peek else follows)
                yield (
                    _ORDER.index(form.content),
                    Candidate("call", pattern, close, ready, form.mark, form.fence),
                )


def _sections(formats: tuple[TextFormat, ...]) -> "Iterator[tuple[float, Candidate]]":
    shared = {template for each in formats for form in each.calls for template in form.open}
    for each in formats:
        inner = [
            f" {template}" for form in each.calls for template in form.open if form.place not in _AT_START
        ]
        for section in each.sections:
            follows = (*inner, f" {section.close}") if section.open in shared else ()
            close = Ends([section.close])
            pattern = Pattern(section.open, follows)
            yield _SECTIONS, Candidate("section", pattern, close, None, section.mark, section.fence)


def _other_markers(formats: tuple[TextFormat, ...], calls: Sequence[str]) -> "Iterator[Candidate]":
    none = Ends(())
    for each in formats:
        for section in each.sections:
            yield Candidate("section-end", Pattern(section.close), none, fence=section.fence)
        yield from _thoughts(each.thoughts, calls)
        for one in each.results:
            yield Candidate("result", Pattern(one.open), Ends([one.close]))
        for marker in each.dropped:
            yield Candidate("dropped", Pattern(marker), none)
        for marker in each.ends:
            yield Candidate("end", Pattern(marker), none)
        for form in each.calls:  # the closing marker of a call that showed its end before
            if form.mark == "token":
                for marker in form.close:
                    if marker[:1] in "<[":
                        yield Candidate("section-end", Pattern(marker), none)
    yield from _thoughts(_THINK, calls)


def _thoughts(thoughts: Iterable[Markers], calls: Sequence[str]) -> "Iterator[Candidate]":
    """Make candidates of thoughts. `calls`: literals that begin a call, also in a thought without an end."""
    for one in thoughts:
        close = Ends([one.close])
        inner = Ends([one.close, *calls])
        yield Candidate("thought", Pattern(one.open), close, inner=inner, calls=one.calls)
        if one.prefilled:
            yield Candidate("thought-end", Pattern(one.close), Ends(()))


def _parameters(form: CallForm) -> Iterable[ReadyParameter]:
    opening = [Pattern(template).literal for each in form.parameters for template in each.open]
    for each in form.parameters:
        ends = Ends(each.close if each.verbatim else [*each.close, *opening])
        for template in each.open:
            yield ReadyParameter(each, Pattern(template), ends)


def _heads(form: CallForm) -> tuple[Pattern, ...]:
    if form.content != "json-calls":
        return ()
    return tuple(
        Pattern(f'{{ "{name}" : "{{name}}" , "{arguments}" : ', ("{",))
        for name in form.names
        for arguments in form.arguments
    )


def _follows(form: CallForm) -> tuple[str, ...]:
    if form.begins:
        return form.begins
    closing = tuple(f" {close}" for close in form.close)
    if form.content == "json-arguments":
        return (*_FOLLOWS[form.content], *closing)
    if form.content != "parameters":
        return tuple(f" {form.prefix}{each}" if form.prefix else each for each in _FOLLOWS[form.content])
    opening = [f" {template}" for each in form.parameters for template in each.open]
    return (*opening, *closing)


def _by_literal(candidates: Iterable[Candidate]) -> dict[str, tuple[Candidate, ...]]:
    """Group candidates by the shortest literal that their own literal begins with."""
    several = list(candidates)
    literals = sorted({one.pattern.literal for one in several}, key=len)
    shortest = {each: next(other for other in literals if each.startswith(other)) for each in literals}
    found: dict[str, list[Candidate]] = {}
    for one in several:
        found.setdefault(shortest[one.pattern.literal], []).append(one)
    return {literal: tuple(each) for literal, each in found.items()}


def _groups_of(literals: Iterable[str]) -> tuple[Group, ...]:
    by_character: dict[str, list[tuple[str, int]]] = {}
    for literal in sorted(literals, key=lambda each: (-len(each), each)):
        character = next((each for each in _RARE if each in literal), literal[0])
        by_character.setdefault(character, []).append((literal, literal.index(character)))
    return tuple(_group(character, tuple(found)) for character, found in by_character.items())


def _group(character: str, literals: tuple[tuple[str, int], ...]) -> Group:
    around = "|".join(
        (f"(?<={re.escape(literal[: before + 1])})" if before else "") + re.escape(literal[before + 1 :])
        for literal, before in literals
    )
    # The rare character stands before the alternatives, so that `re` looks for it alone.
    pattern = re.compile(f"{re.escape(character)}(?:{around})")
    by_rest: dict[str, tuple[tuple[str, int], ...]] = {}
    for literal, before in literals:
        rest = literal[before:]
        by_rest[rest] = (*by_rest.get(rest, ()), (literal, before))
    return Group(character, pattern, literals, by_rest, max(len(literal) for literal, _ in literals))


class MarkerSearch:
    """Finds the markers of a text, and remembers how far it was searched for each group."""

    __slots__ = ("_found", "_groups")

    def __init__(self, groups: tuple[Group, ...]) -> None:
        self._groups = groups
        self._found = [(0, -1, "")] * len(groups)  # offsets: searched up to, found at; the marker

    def next(self, feed: Feed) -> tuple[int, str] | None:
        """Return the place of the next marker that has arrived, and the marker."""
        best, marker = -1, ""
        offset, size = feed.base + feed.at, feed.base + len(feed.text)
        for number, group in enumerate(self._groups):
            searched, found, literal = self._found[number]
            if found < offset and searched < size:
                # A marker may have begun where the text ended before.
                found, literal = _next_in(feed, group, max(feed.at, searched - group.longest - feed.base))
                self._found[number] = (size if found < 0 else found, found, literal)
            if found >= offset and (best < 0 or found < best):
                best, marker = found, literal
        return None if best < 0 else (best - feed.base, marker)


def _next_in(feed: Feed, group: Group, start: int) -> tuple[int, str]:
    """Return the offset of the group's next marker, not before `start`, and the marker; -1 for none."""
    text, character = feed.text, group.character
    at = text.find(character, start)
    while at >= 0:
        dense = text.find(character, at + 1, at + _DENSE) >= 0
        hit = group.markers.search(text, at) if dense else group.markers.match(text, at)
        if hit is not None:
            found = _marker(text, group, hit, start)
            if found is not None:
                feed.steps += found[0] - start + 1
                return feed.base + found[0], found[1]
            at = hit.start()
        elif dense:
            break
        at = text.find(character, at + 1)
    feed.steps += len(text) - start + 1
    return -1, ""


def _marker(text: str, group: Group, hit: re.Match[str], start: int) -> tuple[int, str] | None:
    """Return the marker that was hit; another one, or None, where it begins before `start`."""
    at = hit.start()
    for literal, before in (*group.by_rest[hit[0]], *group.literals):
        if at - before >= start and text.startswith(literal, at - before):
            return at - before, literal
    return None
