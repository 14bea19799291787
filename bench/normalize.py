"""How long one schema takes: `normalize` beside what other packages do for the same providers.

    python -m bench.normalize        (in the environment of `make peers`; `make bench` runs it)

Twenty real tools; every transformer in one process, in turns, so that noise hits all of them. What changes
the schema it is given gets a copy of its own, made before the clock starts. "On a copy" is the same with that
copy inside the time, as `normalize` leaves what it is given alone. Times are microseconds per schema: for
each schema the median over the rounds, then the mean of the schemas. A ratio compares the schemas that both
sides take.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from importlib.metadata import version
from pathlib import Path
from time import perf_counter_ns
from typing import Any

import msgspec
from msgspec import Struct
from toolcast.providers import Normalizer, load_profile, normalize

from .marked import write
from .peers.table import table

_ROOT = Path(__file__).resolve().parents[1]
_CORPORA = Path(os.environ.get("TOOLCAST_SHARED", _ROOT.parent / "shared")) / "corpora"
_FILES = ("mcp-servers.jsonl", "github-mcp-server.jsonl")
TOOLS = 20
LEAST_PROPERTIES = 3
CALLS = 20  # of each transformer with each schema, in one round

Times = Mapping[str, Mapping[int, float]]
"""By transformer, by schema: nanoseconds, the median of the rounds. What raises on a schema has none."""


class Wanted(Struct, frozen=True):
    """A ratio of two transformers, and what it may be; None: it is shown, and nothing is asked of it."""

    ours: str
    beside: str
    most: float | None


OPENAI, GEMINI, CLAUDE = "normalize, openai", "normalize, gemini", "normalize, anthropic-strict"
RATIOS = (
    Wanted(OPENAI, "openai strict", None),
    Wanted(OPENAI, "openai strict, on a copy", None),
    Wanted(OPENAI, "pydantic-ai OpenAI strict", None),
    Wanted(OPENAI, "pydantic-ai OpenAI strict, on a copy", 1.0),
    Wanted(GEMINI, "google-genai process_schema", None),
    Wanted(GEMINI, "google-genai process_schema, on a copy", None),
    Wanted(GEMINI, "google-genai t_schema", None),
    Wanted(GEMINI, "litellm Vertex", None),
    Wanted(GEMINI, "pydantic-ai Google OpenAPI", None),
    Wanted(GEMINI, "pydantic-ai Google OpenAPI, on a copy", 1.0),
    Wanted(CLAUDE, "pydantic-ai Anthropic strict", None),
    Wanted(CLAUDE, "pydantic-ai Anthropic strict, on a copy", 1.0),
)
CACHED = "normalize, cached"


def material() -> tuple[list[dict[str, Any]], str]:
    """Twenty schemas, the same each time, and where they are from."""
    found = [
        parameters
        for file in _FILES
        if (_CORPORA / file).is_file()
        for line in (_CORPORA / file).read_text(encoding="utf-8").splitlines()
        if len((parameters := json.loads(line)["parameters"]).get("properties", ())) >= LEAST_PROPERTIES
    ]
    if found:
        found.sort(key=lambda schema: (len(json.dumps(schema)), json.dumps(schema)))
        chosen = [found[(2 * i + 1) * len(found) // (2 * TOOLS)] for i in range(TOOLS)]
        return chosen, f"{TOOLS} of {len(found)} tools of MCP servers, evenly spaced by size"
    files = sorted((_ROOT / "generated" / "contracts").glob("*.json"))
    contracts = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    own = [{"$defs": each.get("$defs", {}), **each["parameters"]} for each in contracts]
    return own, f"the {len(own)} tools of the reference toolset"


def transformers() -> dict[str, Callable[[Any], object]]:
    """All that are timed, by name; ours and the peers for one provider stand together."""
    from .peers import transforms as peers

    cache = Normalizer()
    profiles = {id: load_profile(id) for id in ("openai", "gemini", "anthropic-strict", "mcp")}
    own = {
        f"normalize, {id}": (lambda schema, profile=profile: normalize(schema, profile))
        for id, profile in profiles.items()
    }
    return {
        "copy.deepcopy": deepcopy,
        "normalize, mcp": own["normalize, mcp"],
        OPENAI: own[OPENAI],
        "openai strict": peers.openai_strict,
        "openai strict, on a copy": lambda schema: peers.openai_strict(deepcopy(schema)),
        "openai-agents": peers.ensure_strict_json_schema,
        "langchain strict": peers.langchain_strict,
        "pydantic-ai OpenAI strict": peers.pydantic_ai_strict,
        "pydantic-ai OpenAI strict, on a copy": lambda given: peers.pydantic_ai_strict(deepcopy(given)),
        GEMINI: own[GEMINI],
        "google-genai process_schema": peers.genai_process,
        "google-genai process_schema, on a copy": lambda schema: peers.genai_process(deepcopy(schema)),
        "google-genai t_schema": peers.genai_checked,
        "litellm Vertex": peers.build_vertex_schema,
        "pydantic-ai Google OpenAPI": peers.pydantic_ai_openapi,
        "pydantic-ai Google OpenAPI, on a copy": lambda given: peers.pydantic_ai_openapi(deepcopy(given)),
        "pydantic-ai Google JSON": peers.pydantic_ai_google_json,
        CLAUDE: own[CLAUDE],
        "anthropic transform_schema": peers.transform_schema,
        "pydantic-ai Anthropic strict": peers.pydantic_ai_anthropic,
        "pydantic-ai Anthropic strict, on a copy": lambda given: peers.pydantic_ai_anthropic(deepcopy(given)),
        CACHED: lambda schema: cache.normalize(schema, "openai"),
    }


def measured(schemas: Sequence[Any], listed: Mapping[str, Callable[[Any], object]], rounds: int) -> Times:
    """Every transformer on every schema it takes, in turns."""
    taken = {name: [i for i, s in enumerate(schemas) if _takes(call, s)] for name, call in listed.items()}
    times: dict[str, dict[int, list[float]]] = {
        name: {i: [] for i in indices} for name, indices in taken.items()
    }
    gc.collect()
    gc.freeze()
    for _ in range(rounds):
        for i, schema in enumerate(schemas):
            text = msgspec.json.encode(schema)
            for name, call in listed.items():
                if i in times[name]:
                    same = name == CACHED  # a cache is asked again for what it was given
                    given = [schema if same else msgspec.json.decode(text) for _ in range(CALLS)]
                    times[name][i].append(_once(call, given))
    return {
        name: {i: statistics.median(values) for i, values in each.items()} for name, each in times.items()
    }


def _once(call: Callable[[Any], object], given: Sequence[Any]) -> float:
    """Nanoseconds per call."""
    gc.disable()  # what one leaves behind must not be swept up in the time of the next
    try:
        start = perf_counter_ns()
        for schema in given:
            call(schema)
        return (perf_counter_ns() - start) / len(given)
    finally:
        gc.enable()


def _takes(call: Callable[[Any], object], schema: Any) -> bool:
    try:
        call(deepcopy(schema))
    except Exception:  # whatever a transformer raises: it does not take the schema
        return False
    return True


def mean(times: Times, name: str, of: Sequence[int] | None = None) -> float:
    """Nanoseconds per schema, of those that it takes or of the given ones."""
    chosen = list(times[name]) if of is None else of
    return statistics.mean(times[name][i] for i in chosen) if chosen else float("nan")


def ratio(times: Times, ours: str, beside: str) -> float:
    """Over the schemas that both take."""
    both = [i for i in times[ours] if i in times[beside]]
    return mean(times, ours, both) / mean(times, beside, both)


def _held(times: Times, wanted: Wanted) -> str:
    if wanted.most is None:
        return ""
    missed = "" if ratio(times, wanted.ours, wanted.beside) <= wanted.most else ", missed"
    return f"≤ {wanted.most:g}{missed}"


def page(times: Times, origin: str, schemas: int, rounds: int) -> str:
    """Two tables."""
    from .peers.transforms import PEERS

    packages = sorted({peer.package for peer in PEERS})
    rows = [
        [name, f"{mean(times, name) / 1000:.1f}", "" if len(each) == schemas else f"{len(each)} of {schemas}"]
        for name, each in times.items()
    ]
    held = [
        [f"{each.ours} / {each.beside}", f"{ratio(times, each.ours, each.beside):.2f}", _held(times, each)]
        for each in RATIOS
    ]
    cached = [CACHED, f"{mean(times, CACHED) / 1000:.2f} µs", ""]
    return "\n".join(
        [
            f"Python {platform.python_version()}; {origin}; medians of {rounds} interleaved rounds;",
            ", ".join(f"{package} {version(package)}" for package in packages) + ".",
            "",
            *table([["µs per schema", "", "takes"], *rows]),
            "",
            *table([["ratio", "", "wanted"], *held, cached]),
            "",
        ]
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.normalize", description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, metavar="N", help="rounds (default: 15)")
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the tables between the page's marks")
    given = parser.parse_args()
    schemas, origin = material()
    times = measured(schemas, transformers(), given.rounds)
    text = page(times, origin, len(schemas), given.rounds)
    sys.stdout.write(text)
    if given.write is not None:
        write(given.write, "normalize", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
