"""`python -m bench.declarations`: writes the report on declarations.

    python -m bench.declarations --write docs/reports/declarations.md

Tokens are counted with gpt-tokenizer's o200k_base; `tsc --strict` and pyright (strict) judge the
declarations, and generated calls. A call agrees where the compiler accepts it and the contract does, or
both refuse. What no type can say is counted apart: a call that only breaks keywords which the comment or the
ledger has.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ..corpora.compile import CORPORA
from .measurement import measure
from .page import page


@click.command()
@click.option("--write", type=click.Path(dir_okay=False, path_type=Path), help="Write the page here, too.")
@click.option("--each", type=click.IntRange(min=1), default=10, help="Calls of each tool.")
@click.option("--every", type=click.IntRange(min=1), default=1, help="Take each N-th tool only.")
def main(write: Path | None, each: int, every: int) -> None:
    """Measure the declarations of every shared corpus; exit 1 on a disagreement."""
    rows = []
    for corpus in CORPORA:
        click.echo(f"{corpus} …", err=True)
        rows.append(measure(corpus, each, every))
    text = page(rows)
    if write is not None:
        write.write_text(text, encoding="utf-8", newline="\n")
    click.echo(text)
    wrong = [problem for row in rows for one in row.agreements for problem in one.disagreements]
    wrong += [f"in neither declaration nor ledger: {each}" for row in rows for each in row.unstated]
    for problem in wrong:
        click.echo(problem[:1000], err=True)
    sys.exit(int(bool(wrong)))


if __name__ == "__main__":
    main()
