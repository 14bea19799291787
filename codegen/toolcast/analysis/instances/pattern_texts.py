"""Texts for patterns (a random one for a single pattern, the shortest one for several) and for grammars.

The shortest comes of a breadth-first search through the automata of the patterns together. Each pattern runs
as the set of its states; `FOUND` absorbs. Patterns with conditions or back-references have no exact
automaton, and nothing is decided about them.
"""

import random
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

from ...jsonschema.automaton import AT_END, NOTHING, Automaton
from ...jsonschema.charset import Alphabet
from ...jsonschema.ecma import exact_automaton, translate
from ...jsonschema.regex_cache import cache_short_texts
from ...jsonschema.validator_errors import UnsupportedPattern
from ...runtime.grammars import TextGrammar

_PARSER: Any = getattr(re, "_parser", None)
_MAX_REPEAT = 4
_WIDE = "aZ09_ -./é中\n"
_CATEGORIES = {
    "CATEGORY_DIGIT": "0123456789",
    "CATEGORY_NOT_DIGIT": "ab_ -",
    "CATEGORY_WORD": "abcXYZ019_",
    "CATEGORY_NOT_WORD": " -.!/é",
    "CATEGORY_SPACE": " \t\n",
    "CATEGORY_NOT_SPACE": "abZ09-",
}


@cache_short_texts
def _parsed(pattern: str) -> Any:
    try:
        return _PARSER.parse(translate(pattern))
    except (UnsupportedPattern, re.error, RecursionError, OverflowError, AttributeError):
        return None


def sample(rng: random.Random, pattern: str) -> str | None:
    """Return a string for `pattern`, or None where none can be derived."""
    tree = _parsed(pattern)
    if tree is None:
        return None
    groups: dict[int, str] = {}
    try:
        return "".join(_piece(rng, op, argument, groups) for op, argument in tree)
    except (RecursionError, LookupError):
        return None


def sample_first(pattern: str) -> str:
    """Return always the same string for `pattern`; an empty one where none can be derived."""
    return sample(random.Random(0), pattern) or ""


def _sequence(rng: random.Random, tree: Any, groups: dict[int, str]) -> str:
    return "".join(_piece(rng, op, argument, groups) for op, argument in tree)


def _piece(rng: random.Random, op: Any, argument: Any, groups: dict[int, str]) -> str:
    name = str(op)
    if name == "LITERAL":
        return chr(argument)
    if name == "NOT_LITERAL":
        return rng.choice([c for c in _WIDE if ord(c) != argument])
    if name == "ANY":
        return rng.choice(_WIDE.replace("\n", ""))
    if name == "IN":
        return _member(rng, argument)
    if name == "BRANCH":
        return _sequence(rng, rng.choice(argument[1]), groups)
    if name == "SUBPATTERN":
        text = _sequence(rng, argument[3], groups)
        if argument[0] is not None:
            groups[argument[0]] = text
        return text
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        low, high, inner = argument
        high = min(int(high), int(low) + _MAX_REPEAT)
        count = rng.choice((int(low), high, rng.randint(int(low), high)))
        return "".join(_sequence(rng, inner, groups) for _ in range(min(count, 300)))
    if name == "GROUPREF":
        return groups.get(argument, "")
    if name == "GROUPREF_EXISTS":
        chosen = argument[1] if argument[0] in groups else argument[2]
        return _sequence(rng, chosen or (), groups)
    if name == "ATOMIC_GROUP":
        return _sequence(rng, argument, groups)
    return ""  # anchors and look-arounds match no characters


def _member(rng: random.Random, items: Any) -> str:
    negated = str(items[0][0]) == "NEGATE"
    if negated:
        allowed = [c for c in _WIDE + "bcdefgh!#%&" if not any(_holds(item, c) for item in items[1:])]
        return rng.choice(allowed or ["\u2603"])
    op, argument = rng.choice(items)
    name = str(op)
    if name == "LITERAL":
        return chr(argument)
    if name == "RANGE":
        low, high = argument
        return chr(rng.choice((low, high, rng.randint(low, min(high, low + 200)))))
    if name == "CATEGORY":
        return rng.choice(_CATEGORIES.get(str(argument), "a"))
    return "a"


