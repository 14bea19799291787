"""`python -m bench.lines`: how large the source is, as a table.

The closure is measured in a process of its own: the modules of toolcast that are loaded after
`generate --check` of the reference toolset, and after every public name of the runtime and of native
dispatch.
"""

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from toolcast.cli.main import COMMANDS

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "codegen" / "toolcast"
TOOLSET = ROOT / "codegen" / "toolcast_tools"
CLOSURE = """\
import sys
from toolcast.cli.building import generate
import toolcast.agents.dispatch as dispatch, toolcast.runtime as runtime
generate(wanted="check", jobs=1, form="json")
for package in (runtime, dispatch):
    for name in package.__all__:
        getattr(package, name)
found = {module.__file__ for name, module in sys.modules.items() if f"{name}.".startswith("toolcast.")}
print(*sorted(filter(None, found)), sep="\\n", file=sys.stderr)
"""
INTERPRETERS = {
    "the validator": "jsonschema/validator.py",
    "the contract reader": "contract/reader.py",
    "the provider passes": "providers/passes",
    "declarations": "runtime/declaration_text/schema_types.py",
    "the validator in JavaScript": "languages/typescript/support",
    "emptiness and containment": "jsonschema/emptiness.py",
    "edits of instances": "analysis/instances/oracle.py",
}
"""Where keywords of JSON Schema are given a meaning, and by what; one that is gone does not count."""
RECIPE = "## A key of a spec"
_SOURCE_FILE = re.compile(r"codegen/toolcast/[\w/]+\.(?:py|toml)")


def size(files: Iterable[Path]) -> str:
    """Modules and lines of some files."""
    counts = [len(path.read_bytes().splitlines()) for path in files]
    return f"{len(counts)} / {sum(counts):,}"


def closure() -> list[Path]:
    """The modules that a build of the reference toolset, the runtime and native dispatch load."""
    done = subprocess.run(
        [sys.executable, "-c", CLOSURE],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    return [Path(line) for line in done.stderr.splitlines() if line.endswith(".py")]


def recipe_files() -> str:
    """The number of source files that the recipe for a key of a spec names."""
    _, found, rest = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition(f"\n{RECIPE}")
    files = set(_SOURCE_FILE.findall(rest.partition("\n## ")[0]))
    return str(len(files)) if found else "no recipe"


def rows() -> Iterator[tuple[str, str]]:
    """The table: what is counted, and the count."""
    yield "modules / lines of `codegen/toolcast`", size(SOURCE.rglob("*.py"))
    toolset = [path for path in TOOLSET.rglob("*.py") if not path.is_relative_to(TOOLSET / "generated")]
    yield "modules / lines of `codegen/toolcast_tools`", size(toolset)
    yield "closure of generate + runtime + native dispatch", size(closure())
    yield "files that a new spec key touches", recipe_files()
    there = [name for name, path in INTERPRETERS.items() if (SOURCE / path).exists()]
    yield "places that interpret JSON Schema", f"{len(there)}: {', '.join(there)}"
    yield "commands", str(len(COMMANDS))


if __name__ == "__main__":
    print("| | today |\n|---|---|")
    for what, count in rows():
        print(f"| {what} | {count} |")
