"""Tools of this repository and of the corpora as models, and targets that read them."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from toolcast.package_files import target_folder
from toolcast.project.core.compiled import Options
from toolcast.project.core.compiler import build_tool, model_of
from toolcast.providers import available
from toolcast.spec.load import load_library
from toolcast.spec.spec_reader import read_tool
from toolcast.targets.make_model import set_model
from toolcast.targets.model import SetModel, ToolModel
from toolcast.targets.target import Target, TargetFolder, load_target
from toolcast.toml_tables import Locator, TableReader

from tests.python.compiled import document

ROOT = Path(__file__).resolve().parents[2]
PROJECT = {"name": "acme", "version": "1.2.3", "description": "Tools of Acme."}
HOSTILE = (
    'say "it\'s" `here` $(x)\n*/ # \\ % %(prog)s %d {{ x }} </b> \u202e\u2028',
    '"""\nimport os',
    "-x --y=z\r\n\x1b[31m",
)


def target(id: str, folder: Path | None = None) -> Target:
    """A built-in target, or that of a folder, in a project that states what one may state."""
    place = target_folder(id) if folder is None else folder
    where = TargetFolder(id=id, folder=place, shown=id, built_in=folder is None, project=PROJECT)
    found, problems = load_target(where, TableReader(Locator("", ""), ("targets", id)))
    assert found is not None, problems
    return found


def model(path: str, spec: Mapping[str, Any]) -> ToolModel | None:
    """The model of a spec without shared types; None for one that does not compile."""
    read, _, _ = read_tool(document(spec, path), path, frozenset())
    if read is None:
        return None
    built = build_tool(read, {})
    return None if built.contract is None else model_of(read, built, {}, Options(providers=()))


def own_model() -> SetModel:
    """The tools of this repository."""
    library = load_library(ROOT / "specs", shown_root="specs", known_providers=frozenset(available()))
    built = ((tool, build_tool(tool, library.types)) for tool in library.tools)
    return set_model(model_of(tool, each, {}, Options(providers=())) for tool, each in built)


def corpus(shared: Path, every: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """The path and the spec of one of `every` tools of the corpora."""
    for file in sorted((shared / "corpora").glob("*.jsonl")):
        for number, line in enumerate(file.read_text("utf-8").splitlines()[::every]):
            record = json.loads(line)
            spec = {
                "name": re.sub(r"[^A-Za-z0-9_-]", "_", f"{file.stem}_{number}_{record['name']}")[:64],
                "description": record["description"] or "A tool.",
                "permission": "execute",
                "secrets": [],
                "parameters": record["parameters"],
                "examples": record.get("calls", [])[:2],
            }
            yield f"{file.stem}/{number}.json", spec


def corpus_model(shared: Path) -> SetModel:
    """200 tools of the corpora, without those that toolcast refuses."""
    found = (model(path, spec) for path, spec in corpus(shared, 5))
    return set_model(each for each in found if each is not None)
