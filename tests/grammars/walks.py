"""Random walks over what an engine lets a model write, byte by byte, as an inference server asks it."""

import random
from collections.abc import Sequence
from typing import Protocol, Self

MOST = 3000
"""Bytes of a text; a grammar of lists inside lists need not come to an end by chance."""
SPACE = b" \t\r\n"
DIGITS = b"0123456789"
QUOTE = (b'"',)
LETTERS = tuple(letter.encode() for letter in "éß中\u2028😀")
"""Letters past ASCII. They are written whole: llama.cpp lets bytes through that are no UTF-8 at all."""


class State(Protocol):
    """An engine in the middle of a text. Its tokens are single bytes, so that every text has one spelling."""

    def allowed(self) -> list[int]:
        """The bytes that may come next."""
        ...

    def accepting(self) -> bool:
        """Whether the text may end here."""
        ...

    def take(self, byte: int) -> bool:
        """Go on with a byte; whether it may come next."""
        ...

    def fork(self) -> Self:
        """Another state at the same place."""
        ...


def refuses(state: State, text: str) -> str | None:
    """Where `text` leaves the grammar, if it does: what was read last, and what came next."""
    data = text.encode()
    for read, byte in enumerate(data):
        if not state.take(byte):
            return f"after {data[max(0, read - 60) : read]!r} comes {data[read : read + 30]!r}"
    return None if state.accepting() else "it ends too early"


def walk(state: State, rng: random.Random, exits: Sequence[bytes] = QUOTE) -> bytes | None:
    """A text that a grammar accepts, chosen byte by byte; None where it comes to no end.

    Strings are short, and numbers such that a float holds them: no grammar keeps 1e999 out.

    Args:
        state: the engine at the start of the text; it is used up.
        rng: chooses.
        exits: what ends a string, or free text: after some letters one of those that may come is written.
    """
    out = bytearray()
    room = rng.randint(0, 6)
    while len(out) < MOST:
        if state.accepting() and rng.random() < 0.5:
            break
        allowed = state.allowed()
        if not allowed:
            break
        if len(allowed) > 90:  # inside a string, or free text
            room = room - 1 if room else rng.randint(0, 6)
            pieces = exits if not room else LETTERS if rng.random() < 0.05 else ()
            after, piece = _exit(state, rng, pieces)
            if piece:
                state, out = after, out + piece
                continue
            byte = _pick(rng, allowed)
        else:
            byte = rng.choice(_outside(allowed, out))
        if not state.take(byte):
            raise AssertionError(f"what the mask allows is refused: {byte!r} after {bytes(out[-60:])!r}")
        out.append(byte)
    return bytes(out) if state.accepting() else None


def _exit(state: State, rng: random.Random, exits: Sequence[bytes]) -> tuple[State, bytes]:
    """The state after one of `exits`, and that exit; nothing where none may come."""
    for piece in rng.sample(exits, len(exits)):
        after = state.fork()
        if all(map(after.take, piece)):
            return after, piece
    return state, b""


def _pick(rng: random.Random, allowed: list[int]) -> int:
    """Mostly plain letters: escapes must be finished before a string may end."""
    ascii = [byte for byte in allowed if byte < 128]
    plain = [byte for byte in ascii if 32 <= byte < 127 and byte not in b'"\\']
    return rng.choice(plain if plain and rng.random() < 0.9 else ascii or allowed)


def _outside(allowed: list[int], out: bytearray) -> list[int]:
    """What may come outside of strings, without space, exponents and endless digits where it can be."""
    for unwanted, unless in ((SPACE, True), (b"eE", out[-1:].isdigit()), (DIGITS, out[-9:].isdigit())):
        left = [byte for byte in allowed if byte not in unwanted]
        if unless and left:
            allowed = left
    return allowed
