"""`toolcast new`."""

import difflib
from pathlib import Path, PurePosixPath

import click

from ..config import show
from ..console import write_line
from .disk import create, disk_problem
from .editor_files import modeline
from .example import BLANK
from .options import config_option, configuration, examples, refuse


@click.command("new", epilog=examples("toolcast new files/edit", "toolcast new search"))
@click.argument("name", metavar="[GROUP/]NAME")
@config_option
def command(name: str, config_file: Path | None) -> None:
    """Write a commented spec to start from.

    It compiles when a person has decided what it leaves open: description, permission, secrets. The group is
    the folder below the specs folder.
    """
    from ..spec.tool_names import NAME, NAME_RULE, group_problem, module_problem

    config = configuration(config_file)
    posix = PurePosixPath(name)
    tool, group = posix.name.removesuffix(".yaml"), posix.parent.as_posix()
    group = "" if group == "." else group
    if posix.is_absolute() or ".." in posix.parts or "\\" in name:
        raise refuse(name, "bad-name", "this leaves the specs folder", "write it as group/name")
    if not NAME.fullmatch(tool):
        raise refuse(name, "bad-name", f"{tool!r} is no name for a tool", NAME_RULE)
    problem = group_problem(group) or module_problem(tool, group)
    if problem is not None:
        raise refuse(name, "bad-name", problem, "choose another name")
    path = config.specs / group / f"{tool}.yaml"
    for other in (path, path.with_suffix(".yml"), path.with_suffix(".json")):
        if other.exists() or other.is_symlink():
            raise refuse(
                show(other), "exists", "there is such a spec already", "choose another name, or edit it"
            )
    groups = [each.name for each in config.specs.glob("*/") if not each.name.startswith(("_", "."))]
    near = difflib.get_close_matches(group, groups, 1) if group and group not in groups else []
    try:
        create(path, modeline(path) + BLANK.replace("{name}", tool))
    except OSError as error:
        raise disk_problem(error, path) from None
    write_line(f"created   {show(path)}; next: decide what is TODO there, then toolcast generate")
    if near:
        write_line(f"note: the group {group!r} is new; there is one called {near[0]!r}")
