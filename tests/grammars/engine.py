"""llguidance, asked as an inference engine asks it."""

import json
import random
from collections.abc import Sequence
from typing import Any

from .walks import QUOTE, State, bytes_of, walk


class RefusedError(Exception):
    """The engine does not compile a schema or a grammar; the text says why."""


class Engine:
    """One tokenizer for all grammars."""

    def __init__(self, llguidance: Any) -> None:
        self._matcher = llguidance.LLMatcher
        self._tokenizer = llguidance.LLTokenizer("byte")

    def compile(self, schema: dict[str, Any]) -> "Grammar":
        """Raises RefusedError for what the engine refuses, and for a keyword that it would not enforce."""
        return self._compiled(self._matcher.grammar_from_json_schema(json.dumps(schema)))

    def compile_text(self, lark: str) -> "Grammar":
        """Raises RefusedError for what the engine refuses, or warns of."""
        return self._compiled(self._matcher.grammar_from_lark(lark))

    def _compiled(self, grammar: Any) -> "Grammar":
        matcher = self._matcher(self._tokenizer, grammar, log_level=0)
        problems = [matcher.get_error()] if matcher.is_error() else matcher.get_grammar_warnings()
        if problems:
            raise RefusedError("; ".join(problems))
        return Grammar(matcher, self._tokenizer)


class Grammar:
    """The texts that a schema or a grammar lets a model write."""

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

    def walk(self, rng: random.Random, exits: Sequence[bytes] = QUOTE, begun: bytes = b"") -> bytes | None:
        """A text that the grammar accepts, as `walks.walk` makes it."""
        return walk(self.start(), rng, exits, begun)

    def start(self) -> "State":
        """The engine at the start of a text."""
        return _State(self._matcher.deep_copy())


class _State:
    def __init__(self, matcher: Any) -> None:
        self._matcher = matcher

    def allowed(self) -> tuple[int, ...]:
        return () if self._matcher.is_stopped() else bytes_of(self._matcher.compute_bitmask())

    def accepting(self) -> bool:
        return bool(self._matcher.is_accepting())

    def take(self, byte: int) -> bool:
        return bool(self._matcher.try_consume_tokens([byte]) == 1)
