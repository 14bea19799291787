"""Grammars of tools with one text as argument: regular expressions and Lark, checked by llguidance.

OpenAI constrains the texts of custom tools with llguidance: a text is valid if that engine lets a model write
it. It is an extra, `toolcast[grammars]`, imported at the first check.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from time import thread_time
from typing import Any, Final, Literal

from msgspec import Struct

from ..jsonschema.charset import source, union
from ..jsonschema.validator_errors import Violation

GrammarSyntax = Literal["lark", "regex"]
"""The syntax in which a grammar is written."""
SYNTAXES: Final[tuple[GrammarSyntax, ...]] = ("lark", "regex")

INSTALL: Final = "pip install 'toolcast[grammars]'"
_MAX_DEFINITION: Final = 100_000
"""Characters of a definition."""
MAX_TEXT: Final = 256 * 1024
"""Bytes of a text, as UTF-8: about half a second of the engine, for a grammar without ambiguity."""
_MAX_SECONDS: Final = 1.0
"""Processor time for one text. One byte takes the engine at most a tenth of a second, by its own limits."""

_CHUNK: Final = 16
"""Bytes that the engine reads between two looks at the clock, while they take it less than `_QUICK`."""
_QUICK: Final = 0.001
_EXCERPT: Final = 30
"""Characters of the text that a message shows."""
_LONGEST: Final = 300
"""Characters of the engine's words that an error shows."""

# A token of a model is no part of a text. Strings, comments and expressions are passed over.
_ABOUT_TOKENS: Final = re.compile(
    r'"(?:\\.|[^"\\\n])*"|//[^\n]*|#[^\n]*|/(?:\\.|[^/\\\n])+/|(?P<wrong><[^<>\s]*>|\bmax_tokens\s*=)'
)
# A backslash before nothing or a line break, which the engine leaves out.
_ESCAPES: Final = re.compile(r"\\(?:[^\n]|(?P<wrong>))")
_PLACE: Final = re.compile(r"(?:at )?(?P<line>\d+)\((?P<column>\d+)\): (?P<words>.*)", re.DOTALL)
_EXPRESSION: Final = re.compile(r'invalid regex "(?:\\.|[^"\\])*" \(in regex\): (?P<words>.*)', re.DOTALL)
_IN_EXPRESSION: Final = re.compile(
    r"regex parse error:\n    (?P<shown>.*)\n    (?P<indent> *)\^+ *\nerror: (?P<words>.*)"
)
_HINTS: Final[dict[GrammarSyntax, str]] = {
    "lark": "write it as llguidance reads Lark: without priorities, templates, `%declare` and look-around",
    "regex": "write it as Rust's regex crate has it, without look-around and word boundaries",
}


class TextInput(Struct, frozen=True, kw_only=True):
    """The argument of a tool that is one text.

    Attributes:
        grammar: the syntax of its grammar; None for any text.
        definition: the grammar.
    """

    grammar: GrammarSyntax | None = None
    definition: str = ""

    def as_written(self) -> object:
        """Return the key `input` of a spec that states it."""
        if self.grammar is None:
            return "text"
        return {"grammar": self.grammar, "definition": self.definition}


class GrammarError(ValueError):
    """A grammar cannot be used.

    Attributes:
        reason: the fault, as one sentence without a full stop.
        offset: its place, in characters from the start of the definition.
        hint: how to correct it.
    """

    def __init__(self, reason: str, offset: int = 0, hint: str = "") -> None:
        super().__init__(reason, offset, hint)
        self.reason = reason
        self.offset = offset
        self.hint = hint

    def __str__(self) -> str:
        """Return the reason, the offset and the hint."""
        return f"{self.reason}, at offset {self.offset}{self.hint and f'; {self.hint}'}"


class TextGrammar(Struct, frozen=True):
    """A grammar, for any number of texts, from any thread.

    No matcher is kept between texts: copies share automata and their limits, which one hostile text would
    exhaust for all later ones.

    Attributes:
        syntax: "lark" or "regex".
        definition: the grammar.
    """

    syntax: GrammarSyntax
    definition: str

    def matcher(self) -> Any:
        """Return an `llguidance.LLMatcher` at the start of a text; its tokens are bytes. Raises GrammarError
        for a definition that the engine refuses or a text alone does not decide, and ImportError.
        """
        engine, tokenizer = _engine()
        _check(self.syntax, self.definition)
        made = engine.LLMatcher
        write = made.grammar_from_lark if self.syntax == "lark" else made.grammar_from_regex
        limits = engine.LLParserLimits(verbose_errors=False)
        matcher = made(tokenizer, write(self.definition), log_level=0, limits=limits)
        if matcher.is_error():
            raise _refusal(matcher.get_error(), self.syntax, self.definition)
        return matcher

    def problem(self, text: str) -> str | None:
        """Return what does not fit in a text, where, and what was expected, as a predicate; None for a text
        of the grammar. Raises as `matcher` does.
        """
        data = text.encode("utf-8", "surrogatepass")
        if len(data) > MAX_TEXT:
            return f"has {len(data):,} bytes, too many to be checked: send at most {MAX_TEXT:,}"
        now = thread_time()
        end = now + _MAX_SECONDS
        matcher = self.matcher()
        read, size = 0, 1
        while read < len(data):
            chunk = list(data[read : read + size])
            taken = matcher.try_consume_tokens(chunk)
            read += taken
            before, now = now, thread_time()
            if matcher.is_error() or now > end:
                return (
                    f"cannot be checked with reasonable work (it was read up to {_place(text, data, read)}): "
                    "send a shorter text, or one that can be read in fewer ways"
                )
            if taken < len(chunk):
                break
            size = _CHUNK if now - before < _QUICK else 1
        if read == len(data) and matcher.is_accepting():
            return None
        return (
            f"does not fit the grammar at {_place(text, data, read)}: {_mismatch(matcher, text, data, read)}"
        )


