"""What is digested: the outputs of projects, and the reports of the suites.

A section is a function from a temporary folder and the folder of shared corpora to outputs. It runs commands
as a user does, and public functions. Nothing in an output depends on time, on the machine or on a path.
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from toolcast.agents.text_calls import parse
from toolcast.providers import available, normalize

from ..fuzz.schemas import compose

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = 2000
"""Composed schemas that are compiled for all providers."""
_CORPORA = ("bfcl", "github-mcp-server", "mcp-servers", "openapi", "tau-bench")
_TIMES = re.compile(r"\b\d+(\.\d+)? s\b|\b[\d.]+ schemas/s")
_LIMIT = 3600
"""Seconds after which a command counts as hung."""


class Output(Struct, frozen=True):
    """`group` gets one digest; `name` is unique in it, and a relative path."""

    group: str
    name: str
    content: bytes


def toolset(folder: Path, _: Path) -> Iterator[Output]:
    """The reference toolset, for all providers, with all model families; and what lint reports of it."""
    shutil.copytree(ROOT / "specs", folder / "specs")
    yield from _generated(folder, models=True)
    yield _report("lint", "lint.json", folder, "lint", "--format", "json")


def examples(folder: Path, _: Path) -> Iterator[Output]:
    """The toolset of `examples/`, for all providers."""
    shutil.copytree(ROOT / "examples" / "specs", folder / "specs")
    yield from _generated(folder)


def corpora(folder: Path, shared: Path) -> Iterator[Output]:
    """Every corpus, imported and generated for all providers; and what its generated decoders answer."""
    for corpus in _CORPORA:
        project = folder / corpus
        project.mkdir()
        source = shared / "corpora" / f"{corpus}.jsonl"
        (project / source.name).write_bytes(source.read_bytes())
        _configure(project)
        decided = ("--permission", "execute", "--secrets", "none")
        told = _run(project, "import", "tools", source.name, "--into", "specs", *decided)
        yield Output(f"{corpus}/import", "messages", told)
        for path in sorted((project / "specs").rglob("*.*")):
            yield Output(f"{corpus}/import", path.relative_to(project).as_posix(), path.read_bytes())
        for output in _generated(project):
            yield Output(f"{corpus}/{output.group}", output.name, output.content)
        command = (sys.executable, "-m", "bench.baseline.answers", str(project), str(source))
        yield Output(f"{corpus}/answers", "answers", _output(ROOT, *command))


def revisions(_: Path, shared: Path) -> Iterator[Output]:
    """Both sides of every recorded revision, normalised for all providers."""
    lines = (shared / "corpora/revisions/revisions.jsonl").read_text("utf-8").splitlines()
    for row in map(json.loads, lines):
        for side in ("old", "new"):
            if row[side] is not None:
                yield from _normalized(f"{row['id']}-{side}".replace("/", "_"), row[side]["inputSchema"])


def normalizer_cases(_: Path, shared: Path) -> Iterator[Output]:
    """The inputs of another normaliser's tests, for all providers."""
    lines = (shared / "suites/normalizer-cases/oh-my-pi-18.0.0.jsonl").read_text("utf-8").splitlines()
    inputs = {json.dumps(json.loads(line)["input"]) for line in lines}
    for number, text in enumerate(sorted(inputs)):
        yield from _normalized(str(number), json.loads(text))


def text_calls(_: Path, shared: Path) -> Iterator[Output]:
    """Every text of the text-call suite: its calls, the text around them, its problems."""
    for file in ("cases", "families"):
        lines = (shared / f"suites/text-tool-calls/{file}.jsonl").read_text("utf-8").splitlines()
        for number, row in enumerate(map(json.loads, lines)):
            for index, text in enumerate(row["texts"] if "texts" in row else [row["text"]]):
                yield Output(file, f"{number}-{index}", _plain(parse(text)))


