"""Ratios that users wait for, each beside its wish and the figure that landed last.

    python -m bench.kept            (`make speed`; CI runs it)
    python -m bench.kept --write    keep today's figures as those that landed

Every ratio compares processor times of one run, so that other work on the machine counts on both sides. It
fails where a ratio is more than twice the landed one.
"""

from __future__ import annotations

import asyncio
import copy
import gc
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from time import process_time_ns
from typing import Any

import click
import msgspec
from toolcast.agents import run_tools
from toolcast.agents.text_calls import parse, render_call
from toolcast.agents.tool_search import SearchedTool, SearchIndex
from toolcast.providers import available
from toolcast.providers.normalize import SchemaNormalizer, normalize
from toolcast.runtime import ToolContext, ToolRegistry
from toolcast.runtime.middleware.policy import Policy

from . import decode
from .plain_structs import STRUCTS
from .speed.material import Tool, spec_path, spec_text, tools
from .speed.steps import COLD, LISTING, NOTHING, ONE, RIVAL_ALL, RIVAL_ONE, Ground
from .speed.timing import environment, median, timed

ROOT = Path(__file__).resolve().parents[1]
FIGURES = Path(__file__).with_suffix(".json")
SPECS = 200
TIMES_WORSE = 2.0
CORPORA = Path(os.environ.get("TOOLCAST_SHARED", ROOT.parent / "shared")) / "corpora"
_DIFF = "import sys; from toolcast.cli.main import run; sys.exit(0 if run(sys.argv[1:]) in (0, 1) else 3)"

Ratios = Iterator[tuple[str, float]]


def spent(work: Callable[[], object], rounds: int = 7, least: float = 3e6) -> float:
    """Nanoseconds of processor time of one turn: the fastest of some rounds, each of `least` or more."""
    work()
    begun = process_time_ns()
    work()
    turns = max(1, int(least / max(process_time_ns() - begun, 1)))
    times = []
    for _ in range(rounds):
        begun = process_time_ns()
        for _ in range(turns):
            work()
        times.append((process_time_ns() - begun) / turns)
    return min(times)


def builds(listed: list[Tool], folder: Path) -> Ratios:
    """Builds of specs, one of which has a warning, beside datamodel-codegen and a listing of the files."""
    ground = Ground(listed, folder)
    doubtful = spec_path(folder / "project", 0, listed[0])
    text = spec_text(listed[0])
    doubtful.write_text(text.replace("permission: execute", "permission: execute\nsummary: X"), "utf-8")
    steps = (COLD, LISTING, NOTHING, ONE, RIVAL_ONE, RIVAL_ALL)
    rounds = [dict(ground.round(steps)) for _ in range(2)]
    best = {step: min(each[step].cpu for each in rounds) for step in steps}
    yield f"{NOTHING} / {LISTING}", best[NOTHING] / best[LISTING]
    yield f"{ONE} / {RIVAL_ONE}", best[ONE] / best[RIVAL_ONE]
    yield f"{COLD} / {RIVAL_ALL}", best[COLD] / best[RIVAL_ALL]
    project = folder / "project"
    git = ("git", "-c", "user.name=bench", "-c", "user.email=bench@example.org")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "state")):
        subprocess.run((*git, *words), cwd=project, check=True, capture_output=True)
    env, command = environment(folder / "bytecode"), (sys.executable, "-c", _DIFF, "diff", "--level", "error")
    same = median([timed(command, project, "toolcast: HEAD", env=env) for _ in range(3)]).cpu
    yield f"diff, nothing differs / {LISTING}", same / best[LISTING]
    for number, tool in enumerate(listed):
        required = [*tool.parameters.get("required", ()), "needed"]
        properties = {**tool.parameters.get("properties", {}), "needed": {"type": "boolean"}}
        stricter = {**tool.parameters, "properties": properties, "required": required}
        spec_path(project, number, tool).write_text(
            spec_text(Tool(tool.name, tool.description, stricter)), "utf-8"
        )
    yield (
        f"diff, a required parameter in all / {COLD}",
        timed(command, project, "toolcast: HEAD", env=env).cpu / best[COLD],
    )


