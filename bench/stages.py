"""Where the time of a cold compile goes, per tool and stage.

    python bench/stages.py [SPECS] [--rounds N]

Prints milliseconds per tool (the median over rounds of a round's mean), one line per stage.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from toolcast.contract.build import Built, build_tool
from toolcast.contract.normal_form_builder import NormalFormBuilder
from toolcast.languages.models import generate_models
from toolcast.languages.python.bindings.render_module import laid_out, tool_text
from toolcast.languages.python.bindings.templates import Templates
from toolcast.languages.python.structs.module import tool_module
from toolcast.project.core.compiled import Options, profile_of
from toolcast.project.core.compiler import check_tool, tool_names
from toolcast.project.core.tool_definitions import definition, tool_info
from toolcast.providers import SchemaNormalizer, available
from toolcast.spec.discovery import discover
from toolcast.spec.load import load_tool, load_type
from toolcast.spec.parsed_document import Document
from toolcast.spec.tool_spec import ToolSpec

T = TypeVar("T")
PROVIDERS = ("openai", "openai-responses", "anthropic", "gemini", "mcp")


class Clock:
    """Seconds spent per stage in one round."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}

    def run(self, stage: str, work: Callable[[], T]) -> T:
        start = time.perf_counter()
        value = work()
        self.spent[stage] = self.spent.get(stage, 0.0) + time.perf_counter() - start
        return value


def one_tool(
    clock: Clock, root: Path, path: str, types: dict[str, Document], templates: Templates, *, models: bool
) -> None:
    """Take one spec through every stage."""
    options = Options(providers=PROVIDERS)
    tool, _ = clock.run(
        "read", lambda: load_tool(root, path, shown_root="specs", known_providers=frozenset(available()))
    )
    if tool is None:
        return
    clock.run("normal form (also part of contract)", lambda: _normal(tool, types))
    built = clock.run("contract", lambda: build_tool(tool, types))
    if built.contract is None:
        return
    names = tool_names(tool)
    module, roots = clock.run("structs", lambda: tool_module(built, name=tool.name, module=names.module))
    source = clock.run("render", lambda: tool_text(tool, names, module, roots, templates))
    python = clock.run("format", lambda: laid_out(source))
    clock.run("prove", lambda: check_tool(python, built, roots, names))
    clock.run("providers", lambda: _definitions(tool, built, options))
    if models:
        schema = built.normal.standalone("parameters")
        clock.run("models", lambda: generate_models(schema, "pydantic", class_name="P", source=path))


def _definitions(tool: ToolSpec, built: Built, options: Options) -> list[bytes]:
    info = tool_info(tool, built.normal)
    normalizer = SchemaNormalizer(built.normal.standalone("parameters"))
    profiles = [profile_of(id, options) for id in options.providers]
    return [definition(info, profile, normalizer.normalize(profile)).content for profile in profiles]


def _normal(tool: ToolSpec, types: dict[str, Document]) -> Any:
    builder = NormalFormBuilder(tool.document, types)
    if "parameters" in tool.document.data:
        builder.add_root("parameters", ("parameters",))
    builder.add_used_types()
    return builder.result()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("specs", nargs="?", default="specs", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--models", action="store_true", help="also time other model families (slow)")
    chosen = parser.parse_args()
    root: Path = chosen.specs
    found = discover(root, shown_root="specs")
    types = {p: d for p in found.types if (d := load_type(root, p, shown_root="specs")[0]) is not None}
    templates = Templates()
    rounds: list[dict[str, float]] = []
    for _ in range(chosen.rounds + 1):  # the first one loads modules and is left out
        clock = Clock()
        for path in found.tools:
            one_tool(clock, root, path, types, templates, models=chosen.models)
        rounds.append(clock.spent)
    print(f"{len(found.tools)} tools, ms per tool, median of {chosen.rounds} rounds")
    for stage in rounds[0]:
        median = statistics.median(each[stage] for each in rounds[1:])
        print(f"{stage:>38} {median * 1000 / len(found.tools):8.2f}")


if __name__ == "__main__":
    main()
