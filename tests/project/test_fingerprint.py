"""What makes a unit stale, ingredient by ingredient; and what does not."""

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import toolcast.project.generate as generate_module
import toolcast.project.package as package_module
import toolcast.project.state.fingerprint as fingerprint_module
import toolcast.project.state.index as index_module
from msgspec import structs
from toolcast.config import Config
from toolcast.project.core.compiled import Compiled
from toolcast.project.generate import build
from toolcast.project.output.manifest import parse_manifest
from toolcast.project.pool import compile_tasks
from toolcast.project.state.cache import load_cache
from toolcast.project.state.fingerprint import ALWAYS, MODEL_LIBRARY, Library, libraries
from toolcast.project.worker import Context, Task

from tests.project.fake import FAKE, config_of, project, put, tree

SPECS = {"a.yaml": "uses: _types/t.yaml", "b.yaml": "1", "_types/t.yaml": "t", "_types/u.yaml": "u"}
PROFILE = 'base = "openai"\nid = "acme"\n'
TOML = """
[tool.toolcast]
providers = ["openai", "mcp"]
templates = "mine"
profiles = ["acme.toml"]
"""


class Place:
    """A project, and stand-ins for what is installed around it."""

    def __init__(self, base: Path, patch: pytest.MonkeyPatch) -> None:
        self.base, self.patch = base, patch
        self.generator, self.templates = base / "installed", base / "built-in"
        self.versions = dict.fromkeys((*ALWAYS, MODEL_LIBRARY), "1.0")
        put(self.generator / "structs/made_up.py", "1\n")
        put(self.generator / "providers/made_up.toml", "1\n")
        put(self.templates / "tool.py.jinja", "1\n")
        put(base / "p/mine/tool.py.jinja", "1\n")
        put(base / "p/acme.toml", PROFILE)
        project(base / "p", SPECS)
        put(base / "p/pyproject.toml", TOML)
        patch.setattr(fingerprint_module, "PACKAGE", self.generator)
        patch.setattr(fingerprint_module, "templates_dir", lambda: self.templates)
        patch.setattr(generate_module, "libraries", self.libraries)

    def libraries(self, *, models: bool) -> tuple[Library, ...]:
        names = sorted(library.name for library in libraries(models=models))
        return tuple(Library(name, self.versions[name], None) for name in names)

    @property
    def config(self) -> Config:
        return config_of(self.base / "p")

    def put(self, path: str, text: str) -> None:
        put(self.base / path, text)

    def rebuilt(self) -> set[str]:
        compiled: set[str] = set()

        def recording(context: Context, tasks: Sequence[Task], **options: Any) -> list[Compiled]:
            compiled.update(task.path for task in tasks)
            return compile_tasks(context, tasks, **options)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(generate_module, "compile_tasks", recording)
            build(self.config, FAKE)
        return compiled


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    made = Place(tmp_path, monkeypatch)
    assert made.rebuilt() == set(SPECS)
    assert made.rebuilt() == set()
    return made


def set_version(place: Place) -> None:
    place.patch.setattr(fingerprint_module, "__version__", "9.9")


def set_python(place: Place) -> None:
    name = SimpleNamespace(name="cpython")
    own = SimpleNamespace(version_info=(3, 99), implementation=name, path=sys.path)
    place.patch.setattr(fingerprint_module, "sys", own)


ALL: dict[str, Callable[[Place], object]] = {
    "generator source": lambda p: p.put("installed/structs/made_up.py", "2\n"),
    "generator file added": lambda p: p.put("installed/new.py", ""),
    "built-in profile": lambda p: p.put("installed/providers/made_up.toml", "2\n"),
    "template": lambda p: p.put("built-in/tool.py.jinja", "2\n"),
    "own template": lambda p: p.put("p/mine/tool.py.jinja", "2\n"),
    "own template added": lambda p: p.put("p/mine/new.jinja", "2\n"),
    "profile": lambda p: p.put("p/acme.toml", f"# Changed.\n{PROFILE}"),
    "toolcast": set_version,
    "Python": set_python,
    **{
        name: lambda p, name=name: p.versions.update({name: "2.0"})  # type: ignore[misc]
        for name in ALWAYS
    },
    "providers": lambda p: p.put("p/pyproject.toml", TOML.replace('["openai", "mcp"]', '["mcp"]')),
    "order of providers": lambda p: p.put(
        "p/pyproject.toml", TOML.replace('"openai", "mcp"', '"mcp", "openai"')
    ),
    "model families": lambda p: p.put("p/pyproject.toml", TOML + 'models = ["pydantic"]\n'),
    "defaults of results": lambda p: p.put("p/pyproject.toml", TOML + 'defaults = "include"\n'),
    "examples for providers": lambda p: p.put("p/pyproject.toml", TOML + 'examples = ["anthropic"]\n'),
}


@pytest.mark.parametrize("name", ALL)
def test_what_all_depends_on(place: Place, name: str) -> None:
    ALL[name](place)
    assert place.rebuilt() == set(SPECS)
    assert place.rebuilt() == set()


@pytest.mark.parametrize(
    ("path", "stale"),
    [
        ("a.yaml", {"a.yaml"}),
        ("b.yaml", {"b.yaml"}),
        ("_types/t.yaml", {"_types/t.yaml", "a.yaml"}),
        ("_types/u.yaml", {"_types/u.yaml"}),
    ],
)
def test_what_one_spec_depends_on(place: Place, path: str, stale: set[str]) -> None:
    place.put(f"p/specs/{path}", SPECS[path] + "\nmore")
    assert place.rebuilt() == stale


