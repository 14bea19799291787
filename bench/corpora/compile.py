"""One corpus → specs → a generated package, by the commands that users run."""

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from toolcast.importers.imported_names import unique

CORPORA = ("bfcl", "github-mcp-server", "mcp-servers", "openapi", "tau-bench")
PROVIDERS = ("openai", "openai-responses", "anthropic", "gemini", "mcp")
_TOLD = re.compile(r"^[^:\n]*:(\d+): warning\[([a-z-]+)\]: (.*)$", re.MULTILINE)
_LIMIT = 1800
"""Seconds after which a command counts as hung."""


class Refusal(Struct, frozen=True, order=True):
    """One problem of one spec, as `generate` tells it."""

    tool: str  # the spec's name
    code: str
    message: str


class Outcome(Struct, frozen=True, kw_only=True):
    """A compiled corpus. `records` are the published definitions by the names that their specs got."""

    corpus: str
    project: Path
    records: dict[str, dict[str, Any]]
    compiled: tuple[str, ...]
    refusals: tuple[Refusal, ...]
    changes: tuple[Refusal, ...]  # what the import left out of specs, and said so
    faults: tuple[str, ...]  # what must never happen: tracebacks, lost tools, a status that does not fit


def import_corpus(
    file: Path, project: Path, *, every: int = 1, providers: Sequence[str] = PROVIDERS
) -> subprocess.CompletedProcess[str]:
    """Import the tools of `file` (each `every`-th) into the new folder `project`.

    Args:
        file: the corpus, in JSON lines.
        project: the folder to make; it gets a configuration and `specs/`.
        every: of how many tools one is taken.
        providers: the ids of the providers that the project is configured for.

    Returns:
        What `toolcast import tools` answered.
    """
    lines = file.read_text(encoding="utf-8").splitlines()[::every]
    project.mkdir(parents=True)
    source = project / file.name
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    ids = ", ".join(f'"{name}"' for name in providers)
    (project / "pyproject.toml").write_text(f"[tool.toolcast]\nproviders = [{ids}]\n", encoding="utf-8")
    decided = ("--permission", "execute", "--secrets", "none")
    return _run(project, "import", "tools", source.name, "--into", "specs", *decided)


def compile_corpus(file: Path, project: Path, *, every: int = 1) -> Outcome:
    """Import the tools of `file` (each `every`-th) into the new folder `project` and generate all of them."""
    listed = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()[::every]]
    faults: list[str] = []
    imported = import_corpus(file, project, every=every)
    if imported.returncode != 0:
        faults.append(f"import tools: {imported.stdout}{imported.stderr}")
    generated = _run(project, "generate", "--format", "json")
    if "Traceback" in imported.stderr + generated.stderr:
        faults.append(f"traceback: {generated.stderr}")
    answer = json.loads(generated.stdout)
    names = unique([record["name"] for record in listed])
    records = dict(zip(names, listed, strict=True))
    told = _TOLD.findall(imported.stderr)
    refusals = [_refusal(each) for each in answer["diagnostics"] if each["severity"] == "error"]
    refused = {each.tool for each in refusals}
    compiled = [name for name in records if _definition(project, "mcp", name).is_file()]
    faults += [
        f"{name}: neither compiled nor refused" for name in records if (name in compiled) == (name in refused)
    ]
    if generated.returncode != int(bool(refusals)):
        faults.append(f"generate: status {generated.returncode} with {len(refusals)} problems")
    return Outcome(
        corpus=file.stem,
        project=project,
        records=records,
        compiled=tuple(compiled),
        refusals=tuple(sorted(refusals)),
        changes=tuple(Refusal(names[int(line) - 1], code, text) for line, code, text in told),
        faults=tuple(faults),
    )


def definitions(outcome: Outcome, provider: str) -> dict[str, dict[str, Any]]:
    """The tool objects that were written for `provider`, by tool."""
    return {
        name: json.loads(_definition(outcome.project, provider, name).read_bytes())
        for name in outcome.compiled
    }


def _definition(project: Path, provider: str, name: str) -> Path:
    return project / "generated" / "schemas" / provider / f"{name}.json"


def _refusal(problem: dict[str, Any]) -> Refusal:
    return Refusal(Path(problem["file"]).stem, problem["code"], problem["message"])


def _run(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command: Sequence[str] = (sys.executable, "-m", "toolcast", *arguments)
    return subprocess.run(
        command, cwd=project, capture_output=True, encoding="utf-8", timeout=_LIMIT, check=False
    )
