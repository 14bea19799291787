"""Calls of tools from a command line: those of `toolcast call`, and of the target `cli`, one command a tool.

It needs what the runtime needs: a generated command line runs where the compiler and click are missing.
"""

import argparse
import re
import shlex
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import Struct

from ..console import cut, inert_json, one_line, print_diagnostics, printable, write_line
from ..diagnostics import Diagnostic, did_you_mean
from ..jsonschema.json_values import JsonMapping, JsonObject
from ..runtime.arguments import MAX_TEXT, Arguments
from ..runtime.bounded_json import UnreadableJSONError, read_json
from ..runtime.resources import read_resource
from .terminal import end_unwritten, write_anything

if TYPE_CHECKING:
    from ..runtime import ToolContext, ToolResult
    from ..runtime.view import ToolView

_PACE = 0.5
"""Seconds between two lines of progress."""


class StatedCall(Struct, frozen=True, kw_only=True):
    """A call as a person states it. `injected` has parameters that the program fills in; `json_flag` is what
    prints all of the result.
    """

    tool: str
    arguments: Arguments
    provider: str | None = None
    injected: JsonMapping = {}
    json_flag: str = "--json"


class _InjectionError(ValueError):
    pass


def run_call(target: str, call: StatedCall, *, as_json: bool, here: bool = True) -> int:
    """Call a tool of the registry at `MODULE:ATTRIBUTE`, print its result, and return the exit status. With
    `here`, the working directory is searched first.
    """
    import asyncio  # what follows is half of the start, and completion of words needs none of it
    import logging

    from .program import TargetError, close, load_registry, log_to_stderr, no_registry, quiet_stdout

    log_to_stderr(logging.WARNING)

    async def main() -> "tuple[ToolResult, bytes | None]":
        with quiet_stdout():  # what handlers print is no result
            registry = await load_registry(target, here=here)
            try:
                extra = _extra(registry, call)
                context = msgspec.structs.replace(_context(), extra=extra)
                result = await registry.execute(call.tool, call.arguments, call.provider, context)
                return result, _data(registry, call.tool, result)
            finally:
                await close(registry)

    try:
        result, data = asyncio.run(main())
    except TargetError as problem:
        return no_registry(target, problem)
    except _InjectionError as problem:
        print_diagnostics((Diagnostic(file=call.tool, code="bad-injection", message=str(problem)),))
        return 1
    return _print_json(result, data) if as_json else _print(result, call.json_flag)


def read_stdin() -> bytes:
    """Return what stdin has, as far as arguments may be long."""
    return sys.stdin.buffer.read(MAX_TEXT + 1)


def pretty(content: bytes) -> str:
    """Return JSON as indented text that steers no terminal."""
    return inert_json(msgspec.json.format(content, indent=2).decode())


def _extra(registry: "ToolView", call: StatedCall) -> JsonObject:
    known = registry.resolve(call.tool)
    inject = registry.get(known).binding.inject if known is not None else {}
    extra: JsonObject = {}
    for name, value in call.injected.items():
        if name not in inject:
            raise _InjectionError(f"{name!r} is no parameter that the program fills in")
        *above, last = inject[name].split(".")[1:]
        place = extra
        for step in above:
            place = place.setdefault(step, {})
            if not isinstance(place, dict):
                raise _InjectionError(f"{name!r} is a part of another value that is stated")
        place[last] = value
    return extra


def _context() -> "ToolContext":
    """Return a context that shows progress on a terminal, not too often."""
    from ..runtime import ToolContext

    if not sys.stderr.isatty():
        return ToolContext()
    last = 0.0

    def report(done: float, total: float | None, message: str) -> None:
        nonlocal last
        if time.monotonic() - last < _PACE:
            return
        last = time.monotonic()
        share = f"{done:g}" if total is None else f"{done:g}/{total:g}"
        write_line(f"  {share} {message}".rstrip(), err=True)

    return ToolContext(report=report)


def _data(registry: "ToolView", tool: str, result: "ToolResult") -> bytes | None:
    """Return the result's typed value as JSON; None where there is none, or it has no JSON form."""
    if result.data is None:
        return None
    try:
        return registry.get(tool).binding.encode_result(result.data)
    except (TypeError, ValueError, RecursionError) as problem:
        write_line(f"toolcast: the result's data has no JSON form: {problem}", err=True)
        return None


def _print_json(result: "ToolResult", data: bytes | None) -> int:
    whole: JsonObject = {
        "success": result.success,
        "output": result.output,
        "data": None if data is None else msgspec.Raw(data),
        "error": result.error,
        "content": result.content,
    }
    print(pretty(msgspec.json.encode(whole)))
    return int(not result.success)


def _print(result: "ToolResult", json_flag: str) -> int:
    """Print text to stdout, escaped on a terminal, and name the rest."""
    if not result.success:
        print(printable(result.error), file=sys.stderr)
        return 1
    texts = [result.output, *(piece.text for piece in result.content if piece.kind == "text")]
    for text in filter(None, texts):
        print(printable(text) if sys.stdout.isatty() else text, flush=True)
    for piece in result.content:
        if piece.kind != "text":
            shown = f"{piece.kind} {one_line(piece.media_type)}, {len(piece.data):,} bytes"
            write_line(f"toolcast: {shown}: {json_flag} prints it, in base64", err=True)
    return 0


