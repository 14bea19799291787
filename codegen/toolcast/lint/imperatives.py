"""Texts that order a model about, where they should describe a tool: English patterns, a heuristic.

A client that lists tools of several servers reads all of them into one prompt, so such a text acts on calls
of other tools, too. Directories refuse it, and guards against prompt injection look for the same words.
"""

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from ..spec.parsed_document import Path
from .descriptions import properties, readable
from .finding import Finding
from .linted_tool import Subject

_AFTER: Final = 30
"""Characters behind an order that are shown with it."""
_MAX_TEXT: Final = 100_000
"""Characters of one text that are read."""


class OrderKind(Struct, frozen=True):
    """A kind of order. `grave`: no description of a tool has a reason to hold it."""

    name: str
    message: str
    grave: bool
    pattern: re.Pattern[str]


def _pattern(*branches: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{each})" for each in branches), flags)


_EARLIER: Final = r"(?:all |any |the |your |my |of )*(?:previous|prior|earlier|above|preceding|other|system)"
_ORDERS: Final = r"(?:instructions?|prompts?|rules|messages?|guidelines|directives)"
_CONCEAL: Final = r"(?:tell|inform|mention|reveal|disclose|show|notify|alert|let)(?:ing)?"
_PEOPLE: Final = r"(?:users?|anyone|humans?|people|person)"
_CALL: Final = r"(?:call|use|invoke|run|execute|consult)"
_CALLING: Final = r"(?:calling|using|invoking|running|executing)"
_RUNNABLE: Final = r"(?:commands?|code|programs?|quer(?:y|ies)|scripts?|statements?|tests?)"
_MODEL: Final = (
    r"(?:assistant|agent|llm|ai|ai model|ai agent|language model|claude|chatgpt|gpt-?\d*|gemini|copilot)"
)
_SPEAK: Final = (
    r"(?:ask|tell|inform|respond|reply|answer|explain|say|think|confirm|present|display|show|output|wait|stop|"
    r"continue|remember)"
)
_SHOUTED: Final = r"(?:VERY |EXTREMELY )?(?:IMPORTANT|CRITICAL|MANDATORY|ATTENTION|URGENT)"
_NOTE: Final = r"(?: (?:NOTE|RULES?|INSTRUCTIONS?|REQUIREMENTS?|WARNING))?"

ORDER_KINDS: Final = (
    OrderKind(
        "override",
        "sets other instructions aside",
        True,
        _pattern(
            rf"\b(?:ignore|disregard|forget|override|bypass)\s+{_EARLIER}\s+{_ORDERS}",
            r"\b(?:new|real|actual|updated) instructions\s*:",
            r"\byour (?:system prompt|instructions|guidelines) (?:is|are|no longer|do not)",
        ),
    ),
    OrderKind(
        "concealment",
        "hides something from the user",
        True,
        _pattern(
            r"\b(?:do not|don['’]t|never|must not|should not|without) (?:ever )?"
            rf"{_CONCEAL}\b[^.\n]{{0,40}}\b{_PEOPLE}\b",
            rf"\bwithout (?:asking|the knowledge of) (?:the )?{_PEOPLE}\b",
            r"\b(?:secretly|silently|covertly) (?:send|read|call|use|include|pass|forward|copy)",
            rf"\b(?:hide|conceal|keep) (?:this|it)\b[^.\n]{{0,20}}\bfrom (?:the )?{_PEOPLE}\b",
        ),
    ),
    OrderKind(
        "call order",
        "orders when a tool is called",
        False,
        _pattern(
            rf"\b(?:must|should|have to|need to|shall) (?:always |first |only |never )*{_CALL} "
            r"(?:this|these|it|the [`'\"]?\w+[`'\"]? tool)\b",
            r"\b(?:should|must|shall) (?:always|never)\b(?! be\b)",
            rf"\b(?:always|never|only) {_CALL} (?:this|these|the)\b",
            rf"(?:\A|[.!:;\n]\s*)(?:always|never) {_CALL} (?!{_RUNNABLE}\b)",
            rf"\b(?:do not|don['’]t) {_CALL} (?:this tool (?:more|again|twice)|any other|other)\b",
            rf"\b{_CALL} this (?:tool )?(?:first|immediately|before (?:any|all|every|using|calling))\b",
            r"\bmust be (?:called|used|run|invoked) (?:first|before|prior|after|once|whenever)\b",
            rf"\b(?:before|after) {_CALLING} (?:any|all|every|this|the) (?:other )?"
            r"(?:tools?|functions?)\b",
            r"\b(?:prefer|favou?r|prioriti[sz]e) (?:using )?this (?:tool|function)? ?"
            r"(?:over|to|instead|above)\b",
            r"\b(?:instead of|rather than) (?:any )?other tools?\b",
            r"\bproactively\b",
        ),
    ),
    OrderKind(
        "address",
        "addresses the model",
        False,
        _pattern(
            r"\byou are (?:an?|the) (?:ai|assistant|agent|expert|helpful|model|llm)\b",
            r"\bas an (?:ai|llm|assistant|agent)\b",
            rf"\b(?:the |an? |any ){_MODEL} (?:must|should|shall|needs? to|has to|is required to)\b",
            r"\byour (?:response|answer|reply|output|next message|final answer) "
            r"(?:must|should|shall|has to)\b",
            rf"\b(?:tell|ask|inform|remind|instruct|warn|prompt) the {_PEOPLE}\b",
            rf"\byou (?:must|should) (?:always |never |first |also )*{_SPEAK}\b",
        ),
    ),
    OrderKind(
        "emphasis",
        "shouts",
        False,
        _pattern(
            r"<\s*/?\s*(?:important|IMPORTANT|system|SYSTEM|critical|CRITICAL|instructions?|INSTRUCTIONS?)\s*>",
            rf"(?<!\w)\**{_SHOUTED}{_NOTE}\**(?:\s*[:!]| - )",
            r"\b(?:YOU MUST|MUST ALWAYS|MUST NEVER|ALWAYS|NEVER|DO NOT|DON'T|UNDER NO CIRCUMSTANCES) \w",
            flags=0,
        ),
    ),
)
"""What is looked for, the gravest first."""


