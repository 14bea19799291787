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
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from itertools import islice
from multiprocessing import Pool
from os.path import commonprefix
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct, field
from toolcast.agents.text_calls import Call, TextDispatcher, TextFormat, known_formats, parse
from toolcast.analysis.instances.edits import instances
from toolcast.analysis.instances.oracle import POSSIBLE, Oracle, OracleError, asserted_formats
from toolcast.importers.imported_names import unique
from toolcast.runtime import ArgumentError, ToolBinding, ToolRegistry, Violation
from toolcast.runtime.standalone_schema import standalone_schema
from toolcast.text_formats.call_grammar import CallGrammar

from bench.corpora.compile import CORPORA, import_corpus
from bench.marked import write
from tests.agents.text_calls.formats.chat_templates import TEMPLATES
from tests.agents.text_calls.formats.writers import FAMILIES, to_json
from tests.agents.text_calls.rendered import FORMS, HOLE, calls
from tests.grammars import llama_engine, xgrammar_engine
from tests.grammars.cases import LONGEST
from tests.grammars.engine import Engine, RefusedError
from tests.grammars.ledger import Ledger

ROOT = Path(__file__).resolve().parents[2]
ENGINES = ("gbnf", "xgrammar", "xgrammar-tag", "llguidance")
GROUP = 10
"""Tools of a grammar."""
VALUES, TRIED = 4, 24
"""Valid arguments of a tool, and values that are made to find them."""
TRIES = 5
"""Walks of a tool until one comes to an end."""
ENOUGH = 20
"""Disagreements of a format and an engine that are kept; all are counted."""

PYTHON_LISTS = frozenset(("minicpm5", "seed-oss", "step3p5"))
"""Writers of lists and objects as Python prints them. Readers take them where the contract has no string in
their place; grammars write JSON, and their ledgers say that calls are written in one form."""

SHOWN = 300
"""Characters of a disagreement that the page shows."""

Turn = list[tuple[str, dict[str, Any]]]
Writer = Callable[[Turn], str]


