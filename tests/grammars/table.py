"""Both grammar engines on every schema that a provider enforces; writes a part of docs/reports/grammars.md.

    python -m tests.grammars.table --write docs/reports/grammars.md

Needs xgrammar (`make engines` installs it). Without `--write` the page goes to standard output.
The exit status is 1 where an engine refuses a strict schema, or a value that it must let pass.
"""

import argparse
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from toolcast.analysis.instances.edits import instances

from tests.clients.emitted import SourceTool, reference, sample
from tests.grammars.cases import ENFORCED, LONGEST, VALUES, Case, cases, has_flag, raised, strict_ones, whole
from tests.grammars.engine import Engine, RefusedError
from tests.grammars.xgrammar_engine import XEngine, load

ROOT = Path(__file__).resolve().parents[2]
SHOWN = 12
STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"')
EXPONENT = re.compile(r"\de")
NOTES = {
    "llguidance": "It stops numbers with bounds that are written with an exponent: `1e-07`.",
    "xgrammar": "It stops values beyond limits of its own: no escapes in a string with a length or a\n"
    "pattern, at most six decimals and no exponent in a number with bounds, no additional keys where a\n"
    "schema does not mention them.",
}
"""What was found about an engine by asking it about the smallest such schemas."""


class Count(Struct):
    """What one engine said to one profile's schemas."""

    compiled: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    passed: int = 0
    escaped: list[str] = []  # valid texts that do not pass and hold an escape: "\n"
    exponents: int = 0  # those that do not pass and hold a number such as 1e-07
    stopped: list[str] = []  # valid texts that do not pass, and hold none
    kept_out: int = 0
    let_in: Counter[str] = field(default_factory=Counter)  # invalid texts, by the keyword that they break


class Row(Struct):
    provider: str
    tools: int = 0
    engines: dict[str, Count] = {}


def judged(provider: str, tools: tuple[SourceTool, ...], engines: dict[str, Any]) -> Row:
    row = Row(provider=provider, engines={name: Count() for name in engines})
    for case in cases(strict_ones(tools, provider)):
        row.tools += 1
        texts = [(text, keyword) for text, keyword in written(case) if len(text) <= LONGEST]
        for name, engine in engines.items():
            ask(engine, case, texts, row.engines[name])
    return row


def written(case: Case) -> Iterator[tuple[str, str]]:
    """Texts, and the keyword of the schema as sent that each breaks; none where it is valid."""
    oracle = case.dialect.oracle
    for value in case.valid():
        sent = whole(case.dialect.encoded(value))
        if oracle.accepts(sent):  # what a dialect locks out is held to the ledger elsewhere
            yield json.dumps(sent, ensure_ascii=False), ""
    for value in map(whole, instances(oracle, case.random, VALUES)):
        problem = next(oracle.problems(value), None)
        if problem is not None:
            yield json.dumps(value, ensure_ascii=False), keyword_of(problem)


def keyword_of(problem: Any) -> str:
    return next((str(step) for step in reversed(problem.schema_path) if not isinstance(step, int)), "false")


def ask(engine: Any, case: Case, texts: list[tuple[str, str]], count: Count) -> None:
    try:
        grammar = engine.compile(case.each.schema)
    except RefusedError as problem:
        count.refused[shortened(str(problem))] += 1
        return
    count.compiled += 1
    for text, keyword in texts:
        stops = grammar.refuses(text)
        if keyword and stops:
            count.kept_out += 1
        elif keyword:
            count.let_in[keyword] += 1
        elif stops and EXPONENT.search(STRINGS.sub("", text)):
            count.exponents += 1
        elif stops:
            reported = f"{case.each.tool}: `{text[:160]}`"
            (count.escaped if "\\" in text else count.stopped).append(reported)
        else:
            count.passed += 1


def shortened(problem: str) -> str:
    return " ".join(problem.split())[:90]


LEGEND = """\
* *compiled*: schemas that the engine takes, of those that a provider enforces.
* *pass*: valid values, encoded as the dialect wants them, that a model can write (law L2).
* *exponents*: those that do not, and hold a number such as `1e-07`; *escapes*: an escape such as `\\n`;
  *stopped*: neither.
* *kept out*: values that the schema as sent refuses, and the grammar, too. What *gets in* is
  counted by keyword. Decoding refuses it, and says why; it costs the model another try."""
METHOD = """\
## Method

An engine turns a schema into a grammar, and a model can write nothing else. Two engines judge what is
emitted for {share}.
Values are made from each schema; an independent validator (`jsonschema-rs`) says which are valid. CI asks
llguidance about the same schemas."""


