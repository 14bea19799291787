"""What tools cost in a request: tokens of the JSON that a provider is sent, in full and as brief stubs.

With tiktoken and its vocabulary the count is exact for OpenAI's `o200k_base` over the JSON text; no provider
publishes how it renders tools into its prompt, so even that is an approximation. Without it the count is
estimated: the text is cut as that encoding cuts it before merging, and long pieces count more. Over the
examples in OpenAI's own guide to counting tokens the estimate is 2 % off on prose, and a quarter on odd
words.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Final

import msgspec
from msgspec import Struct

from ..declarations.one_tool import declaration
from ..project.core.tool_definitions import tool_info
from ..providers import Profile, tool_object
from ..runtime.definitions import cut_definition
from ..spec.deprecation import shown_summary
from .linted_tool import Subject


def definition(subject: Subject, profile: Profile) -> dict[str, Any]:
    """As the build writes it to `schemas/<provider>/<tool>.json`."""
    info = tool_info(subject.tool, subject.normal)
    return tool_object(info, profile, subject.emitted[profile.id].normalized)


ENCODING: Final = "o200k_base"


class Cost(Struct, frozen=True, kw_only=True):
    """One tool for one provider."""

    tool: str
    provider: str
    full: int
    brief: int


class Total(Struct, frozen=True, kw_only=True):
    """All tools for one provider, as the JSON array that a request holds."""

    provider: str
    full: int
    brief: int


class Tokens(Struct, frozen=True, kw_only=True):
    """`note` states how the counts were made. `costs` are sorted: what costs most comes first."""

    note: str
    exact: bool
    costs: tuple[Cost, ...]
    totals: tuple[Total, ...]


def counted(subjects: Sequence[Subject], profiles: Sequence[Profile]) -> Tokens:
    """The cost of each tool and provider, and of the set."""
    count, exact, note = counter()
    costs: list[Cost] = []
    totals: list[Total] = []
    for profile in profiles:
        own = tool_costs(subjects, profile, count)
        costs += own
        brief = sum(each.brief for each in own) + len(own) + 1
        totals.append(Total(provider=profile.id, full=together(own), brief=brief))
    costs.sort(key=lambda each: (-each.full, each.tool, each.provider))
    return Tokens(note=note, exact=exact, costs=tuple(costs), totals=tuple(totals))


def tool_costs(subjects: Sequence[Subject], profile: Profile, count: Callable[[str], int]) -> list[Cost]:
    """The cost of each tool that has a definition for one provider."""
    costs: list[Cost] = []
    for subject in subjects:
        if profile.id not in subject.emitted:
            continue
        tool = subject.tool
        whole = definition(subject, profile)
        brief = cut_definition(whole, tool.name, shown_summary(tool))
        full, short = count(sent_text(whole, profile)), count(sent_text(brief, profile))
        costs.append(Cost(tool=tool.name, provider=profile.id, full=full, brief=short))
    return costs


def together(costs: Sequence[Cost]) -> int:
    """What tools cost in full as one array: its brackets and commas cost a token each."""
    return sum(each.full for each in costs) + len(costs) + 1


def sent_text(definition: dict[str, Any], profile: Profile) -> str:
    """What a model reads of a definition: JSON, or its declaration."""
    return (
        as_json(definition) if profile.declaration is None else declaration(definition, profile.declaration)
    )


def as_json(value: object) -> str:
    """JSON text as it is sent."""
    return msgspec.json.encode(value).decode()


def counter() -> tuple[Callable[[str], int], bool, str]:
    """How to count, whether that is exact, and a sentence that states it."""
    try:
        tiktoken = import_module("tiktoken")
    except ImportError:
        return estimate, False, f"{ESTIMATED} (install tiktoken to count)"
    try:
        encoding = tiktoken.get_encoding(ENCODING)
    except Exception as error:  # its vocabulary is fetched on first use: whatever its HTTP client raises
        reason = type(error).__name__
        return estimate, False, f"{ESTIMATED} (tiktoken cannot load {ENCODING}: {reason})"
    return (
        lambda text: len(encoding.encode(text, disallowed_special=())),
        True,
        f"counted with tiktoken, {ENCODING}, over the JSON that is sent",
    )


ESTIMATED: Final = f"estimated for {ENCODING}, up to a quarter off"
# The cut that the encoding makes first, with the Unicode classes of Python: words with the space or sign
# before them, up to three digits, runs of signs, white space.
_PIECES: Final = re.compile(r"[^\w\r\n]?[^\W\d_]+|\d{1,3}| ?[^\s\w]+[\r\n/]*|_+|\s+")
_LETTERS: Final = 9  # pieces up to so many letters are mostly one token
_DENSE: Final = 0.8  # tokens for a character of a script without spaces


def estimate(text: str) -> int:
    """About how many tokens `text` is: one for each piece, more for long words and for runs of signs."""
    total = 0.0
    for piece, count in Counter(_PIECES.findall(text)).items():  # a definition repeats most of its pieces
        if not piece.isascii():
            total += count * max(1.0, _DENSE * len(piece.strip()))
        elif piece[-1].isalpha():
            total += count * max(1, math.ceil(len(piece.strip()) / _LETTERS))
        else:
            total += count * max(1, math.ceil(len(piece.strip()) / 4))
    return round(total)
