"""`toolcast call`."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec
from msgspec import Struct

from ..console import json_text, one_line, print_diagnostics, printable, write_line
from ..diagnostics import MISSING_LIBRARY, did_you_mean
from ..jsonschema.json_values import JsonObject
from .complete_values import complete_providers, complete_text_formats, complete_tools
from .options import config_option, configuration, examples, refuse, takes
from .program import load_bindings

if TYPE_CHECKING:
    from ..agents.text_calls import Call, Event, Parsed, TextStream
    from ..config import Config


def _injected(_: click.Context, __: click.Parameter, stated: tuple[str, ...]) -> JsonObject:
    """Read values by name; what is no JSON is text."""

    made: JsonObject = {}
    for each in stated:
        name, equals, value = each.partition("=")
        if not name or not equals:
            raise click.BadParameter(f"{each!r} is not NAME=VALUE")
        try:
            made[name] = msgspec.json.decode(value)
        except (msgspec.DecodeError, UnicodeError):
            made[name] = value
    return made


class _Options(Struct, frozen=True, kw_only=True):
    tool: str | None
    arguments: str | None
    app: str | None
    provider: str | None
    injected: JsonObject
    as_json: bool
    answer: Path | None
    names: tuple[str, ...]
    cut: bool
    events: bool
    formats: bool
    config_file: Path | None


@click.command(
    "call",
    epilog=examples(
        """toolcast call edit '{"file_path": "/a"}'                     check the arguments, call nothing""",
        """toolcast call glob '{"pattern": "*.py"}' --app app:registry  call it, print the result""",
        "toolcast call glob --app app:registry < arguments.json       arguments from stdin",
        "toolcast call inbox '{}' --inject user_id=7                  what the program fills in",
        "toolcast call --answer answer.txt                            the calls in a model's text",
        "toolcast call --answer answer.txt --in qwen3-coder           by the format of the model's family",
        "toolcast call --answer answer.txt --in auto --in my.toml     by all, and by one of your own",
        "my-model | toolcast call --answer - --cut --events           what a stream tells, piece by piece",
    ),
)
@click.argument("tool", required=False, shell_complete=complete_tools)
@click.argument("arguments", required=False, metavar="[JSON|-]")
@click.option("--app", metavar="MODULE:ATTRIBUTE", help="The registry that calls the tool, as for `serve`.")
@click.option(
    "--provider", metavar="ID", shell_complete=complete_providers,
    help="The arguments are in this provider's wire form.",
)  # fmt: skip
@click.option(
    "--inject", "injected", multiple=True, metavar="NAME=VALUE", callback=_injected,
    help="A parameter that the program fills in: JSON, or text. More than one: repeat it.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the whole result, or what was read, as JSON.")
@click.option(
    "--answer", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE|-",
    help="Call nothing: show how this answer of a model is read for calls.",
)  # fmt: skip
@click.option(
    "--in", "names", multiple=True, metavar="FORMAT", shell_complete=complete_text_formats,
    help="Read the answer by this text format: an id, an alias, or a .toml file (repeatable; default: auto).",
)  # fmt: skip
@click.option("--cut", is_flag=True, help="The answer was cut off: its stop reason was a limit.")
@click.option("--events", is_flag=True, help="Print what a stream of the answer tells; each line is a piece.")
@click.option("--formats", is_flag=True, help="List the text formats instead.")
@config_option
@takes(_Options)
def command(options: _Options) -> int:
    """Call a tool, check the arguments of a call, or read the calls in a model's answer.

    JSON is one object; `-`, or none where stdin is no terminal, reads it from stdin. With --app the tool is
    called as a model's call is: decoded, checked, asked for at the terminal where the registry's policy has
    an approver, with the registry's secrets. Without it the generated package is imported, and the decoded
    arguments are printed. The exit status is 1 where the call fails or the arguments do not fit.

    --answer is for models without tool calling, which write calls in their text
    (docs/reference/text-calls.md). Nothing is carried out; the exit status is 1 where a call begins that
    cannot be read, or the file of a format has problems.
    """
    if options.answer is not None or options.formats:
        if (
            options.tool is not None
            or options.app is not None
            or options.provider is not None
            or options.injected
        ):
            raise click.UsageError("--answer and --formats call no tool: leave out what a call needs.")
        if options.answer is None:
            return _list_formats(as_json=options.as_json)
        return _show_answer(options.answer, options)
    tool = options.tool
    if tool is None:
        raise click.UsageError("Name a tool, or an answer to read with --answer.")
    if options.names or options.cut or options.events:
        raise click.UsageError("--in, --cut and --events say how an answer is read: name it with --answer.")
    text = _arguments(options.arguments)
    if options.app is None:
        return _check(configuration(options.config_file), tool, text, options)

    from .tool_commands import StatedCall, run_call

    call = StatedCall(tool=tool, arguments=text, provider=options.provider, injected=options.injected)
    return run_call(options.app, call, as_json=options.as_json)


def _arguments(stated: str | None) -> str | bytes | None:
    if stated is not None and stated != "-":
        return stated
    if stated is None and sys.stdin.isatty():
        return None
    from .tool_commands import read_stdin

    return read_stdin()


def _check(config: "Config", tool: str, text: str | bytes | None, options: _Options) -> int:
    from ..runtime.errors import ArgumentError, InjectionError, MissingDataError, UnknownProviderError
    from .tool_commands import pretty

    bindings = load_bindings(config)
    if tool not in bindings:
        hint = did_you_mean(tool, bindings, "see: toolcast list")
        raise refuse(tool, "unknown-tool", f"there is no tool called {tool!r}", hint)
    binding = bindings[tool]
    try:
        params = binding.decode(text, options.provider, injected=options.injected)
    except InjectionError as problem:
        hint = "state it with --inject NAME=VALUE" if problem.parameter in binding.inject else ""
        raise refuse(tool, "bad-injection", str(problem), hint) from None
    except ArgumentError as problem:
        click.echo(printable(str(problem)), err=True)
        return 1
    except UnknownProviderError as problem:
        raise refuse(tool, "unknown-provider", str(problem), "see: toolcast show --providers") from None
    except MissingDataError as problem:
        raise refuse(tool, "not-generated", str(problem), "run: toolcast generate") from None
    except ImportError as problem:  # of what checks the tool's grammar
        raise refuse(tool, MISSING_LIBRARY, str(problem)) from None
    click.echo(pretty(binding.encode(params)))
    write_line(
        "toolcast: the arguments fit; nothing was called: --app names the registry that does", err=True
    )
    return 0


_FORMAT_FILE = ".toml"


def _show_answer(file: Path, options: _Options) -> int:
    from ..agents.text_calls import FormatError, TextStream, collect, read_format

    try:
        names = options.names or ("auto",)
        formats = [read_format(name) if name.endswith(_FORMAT_FILE) else name for name in names]
        stream = TextStream(formats)
    except FormatError as problem:
        print_diagnostics(problem.diagnostics)
        raise click.exceptions.Exit(1) from None
    except ValueError as problem:
        raise click.UsageError(one_line(str(problem))) from None
    found = _events(stream, _answer(file), cut=options.cut)
    if options.events:
        return _print_events(found, as_json=options.as_json)
    return _print_calls(collect(found), as_json=options.as_json)


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


def _print_calls(parsed: "Parsed", *, as_json: bool) -> int:
    if as_json:
        click.echo(json_text(parsed))
    else:
        for line in _lines(parsed):
            write_line(line)
    return int(bool(parsed.problems))


def _lines(parsed: "Parsed") -> Iterator[str]:
    for call in parsed.calls:
        id = f" (id {call.id})" if call.id else ""
        yield f"call: {call.name} {_call_arguments(call)}{id}, {call.format}, {call.start}-{call.end}"
    for problem in parsed.problems:
        yield f"problem: {problem.reason}, {problem.start}-{problem.end}"
    for line in parsed.text.splitlines():
        yield f"text: {line}"
    if not parsed.calls and not parsed.problems:
        yield "toolcast: no call in it; --in names the model's format, --formats lists them"


def _call_arguments(call: "Call") -> str:
    """Return the arguments as JSON; text between marks is strings, whose types a tool's contract decides."""
    if isinstance(call.arguments, str) and not call.textual:
        return call.arguments
    return msgspec.json.encode(call.arguments).decode()


def _print_events(events: "Iterator[Event]", *, as_json: bool) -> int:
    failed = False
    shown: list[JsonObject] = []
    for event in events:
        name = re.sub(r"(?<!^)(?=[A-Z])", "-", type(event).__name__).lower()
        fields: JsonObject = msgspec.to_builtins(event)
        failed = failed or name == "problem"
        if as_json:
            shown.append({"event": name, **fields})
        else:
            write_line(f"{name}: {msgspec.json.encode(fields).decode()}")
    if as_json:
        click.echo(json_text(shown))
    return int(failed)


def _list_formats(*, as_json: bool) -> int:
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
