"""Compile schemas in process and import what comes out, from memory and under a name of its own."""

import importlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import Any

from toolcast.diagnostics import Diagnostic
from toolcast.project.core.compiled import Compiled, Options, ToolEntry
from toolcast.project.core.compiler import compile_package, compile_tool, compile_type
from toolcast.project.core.memory_package import imported
from toolcast.runtime import ToolBinding
from toolcast.spec.read_file import SourceDocument, parse_document
from toolcast.spec.spec_reader import read_tool

Binding = ToolBinding[Any, Any]
PROVIDERS = ("openai", "openai-responses", "anthropic", "gemini", "mcp")
NO_PROVIDERS = Options(providers=())


class RefusedError(Exception):
    """A spec that does not compile; `found` says why."""

    def __init__(self, found: Sequence[Diagnostic]) -> None:
        super().__init__("\n".join(f"{d.code} {d.line}:{d.column} {d.message}" for d in found))
        self.found = tuple(found)

    @property
    def codes(self) -> list[str]:
        return [d.code for d in self.found if d.severity == "error"]


def document(content: Any, file: str) -> SourceDocument:
    data = content.encode() if isinstance(content, str) else json.dumps(content).encode()
    found = parse_document(data, f"specs/{file}", "yaml" if isinstance(content, str) else "json")
    if not isinstance(found, SourceDocument):
        raise RefusedError(found)
    return found


def compile_files(
    tools: Mapping[str, Any], types: Mapping[str, Any] | None = None, options: Options = NO_PROVIDERS
) -> tuple[dict[str, bytes], list[ToolEntry], list[Diagnostic]]:
    """The files of a package, its tools, and the warnings. Raises RefusedError with all errors."""
    documents = {path: document(content, path) for path, content in (types or {}).items()}
    outcomes: list[Compiled] = []
    found: list[Diagnostic] = []
    for path, content in tools.items():
        spec, problems, _ = read_tool(document(content, path), path, frozenset(PROVIDERS))
        found += problems
        if spec is not None:
            outcomes.append(compile_tool(spec, documents, options))
    used = {use for outcome in outcomes for use in outcome.uses} | (set() if tools else set(documents))
    outcomes += [compile_type(path, documents, options) for path in sorted(used)]
    found += [each for outcome in outcomes for each in outcome.diagnostics]
    if any(each.severity == "error" for each in found):
        raise RefusedError(found)
    entries = [outcome.entry for outcome in outcomes if outcome.entry]
    files = {path: data for outcome in outcomes for path, data in outcome.files.items()}
    parents = {str(p) for file in files if file.endswith(".py") for p in PurePosixPath(file).parents}
    folders = {"" if folder == "." else folder for folder in parents}
    files.update(compile_package(entries, sorted(folders), options))
    return files, entries, found


def spec(parameters: Any, **more: Any) -> dict[str, Any]:
    return {"description": "A tool.", "permission": "read", "secrets": [], "parameters": parameters, **more}


@contextmanager
def package(
    tools: Mapping[str, Any], types: Mapping[str, Any] | None = None, options: Options = NO_PROVIDERS
) -> Iterator[dict[str, Binding]]:
    files, entries, _ = compile_files(tools, types, options)
    with imported(files) as name:
        modules = {e.name: importlib.import_module(f"{name}.{e.module}") for e in entries}
        yield {e.name: getattr(modules[e.name], e.constant) for e in entries}


@contextmanager
def bound(files: Mapping[str, bytes], entry: ToolEntry) -> Iterator[Binding]:
    with imported(files) as name:
        yield getattr(importlib.import_module(f"{name}.{entry.module}"), entry.constant)


@contextmanager
def binding(
    parameters: Any, types: Mapping[str, Any] | None = None, options: Options = NO_PROVIDERS, **more: Any
) -> Iterator[Binding]:
    with package({"tool.json": spec(parameters, **more)}, types, options) as found:
        yield found["tool"]


def source(parameters: Any, types: Mapping[str, Any] | None = None, **more: Any) -> str:
    files, _, _ = compile_files({"tool.json": spec(parameters, **more)}, types)
    return files["tool.py"].decode()


def refusal(parameters: Any, types: Mapping[str, Any] | None = None, **more: Any) -> RefusedError:
    """Why a tool with these parameters is refused; fails where it compiles."""
    try:
        compile_files({"tool.json": spec(parameters, **more)}, types)
    except RefusedError as refused:
        return refused
    raise AssertionError("it compiles")
