"""The forms in which a secret's value may come out."""

import base64

from msgspec import Struct

SHORTEST = 4
"""Characters, white space aside, that a value must have. A shorter one would stand in many texts by
chance, and be found out by asking for all there are."""

_LINE = 16  # characters that make a line of a longer value worth hiding on its own


class Form(Struct, frozen=True):
    """What to look for in text without white space. `open` says that the characters on both sides may
    carry bits of the value, as in base64."""

    text: str
    name: str
    open: bool = False


def forms(name: str, value: str) -> list[Form]:
    """All forms of a value: itself, each long line of it, base64 wherever it begins in what was encoded,
    both alphabets, and hexadecimal. Escapes are undone in the text instead."""
    data = value.encode("utf-8", "surrogatepass")
    texts = {_squeezed(value): False, data.hex(): False, data.hex().upper(): False}
    lines = value.splitlines()
    if len(lines) > 1:
        for line in map(_squeezed, lines):
            if len(line) >= _LINE and not line.startswith("-----"):
                texts.setdefault(line, False)
    for offset in range(3):
        part = _base64(data, offset)
        texts.setdefault(part, True)
        texts.setdefault(part.replace("+", "-").replace("/", "_"), True)
    return [Form(text, name, widen) for text, widen in texts.items()]


def is_too_short(value: str) -> bool:
    """Whether a value cannot be kept out of results."""
    return len(_squeezed(value)) < SHORTEST


def _squeezed(value: str) -> str:
    return "".join(value.split())


def _base64(data: bytes, offset: int) -> str:
    """Those characters that depend on `data` alone, where `offset` bytes stand before it."""
    text = base64.b64encode(b"\0" * offset + data + b"\0\0").decode()
    return text[-(-offset * 8 // 6) : (offset + len(data)) * 8 // 6]