def page(rows: list[Row], engines: dict[str, str], share: str) -> str:
    out = ["# Grammar engines", "", claim(rows, engines), ""]
    out += ["| engine | schemas compiled | valid values that pass | invalid values kept out |"]
    out += ["|---|---:|---:|---:|"]
    out += [total(rows, name, release) for name, release in engines.items()]
    out += ["", "`make grammars` measures it again. In the tables by profile:", "", *LEGEND.split("\n"), ""]
    for name, release in engines.items():
        counts = [(row, row.engines[name]) for row in rows]
        out += [f"## {name} {release}", "", *table(counts), ""]
        if name in NOTES:
            out += [NOTES[name], ""]
        refused = Counter[str]()
        for row, count in counts:
            for reason, number in count.refused.items():
                refused[f"{row.provider}: {reason}"] += number
        if refused:
            out += ["Refused:", "", *(f"* {n} × {reason}" for reason, n in refused.most_common(SHOWN)), ""]
        stopped = [f"* {row.provider}, {count.stopped[0]}" for row, count in counts if count.stopped]
        if stopped:
            out += ["Valid values that are stopped, one of each profile:", "", *stopped, ""]
    return "\n".join([*out, METHOD.format(share=share)]) + "\n"


def claim(rows: list[Row], engines: dict[str, str]) -> str:
    """What share of valid values pass each engine, in a sentence."""
    shares = []
    for name in engines:
        counts = [row.engines[name] for row in rows]
        shares.append(f"{sum(each.passed for each in counts):,} of {sum(map(valid, counts)):,} with {name}")
    return f"**Valid values can be written under the grammars of engines: {', '.join(shares)}.**"


def total(rows: list[Row], name: str, release: str) -> str:
    """The row of an engine: all profiles together."""
    counts = [row.engines[name] for row in rows]
    kept, let_in = sum(each.kept_out for each in counts), sum(sum(each.let_in.values()) for each in counts)
    cells = (
        f"{sum(each.compiled for each in counts):,} of {sum(row.tools for row in rows):,}",
        f"{sum(each.passed for each in counts):,} of {sum(map(valid, counts)):,}",
        f"{kept:,} of {kept + let_in:,}",
    )
    return f"| {name} {release} | {' | '.join(cells)} |"


def valid(count: Count) -> int:
    """How many valid values an engine was asked about."""
    return count.passed + len(count.escaped) + len(count.stopped) + count.exponents


def table(counts: list[tuple[Row, Count]]) -> Iterator[str]:
    yield "| profile | schemas | compiled | pass | escapes | exponents | stopped | kept out | gets in |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for row, count in counts:
        invalid = count.kept_out + sum(count.let_in.values())
        let_in = ", ".join(f"{keyword} {number}" for keyword, number in count.let_in.most_common(6)) or "–"
        cells = (
            row.provider, row.tools, count.compiled, f"{count.passed} of {valid(count)}", len(count.escaped),
            count.exponents, len(count.stopped), f"{count.kept_out} of {invalid}", let_in,
        )  # fmt: skip
        yield f"| {' | '.join(map(str, cells))} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--every", type=int, default=12, help="one in so many tools of the corpora")
    options = parser.parse_args()
    import llguidance

    engines = {"llguidance": Engine(llguidance), "xgrammar": XEngine(load())}
    shared = Path(os.environ.get("TOOLCAST_SHARED", ROOT.parent / "shared"))
    tools = (*reference(), *(raised(sample(shared, options.every)) if shared.is_dir() else ()))
    own = len(reference())
    share = f"the {own} tools of the reference toolset and {len(tools) - own} of the corpora"
    rows = [judged(provider, tools, engines) for provider in ENFORCED]
    text = page(rows, {name: version(name) for name in engines}, share)
    if options.write is None:
        sys.stdout.write(text)
    else:
        _, calls, kept = options.write.read_text(encoding="utf-8").partition("\n## Calls in text\n")
        options.write.write_text(f"{text}{calls}{kept}", encoding="utf-8", newline="\n")
    wrong = [row.provider for row in rows if has_flag(row.provider) and fails(row)]
    if wrong:
        sys.stderr.write(f"not as it must be: {', '.join(wrong)}\n")
    return 1 if wrong else 0


def fails(row: Row) -> bool:
    """Whether llguidance refuses what it must take; a second opinion's limits fail nothing."""
    count = row.engines["llguidance"]
    return bool(count.refused or count.stopped or count.escaped)


if __name__ == "__main__":
    sys.exit(main())