def grammar_of(syntax: GrammarSyntax, definition: str) -> TextGrammar:
    """Return a grammar ("lark" or "regex") that the engine can read. Raises as `TextGrammar.matcher` does."""
    made = TextGrammar(syntax, definition)
    made.matcher()
    return made


def require_engine(tool: str) -> None:
    """Raise ImportError, which names a `tool` with a grammar, if llguidance is not installed."""
    if find_spec("llguidance") is None:
        raise ImportError(f"Tool {tool!r} has a grammar, which llguidance checks. Run: {INSTALL}")


def text_violations(stated: Mapping[str, str], text: str) -> tuple[Violation, ...]:
    """Check the text of a call by the tool's `input`. Raises ImportError if llguidance is not installed."""
    definition = stated["definition"]
    problem = TextGrammar("lark" if stated["grammar"] == "lark" else "regex", definition).problem(text)
    return () if problem is None else (Violation("$.input", f"the text {problem}", "input", definition),)


@cache
def _engine() -> tuple[Any, Any]:
    """Return llguidance, and a tokenizer whose tokens are bytes."""
    try:
        import llguidance
    except ImportError as missing:
        raise ImportError(f"Grammars of texts are checked by llguidance. Run: {INSTALL}") from missing
    return llguidance, llguidance.LLTokenizer("byte")


def _check(syntax: GrammarSyntax, definition: str) -> None:
    """Refuse a definition that the engine would read in another sense. Raises GrammarError."""
    if len(definition) > _MAX_DEFINITION:
        reason = f"a grammar has at most {_MAX_DEFINITION:,} characters"
        raise GrammarError(reason, _MAX_DEFINITION, "shorten it")
    try:
        definition.encode()
    except UnicodeEncodeError as problem:
        raise GrammarError("half of a surrogate pair is no character", problem.start, "remove it") from None
    found = (_ABOUT_TOKENS if syntax == "lark" else _ESCAPES).finditer(definition)
    wrong = next((match for match in found if match["wrong"] is not None), None)
    if wrong is not None and syntax == "lark":
        reason = f"`{wrong[0]}` is about the tokens of a model, which a text does not show"
        raise GrammarError(reason, wrong.start(), "remove it")
    if wrong is not None:
        raise GrammarError("`\\` escapes nothing", wrong.start(), r"write `\\` for a backslash")


def _refusal(words: str, syntax: GrammarSyntax, definition: str) -> GrammarError:
    offset = 0
    if place := _PLACE.match(words):
        words = place["words"]
        if syntax == "lark":  # of a regular expression it is a place in the grammar around it
            *before, last = definition.split("\n")[: int(place["line"])]
            offset = sum(len(line) + 1 for line in before)
            offset += _characters(last.encode(), int(place["column"]) - 1)
    if expression := _EXPRESSION.match(words):
        words = expression["words"]
    if inside := _IN_EXPRESSION.match(words):
        words = inside["words"]
        start = definition.find(inside["shown"], offset)
        offset = offset if start < 0 else start + len(inside["indent"])
    reason = words.strip().partition("\n")[0][:_LONGEST] or "the engine refuses it"
    return GrammarError(reason, min(offset, len(definition)), _HINTS[syntax])


def _characters(data: bytes, read: int) -> int:
    return len(data[:read].decode("utf-8", "ignore"))


def _place(text: str, data: bytes, read: int) -> str:
    at = _characters(data, read)
    return f"line {text.count(chr(10), 0, at) + 1}, column {at - text.rfind(chr(10), 0, at)}"


def _mismatch(matcher: Any, text: str, data: bytes, read: int) -> str:
    """State what could follow the bytes that were read, and what does."""
    at = _characters(data, read)
    matcher.rollback(read - len(text[:at].encode("utf-8", "surrogatepass")))
    expected = _expected(matcher)
    wanted = f"expected {' or '.join(expected)}" if expected else "nothing fits"
    excerpt = text[at : at + _EXCERPT] + ("…" if len(text) > at + _EXCERPT else "")
    return f"{wanted}, but {f'found {_quoted(excerpt)}' if excerpt else 'the text ends'}"


def _expected(matcher: Any) -> list[str]:
    if forced := matcher.compute_ff_bytes().decode("utf-8", "ignore"):
        return [_quoted(forced)]
    bits = int.from_bytes(matcher.compute_bitmask(), "little")
    if matcher.is_error():
        return []
    ascii = [byte for byte in range(0x80) if bits >> byte & 1]
    classes = source(union((each, each) for each in ascii)) if ascii else ""
    found = [_quoted(chr(ascii[0])) if len(ascii) == 1 else classes] if ascii else []
    if bits >> 0x80 & (1 << 0x80) - 1:
        found.append("a character outside of ASCII")
    return [*found, "the end of the text"] if matcher.is_accepting() else found


def _quoted(text: str) -> str:
    return json.dumps(text.encode("utf-8", "replace").decode(), ensure_ascii=False)
