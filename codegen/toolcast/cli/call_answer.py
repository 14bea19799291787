"""`toolcast call --answer`: how a model's answer is read for tool calls."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from ..console import json_text, one_line, print_diagnostics, write_line
from .options import refuse

if TYPE_CHECKING:
    from ..agents.text_calls import Call, Event, Parsed, TextFormat, TextStream

_FILE = ".toml"


def show_answer(file: Path, names: tuple[str, ...], *, cut: bool, events: bool, as_json: bool) -> int:
    """Show how an answer in `file` (`-`: stdin) is read; the exit status.

    `names` are text formats, by default all. `cut`: its stop reason was a limit. `events`: show what a stream
    tells, each line being a piece of it.
    """
    stream = _stream(names or ("auto",))
    found = _events(stream, _answer(file), cut=cut)
    return _print_events(found, as_json=as_json) if events else _print(found, as_json=as_json)


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


def _answer(file: Path) -> str:
    shown = str(file)
    try:
        data = sys.stdin.buffer.read() if shown == "-" else file.read_bytes()
        return data.decode("utf-8")
    except OSError as error:
        raise refuse(shown, "unreadable-file", f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise refuse(shown, "unreadable-file", f"is no UTF-8: {error.reason} at byte {error.start}") from None


def _events(stream: "TextStream", text: str, *, cut: bool) -> "Iterator[Event]":
    for piece in text.splitlines(keepends=True):
        yield from stream.feed(piece)
    yield from stream.finish(cut=cut)


def _print(events: "Iterator[Event]", *, as_json: bool) -> int:
    from ..agents.text_calls import collect

    parsed = collect(events)
    if as_json:
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


def _print_events(events: "Iterator[Event]", *, as_json: bool) -> int:
    failed = False
    shown: list[dict[str, Any]] = []
    for event in events:
        name = re.sub(r"(?<!^)(?=[A-Z])", "-", type(event).__name__).lower()
        fields: dict[str, Any] = msgspec.to_builtins(event)
        failed = failed or name == "problem"
        if as_json:
            shown.append({"event": name, **fields})
        else:
            write_line(f"{name}: {msgspec.json.encode(fields).decode()}")
    if as_json:
        click.echo(json_text(shown))
    return int(failed)


def list_formats(*, as_json: bool) -> int:
    """List the text formats; the exit status."""
    from ..agents.text_calls import known_formats

    known = known_formats().values()
    if as_json:
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
