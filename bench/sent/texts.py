"""Arguments as they may arrive: nearly right, and written in every way that JSON allows."""

from __future__ import annotations

import json
import random
from typing import Any

from toolcast.verify.values import inside, replaced


class Pairs(list[tuple[str, Any]]):
    """An object whose properties stand in this order, some of them more than once."""


def arrived(rng: random.Random, value: Any) -> str | bytes:
    """`value`, perhaps changed a little, as text."""
    if rng.random() < 0.3:
        value = _floats(rng, value)
    if rng.random() < 0.25:
        value = changed(rng, value)
    text = written(rng, value)
    return text.encode("utf-8", "surrogatepass") if rng.random() < 0.5 else text


def changed(rng: random.Random, value: Any) -> Any:
    """With another value in the place of one of its own, or without it, or with it twice."""
    path, child = rng.choice(list(inside(value)))
    if isinstance(child, dict) and child and rng.random() < 0.6:
        pairs = list(child.items())
        name = rng.choice(list(child))
        again = rng.choice((child[name], None, rng.choice(pairs)[1], 5.0))
        if rng.random() < 0.5:
            return replaced(value, path, Pairs([*pairs, (name, again)]))
        return replaced(value, path, dict(pairs) | {rng.choice((name, "other", "key", "value")): again})
    if isinstance(child, list) and child and rng.random() < 0.5:
        return replaced(value, path, [*child, rng.choice(child)])
    new = rng.choice((None, 0, 1, 5.0, 1.5, "", "5", "a:b", True, [], {}, [5.0], {"a": 5.0}, child, [child]))
    return replaced(value, path, new)


def _floats(rng: random.Random, value: Any) -> Any:
    """With some whole numbers as floats, as Gemini returns all of them."""
    if isinstance(value, dict):
        return {name: _floats(rng, item) for name, item in value.items()}
    if isinstance(value, list):
        return [_floats(rng, item) for item in value]
    if type(value) is int and abs(value) < 2**53 and rng.random() < 0.5:
        return float(value)
    return value


def written(rng: random.Random, value: Any) -> str:
    """JSON text, with space and escapes by chance."""
    space = rng.choice(("", "", " ", "\n\t"))
    if isinstance(value, dict):
        value = Pairs(value.items())
    if isinstance(value, Pairs):
        members = (f"{_string(rng, name)}:{space}{written(rng, item)}" for name, item in value)
        return "{" + space + f",{space}".join(members) + space + "}"
    if isinstance(value, list):
        return "[" + space + f",{space}".join(written(rng, item) for item in value) + space + "]"
    if isinstance(value, str):
        return _string(rng, value)
    if type(value) is float and value.is_integer() and abs(value) < 1e6 and rng.random() < 0.1:
        return f"{int(value)}e0"
    return json.dumps(value)


def _string(rng: random.Random, text: str) -> str:
    plain = json.dumps(text, ensure_ascii=rng.random() < 0.5)
    if text and rng.random() < 0.03:
        return '"' + "".join(f"\\u{ord(sign):04x}" if ord(sign) < 65536 else sign for sign in text) + '"'
    return plain
