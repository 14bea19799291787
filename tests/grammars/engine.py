"""llguidance, asked as an inference engine asks it: a token is one byte, so every text has one spelling."""

import json
import random
from typing import Any

MOST = 3000
"""Bytes of a text; a grammar of lists inside lists need not come to an end by chance."""
SPACE = b" \t\r\n"
DIGITS = b"0123456789"


class RefusedError(Exception):
    """The engine does not compile the schema; the text says why."""


class Engine:
    """One tokenizer for all grammars."""

    def __init__(self, llguidance: Any) -> None:
        self._matcher = llguidance.LLMatcher
        self._tokenizer = llguidance.LLTokenizer("byte")

    def compile(self, schema: dict[str, Any]) -> "Grammar":
        """Raises RefusedError for what the engine refuses, and for a keyword that it would not enforce."""
        grammar = self._matcher.grammar_from_json_schema(json.dumps(schema))
        matcher = self._matcher(self._tokenizer, grammar, log_level=0)
        problems = [matcher.get_error()] if matcher.is_error() else matcher.get_grammar_warnings()
        if problems:
            raise RefusedError("; ".join(problems))
        return Grammar(matcher, self._tokenizer)


class Grammar:
    """The texts that a schema lets a model write."""

    def __init__(self, matcher: Any, tokenizer: Any) -> None:
        self._matcher = matcher
        self._tokenizer = tokenizer

    def refuses(self, text: str) -> str | None:
        """Where `text` leaves the grammar, if it does: what was read last, and what came next."""
        matcher = self._matcher.deep_copy()
        tokens = self._tokenizer.tokenize_bytes(text.encode())
        read = matcher.try_consume_tokens(tokens)
        if read == len(tokens):
            return None if matcher.is_accepting() else "it ends too early"
        data = text.encode()
        return f"after {data[max(0, read - 60) : read]!r} comes {data[read : read + 30]!r}"

    def walk(self, rng: random.Random) -> bytes | None:
        """A text that the grammar accepts, chosen byte by byte; None where it comes to no end.

        Strings are short, and numbers such that a float holds them: no grammar keeps 1e999 out.
        """
        matcher = self._matcher.deep_copy()
        out = bytearray()
        room = rng.randint(0, 6)
        while len(out) < MOST and not matcher.is_stopped():
            if matcher.is_accepting() and rng.random() < 0.5:
                break
            allowed = _bytes(matcher.compute_bitmask())
            if len(allowed) > 90:  # inside a string
                room = room - 1 if room else rng.randint(0, 6)
                byte = ord('"') if not room and ord('"') in allowed else _pick(rng, allowed)
            else:
                byte = rng.choice(_outside(allowed, out))
            if not matcher.consume_token(byte):
                break
            out.append(byte)
        return bytes(out) if matcher.is_accepting() else None


def _bytes(mask: bytes) -> list[int]:
    return [byte for byte in range(256) if mask[byte >> 3] >> (byte & 7) & 1]


def _pick(rng: random.Random, allowed: list[int]) -> int:
    """Mostly plain letters: bytes past ASCII and escapes must be finished before a string may end."""
    plain = [byte for byte in allowed if 32 <= byte < 127 and byte not in b'"\\']
    return rng.choice(plain if plain and rng.random() < 0.9 else allowed)


def _outside(allowed: list[int], out: bytearray) -> list[int]:
    """What may come outside of strings, without space, exponents and endless digits where it can be."""
    for unwanted, unless in ((SPACE, True), (b"eE", out[-1:].isdigit()), (DIGITS, out[-9:].isdigit())):
        left = [byte for byte in allowed if byte not in unwanted]
        if unless and left:
            allowed = left
    return allowed
