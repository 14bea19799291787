"""The pure core: specs in, files out, and no other access to the world."""

import json
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace
from toolcast.config import load_config
from toolcast.project.core.pure import compile_spec, compile_specs, make_kit
from toolcast.providers import load_profile

ROOT = Path(__file__).resolve().parent.parent.parent
SPECS, GENERATED = ROOT / "specs", ROOT / "generated"
TRACED = Path(__file__).with_name("traced.py")
TOOL = b"description: Does it.\npermission: read\nsecrets: []\n"


def sources() -> dict[str, bytes]:
    return {path.relative_to(SPECS).as_posix(): path.read_bytes() for path in SPECS.rglob("*.yaml")}


def as_generate_leaves_them(paths: Sequence[str]) -> set[str]:
    """Hold the files of specs to those on disk; their paths."""
    config, _ = load_config(ROOT)
    assert config is not None
    assert config.providers is not None
    files: dict[str, bytes] = {}
    for made in compile_specs(paths, sources(), make_kit(config.providers, models=config.models)):
        assert not made.record.diagnostics
        files.update(made.files)
    assert files == {path: (GENERATED / path).read_bytes() for path in files}
    return set(files)


def test_specs_come_out_as_generate_leaves_them() -> None:
    assert as_generate_leaves_them(sorted(sources())[::5])


@pytest.mark.thorough
def test_the_reference_toolset_comes_out_as_generate_leaves_it() -> None:
    files = as_generate_leaves_them(sorted(sources()))
    whole = {"manifest.txt", "registry.py", "requests.json"}
    left = {path.relative_to(GENERATED).as_posix() for path in GENERATED.rglob("*") if path.is_file()}
    rest = {path for path in left - files - whole if "__pycache__" not in path}
    assert {path.rpartition("/")[2] for path in rest} == {"__init__.py"}


@pytest.mark.parametrize(
    "families", [(), pytest.param(("pydantic", "dataclass", "typeddict"), marks=pytest.mark.thorough)]
)
def test_a_warm_process_asks_nothing_of_the_world(families: tuple[str, ...]) -> None:
    """Python's own audit events: open, listdir, import of a file, socket, subprocess and the like."""
    answer = json.loads(trace(families, ()).stdout)
    assert len(answer["made"]) > 5
    assert answer["events"] == []


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_the_system_is_asked_for_no_file_no_process_and_no_socket(tmp_path: Path) -> None:
    """What the audit hook cannot see: a look at a file that is never opened."""
    calls = traced_calls(tmp_path, ())
    assert [call for call in calls if not call.startswith(("mmap(", "munmap("))] == []


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_other_model_families_look_for_nothing_that_could_exist(tmp_path: Path) -> None:
    """datamodel-code-generator works out what relative paths would mean; it is given none."""
    allowed = re.compile(r"getcwd\(|m(un)?map\(")
    folders = {*(str(part) for part in (ROOT, *ROOT.parents)), "/nonexistent/toolcast"}
    for call in traced_calls(tmp_path, ("pydantic", "dataclass", "typeddict")):
        if not allowed.match(call):
            path = re.match(r'(?:newfstatat|stat|lstat|statx|readlink)\((?:AT_FDCWD, )?"([^"]*)"', call)
            assert path, call
            assert path[1] in folders, call


def test_a_lock_file_of_another_tool_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert make_kit(["mcp"], defaults="omit").digest != make_kit(["mcp"]).digest
    kit = make_kit(["mcp"], models=["pydantic"])
    given = {"edit.yaml": TOOL}
    here = compile_spec("edit.yaml", given, kit)
    (tmp_path / "datamodel-codegen.lock").write_text("no lock [", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert compile_spec("edit.yaml", given, kit) == here
    assert not here.record.diagnostics


def test_only_what_a_spec_refers_to_is_asked_for() -> None:
    given = sources()
    asked: list[str] = []

    class Watched(dict[str, bytes]):
        def __getitem__(self, path: str) -> bytes:
            asked.append(path)
            return super().__getitem__(path)

    made = compile_spec("data/data_analysis.yaml", Watched(given), make_kit(["mcp"]))
    assert sorted(set(asked)) == list(made.reads)
    assert made.reads == ("_types/condition.yaml", "_types/filter.yaml", "data/data_analysis.yaml")
    assert made.record.uses == ("_types/condition.yaml", "_types/filter.yaml")
    few = {path: given[path] for path in made.reads}
    assert compile_spec("data/data_analysis.yaml", few, make_kit(["mcp"])) == made


def test_order_and_company_change_nothing() -> None:
    given, kit = sources(), make_kit(["openai", "mcp"])
    paths = sorted(given)[::5]
    alone = {path: compile_spec(path, given, kit) for path in paths}
    random.Random(0).shuffle(paths)
    assert {made.path: made for made in compile_specs(paths, given, kit)} == alone


def test_templates_and_profiles_are_values() -> None:
    marker = {"package.py.jinja": "{{ mark }}\n"}
    assert make_kit(["mcp"], templates=marker).digest != make_kit(["mcp"]).digest
    text = (ROOT / "templates" / "tool.py.jinja").read_text(encoding="utf-8")
    changed = make_kit(["mcp"], templates={"tool.py.jinja": text + "# Ours.\n"})
    assert compile_spec("edit.yaml", {"edit.yaml": TOOL}, changed).files["edit.py"].endswith(b"# Ours.\n")
    own = replace(load_profile("mcp"), id="acme", envelope={"called": "$name", "takes": "$parameters"})
    kit = make_kit(["acme"], profiles={"acme": own})
    made = compile_spec("edit.yaml", {"edit.yaml": TOOL}, kit)
    assert json.loads(made.files["schemas/acme/edit.json"])["called"] == "edit"


def test_an_error_leaves_no_files_and_says_where() -> None:
    made = compile_spec("a/edit.yaml", {"a/edit.yaml": b"description: Does it.\n"}, make_kit(["mcp"]))
    assert made.files == {}
    assert made.record.failed
    assert {problem.file for problem in made.record.diagnostics} == {"specs/a/edit.yaml"}


@pytest.mark.parametrize(
    "path", ["edit.txt", "_other/edit.yaml", ".edit.yaml", "a/../edit.yaml", "/edit.yaml"]
)
def test_what_generate_would_pass_over_is_no_spec(path: str) -> None:
    with pytest.raises(ValueError, match="is not the path of a spec"):
        compile_spec(path, {path: TOOL}, make_kit(["mcp"]))


def trace(families: tuple[str, ...], before: tuple[str, ...]) -> "subprocess.CompletedProcess[str]":
    command = [*before, sys.executable, str(TRACED), str(SPECS), *families]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True, timeout=120)


def traced_calls(folder: Path, families: tuple[str, ...]) -> list[str]:
    log = folder / "calls"
    what = "%file,%network,%process,%desc"
    trace(families, ("strace", "-f", "-e", f"trace={what}", "-o", str(log)))
    calls = [line.split(maxsplit=1)[1] for line in log.read_text(errors="replace").splitlines()]
    first = next(i for i, call in enumerate(calls) if "toolcast-trace-begins" in call)
    last = next(i for i, call in enumerate(calls) if "toolcast-trace-ends" in call)
    assert last > first
    return calls[first + 1 : last]
