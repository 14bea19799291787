"""`toolcast changelog`."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from ..console import json_text
from .complete_values import complete_tools
from .diff import compared, state_options
from .options import config_option, configuration, examples, print_diagnostics

if TYPE_CHECKING:
    from ..diff.changelog import Entry


@click.command(
    "changelog",
    epilog=examples(
        "toolcast changelog --against v1.4..              since a release",
        "toolcast changelog --against v1.4.. --to v1.5    between two releases",
        "toolcast changelog --format json                 for a page of your own",
    ),
)
@click.argument("specs", nargs=-1, metavar="[SPEC]...", shell_complete=complete_tools)
@state_options
@click.option(
    "--format", "form", type=click.Choice(["markdown", "json"]), default="markdown", show_default=True,
    help="For a CHANGELOG, or for programs.",
)  # fmt: skip
@config_option
def command(
    specs: tuple[str, ...],
    against: str | None,
    to: str | None,
    form: Literal["markdown", "json"],
    config_file: Path | None,
) -> int:
    """Write what changed in the tools between two states, for the people who use them.

    By tool: removed, renamed, breaking, deprecated, added, changed, not compared. These are the changes of
    `toolcast diff`, but for those of providers' definitions and prompt caches; what specs suppress is among
    them. SPEC is a path or a tool's name; all tools without one. The exit status is 1 if a tool cannot be
    compared, 2 if a state cannot be read.
    """
    from ..diff.changelog import entries_of
    from ..diff.compare_states import Choice

    config = configuration(config_file, "json" if form == "json" else "text")
    outcome = compared(config, against, to, Choice(tools=specs), form=form)
    entries = entries_of(outcome)
    print_diagnostics(outcome.diagnostics)
    if form == "json":
        click.echo(json_text({"old": outcome.old, "new": outcome.new, "entries": entries}))
    else:
        click.echo("\n".join(_markdown(entries)))
    return int(outcome.failed and any(each.kind == "not compared" for each in entries))


def _markdown(entries: "Sequence[Entry]") -> Iterator[str]:
    from ..diff.changelog import KINDS
    from ..markdown_text import code, escaped

    if not entries:
        yield "No tool changed."
        return
    first = True
    for kind in KINDS:
        of_kind = [each for each in entries if each.kind == kind]
        if not of_kind:
            continue
        if not first:
            yield ""
        first = False
        yield f"### {kind.capitalize()}"
        yield ""
        for each in of_kind:
            if len(each.sentences) == 1:
                yield f"- {code(each.tool)}: {escaped(each.sentences[0])}"
            else:
                yield f"- {code(each.tool)}"
                yield from (f"  - {escaped(sentence)}" for sentence in each.sentences)
