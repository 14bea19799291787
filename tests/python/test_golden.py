"""Golden cases: small real projects in `tests/cases`, each with the output that it must give.

`pytest tests/python --update-cases` rewrites the expected output; read the difference before you commit it.
"""

import shutil
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
import pytest
from toolcast.config import load_config
from toolcast.languages.python.bindings.render_module import formatted
from toolcast.project.generate import build
from toolcast.project.worker import FRONTEND

from tests.python import stages

CASES = Path(__file__).resolve().parents[1] / "cases"
NAMES = sorted(path.parent.name for path in CASES.glob("*/pyproject.toml"))


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in _files(folder)}


def _files(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]


@pytest.mark.parametrize("case", NAMES)
def test_case(case: str, tmp_path: Path, update_cases: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    project, expected = tmp_path / case, CASES / case / "expected"
    shutil.copytree(CASES / case, project, ignore=shutil.ignore_patterns("expected"))
    monkeypatch.chdir(project)
    config, problems = load_config(project)
    assert config is not None, problems
    report = build(config, FRONTEND, jobs=1)
    assert not report.failed, report.diagnostics
    written = files(project / "generated")
    if update_cases:
        shutil.rmtree(expected, ignore_errors=True)
        shutil.copytree(project / "generated", expected)
    assert written == files(expected)
    for path, content in written.items():
        if path.endswith(".py"):
            assert formatted(content.decode()) == content, path
    with stages.package(written, tmp_path / "imported", f"case_{case}") as registry:
        decoded = _decode_examples(registry.BINDINGS, project / "specs", f"case_{case}")
    tools = [path for path in (project / "specs").rglob("*.yaml") if "_types" not in path.parts]
    assert decoded == len(tools)


def _decode_examples(bindings: Any, specs: Path, package: str) -> int:
    """Every example decodes, comes back as it was, and is refused when it is no object at all."""
    from toolcast.runtime import ArgumentError
    from yaml import safe_load

    texts = {path: safe_load(path.read_text("utf-8")) for path in specs.rglob("*.yaml")}
    tools = {data.get("name", path.stem): data for path, data in texts.items() if "_types" not in path.parts}
    assert sorted(bindings) == sorted(tools)
    for name, data in tools.items():
        binding = bindings[name]
        assert binding.module.startswith(package)
        assert import_module(binding.module).__name__ == binding.module
        assert (binding.description, list(binding.secrets)) == (data["description"], data["secrets"])
        for example in data.get("examples", []):
            if binding.inject:  # an example is what a model sends
                assert binding.decode_offered(msgspec.json.encode(example)) == example
                continue
            params = binding.decode(msgspec.json.encode(example))
            assert binding.decode(example) == params
            assert binding.decode(binding.encode(params)) == params
        with pytest.raises(ArgumentError):
            binding.decode("[]")
    return len(tools)
