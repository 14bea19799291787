"""`python -m bench.assemble 10000 100000`: what assembling costs, apart from compiling and from files.

The records of 300 tools are repeated under new names; each size runs in a process of its own.
"""

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import click
from msgspec.structs import replace
from toolcast.project.core.pure import compile_specs, make_kit
from toolcast.project.state.cache import Cache, Unit, decode_cache, encode_cache
from toolcast.project.steps.assemble import assemble

from .corpora.compile import PROVIDERS
from .speed.material import spec_text, tools

SAMPLE, SHARD = 300, 128
CORPORA = Path(os.environ.get("TOOLCAST_SHARED", Path(__file__).resolve().parents[2] / "shared")) / "corpora"


def renamed(record: Unit, number: int) -> Unit:
    """`record` as that of another tool, in a group of fifty."""
    assert record.entry is not None
    name, group = f"t{number}", f"group_{number // 50}"
    entry = replace(
        record.entry,
        path=f"{group}/{name}.yaml",
        name=name,
        group=group,
        module=f"{group}.{name}",
        constant=name.upper(),
        keyword=name,
        handler=f"T{number}Handler",
    )
    outputs = {path.replace(record.entry.name, name): value for path, value in record.outputs.items()}
    own = f"{record.entry.module.replace('.', '/')}.py"
    outputs = {path: value for path, value in outputs.items() if path != own.replace(record.entry.name, name)}
    outputs[f"{group}/{name}.py"] = record.outputs[own]
    return replace(record, outputs=outputs, entry=entry)


def measure(count: int) -> str:
    """One row of the table."""
    sources = {f"{tool.name}.yaml": spec_text(tool).encode() for tool in tools(CORPORA, SAMPLE)[0]}
    kit = make_kit(PROVIDERS)
    sample = [made.record for made in compile_specs(sources, sources, kit)]
    shards: dict[str, Cache] = {}
    size = 0
    for start in range(0, count, SHARD):
        records = [renamed(sample[n % SAMPLE], n) for n in range(start, min(count, start + SHARD))]
        units = {record.entry.path: record for record in records if record.entry is not None}
        text = encode_cache(Cache(setting={"kit": kit.digest}, units=units))
        size += len(text)
        shards[str(start)] = decode_cache(text)
    before = time.process_time()
    done = assemble(shards, kit)
    cpu = time.process_time() - before
    if len(done.units) != count or done.diagnostics:
        raise SystemExit(f"not all of {count} stand: {done.diagnostics[:3]}")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    registry = len(done.files["registry.py"]) / 1e6
    return f"| {count:,} | {cpu:.2f} | {memory:,.0f} | {size / 1e6:,.0f} | {registry:,.1f} |"


@click.command()
@click.argument("counts", nargs=-1, type=click.IntRange(min=1))
@click.option("--here", is_flag=True, hidden=True)
def main(counts: tuple[int, ...], here: bool) -> None:
    """Print a row for each of COUNTS."""
    if here:
        click.echo(measure(counts[0]))
        return
    click.echo("| specs | seconds of a processor | memory, MB | records, MB | registry.py, MB |")
    click.echo("|--:|--:|--:|--:|--:|")
    for count in counts or (1_000, 10_000):
        words = [sys.executable, "-m", "bench.assemble", "--here", str(count)]
        click.echo(subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip())


if __name__ == "__main__":
    main()
