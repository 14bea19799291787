"""Values of scalars that one case of a contract admits: numbers and strings, the likeliest first.

A text that some patterns find and others do not comes of a breadth-first search through their automata
together. Each pattern runs as the set of its states; `FOUND` absorbs. Patterns with conditions or
back-references have no exact automaton, and nothing is decided about them.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

from ..instances.samples import FORMATS, sample
from ..jsonschema.automaton import AT_END, NOTHING, Automaton
from ..jsonschema.charset import Alphabet
from ..jsonschema.ecma import exact_automaton
from ..jsonschema.json_values import is_number
from .case_facts import Interval, as_number, interval_of, text_lengths, values_of
from .cases import Case, Part, possible_facts

MAX_STEPS: Final = 20_000
"""Characters that are tried in one search."""
MAX_PATTERNS: Final = 2_000
"""Characters of all patterns of one search."""
MAX_EDGES: Final = 4_000
"""Edges of all automata of one search."""
MAX_KINDS: Final = 200
"""Classes of characters of one search."""
_NICE: Final = "a0 A_-./:@#x1b2zZ9é\n\t"
_FOUND: Final = None

_States = tuple[int, ...] | None
"""The states of one pattern; None once it has found something."""


class UndecidedTextError(Exception):
    """The patterns are not regular, too large, or the search takes too long."""


def find_text(
    found: Sequence[str], refused: Sequence[str], least: int = 0, most: int | None = None
) -> str | None:
    """The shortest text in which some patterns are found, and others are not.

    Args:
        found: ECMA-262 patterns that are found in it.
        refused: patterns that are not found in it.
        least: characters that it has at least.
        most: characters that it has at most.

    Returns:
        The text; None where there is none.

    Raises:
        UndecidedTextError: that is not decided within the bounds of this module.
    """
    if sum(map(len, (*found, *refused))) > MAX_PATTERNS:
        raise UndecidedTextError
    text = _found(tuple(found), tuple(refused), least, most)
    if isinstance(text, UndecidedTextError):
        raise text
    return text


@lru_cache(maxsize=512)
def _found(
    found: tuple[str, ...], refused: tuple[str, ...], least: int, most: int | None
) -> str | UndecidedTextError | None:
    """`find_text`, with its error as a value: the same patterns are asked for many times."""
    try:
        return _searched(found, refused, least, most)
    except UndecidedTextError as undecided:
        return undecided


def _searched(found: tuple[str, ...], refused: tuple[str, ...], least: int, most: int | None) -> str | None:
    machines = [_machine(pattern) for pattern in (*found, *refused)]
    wanted = [True] * len(found) + [False] * len(refused)
    if sum(len(row) for machine in machines for row in machine.follow) > MAX_EDGES:
        raise UndecidedTextError
    alphabet = Alphabet([ranges for machine in machines for ranges in machine.ranges])
    letters = _letters(alphabet, machines)
    if len(letters) > MAX_KINDS:
        raise UndecidedTextError
    runs: list[_Run] = []
    first = 0
    for machine in machines:
        runs.append(_Run(machine, alphabet.accepted[first : first + len(machine.ranges)]))
        first += len(machine.ranges)
    return _shortest(runs, wanted, letters, least, most)


def _machine(pattern: str) -> Automaton:
    machine = exact_automaton(pattern)
    if machine is None:
        raise UndecidedTextError
    return machine


def _letters(alphabet: Alphabet, machines: list[Automaton]) -> list[tuple[int, str]]:
    """One character of each class, one that reads well where there is one."""
    edges = [
        chr(point)
        for machine in machines
        for ranges in machine.ranges
        for low, high in ranges
        for point in (low, high, high + 1)
        if point <= 0x10FFFF and not 0xD800 <= point <= 0xDFFF
    ]
    kinds: dict[int, str] = {}
    for letter in (*_NICE, *map(chr, range(0x20, 0x7F)), *edges):
        kinds.setdefault(alphabet.kind(letter), letter)
    return list(kinds.items())


class _Run:
    """One pattern, stepping through classes of characters."""

    def __init__(self, machine: Automaton, accepted: Sequence[Sequence[int]]) -> None:
        whole = machine.whole
        self._accepted = [frozenset(kinds) for kinds in accepted]
        self._follow = machine.follow
        self._ends = {state: needs for state, (_, needs) in whole.last.items()}
        self._initially = whole.initially_needs if whole.initially_empty else None
        self._later = whole.needs if whole.empty else None
        self._known: dict[tuple[tuple[int, ...], int], _States] = {}
        self.start: _States = _FOUND if self._initially == NOTHING else (Automaton.START,)

    def step(self, states: _States, kind: int) -> _States:
        """The states behind one more character."""
        if states is None:
            return _FOUND
        known = (states, kind)
        if known not in self._known:
            after = {
                following
                for state in states
                for following in self._follow[state]
                if kind in self._accepted[following]
            }
            ended = any(self._ends.get(state) == NOTHING for state in after)
            self._known[known] = _FOUND if ended else tuple(sorted(after))
        return self._known[known]

    def accepts(self, states: _States, *, empty: bool) -> bool:
        """Whether the pattern is found in a text that ends here."""
        if states is None:
            return True
        at_end = self._initially if empty else self._later
        return at_end == AT_END or any(state in self._ends for state in states)


def _shortest(
    runs: list[_Run], wanted: list[bool], letters: list[tuple[int, str]], least: int, most: int | None
) -> str | None:
    start = tuple(run.start for run in runs)
    before: dict[tuple[tuple[_States, ...], int], tuple[tuple[tuple[_States, ...], int], str] | None] = {
        (start, 0): None
    }
    level = [(start, 0)]
    steps = length = 0
    while level and (most is None or length <= most):
        following: list[tuple[tuple[_States, ...], int]] = []
        for node in level:
            states, counted = node
            if counted >= least and all(
                run.accepts(state, empty=length == 0) == expected
                for run, state, expected in zip(runs, states, wanted, strict=True)
            ):
                return _text(before, node)
            for kind, letter in letters:
                steps += 1
                if steps > MAX_STEPS:
                    raise UndecidedTextError
                after = tuple(run.step(state, kind) for run, state in zip(runs, states, strict=True))
                if any(
                    state == () if expected else state is _FOUND
                    for state, expected in zip(after, wanted, strict=True)
                ):
                    continue  # no text goes on from here
                reached = (after, min(counted + 1, least))
                if reached not in before:
                    before[reached] = (node, letter)
                    following.append(reached)
        level = following
        length += 1
    return None


def _text(
    before: dict[tuple[tuple[_States, ...], int], tuple[tuple[tuple[_States, ...], int], str] | None],
    node: tuple[tuple[_States, ...], int],
) -> str:
    letters: list[str] = []
    while (step := before[node]) is not None:
        node, letter = step
        letters.append(letter)
    return "".join(reversed(letters))


_DATE: Final = r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])"
_ZONE: Final = r"(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)"
_TIME: Final = rf"(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?{_ZONE}"
_BYTE: Final = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"

EXACT: Final[Mapping[str, str]] = {
    "uuid": "^[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$",
    "ipv4": rf"^{_BYTE}(?:\.{_BYTE}){{3}}$",
    "json-pointer": "^(?:/(?:[^~/]|~[01])*)*$",
}
"""Formats that are the texts of a pattern."""

WIDER: Final[Mapping[str, str]] = {
    **EXACT,
    "date": f"^{_DATE}$",
    "time": f"^{_TIME}$",
    "date-time": f"^{_DATE}[Tt]{_TIME}$",
    "duration": "^P[0-9YMDTHSW]+$",
    "email": r"^[\x20-\x7e]+@[A-Za-z0-9.:\[\]-]+$",
    "hostname": "^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$",
    "ipv6": "^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*$",
    "uri": r"^[A-Za-z][A-Za-z0-9+.\-]*:[!-~]*$",
    "uri-reference": "^[!-~]*$",
}
"""Patterns that every text of a format matches; some match more."""


def patterns_of(formats: Iterable[str]) -> list[str]:
    """The patterns that every text of all of `formats` matches."""
    return list(dict.fromkeys(WIDER[name] for name in formats if name in WIDER))


MAX_LENGTH: Final = 20_000
"""Characters of a text; items of an array and properties of an object are a tenth of it."""


def literals(facts: Sequence[Part], wanted: Callable[[Any], bool]) -> list[Any]:
    """Some members of `enum` and `const`."""
    found = [value for values in values_of(facts, "enum") for value in values[:20]]
    found += values_of(facts, "const")
    return [value for value in found if wanted(value)]


def _number_edges(facts: Sequence[Part]) -> list[Any]:
    """Numbers at which the schemas may change their verdict."""
    found: list[Any] = []
    for keyword in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
        for bound in values_of(facts, keyword):
            found += [bound, bound - 1, bound + 1]
            found += [bound - 0.5, bound + 0.5] if abs(bound) < 2**50 else []
    for step in values_of(facts, "multipleOf"):
        found += [step, step * 3, step * 7, step * 1.5]
    return [value for value in found if abs(value) < 1e300] + [0, 1, -1, 0.5, 1.5, 2**53, 10**20, -7]


def multiples(interval: Interval) -> list[Any]:
    """Some of the numbers of an interval, from its end."""
    step = interval.step or Fraction(1)
    first, last = interval.first, interval.last
    if first is not None:
        return [as_number(first + count * step) for count in range(8)]
    if last is not None:
        return [as_number(last - count * step) for count in range(8)]
    return [as_number(count * step) for count in range(-3, 8)]


def _text_edges(facts: Sequence[Part], rng: random.Random) -> list[str]:
    """Texts at which the schemas may change their verdict."""
    found = ["", "a", "b1", " ", "A-b", "é", "\n", "0"]
    for keyword in ("minLength", "maxLength"):
        for length in values_of(facts, keyword):
            found += [
                letter * (int(length) + off)
                for off in (-1, 0, 1)
                for letter in ("a", "1")
                if 0 <= int(length) + off <= MAX_LENGTH
            ]
    for pattern in dict.fromkeys(values_of(facts, "pattern")):
        made = [text for text in (sample(rng, pattern) for _ in range(3)) if text is not None]
        found += [text + end for text in made for end in ("", "!", "a")]
    for name in values_of(facts, "format"):
        right, wrong = FORMATS.get(name, ((), ()))
        found += [*right, *wrong]
    return found


def numbers(
    case: Case, soft: tuple[Part, ...], hints: tuple[Part, ...], rng: random.Random | None
) -> Iterator[Any]:
    """Numbers that are likely to be in a case: round ones, and those at its bounds."""
    near = facts_of(hints)
    suggested = [*_number_edges(near), *literals(near, is_number)]
    plain = interval_of(case.facts, whole=case.whole)
    if rng is not None:
        yield from shuffled([*suggested, *_number_edges(case.facts), *multiples(plain)], rng)[:16]
    interval = interval_of((*case.facts, *soft), whole=case.whole)
    for each in (interval, plain):
        if each.empty:
            continue
        first, last, step = each.first, each.last, each.step
        yield from (1, 0, 2, 5, 10)
        if first is not None and last is not None:
            yield as_number((first + last) / 2) if step is None else as_number(first)
        for bound, off in ((first, 1), (last, -1)):
            if bound is not None:
                yield as_number(bound)
                yield as_number(bound + off * (step or Fraction(1)))
                yield as_number(bound + off * (step or Fraction(1)) / 2)
        if step is not None:
            yield as_number(step)
        yield 0.5


def texts(
    case: Case, soft: tuple[Part, ...], hints: tuple[Part, ...], rng: random.Random | None
) -> Iterator[str]:
    """Strings that are likely to be in a case: by its patterns, its formats and its lengths."""
    near = facts_of(hints)
    if rng is not None:
        suggested = [
            *literals(near, lambda value: isinstance(value, str)),
            *_text_edges((*case.facts, *near), rng),
        ]
        yield from shuffled(suggested, rng)[:16]
    for facts in ((*case.facts, *soft), case.facts):
        lengths = text_lengths(facts)
        patterns = list(dict.fromkeys(values_of(facts, "pattern")))
        if patterns:
            patterns += patterns_of(values_of(facts, "format"))
        for name in values_of(facts, "format"):
            yield from FORMATS[name][0] if name in FORMATS else ()
        if lengths.empty or lengths.least > MAX_LENGTH:
            continue
        if patterns:
            try:
                least = max(lengths.least, 1)
                text = find_text(patterns, (), least, lengths.most)
                yield text if text is not None else ""
            except UndecidedTextError:
                chance = rng or random.Random(0)
                for _ in range(8):
                    yield sample(chance, chance.choice(patterns)) or ""
        else:
            wanted = max(lengths.least, 1 if lengths.most is None or lengths.most > 0 else 0)
            yield "a" * wanted
            yield "a" * lengths.least


def facts_of(hints: Sequence[Part]) -> tuple[Part, ...]:
    return tuple(possible_facts(hints)) if hints else ()


def shuffled(items: Sequence[Any], rng: random.Random | None) -> list[Any]:
    """The items in an order by chance, if there is any."""
    found = list(items)
    if rng is not None and len(found) > 1:
        rng.shuffle(found)
    return found
