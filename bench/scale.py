"""`python -m bench.scale`: thousands of specs by `generate`, by Bazel and by BuildGrid.

    python -m bench.scale --specs 10000                    a table
    python -m bench.scale --specs 10000 --write docs/reports/scale.md
    python -m bench.scale --specs 10000 --way bazel

Bazel is measured where `make bazel` has put it. Its times are by the clock alone: a server does the work.
"""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click
from msgspec import Struct

from tests.bazel.helper import BAZEL, Checkout, checkout, executed_by
from tests.remote.server import LEASE, WHEELS, buildgrid

from .corpora.compile import PROVIDERS
from .speed.material import Tool, changed, spec_path, spec_text, tools, write_project
from .speed.timing import BenchError, environment

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- measured -->", "<!-- /measured -->"
SHARD = 128


class Row(Struct, frozen=True):
    """One step: seconds by the clock and of processors, and the largest process in MB; None: not known."""

    way: str
    step: str
    wall: float
    cpu: float | None = None
    memory: float | None = None


class Ground:
    """Projects of one set of tools, one for each way to build it."""

    def __init__(self, listed: list[Tool], folder: Path) -> None:
        self.tools, self.folder = listed, folder
        self.env = environment(folder / "bytecode")

    def project(self, name: str) -> Path:
        place = self.folder / name
        write_project(self.tools, place)
        return place

    def edit(self, project: Path, turn: int) -> None:
        number = len(self.tools) // 2
        tool = changed(self.tools[number], turn)
        spec_path(project, number, tool).write_text(spec_text(tool), encoding="utf-8")

    def measure(self, way: str, step: str, project: Path, *words: str) -> Row:
        """Run a step. Raises BenchError where it fails."""
        with (self.folder / "said").open("w+b") as said:
            started = time.perf_counter()
            process = subprocess.Popen(
                words, cwd=project, env=self.env, stdout=said, stderr=subprocess.STDOUT
            )
            _, status, usage = os.wait4(process.pid, 0)  # of this child and its own children
            wall = time.perf_counter() - started
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                said.seek(0)
                raise BenchError(f"{' '.join(words)}: {said.read().decode(errors='replace')[-2000:]}")
        return Row(way, step, wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def generate(ground: Ground) -> Iterator[Row]:
    project, words = ground.project("generate"), (_script("toolcast"), "generate")
    yield ground.measure("generate", "first build", project, *words)
    yield ground.measure("generate", "nothing changed", project, *words)
    ground.edit(project, 1)
    yield ground.measure("generate", "one spec changed", project, *words)
    shutil.rmtree(project / ".toolcast")
    yield ground.measure("generate", "outputs there, no cache", project, *words)


def bazel(ground: Ground) -> Iterator[Row]:
    cache = f"--disk_cache={ground.folder / 'cache'}"
    with _checkouts(ground, "bazel") as (one, two):
        yield _built("Bazel", "first build", lambda: one.build(cache))
        yield _built("Bazel", "nothing changed", lambda: one.build(cache))
        ground.edit(one.project, 1)
        yield _built("Bazel", "one spec changed", lambda: one.build(cache))
        parts = (cache, "--output_groups=shards,whole")
        one.build(*parts)
        ground.edit(one.project, 2)
        yield _built("Bazel", "one spec changed, parts only", lambda: one.build(*parts))
        local = (cache, "--strategy=ToolcastAssemble=local")
        ground.edit(one.project, 3)
        yield _built("Bazel", "one spec changed, assembled without sandbox", lambda: one.build(*local))
        yield _built("Bazel", "second checkout, disk cache", lambda: two.build(cache))


def remote(ground: Ground) -> Iterator[Row]:
    """Bazel with BuildGrid and two workers, of which one is killed in the last step."""
    name = "Bazel, BuildGrid"
    with buildgrid(ground.folder / "grid") as grid, _checkouts(ground, "remote") as (one, two):
        options = executed_by(grid)
        yield _built(name, "first build", lambda: one.build(*options))
        yield _built(name, "nothing changed", lambda: one.build(*options))
        yield _built(name, "second checkout", lambda: two.build(*options))
        ground.edit(one.project, 1)
        yield _built(name, "one spec changed", lambda: one.build(*options))
        parts = (*options, "--output_groups=shards,whole")
        one.build(*parts)
        ground.edit(one.project, 2)
        yield _built(name, "one spec changed, parts only", lambda: one.build(*parts))
        (one.project / "pyproject.toml").write_text(_config(*PROVIDERS[1:]), encoding="utf-8")
        with ThreadPoolExecutor(1) as pool:
            step = f"every spec compiled anew, a worker killed, its lease {LEASE} s"
            row = pool.submit(_built, name, step, lambda: one.build(*options))
            grid.kill_one(row.done)
            yield row.result()


@contextlib.contextmanager
def _checkouts(ground: Ground, name: str) -> Iterator[tuple[Checkout, Checkout]]:
    """Two of one project, with Bazel running and toolcast installed."""
    specs = {
        spec_path(Path(), number, tool).relative_to("specs").as_posix(): spec_text(tool)
        for number, tool in enumerate(ground.tools)
    }
    with contextlib.ExitStack() as stack:
        made = [
            stack.enter_context(
                checkout(
                    ground.folder / name / each,
                    specs=specs,
                    config=_config(*PROVIDERS),
                    shard_size=str(SHARD),
                )
            )
            for each in ("one", "two")
        ]
        for each in made:
            each.bazel("build", "--nobuild", "//tools:generated")
        yield made[0], made[1]


def _config(*providers: str) -> str:
    return f"[tool.toolcast]\nproviders = {list(providers)!r}\nmodels = []\n".replace("'", '"')


def _built(way: str, step: str, build: Callable[[], dict[str, int]]) -> Row:
    started = time.perf_counter()
    ran = build()
    wall = time.perf_counter() - started
    processes = ", ".join(f"{count} {how}" for how, count in ran.items())
    return Row(way, f"{step} ({processes or 'no process'})", wall)


WAYS: dict[str, Callable[[Ground], Iterator[Row]]] = {
    "generate": generate,
    "bazel": bazel,
    "remote": remote,
}
MADE = {
    "bazel": ("bazel", "one", "bazel-bin", "tools"),
    "generate": ("generate",),
    "remote": ("remote", "one", "bazel-bin", "tools"),
}
"""Where each way leaves its output, below the ground; the first that was taken is measured."""


def sizes(folder: Path) -> tuple[int, int]:
    """Files below `folder`, and their bytes."""
    found = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    return len(found), sum(found)


def table(rows: list[Row], count: int) -> str:
    names = f"| {count:,} specs | | seconds | of processors | largest process, MB | per spec, ms |"
    head = f"{names}\n|---|---|--:|--:|--:|--:|"
    lines = [
        f"| {row.way} | {row.step} | {row.wall:.2f} | {_or(row.cpu, '.2f')} | {_or(row.memory, '.0f')} "
        f"| {(row.wall if row.cpu is None else row.cpu) / count * 1000:.2f} |"
        for row in rows
    ]
    return "\n".join([head, *lines])


def _or(value: float | None, form: str) -> str:
    return "–" if value is None else format(value, form)


def _script(name: str) -> str:
    return str(Path(sys.executable).with_name(name))


@click.command()
@click.option("--specs", "count", type=click.IntRange(min=1, max=100_000), default=1000, show_default=True)
@click.option(
    "--way", "names", type=click.Choice([*WAYS]), multiple=True, help="Measure these (default: all)."
)
@click.option(
    "--folder", type=click.Path(path_type=Path, file_okay=False), help="Build below it (default: /tmp)."
)
@click.option("--write", "page", type=click.Path(path_type=Path, dir_okay=False), help="Put the table there.")
def main(count: int, names: tuple[str, ...], folder: Path | None, page: Path | None) -> None:
    """Build COUNT specs in every way, and print what each step costs."""
    corpora = Path(os.environ.get("TOOLCAST_SHARED", ROOT.parent / "shared")) / "corpora"
    listed, origin = tools(corpora, count)
    chosen = names or [
        name for name in WAYS if name not in ("bazel", "remote") or (BAZEL and WHEELS.is_dir())
    ]
    rows: list[Row] = []
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="toolcast-scale-", dir=folder) as base:
        ground = Ground(listed, Path(base))
        for name in chosen:
            for row in WAYS[name](ground):
                click.echo(f"{row.way:10} {row.step:60} {row.wall:8.2f} s", err=True)
                rows.append(row)
        made = Path(base, *next(place for way, place in MADE.items() if way in chosen))
        files, size = sizes(made / "generated")
        records = sum(path.stat().st_size for path in made.rglob("units.json"))
    text = (
        f"{count:,} specs from {origin}, {os.cpu_count()} processors, Python {sys.version.split()[0]}; "
        f"shards of {SHARD}. Load of the machine: {load:.1f} before, {os.getloadavg()[0]:.1f} after.\n\n"
        f"{table(rows, count)}\n\n"
        f"Output: {files:,} files, {size / 1e6:,.0f} MB; per spec {files / count:.1f} files, "
        f"{size / count / 1000:.1f} kB. Records: {records / 1e6:,.1f} MB, "
        f"{records / count / 1000:.2f} kB per spec."
    )
    if page is None:
        click.echo(text)
        return
    whole = page.read_text(encoding="utf-8")
    fresh = re.sub(f"{BEGIN}.*{END}", lambda _: f"{BEGIN}\n{text}\n{END}", whole, flags=re.DOTALL)
    page.write_text(fresh, encoding="utf-8")


if __name__ == "__main__":
    main()
