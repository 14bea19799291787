"""Tools of the corpora with arguments that they take, and texts that writers of a format make of these."""

import importlib
import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from toolcast.agents.text_calls import Call, TextDispatcher, TextFormat, parse
from toolcast.analysis.instances.edits import instances
from toolcast.analysis.instances.oracle import POSSIBLE, Oracle, OracleError, asserted_formats
from toolcast.importers.imported_names import unique
from toolcast.jsonschema.pointers import steps_of
from toolcast.runtime import ArgumentError, ToolBinding, ToolRegistry, Violation
from toolcast.runtime.standalone_schema import standalone_schema

from bench.corpora.compile import CORPORA, import_corpus
from tests.agents.text_calls.formats.chat_templates import TEMPLATES
from tests.agents.text_calls.formats.writers import FAMILIES, to_json
from tests.agents.text_calls.rendered import FORMS, HOLE, calls
from tests.grammars.cases import LONGEST
from tests.grammars.ledger import Ledger

VALUES, TRIED = 4, 24
"""Valid arguments of a tool, and values that are made to find them."""
PYTHON_LISTS = frozenset(("minicpm5", "seed-oss", "step3p5"))
"""Writers of lists and objects as Python prints them. Readers take them where the contract has no string in
their place; grammars write JSON, and their ledgers say that calls are written in one form."""

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
        with_texts = (value for value in map(self._with_texts, self.values) if value not in self.values)
        self.values += tuple(islice(with_texts, 1))
        undeclared = (value for value in taken if value not in self.values)
        self.open_values = tuple(undeclared)

    def _ordered_if_taken(self, value: Any) -> Any:
        if not isinstance(value, dict) or not self._oracle.accepts(value) or refusal(self, value):
            return None
        tree = self._oracle.tree
        return self._ordered(value, tree.same_value([(tree.start, POSSIBLE)]))

    def _with_texts(self, value: dict[str, Any]) -> dict[str, Any]:
        """The same with texts where the tool takes these, too: all else may be read as one."""
        for name, each in value.items():
            other = {**value, name: to_json(each)}
            if not isinstance(each, str) and self._oracle.accepts(other) and not refusal(self, other):
                value = other
        return value

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


def with_values(arguments: Any, refused: Sequence[Violation]) -> str:
    """JSON of arguments with the values of the texts that are refused, where they are JSON."""
    texts = {steps[0] for each in refused if (steps := steps_of(each.path))}
    members = (
        f"{to_json(name)}: {each if name in texts and _is_json(each) else to_json(each)}"
        for name, each in arguments.items()
    )
    return f"{{{', '.join(members)}}}"


def _is_json(text: Any) -> bool:
    try:
        msgspec.json.decode(text)
    except (TypeError, msgspec.DecodeError):
        return False
    return True


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
    """A text of valid arguments, the arguments of its calls, where the first one's name ends, and
    whether it has lists as Python prints them."""

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
        bare = writer([(name, {})])
    except ValueError:
        return None
    if "\0" in text or len(text) > LONGEST:  # llama.cpp has no token for "\0"
        return None
    alike = next((at for at, pair in enumerate(zip(text, bare, strict=False)) if len({*pair}) > 1), len(bare))
    # One character more than the name: another may begin with it.
    return text, max(text.rfind(name, 0, alike), text.index(name)) + len(name) + 1


def _reads(package: Package, tool: Tool, format: TextFormat, text: str, values: Sequence[Any]) -> bool:
    parsed = parse(text, format.id)
    if len(parsed.calls) != len(values) or parsed.problems or parsed.text.strip():
        return False
    return all(_means(package, tool, *each) for each in zip(parsed.calls, values, strict=True))


def _plain_arguments(call: Call) -> Any:
    return msgspec.json.decode(call.arguments) if isinstance(call.arguments, str | bytes) else call.arguments


def _means(package: Package, tool: Tool, call: Call, wanted: Any) -> bool:
    if not call.textual and _plain_arguments(call) != wanted:
        return False  # decoded arguments are without undeclared properties
    guesses = package.dispatcher.guesses if call.textual else None
    try:
        return bool(tool.binding.decode(call.arguments, None, guesses) == tool.binding.decode(wanted))
    except ArgumentError:
        return False


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
