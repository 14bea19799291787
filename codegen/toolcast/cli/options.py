"""Options of several commands, the configuration, and files that commands write."""

from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click
from msgspec import Struct

from ..config import Config, load_config, show
from ..console import FORMATS, Format
from ..console import print_diagnostics as print_diagnostics
from ..diagnostics import Diagnostic
from .main import examples as examples

if TYPE_CHECKING:
    from ..analysis.recorded_calls import RecordedCalls

Command = TypeVar("Command", bound=Callable[..., Any])
_Options = TypeVar("_Options")
_Result = TypeVar("_Result")


class ShowOptions(Struct, frozen=True, kw_only=True):
    """The options of `toolcast show`, which its printing reads, too."""

    tool: str | None
    provider: str | None
    ledger: bool
    steps: bool
    providers: bool
    model: bool
    form: Literal["text", "json"]
    config_file: Path | None


class LockOptions(Struct, frozen=True, kw_only=True):
    """The options of `toolcast lock`, which what asks the sources reads, too."""

    source: tuple[str, ...]
    file: Path
    check: bool
    name: str
    kind: Literal["mcp", "openapi", "python", "tools"] | None
    env: tuple[str, ...]
    headers: tuple[str, ...]
    timeout: float
    accepted: tuple[str, ...]
    reason: str
    form: Literal["text", "json", "github", "markdown", "sarif"]


def takes(
    options: Callable[..., _Options],
) -> Callable[[Callable[[_Options], _Result]], Callable[..., _Result]]:
    """Hand a command what click read as one value, which `options` makes of it."""

    def decorate(command: Callable[[_Options], _Result]) -> Callable[..., _Result]:
        @wraps(command)
        def collect(**stated: Any) -> _Result:
            return command(options(**stated))

        return collect

    return decorate


def config_option(function: Command) -> Command:
    """Add `--config FILE`."""
    return click.option(
        "--config",
        "config_file",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Read [tool.toolcast] from FILE (default: the nearest pyproject.toml that has it).",
    )(function)


def format_option(function: Command) -> Command:
    """Add `--format text|json|github`."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(FORMATS),
        default="text",
        show_default=True,
        help="How problems are told: for people, for programs, or as CI annotations.",
    )(function)


def json_option(help: str = "For people, or for programs.") -> Callable[[Command], Command]:
    """Add `--format text|json`."""
    return click.option(
        "--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True, help=help
    )


def configuration(file: Path | None, form: Format = "text", *, staged: bool = False) -> Config:
    """Return the configuration, or end the command if it has errors. `staged`: see `load_config`."""
    config, problems = load_config(Path.cwd(), file, staged=staged)
    if config is None:
        print_diagnostics(problems, form)
        raise click.exceptions.Exit(1)
    return config


def refuse(
    file: Path | str, code: str, message: str, hint: str = "", *, form: Format = "text"
) -> click.exceptions.Exit:
    """Print one problem of a file, or of what else has a name; raise the result to end the command."""
    shown = show(file) if isinstance(file, Path) else file
    print_diagnostics((Diagnostic(file=shown, code=code, message=message, hint=hint),), form)
    return click.exceptions.Exit(1)


calls_option = click.option(
    "--calls", multiple=True, metavar="FILE", type=click.Path(path_type=Path),
    help="Recorded calls: lines of `record_calls`, spans of OpenTelemetry, logs of messages (repeatable).",
)  # fmt: skip
"""`--calls`, for `read_calls`."""


def read_calls(files: Sequence[Path], form: Format) -> "RecordedCalls | None":
    """Read the files of `--calls`, or end the command; None without one."""
    if not files:
        return None
    from ..analysis.recorded_calls import UnreadableCallsError, read_files

    try:
        return read_files(files)
    except UnreadableCallsError as problem:
        hint = "name a file that `record_calls` wrote, or a log in JSON or JSON lines"
        told = Diagnostic(file="--calls", code="recorded-calls", message=str(problem), hint=hint)
        print_diagnostics((told,), form)
        raise click.exceptions.Exit(2) from None


def create(path: Path, text: str) -> None:
    """Write a new file; raise FileExistsError for one that is there, or a link."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("x", encoding="utf-8", newline="") as file:
        file.write(text)


def disk_problem(error: OSError, location: Path, form: Format = "text") -> click.exceptions.Exit:
    """Print what the disk refused, at `location` where the error names no file; raise the result."""
    from ..project.output.plan import reason, remedy

    message = f"cannot read or write: {reason(error)}"
    return refuse(Path(str(error.filename or location)), "io-error", message, remedy(error), form=form)
