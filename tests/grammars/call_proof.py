"""Proves grammars of text formats by the engines that take them; writes a part of docs/reports/grammars.md.

    python -m tests.grammars.call_proof --write docs/reports/grammars.md

For each format, engine and tool: what writers of the family's texts make of valid arguments, the engine lets
a model write; and what random walks over the engine's masks write is read as calls that the tool takes, or
refuses where the grammar's losses name the keyword and the place. A grammar has several tools, as people use
it; a tool that it has no form for is left out of it, and named. `make engines` installs the engines. The exit
status is 1 where there is a disagreement.
"""

import argparse
import importlib
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from multiprocessing import Pool
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct
from toolcast.agents.text_calls import Call, TextFormat, known_formats, parse
from toolcast.runtime import Violation
from toolcast.text_formats.call_grammar import CallGrammar

from bench.marked import write
from tests.grammars import llama_engine, xgrammar_engine
from tests.grammars.engine import Engine, RefusedError
from tests.grammars.proof_tools import (
    Package,
    Tool,
    Written,
    exits,
    load_package,
    make_package,
    refusal,
    with_values,
    writers,
    written,
)

ROOT = Path(__file__).resolve().parents[2]
ENGINES = ("gbnf", "xgrammar", "xgrammar-tag", "llguidance")
GROUP = 10
"""Tools of a grammar."""
TRIES = 5
"""Walks of a tool until one comes to an end."""
ENOUGH = 20
"""Disagreements of a format and an engine that are kept; all are counted."""
SHOWN = 300
"""Characters of a disagreement that the page shows."""


class Count(Struct):
    """Counts of what one engine said to the grammars of one format."""

    tools: int = 0
    accepted: int = 0
    walks: int = 0
    endless: int = 0
    decoded: int = 0
    lost: int = 0  # refused for what the losses tell
    wrong: int = 0
    disagreements: list[str] = []
    unwritable: list[str] = []  # tools that no grammar of the format says
    narrower: int = 0  # valid texts that a grammar keeps out, and says so
    untold: list[str] = []  # tools without a text that is accepted
    unwalked: list[str] = []  # tools without a walk that comes to an end

    def disagree(self, words: str) -> None:
        self.wrong += 1
        if len(self.disagreements) < ENOUGH:
            self.disagreements.append(words)


class Options(Struct, frozen=True, kw_only=True):
    """Options of a proof: the package's folder, one of how many tools, walks of a grammar, the seed."""

    project: str = ""
    every: int = 1
    walks: int = 2
    seed: int = 0


def prove(package: Package, format: TextFormat, engine: str, judge: Any, options: Options) -> Count:
    """Ask an engine about a format's grammars, each of some tools."""
    count = Count()
    shift = sum(f"{format.id}:{engine}".encode())
    tools = [*package.tools.values()]
    chosen = [tool for number, tool in enumerate(tools) if (number + shift) % options.every == 0]
    for alias, by in writers(format).items():
        for tool in chosen:
            if alias not in tool.texts:  # other engines have been asked about them
                tool.texts[alias] = tuple(written(package, tool, format, by))
        mixed = random.Random(f"{options.seed}:{alias}").sample(chosen, len(chosen))
        form = Form(package, format, alias, (engine, judge), count)
        for at in range(0, len(mixed), GROUP):
            _prove_tools(form, mixed[at : at + GROUP], options)
    return count


class Form(NamedTuple):
    """A text format under one of its names, an engine with its name, and what is counted of them."""

    package: Package
    format: TextFormat
    alias: str
    engine: tuple[str, Any]
    count: Count

    def grammar(self, tools: Sequence[Tool], choice: str) -> CallGrammar:
        """Raises ValueError."""
        names = [tool.binding.name for tool in tools]
        return self.package.registry.grammar(self.alias, self.engine[0], tools=names, choice=choice)

    def compiled(self, made: CallGrammar) -> Any:
        """Raises RefusedError."""
        return self.engine[1].compile_text(made.text)


