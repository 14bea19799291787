"""`python -m bench.score`: holds the score against recorded calls and labelled texts.

python -m bench.score                                  print the parts of the report
python -m bench.score --write docs/reports/score.md    and write them
"""

from __future__ import annotations

import os
from pathlib import Path

import click

from ..marked import write as write_part
from .ceiling import ceiling_part
from .hard_tools import tools_part
from .labelled_pairs import labelled_pairs_part, pair_labels
from .labelled_texts import texts_part
from .pairs import pairs_part
from .retrieval import retrieval_part
from .signals import signals_part
from .speed import speed_part
from .tool_sets import ALL_SERVERS, labelled, unlabelled
from .unlabelled_sets import others_part

ROOT = Path(__file__).resolve().parents[2]


@click.command()
@click.option(
    "--write", type=click.Path(dir_okay=False, exists=True, path_type=Path), help="Write the parts here, too."
)
def main(write: Path | None) -> None:
    """Hold the score against recorded calls and labelled texts."""
    corpora = Path(os.environ.get("TOOLCAST_SHARED", ROOT.parent / "shared")) / "corpora"
    if not corpora.is_dir():
        raise click.ClickException(f"not found: {corpora}; set TOOLCAST_SHARED")
    sets = labelled(corpora)
    others = unlabelled(corpora)
    every = [*sets, *(each for each in others if each.name != ALL_SERVERS)]
    read = pair_labels(corpora)
    parts = {
        "retrieval": retrieval_part(sets),
        "tools": tools_part(sets),
        "pairs": pairs_part(sets),
        "ceiling": ceiling_part(sets),
        "read": labelled_pairs_part(every, read),
        "signals": signals_part(sets, every, read),
        "others": others_part(others),
        "texts": texts_part(corpora),
        "speed": speed_part(corpora),
    }
    for name, body in parts.items():
        click.echo(f"{name}\n\n{body}\n")
        if write is not None:
            write_part(write, name, body)


if __name__ == "__main__":
    main()
