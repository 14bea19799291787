"""Models of tools for tests of targets: the reference tools, and real ones of the shared corpora."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from toolcast.contract.build import Built, build_tool
from toolcast.package_files import target_folder
from toolcast.providers import available
from toolcast.spec.load import load_tool, load_type, spec_of
from toolcast.spec.read_file import parse_file
from toolcast.targets.make_model import set_model, tool_model
from toolcast.targets.model import SetModel, ToolModel
from toolcast.targets.target import Target, TargetFolder, load_target
from toolcast.toml_tables import Locator, TableReader

from tests.optional import load

Tools = tuple[tuple[ToolModel, Built], ...]
"""Models of tools, with their contracts."""
ROOT = Path(__file__).resolve().parents[2]
_KNOWN = frozenset(available())
PLAIN = {"description": "Does something.", "permission": "read", "secrets": []}


def model_of(name: str, spec: Mapping[str, Any]) -> tuple[ToolModel, Built] | None:
    """The model and contract of one spec, whose parameters are its own; None where it does not compile."""
    content = json.dumps({**PLAIN, **spec}).encode()
    tool, _, _ = spec_of(parse_file(content, f"specs/{name}.json", "json"), f"{name}.json", _KNOWN)
    built = None if tool is None else build_tool(tool, {})
    if tool is None or built is None or built.contract is None:
        return None
    return tool_model(tool, built, tool.name, tool.name.upper(), {}), built


@cache
def reference_tools() -> Tools:
    """The reference tools."""
    root = ROOT / "specs"
    paths = sorted(path.relative_to(root).as_posix() for path in root.rglob("*.yaml"))
    types = {
        path: document
        for path in paths
        if path.startswith("_types/")
        and (document := load_type(root, path, shown_root="specs")[0]) is not None
    }
    found = []
    for path in paths:
        if path in types:
            continue
        tool, problems = load_tool(root, path, shown_root="specs", known_providers=_KNOWN)
        assert tool is not None, problems
        built = build_tool(tool, types)
        found.append((tool_model(tool, built, tool.name, tool.name.upper(), {}), built))
    return tuple(found)


@cache
def corpus_tools(shared: Path, count: int = 200) -> Tools:
    """As many real tools, the same share of each corpus."""
    files = sorted((shared / "corpora").glob("*.jsonl"))
    found = []
    for file in files:
        records = _records(file)
        made = (model_of(f"{file.stem}_{number}", record) for number, record in enumerate(records))
        found += list(islice((each for each in made if each), count // 4))
    return tuple(found[:count])


def _records(file: Path) -> Iterator[dict[str, Any]]:
    lines = file.read_text("utf-8").splitlines()
    for line in lines[:: max(1, len(lines) // 60)]:
        record = json.loads(line)
        text = str(record.get("description") or "").strip()
        yield {"parameters": record["parameters"], **({"description": text} if text else {})}


def together(tools: Tools) -> SetModel:
    return set_model(model for model, _ in tools)


def built_in(id: str, **options: Any) -> Target:
    """A built-in target with options."""
    folder = TargetFolder(id=id, folder=target_folder(id), shown=id, built_in=True, stated=options)
    target, problems = load_target(folder, TableReader(Locator("", ""), ("targets", id)))
    assert target is not None, problems
    return target


def python_client(document: bytes, folder: Path, name: str) -> None:
    """Make the package `name` of an OpenAPI document by openapi-python-client, without a warning."""
    load("openapi_python_client")
    (folder / "openapi.json").write_bytes(document)
    (folder / "settings.yaml").write_text("post_hooks: []\n", encoding="utf-8")  # no formatter
    program = str(Path(sys.executable).with_name("openapi-python-client"))
    options = ["--meta", "none", "--config", "settings.yaml", "--fail-on-warning"]
    done = subprocess.run(
        [program, "generate", "--path", "openapi.json", "--output-path", name, *options],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
