"""Grammars of tools whose argument is one text: regular expressions and Lark, judged by llguidance.

llguidance is the engine with which OpenAI constrains the texts of custom tools: a text is valid where that
engine lets a model write it. It is an extra, `toolcast[grammars]`, and is imported at the first check.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from time import thread_time
from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec import Struct

if TYPE_CHECKING:
    from ..jsonschema import Violation

GrammarSyntax = Literal["lark", "regex"]
"""The syntax in which a grammar is written."""
SYNTAXES: Final[tuple[GrammarSyntax, ...]] = ("lark", "regex")

INSTALL: Final = "pip install 'toolcast[grammars]'"
MAX_DEFINITION: Final = 100_000
"""Characters of a definition."""
MAX_TEXT: Final = 256 * 1024
"""Bytes of a text, as UTF-8: about half a second of the engine, for a grammar without ambiguity."""
MAX_SECONDS: Final = 1.0
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
    """That the argument of a tool is one text.

    Attributes:
        grammar: the syntax of its grammar; None for any text.
        definition: the grammar.
    """

    grammar: GrammarSyntax | None = None
    definition: str = ""

    def as_written(self) -> Any:
        """The key `input` of a spec that states it."""
        if self.grammar is None:
            return "text"
        return {"grammar": self.grammar, "definition": self.definition}


class GrammarError(ValueError):
    """A grammar that cannot be used.

    Attributes:
        reason: what is wrong, as one sentence without a full stop.
        offset: where, in characters from the start of the definition.
        hint: how to correct it.
    """

    def __init__(self, reason: str, offset: int = 0, hint: str = "") -> None:
        """Make an error for one place of a definition.

        Args:
            reason: what is wrong, as one sentence without a full stop.
            offset: where, in characters from the start of the definition.
            hint: how to correct it.
        """
        super().__init__(reason, offset, hint)
        self.reason = reason
        self.offset = offset
        self.hint = hint

    def __str__(self) -> str:
        """The reason, the offset and the hint."""
        return f"{self.reason}, at offset {self.offset}{self.hint and f'; {self.hint}'}"


class TextGrammar(Struct, frozen=True):
    """A grammar, for any number of texts, from any thread.

    Nothing that the engine makes is kept between texts: copies of a matcher share its automata and their
    limits, which one hostile text would exhaust for all later ones.

    Attributes:
        syntax: "lark" or "regex".
        definition: the grammar.
    """

    syntax: GrammarSyntax
    definition: str

    def matcher(self) -> Any:
        """Let the engine read the grammar.

        Returns:
            An `llguidance.LLMatcher` at the start of a text; its tokens are bytes.

        Raises:
            GrammarError: the engine refuses the definition, or it has what a text alone does not decide.
            ImportError: llguidance is not installed.
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
        """Check a text.

        Args:
            text: the text.

        Returns:
            None where the grammar has it. Else what does not fit, where, and what was expected there, as a
            predicate of the text.

        Raises:
            GrammarError: as for `matcher`.
            ImportError: llguidance is not installed.
        """
        data = text.encode("utf-8", "surrogatepass")
        if len(data) > MAX_TEXT:
            return f"has {len(data):,} bytes, too many to be checked: send at most {MAX_TEXT:,}"
        now = thread_time()
        end = now + MAX_SECONDS
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
    """Check a grammar.

    Args:
        syntax: "lark" or "regex".
        definition: the grammar.

    Returns:
        The grammar, which the engine can read.

    Raises:
        GrammarError: as for `TextGrammar.matcher`.
        ImportError: llguidance is not installed.
    """
    made = TextGrammar(syntax, definition)
    made.matcher()
    return made


def require_engine(tool: str) -> None:
    """Refuse a tool whose texts could not be checked.

    Args:
        tool: name of a tool with a grammar.

    Raises:
        ImportError: llguidance is not installed.
    """
    from importlib.util import find_spec

    if find_spec("llguidance") is None:
        raise ImportError(f"Tool {tool!r} has a grammar, which llguidance checks. Run: {INSTALL}")


def text_violations(stated: Mapping[str, str], text: str) -> tuple[Violation, ...]:
    """Check the text of a call.

    Args:
        stated: the grammar, as the tool's `input` has it.
        text: the argument of the call.

    Returns:
        The violation, if there is one.

    Raises:
        ImportError: llguidance is not installed.
    """
    from ..jsonschema import Violation

    definition = stated["definition"]
    problem = TextGrammar("lark" if stated["grammar"] == "lark" else "regex", definition).problem(text)
    return () if problem is None else (Violation("$.input", f"the text {problem}", "input", definition),)


@cache
def _engine() -> tuple[Any, Any]:
    """llguidance, and a tokenizer whose tokens are bytes."""
    try:
        import llguidance
    except ImportError as missing:
        raise ImportError(f"Grammars of texts are checked by llguidance. Run: {INSTALL}") from missing
    return llguidance, llguidance.LLTokenizer("byte")


def _check(syntax: GrammarSyntax, definition: str) -> None:
    """Refuse what the engine would read, and not as it is meant. Raises GrammarError."""
    if len(definition) > MAX_DEFINITION:
        reason = f"a grammar has at most {MAX_DEFINITION:,} characters"
        raise GrammarError(reason, MAX_DEFINITION, "shorten it")
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
    """The engine's own words about a definition, and the place that they name."""
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
    """How many whole characters there are in the first bytes of a text."""
    return len(data[:read].decode("utf-8", "ignore"))


def _place(text: str, data: bytes, read: int) -> str:
    """Line and column, from 1."""
    at = _characters(data, read)
    return f"line {text.count(chr(10), 0, at) + 1}, column {at - text.rfind(chr(10), 0, at)}"


def _mismatch(matcher: Any, text: str, data: bytes, read: int) -> str:
    """What could follow the bytes that were read, and what does."""
    at = _characters(data, read)
    matcher.rollback(read - len(text[:at].encode("utf-8", "surrogatepass")))
    expected = _expected(matcher)
    wanted = f"expected {' or '.join(expected)}" if expected else "nothing fits"
    excerpt = text[at : at + _EXCERPT] + ("…" if len(text) > at + _EXCERPT else "")
    return f"{wanted}, but {f'found {_quoted(excerpt)}' if excerpt else 'the text ends'}"


def _expected(matcher: Any) -> list[str]:
    """What the engine would let a model write next."""
    from ..jsonschema.charset import source, union

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
    import json  # only where something is wrong

    return json.dumps(text.encode("utf-8", "replace").decode(), ensure_ascii=False)