def conformance(_: Path, __: Path) -> Iterator[Output]:
    """The report of the official JSON Schema suite."""
    yield Output("page", "page", _output(ROOT, sys.executable, "-m", "bench.conformance", "--jobs", "1"))


def verify(_: Path, __: Path) -> Iterator[Output]:
    """The report of `verify` over the reference toolset."""
    yield _report("report", "verify", ROOT, "verify", "--seed", "1", "--jobs", "1")


def fuzz(folder: Path, _: Path) -> Iterator[Output]:
    """Composed schemas, generated for all providers; and what the fuzzer reports of them."""
    (folder / "specs").mkdir()
    for number in range(SCHEMAS):
        parameters = compose(random.Random(f"1:{number}"))
        if not isinstance(parameters, dict) or parameters.get("type") != "object":
            parameters = {"type": "object", "properties": {"value": parameters}, "required": ["value"]}
        spec = {"description": "A tool.", "permission": "read", "secrets": [], "parameters": parameters}
        (folder / "specs" / f"t{number:04}.json").write_text(json.dumps(spec), "utf-8")
    yield from _generated(folder)
    command = ("-m", "bench.fuzz", "--schemas", str(SCHEMAS), "--seed", "1", "--jobs", "1")
    yield Output("report", "report", _output(ROOT, sys.executable, *command))


SECTIONS: dict[str, Callable[[Path, Path], Iterator[Output]]] = {
    "corpora": corpora,
    "fuzz": fuzz,
    "conformance": conformance,
    "verify": verify,
    "toolset": toolset,
    "examples": examples,
    "revisions": revisions,
    "normalizer-cases": normalizer_cases,
    "text-calls": text_calls,
}
"""The long ones first."""


def _configure(project: Path, *, models: bool = False) -> None:
    families = 'models = ["pydantic", "dataclass", "typeddict"]\n' if models else ""
    (project / "pyproject.toml").write_text(f'[tool.toolcast]\nproviders = "all"\n{families}', "utf-8")


def _generated(project: Path, *, models: bool = False) -> Iterator[Output]:
    """Every output of the project, in a group for each folder of outputs, and the diagnostics."""
    _configure(project, models=models)
    answer = msgspec.json.decode(_run(project, "generate", "--format", "json"))
    del answer["summary"]["seconds"]
    yield Output("diagnostics", "diagnostics.json", msgspec.json.format(msgspec.json.encode(answer)))
    root = project / "generated"
    for path in sorted(root.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            parts = path.relative_to(root).parts
            deep = 2 if parts[0] in ("schemas", "wire_forms", "models") else 1
            group = "/".join(parts[:deep]) if path.suffix != ".py" or parts[0] == "models" else "python"
            yield Output(
                group if len(parts) > 1 or group == "python" else "files", "/".join(parts), path.read_bytes()
            )


def _normalized(name: str, schema: Any) -> Iterator[Output]:
    for provider in available():
        yield Output(provider, name, _plain(normalize(schema, provider)))


def _plain(value: Any) -> bytes:
    """A public value as JSON text; what has no JSON form, by its `repr`."""
    return msgspec.json.encode(value, enc_hook=repr)


def _report(group: str, name: str, folder: Path, *arguments: str) -> Output:
    return Output(group, name, _run(folder, *arguments))


def _run(folder: Path, *arguments: str) -> bytes:
    """What a command of toolcast prints, without times."""
    return _output(folder, sys.executable, "-m", "toolcast", *arguments)


def _output(folder: Path, *command: str) -> bytes:
    environment = {**os.environ, "NO_COLOR": "1", "PYTHONHASHSEED": "0", "COLUMNS": "100"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8",
        timeout=_LIMIT, check=False,
    )  # fmt: skip
    if "Traceback" in done.stderr:
        raise RuntimeError(f"{' '.join(command)}:\n{done.stderr}")
    return _TIMES.sub("", done.stdout).encode()