def _prove_tools(form: Form, tools: Sequence[Tool], options: Options) -> None:
    """Ask about a grammar of some tools, or of halves of them where it cannot be."""
    name, middle = tools[0].binding.name, len(tools) // 2
    rng = random.Random(f"{options.seed}:{form.alias}:{form.engine[0]}:{name}")
    choice = "auto" if rng.random() < 0.2 else "required"
    try:
        made = form.grammar(tools, choice)
        compiled = form.compiled(made)
    except RefusedError as problem:
        form.count.disagree(f"{len(tools)} tools, {name}: refused: {problem}")
    except ValueError as problem:
        form.count.unwritable += [] if middle else [f"{name}: {problem}"]
    else:
        asked = Asked(form, tools, made, compiled, rng)
        for tool in tools:
            asked.ask(tool, options.walks)
        for _ in range(options.walks):
            asked.judge(asked.walk(tools[0], "", compiled), required=choice == "required")
        return
    for half in (tools[:middle], tools[middle:]) if middle else ():
        _prove_tools(form, half, options)


class Asked:
    """One grammar, compiled by an engine, and what is asked about it."""

    def __init__(
        self, form: Form, tools: Sequence[Tool], made: CallGrammar, compiled: Any, rng: random.Random
    ) -> None:
        self._form = form
        self._compiled = compiled
        self._rng = rng
        self._count = form.count
        self._tools = {tool.binding.name: tool for tool in tools}
        self._exits = {name: exits(form.format, tool) for name, tool in self._tools.items()}
        self._one_form = any(loss.keyword == "calls" and loss.stricter for loss in made.losses)
        self._losses = {
            name: [loss for loss in made.losses if loss.tool in ("", name)] for name in self._tools
        }

    def ask(self, tool: Tool, walks: int) -> None:
        """Ask whether texts of a tool may be written; then walk behind its name, and within such texts."""
        count, name = self._count, tool.binding.name
        accepted = [each for each in tool.texts[self._form.alias] if self._may_be_written(tool, each)]
        count.tools += 1
        count.accepted += len(accepted)
        single = [each for each in accepted if len(each.values) == 1]
        compiled = self._compiled
        if not single:
            count.untold.append(name)
            compiled = self._form.compiled(self._form.grammar([tool], "required"))
        ended = 0
        for number in range(TRIES):
            if number >= walks and ended:
                break
            walked = self.walk(tool, self._beginning(single, number, walks), compiled)
            ended += walked is not None
            self.judge(walked, name)
        count.unwalked += [] if ended else [name]

    def _may_be_written(self, tool: Tool, text: Written) -> bool:
        stops = self._compiled.refuses(text.text)
        if not stops:
            return True
        name = tool.binding.name
        stricter = [loss for loss in self._losses[name] if loss.stricter]
        told = (tool.ledger.keeps_out(stricter, value) for value in text.values)
        if (text.python and self._one_form) or any(told):
            self._count.narrower += 1
        else:
            self._count.disagree(f"{name}: cannot write {text.text!r}: {stops}")
        return False

    def _beginning(self, texts: Sequence[Written], number: int, walks: int) -> str:
        """A text up to the tool's name, or to somewhere behind it; for a walk too many, near its end."""
        if not texts:
            return ""
        each = self._rng.choice(texts)
        least = each.name_end if number < walks else max(each.name_end, len(each.text) - 20)
        inside = number % 2 == 1 or number >= walks
        return each.text[: self._rng.randint(least, max(least, len(each.text) - 1)) if inside else least]

    def walk(self, tool: Tool, begun: str, compiled: Any) -> bytes | None:
        """A walk with the ends of strings that one of the tools has."""
        walked: bytes | None = compiled.walk(self._rng, self._exits[tool.binding.name], begun.encode())
        return walked

    def judge(self, data: bytes | None, name: str = "", *, required: bool = True) -> None:
        """Count whether a walk's text is read as calls that the tools take, of `name` the first."""
        count = self._count
        count.walks += 1
        if data is None:
            count.endless += 1
            return
        try:
            text = data.decode()
        except UnicodeDecodeError:
            count.disagree(f"{name}: no UTF-8: {data!r}")
            return
        parsed = parse(text, self._form.format.id)
        if parsed.problems or (required and not parsed.calls):
            reason = parsed.problems[0].reason if parsed.problems else "no call"
            count.disagree(f"{name}: {reason}: {text!r}")
            return
        if name and parsed.calls[0].name != name:
            count.disagree(f"{name}: read as a call of {parsed.calls[0].name}: {text!r}")
            return
        lost = False
        for call in parsed.calls:
            if call.name not in self._tools:
                count.disagree(f"{name}: read as a call of {call.name}: {text!r}")
                return
            refused, untold = self._refused(call)
            if untold:
                words = ", ".join(f"{each.keyword} at {each.path}" for each in untold)
                count.disagree(f"{call.name}: {words}: {text!r}")
                return
            lost |= bool(refused)
        count.lost += lost
        count.decoded += not lost

    def _refused(self, call: Call) -> tuple[Sequence[Violation], Sequence[Violation]]:
        """Why a call is refused, and what of that the losses do not tell."""
        tool = self._tools[call.name]
        losses = [loss for loss in self._losses[call.name] if not loss.stricter]
        guesses = self._form.package.dispatcher.guesses if call.textual else None
        refused = refusal(tool, call.arguments, guesses)
        untold = tool.ledger.untold(losses, refused, textual=call.textual)
        if untold and call.textual:  # where the JSON of a text does not fit, it is told as a text
            values = refusal(tool, with_values(call.arguments, untold), guesses)
            if values and not tool.ledger.untold(losses, values, textual=True):
                return values, ()
        return refused, untold