def decoding() -> Ratios:
    """The median tool of the reference toolset beside raw msgspec and pydantic."""
    rows = decode.run(quick=True)
    for other in ("raw", "pydantic"):
        found = [ratio for row in rows if (ratio := row.ratio(other)) is not None]
        yield f"decoding / {other}, median tool", statistics.median(found)


class _Watching:
    def on(self, _event: object) -> None:
        pass


def calls() -> Ratios:
    """Calls of one tool: around raw decoding, with a typed result, three in a round of the loop."""
    from generated.files.edit import EDIT, EditResult
    from generated.registry import BINDINGS

    from .guards import NESTED

    text = b'{"file_path": "/a", "old_string": "b", "new_string": "c"}'
    untyped = msgspec.structs.replace(EDIT, result=None, result_form=None)

    async def words(_params: Any, _context: ToolContext) -> str:
        return "done"

    async def typed(_params: Any, _context: ToolContext) -> EditResult:
        return EditResult(replacements=1, snippet="done")

    raw = msgspec.json.Decoder(STRUCTS["edit"]).decode
    guarded = ToolRegistry(policy=Policy("full"), hooks=_Watching())
    plain, structured = ToolRegistry(), ToolRegistry()
    guarded.register(untyped, words)
    plain.register(untyped, words)
    structured.register(EDIT, typed)
    loop = asyncio.new_event_loop()

    def many(call: Callable[[], Any]) -> float:
        async def turns() -> None:
            for _ in range(500):
                await call()

        return spent(lambda: loop.run_until_complete(turns())) / 500

    bare = many(lambda: words(raw(text), ToolContext()))
    yield "a call with policy and hooks / raw msgspec", many(lambda: guarded.execute("edit", text)) / bare
    nested = msgspec.json.Decoder(STRUCTS["http_request"]).decode
    every = ToolRegistry(
        policy=Policy("full"),
        hooks=_Watching(),
        secrets=lambda _: None,
        timeout=30,
        output_limit=24_000,
        check_results=False,
    )
    every.register(BINDINGS["http_request"], words)
    yield (
        "a nested call with everything on, secrets listed / raw msgspec",
        many(lambda: every.execute("http_request", NESTED))
        / many(lambda: words(nested(NESTED), ToolContext())),
    )
    executed = many(lambda: plain.execute("edit", text))
    yield "a typed result / a text result", many(lambda: structured.execute("edit", text)) / executed
    asked = [
        {"id": str(number), "type": "function", "function": {"name": "edit", "arguments": text.decode()}}
        for number in range(3)
    ]
    answers = [
        {"role": "assistant", "content": None, "tool_calls": asked},
        {"role": "assistant", "content": "x"},
    ]

    async def run() -> None:
        turn = iter(answers)

        async def model(_messages: Any, _definitions: Any) -> Any:
            return {"choices": [{"message": next(turn), "finish_reason": "stop"}]}

        await run_tools(model, plain, [{"role": "user", "content": "go"}], format="openai")

    yield "a run with three calls / three calls by raw msgspec", many(run) / (3 * bare)
    loop.close()


def schemas(listed: list[Tool]) -> Ratios:
    """Normalising beside a copy of the schema, and many providers beside five."""
    chosen = [tool.parameters for tool in listed[:20]]
    copied = spent(lambda: [copy.deepcopy(each) for each in chosen])
    for provider in ("openai", "gemini", "anthropic-strict"):
        yield (
            f"normalize, {provider} / copy.deepcopy",
            spent(lambda provider=provider: [normalize(each, provider) for each in chosen]) / copied,  # type: ignore[misc]
        )
    every = sorted(available())
    five = ("openai", "openai-responses", "anthropic", "gemini", "mcp")

    def all_of(providers: Any) -> list[Any]:
        found = []
        for each in chosen:
            one = SchemaNormalizer(each)
            found += [one.normalize(provider) for provider in providers]
        return found

    yield f"{len(every)} dialects / 5", spent(lambda: all_of(every)) / spent(lambda: all_of(five))


