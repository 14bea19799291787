"""xgrammar, with the face of `engine.Engine`. It needs torch, so it has an environment of its own."""

import json
from typing import Any

from .engine import RefusedError


class XEngine:
    """One compiler for all grammars, with a token for each byte."""

    def __init__(self, xgrammar: Any) -> None:
        self._xgrammar = xgrammar
        vocabulary = [*(bytes([byte]) for byte in range(256)), b"</s>"]
        raw = xgrammar.VocabType.RAW
        info = xgrammar.TokenizerInfo(vocabulary, vocab_type=raw, stop_token_ids=[256])
        self._compiler = xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False)

    def compile(self, schema: dict[str, Any]) -> "XGrammar":
        """Raises RefusedError. Keywords that it does not know it passes over without a word."""
        try:
            made = self._compiler.compile_json_schema(json.dumps(schema), strict_mode=True)
        except RuntimeError as problem:
            raise RefusedError(str(problem).rpartition(": ")[2]) from None
        return XGrammar(self._xgrammar, made)


class XGrammar:
    def __init__(self, xgrammar: Any, compiled: Any) -> None:
        self._xgrammar = xgrammar
        self._compiled = compiled

    def refuses(self, text: str) -> str | None:
        """Whether `text` is not of the grammar."""
        matcher = self._xgrammar.GrammarMatcher(self._compiled, terminate_without_stop_token=True)
        if not matcher.accept_string(text.encode()):
            return "it leaves the grammar"
        return None if matcher.is_terminated() else "it ends too early"