# -- the target `cli` ---------------------------------------------------------------------------

DATA: Final = "commands.json"
_WORD: Final = re.compile(r"[A-Za-z0-9_.:/@%+=,-]+")
"""Words that no shell takes for anything else: only those are offered to complete a line."""
_BASH: Final = """\
{function}() {{
    local IFS=$'\\n'
    COMPREPLY=($("$1" --complete "${{COMP_WORDS[@]:1:$COMP_CWORD}}"))
}}
complete -o default -F {function} {name}
"""
_COMPLETIONS: Final = {
    "bash": _BASH,
    "fish": """\
complete -c {name} -f -a '({name} --complete (commandline -opc)[2..-1] "$(commandline -ct)")'
""",
    "zsh": f"autoload -U +X bashcompinit && bashcompinit\n{_BASH}",
}


class _Values(Struct, frozen=True, kw_only=True):
    """The values of a flag: of a parameter, or of the items of an array that the flag is repeated for."""

    kind: str
    members: tuple[Any, ...] = ()

    @property
    def plain(self) -> bool:
        """Tell whether values are texts, which stand as they are; others are JSON."""
        texts = all(isinstance(each, str) for each in self.members)
        return self.kind == "string" or (self.kind == "enum" and texts)

    @property
    def scalar(self) -> bool:
        return self.kind in ("string", "enum", "integer", "number", "boolean")

    @property
    def choices(self) -> list[str]:
        plain = self.plain
        return [each if plain else msgspec.json.encode(each).decode() for each in self.members]

    @property
    def shown(self) -> str:
        """The choices where they are few, else the kind."""
        choices = one_line("|".join(self.choices))
        kind = "TEXT" if self.plain else self.kind.upper() if self.scalar else "JSON"
        return choices if 0 < len(choices) <= 60 else kind

    def read(self, text: str) -> str | msgspec.Raw:
        """Return a value, which the contract judges; a scalar that is no JSON is text."""
        if self.plain:
            return text
        try:
            read_json(text, limit=MAX_TEXT)
        except UnreadableJSONError as problem:
            if self.scalar:
                return text
            raise argparse.ArgumentTypeError(f"the text is {problem}") from None
        return msgspec.Raw(text.encode())


class _Parameter(_Values, frozen=True, kw_only=True):
    name: str
    flag: str
    items: _Values | None = None
    about: str = ""
    required: bool = False
    default: Any = None

    @property
    def values(self) -> _Values:
        """The values that one flag states."""
        repeated = self.kind == "array" and self.items is not None and self.items.scalar
        return self.items if self.items is not None and repeated else self

    @property
    def help(self) -> str:
        default = "" if self.default is None else f"[default: {msgspec.json.encode(self.default).decode()}]"
        repeated = "[repeatable]" * (self.values is not self)
        words = [*self.about.split(), "[required]" * self.required, repeated, default]
        return one_line(" ".join(filter(None, words))).replace("%", "%%")


class _Tool(Struct, frozen=True):
    summary: str
    description: str
    permission: str
    parameters: tuple[_Parameter, ...]
    examples: tuple[Any, ...] = ()

    def flags(self) -> dict[str, _Parameter]:
        """Return the parameters by flag; a flag that is taken gets a number."""
        taken, found = {"--json", "--help"}, dict[str, _Parameter]()
        for each in self.parameters:
            own = flag = each.flag.replace("_", "-")
            number = 1
            while (names := {f"--{flag}", f"--{'no-' * (each.kind == 'boolean')}{flag}"}) & taken:
                number += 1
                flag = f"{own}-{number}"
            taken |= names
            found[f"--{flag}"] = each
        return found


class _Commands(Struct, frozen=True):
    name: str
    app: str
    tools: dict[str, _Tool]


def run(module: str, words: Sequence[str]) -> int:
    """Run a generated command line, whose tools stand beside `module`, and return the exit status of the
    call: 0, or 1 for one that fails. Raises SystemExit: 2 for wrong usage, 0 for help.
    """
    write_anything()
    try:
        commands = msgspec.json.decode(read_resource(module, DATA), type=_Commands)
        status = _run(commands, list(words))
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        end_unwritten(error)
    return status


def _run(commands: _Commands, words: list[str]) -> int:
    if words[:1] == ["--complete"]:
        sys.stdout.write("".join(f"{each}\n" for each in _completed(commands, words[1:])))
        return 0
    own, rest = _split(words)
    parser = _main_parser(commands)
    options = parser.parse_args(own)
    if options.completion is not None:
        function = re.sub(r"\W", "_", f"_{commands.name}", flags=re.ASCII)
        script = _COMPLETIONS[options.completion]
        sys.stdout.write(script.format(function=function, name=shlex.quote(commands.name)))
        return 0
    tool = rest[0] if rest else ""
    if tool not in commands.tools:
        hint = did_you_mean(tool, commands.tools, "--help lists them")
        parser.error(f"there is no tool {tool!r}: {hint}" if rest else f"name a tool: {hint}")
    text = _arguments(commands, tool, rest[1:])
    call = StatedCall(tool=tool, arguments=text, json_flag="--format json")
    return run_call(commands.app, call, as_json=options.format == "json", here=False)