def texts(listed: list[Tool]) -> Ratios:
    """A search of tools, and texts without calls, beside one pass of the standard library."""
    searched = [
        SearchedTool(
            name=tool.name,
            description=tool.description,
            parameters=" ".join(tool.parameters.get("properties", ())),
            parameter_texts="",
        )
        for tool in listed
    ]
    index, joined = SearchIndex(searched), "\n".join(tool.description for tool in listed)
    split = spent(joined.split)
    yield (
        f"a search of {len(listed)} tools / str.split of their descriptions",
        spent(lambda: index.find("list the open issues")) / split,
    )
    letters = re.compile(r"\S")
    samples = {
        "code": "if a < b and c[0] == 'x':  # a comment\n    total += b << 2\n" * 3_000,
        "HTML": "<p>Some <b>bold</b> words</p>\n" * 6_000,
        "backticks": "`" * 20_000,
        "lines of fences": "```\n" * 20_000,
        "calls of 185 bytes": render_call("edit", {"file_path": "/src/app.py", "old_string": "a" * 91}) * 900,
    }
    for name, text in samples.items():
        one_pass = spent(lambda text=text: letters.findall(text), rounds=3)  # type: ignore[misc]
        yield (
            f"text calls: {name} / a regular expression for each character",
            spent(lambda text=text: parse(text), rounds=3) / one_pass,  # type: ignore[misc]
        )


def measured() -> dict[str, float]:
    """Every ratio of this run."""
    listed, _ = tools(CORPORA, SPECS)
    sys.path.insert(0, str(ROOT))
    found: dict[str, float] = {}
    gc.collect()
    gc.freeze()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        for part in (
            decoding(),
            calls(),
            schemas(listed),
            texts(listed),
            builds(listed, Path(folder) / "kept"),
        ):
            for name, ratio in part:
                click.echo(f"{ratio:8.2f}  {name}", err=True)
                found[name] = round(ratio, 3)
    return found


def verdicts(found: Mapping[str, float], kept: Mapping[str, Mapping[str, float]]) -> tuple[list[str], bool]:
    """The table as Markdown, and whether every ratio is at most `TIMES_WORSE` times the landed one."""
    lines, good = ["| ratio | today | landed | wanted |", "|---|--:|--:|--:|"], True
    for name, ratio in found.items():
        row = kept.get(name, {})
        landed, wanted = row.get("landed"), row.get("wanted")
        slower = landed is not None and ratio > landed * TIMES_WORSE
        good = good and not slower
        shown = [f"**{ratio:.2f}**" if slower else f"{ratio:.2f}"]
        shown += ["–" if each is None else f"{each:.2f}" for each in (landed, wanted)]
        lines.append(f"| {name} | {' | '.join(shown)} |")
    return lines, good


@click.command(help="Measure the ratios that users wait for, beside the landed ones.")
@click.option("--write", is_flag=True, help="Keep today's figures as those that landed.")
def main(write: bool) -> None:
    """Measure, print, and fail where a ratio is more than twice the landed one."""
    kept: dict[str, dict[str, float]] = json.loads(FIGURES.read_text("utf-8")) if FIGURES.is_file() else {}
    found = measured()
    lines, good = verdicts(found, kept)
    click.echo("\n".join(lines))
    if write:
        rows = {name: {**kept.get(name, {}), "landed": ratio} for name, ratio in found.items()}
        FIGURES.write_text(json.dumps(rows, indent=2, ensure_ascii=False) + "\n", "utf-8")
    elif not good:
        raise click.ClickException(
            f"a ratio is more than {TIMES_WORSE:g} times the landed one; see the bold figures"
        )


if __name__ == "__main__":
    main()
