"""`python -m bench`: how long `toolcast generate` takes, beside datamodel-code-generator's own command."""

import json
import os
import tempfile
from collections import Counter
from pathlib import Path

import click
from toolcast.providers import available

from .corpora.compile import PROVIDERS
from .marked import write
from .speed.material import tools
from .speed.steps import COLD, STEPS, Ground
from .speed.table import as_json, page, stages
from .speed.timing import BenchError, Time

_ROOT = Path(__file__).resolve().parents[1]
_SIZES = (20, 200, 1000)


def _sizes(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[int, ...] | None:
    if value is None:
        return None
    numbers = value.split(",")
    if not all(number.isdecimal() and 0 < int(number) <= 20_000 for number in numbers):
        raise click.BadParameter("expected numbers of specs, such as 20,200", ctx, param)
    return tuple(sorted({int(number) for number in numbers}))


@click.command()
@click.option("--sizes", callback=_sizes, metavar="N,…", help="Numbers of specs (default: 20,200,1000).")
@click.option("--rounds", type=click.IntRange(min=1), help="Runs of each step (default: 7).")
@click.option("--quick", is_flag=True, help="20 specs and 3 rounds, unless said otherwise.")
@click.option(
    "--json", "file", type=click.Path(dir_okay=False, path_type=Path), help="Write all times here, too."
)
@click.option(
    "--write", "target", type=click.Path(dir_okay=False, path_type=Path), help="Put the tables in this page."
)
@click.option(
    "--only", "only", multiple=True, metavar="WORDS", help="Steps whose name holds WORDS; repeatable."
)
@click.option(
    "--providers", "many", type=click.IntRange(1), metavar="N", help="So many providers (default: 5)."
)
def main(
    sizes: tuple[int, ...] | None,
    rounds: int | None,
    quick: bool,
    file: Path | None,
    target: Path | None,
    only: tuple[str, ...],
    many: int | None,
) -> None:
    """Time `toolcast generate` with nothing changed, with one spec changed, and cold."""
    sizes = sizes or (_SIZES[:1] if quick else _SIZES)
    rounds = rounds or (3 if quick else 7)
    corpora = Path(os.environ.get("TOOLCAST_SHARED", _ROOT.parent / "shared")) / "corpora"
    listed, origin = tools(corpora, max(sizes))
    wanted = [step for step in STEPS if not only or any(words in step for words in only)]
    providers = tuple(
        PROVIDERS if many is None else [*PROVIDERS, *sorted({*available()} - {*PROVIDERS})][:many]
    )
    measured: dict[int, dict[str, list[Time]]] = {size: {step: [] for step in wanted} for size in sizes}
    stage_table: list[str] = []
    left_out: Counter[str] = Counter()

    from rich.console import Console
    from rich.progress import Progress

    with (
        tempfile.TemporaryDirectory(prefix="bench-") as temporary,
        Progress(console=Console(stderr=True), transient=True) as progress,
    ):
        bar = progress.add_task("", total=len(sizes) * (rounds + 1) * len(wanted))
        for size in sizes:
            ground = Ground(listed[:size], Path(temporary) / str(size), providers)
            for number in range(rounds + 1):
                progress.update(bar, description=f"{size} specs, round {number} of {rounds}")
                try:
                    for step, taken in ground.round(wanted):
                        if number:  # the first round fills the caches of Python and of the disk
                            measured[size][step].append(taken)
                        progress.advance(bar)
                except BenchError as error:
                    raise click.ClickException(str(error)) from error
            if COLD in wanted:
                stage_table = stages(ground.stages())
            if ground.baml is not None and size == max(sizes):
                left_out = ground.baml.left_out
    text = page(measured, origin, rounds)
    if left_out:
        text += f"\n\nBAML has no words for {left_out.total():,} keywords of {max(sizes):,} functions."
    click.echo("\n\n".join([text, *(["\n".join(stage_table)] if stage_table else [])]))
    if target is not None:
        write(target, "build", text)
    if file is not None:
        text = json.dumps(as_json(measured, origin, rounds), indent=2) + "\n"
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
