"""The options that every kind of import takes, as one value."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import click
from msgspec import Struct

from ..importers.spec_text import Choices
from ..spec.fields import PERMISSIONS
from ..spec.model import Permission
from ..spec.tool_names import group_problem

_Command = TypeVar("_Command", bound=Callable[..., Any])
_FOLDER = click.Path(file_okay=False, path_type=Path)
_COUNT = click.IntRange(0, 100)


class ImportOptions(Struct, frozen=True, kw_only=True):
    """What the command line says about any import.

    Attributes:
        into: folder that receives the specs.
        group: folder below it; empty for none.
        choices: what is decided for all tools.
        force: whether existing specs are overwritten.
    """

    into: Path
    group: str = ""
    choices: Choices = Choices()
    force: bool = False


def common_options(command: _Command) -> _Command:
    """Add the common options; the command receives them as one argument, `options: ImportOptions`."""

    @functools.wraps(command)
    def collect(*, into: Path, group: str, force: bool, **own: Any) -> Any:
        choices = Choices(
            permission=own["permission"][0],
            permissions=own["permission"][1],
            secrets=own["secrets"][0],
            secrets_of=own["secrets"][1],
            trust_hints=own["trust_hints"],
            examples=own["examples"],
        )
        for name in ("permission", "secrets", "trust_hints", "examples"):
            del own[name]
        options = ImportOptions(into=into, group=group, choices=choices, force=force)
        return command(**own, options=options)

    found: Any = collect
    for option in reversed(_OPTIONS):
        found = option(found)
    return cast(_Command, found)


def _permissions(
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


def _secrets(
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
        callback=_permissions,
        metavar="[PATTERN=]PERMISSION",
        help="For all tools, or for those whose name matches; else a TODO line. May be repeated.",
    ),
    click.option(
        "--secrets",
        multiple=True,
        callback=_secrets,
        metavar="[PATTERN=]NAMES",
        help="Parameters that may carry secrets: a,b or none. May be repeated.",
    ),
    click.option("--trust-hints", is_flag=True, help="Permissions as MCP's hints claim them."),
    click.option("--examples", default=3, show_default=True, type=_COUNT, help="Calls kept per tool."),
    click.option("--force", is_flag=True, help="Overwrite existing specs."),
)
