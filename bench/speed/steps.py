"""What is measured: each step is one real process, after what it needs was put in place."""

import ast
import json
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path

from ..corpora.compile import PROVIDERS
from . import listing
from .baml import Project
from .material import Tool, changed, spec_path, spec_text, write_project, write_schemas
from .timing import BenchError, Time, environment, timed

BARE = "python -c pass"
LISTING = "python, lists and stats the same files"
NOTHING = "generate, nothing changed"
ONE = "generate, one spec changed"
COLD = "generate, cold"
RIVAL_ONE = "datamodel-codegen, that one file"
RIVAL_ONE_BARE = "datamodel-codegen, that one file, no formatter"
RIVAL_ALL = "datamodel-codegen, all files, no formatter"
BAML_NOTHING = "baml-cli generate, nothing changed"
BAML_ONE = "baml-cli generate, one function changed"
BAML_COLD = "baml-cli generate, cold"
OURS = (NOTHING, ONE, COLD)
BAML = (BAML_NOTHING, BAML_ONE, BAML_COLD)
STEPS = (BARE, LISTING, *OURS, RIVAL_ONE, RIVAL_ONE_BARE, RIVAL_ALL, *BAML)
BAML_CLI = Path(__file__).resolve().parents[2] / ".venv-peers" / "bin" / "baml-cli"
"""In the environment of the peers (`make peers`); without it, BAML is left out."""

_RIVAL = (
    *("--input-file-type", "jsonschema", "--output-model-type", "msgspec.Struct"),
    *("--target-python-version", "3.11", "--disable-timestamp", "--disable-warnings", "--ignore-pyproject"),
)


class Ground:
    """One project of one size, with the same parameters as a folder of JSON Schemas beside it."""

    def __init__(self, listed: list[Tool], folder: Path, providers: Sequence[str] = PROVIDERS) -> None:
        self._tools, self._folder = listed, folder
        self._project, self._schemas = folder / "project", folder / "schemas"
        self._aside = folder / "aside"
        self._turn = 0
        self._env = environment(folder / "bytecode")
        write_project(listed, self._project, providers)
        write_schemas(listed, self._schemas)
        self.baml = Project(folder / "baml", listed) if BAML_CLI.is_file() else None
        baml: Mapping[str, Callable[[], Time]] = {
            BAML_COLD: self._baml_cold,
            BAML_NOTHING: self._baml,
            BAML_ONE: self._baml_one,
        }
        self.steps: Mapping[str, Callable[[], Time]] = {
            COLD: self._cold,
            BARE: lambda: timed((sys.executable, "-c", "pass"), folder, env=self._env),
            LISTING: self._listing,
            NOTHING: self._nothing,
            ONE: self._one,
            **({} if self.baml is None else baml),
            RIVAL_ONE: self._rival_one,
            RIVAL_ONE_BARE: lambda: self._rival_one("--no-formatters"),
            RIVAL_ALL: self._rival_all,
        }

    def round(self, wanted: Collection[str] = STEPS) -> Iterator[tuple[str, Time]]:
        """Each of the `wanted` steps once, in turns: noise on the machine hits all of them."""
        if COLD not in wanted and not (self._project / "generated").exists():
            self._cold()
        needed = {*wanted}
        if not needed.isdisjoint((RIVAL_ONE, RIVAL_ONE_BARE, BAML_ONE)):
            needed.add(ONE)  # which changes the spec that they read
        for name, step in self.steps.items():
            if name in needed:
                taken = step()
                if name in wanted:
                    yield name, taken

    def stages(self) -> Mapping[str, Sequence[float]]:
        """Where the time of one cold run goes: by the clock, of the first process, of the others."""
        self._set_aside(self._project / "generated")
        self._set_aside(self._project / ".toolcast")
        command = (sys.executable, "-m", "bench.speed.whole", str(self._project))
        root = Path(__file__).resolve().parents[2]
        done = subprocess.run(command, cwd=root, env=self._env, capture_output=True, check=False)
        if done.returncode:
            raise BenchError(done.stderr.decode(errors="replace")[-2000:])
        found: Mapping[str, Sequence[float]] = json.loads(done.stdout)
        return found

    def _generate(self, rebuilt: int) -> Time:
        count = len(self._tools)
        expected = f"{rebuilt} rebuilt, {count - rebuilt} unchanged; "
        return timed((_script("toolcast"), "generate"), self._project, expected, env=self._env)

    def _cold(self) -> Time:
        self._set_aside(self._project / "generated")
        self._set_aside(self._project / ".toolcast")
        return self._generate(len(self._tools))

    def _set_aside(self, path: Path) -> None:
        """Clear the place. Not by deleting: ext4 is slow to reuse files that were deleted just before."""
        if path.exists():
            self._aside.mkdir(exist_ok=True)
            path.rename(self._aside / str(sum(1 for _ in self._aside.iterdir())))

    def _nothing(self) -> Time:
        return self._generate(0)

    def _listing(self) -> Time:
        folders = [str(self._project / name) for name in ("specs", "generated")]
        return timed((sys.executable, listing.__file__, *folders), self._folder, " files", env=self._env)

    def _baml(self) -> Time:
        return timed((str(BAML_CLI), "generate"), self._folder / "baml", "Wrote 14 files", env=self._env)

    def _baml_cold(self) -> Time:
        self._set_aside(self._folder / "baml" / "baml_client")
        return self._baml()

    def _baml_one(self) -> Time:
        assert self.baml is not None
        self.baml.write(self._tools[self._turn * 7 % len(self._tools)])  # the tool that `_one` changed
        return self._baml()

    def _one(self) -> Time:
        self._turn += 1
        number = self._turn * 7 % len(self._tools)
        tool = changed(self._tools[number], self._turn)
        spec_path(self._project, number, tool).write_text(spec_text(tool), encoding="utf-8")
        taken = self._generate(1)
        self._tools[number] = tool
        write_schemas([tool], self._folder / f"one-{self._turn}")
        return taken

    def _rival_one(self, *options: str) -> Time:
        folder = self._folder / f"one-{self._turn}"
        (source,) = folder.glob("*.json")
        output = self._folder / "one.py"
        output.unlink(missing_ok=True)
        command = (_script("datamodel-codegen"), "--input", str(source), "--output", str(output))
        taken = timed((*command, *_RIVAL, *options), self._folder, env=self._env)
        _check_models(output)
        return taken

    def _rival_all(self) -> Time:
        output = self._folder / "models"
        self._set_aside(output)
        command = (_script("datamodel-codegen"), "--input", str(self._schemas), "--output", str(output))
        taken = timed((*command, *_RIVAL, "--no-formatters"), self._folder, env=self._env)
        for tool in self._tools:
            _check_models(output / f"{tool.name}.py")
        return taken


def _check_models(file: Path) -> None:
    """The comparison is fair only if models were really written: a class or an alias in each module."""
    tree = ast.parse(file.read_bytes()) if file.is_file() else ast.Module(body=[], type_ignores=[])
    if not any(isinstance(node, ast.ClassDef | ast.AnnAssign | ast.Assign) for node in tree.body):
        raise BenchError(f"datamodel-codegen wrote no model to {file.name}")


def _script(name: str) -> str:
    path = Path(sys.executable).parent / name
    if not path.is_file():
        raise BenchError(f"{name} is not installed beside {sys.executable}")
    return str(path)
