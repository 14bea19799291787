"""`python -m bench.score`: how well the score agrees with recorded calls and labelled texts, and what it
costs.

python -m bench.score                                print the parts of the report python -m bench.score
--write docs/reports/score.md  and write them

A recorded call is a query of the names and values of its arguments; the tool that was called is the label.
Another tool that the search ranks first makes a confused pair.
"""

import json
import os
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import click
from msgspec import Struct
from toolcast.agents.tool_search import SearchIndex
from toolcast.config import load_config
from toolcast.lint.confusable import ALIKE, confused_pairs
from toolcast.lint.findability import ToolSearch, retrievals
from toolcast.lint.imperatives import imperatives
from toolcast.lint.project_tools import load_project
from toolcast.lint.repeated_text import repeated_parts
from toolcast.lint.tool_texts import ToolTexts, example_text, separated, texts
from toolcast.score.scoring import score

from .corpora.compile import CORPORA
from .marked import write as write_part
from .speed.material import tools as material
from .speed.material import write_project

ROOT = Path(__file__).resolve().parents[1]
LABELS = Path(__file__).resolve().parent / "labels"
THRESHOLDS = tuple(step / 20 for step in range(3, 17))
Pair = frozenset[str]


class Call(Struct, frozen=True):
    """The arguments of a recorded call, and the index of the tool that was called."""

    tool: int
    arguments: Any


class ToolSet(Struct, frozen=True):
    """Tools of one request, with the calls that were recorded."""

    name: str
    tools: tuple[ToolTexts, ...]
    calls: tuple[Call, ...]


class Ranked(Struct, frozen=True):
    """How calls were found: counts of places, and the pairs that were confused with their counts."""

    first: int
    three: int
    queries: int
    confused: Mapping[Pair, int]


