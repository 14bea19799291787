"""Declarations of real tools: their tokens, whether compilers accept them, whether they agree with contracts.

    python -m bench.declarations --write docs/reports/declarations.md

Tokens are counted with gpt-tokenizer's o200k_base; `tsc --strict` and pyright (strict) judge the
declarations, and generated calls. A call agrees where the compiler accepts it and the contract does, or
both refuse. What no type can say is counted apart: a call that only breaks keywords which the comment or the
ledger has.
"""

from __future__ import annotations

import copy
import json
import keyword
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec import Struct
from toolcast.declarations.language import Language
from toolcast.declarations.one_tool import declaration
from toolcast.importers.imported_names import unique
from toolcast.jsonschema.keywords import TYPE_OF
from toolcast.jsonschema.pointers import escape, unescape
from toolcast.providers import LedgerEntry, Normalized, SchemaError
from toolcast.runtime import ToolBinding
from toolcast.runtime.declarations import declare, function_names
from toolcast.verify.instances import instances
from toolcast.verify.oracle import Oracle, OracleError, all_subschemas_of

from .corpora.compile import CORPORA
from .declared_view import DeclaredView, binding, normalized_for

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("TOOLCAST_SHARED", ROOT.parent / "shared"))
TOOLS = ROOT / ".typescript-tools" / "node_modules"
LANGUAGES: tuple[Language, ...] = ("typescript", "python")
IN_COMMENTS = ("minItems", "maxItems", "patternProperties", "additionalProperties", "enum", "const")
"""Keywords that stay in a definition, and that a type has in part: the comment has the rest."""
CONSTRAINTS = frozenset(
    (
        *(
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
            "minLength",
            "maxLength",
        ),
        *("pattern", "format", "minItems", "maxItems", "minProperties", "maxProperties", "enum", "const"),
        *("required", "contentEncoding", "contentMediaType"),
    )
)
"""Keywords whose values are looked for as they are written."""
OPTIONS = ("--strict", "--noEmit", "--pretty", "false", "--lib", "es2022")
SETTINGS = {
    "typeCheckingMode": "strict",
    "pythonVersion": "3.13",
    "reportMissingModuleSource": False,
    "reportUnusedImport": False,
    "reportUnknownArgumentType": False,
    "reportUnknownMemberType": False,
}
SECONDS = 900
"""After which a compiler counts as hung."""


class Tool(Struct, frozen=True):
    """A tool of a corpus, as both languages have it."""

    name: str
    parameters: dict[str, Any]
    binding: ToolBinding[Any, Any]
    normalized: Mapping[str, Normalized]


class Call(Struct, frozen=True):
    """One call of a tool in a file of calls."""

    tool: Tool
    arguments: Any
    valid: bool


class Agreement(Struct, frozen=True):
    """What a compiler and contracts say of calls; counts are of calls.

    `apart` counts what types cannot say, by keyword; `disagreements` describe the rest.
    """

    calls: int
    valid: int
    agree: int
    apart: Counter[str]
    disagreements: tuple[str, ...]


def read_tools(corpus: str, every: int = 1) -> list[Tool]:
    """The tools of a corpus that have a form in both languages, under distinct names; each `every`-th."""
    lines = (SHARED / "corpora" / f"{corpus}.jsonl").read_text(encoding="utf-8").splitlines()[::every]
    records = [json.loads(line) for line in lines]
    found: list[Tool] = []
    for name, record in zip(unique([one["name"] for one in records]), records, strict=True):
        try:
            normalized = normalized_for(record["parameters"])
            made = binding(
                name,
                record["parameters"],
                group=corpus,
                description=record.get("description") or "",
                result=record.get("output_schema"),
            )
        except SchemaError:
            continue
        found.append(Tool(name, record["parameters"], made, normalized))
    return found


def openai_json(tools: Sequence[Tool]) -> str:
    """The same tools as OpenAI's API gets them, compact."""
    return "[" + ",".join(one.binding.definition("openai").decode() for one in tools) + "]"


def declared(tools: Sequence[Tool], language: Language) -> str:
    """The tools as one text."""
    return declare(DeclaredView([one.binding for one in tools]), language)


def count_tokens(texts: Sequence[str]) -> list[int]:
    """The tokens of each text in o200k_base."""
    script = (
        'const {encode} = require("gpt-tokenizer/encoding/o200k_base");'
        'const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));'
        "const count = (text) => encode(text, {disallowedSpecial: new Set()}).length;"
        "console.log(JSON.stringify(texts.map(count)));"
    )
    done = subprocess.run(
        ["node", "-e", script],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env={**os.environ, "NODE_PATH": str(TOOLS)},
        check=True,
    )
    found: list[int] = json.loads(done.stdout)
    return found


