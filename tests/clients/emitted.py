"""What is handed to the judges: the reference toolset and a share of the corpora, for every profile."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from toolcast.contract.build import build_tool
from toolcast.project.core.compiled import Options
from toolcast.project.core.compiler import compile_tool
from toolcast.project.worker import FRONTEND, Context, load_types
from toolcast.providers import SchemaError, ToolInfo, available, load_profile, normalize, tool_object
from toolcast.runtime.wire import WireForms
from toolcast.spec.discovery import discover
from toolcast.spec.load import load_tool
from toolcast.spec.parsed_document import Document
from toolcast.spec.tool_spec import ToolSpec

SPECS = Path(__file__).resolve().parents[2] / "specs"
CORPORA = ("bfcl", "github-mcp-server", "mcp-servers", "openapi", "tau-bench")


class Emitted(Struct, frozen=True, kw_only=True):
    """One tool for one provider. `contract` is its parameters' schema, `calls` are arguments it accepts."""

    tool: str
    provider: str
    definition: dict[str, Any]
    schema: dict[str, Any]
    strict: bool | None
    wire_forms: WireForms | None
    contract: dict[str, Any]
    calls: tuple[Any, ...]


class SourceTool(Struct, frozen=True, kw_only=True):
    """A tool before any provider: what a spec or a corpus says.

    `strict` is what a spec demands, by provider; `compiled` are the tool objects that the compiler wrote.
    """

    info: ToolInfo
    contract: dict[str, Any]
    calls: tuple[Any, ...]
    strict: dict[str, bool | None] = {}
    compiled: dict[str, dict[str, Any]] = {}


def emit(source: SourceTool, provider: str) -> Emitted:
    """`told` for `provider`. Raises SchemaError."""
    profile = load_profile(provider)
    made = normalize(source.contract, profile, strict=source.strict.get(provider))
    definition = source.compiled.get(provider) or tool_object(source.info, profile, made)
    return Emitted(
        tool=source.info.name,
        provider=provider,
        definition=definition,
        schema=made.schema,
        strict=made.strict,
        wire_forms=made.wire_forms,
        contract=source.contract,
        calls=source.calls,
    )


@lru_cache(maxsize=4)
def specs(providers: tuple[str, ...]) -> tuple[tuple[ToolSpec, ...], Mapping[str, Document]]:
    found = discover(SPECS, shown_root="specs")
    shop = Context(
        frontend=FRONTEND,
        root=str(SPECS),
        shown_root="specs",
        types=found.types,
        known_providers=frozenset(available()),
        options=Options(providers=providers),
    )
    tools = []
    for path in found.tools:
        spec, problems = load_tool(SPECS, path, shown_root="specs", known_providers=frozenset(available()))
        assert spec is not None, problems
        tools.append(spec)
    return tuple(tools), load_types(shop)


@lru_cache(maxsize=1)
def reference() -> tuple[SourceTool, ...]:
    known = available()
    found, types = specs(known)
    tools = []
    for spec in found:
        compiled = compile_tool(spec, types, Options(providers=known))
        assert compiled.entry is not None, compiled.diagnostics
        files = compiled.files
        source = SourceTool(
            info=ToolInfo(name=spec.name, description=spec.description),
            contract=build_tool(spec, types).normal.standalone("parameters"),
            calls=tuple(spec.examples),
            strict={id: spec.providers.get(id, {}).get("strict") for id in known},
            compiled={id: msgspec.json.decode(files[f"schemas/{id}/{spec.name}.json"]) for id in known},
        )
        tools.append(source)
    return tuple(tools)


@lru_cache(maxsize=4)
def sample(shared: Path, every: int) -> tuple[SourceTool, ...]:
    """One in so many tools of each corpus, its first included."""
    tools = []
    for corpus in CORPORA:
        lines = (shared / "corpora" / f"{corpus}.jsonl").read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines):
            if number % every == 0:
                tool = json.loads(line)
                info = ToolInfo(name=f"tool_{number}", description=tool["description"] or "A tool.")
                calls = tuple(tool.get("calls") or ())
                tools.append(SourceTool(info=info, contract=tool["parameters"], calls=calls))
    return tuple(tools)


def emitted(tools: tuple[SourceTool, ...], provider: str) -> Iterator[Emitted]:
    """Those of `tools` that can be told to `provider`: a published schema may be beyond repair."""
    for source in tools:
        with suppress(SchemaError):
            yield emit(source, provider)
