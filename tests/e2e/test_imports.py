"""Importing generated code costs only what it uses."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = [
    path
    for path in sorted((ROOT / "generated").rglob("*.py"))
    if "models" not in path.parts and path.stem not in ("__init__", "registry")
]


def loaded(statement: str) -> set[str]:
    code = f"import sys; before = set(sys.modules); {statement}; print(*(set(sys.modules) - before))"
    run = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _paths() + code], capture_output=True, text=True, check=True
    )
    return set(run.stdout.split())


def _paths() -> str:
    import msgspec

    packages = Path(msgspec.__file__).parents[1]
    return f"import sys; sys.path += {[str(ROOT), str(ROOT / 'codegen'), str(packages)]!r}; "


@pytest.mark.parametrize("statement", ["import generated", "import generated.registry"])
def test_the_package_imports_no_tool(statement: str) -> None:
    ours = {name for name in loaded(statement) if name.startswith("generated")}
    assert ours <= {"generated", "generated.registry"}


def test_a_binding_imports_its_own_tool_only() -> None:
    ours = loaded("from generated.registry import BINDINGS; BINDINGS['edit']")
    tools = {name for name in ours if name.startswith("generated.") and name != "generated.registry"}
    assert tools == {"generated.files", "generated.files.edit"}


def test_generated_tools_import_msgspec_and_the_runtime_only() -> None:
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in TOOLS]
    assert len(names) >= 19
    found = loaded("import " + ", ".join(names))
    foreign = {name.partition(".")[0] for name in found} - set(sys.stdlib_module_names)
    foreign.discard("typing_extensions")  # msgspec looks for it, and does without
    assert foreign == {"generated", "msgspec", "toolcast"}
    build = {name for name in found if name.startswith("toolcast.")}
    assert {
        name
        for name in build
        if not name.startswith(
            (
                "toolcast.runtime",
                "toolcast.jsonschema",
                "toolcast.lazy_exports",
                "toolcast.output_layout",
                "toolcast.permissions",
                "toolcast.version",
            )
        )
    } == set()
