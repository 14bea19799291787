"""Patterns as trees, and an engine that searches as `re` does and counts its steps."""

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import strategies as st


class TooManyStepsError(Exception):
    pass


@dataclass(frozen=True)
class Part:
    """One construct of a pattern. `kind` says which; `parts` stand in it."""

    kind: str
    text: str = ""
    parts: tuple["Part", ...] = ()
    low: int = 0
    high: int | None = None
    lazy: bool = False

    def __str__(self) -> str:
        if self.kind == "either":
            return "(?:" + "|".join(map(str, self.parts)) + ")"
        if self.kind == "then":
            return "".join(map(str, self.parts))
        if self.kind == "repeat":
            bounds = f"{{{self.low},{'' if self.high is None else self.high}}}"
            short = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get((self.low, self.high), bounds)
            return f"(?:{self.parts[0]}){short}{'?' if self.lazy else ''}"
        if self.kind in ("(?=", "(?!"):
            return f"{self.kind}{self.parts[0]})"
        return self.text


SETS = {"a": "a", "b": "b", "[ab]": "ab", ".": "ab!", "[^a]": "b!"}
ALPHABET = "ab!"
_characters = st.sampled_from(sorted(SETS)).map(lambda text: Part("character", text))
_anchors = st.sampled_from("^$").map(lambda text: Part(text, text))
_counts = st.sampled_from(
    [(0, None), (1, None), (0, 1), (2, None), (0, 2), (1, 3), (3, 3), (2, 4), (0, 9), (2, 2)]
)


def _repeated(part: Part, counts: tuple[int, int | None], lazy: bool) -> Part:
    return Part("repeat", "", (part,), *counts, lazy)


def _deeper(inner: st.SearchStrategy[Part]) -> st.SearchStrategy[Part]:
    several = st.lists(inner, min_size=0, max_size=3).map(tuple)
    some = st.lists(inner, min_size=1, max_size=3).map(tuple)
    repeated = st.builds(_repeated, inner, _counts, st.booleans())
    return st.one_of(
        st.builds(Part, st.just("then"), parts=several),
        st.builds(Part, st.just("either"), parts=some),
        repeated,
        repeated,
    )


def patterns(*, looking: bool = False) -> st.SearchStrategy[Part]:
    """Patterns over few characters, in which parts repeat what repeats; `looking` ahead as well."""
    leaves = st.one_of(_characters, _characters, _characters, _anchors)
    if looking:
        inside = st.recursive(leaves, _deeper, max_leaves=4)
        kinds = st.sampled_from(["(?=", "(?!"])
        ahead = st.builds(lambda kind, part: Part(kind, "", (part,)), kinds, inside)
        leaves = st.one_of(leaves, ahead)
    return st.recursive(leaves, _deeper, max_leaves=10)


class Engine:
    """One search. `steps`: characters that were looked at, and ends that were reached."""

    def __init__(self, text: str, most: int) -> None:
        self.text = text
        self.most = most
        self.steps = 0

    def search(self, part: Part) -> bool:
        return any(self.match(part, start, self.found) for start in range(len(self.text) + 1))

    def found(self, _: int) -> bool:
        self.step()
        return True

    def step(self) -> None:
        self.steps += 1
        if self.steps > self.most:
            raise TooManyStepsError

    def match(self, part: Part, at: int, then: Callable[[int], bool]) -> bool:
        if part.kind == "character":
            self.step()
            return at < len(self.text) and self.text[at] in SETS[part.text] and then(at + 1)
        if part.kind == "^":
            return at == 0 and then(at)
        if part.kind == "$":
            return at == len(self.text) and then(at)
        if part.kind == "either":
            return any(self.match(each, at, then) for each in part.parts)
        if part.kind == "then":
            return self.sequence(part.parts, at, then)
        if part.kind in ("(?=", "(?!"):
            found = self.match(part.parts[0], at, lambda _: True)
            return found == (part.kind == "(?=") and then(at)
        return self.repeat(part, at, then, 0, None)

    def sequence(self, parts: tuple[Part, ...], at: int, then: Callable[[int], bool]) -> bool:
        if not parts:
            return then(at)
        return self.match(parts[0], at, lambda end: self.sequence(parts[1:], end, then))

    def repeat(self, part: Part, at: int, then: Callable[[int], bool], count: int, last: int | None) -> bool:
        """`last`: where the last turn began that did not have to be made; one that was empty ends it."""

        def turn(begun: int | None) -> bool:
            return self.match(part.parts[0], at, lambda end: self.repeat(part, end, then, count + 1, begun))

        if count < part.low:
            return turn(last)
        more = (part.high is None or count < part.high) and at != last
        if part.lazy:
            return then(at) or (more and turn(at))
        return (more and turn(at)) or then(at)
