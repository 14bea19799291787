"""The options that every kind of import takes, as one value."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import click
from msgspec import Struct

from ..console import Format
from ..importers.merge import Side
from ..importers.spec_text import Choices
from ..importers.update import Settling
from ..permissions import PERMISSIONS, Permission
from ..spec.tool_names import group_problem
from .options import format_option

_Command = TypeVar("_Command", bound=Callable[..., Any])
_FOLDER = click.Path(file_okay=False, path_type=Path)
_COUNT = click.IntRange(0, 100)
_SIDES: tuple[Side, ...] = ("local", "upstream")


class ImportOptions(Struct, frozen=True, kw_only=True):
    """What the command line says about any import.

    Attributes:
        into: folder that receives the specs.
        group: folder below it; empty for none.
        choices: what is decided for all tools.
        settling: how what an import does not settle is settled.
        check: whether nothing is written, and a difference is a failure.
        share: whether equal objects and enums become shared types, besides equal definitions.
        form: how the outcome is printed.
    """

    into: Path
    group: str = ""
    choices: Choices = Choices()
    settling: Settling = Settling()
    check: bool = False
    share: bool = False
    form: Format = "text"


def common_options(command: _Command) -> _Command:
    """Add the common options; the command receives them as one argument, `options: ImportOptions`."""

    @functools.wraps(command)
    def collect(*, into: Path, group: str, check: bool, share: bool, form: Format, **own: Any) -> Any:
        choices = Choices(
            permission=own["permission"][0],
            permissions=own["permission"][1],
            secrets=own["secrets"][0],
            secrets_of=own["secrets"][1],
            trust_hints=own["trust_hints"],
            examples=own["examples"],
        )
        settling = Settling(take=own["take"], restore=own["restore"], prune=own["prune"], force=own["force"])
        for name in ("permission", "secrets", "trust_hints", "examples", "take", "restore", "prune", "force"):
            del own[name]
        options = ImportOptions(
            into=into,
            group=group,
            choices=choices,
            settling=settling,
            check=check,
            share=share,
            form=form,
        )
        return command(**own, options=options)

    found: Any = collect
    for option in reversed(_OPTIONS):
        found = option(found)
    return cast(_Command, found)


def permission_patterns(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> tuple[Permission | None, tuple[tuple[str, Permission], ...]]:
    """`read` for all tools, `get_*=read` for some."""
    plain: Permission | None = None
    patterns: list[tuple[str, Permission]] = []
    for value in values:
        pattern, separator, word = value.rpartition("=")
        if word not in PERMISSIONS or (separator and not pattern):
            expected = f"expected {', '.join(PERMISSIONS)} or PATTERN=PERMISSION"
            raise click.BadParameter(f"{value!r} is no permission; {expected}", ctx, param)
        if separator:
            patterns.append((pattern, word))
        else:
            plain = word
    return plain, tuple(patterns)


def secret_patterns(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[str, ...] | None, tuple[tuple[str, tuple[str, ...]], ...]]:
    """`a,b` → names, `none` → no names, for all tools; `auth_*=token` for some."""
    plain: tuple[str, ...] | None = None
    patterns: list[tuple[str, tuple[str, ...]]] = []
    for value in values:
        pattern, separator, words = value.rpartition("=")
        names = () if words == "none" else tuple(name.strip() for name in words.split(","))
        if not all(names) or (separator and not pattern):
            message = "expected names separated by commas, `none`, or PATTERN=NAMES"
            raise click.BadParameter(message, ctx, param)
        if separator:
            patterns.append((pattern, names))
        else:
            plain = names
    return plain, tuple(patterns)


def _take(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[str, Side], ...]:
    """`local` for all tools, `get_*=upstream` for some."""
    found: list[tuple[str, Side]] = []
    for value in values:
        pattern, separator, side = value.rpartition("=")
        if side not in _SIDES or (separator and not pattern):
            message = "expected local, upstream, or PATTERN=local or PATTERN=upstream"
            raise click.BadParameter(message, ctx, param)
        found.append((pattern or "*", side))
    return tuple(found)


def _group(ctx: click.Context, param: click.Parameter, value: str) -> str:
    problem = group_problem(value)
    if problem is not None:
        message = f"{problem}; expected a folder such as `web` or `web/search`"
        raise click.BadParameter(message, ctx, param)
    return value


_OPTIONS = (
    click.option("--into", required=True, type=_FOLDER, help="Specs folder."),
    click.option("--group", default="", callback=_group, help="Folder below --into."),
    click.option(
        "--permission",
        multiple=True,
        callback=permission_patterns,
        metavar="[PATTERN=]PERMISSION",
        help="For all tools, or for those whose name matches; else a TODO line. May be repeated.",
    ),
    click.option(
        "--secrets",
        multiple=True,
        callback=secret_patterns,
        metavar="[PATTERN=]NAMES",
        help="Parameters that may carry secrets: a,b or none. May be repeated.",
    ),
    click.option(
        "--trust-hints",
        is_flag=True,
        help="Permissions as MCP's hints claim them; --permission is for the other tools.",
    ),
    click.option("--examples", default=3, show_default=True, type=_COUNT, help="Calls kept per tool."),
    click.option(
        "--check",
        is_flag=True,
        help="Write nothing; exit 1 if the source differs from what was imported (for CI).",
    ),
    click.option(
        "--take",
        multiple=True,
        callback=_take,
        metavar="[PATTERN=]SIDE",
        help="Which side wins where both changed: local or upstream. May be repeated.",
    ),
    click.option("--restore", is_flag=True, help="Write specs again that were deleted here."),
    click.option("--prune", is_flag=True, help="Delete specs of tools that the source has no more."),
    click.option(
        "--share",
        is_flag=True,
        help="Make equal objects and enums shared types; equal $defs of several tools always are.",
    ),
    click.option("--force", is_flag=True, help="Write specs anew, whatever was changed in them."),
    format_option,
)
