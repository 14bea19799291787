"""Tools of the shared corpora as the sets of requests, with recorded calls where there are any."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from toolcast.lint.tool_texts import ToolTexts, texts

ALL_SERVERS = "all MCP servers"
"""The name of the set of all servers' tools."""


class Call(Struct, frozen=True):
    """The arguments of a recorded call, and the index of the tool that was called."""

    tool: int
    arguments: Any


class ToolSet(Struct, frozen=True):
    """Tools of one request, with the calls that were recorded."""

    name: str
    tools: tuple[ToolTexts, ...]
    calls: tuple[Call, ...]


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


def set_name(corpus: str, record: Mapping[str, Any]) -> str:
    """The set that a tool of a corpus belongs to."""
    parts = {"tau-bench": f"tau-bench {record.get('env')}", "mcp-servers": str(record.get("server"))}
    return parts.get(corpus, corpus)


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
        tool_set(ALL_SERVERS, servers),
        tool_set("github-mcp-server", records(corpora, "github-mcp-server")),
    ]
