"""Complete values for a shell: tools, groups, providers, codes of lint, text formats.

A completion runs at each key press: it reads names, compiles nothing, and reports no problem. Only words that
no shell takes for anything else are offered.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import click
import msgspec
from click.shell_completion import CompletionItem

from ..config import Config, load_config
from ..spec.discovery import discover
from ..spec.tool_names import group_of

_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]*")
_NAME = re.compile(
    rb"""^(?:name|"name"|'name')[ \t]*:[ \t]+["']?([A-Za-z_][A-Za-z0-9_-]{0,63})["']?[ \t]*(?:#.*)?\r?$""",
    re.MULTILINE,
)
_READ = 65_536
_MOST = 20_000
"""Specs that are looked at, each for so many bytes."""


class _Named(msgspec.Struct):
    name: str | None = None


def complete_tools(ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return _offer(_tools, ctx, incomplete)


def complete_groups(ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return _offer(_groups, ctx, incomplete)


def complete_providers(
    ctx: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    return _offer(_providers, ctx, incomplete)


def complete_codes(ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return _offer(_codes, ctx, incomplete)


def complete_text_formats(
    _ctx: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete ids of text formats, and files of one's own."""

    from ..agents.text_calls import known_formats

    ids = [CompletionItem(id) for id in ("auto", *known_formats()) if id.startswith(incomplete)]
    return ids or [CompletionItem(incomplete, type="file")]


def _offer(
    find: Callable[[Config], Iterable[str]], ctx: click.Context, incomplete: str
) -> list[CompletionItem]:

    named = ctx.params.get("config_file")
    try:
        config, _ = load_config(Path.cwd(), named if isinstance(named, Path) else None)
        words = set() if config is None else {word for word in find(config) if word.startswith(incomplete)}
    except (OSError, ValueError):  # nothing can be offered; the command itself says why
        return []
    return [CompletionItem(word) for word in sorted(words) if _WORD.fullmatch(word)]


def _specs(config: Config) -> Iterator[tuple[str, str]]:
    for path in discover(config.specs).tools[:_MOST]:
        yield group_of(path), os.path.join(config.specs, path)  # noqa: PTH118 - thousands of paths


def _tools(config: Config) -> Iterator[str]:
    for _, path in _specs(config):
        yield _name(path) or Path(path).stem


def _name(path: str) -> str | None:
    """Return the name that a spec states in a line of its own or in JSON."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - thousands of files
            head = file.read(_READ)
        if path.endswith(".json"):
            return msgspec.json.decode(head, type=_Named).name
    except (OSError, msgspec.DecodeError):
        return None
    found = _NAME.search(head)
    return found[1].decode() if found else None


def _groups(config: Config) -> Iterator[str]:
    for group, _ in _specs(config):
        parts = group.split("/")
        yield from ("/".join(parts[: count + 1]) for count in range(len(parts)) if group)


def _providers(config: Config) -> Iterable[str]:
    from ..project.profiles import profiles_of

    return profiles_of(config)[0].known


def _codes(_config: Config) -> Iterable[str]:
    from ..analysis.lint.finding import RULES

    return RULES