def calls_of(tools: Sequence[Tool], each: int, seed: int) -> list[Call]:
    """`each` calls of each tool: objects only, as arguments are."""
    found: list[Call] = []
    for number, tool in enumerate(tools):
        try:
            oracle = Oracle(upgraded(tool))
        except OracleError:
            continue
        rng = random.Random(f"{seed} {number} {tool.name}")
        made = [one for one in instances(oracle, rng, 3 * each) if isinstance(one, dict)]
        rng.shuffle(made)
        found += [Call(tool, one, oracle.accepts(one)) for one in made[:each]]
    return found


def upgraded(tool: Tool) -> dict[str, Any]:
    """The contract of a tool."""
    return {"type": "object", **copy.deepcopy(tool.normalized["mcp"].schema)}


# -- what a compiler says ---------------------------------------------------------------------------


def judged(calls: Sequence[Call], tools: Sequence[Tool], language: Language, folder: Path) -> dict[int, str]:
    """Compile declarations and calls; the first message about each refused call, by its index.

    Raises ValueError where the declarations themselves are refused.
    """
    view = DeclaredView([one.binding for one in tools])
    functions = {tool: name for name, tool in function_names(view, language).items()}
    text = declare(view, language)
    if language == "typescript":
        return _tsc(calls, text, functions, folder)
    return _pyright(calls, text, functions, folder)