@cache
def judge_of(engine: str) -> Any:
    """An engine. Raises ImportError."""
    if engine == "llguidance":
        return Engine(importlib.import_module("llguidance"))
    if engine == "gbnf":
        return llama_engine.load(Path(tempfile.mkdtemp()))
    return xgrammar_engine.XEngine(xgrammar_engine.load())


def _proved(task: tuple[str, Sequence[str], Options]) -> tuple[str, dict[str, Count]]:
    id, engines, options = task
    package, format = load_package(options.project), known_formats()[id]
    made = {engine: prove(package, format, engine, judge_of(engine), options) for engine in engines}
    for tool in package.tools.values():
        tool.texts.clear()
    return id, made


CALLS = """\
Of {texts:,} texts, {wrong} are disagreements between a text format's grammar, the engine, and the decoder.
{formats} formats were asked about {tools} tools of the corpora each, under {engines}.{sampled}

Measured at {commit}; `make grammars` measures it again (`--seed {seed}`). A grammar has {group} of the tools.

* *accepted*: texts that writers of the family make of valid arguments, and a model can write (law L2).
* *narrower*: such texts that it cannot write, where the grammar names the keyword and the place by which it
  is stricter.
* *walks*: texts that random walks over the engine's masks write: *decoded*, or refused for a *loss* that the
  grammar names, keyword and place. The rest comes to no end within 3,000 bytes. For each tool one walk begins
  behind its name, and one somewhere within a valid text; for each grammar, {walks} begin at its beginning."""

ENGINE_NAMES = {
    "gbnf": "GBNF (llama.cpp)",
    "xgrammar": "xgrammar's EBNF",
    "xgrammar-tag": "xgrammar's structural tags",
    "llguidance": "llguidance's Lark",
}
COLUMNS = "| tools | accepted | narrower | walks | decoded | loss | disagreements |"


def page(found: Mapping[str, Mapping[str, Count]], options: Options) -> str:
    """The part of the report."""
    counts = [count for row in found.values() for count in row.values()]
    texts, walks = sum(each.accepted for each in counts), sum(each.walks for each in counts)
    wrong = sum(each.wrong for each in counts)
    engines = dict.fromkeys(engine for row in found.values() for engine in row)
    releases = f"llama.cpp, xgrammar {xgrammar_engine.release()} and llguidance {version('llguidance')}"
    asked = {
        id: min(map(tools_asked, row.values())) // len(writers(known_formats()[id]))
        for id, row in found.items()
    }
    most = max(asked.values())
    commit = subprocess.check_output(("git", "rev-parse", "--short=8", "HEAD"), cwd=ROOT, text=True).strip()
    fewer = sorted(id for id, number in asked.items() if number < most)
    sample = f"{len(fewer)} more were asked about a sample of {min(asked.values())} or more"
    sampled = f"\n{sample}: {', '.join(fewer)}." if fewer else ""
    left = sorted({*known_formats()} - {*found})
    sampled += f"\nNot asked: {', '.join(left)}." if left else ""
    lines = [
        CALLS.format(
            texts=texts + walks, wrong=wrong or "none", tools=most,
            formats=len(found) - len(fewer), engines=releases, seed=options.seed,
            group=GROUP, walks=options.walks, sampled=sampled, commit=commit,
        ),
        "",
        f"| engine {COLUMNS}",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]  # fmt: skip
    for engine in engines:
        rows = [row[engine] for row in found.values() if engine in row]
        lines.append(f"| {ENGINE_NAMES[engine]} | {cells(rows)} |")
    lines += ["", f"| format {COLUMNS}", "|---|---:|---:|---:|---:|---:|---:|---:|"]
    lines += [f"| {id} | {cells([*found[id].values()])} |" for id in sorted(found)]
    lines += [*left_out(found)]
    shown: dict[str, str] = {}
    for id, row in found.items():
        for count in row.values():
            for words in count.disagreements[:1]:
                shown.setdefault(id, words)
    return "\n".join([*lines, *disagreements(shown)])


