"""Texts of a grammar, by random walks, for the verification of a tool whose argument is one text."""

import random
from collections.abc import Iterator
from typing import Any, Final

from ...runtime.grammars import TextGrammar

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