def _holds(item: Any, char: str) -> bool:
    op, argument = item
    name = str(op)
    if name == "LITERAL":
        return bool(ord(char) == argument)
    if name == "RANGE":
        return bool(argument[0] <= ord(char) <= argument[1])
    return char in _CATEGORIES.get(str(argument), "")


_MAX_STEPS: Final = 20_000
"""Characters that are tried in one search."""
_MAX_PATTERNS: Final = 2_000
"""Characters of all patterns of one search."""
_MAX_EDGES: Final = 4_000
"""Edges of all automata of one search."""
_MAX_KINDS: Final = 200
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
    """Return the shortest text, within bounds of its length, in which the patterns of `found` match and those
    of `refused` do not; None where there is none. Patterns are ECMA-262's. Raises UndecidedTextError where
    that is not decided within the bounds of this module.
    """
    if sum(map(len, (*found, *refused))) > _MAX_PATTERNS:
        raise UndecidedTextError
    text = _found(tuple(found), tuple(refused), least, most)
    if isinstance(text, UndecidedTextError):
        raise text
    return text


@lru_cache(maxsize=512)
def _found(
    found: tuple[str, ...], refused: tuple[str, ...], least: int, most: int | None
) -> str | UndecidedTextError | None:
    """Call `_searched`, with its error as a value: the same patterns are asked for many times."""
    try:
        return _searched(found, refused, least, most)
    except UndecidedTextError as undecided:
        return undecided


def _searched(found: tuple[str, ...], refused: tuple[str, ...], least: int, most: int | None) -> str | None:
    machines = [_machine(pattern) for pattern in (*found, *refused)]
    wanted = [True] * len(found) + [False] * len(refused)
    if sum(len(row) for machine in machines for row in machine.follow) > _MAX_EDGES:
        raise UndecidedTextError
    alphabet = Alphabet([ranges for machine in machines for ranges in machine.ranges])
    letters = _letters(alphabet, machines)
    if len(letters) > _MAX_KINDS:
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
    """Return one character of each class, one that reads well where there is one."""
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
                if steps > _MAX_STEPS:
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


_LONG: Final = 60
"""Bytes of a text, past which it ends as soon as it may."""
_LONGEST: Final = 400
"""Bytes of a walk, past which it is given up."""
_CLOSING: Final = b"\n\"'/|,;:.*<>)]}"
"""Bytes that often end a text inside of a text."""
_FAILED: Final = 20
"""Walks that come to no end, one after another, past which there are no more."""


def grammar_texts(grammar: TextGrammar, rng: random.Random, count: int) -> Iterator[str]:
    """Yield `count` texts of a grammar, fewer where walks do not end; some may be equal. Each byte is one of
    those that the engine lets a model write.
    """
    failed = 0
    while count and failed < _FAILED:
        text = _walk(grammar.matcher(), rng)
        if text is None:
            failed += 1
        else:
            failed, count = 0, count - 1
            yield text


def _walk(matcher: Any, rng: random.Random) -> str | None:
    out = bytearray()
    while len(out) < _LONGEST:
        if matcher.is_accepting() and (len(out) > _LONG or rng.random() < 0.3):
            break
        bits = int.from_bytes(matcher.compute_bitmask(), "little")
        allowed = [byte for byte in range(0x100) if bits >> byte & 1]
        if not allowed:
            break
        wanted = [byte for byte in allowed if 0x20 <= byte < 0x7F] if rng.random() < 0.95 else []
        if len(allowed) > 90 and rng.random() < 0.3:
            wanted = [byte for byte in allowed if byte in _CLOSING]
        byte = rng.choice(wanted or allowed)
        if not matcher.consume_token(byte):
            return None
        out.append(byte)
    return out.decode() if matcher.is_accepting() else None