class Imperative(Struct, frozen=True):
    """One kind of order in one text, with the words that show it."""

    kind: OrderKind
    excerpt: str


def imperatives(text: str) -> tuple[Imperative, ...]:
    """The kinds of orders in a text, each once. Words that are part of a graver order count for that alone.

    Args:
        text: a description.

    Returns:
        What is found in its first 100,000 characters, the gravest first.
    """
    found: list[Imperative] = []
    taken: list[range] = []
    for kind in ORDER_KINDS:
        matches = (
            each for each in kind.pattern.finditer(text[:_MAX_TEXT])
            if not any(each.start() in span for span in taken)
        )  # fmt: skip
        match = next(matches, None)
        if match is not None:
            taken.append(range(*match.span()))
            found.append(Imperative(kind, _excerpt(text, match.start(), match.end())))
    return tuple(found)


def _excerpt(text: str, start: int, end: int) -> str:
    """What matches with the words after it, none of them cut; with a mark where the text goes on."""
    after, rest = text[end : end + _AFTER], text[end + _AFTER :]
    if rest and not rest[0].isspace():
        after = after[: after.rfind(" ") + 1]
    words = " ".join(f"{text[start:end]}{after}".split()).lstrip(".!:; ")
    return f"{words} …" if rest.strip() else words


def imperative_texts(subject: Subject) -> Iterator[Finding]:
    """One finding for each kind of order in each description."""
    for finding, _ in imperative_findings(subject):
        yield finding


def imperative_findings(subject: Subject) -> Iterator[tuple[Finding, OrderKind]]:
    """The findings with the kinds of orders."""
    tool = subject.tool
    for key, text in (("summary", tool.summary), ("description", tool.description)):
        if key in tool.document.data:
            for found in imperatives(text):
                yield _finding(subject, f"the {key}", found, at=(key,)), found.kind
    for path, _, schema in properties(subject.parameters):
        described = schema.get("description")
        if isinstance(described, str):
            for found in imperatives(described):
                where = f"the description of `{readable(path)}`"
                yield _finding(subject, where, found, schema=path), found.kind


def _finding(
    subject: Subject, where: str, found: Imperative, *, at: Path | None = None, schema: Path | None = None
) -> Finding:
    message = f"{where} {found.kind.message}: {found.excerpt!r}"
    fix = (
        "describe what the tool does and when it applies; orders belong into the system prompt of the program"
    )
    return subject.finding("imperative-text", message, fix, at=at, schema=schema)
