"""Text formats compiled for reading: where the next marker stands in a text, and what may begin there."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Literal, TypeAlias

from msgspec import Struct

from ....text_formats.text_format import HOLE, CallForm, Mark, Markers, ParameterForm, TextFormat
from .feed import Ends, Feed
from .marker_patterns import Pattern

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

    @property
    def head(self) -> re.Pattern[str]:
        """Matches the beginning of the marker: of a special token the first characters suffice."""
        return re.compile(re.escape(self.pattern.literal)) if self.mark == "token" else self.pattern.head


class BegunCalls(Struct, frozen=True, eq=False):
    """The candidates for calls whose markers begin at one place: what they say together about that place."""

    several: tuple[Candidate, ...]
    literal: str  # the longest
    marks: frozenset[Mark]
    closes: frozenset[Ends]
    alike: tuple[tuple[Ends, ...], ...]  # those with the same literals

    @classmethod
    def of(cls, several: tuple[Candidate, ...]) -> "BegunCalls":
        """Put candidates together."""
        literal = max((one.pattern.literal for one in several), key=len, default="")
        alike: dict[tuple[str, ...], tuple[Ends, ...]] = {}
        for one in several:
            alike[one.close.literals] = (*alike.get(one.close.literals, ()), one.close)
        marks: frozenset[Mark] = frozenset(one.mark for one in several)
        closes = frozenset(one.close for one in several)
        return cls(several, literal, marks, closes, tuple(alike.values()))


class Candidates:
    """Holds what may begin with one literal, in the order in which it is tried."""

    def __init__(self, literal: str, several: Sequence[Candidate]) -> None:
        self.several = tuple(several)
        self.fence = several[0].fence
        self.ends_thought = any(one.kind == "thought-end" for one in several)
        self.has_token = any(one.mark == "token" for one in several)
        self._literal = re.escape(literal)
        self._begun: dict[tuple[bool, ...], BegunCalls] = {}  # by which of `_heads` match

    @cached_property
    def longest(self) -> int:
        """Most characters that decide about a candidate."""
        return max(one.pattern.longest for one in self.several)

    @cached_property
    def _first(self) -> re.Pattern[str]:
        """Has a group for each candidate; the first that matches is the last group."""
        return re.compile("|".join(f"{one.pattern.expression(named=False)}()" for one in self.several))

    @cached_property
    def _heads(self) -> dict[re.Pattern[str], tuple[Candidate, ...]]:
        """The candidates for calls by what matches the beginnings of their markers."""
        found: dict[re.Pattern[str], tuple[Candidate, ...]] = {}
        for one in self.several:
            if one.kind in ("call", "section"):
                found[one.head] = (*found.get(one.head, ()), one)
        return found

    def begun(self, feed: Feed) -> BegunCalls:
        """Return the candidates for calls whose markers begin here, or may once more of the text arrives."""
        text, at = feed.text, feed.at
        key = tuple([head.match(text, at) is not None for head in self._heads])
        if len(text) - at > self.longest and key in self._begun:
            return self._begun[key]
        begun = {
            one
            for each, so in zip(self._heads.values(), key, strict=True)
            for one in each
            if so or (text.startswith(one.pattern.literal, at) and one.pattern.begun(text, at))
        }
        found = BegunCalls.of(tuple(one for one in self.several if one in begun))
        if len(text) - at > self.longest:
            self._begun[key] = found
        return found

    @cached_property
    def _again(self) -> tuple[re.Pattern[str], re.Pattern[str]]:
        begins = (
            one.pattern.expression(named=False).removeprefix(self._literal)
            for one in self.several
            if one.kind != "section-end"
        )
        repeated = f"(?:{self._literal})*+"
        apart = rf"(?:\s++{self._literal}(?!{'|'.join(begins)}))++"
        return re.compile(repeated), re.compile(f"{repeated}(?:{apart}{repeated})*+")

    def again(self, feed: Feed) -> int:
        """Return where the same literal ends that follows at once. In a text that has arrived whole, also
        behind white space, where no candidate begins.
        """
        found = self._again[feed.final].match(feed.text, feed.at)
        return feed.at if found is None else found.end()

    def matching(self, feed: Feed) -> tuple[Candidate, ...]:
        """Return the candidates from the first on that matches; all while more text may decide about one."""
        if not feed.final and len(feed.text) - feed.at <= self.longest:
            return self.several
        feed.steps += 1
        first = self._first.match(feed.text, feed.at)
        return () if first is None or first.lastindex is None else self.several[first.lastindex - 1 :]


class Grammar(Struct, frozen=True, eq=False):
    """Formats, compiled.

    Attributes:
        candidates: by the literal that they begin with.
        starts: forms of calls that are the whole text, or begin it.
        fences: forms and sections that are blocks of Markdown.
        peeks: whether a call anywhere begins without a marker.
        leads: what may stand before the first word.
        ends: what may stand behind the last.
    """

    candidates: dict[str, Candidates]
    literals: Ends
    starts: tuple[Candidate, ...]
    fences: tuple[Candidate, ...]
    peeks: bool
    leads: Ends
    ends: Ends

    @property
    def may_start(self) -> bool:
        """True where something is read at the start of a text alone."""
        return bool(self.starts or self.fences or self.leads.literals)


def compile_grammar(formats: tuple[TextFormat, ...]) -> Grammar:
    """Compile formats, in the order in which they are tried."""
    ranked = sorted((*_calls(formats), *_sections(formats)), key=lambda each: each[0])
    tried = [candidate for _, candidate in ranked]
    starts = tuple(one for one in tried if one.call is not None and one.call.form.place in _AT_START)
    marked = [one.pattern.literal for one in tried if one not in starts]
    # The longest first: what a format drops may begin a thought. A name may be any, and counts for nothing.
    others = sorted(
        _other_markers(formats, marked), key=lambda each: -len(HOLE.sub("", each.pattern.template))
    )
    begun = _by_literal([*(one for one in tried if one not in starts), *others])
    return Grammar(
        candidates=begun,
        literals=Ends(begun),
        starts=starts,
        fences=tuple(one for one in tried if one.fence),
        peeks=any(one.call is not None and one.call.form.peek for one in tried if one not in starts),
        leads=Ends(marker for each in formats for marker in each.starts),
        ends=Ends(marker for each in formats for marker in each.ends),
    )


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


def _by_literal(candidates: Iterable[Candidate]) -> dict[str, Candidates]:
    """Group candidates by the shortest literal that their own literal begins with."""
    several = list(candidates)
    literals = sorted({one.pattern.literal for one in several}, key=len)
    shortest = {each: next(other for other in literals if each.startswith(other)) for each in literals}
    found: dict[str, list[Candidate]] = {}
    for one in several:
        found.setdefault(shortest[one.pattern.literal], []).append(one)
    return {literal: Candidates(literal, each) for literal, each in found.items()}


class MarkerSearch:
    """Finds the markers of a text, and remembers how far it was searched."""

    __slots__ = ("_found", "_marker", "_markers", "_searched")

    def __init__(self, markers: Ends) -> None:
        self._markers = markers
        self._searched = 0  # offset of the first place that has to be searched
        self._found = -1  # offset of the last marker that is certain
        self._marker = ""

    def next(self, feed: Feed) -> tuple[int, str] | None:
        """Return the place of the next marker that has arrived, and the marker."""
        if self._found >= feed.offset:
            return self._found - feed.base, self._marker
        start = max(feed.at, self._searched - feed.base)
        hit = self._markers.pattern.search(feed.text, start)
        stop = len(feed.text) if hit is None else hit.start()
        # Behind that a marker may have begun: also one that has the found one within it.
        certain = len(feed.text) - (0 if feed.final else self._markers.longest)
        self._searched = feed.base + min(stop, certain)
        feed.steps += max(0, stop - start) + 1
        if hit is None:
            return None
        if stop < certain:
            self._found, self._marker = feed.base + stop, hit[0]
        return stop, hit[0]
