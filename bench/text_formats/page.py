"""The report, as Markdown."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from toolcast.agents.text_calls import Call, Parsed, known_formats

from ..peers.table import table
from .judge import Judged, judge
from .reference import read
from .texts import OTHERS, Text

HEAD = """\
# Text formats

**Of {texts} texts of models, {wrong} become a call that they do not ask for.**

<!-- Written by `make text-formats`; do not edit. -->

{summary}

`make text-formats` measures it again. Each text is read with the format of its model's family, and with
"auto", which tells the format from the text.

* **right**: these calls, with these arguments, and no problem. Where a text asks for none: none, and no
  problem. Where a call is cut or broken: the calls before it, and a problem.
* **problem**: calls are missing, and a `Problem` says so: the model is asked to send them again. So it is
  where arguments are no object, which every contract refuses.
* **silent**: calls are missing, or a broken one is taken for prose, and nothing says so.
* **wrong**: a call that the text does not ask for. None may ever be."""
METHOD = """\
## Method

The texts are those of two files of other parsers' tests: of sglang, mlx-lm, vllm-mlx, smg and zeroclaw. They
are read from `TOOLCAST_SHARED`, or `../shared`. A test fails where this page is not up to date. What a text
asks for is known in one of two ways:

* **stated**: {stated} texts have the numbers, names and arguments that their test asserts.
* **reference**: the others are read by `bench/text_formats/reference.py`: regular expressions, `json` and
  `ast`, without any code or data of the parser. It reads whole calls in the exact forms of the vendors and
  nothing else. Of the {checked} stated texts that it reads it agrees with {agreed}.

Text between marks counts as equal to what its JSON or Python literal says: the tool's contract decides its
type. A piece of a stream is judged as if it were an answer."""
_VERDICTS = ("right", "problem", "silent", "wrong")
_COLUMNS = (
    *("family", "texts", "with calls", "right", "problem", "silent", "wrong"),
    *("cut or broken", "right", "silent", "wrong", "without calls", "right"),
)


def page(texts: list[Text], named: list[Judged], auto: list[Judged], parts_after: Sequence[str]) -> str:
    """Make the report.

    Args:
        texts: all texts.
        named: read with their families' formats.
        auto: read with "auto".
        parts_after: the parts about malformed arguments, and about parsers of servers.
    """
    checked, agreed = agreement(texts)
    wrong = len({id(each.text) for each in (*named, *auto) if each.verdict == "wrong"})
    parts = [
        HEAD.format(texts=len(texts), wrong=wrong or "none", summary="\n".join(_summary(named, auto))),
        "## With the format of the family",
        'Texts without any mark of a family are read with "auto" only.',
        "\n".join(table([_COLUMNS, *_rows(named)])),
        '## With "auto"',
        "Families with other figures than above. JSON and Python without marks are no calls here, and count "
        "as right where nothing is called: `bare` formats are read where they are named.",
        "\n".join(table([_COLUMNS, *(row for row in _rows(auto) if row not in _rows(named))])),
        *_misses(named, auto),
        *parts_after,
        METHOD.format(stated=sum(text.stated for text in texts), checked=checked, agreed=agreed),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _summary(named: list[Judged], auto: list[Judged]) -> Iterator[str]:
    """All verdicts in two rows."""
    yield f"| read with | texts | {' | '.join(_VERDICTS)} |"
    yield "|---" + "|---:" * (len(_VERDICTS) + 1) + "|"
    for title, judged in (("the format of the family", named), ('"auto"', auto)):
        counts = Counter(each.verdict for each in judged)
        cells = (len(judged), *(counts[verdict] for verdict in _VERDICTS))
        yield f"| {title} | " + " | ".join(f"{cell:,}" for cell in cells) + " |"


def agreement(texts: Iterable[Text]) -> tuple[int, int]:
    """How many stated texts with calls the reference reads, and with how many statements it agrees."""
    checked = agreed = 0
    for text in texts:
        asked = read(text.text)
        if not text.stated or not asked.calls or asked.broken:
            continue
        calls = tuple(
            Call(name=name, arguments=json.dumps(arguments), start=0, end=0)
            for name, arguments in asked.calls
        )
        checked += 1
        textual = tuple(
            Call(name=name, arguments=arguments, start=0, end=0, textual=True)
            for name, arguments in asked.calls
        )
        agreed += any(
            judge(text, Parsed(calls=each, text=""), auto=False) == "right" for each in (calls, textual)
        )
    return checked, agreed


def _rows(judged: list[Judged]) -> list[list[str]]:
    """One row a family, and one for all."""
    families = sorted({each.text.family for each in judged}, key=lambda each: (each == OTHERS, each))
    rows = [_row(family, [each for each in judged if each.text.family == family]) for family in families]
    return [*rows, _row("**all**", judged)]


def _row(family: str, judged: list[Judged]) -> list[str]:
    counts = Counter((each.text.group, each.verdict) for each in judged)
    groups = Counter(each.text.group for each in judged)
    cells = [
        len(judged),
        groups["calls"],
        *(counts["calls", verdict] for verdict in _VERDICTS),
        groups["broken"],
        *(counts["broken", verdict] for verdict in ("right", "silent", "wrong")),
        groups["none"],
        counts["none", "right"],
    ]
    return [family, *(f"{cell:,}" if cell else "" for cell in cells)]


def _misses(named: list[Judged], auto: list[Judged]) -> Iterator[str]:
    """Which texts are not right, by file and line."""
    yield "## What is not right"
    lines = []
    for title, judged in (("the format of the family", named), ('"auto"', auto)):
        for verdict in ("wrong", "silent", "problem"):
            places = [
                f"{each.text.file.removesuffix('.jsonl')}:{each.text.line} ({each.text.family})"
                for each in judged
                if each.verdict == verdict
            ]
            if places:
                lines.append(f"* {title}, {verdict}: {', '.join(places)}")
    yield "\n".join(lines) if lines else "Nothing."


def unsupported(texts: Iterable[Text]) -> list[str]:
    """Families of texts for which there is no format."""
    known = {name for each in known_formats().values() for name in (each.id, *each.aliases)}
    return sorted({text.family for text in texts} - known - {OTHERS})
