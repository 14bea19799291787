"""Proves grammars of text formats by the engines that take them; writes a part of docs/reports/grammars.md.

    python -m tests.grammars.call_proof --write docs/reports/grammars.md

For each format, engine and tool: what writers of the family's texts make of valid arguments, the engine lets
a model write; and what random walks over the engine's masks write is read as calls that the tool takes, or
refuses for a keyword that the grammar's losses name. `make engines` installs the engines. The exit status is
1 where there is a disagreement.
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
from functools import cache
from itertools import islice
from multiprocessing import Pool
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from toolcast.agents.text_calls import Call, TextDispatcher, TextFormat, known_formats, parse
from toolcast.analysis.instances.edits import instances
from toolcast.analysis.instances.oracle import POSSIBLE, Oracle, OracleError, asserted_formats
from toolcast.importers.imported_names import unique
from toolcast.runtime import ArgumentError, ToolBinding, ToolRegistry
from toolcast.runtime.standalone_schema import standalone_schema

from bench.corpora.compile import CORPORA, import_corpus
from bench.marked import write
from tests.agents.text_calls.formats.chat_templates import TEMPLATES
from tests.agents.text_calls.formats.writers import FAMILIES
from tests.agents.text_calls.rendered import FORMS, HOLE, calls
from tests.grammars import llama_engine, xgrammar_engine
from tests.grammars.cases import LONGEST
from tests.grammars.engine import Engine, RefusedError

ROOT = Path(__file__).resolve().parents[2]
ENGINES = ("gbnf", "xgrammar", "xgrammar-tag", "llguidance")
VALUES, TRIED = 4, 24
"""Valid arguments of a tool, and values that are made to find them."""
ENOUGH = 20
"""Disagreements of a format and an engine that are kept; all are counted."""

PYTHON_LISTS = frozenset(("minicpm5", "seed-oss", "step3p5"))
"""Writers of lists and objects as Python prints them, where grammars write JSON."""

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
        self.values: tuple[Any, ...] = ()
        self.open_values: tuple[Any, ...] = ()  # with undeclared properties
        try:
            document = {"$defs": schema.get("$defs", {}), "parameters": schema}
            self._oracle = Oracle(document, "/parameters", asserted_formats())
        except OracleError:
            return
        rng = random.Random(binding.name)
        made = (*recorded, *instances(self._oracle, rng, TRIED))
        taken = list(islice(filter(_is_object, map(self._ordered_if_taken, map(_plain, made))), VALUES))
        declared = [value for value in map(self._declared, taken) if self._oracle.accepts(value)]
        self.values = tuple(value for value in declared if not refusal(self, value))
        self.open_values = tuple(value for value in taken if value not in self.values)

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


def refusal(tool: Tool, arguments: Any, guesses: Any = None) -> frozenset[str]:
    """The keywords for which a tool refuses arguments; none where it takes them."""
    try:
        tool.binding.decode(arguments, None, guesses)
    except ArgumentError as problem:
        return frozenset(each.keyword for each in problem.violations) or frozenset([problem.problem])
    return frozenset()


class Package:
    """A generated package: its tools, and a registry of them all."""

    def __init__(self, bindings: Mapping[str, Any], recorded: Mapping[str, Sequence[Any]]) -> None:
        self.registry = ToolRegistry(check_results=False)
        for name in bindings:
            self.registry.register(bindings[name], _unused)
        self.dispatcher = TextDispatcher(self.registry)
        self.tools = {name: Tool(bindings[name], recorded.get(name, ())) for name in bindings}


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


def written(
    package: Package, tool: Tool, format: TextFormat, by: Sequence[Writer]
) -> Iterator[tuple[str, bool]]:
    """Texts of valid arguments that the format reads as just these, and whether all of them are declared.
    Without escapes some arguments have no text."""
    name = tool.binding.name
    pairs = [[(name, value), (name, tool.values[-1])] for value in tool.values[:1]]
    turns = [*([(name, value)] for value in (*tool.values, *tool.open_values)), *pairs]
    for number, turn in enumerate(turns):
        if format.id in PYTHON_LISTS and any(
            isinstance(each, (list, dict)) for _, value in turn for each in value.values()
        ):
            continue
        declared = not len(tool.values) <= number < len(tool.values) + len(tool.open_values)
        for writer in by:
            try:
                text = writer(turn)
            except ValueError:
                continue
            if "\0" in text:  # llama.cpp has no token for it
                continue
            parsed = parse(text, format.id)
            same = len(parsed.calls) == len(turn) and not parsed.problems and not parsed.text.strip()
            read = zip(parsed.calls, turn, strict=same)
            if same and all(_means(package, tool, call, wanted) for call, (_, wanted) in read):
                yield text, declared


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

    def disagree(self, words: str) -> None:
        self.wrong += 1
        if len(self.disagreements) < ENOUGH:
            self.disagreements.append(words)


def prove(package: Package, format: TextFormat, engine: str, judge: Any, options: "Options") -> Count:
    """Ask an engine about a format's grammar for each tool."""
    count = Count()
    shift = sum(f"{format.id}:{engine}".encode())
    for number, tool in enumerate(package.tools.values()):
        for name, by in writers(format).items():
            if (number + shift) % options.every == 0:
                _prove_tool(package, tool, format, (name, by), (engine, judge, options), count)
    return count


