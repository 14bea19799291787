"""`toolcast import decide`: permissions and secrets of many specs at once, where they are undecided."""

from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import click

from ..config import show
from ..console import one_line, write_line
from ..diagnostics import Diagnostic
from ..importers.spec_text import Choices
from ..permissions import Permission
from .complete_values import complete_tools
from .import_options import permission_patterns, secret_patterns
from .import_report import count, print_problems
from .options import config_option, configuration, examples


@click.command(
    "decide",
    epilog=examples(
        "toolcast import decide --permission read --secrets none",
        "toolcast import decide 'git_*' --permission read --permission 'git_commit=write'",
    ),
)
@click.argument("patterns", nargs=-1, metavar="[NAME…]", shell_complete=complete_tools)
@click.option(
    "--permission",
    multiple=True,
    callback=permission_patterns,
    metavar="[PATTERN=]PERMISSION",
    help="What tools may do: all, or those whose name matches. May be repeated.",
)
@click.option(
    "--secrets",
    multiple=True,
    callback=secret_patterns,
    metavar="[PATTERN=]NAMES",
    help="Parameters that may carry secrets: a,b or none. May be repeated.",
)
@config_option
def command(
    patterns: tuple[str, ...],
    permission: tuple[Permission | None, tuple[tuple[str, Permission], ...]],
    secrets: tuple[tuple[str, ...] | None, tuple[tuple[str, tuple[str, ...]], ...]],
    config_file: Path | None,
) -> int:
    """Decide what specs leave open: lines that say TODO, of the tools whose names match NAME, or of all.

    What a person decided stays, and so does everything else in the files. The exit status is 1 if a spec
    cannot be read or written.
    """
    choices = Choices(
        permission=permission[0],
        permissions=permission[1],
        secrets=secrets[0],
        secrets_of=secrets[1],
    )
    if choices == Choices():
        raise click.UsageError("Nothing to decide: give --permission or --secrets, or both.")
    config = configuration(config_file)
    from ..spec.discovery import discover

    changed = open_ = 0
    problems: list[Diagnostic] = []
    for path in discover(config.specs, shown_root=show(config.specs)).tools:
        outcome = _decide(config.specs, path, patterns, choices)
        if isinstance(outcome, Diagnostic):
            problems.append(outcome)
            continue
        decisions, left = outcome
        open_ += left
        if decisions:
            changed += 1
            words = ", ".join(f"{key} {_shown(value)}" for key, value in decisions.items())
            write_line(f"decided  {one_line(show(config.specs / path))}: {words}")
    print_problems(problems)
    write_line(
        f"{count(changed, 'spec')} changed, {open_} still undecided, {count(len(problems), 'problem')}"
    )
    return int(bool(problems))


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else "none" if not value else ",".join(value)


def _decide(
    root: Path, path: str, patterns: tuple[str, ...], choices: Choices
) -> tuple[dict[str, Any], bool] | Diagnostic:
    """Decide one spec: what was decided, and whether something is left open."""
    from ..importers.edit_yaml import EditError
    from ..importers.imported_specs import decided
    from ..importers.lock import write_text
    from ..importers.spec_text import property_names
    from ..lint.tool_list import undecided_keys
    from ..spec.read_file import SourceDocument, decode, read_document

    file = root / path
    document = read_document(file, show(file))
    if not isinstance(document, SourceDocument) or not isinstance(document.data, dict):
        return {}, False  # what is wrong with it, `generate` says
    data = document.data
    keys = undecided_keys(data)
    stem = path.rpartition("/")[2].rpartition(".")[0]
    names = (str(data.get("name", stem)), stem)
    found: dict[str, Any] = {}
    if not patterns or any(fnmatchcase(name, pattern) for name in names for pattern in patterns):
        chosen, named = choices.permission_for(*names), choices.secrets_for(*names)
        if "permission" in keys and "permission" in data and chosen is not None:
            found["permission"] = chosen
        if "secrets" in keys and "secrets" in data and named is not None:
            found["secrets"] = [name for name in property_names(data.get("parameters")) if name in named]
    if found:
        try:
            write_text(file, decided(path, decode(file.read_bytes()), data, found))
        except (EditError, OSError) as problem:
            message = f"cannot be changed: {problem}"
            return Diagnostic(file=show(file), code="decide", message=message, hint="write it by hand")
    return found, bool(set(keys) - set(found))