class Tool:
    """A tool of a generated package, and arguments that it takes, with keys in the order of its contract."""

    def __init__(self, binding: ToolBinding[Any, Any], recorded: Sequence[Any]) -> None:
        self.binding = binding
        schema = standalone_schema(binding)
        self.keys = sorted(_keys(schema))
        self.texts: dict[str, tuple[Written, ...]] = {}  # by the name of a format
        document = {"$defs": schema.get("$defs", {}), "parameters": schema}
        self._oracle = Oracle(document, "/parameters", asserted_formats())
        self.ledger = Ledger(self._oracle.tree)
        rng = random.Random(binding.name)
        made = (*recorded, *instances(self._oracle, rng, TRIED))
        taken = list(islice(filter(_is_object, map(self._ordered_if_taken, map(_plain, made))), VALUES))
        declared = [value for value in map(self._declared, taken) if self._oracle.accepts(value)]
        self.values = tuple(value for value in declared if not refusal(self, value))
        self.open_values = tuple(
            value for value in taken if value not in self.values
        )  # undeclared properties

    def _ordered_if_taken(self, value: Any) -> Any:
        if not isinstance(value, dict) or not self._oracle.accepts(value) or refusal(self, value):
            return None
        tree = self._oracle.tree
        return self._ordered(value, tree.same_value([(tree.start, POSSIBLE)]))

    def _declared(self, value: Any) -> Any:
        """The same without undeclared properties."""
        tree = self._oracle.tree
        nodes = tree.same_value([(tree.start, POSSIBLE)])
        known = {key for node, _ in nodes for key in node.get("properties", {})}
        return self._ordered({key: value[key] for key in value if key in known}, nodes, only=True)

    def _ordered(self, value: Any, nodes: Any, *, only: bool = False) -> Any:
        tree = self._oracle.tree
        fit = [node for node in nodes if self._oracle.part(node[0]).is_valid(value)] or nodes
        if isinstance(value, list):
            return [
                self._ordered(item, tree.same_value(tree.item(fit, index)), only=only)
                for index, item in enumerate(value)
            ]
        if not isinstance(value, dict):
            return value
        order = [key for node, _ in fit for key in node.get("properties", {})]
        keys = [key for key in dict.fromkeys(order) if key in value]
        keys += [key for key in value if key not in keys and not (only and keys)]
        return {
            key: self._ordered(value[key], tree.same_value(tree.member(fit, key)), only=only) for key in keys
        }


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _plain(value: Any) -> Any:
    """Whole floats as integers, as a tool's caller writes them, unless they have an exponent."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e16:
        return int(value)
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value


def _keys(schema: object) -> Iterator[str]:
    """Names of properties anywhere in a schema."""
    if isinstance(schema, Mapping):
        for name, each in schema.items():
            if name == "properties" and isinstance(each, Mapping):
                yield from each
            yield from _keys(each)
    elif isinstance(schema, list):
        for each in schema:
            yield from _keys(each)


def refusal(tool: Tool, arguments: Any, guesses: Any = None) -> tuple[Violation, ...]:
    """Why a tool refuses arguments; nothing where it takes them."""
    try:
        tool.binding.decode(arguments, None, guesses)
    except ArgumentError as problem:
        return problem.violations or (Violation("$", problem.problem, problem.problem),)
    return ()


class Package:
    """A generated package: its tools, and a registry of them all."""

    def __init__(self, bindings: Mapping[str, Any], recorded: Mapping[str, Sequence[Any]]) -> None:
        self.registry = ToolRegistry(check_results=False)
        for name in bindings:
            self.registry.register(bindings[name], _unused)
        self.dispatcher = TextDispatcher(self.registry)
        self.tools: dict[str, Tool] = {}
        for name in bindings:
            with suppress(OracleError):  # two of a thousand published schemas
                self.tools[name] = Tool(bindings[name], recorded.get(name, ()))


async def _unused(*_: Any) -> Any:
    raise NotImplementedError


def writers(format: TextFormat) -> Mapping[str, Sequence[Writer]]:
    """Those who write a family's calls, by the name of the format that asks for their form; without any, what
    is rendered of its first form."""
    names = (format.id, *format.aliases)
    found: dict[str, list[Writer]] = {}
    for name, family in FAMILIES.items():
        if name in names:
            found.setdefault(name, []).append(family.write)
    for template in TEMPLATES.values():
        if template.format in names:
            found.setdefault(template.format, []).append(template.write)
    if found:
        return found
    first = [each for each in FORMS if each.format.id == format.id and each.form == format.calls[0]]
    return {format.id: [lambda turn, each=each: calls(each, turn, each.form.open[0]) for each in first]}


class Written(NamedTuple):
    """A text of valid arguments, the arguments of its calls, where the tool's name ends in it, and whether it
    has lists as Python prints them."""

    text: str
    values: tuple[Any, ...]
    name_end: int
    python: bool


def written(package: Package, tool: Tool, format: TextFormat, by: Sequence[Writer]) -> Iterator[Written]:
    """Texts of valid arguments that the format reads as just these. Without escapes some have no text."""
    turns = [(value,) for value in (*tool.values, *tool.open_values)]
    turns += [(value, tool.values[-1]) for value in tool.values[:1]]
    for values in turns:
        nested = [isinstance(each, (list, dict)) for value in values for each in value.values()]
        python = format.id in PYTHON_LISTS and any(nested)
        shapes = [(values, python), *([(tuple(map(_with_json, values)), False)] if python else [])]
        for shape, printed in shapes:
            for writer in by:
                found = _text(tool.binding.name, shape, writer)
                if found is not None and _reads(package, tool, format, found[0], values):
                    yield Written(found[0], values, found[1], printed)


def _with_json(value: dict[str, Any]) -> dict[str, Any]:
    """Arguments with lists and objects as texts."""
    return {name: to_json(each) if isinstance(each, (list, dict)) else each for name, each in value.items()}


def _text(name: str, values: Sequence[Any], writer: Writer) -> tuple[str, int] | None:
    try:
        text = writer([(name, value) for value in values])
        other = writer([(f"{name}0", value) for value in values])
    except ValueError:
        return None
    # llama.cpp has no token for "\0".
    return None if "\0" in text else (text, len(commonprefix((text, other))))


def _reads(package: Package, tool: Tool, format: TextFormat, text: str, values: Sequence[Any]) -> bool:
    parsed = parse(text, format.id)
    if len(parsed.calls) != len(values) or parsed.problems or parsed.text.strip():
        return False
    return all(_means(package, tool, *each) for each in zip(parsed.calls, values, strict=True))


def _means(package: Package, tool: Tool, call: Call, wanted: Any) -> bool:
    guesses = package.dispatcher.guesses if call.textual else None
    try:
        return bool(tool.binding.decode(call.arguments, None, guesses) == tool.binding.decode(wanted))
    except ArgumentError:
        return False


class Count(Struct):
    """Counts of what one engine said to the grammars of one format."""

    tools: int = 0
    accepted: int = 0
    walks: int = 0
    endless: int = 0
    decoded: int = 0
    lost: Counter[str] = field(default_factory=Counter)  # refused for a keyword of the losses
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
    chosen = [
        tool for number, tool in enumerate(package.tools.values()) if (number + shift) % options.every == 0
    ]
    for alias, by in writers(format).items():
        proof = Proof(package, format, engine, judge, options)
        proof.alias, proof.by, proof.count = alias, by, count
        mixed = random.Random(f"{options.seed}:{alias}").sample(chosen, len(chosen))
        for at in range(0, len(mixed), GROUP):
            proof.of(mixed[at : at + GROUP])
    return count


class Proof:
    """Questions to an engine about grammars of a format under one of its names, and the counts of answers."""

    alias: str
    by: Sequence[Writer]
    count: Count

    def __init__(
        self, package: Package, format: TextFormat, engine: str, judge: Any, options: Options
    ) -> None:
        self._package = package
        self._format = format
        self._engine = engine
        self._judge = judge
        self._options = options

    def of(self, tools: Sequence[Tool]) -> None:
        """Ask about a grammar of some tools, or of halves of them where it cannot be."""
        names = [tool.binding.name for tool in tools]
        rng = random.Random(f"{self._options.seed}:{self.alias}:{self._engine}:{names}")
        choice = "auto" if rng.random() < 0.2 else "required"
        try:
            made = self._package.registry.grammar(self.alias, self._engine, tools=names, choice=choice)
        except ValueError as problem:
            self._halves(tools, f"{names[0]}: {problem}", self.count.unwritable.append)
            return
        try:
            compiled = self._judge.compile_text(made.text)
        except RefusedError as problem:
            self._halves(tools, f"{names[0]}: refused: {problem}", self.count.disagree)
            return
        asked = Asked(self, dict(zip(names, tools, strict=True)), made, compiled, rng)
        for tool in tools:
            self.count.tools += 1
            asked.tool(tool)
        for _ in range(self._options.walks):
            asked.judge(asked.walk(tools[0]), required=choice == "required")

    def _halves(self, tools: Sequence[Tool], words: str, report: Callable[[str], None]) -> None:
        if len(tools) == 1:
            report(words)
            return
        middle = len(tools) // 2
        self.of(tools[:middle])
        self.of(tools[middle:])

    @property
    def walks(self) -> int:
        return self._options.walks

    @property
    def format(self) -> TextFormat:
        return self._format

    def texts(self, tool: Tool) -> Sequence[Written]:
        """Texts of a tool, made once for all engines."""
        if self.alias not in tool.texts:
            tool.texts[self.alias] = tuple(written(self._package, tool, self._format, self.by))
        return tool.texts[self.alias]

    def alone(self, tool: Tool) -> Any:
        """The grammar of one tool, compiled."""
        name = tool.binding.name
        made = self._package.registry.grammar(self.alias, self._engine, tools=[name], choice="required")
        return self._judge.compile_text(made.text)

    def guesses(self, call: Call) -> Any:
        return self._package.dispatcher.guesses if call.textual else None


class Asked:
    """One grammar, compiled by an engine, and what is asked about it."""

    def __init__(
        self, proof: Proof, tools: Mapping[str, Tool], made: CallGrammar, compiled: Any, rng: random.Random
    ) -> None:
        self._proof = proof
        self._tools = tools
        self._compiled = compiled
        self._rng = rng
        self._stricter = {
            name: [loss for loss in made.losses if loss.stricter and loss.tool == name] for name in tools
        }
        self._looser = {
            name: [loss for loss in made.losses if not loss.stricter and loss.tool in ("", name)]
            for name in tools
        }
        self._exits: dict[str, tuple[bytes, ...]] = {}

    def tool(self, tool: Tool) -> None:
        """Ask whether texts of a tool may be written; then walk behind its name, and within such texts."""
        count, name = self._proof.count, tool.binding.name
        accepted: list[Written] = []
        for each in self._proof.texts(tool):
            stops = self._compiled.refuses(each.text) if len(each.text) <= LONGEST else None
            if not stops:
                accepted.append(each)
            elif each.python or any(tool.ledger.keeps_out(self._stricter[name], one) for one in each.values):
                count.narrower += 1
            else:
                count.disagree(f"{name}: cannot write {each.text!r}: {stops}")
        count.accepted += len(accepted)
        single = [each for each in accepted if len(each.values) == 1]
        if not single:
            count.untold.append(name)
        alone = self._compiled if single else self._proof.alone(tool)
        ended = 0
        for number in range(TRIES):
            if number >= self._proof.walks and ended:
                break
            begun = self._beginning(single, inside=number % 2 == 1)
            walked = self.walk(tool, begun, alone)
            ended += walked is not None
            self.judge(walked, name)
        if not ended:
            count.unwalked.append(name)

    def _beginning(self, texts: Sequence[Written], *, inside: bool) -> str:
        """A text up to the tool's name, or up to somewhere behind it."""
        if not texts:
            return ""
        text, _, end, _ = self._rng.choice(texts)
        return text[: self._rng.randint(end, max(end, len(text) - 1)) if inside else end]

    def walk(self, tool: Tool, begun: str = "", compiled: Any = None) -> bytes | None:
        """A walk with the ends of strings that one of the tools has."""
        name = tool.binding.name
        if name not in self._exits:
            self._exits[name] = exits(self._proof.format, tool)
        walked: bytes | None = (compiled or self._compiled).walk(self._rng, self._exits[name], begun.encode())
        return walked

    def judge(self, data: bytes | None, name: str = "", *, required: bool = True) -> None:
        """Count whether a walk's text is read as calls that the tools take, of `name` the first."""
        count = self._proof.count
        count.walks += 1
        if data is None:
            count.endless += 1
            return
        try:
            text = data.decode()
        except UnicodeDecodeError:
            count.disagree(f"{name}: no UTF-8: {data!r}")
            return
        parsed = parse(text, self._proof.format.id)
        if parsed.problems or (required and not parsed.calls):
            reason = parsed.problems[0].reason if parsed.problems else "no call"
            count.disagree(f"{name}: {reason}: {text!r}")
            return
        if name and parsed.calls[0].name != name:
            count.disagree(f"{name}: read as a call of {parsed.calls[0].name}: {text!r}")
            return
        lost: list[str] = []
        for call in parsed.calls:
            if call.name not in self._tools:
                count.disagree(f"{name}: read as a call of {call.name}: {text!r}")
                return
            refused = refusal(self._tools[call.name], call.arguments, self._proof.guesses(call))
            untold = self._untold(call, refused)
            if untold:
                words = ", ".join(f"{each.keyword} at {each.path}" for each in untold)
                count.disagree(f"{call.name}: {words}: {text!r}")
                return
            lost += [each.keyword for each in refused][:1]
        count.lost.update(lost[:1])
        count.decoded += not lost

    def _untold(self, call: Call, refused: Sequence[Violation]) -> list[Violation]:
        """Violations of a call that the losses do not tell of."""
        tool, losses = self._tools[call.name], self._looser[call.name]
        untold = [each for each in refused if not tool.ledger.tells(losses, each)]
        if call.textual and len(untold) < len(refused):
            # Text is read as the contract wants it where all else fits.
            untold = [each for each in untold if each.keyword != "type"]
        return untold