def _split(words: list[str]) -> tuple[list[str], list[str]]:
    """Return the options of the program itself, and the rest from the name of a tool on."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in ("--format", "--completion") else 1
    return words[:at], words[at:]


def _main_parser(commands: _Commands) -> argparse.ArgumentParser:
    width = max(map(len, commands.tools), default=0)
    rows = [f"  {name:{width}}  {cut(each.summary, 100)}" for name, each in commands.tools.items()]
    parser = _parser(commands.name, "[options] TOOL [flags]", epilog="\n".join(["tools:", *rows]))
    parser.add_argument(
        "--format", choices=("text", "json"), help="print the text of the result, or all of it"
    )
    parser.add_argument("--completion", choices=_COMPLETIONS, help="print what completes words in a shell")
    return parser


def _tool_parser(commands: _Commands, name: str) -> argparse.ArgumentParser:
    tool, program = commands.tools[name], f"{commands.name} {name}"
    texts = [inert_json(msgspec.json.encode(each).decode()) for each in tool.examples]
    examples = ["", "examples:", *(f"  {program} --json {shlex.quote(text)}" for text in texts)]
    notes = [f"permission: {tool.permission}", *(examples if texts else [])]
    parser = _parser(program, "[flags]", tool.description, "\n".join(notes))
    for flag, each in tool.flags().items():
        own: JsonObject = {"dest": flag, "help": each.help, "default": argparse.SUPPRESS}
        if each.kind == "boolean":
            parser.add_argument(flag, action=argparse.BooleanOptionalAction, **own)
        else:
            action = "store" if each.values is each else "append"
            parser.add_argument(flag, action=action, type=each.values.read, metavar=each.values.shown, **own)
    about = "more arguments, as one JSON object; - reads it from stdin"
    parser.add_argument("--json", dest="--json", metavar="JSON", type=_members, default={}, help=about)
    return parser


def _parser(program: str, usage: str, description: str = "", epilog: str = "") -> argparse.ArgumentParser:
    def literal(text: str) -> str:  # argparse formats a text where it finds the name of the program in it
        return printable(text).replace("%", "%%") if "%(prog)" in text else printable(text)

    return argparse.ArgumentParser(
        prog=program,
        usage=f"{program} {usage}".replace("%", "%%"),
        description=literal(description),
        epilog=literal(epilog),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def _arguments(commands: _Commands, name: str, words: list[str]) -> bytes:
    """Return the arguments that words state, as JSON. Raises SystemExit."""
    flags, parser = commands.tools[name].flags(), _tool_parser(commands, name)
    stated = vars(parser.parse_args([*_joined(flags, words)]))
    members = stated.pop("--json")
    for flag in stated:
        if flags[flag].name in members:
            parser.error(f"{flag} states what --json states, too")
    try:
        return msgspec.json.encode({**members, **{flags[flag].name: each for flag, each in stated.items()}})
    except UnicodeError:
        parser.error("a value is not valid UTF-8")


def _joined(flags: JsonMapping, words: Iterable[str]) -> Iterator[str]:
    """Join each flag with its value, which argparse would take for a flag where it begins with a dash."""
    rest = iter(words)
    for word in rest:
        takes = word == "--json" or (word in flags and flags[word].kind != "boolean")
        value = next(rest, None) if takes else None
        yield word if value is None else f"{word}={value}"


def _members(text: str) -> JsonObject:
    """Return the members of a JSON object as they are written."""
    content = read_stdin() if text == "-" else text
    try:
        if isinstance(read_json(content, limit=MAX_TEXT, unique=True), dict):
            return dict(msgspec.json.decode(content, type=dict[str, msgspec.Raw]))
    except UnreadableJSONError as problem:
        raise argparse.ArgumentTypeError(f"the text is {problem}") from None
    raise argparse.ArgumentTypeError("the text is no JSON object")


def _completed(commands: _Commands, words: Sequence[str]) -> list[str]:
    """Return the words that may end a line; the last of `words` is what stands there already."""
    joined = [*words, ""] if words[-1:] == ["="] else words  # a word of its own in bash
    *before, current = [each for each in joined if each != "="] or [""]
    _, rest = _split(before)
    flags = commands.tools[rest[0]].flags() if rest and rest[0] in commands.tools else {}
    if before[-1:] == ["--format"] and not rest:
        offered = ["text", "json"]
    elif not rest:
        offered = [*commands.tools, "--format", "--completion", "--help"]
    elif rest[-1] in flags and flags[rest[-1]].kind != "boolean":
        offered = flags[rest[-1]].values.choices
    else:
        switches = [f"--no-{flag[2:]}" for flag, each in flags.items() if each.kind == "boolean"]
        offered = [*flags, *switches, *(["--json", "--help"] if flags else [])]
    return [each for each in offered if each.startswith(current) and _WORD.fullmatch(each)]
