"""Random walks over what an engine lets a model write, byte by byte, as an inference server asks it."""

import random
from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Protocol

MOST = 3000
"""Bytes of a walk; a grammar of lists inside lists need not come to an end by chance."""
LATE = 120
"""Bytes of a walk from which on it goes for an end: what closes something, and no further parts. A mark that
begins as a list does is none of that: where it may not come, it would open lists without an end."""
SPACE = b" \t\r\n"
DIGITS = b"0123456789"
MORE = b",.[{\"'"
ENDS = b"}])/"
QUOTE = (b'"',)
LETTERS = tuple(letter.encode() for letter in "éß中\u2028😀")
"""Letters past ASCII. They are written whole: llama.cpp lets bytes through that are no UTF-8 at all."""


class State(Protocol):
    """An engine in the middle of a text. Its tokens are single bytes, so that every text has one spelling."""

    def allowed(self) -> tuple[int, ...]:
        """The bytes that may come next."""
        ...

    def accepting(self) -> bool:
        """Whether the text may end here."""
        ...

    def take(self, byte: int) -> bool:
        """Go on with a byte; whether it may come next."""
        ...


def refuses(state: State, text: str) -> str | None:
    """Where `text` leaves the grammar, if it does: what was read last, and what came next."""
    data = text.encode()
    for read, byte in enumerate(data):
        if not state.take(byte):
            return f"after {data[max(0, read - 60) : read]!r} comes {data[read : read + 30]!r}"
    return None if state.accepting() else "it ends too early"


def walk(
    state: State, rng: random.Random, exits: Sequence[bytes] = QUOTE, begun: bytes = b""
) -> bytes | None:
    """A text that a grammar accepts, chosen byte by byte; None where it comes to no end.

    Strings are short, and numbers such that a float holds them: no grammar keeps 1e999 out.

    Args:
        state: the engine at the start of the text; it is used up.
        rng: chooses.
        exits: what ends a string, or free text: after some letters one of those that may come is written,
            or the beginning of one.
        begun: the beginning of the text. Raises ValueError where it leaves the grammar.
    """
    if not all(map(state.take, begun)):
        raise ValueError(f"the grammar does not have {begun!r}")
    out = bytearray(begun)
    room = rng.randint(0, 6)
    while len(out) < len(begun) + MOST:
        late = len(out) > len(begun) + LATE
        if state.accepting() and (late or rng.random() < 0.5):
            break
        allowed = state.allowed()
        if not allowed:
            break
        inside = len(allowed) > 90  # a string, or free text
        pieces: Sequence[bytes] = ()
        if inside:
            room = room - 1 if room else rng.randint(0, 6)
            pieces = exits if not room else LETTERS if rng.random() < 0.05 else ()
        elif late and len(allowed) > 1:
            pieces = [each for each in exits if len(each) > 1 and each[0] not in MORE]
        pieces = [each for each in pieces if each[0] in allowed]
        if pieces:
            piece = rng.choice(pieces)
        else:
            piece = bytes([_pick(rng, allowed) if inside else rng.choice(_outside(allowed, out, late=late))])
        taken = bytes(takewhile(state.take, piece))  # as much of it as may come
        if not taken:
            raise AssertionError(f"what the mask allows is refused: {piece!r} after {bytes(out[-60:])!r}")
        out += taken
    return bytes(out) if state.accepting() else None


def _pick(rng: random.Random, allowed: tuple[int, ...]) -> int:
    """Mostly plain letters: escapes must be finished before a string may end."""
    plain, ascii = _letters(allowed)
    return rng.choice(plain if plain and rng.random() < 0.9 else ascii or allowed)


@lru_cache(maxsize=1024)
def _letters(allowed: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    ascii = tuple(byte for byte in allowed if byte < 128)
    return tuple(byte for byte in ascii if 32 <= byte < 127 and byte not in b'"\\'), ascii


def _outside(allowed: Sequence[int], out: bytearray, *, late: bool) -> Sequence[int]:
    """Bytes that may come outside of strings, without space, exponents and endless digits where it can be;
    late, those that close something, or begin a short value."""
    digits = out[-1:].isdigit() if late else out[-9:].isdigit()
    unwanted = [(SPACE, True), (b"eE", out[-1:].isdigit()), (DIGITS, digits), (MORE, late)]
    for bytes, unless in unwanted:
        left = [byte for byte in allowed if byte not in bytes]
        if unless and left:
            allowed = left
    ends = [byte for byte in allowed if byte in ENDS]
    return ends if late and ends else allowed


@lru_cache(maxsize=8192)
def bytes_of(mask: bytes) -> tuple[int, ...]:
    """The bytes whose bits are set in a mask of an engine."""
    return tuple(byte for byte in range(256) if mask[byte >> 3] >> (byte & 7) & 1)