def exits(format: TextFormat, tool: Tool) -> tuple[bytes, ...]:
    """Texts that may end a string, or free text, in a format: mostly what closes something."""
    closing = {'"', "</think>", "</thinking>"}
    opening: set[str] = set()
    for form in format.calls:
        closing |= {form.quote, *form.close, *(each for one in form.parameters for each in one.close)}
        opening |= {*form.open, *form.again, *(each for one in form.parameters for each in one.open)}
        if form.content == "elements":
            closing |= {f"{form.prefix}</{key}>" for key in tool.keys}
    for pair in (*format.sections, *format.thoughts):
        closing.add(pair.close)
        opening.add(pair.open)
    heads = {HOLE.split(template)[0].strip() for template in opening} - {""}
    ends = sorted(closing - {""})
    return tuple(each.encode() for each in (*sorted(heads), *ends * 4, *(f"\n{end}" for end in ends)))


def make_package(shared: Path, project: Path, number: int) -> None:
    """Generate a package of so many tools of the corpora, evenly sampled."""
    folder = shared / "corpora"
    lines = [line for name in CORPORA for line in (folder / f"{name}.jsonl").read_text("utf-8").splitlines()]
    picked = [lines[index * len(lines) // number] for index in range(min(number, len(lines)))]
    source = project.parent / "sample.jsonl"
    source.write_text("\n".join(picked) + "\n", encoding="utf-8")
    made = import_corpus(source, project, providers=("openai",))
    assert made.returncode == 0, made.stderr
    command = (sys.executable, "-m", "toolcast", "generate")
    subprocess.run(command, cwd=project, capture_output=True, check=True)


@cache
def load_package(project: str) -> Package:
    """The package in a folder, with the calls that its corpora record."""
    sys.path.insert(0, project)
    listed = [
        json.loads(line) for line in (Path(project).parent / "sample.jsonl").read_text("utf-8").splitlines()
    ]
    names = unique([record["name"] for record in listed])
    recorded = {name: record.get("calls") or () for name, record in zip(names, listed, strict=True)}
    return Package(importlib.import_module("generated.registry").BINDINGS, recorded)


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
Of {texts:,} texts, {wrong} are disagreements between a text format's grammar, the engine, and the decoder:
{tools} tools of the corpora in each of {formats} formats, under {engines}.

`make grammars` measures it again (`--seed {seed}`). A grammar has {group} of the tools.

* *accepted*: texts that writers of the family make of valid arguments, and a model can write (law L2).
* *narrower*: such texts that it cannot write, where the grammar names the keyword and the place by which it is
  stricter.
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
    lines = [
        CALLS.format(
            texts=texts + walks, wrong=wrong or "none", tools=max(each.tools for each in counts),
            formats=len(found), engines=releases, seed=options.seed, group=GROUP, walks=options.walks,
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
    left = {
        id: tools
        for id, row in found.items()
        if (tools := {each for one in row.values() for each in one.unwritable})
    }
    if left:
        number = sum(map(len, left.values()))
        lines += ["", f"Tools that a format has no form for, and whose grammar is refused with words: {number}, of "
                  f"{', '.join(sorted(left))}."]  # fmt: skip
    shown: dict[str, str] = {}
    for id, row in found.items():
        for count in row.values():
            for words in count.disagreements[:1]:
                shown.setdefault(id, words)
    return "\n".join([*lines, *disagreements(shown)])


def cells(counts: Sequence[Count]) -> str:
    """Sums of some counts."""
    sums = (
        sum(each.tools for each in counts),
        sum(each.accepted for each in counts),
        sum(each.narrower for each in counts),
        sum(each.walks for each in counts),
        sum(each.decoded for each in counts),
        sum(each.lost.total() for each in counts),
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
    """What is done, the last time that it was."""
    found: dict[str, dict[str, Count]] = {}
    for line in file.read_bytes().splitlines() if file is not None and file.exists() else ():
        found |= msgspec.json.decode(line, type=dict[str, dict[str, Count]])
    return found


if __name__ == "__main__":
    sys.exit(main())
