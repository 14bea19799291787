"""The pages that are made from the source are up to date, and every public docstring is complete."""

import importlib
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import toolcast
from toolcast.cli.main import COMMANDS, KINDS, UNLISTED
from toolcast.config import load_config

from bench.reference.all_pages import FOLDER, NAMES, all_pages, differing, write
from bench.reference.command_pages import walk
from bench.reference.public_names import MODULES, problems, public
from bench.reference.setting_keys import TABLES, example


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    """The pages that are made from the source."""
    return all_pages()


def test_public_docstrings_are_complete() -> None:
    assert list(problems()) == []


def test_the_pages_are_up_to_date(made: dict[str, str]) -> None:
    """After a change: `make reference`."""
    assert differing(FOLDER, made, NAMES) == []


def test_only_pages_that_differ_are_written(made: dict[str, str], tmp_path: Path) -> None:
    assert write(tmp_path, made, NAMES) == sorted(made)
    assert write(tmp_path, made, NAMES) == []
    (tmp_path / "names" / "runtime.md").write_text("other")
    (tmp_path / "names" / "former.md").touch()
    changed = ["names/former.md", "names/runtime.md"]
    assert differing(tmp_path, made, NAMES) == changed
    assert write(tmp_path, made, NAMES) == changed
    assert differing(tmp_path, made, NAMES) == []


def test_every_public_name_is_listed_once(made: dict[str, str]) -> None:
    names = {(module, name) for module, name, _ in public()}
    assert {module for module, _ in names} == set(MODULES)
    assert ("toolcast.runtime", "ToolRegistry") in names
    assert ("toolcast.mcp", "mcp_tools") in names
    linked = re.findall(r"^\[(\w+)\]\(|: \[(\w+)\]\(", made["names/index.md"], re.MULTILINE)
    assert len(linked) == len(names)


def test_what_packages_export_is_documented() -> None:
    exported = {
        f"{package}.{name}"
        for package, names in _exports()
        for name in names
        if not any(part.startswith("_") for part in package.split("."))
    }
    documented = {f"{module}.{name}" for module, name, _ in public()}
    assert "toolcast.runtime.ToolRegistry" in exported
    assert exported <= documented


def _exports() -> Iterator[tuple[str, list[str]]]:
    """The packages of toolcast that have an `__all__`, and its names."""
    source = Path(toolcast.__file__).parents[1]
    for path in sorted(source.rglob("__init__.py")):
        package = ".".join(path.parent.relative_to(source).parts)
        if re.search(r"^__all__\b", path.read_text("utf-8"), re.MULTILINE):
            yield package, importlib.import_module(package).__all__


def test_the_anchors_of_names_are_unique(made: dict[str, str]) -> None:
    for file, text in made.items():
        if not file.startswith("names/"):
            continue
        headings = Counter(heading.lower() for heading in re.findall(r"^### (.+)$", text, re.MULTILINE))
        assert [each for each, count in headings.items() if count > 1] == [], file


def test_every_command_has_a_section(made: dict[str, str]) -> None:
    expected = {*COMMANDS, *UNLISTED, *(f"import {kind}" for kind in KINDS)}
    assert {path for path, _ in walk()} == expected
    headings = re.findall(r"^## toolcast (.+)$", made["command-line.md"], re.MULTILINE)
    assert sorted(headings) == sorted(expected)


def test_an_option_of_several_commands_is_described_once(made: dict[str, str]) -> None:
    page = made["command-line.md"]
    assert page.count("| `--config FILE` | ") == 1
    assert page.count("| `--take [PATTERN=]SIDE` | ") == 1
    shared = next(line for line in page.splitlines() if line.startswith("| `--config FILE` | "))
    assert "`generate`" in shared
    assert "`serve`" not in shared


@pytest.mark.parametrize("name", TABLES)
def test_examples_of_the_configuration_are_read(name: str, tmp_path: Path) -> None:
    project = tmp_path / "project"
    (tmp_path / ".git").mkdir()
    (tmp_path / "common" / "_types").mkdir(parents=True)
    (project / "templates").mkdir(parents=True)
    (project / "pyproject.toml").write_text(example(name), "utf-8")
    config, problems = load_config(project)
    assert (config is not None, problems) == (True, ())
    below = {key for key in TABLES[name] if f"{name}.{key}" in TABLES}
    assert read(tomllib.loads(example(name)), name).keys() | below == TABLES[name].keys()


def read(data: dict[str, dict[str, object]], name: str) -> dict[str, object]:
    """The table of a dotted name."""
    found: object = data
    for part in name.split("."):
        assert isinstance(found, dict)
        found = found[part]
    assert isinstance(found, dict)
    return found


def test_every_key_of_the_configuration_is_described() -> None:
    keys = [(name, key, each) for name, keys in TABLES.items() for key, each in keys.items()]
    assert [(name, key) for name, key, each in keys if not each.about.endswith(".") or not each.example] == []
    assert {f"tool.toolcast.{key}" for key, each in TABLES["tool.toolcast"].items() if each.default == {}} < {
        *TABLES
    }