def records(corpora: Path, name: str) -> list[dict[str, Any]]:
    """The tools of a corpus, in the order of its lines."""
    lines = (corpora / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def tool_set(name: str, listed: Sequence[Mapping[str, Any]]) -> ToolSet:
    """A set of tools; calls of records with one name belong to one tool."""
    first: dict[str, int] = {}
    made: list[ToolTexts] = []
    calls: list[Call] = []
    for record in listed:
        if record["name"] not in first:
            first[record["name"]] = len(made)
            made.append(texts(record["name"], record["description"] or "", record["parameters"]))
        calls += [Call(first[record["name"]], each) for each in record["calls"]]
    return ToolSet(name, tuple(made), tuple(calls))


def labelled(corpora: Path) -> list[ToolSet]:
    """The sets with recorded calls: tau-bench by environment, and BFCL as one set."""
    tau = records(corpora, "tau-bench")
    return [
        tool_set("tau-bench airline", [each for each in tau if each["env"] == "airline"]),
        tool_set("tau-bench retail", [each for each in tau if each["env"] == "retail"]),
        tool_set("bfcl", records(corpora, "bfcl")),
    ]


def unlabelled(corpora: Path) -> list[ToolSet]:
    """Sets without calls: each MCP server with ten tools or more, all servers, and GitHub's own server."""
    servers = records(corpora, "mcp-servers")
    names = Counter(each["server"] for each in servers)
    sets = [
        tool_set(name, [each for each in servers if each["server"] == name])
        for name, count in sorted(names.items())
        if count >= 10
    ]
    return [
        *sets,
        tool_set("all MCP servers", servers),
        tool_set("github-mcp-server", records(corpora, "github-mcp-server")),
    ]


def ranked(chosen: ToolSet, query: Callable[[Any], str]) -> Ranked:
    """Look for each call's tool by words of the call."""
    places: list[int | None] = []
    confused: Counter[Pair] = Counter()
    with ToolSearch(chosen.tools) as search:
        for call in chosen.calls:
            found = search.retrieval(call.tool, "example", query(call.arguments))
            places.append(None if found is None else found.rank)
            if found is not None and found.winner:
                confused[frozenset((chosen.tools[call.tool].name, found.winner))] += 1
    three = sum(place is not None and place <= 3 for place in places)
    return Ranked(places.count(1), three, len(places), confused)


class _Searched(Struct, frozen=True):
    """A tool as the search of programs reads it, which takes bindings of a registry."""

    name: str
    summary: str
    description: str
    parameters: tuple[str, ...]
    group: str = ""

    def schema(self) -> dict[str, Any]:
        """The names of the parameters, in the place where bindings have them."""
        return {"properties": {each: {} for each in self.parameters}}


def ranked_by_program(chosen: ToolSet, query: Callable[[Any], str]) -> Ranked:
    """Look for each call's tool with the search of `Disclosure(search="program")`."""
    listed: list[Any] = [
        _Searched(separated(each.name), each.summary, f"{each.summary} {each.details}", each.parameters)
        for each in chosen.tools
    ]
    index = SearchIndex(listed)
    places: list[int | None] = []
    confused: Counter[Pair] = Counter()
    for call in chosen.calls:
        own = listed[call.tool].name
        found = index.find(query(call.arguments))
        places.append(found.index(own) + 1 if own in found else None)
        if found and found[0] != own:
            confused[frozenset((own, found[0]))] += 1
    three = sum(place is not None and place <= 3 for place in places)
    return Ranked(places.count(1), three, len(places), confused)


SEARCHES: Mapping[str, Callable[[ToolSet, Callable[[Any], str]], Ranked]] = {
    "BM25": ranked,
    "of programs": ranked_by_program,
}


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield separated(key)
            yield from _keys(item)
    elif isinstance(value, list):
        for item in value:
            yield from _keys(item)


QUERIES: Mapping[str, Callable[[Any], str]] = {
    "names and values": example_text,
    "names": lambda arguments: " ".join(_keys(arguments)),
}


def retrieval_part(sets: Sequence[ToolSet]) -> str:
    """Retrieval of recorded calls, as Markdown."""
    lines = [
        "| corpus | tools | calls | search | query | right tool first | among three | confused pairs |",
        "|---|--:|--:|---|---|--:|--:|--:|",
    ]
    for chosen in sets:
        for search, find in SEARCHES.items():
            for title, query in QUERIES.items():
                found = find(chosen, query)
                lines.append(
                    f"| {chosen.name} | {len(chosen.tools)} | {found.queries} | {search} | {title} | "
                    f"{found.first / found.queries:.1%} | {found.three / found.queries:.1%} | "
                    f"{len(found.confused)} |"
                )
    return "\n".join(lines)


class Outcome(Struct, frozen=True):
    """Flagged pairs beside confused ones. `calls` counts confused calls, `seen` those whose pair is
    flagged.
    """

    flagged: int
    confused: int
    right: int
    calls: int
    seen: int

    @property
    def share(self) -> float:
        """The share of confused pairs that are flagged."""
        return self.right / self.confused if self.confused else 0.0

    @property
    def false(self) -> float:
        """The share of flagged pairs that were never confused."""
        return 1 - self.right / self.flagged if self.flagged else 0.0

    @property
    def agreement(self) -> float:
        """The harmonic mean of recall and precision."""
        return 2 * self.right / (self.flagged + self.confused) if self.flagged + self.confused else 0.0


def half_of(pair: Pair) -> int:
    """0: thresholds are chosen on it; 1: they are reported on it."""
    return zlib.crc32("\0".join(sorted(pair)).encode()) % 2


def outcome(sets: Sequence[ToolSet], least: float, halves: Sequence[int]) -> Outcome:
    """Confused and flagged pairs of some halves; of the flagged those with a call of one of the two."""
    flagged = confused = right = calls = seen = 0
    for chosen in sets:
        called = {chosen.tools[each.tool].name for each in chosen.calls}
        counts = {
            pair: count
            for pair, count in ranked(chosen, example_text).confused.items()
            if half_of(pair) in halves
        }
        pairs = (frozenset((each.first, each.second)) for each in confused_pairs(chosen.tools, least))
        alike = {pair for pair in pairs if pair & called and half_of(pair) in halves}
        flagged += len(alike)
        confused += len(counts)
        right += len(alike & counts.keys())
        calls += sum(counts.values())
        seen += sum(count for pair, count in counts.items() if pair in alike)
    return Outcome(flagged, confused, right, calls, seen)


def pairs_part(sets: Sequence[ToolSet]) -> str:
    """Flagged pairs against confused ones, the curve and the threshold that it gives, as Markdown."""
    curve = {least: outcome(sets, least, (0,)) for least in THRESHOLDS}
    best = max(curve, key=lambda least: (curve[least].agreement, least))
    lines = [
        f"Shipped threshold: {ALIKE:g}. Best on the first half, by the harmonic mean of recall and precision:"
        f" {best:g}.",
        "",
        "| corpus, second half | confused pairs | flagged | both | share of confused pairs flagged"
        " | share of confused calls flagged | false alarms |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for name, chosen in [*((each.name, (each,)) for each in sets), ("all", tuple(sets))]:
        found = outcome(chosen, ALIKE, (1,))
        calls = found.seen / found.calls if found.calls else 0.0
        lines.append(
            f"| {name} | {found.confused} | {found.flagged} | {found.right} | {found.share:.0%} "
            f"| {calls:.0%} | {found.false:.0%} |"
        )
    lines += [
        "",
        "| threshold | first half: flagged | of confused pairs | false alarms | second half: flagged"
        " | of confused pairs | false alarms |",
        "|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for least, own in curve.items():
        other = outcome(sets, least, (1,))
        lines.append(
            f"| {least:.2f} | {own.flagged} | {own.share:.0%} | {own.false:.0%} | {other.flagged} | "
            f"{other.share:.0%} | {other.false:.0%} |"
        )
    return "\n".join(lines)


def others_part(sets: Sequence[ToolSet]) -> str:
    """What the score finds in sets without recorded calls, as Markdown."""
    lines = [
        "| set | tools | flagged pairs | tools in one | found first by summary | by parameters |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for chosen in sets:
        pairs = confused_pairs(chosen.tools)
        named = {name for each in pairs for name in (each.first, each.second)}
        first = _first(chosen.tools)
        lines.append(
            f"| {chosen.name} | {len(chosen.tools)} | {len(pairs)} | {len(named)} | {first['summary']} "
            f"| {first['parameters']} |"
        )
    return "\n".join(lines)


def _first(tools: Sequence[ToolTexts]) -> dict[str, str]:
    counts: dict[str, list[bool]] = {"summary": [], "parameters": []}
    for each in (found for own in retrievals(tools) for found in own):
        counts[each.kind].append(each.rank == 1)
    return {kind: f"{sum(places) / len(places):.0%}" if places else "–" for kind, places in counts.items()}


def labels(file: Path) -> dict[str, tuple[bool, str]]:
    """The labels of a file by id, with what stands behind them."""
    rows = (
        line.split() for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("#")
    )
    return {row[0]: (row[1] == "yes", row[2] if len(row) > 2 else "") for row in rows}


def _judged(rows: Sequence[tuple[bool, bool]]) -> tuple[int, int, int]:
    """Found and labelled; found only; labelled only."""
    both = sum(found and label for found, label in rows)
    return (
        both,
        sum(found and not label for found, label in rows),
        sum(label and not found for found, label in rows),
    )


def _share(part: int, rest: int) -> str:
    return f"{part / (part + rest):.0%} ({part} of {part + rest})" if part + rest else "–"


def texts_part(corpora: Path) -> str:
    """Imperatives and repeated text against labels, as Markdown."""
    found: dict[str, list[tuple[bool, bool]]] = {}
    listed = {name: records(corpora, name) for name in CORPORA}
    for id, (label, _) in labels(LABELS / "imperatives.txt").items():
        corpus, _, line = id.partition(":")
        text = listed[corpus][int(line) - 1]["description"] or ""
        half = "second half" if zlib.crc32(id.encode()) % 2 else "first half"
        found.setdefault(f"imperatives, {half}", []).append((bool(imperatives(text)), label))
    for id, (label, drawn) in labels(LABELS / "repeated_text.txt").items():
        place, _, path = id.partition("#")
        corpus, _, line = place.partition(":")
        schema: Any = listed[corpus][int(line) - 1]["parameters"]
        steps = path.split("/")
        for step in steps:
            schema = (
                schema["properties"][step[1:]]
                if step[:1] == "."
                else schema[int(step) if step.isdecimal() else step]
            )
        name = steps[-1].removeprefix(".")
        repeated = bool(repeated_parts(name, schema, schema["description"]))
        found.setdefault(f"repeated text, {drawn}", []).append((repeated, label))
    lines = ["| labels | texts | labelled yes | precision | recall |", "|---|--:|--:|--:|--:|"]
    for title, rows in sorted(found.items()):
        both, wrong, missed = _judged(rows)
        lines.append(
            f"| {title} | {len(rows)} | {both + missed} | {_share(both, wrong)} | {_share(both, missed)} |"
        )
    return "\n".join(lines)


def speed_part(corpora: Path, rounds: int = 3) -> str:
    """What a score of sets of several sizes costs, as Markdown."""
    lines = ["| tools | providers | to load and normalise, s | to score, s |", "|--:|--:|--:|--:|"]
    for count in (100, 300, 1_000):
        listed, _ = material(corpora, count)
        with tempfile.TemporaryDirectory() as folder:
            project = Path(folder) / "project"
            write_project(listed, project)
            config, _ = load_config(project)
            assert config is not None
            loads: list[float] = []
            scores: list[float] = []
            for _ in range(rounds):
                start = time.process_time()
                loaded = load_project(config, (), _quiet)
                middle = time.process_time()
                score(loaded.subjects, loaded.profiles, config.lint, date(2026, 11, 23))
                loads.append(middle - start)
                scores.append(time.process_time() - middle)
        load, made = (sorted(each)[rounds // 2] for each in (loads, scores))
        lines.append(f"| {count:,} | {len(loaded.profiles)} | {load:.2f} | {made:.2f} |")
    return "\n".join(lines)


def _quiet(done: int, total: int) -> None:
    """No progress is shown."""


@click.command()
@click.option(
    "--write", type=click.Path(dir_okay=False, exists=True, path_type=Path), help="Write the parts here, too."
)
def main(write: Path | None) -> None:
    """Hold the score against recorded calls and labelled texts."""
    corpora = Path(os.environ.get("TOOLCAST_SHARED", ROOT.parent / "shared")) / "corpora"
    if not corpora.is_dir():
        raise click.ClickException(f"not found: {corpora}; set TOOLCAST_SHARED")
    sets = labelled(corpora)
    parts = {
        "retrieval": retrieval_part(sets),
        "pairs": pairs_part(sets),
        "others": others_part(unlabelled(corpora)),
        "texts": texts_part(corpora),
        "speed": speed_part(corpora),
    }
    for name, body in parts.items():
        click.echo(f"{name}\n\n{body}\n")
        if write is not None:
            write_part(write, name, body)


if __name__ == "__main__":
    main()
