"""`toolcast parse`."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click
import msgspec

from ..console import json_text, one_line, print_diagnostics, write_line
from .complete_values import complete_text_formats
from .options import examples, json_option, refuse

if TYPE_CHECKING:
    from ..agents.text_calls import Call, Event, Parsed, TextFormat, TextStream

_FILE = ".toml"


@click.command(
    "parse",
    epilog=examples(
        "toolcast parse answer.txt                        how an answer is read, by all formats",
        "toolcast parse answer.txt --in qwen3-coder       by the format of the model's family",
        "toolcast parse answer.txt --in auto --in my.toml by all, and by one of your own",
        "my-model | toolcast parse --cut --events         what a stream tells, piece by piece",
    ),
)
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path), metavar="[FILE|-]")
@click.option(
    "--in", "names", multiple=True, metavar="FORMAT", shell_complete=complete_text_formats,
    help="Read this text format: an id, an alias, or a .toml file (repeatable; default: auto).",
)  # fmt: skip
@click.option("--cut", is_flag=True, help="The answer was cut off: its stop reason was a limit.")
@click.option("--events", is_flag=True, help="Print what a stream tells; each line is a piece of it.")
@click.option("--formats", is_flag=True, help="List the text formats instead.")
@json_option()
def command(
    file: Path | None,
    names: tuple[str, ...],
    cut: bool,
    events: bool,
    formats: bool,
    form: Literal["text", "json"],
) -> int:
    """Show how a model's answer is read for tool calls.

    For models without tool calling, which write calls in their text (docs/reference/text-calls.md). FILE
    holds the answer; `-`, or none where stdin is no terminal, reads it from stdin. Nothing is carried out.
    The exit status is 1 where a call begins that cannot be read, or the file of a format has problems.
    """
    if formats:
        return _list(form)
    stream = _stream(names or ("auto",))
    found = _events(stream, _answer(file), cut=cut)
    return _print_events(found, form) if events else _print(found, form)


def _stream(names: tuple[str, ...]) -> "TextStream":
    from ..agents.text_calls import FormatError, TextStream

    try:
        return TextStream([_format(name) for name in names])
    except FormatError as problem:
        print_diagnostics(problem.diagnostics)
        raise click.exceptions.Exit(1) from None
    except ValueError as problem:
        raise click.UsageError(one_line(str(problem))) from None


def _format(name: str) -> "str | TextFormat":
    from ..agents.text_calls import read_format

    return read_format(name) if name.endswith(_FILE) else name


def _answer(file: Path | None) -> str:
    """The text of the file, or of stdin."""
    if file is None and sys.stdin.isatty():
        raise click.UsageError("Name the file of the answer, or pipe it to stdin.")
    shown = "-" if file is None else str(file)
    try:
        data = sys.stdin.buffer.read() if file is None or shown == "-" else file.read_bytes()
        return data.decode("utf-8")
    except OSError as error:
        raise refuse(shown, "unreadable-file", f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise refuse(shown, "unreadable-file", f"is no UTF-8: {error.reason} at byte {error.start}") from None


def _events(stream: "TextStream", text: str, *, cut: bool) -> "Iterator[Event]":
    for piece in text.splitlines(keepends=True):
        yield from stream.feed(piece)
    yield from stream.finish(cut=cut)


def _print(events: "Iterator[Event]", form: str) -> int:
    from ..agents.text_calls import collect

    parsed = collect(events)
    if form == "json":
        click.echo(json_text(parsed))
    else:
        for line in _lines(parsed):
            write_line(line)
    return int(bool(parsed.problems))


def _lines(parsed: "Parsed") -> Iterator[str]:
    for call in parsed.calls:
        id = f" (id {call.id})" if call.id else ""
        yield f"call: {call.name} {_arguments(call)}{id}, {call.format}, {call.start}-{call.end}"
    for problem in parsed.problems:
        yield f"problem: {problem.reason}, {problem.start}-{problem.end}"
    for line in parsed.text.splitlines():
        yield f"text: {line}"
    if not parsed.calls and not parsed.problems:
        yield "toolcast: no call in it; --in names the model's format, --formats lists them"


def _arguments(call: "Call") -> str:
    """The arguments as JSON; text between marks is strings, whose types a tool's contract decides."""
    if isinstance(call.arguments, str) and not call.textual:
        return call.arguments
    return msgspec.json.encode(call.arguments).decode()


def _print_events(events: "Iterator[Event]", form: str) -> int:
    failed = False
    shown: list[dict[str, Any]] = []
    for event in events:
        name = re.sub(r"(?<!^)(?=[A-Z])", "-", type(event).__name__).lower()
        fields: dict[str, Any] = msgspec.to_builtins(event)
        failed = failed or name == "problem"
        if form == "json":
            shown.append({"event": name, **fields})
        else:
            write_line(f"{name}: {msgspec.json.encode(fields).decode()}")
    if form == "json":
        click.echo(json_text(shown))
    return int(failed)


def _list(form: str) -> int:
    from ..agents.text_calls import known_formats

    known = known_formats().values()
    if form == "json":
        rows = [
            {
                "id": each.id,
                "title": each.title,
                "aliases": each.aliases,
                "models": each.models,
                "bare": each.bare,
            }
            for each in known
        ]
        click.echo(json_text(rows))
        return 0
    width = max(len(each.id) for each in known)
    for each in known:
        write_line(f"{each.id:{width}}  {each.title}{' (only where it is named)' if each.bare else ''}")
    return 0