def left_out(found: Mapping[str, Mapping[str, Count]]) -> Iterator[str]:
    """Sentences about tools that were asked less."""
    for words, name in (
        ("have no form in a text format, and their grammar is refused with words", "unwritable"),
        ("have no text of their own in a format, or none that its grammar has", "untold"),
        ("have no walk that comes to an end", "unwalked"),
    ):
        tools = {
            id: {each.partition(":")[0] for count in row.values() for each in getattr(count, name)}
            for id, row in found.items()
        }
        told = [f"{id} {len(names)}" for id, names in sorted(tools.items()) if names]
        if told:
            yield from ("", f"Tools that {words}: {', '.join(told)}.")


def tools_asked(count: Count) -> int:
    """Tools that a grammar was asked for, under each name of the format."""
    return count.tools + len(count.unwritable)


def cells(counts: Sequence[Count]) -> str:
    """Sums of some counts."""
    sums = (
        sum(each.tools for each in counts),
        sum(each.accepted for each in counts),
        sum(each.narrower for each in counts),
        sum(each.walks for each in counts),
        sum(each.decoded for each in counts),
        sum(each.lost for each in counts),
        sum(each.wrong for each in counts),
    )
    return " | ".join(f"{each:,}" for each in sums)


def disagreements(shown: Mapping[str, str]) -> Iterator[str]:
    """The first disagreement of each format that has one."""
    if shown:
        yield from ("", "Disagreements, the first of each format:", "")
    for id, words in shown.items():
        code = words if len(words) < SHOWN else f"{words[: SHOWN // 2]}…{words[-SHOWN // 2 :]}"
        yield f"* {id}: `` {code.replace('`', '′')} ``"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--tools", type=int, default=300, help="tools of the corpora")
    parser.add_argument("--every", type=int, default=1, help="of so many, one for each format and engine")
    parser.add_argument("--walks", type=int, default=2, help="walks for each grammar")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--formats", nargs="*", help="also those that the state has")
    parser.add_argument("--engines", nargs="*", default=ENGINES)
    parser.add_argument("--project", help="a folder with a package that was made before")
    parser.add_argument("--state", type=Path, help="a file of formats that are done, which goes on")
    given = parser.parse_args()
    shared = Path(os.environ.get("TOOLCAST_SHARED", ROOT.parent / "shared"))
    found = read_state(given.state)
    with tempfile.TemporaryDirectory() as folder:
        project = Path(given.project or Path(folder) / "project")
        if not project.exists():
            make_package(shared, project, given.tools)
        options = Options(project=str(project), every=given.every, walks=given.walks, seed=given.seed)
        asked = given.formats or [id for id in known_formats() if id not in found]
        with Pool() as pool:
            for id, counts in pool.imap_unordered(_proved, [(id, given.engines, options) for id in asked]):
                found[id] = counts
                told = [f"{engine} {each.wrong} of {each.accepted}" for engine, each in counts.items()]
                print(f"{id}: wrong: {', '.join(told)}", file=sys.stderr, flush=True)
                if given.state is not None:
                    with given.state.open("ab") as file:
                        file.write(msgspec.json.encode({id: counts}) + b"\n")
    text = page(found, options)
    if given.write is None:
        print(text)
    else:
        write(given.write, "calls", text)
    for id, row in found.items():
        for engine, count in row.items():
            for words in count.disagreements:
                print(f"{id}:{engine}: {words}"[:1200], file=sys.stderr)
    return int(any(count.wrong for row in found.values() for count in row.values()))


def read_state(file: Path | None) -> dict[str, dict[str, Count]]:
    """The formats that are done, each as it was done last."""
    found: dict[str, dict[str, Count]] = {}
    for line in file.read_bytes().splitlines() if file is not None and file.exists() else ():
        found |= msgspec.json.decode(line, type=dict[str, dict[str, Count]])
    return found


if __name__ == "__main__":
    sys.exit(main())
