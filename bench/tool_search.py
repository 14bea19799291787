"""How often the search of `Disclosure(search="program")` finds the tool of a question, or of a recorded call.

    python -m bench.tool_search --write docs/reports/tool-search.md

Each line of `tool_questions.txt` has the words of a person who knows no tool, and the tools that would do.
Each recorded call is a query, too: its argument names, with or without the values; the tool that was called
is the right answer.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from toolcast.agents.tool_search import SearchedTool, SearchIndex

from .marked import write as write_part

ROOT = Path(__file__).resolve().parents[1]
SETS: Mapping[str, Callable[[Mapping[str, Any]], bool]] = {
    "tau-bench airline": lambda record: record.get("env") == "airline",
    "tau-bench retail": lambda record: record.get("env") == "retail",
    "bfcl": lambda _: True,
}
"""Sets of tools that one request holds, by corpus and environment."""


QUESTIONS = Path(__file__).with_name("tool_questions.txt")


def _parameters(schema: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(schema, Mapping):
        for name, item in (schema.get("properties") or {}).items():
            yield name, item
        for item in schema.values():
            yield from _parameters(item)


def _searched(record: Mapping[str, Any], name: str = "") -> SearchedTool:
    found = [*_parameters(record["parameters"])]
    texts = (item.get("description") for _, item in found if isinstance(item, Mapping))
    return SearchedTool(
        name=name or record["name"],
        description=record["description"] or "",
        parameters=" ".join(name for name, _ in found),
        parameter_texts=" ".join(text for text in texts if isinstance(text, str)),
    )


def _pieces(value: Any, *, values: bool) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield key
            yield from _pieces(item, values=values)
    elif isinstance(value, list):
        for item in value:
            yield from _pieces(item, values=values)
    elif values and value is not None and not isinstance(value, bool):
        yield str(value)


def rows(name: str, records: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The rows of one set.

    Args:
        name: the set.
        records: its tools with their recorded calls; records of one name are one tool.

    Yields:
        A line of the table for each kind of query.
    """
    tools = {record["name"]: record for record in reversed(records)}
    index = SearchIndex(map(_searched, tools.values()))
    calls = [(record["name"], call) for record in records for call in record["calls"]]
    for title, values in (("names and values", True), ("names", False)):
        asked = [(" ".join(_pieces(call, values=values)), {tool}) for tool, call in calls]
        yield f"| {name} | {len(tools)} | {len(calls)} | {title} | {_shares(index, asked)} |"


def _shares(index: SearchIndex, asked: Sequence[tuple[str, set[str]]]) -> str:
    found = [(right, index.find(query)) for query, right in asked]
    first, five = (sum(not right.isdisjoint(names[:most]) for right, names in found) for most in (1, 5))
    return f"{first / len(asked):.1%} | {five / len(asked):.1%}"


def question_rows(records: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The rows of the questions: of each second one, by which the search was judged while it was written, and
    of the others.

    Args:
        records: the tools of MCP servers.

    Yields:
        A line of the table for each half.
    """
    tools = [_searched(record, f"{record['server']}__{record['name']}") for record in records]
    index = SearchIndex(tools)
    lines = QUESTIONS.read_text(encoding="utf-8").splitlines()
    asked = [(query, {*right.split()}) for query, _, right in (line.partition("|") for line in lines)]
    if unknown := set().union(*(right for _, right in asked)) - {tool.name for tool in tools}:
        raise click.ClickException(f"no such tools: {', '.join(sorted(unknown))}")
    for title, half in (("questions", asked[::2]), ("questions held out", asked[1::2])):
        yield f"| MCP servers | {len(tools)} | {len(half)} | {title} | {_shares(index, half)} |"


@click.command()
@click.option(
    "--write", type=click.Path(dir_okay=False, exists=True, path_type=Path), help="Write the table here."
)
def main(write: Path | None) -> None:
    """Search for the tools of recorded calls."""
    corpora = Path(os.environ.get("TOOLCAST_SHARED", ROOT.parent / "shared")) / "corpora"
    if not corpora.is_dir():
        raise click.ClickException(f"not found: {corpora}; set TOOLCAST_SHARED")
    lines = [
        "| corpus | tools | queries | query | right tool first | among five |",
        "|---|--:|--:|---|--:|--:|",
    ]
    servers = (corpora / "mcp-servers.jsonl").read_text(encoding="utf-8")
    lines += question_rows([*map(json.loads, servers.splitlines())])
    for name, belongs in SETS.items():
        text = (corpora / f"{name.partition(' ')[0]}.jsonl").read_text(encoding="utf-8")
        lines += rows(name, [record for record in map(json.loads, text.splitlines()) if belongs(record)])
    click.echo("\n".join(lines))
    if write is not None:
        write_part(write, "retrieval", "\n".join(lines))


if __name__ == "__main__":
    main()