def test_model_libraries_count_where_a_family_is_asked_for(place: Place) -> None:
    place.versions[MODEL_LIBRARY] = "2.0"
    assert place.rebuilt() == set()
    place.put("p/pyproject.toml", TOML + 'models = ["pydantic"]\n')
    assert place.rebuilt() == set(SPECS)
    place.versions[MODEL_LIBRARY] = "3.0"
    assert place.rebuilt() == set(SPECS)


def touch(place: Place) -> None:
    for path in place.base.rglob("*"):
        os.utime(path)


def retouch_endings(place: Place) -> None:
    for path in place.base.rglob("*"):
        if path.is_file() and ".toolcast" not in path.parts and "generated" not in path.parts:
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))


NOTHING: dict[str, Callable[[Place], object]] = {
    "a comment in the configuration": lambda p: p.put("p/pyproject.toml", "# new\n" + TOML),
    "another table": lambda p: p.put("p/pyproject.toml", TOML + "[tool.other]\nx = 1\n"),
    "where stubs go": lambda p: p.put("p/pyproject.toml", TOML + 'stubs = "elsewhere"\n'),
    "times": touch,
    "line endings": retouch_endings,
    "bytecode": lambda p: p.put("installed/__pycache__/made_up.cpython-311.pyc", "1"),
    "a backup": lambda p: p.put("p/mine/tool.py.jinja~", "1"),
    "a lost index": lambda p: (p.config.state / "index").unlink(),
}


@pytest.mark.parametrize("name", NOTHING)
def test_what_nothing_depends_on(place: Place, name: str) -> None:
    NOTHING[name](place)
    assert place.rebuilt() == set()


def test_the_folder_of_a_checkout_does_not_count(place: Place, tmp_path: Path) -> None:
    first = load_cache(place.config.state).units
    shutil.rmtree(place.config.state)
    (tmp_path / "p").rename(tmp_path / "elsewhere")
    config = config_of(tmp_path / "elsewhere")
    build(config, FAKE)
    second = load_cache(config.state).units
    assert {path: unit.fingerprint for path, unit in second.items()} == {
        path: unit.fingerprint for path, unit in first.items()
    }


def test_outputs_are_verified_too(place: Place) -> None:
    put(place.config.output / "b.py", "# Generated by toolcast, then edited\n")
    assert place.rebuilt() == {"b.yaml"}


def test_only_what_looks_different_is_read(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    real = fingerprint_module.read_source

    def noted(path: Path) -> str | None:
        read.append(path.name)
        return real(path)

    monkeypatch.setattr(fingerprint_module, "read_source", noted)
    build(place.config, FAKE)
    assert read == []
    os.utime(place.base / "p/specs/b.yaml")
    put(place.base / "p/specs/a.yaml", "new")
    build(place.config, FAKE)
    assert sorted(read) == ["a.yaml", "b.yaml"]


def test_what_changed_within_a_tick_of_the_clock_is_read_again(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file as old as the index itself may have been edited since, and show the same time: it is racy."""
    spec = place.base / "p/specs/b.yaml"
    monkeypatch.setattr(index_module, "_wait_past", lambda _newest, _probe: spec.stat().st_ctime_ns)
    put(spec, "12345678")
    build(place.config, FAKE)
    read: list[str] = []
    real = fingerprint_module.read_source
    monkeypatch.setattr(fingerprint_module, "read_source", lambda path: read.append(path.name) or real(path))
    build(place.config, FAKE)
    assert read == ["b.yaml"]


# upgrades


def upgrade(place: Place, **versions: str) -> set[str]:
    for name, version in versions.items():
        place.versions[name] = version
    return {write.path for write in build(place.config, FAKE).plan.writes}


def test_an_upgrade_that_changes_nothing_touches_no_file(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tree(place.config.output)
    assert upgrade(place, msgspec="2.0", jinja2="2.0", PyYAML="2.0") == set()
    assert upgrade(place, black="2.0") == set()
    monkeypatch.setattr(package_module, "__version__", "9.9")
    set_version(place)
    assert upgrade(place) == set()
    assert build(place.config, FAKE, mode="check").plan.empty
    assert tree(place.config.output) == before
    put(place.base / "p/specs/b.yaml", "2")  # from here on, the new versions make it
    assert upgrade(place) == {
        "b.py",
        "contracts/b.json",
        "schemas/mcp/b.json",
        "schemas/openai/b.json",
        "manifest.txt",
    }
    old, new = (parse_manifest(files["manifest.txt"]).units for files in (before, tree(place.config.output)))
    assert {unit for unit in new if new[unit].by != old[unit].by} == {"b.yaml"}
    assert new["b.yaml"].by == {"toolcast": "9.9", "black": "2.0"}


def test_libraries_are_found_without_importing_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("black-26.1.0", "datamodel_code_generator-0.89.0", "pyyaml-6.0.2", "other-1"):
        put(tmp_path / f"{name}.dist-info/METADATA", "")
    import sys

    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    plain = {library.name: library.version for library in libraries(models=False)}
    assert plain["black"] == "26.1.0"
    assert plain["PyYAML"] == "6.0.2"
    assert MODEL_LIBRARY not in plain
    found = {library.name: library for library in libraries(models=True)}
    assert found[MODEL_LIBRARY].version == "0.89.0"
    assert found[MODEL_LIBRARY].metadata == tmp_path / "datamodel_code_generator-0.89.0.dist-info/METADATA"


def test_a_unit_that_could_not_be_finished_is_looked_at_again(place: Place) -> None:
    def editing(tool: Any, *rest: Any) -> Any:
        if tool.path == "b.yaml":
            put(place.base / "p/specs/b.yaml", "33")
        return FAKE.compile_tool(tool, *rest)

    put(place.base / "p/specs/b.yaml", "2")
    build(place.config, structs.replace(FAKE, compile_tool=editing))
    assert "b.yaml" not in load_cache(place.config.state).units
    assert place.rebuilt() == {"b.yaml"}
