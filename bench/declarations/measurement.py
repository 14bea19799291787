"""What is measured of the declarations of one corpus."""

from __future__ import annotations

import tempfile
from pathlib import Path

from msgspec import Struct

from .agreement import Agreement, agreement
from .compilers import judged
from .constraints import unstated
from .real_tools import LANGUAGES, calls_of, declared, openai_json, read_tools
from .token_counts import count_tokens


class Row(Struct, frozen=True):
    """One corpus: tokens, and what compilers say of its calls."""

    corpus: str
    tools: int
    tokens: tuple[int, int, int]  # OpenAI's JSON, TypeScript, Python
    agreements: tuple[Agreement, Agreement]  # TypeScript, Python
    constraints: tuple[int, int]  # TypeScript, Python
    unstated: tuple[str, ...]


def measure(corpus: str, each: int, every: int = 1, seed: int = 20) -> Row:
    """Measure one corpus. Raises ValueError where a compiler refuses a declaration."""
    tools = read_tools(corpus, every)
    texts = [openai_json(tools), *(declared(tools, language) for language in LANGUAGES)]
    json_tokens, typescript, python = count_tokens(texts)
    calls = calls_of(tools, each, seed)
    found: list[Agreement] = []
    for language in LANGUAGES:
        with tempfile.TemporaryDirectory(prefix="declarations-") as folder:
            found.append(agreement(calls, judged(calls, tools, language, Path(folder)), language))
    stated = [[unstated(tool, language) for tool in tools] for language in LANGUAGES]
    counts = [sum(count for count, _ in one) for one in stated]
    return Row(
        corpus=corpus,
        tools=len(tools),
        tokens=(json_tokens, typescript, python),
        agreements=(found[0], found[1]),
        constraints=(counts[0], counts[1]),
        unstated=tuple(words for one in stated for _, missing in one for words in missing),
    )
