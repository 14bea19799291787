"""The pages of the command line: every command with its options and examples, and exit statuses."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
from toolcast.cli.main import COMMANDS, STEPS, cli

from .markdown import escaped, fenced, table

_HEAD = """\
# Every command

Usage, options and examples of each command, as `toolcast COMMAND --help` prints them.
[Every day](commands.md) shows how they are used together, [exit statuses](exit-codes.md) what they end with.
"""
_EXIT = """\
# Exit statuses

| status | meaning |
| --- | --- |
| 0 | the command did what it was asked for, and found no problem that fails it |
| 1 | problems were found: the configuration or a spec has an error, a check failed |
| 2 | wrong usage: an unknown command, or options that exclude each other; the compiler is not installed |
| 130 | stopped by Ctrl-C |

Warnings and notes leave the status at 0, unless a command says otherwise. Problems go to stderr;
`--format json` and `--format github` write them for programs. A reader of the output that ends early, such as
`head`, is no error.

Commands that say more:

"""


def commands() -> str:
    """The page of all commands."""
    rows = [[f"[`toolcast {name}`](#toolcast-{name})", about] for name, about in _listed()]
    parts = [_HEAD, table(["command", "what it does"], rows)]
    for path, command in walk():
        parts += _section(path, command)
    return "\n".join(parts)


def exit_statuses() -> str:
    """The page of exit statuses: the general rule, and what commands say of themselves."""
    parts = [_EXIT.rstrip() + "\n"]
    for path, command in walk():
        if stated := exit_status(command):
            parts.append(f"* [`toolcast {path}`](command-line.md#toolcast-{_slug(path)}): {stated}")
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


def exit_status(command: click.Command) -> str:
    """The sentences of a command's help about its exit status; empty where it says nothing."""
    sentences = re.split(r"(?<=[.]) (?=[A-Z])", " ".join((command.help or "").split()))
    return " ".join(each for each in sentences if "exit status" in each)


def _listed() -> list[tuple[str, str]]:
    return [(name, about) for each in (COMMANDS, STEPS) for name, (_, _, about) in sorted(each.items())]


def _section(path: str, command: click.Command) -> list[str]:
    context = click.Context(command, info_name=f"toolcast {path}", parent=None)
    usage = " ".join(command.collect_usage_pieces(context))
    parts = [f"## toolcast {path}\n", fenced(f"toolcast {path} {usage}", "text")]
    paragraphs = re.split(r"\n\s*\n", (command.help or "").strip())
    parts += [escaped(" ".join(each.split())) + "\n" for each in paragraphs]
    options = [each for each in command.params if isinstance(each, click.Option) and not each.hidden]
    if options:
        parts.append(table(["option", "meaning"], [_option(each, context) for each in options]))
    if command.epilog:
        lines = command.epilog.replace("\b", "").strip().splitlines()[1:]
        parts += ["Examples:\n", fenced("\n".join(line.removeprefix("  ") for line in lines), "text")]
    return parts


def _option(option: click.Option, context: click.Context) -> list[str]:
    record = option.get_help_record(context)
    assert record is not None
    names, about = record
    return [f"`{names}`", escaped(about)]


def _slug(path: str) -> str:
    return path.replace(" ", "-")
