"""Names that models write for those of tools: garbled ones, and the nearest of others.

A garbled name has a namespace before it, a number or control tokens after it: `functions.glob`,
`functions.glob:0` (Kimi K2, GPT-5.6, gpt-oss: the form of Harmony and of Kimi's ids); `default_api.glob`,
`default_api:glob` (Gemini, whose models see tools as functions of a module); `tools.glob`, `tools/glob`
(models behind Ollama and others); `glob<|channel|>commentary` (gpt-oss: control tokens of Harmony that a
server left in the name).

Only what stands around a name is left out; the name itself never changes. Sources: on github.com,
tontinton/maki (pull request 518), openclaw/openclaw (39328, 74499), vllm-project/vllm (35906, issue 32587).
"""

import re
from collections.abc import Collection, Container
from difflib import get_close_matches
from heapq import nlargest
from itertools import pairwise
from typing import Final

_NAMESPACE = re.compile(r"\A(?:functions|default_api|tools)[.:/]")
_NUMBER = re.compile(r":[0-9]{1,9}\Z")
_CONTROL = re.compile(r"<\|(?:start|end|message|channel|constrain|call|return)\|>")
_COMPARED: Final = 24
"""Names that are compared letter by letter, which costs ten times as much as to choose them."""


def named_tools(name: str, tools: Container[str]) -> list[str]:
    """Return the tools that a garbled name may stand for: several if it cannot be told which is meant."""
    token = _CONTROL.search(name)
    alone = (name if token is None else name[: token.start()]).strip()
    readings = [alone, _NUMBER.sub("", alone)]
    readings += [_NAMESPACE.sub("", reading) for reading in readings]
    return [*dict.fromkeys(reading for reading in readings if reading in tools)]


def near_names(name: str, names: Collection[str]) -> list[str]:
    """Return the three names that are nearest to another one, whose length a caller bounds. Of many names,
    only those are compared that share most letters and pairs of letters with it."""
    own = _parts(name)

    def shared(other: str) -> float:
        parts = _parts(other)
        return len(own & parts) / (len(own) + len(parts) or 1)

    likely = names if len(names) <= _COMPARED else nlargest(_COMPARED, names, key=shared)
    return get_close_matches(name, likely)


def _parts(name: str) -> set[object]:
    return {*name, *pairwise(name)}
