"""The page of the command line: exit statuses, and every command with its options and examples."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
from toolcast.cli.main import COMMANDS, KINDS, UNLISTED, cli

from .markdown import codes, escaped, fenced, table

_HEAD = """\
# Every command

Usage, options and examples of each command, as `toolcast COMMAND --help` prints them.
[Every day](commands.md) shows how they are used together.
"""
_EXIT = """\
## Exit statuses

| status | meaning |
| --- | --- |
| 0 | success; warnings and notes, unless the command says otherwise |
| 1 | the configuration or a spec has an error, or a check failed |
| 2 | wrong usage, or the compiler is not installed |
| 130 | stopped by Ctrl-C |

Problems go to stderr; `--format json` and `--format github` write them for programs. Output that a reader
such as `head` cuts short is no error.
"""
_SHARED = """\
## Options of several commands

The sections of the commands leave these out.
"""
_OFTEN = 3
"""How many commands have an option that is listed once."""


def commands() -> str:
    """The page of all commands."""
    rows = [[f"[`toolcast {name}`](#toolcast-{name})", about] for name, about in _listed()]
    every = [(path, command, _options(path, command)) for path, command in walk()]
    having: dict[tuple[str, str], list[str]] = {}
    for path, _, options in every:
        for option in options:
            having.setdefault(option, []).append(path)
    shared = {option: paths for option, paths in having.items() if len(paths) >= _OFTEN}
    parts = [_HEAD, table(["command", "what it does"], rows), _EXIT, _SHARED]
    parts.append(table(["option", "meaning", "of"], [[*each, _named(of)] for each, of in shared.items()]))
    for path, command, options in every:
        parts += _section(path, command, [option for option in options if option not in shared])
    return "\n".join(parts)


def walk() -> Iterator[tuple[str, click.Command]]:
    """Every command with its path below `toolcast`; those for build engines come last."""
    context = click.Context(cli, info_name="toolcast")
    for name, _ in _listed():
        command = cli.get_command(context, name)
        assert command is not None
        yield name, command
        if isinstance(command, click.Group):
            for kind in command.list_commands(context):
                below = command.get_command(context, kind)
                assert below is not None
                yield f"{name} {kind}", below


def _listed() -> list[tuple[str, str]]:
    return [(name, about) for each in (COMMANDS, UNLISTED) for name, (_, _, about) in sorted(each.items())]


def _section(path: str, command: click.Command, options: list[tuple[str, str]]) -> list[str]:
    usage = " ".join(command.collect_usage_pieces(_context(path, command)))
    parts = [f"## toolcast {path}\n", fenced(f"toolcast {path} {usage}", "text")]
    paragraphs = re.split(r"\n\s*\n", (command.help or "").strip())
    parts += [escaped(" ".join(each.split())) + "\n" for each in paragraphs]
    if options:
        parts.append(table(["option", "meaning"], [[*each] for each in options]))
    if command.epilog:
        lines = command.epilog.replace("\b", "").strip().splitlines()[1:]
        parts += ["Examples:\n", fenced("\n".join(line.removeprefix("  ") for line in lines), "text")]
    return parts


def _options(path: str, command: click.Command) -> list[tuple[str, str]]:
    """Names and meaning of each option that the help lists."""
    context = _context(path, command)
    options = (each for each in command.params if isinstance(each, click.Option) and not each.hidden)
    records = (each.get_help_record(context) for each in options)
    return [(f"`{record[0]}`", escaped(record[1])) for record in records if record is not None]


def _named(paths: list[str]) -> str:
    """Commands by name; those of `import` as one where all that read a source are among them."""
    kinds = [f"import {kind}" for kind in KINDS if kind != "decide"]
    whole = set(kinds) <= set(paths)
    names = [path for path in paths if not (whole and path in kinds)]
    return codes(sorted([*names, "import KIND"] if whole else names))


def _context(path: str, command: click.Command) -> click.Context:
    return click.Context(command, info_name=f"toolcast {path}", parent=None)