def _tsc(calls: Sequence[Call], text: str, functions: Mapping[str, str], folder: Path) -> dict[int, str]:
    (folder / "tools.d.ts").write_text(text, encoding="utf-8")
    lines = []
    for call in calls:
        empty = not call.arguments
        function = functions[call.tool.name]
        lines.append(f"{function}({'' if empty and _takes_none(call.tool) else json.dumps(call.arguments)});")
    (folder / "calls.ts").write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = subprocess.run(
        [str(TOOLS / ".bin" / "tsc"), *OPTIONS, "tools.d.ts", "calls.ts"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    found: dict[int, str] = {}
    for line in done.stdout.splitlines():
        match = re.match(r"(\S+)\((\d+),\d+\): error (.*)", line)
        if match and match[1] == "calls.ts":
            found.setdefault(int(match[2]) - 1, match[3])
        elif match:
            raise ValueError(f"tsc refuses a declaration: {line}")
    return found


def _takes_none(tool: Tool) -> bool:
    schema = tool.normalized["typescript"].schema
    return not schema.get("properties") and schema.get("additionalProperties") is False


def _pyright(calls: Sequence[Call], text: str, functions: Mapping[str, str], folder: Path) -> dict[int, str]:
    head, *modules = re.split(r"^# module ", text, flags=re.MULTILINE)
    names = []
    for module in modules:
        name, _, body = module.partition("\n")
        (folder / f"{name}.pyi").write_text(head + body, encoding="utf-8")
        names.append(name)
    lines = [f"import {name}" for name in names]
    places: dict[int, int] = {}
    for index, call in enumerate(calls):
        # Declared are ASCII identifiers; any other key is as good as one that is not declared.
        arguments = {
            name if _is_plain(name) else f"undeclared_{i}": value
            for i, (name, value) in enumerate(_renamed(call.arguments, _names(call.tool)).items())
        }
        written = ", ".join(f"{name}={_python(value)}" for name, value in arguments.items())
        lines.append(f"async def call_{index}() -> None: await {functions[call.tool.name]}({written})")
        places[len(lines)] = index
    (folder / "calls.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "pyrightconfig.json").write_text(json.dumps(SETTINGS), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, "-p", str(folder)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    found: dict[int, str] = {}
    for problem in json.loads(done.stdout)["generalDiagnostics"]:
        line = problem["range"]["start"]["line"] + 1
        if problem["severity"] != "error":
            continue
        if Path(problem["file"]).name != "calls.py" or line not in places:
            raise ValueError(f"pyright refuses a declaration: {problem['file']}:{line}: {problem['message']}")
        found.setdefault(places[line], problem["message"].replace("\n", " "))
    return found


def _is_plain(name: str) -> bool:
    return name.isascii() and name.isidentifier() and not keyword.iskeyword(name)


def _names(tool: Tool) -> dict[str, str]:
    """Names of properties that Python has under others."""
    forms = tool.normalized["python"].wire_forms
    if forms is None:
        return {}
    found: dict[str, str] = {}
    pending: list[Any] = [msgspec.to_builtins(forms)]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            found.update({own: sent for sent, own in (value.get("names") or {}).items()})
            pending += value.values()
        elif isinstance(value, (list, tuple)):
            pending += value
    return found


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {names.get(key, key): _renamed(item, names) for key, item in value.items()}
    return [_renamed(item, names) for item in value] if isinstance(value, list) else value


def _python(value: Any) -> str:
    """A JSON value as Python writes it; an integer in floating point is an integer."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {_python(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_python, value)) + "]"
    return repr(int(value) if isinstance(value, float) and value.is_integer() else value)


# -- what a contract says ---------------------------------------------------------------------------


def agreement(calls: Sequence[Call], refused: Mapping[int, str], language: Language) -> Agreement:
    """Compare what the compiler and the contracts say of each call."""
    agree = 0
    apart: Counter[str] = Counter()
    disagreements: list[str] = []
    weaker: dict[tuple[str, bool], Oracle] = {}
    for index, call in enumerate(calls):
        if call.valid == (index not in refused):
            agree += 1
            continue
        tool = call.tool
        if call.valid:
            if language == "python" and "prefixItems" in json.dumps(tool.parameters):
                apart["a tuple, written as a list"] += 1
            else:
                disagreements.append(f"{tool.name}: {json.dumps(call.arguments)}: {refused[index]}")
            continue
        for further in (False, True):
            if (tool.name, further) not in weaker:
                weaker[tool.name, further] = Oracle(weakened(tool, language, further=further))
            if weaker[tool.name, further].accepts(call.arguments):
                apart[_broken(call)] += 1
                break
        else:
            disagreements.append(f"{tool.name}: {json.dumps(call.arguments)}: accepted, {_broken(call)}")
    valid = sum(call.valid for call in calls)
    return Agreement(len(calls), valid, agree, apart, tuple(disagreements))


def weakened(tool: Tool, language: Language, *, further: bool) -> dict[str, Any]:
    """The contract without what the ledger has; with `further`, without what comments alone have, too."""
    schema = upgraded(tool)
    for entry in tool.normalized[language].ledger:
        _remove(schema, entry)
    for _, node in list(all_subschemas_of(schema)):
        kinds = node.get("type")
        listed = kinds if isinstance(kinds, list) else [kinds]
        if language == "typescript" and "integer" in listed:
            node["type"] = list({*listed, "number"})
        if language == "python" and {"integer", "number"} & set(listed):
            node["type"] = list({*listed, "boolean"})
        first = node.get("prefixItems", [])
        if further and language == "python" and first and node.get("minItems", 0) < len(first):
            # A list, of which the comment says which item has which type.
            node["items"] = {"anyOf": [*node.pop("prefixItems"), node.get("items", True)]}
        for key in IN_COMMENTS if further else ():
            if key in ("enum", "const") and not _is_partial(node, language):
                continue
            node.pop(key, None)
        if "oneOf" in node:
            node["anyOf"] = node.pop("oneOf") + node.get("anyOf", [])
    return schema


def _is_partial(node: Mapping[str, Any], language: Language) -> bool:
    """Whether a language has no literal type for some listed value."""
    values = node.get("enum", [node.get("const")])
    return language == "python" and not all(one is None or isinstance(one, (str, int)) for one in values)


def unstated(tool: Tool, language: Language) -> tuple[int, list[str]]:
    """Look for the value of every constraint of a contract in the declaration and in the ledger.

    Returns:
        How many there are, and those that are in neither.
    """
    text = _letters(declaration(msgspec.json.decode(tool.binding.definition(language)), language))
    entries = {_place(f"{one.path}/{escape(one.keyword)}"): one for one in tool.normalized[language].ledger}
    names = _names(tool)
    count, missing = 0, []
    for path, node in all_subschemas_of(upgraded(tool)):
        for key in CONSTRAINTS & node.keys():
            place = f"{_place(path)}/{escape(key)}"
            entry = entries.get(place)
            if (entry is not None and entry.action != "described") or _left_out(_place(path), entries):
                continue
            kinds = {"number"} if "integer" in str(node.get("type")) else set[str]()
            kinds |= {node["type"]} if isinstance(node.get("type"), str) else {*node.get("type", ())}
            if kinds and key in TYPE_OF and TYPE_OF[key] not in kinds:
                continue  # it constrains values of other types
            count += 1
            values = node[key] if isinstance(node[key], list) else [node[key]]
            if key == "required" and language == "python":
                values = [names.get(one, one) for one in values]
            stated = all(_letters(json.dumps(one, ensure_ascii=False)) in text for one in values)
            if not stated and key != "uniqueItems":
                missing.append(f"{tool.name}: {place} = {json.dumps(node[key])}")
    return count, missing


def _letters(text: str) -> str:
    """Text without what comments and literals write in ways of their own."""
    return re.sub(r"[\s\\\"'#/]|\.0\b", "", text)


def _place(pointer: str) -> str:
    return pointer.replace("/definitions/", "/$defs/")


def _left_out(path: str, entries: Mapping[str, LedgerEntry]) -> bool:
    """Whether the ledger has the schema, or one around it, as a whole."""
    parts = path.split("/")
    return any("/".join(parts[:length]) in entries for length in range(2, len(parts) + 1))


def _remove(schema: Any, entry: LedgerEntry) -> None:
    place = schema
    for step in entry.path.split("/")[1:]:
        part = unescape(step)
        if part == "definitions" and "definitions" not in place:
            part = "$defs"
        place = place[int(part)] if isinstance(place, list) else place.get(part, {})
    # `type` inferred, `$ref` inlined: what they mean is still there.
    implied = entry.keyword in ("type", "$ref", "oneOf", "$defs", "required")
    stated = entry.severity != "kept elsewhere" or entry.action == "described"
    if isinstance(place, dict) and stated and not implied:
        place.pop(entry.keyword, None)


def _broken(call: Call) -> str:
    """The keywords that a call breaks, the innermost of each problem."""
    oracle = Oracle(upgraded(call.tool))
    found = {str(one.schema_path[-1]) if one.schema_path else "" for one in oracle.problems(call.arguments)}
    words = {one for one in found if not one.isdigit()}
    return ", ".join(sorted(words)) or "false"


# -- the page -------------------------------------------------------------------------------------------


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


def page(rows: Sequence[Row]) -> str:
    """The report."""
    lines = [
        "# Declarations of real tools",
        "",
        "**A tool declared as a typed function takes fewer tokens than its JSON, and means the same.**",
        "",
        "Written by `make declarations`: every tool of the shared corpora as TypeScript and as Python,",
        "with the tokens of gpt-tokenizer's o200k_base, beside the JSON of the profile `openai`, compact.",
        "The declarations have types of results where a tool states them, which that JSON has not.",
        "",
        "| corpus | tools | OpenAI JSON | TypeScript | fewer | Python | fewer |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    whole = tuple(sum(row.tokens[i] for row in rows) for i in range(3))
    every = [(row.corpus, row.tools, row.tokens) for row in rows]
    every.append(("all", sum(row.tools for row in rows), (whole[0], whole[1], whole[2])))
    for corpus, tools, (base, typescript, python) in every:
        lines.append(
            f"| {corpus} | {tools} | {base:,} | {typescript:,} | {1 - typescript / base:.1%} "
            f"| {python:,} | {1 - python / base:.1%} |"
        )
    lines += [
        "",
        "`tsc --strict` and pyright in strict mode accept every declaration. Of generated calls they say",
        "what the contract says, but for what types cannot say: then the call breaks only what the comment",
        "or the ledger states.",
        "",
        "| language | calls | valid | agree | types cannot say | disagree |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    totals: list[Counter[str]] = []
    for place, language in enumerate(("TypeScript", "Python")):
        found = [row.agreements[place] for row in rows]
        apart = sum((one.apart for one in found), Counter[str]())
        totals.append(apart)
        lines.append(
            f"| {language} | {sum(one.calls for one in found):,} | {sum(one.valid for one in found):,} "
            f"| {sum(one.agree for one in found):,} | {apart.total():,} "
            f"| {sum(len(one.disagreements) for one in found):,} |"
        )
    lines += ["", "| what types cannot say | TypeScript | Python |", "|---|---:|---:|"]
    for reason in sorted(totals[0] | totals[1], key=lambda one: (-totals[0][one] - totals[1][one], one)):
        lines.append(f"| {reason} | {totals[0][reason]:,} | {totals[1][reason]:,} |")
    constraints = sum(sum(row.constraints) for row in rows)
    lost = sum(len(row.unstated) for row in rows)
    lines += [
        "",
        f"Of {constraints:,} constraints of the contracts in both languages (bounds, lengths, patterns,",
        f"formats, listed values, required keys), {lost} are in neither the declaration nor the ledger: the",
        "value of each is looked for in the text.",
    ]
    return "\n".join(lines) + "\n"


@click.command()
@click.option("--write", type=click.Path(dir_okay=False, path_type=Path), help="Write the page here, too.")
@click.option("--each", type=click.IntRange(min=1), default=10, help="Calls of each tool.")
@click.option("--every", type=click.IntRange(min=1), default=1, help="Take each N-th tool only.")
def main(write: Path | None, each: int, every: int) -> None:
    """Measure the declarations of every shared corpus; exit 1 on a disagreement."""
    rows = []
    for corpus in CORPORA:
        click.echo(f"{corpus} …", err=True)
        rows.append(measure(corpus, each, every))
    text = page(rows)
    if write is not None:
        write.write_text(text, encoding="utf-8", newline="\n")
    click.echo(text)
    wrong = [problem for row in rows for one in row.agreements for problem in one.disagreements]
    wrong += [f"in neither declaration nor ledger: {each}" for row in rows for each in row.unstated]
    for problem in wrong:
        click.echo(problem[:1000], err=True)
    sys.exit(int(bool(wrong)))


if __name__ == "__main__":
    main()