def _prove_tool(
    package: Package,
    tool: Tool,
    format: TextFormat,
    form: tuple[str, Sequence[Writer]],
    asked: tuple[str, Any, "Options"],
    count: Count,
) -> None:
    """Ask an engine about one tool's grammar under a name of the format."""
    name, (alias, by), (engine, judge, options) = tool.binding.name, form, asked
    rng = random.Random(f"{options.seed}:{alias}:{engine}:{name}")
    choice = "auto" if rng.random() < 0.2 else "required"
    try:
        made = package.registry.grammar(alias, engine, tools=[name], choice=choice)
    except ValueError as problem:
        count.unwritable.append(f"{name}: {problem}")
        return
    count.tools += 1
    try:
        compiled = judge.compile_text(made.text)
    except RefusedError as problem:
        count.disagree(f"{name}: refused: {problem}")
        return
    kept_out = {each.keyword for each in made.losses if each.stricter and each.tool}
    for text, declared in written(package, tool, format, by):
        stops = compiled.refuses(text) if len(text) <= LONGEST else None
        if stops and (kept_out - {"additionalProperties"} if declared else kept_out):
            count.narrower += 1
        elif stops:
            count.disagree(f"{name}: cannot write {text!r}: {stops}")
        else:
            count.accepted += 1
    losses = frozenset(each.keyword for each in made.losses if not each.stricter)
    for _ in range(options.walks):
        count.walks += 1
        text = compiled.walk(rng, exits(format, tool))
        _judge(package, tool, format, (text, choice), losses, count)


def _judge(
    package: Package,
    tool: Tool,
    format: TextFormat,
    walked: tuple[bytes | None, str],
    losses: frozenset[str],
    count: Count,
) -> None:
    """Whether a walk's text is read as calls that the tool takes."""
    data, choice = walked
    if data is None:
        count.endless += 1
        return
    try:
        text = data.decode()
    except UnicodeDecodeError:
        count.disagree(f"{tool.binding.name}: no UTF-8: {data!r}")
        return
    parsed = parse(text, format.id)
    if parsed.problems or (not parsed.calls and choice == "required"):
        reason = parsed.problems[0].reason if parsed.problems else "no call"
        count.disagree(f"{tool.binding.name}: {reason}: {text!r}")
        return
    for call in parsed.calls:
        guesses = package.dispatcher.guesses if call.textual else None
        refused = refusal(tool, call.arguments, guesses) if call.name == tool.binding.name else {"name"}
        if not refused:
            continue
        if call.textual and refused & losses:  # text is read as the contract wants it where all else fits
            refused -= {"type"}
        if losses:  # of a branch, and told as the union's
            refused -= {"anyOf", "oneOf"}
        if refused <= losses:
            count.lost.update([*sorted(refused), "union"][:1])
        else:
            count.disagree(f"{tool.binding.name}: {', '.join(sorted(refused - losses))}: {text!r}")
        return
    count.decoded += 1


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


