"""Vectors of texts, for the search by meaning; the program brings what makes them."""

from array import array
from collections.abc import Callable, Sequence
from math import isfinite, sqrt
from operator import mul
from typing import Final

from msgspec import Struct

from ...runtime.errors import RefusalError
from ...runtime.log_records import ERROR, log

BATCH: Final = 64
"""Texts that are embedded at once."""


class Embedder(Struct, frozen=True, kw_only=True):
    """What makes vectors of texts.

    Attributes:
        name: name of the model. Vectors of another name are made anew.
        embed: makes one vector for each text, all of one length, near each other where the meaning is. It is
            called in worker threads, with 64 texts at most, and may block.
    """

    name: str
    embed: Callable[[Sequence[str]], Sequence[Sequence[float]]]


def vectors(embedder: Embedder, texts: Sequence[str]) -> list[bytes]:
    """Vectors of texts, as they are stored: of length 1, in 32-bit floats.

    Args:
        embedder: what makes them.
        texts: the texts, at most `BATCH`.

    Returns:
        One vector for each text.

    Raises:
        RefusalError: the embedder raised an `Exception`, or returned no such vectors.
    """
    try:
        found = [_stored(vector) for vector in embedder.embed(texts)]
        if len(found) != len(texts) or len({len(vector) for vector in found}) > 1:
            raise ValueError(f"{len(texts)} texts have {len(found)} vectors, or vectors of several lengths.")
    except Exception as problem:
        log(ERROR, "The embedder %s failed.", embedder.name, event="embedder_failed", problem=problem)
        raise RefusalError(
            "The documents cannot be searched by meaning now: what makes vectors of texts failed. "
            "Use mode keyword, or tell the user."
        ) from problem
    return found


def similarity(one: Sequence[float], other: bytes) -> float:
    """How near two vectors of length 1 are.

    Args:
        one: a vector.
        other: a stored vector.

    Returns:
        Their cosine, from 0 on; 0 where they differ in length.
    """
    unpacked = unpack(other)
    return min(1.0, max(0.0, sum(map(mul, one, unpacked)))) if len(one) == len(unpacked) else 0.0


def unpack(stored: bytes) -> "array[float]":
    """The numbers of a stored vector."""
    numbers = array("f")
    numbers.frombytes(stored[: len(stored) // 4 * 4])
    return numbers


def _stored(vector: Sequence[float]) -> bytes:
    length = sqrt(sum(value * value for value in vector))
    if not (isfinite(length) and length > 0):
        raise ValueError("A vector has no direction.")
    return array("f", [value / length for value in vector]).tobytes()
