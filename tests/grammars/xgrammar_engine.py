"""xgrammar, with the face of `engine.Engine`. `make engines` installs it, without torch."""

import importlib.util
import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from .engine import RefusedError
from .walks import QUOTE, State, bytes_of, refuses, walk

PACKAGES = Path(__file__).resolve().parents[2] / ".venv-grammars/python"
_END = 256


class _Absent(ModuleType):
    """A module whose every member is a class that takes anything and does nothing."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {"__init__": lambda *_, **__: None})


def load() -> Any:
    """xgrammar. It names types of torch and transformers, some 6 GB, for arrays and tokenizers that nothing
    here uses; its engine needs neither. Raises ImportError."""
    if PACKAGES.is_dir() and str(PACKAGES) not in sys.path:
        sys.path.append(str(PACKAGES))
    importlib.import_module("tvm_ffi")  # looks for torch, too, and does without
    absent = [name for name in ("torch", "transformers") if importlib.util.find_spec(name) is None]
    sys.modules.update({name: _Absent(name) for name in absent})
    try:
        return importlib.import_module("xgrammar")
    finally:
        for name in absent:
            del sys.modules[name]


def release() -> str:
    """The version that is installed."""
    return next(PACKAGES.glob("xgrammar-*.dist-info")).name.split("-")[1].removesuffix(".dist")


class XEngine:
    """One compiler for all grammars, with a token for each byte."""

    def __init__(self, xgrammar: Any) -> None:
        self._xgrammar = xgrammar
        vocabulary = [*(bytes([byte]) for byte in range(256)), b"</s>"]
        raw = xgrammar.VocabType.RAW
        info = xgrammar.TokenizerInfo(vocabulary, vocab_type=raw, stop_token_ids=[_END])
        self._compiler = xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False)

    def compile(self, schema: dict[str, Any]) -> "XGrammar":
        """Raises RefusedError. Keywords that it does not know it passes over without a word."""
        return self._compiled(self._compiler.compile_json_schema, json.dumps(schema), strict_mode=True)

    def compile_text(self, text: str) -> "XGrammar":
        """An EBNF grammar, or a structural tag in JSON. Raises RefusedError."""
        tag = text.startswith("{")
        return self._compiled(
            self._compiler.compile_structural_tag if tag else self._compiler.compile_grammar, text
        )

    def _compiled(self, compile: Any, text: str, **options: Any) -> "XGrammar":
        try:
            made = compile(text, **options)
        except (RuntimeError, ValueError) as problem:
            raise RefusedError(str(problem).rpartition(": ")[2]) from None
        return XGrammar(self._xgrammar, made)


class XGrammar:
    def __init__(self, xgrammar: Any, compiled: Any) -> None:
        self._xgrammar = xgrammar
        self._compiled = compiled

    def refuses(self, text: str) -> str | None:
        """Where `text` leaves the grammar, if it does."""
        matcher = self._matcher()
        if matcher.accept_string(text.encode()):
            return None if matcher.is_completed() else "it ends too early"
        return refuses(self.start(), text)

    def walk(self, rng: random.Random, exits: Sequence[bytes] = QUOTE, begun: bytes = b"") -> bytes | None:
        """A text that the grammar accepts, as `walks.walk` makes it."""
        return walk(self.start(), rng, exits, begun)

    def start(self) -> State:
        """The engine at the start of a text."""
        return _State(self._matcher())

    def _matcher(self) -> Any:
        return self._xgrammar.GrammarMatcher(self._compiled)


class _State:
    def __init__(self, matcher: Any) -> None:
        numpy = importlib.import_module("numpy")
        self._matcher = matcher
        self._mask = numpy.full((1, _END // 32 + 1), -1, dtype="<i4")

    def allowed(self) -> tuple[int, ...]:
        if not self._matcher.fill_next_token_bitmask(self._mask):
            return tuple(range(_END))
        return bytes_of(self._mask.tobytes())

    def accepting(self) -> bool:
        return bool(self._matcher.is_completed())

    def take(self, byte: int) -> bool:
        return bool(self._matcher.accept_token(byte))