class Options(Struct, frozen=True, kw_only=True):
    """Options of a proof: the package's folder, one of how many tools, walks of a grammar, the seed."""

    project: str = ""
    every: int = 1
    walks: int = 2
    seed: int = 0


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


def _proved(task: tuple[str, str, Options]) -> tuple[str, str, Count]:
    id, engine, options = task
    made = prove(load_package(options.project), known_formats()[id], engine, judge_of(engine), options)
    print(f"{id}:{engine}: {made.accepted} accepted, {made.walks} walks, {made.wrong} wrong", file=sys.stderr)
    return id, engine, made


CALLS = """\
Of {texts:,} texts, {wrong} are disagreements between a text format's grammar, the engine, and the decoder.

`make grammars` measures it again (`--seed {seed}`).

* *accepted*: texts that writers of the family make of valid arguments, and a model can write (law L2).
* *narrower*: such texts that it cannot write, where the grammar names a keyword by which it is stricter.
* *walks*: texts that random walks over the engine's masks write: *decoded*, or refused for a *loss* that the
  grammar names. The rest comes to no end within 3,000 bytes."""


def page(found: Mapping[tuple[str, str], Count], options: Options) -> str:
    """The part of the report."""
    counts = [*found.values()]
    texts, walks = sum(each.accepted for each in counts), sum(each.walks for each in counts)
    wrong = sum(each.wrong for each in counts)
    formats = sorted({id for id, _ in found})
    lines = [
        CALLS.format(texts=texts + walks, wrong=wrong or "none", seed=options.seed),
        "",
        "| format | grammars | accepted | narrower | walks | decoded | loss | disagreements |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for id in formats:
        row = [count for (format, _), count in found.items() if format == id]
        engines = [engine for (format, engine), count in found.items() if format == id and count.tools]
        sums = (
            sum(each.accepted for each in row),
            sum(each.narrower for each in row),
            sum(each.walks for each in row),
            sum(each.decoded for each in row),
            sum(each.lost.total() for each in row),
            sum(each.wrong for each in row),
        )
        cells = (f"{each:,}" for each in sums)
        lines.append(f"| {id} | {', '.join(engines) or row[0].unwritable[0]} | {' | '.join(cells)} |")
    shown: dict[str, str] = {}
    for (id, _), count in found.items():
        for words in count.disagreements[:1]:
            shown.setdefault(id, words)
    return "\n".join([*lines, *disagreements(shown)])


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
    parser.add_argument("--formats", nargs="*", default=[*known_formats()])
    parser.add_argument("--engines", nargs="*", default=ENGINES)
    parser.add_argument("--project", help="a folder with a package that was made before")
    given = parser.parse_args()
    shared = Path(os.environ.get("TOOLCAST_SHARED", ROOT.parent / "shared"))
    with tempfile.TemporaryDirectory() as folder:
        project = Path(given.project or Path(folder) / "project")
        if not project.exists():
            make_package(shared, project, given.tools)
        options = Options(project=str(project), every=given.every, walks=given.walks, seed=given.seed)
        tasks = [(id, engine, options) for id in given.formats for engine in given.engines]
        with Pool() as pool:
            found = {(id, engine): made for id, engine, made in pool.imap_unordered(_proved, tasks)}
    ordered = {(id, engine): found[id, engine] for id, engine, _ in tasks}
    text = page(ordered, options)
    if given.write is None:
        print(text)
    else:
        write(given.write, "calls", text)
    for (id, engine), count in ordered.items():
        for words in count.disagreements:
            print(f"{id}:{engine}: {words}"[:1200], file=sys.stderr)
    return int(any(count.wrong for count in ordered.values()))


if __name__ == "__main__":
    sys.exit(main())
