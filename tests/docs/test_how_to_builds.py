"""The how-to pages for builds are executed; what no test can start is held to the files that it names."""

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from toolcast.version import __version__

from tests.pants.test_pants import BUILD, OPTIONS
from tests.remote.server import CONFIG, LEASE

from .pages import DOCS, ROOT, Block, blocks, run_page

PAGES = (
    "hatchling", "setuptools", "make", "pre-commit", "ci", "review-a-change", "monorepo",
    "editor", "read-the-report",
)  # fmt: skip
HOW_TO = DOCS / "how-to"


@pytest.mark.parametrize("name", PAGES)
def test_the_page_does_what_it_says(name: str, tmp_path: Path) -> None:
    run_page(HOW_TO / f"{name}.md", tmp_path / "project")


def test_the_page_shows_the_hook_that_init_writes() -> None:
    (shown, _) = _yaml("pre-commit", "repos")
    written = ROOT / "codegen/toolcast/cli/files/pre-commit-config.yaml"
    assert shown == yaml.safe_load(written.read_text("utf-8"))


def test_hooks_of_the_repository_are_those_that_it_has() -> None:
    offered = {each["id"] for each in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))}
    (repository,) = _yaml("pre-commit", "repos")[1]["repos"]
    assert repository["rev"] == f"v{__version__}"
    assert {each["id"] for each in repository["hooks"]} <= offered


def test_the_workflow_gives_the_action_inputs_that_it_has() -> None:
    inputs = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))["inputs"]
    (workflow,) = _yaml("ci", "jobs")
    (job,) = workflow["jobs"].values()
    (used,) = (step for step in job["steps"] if step["uses"].startswith("toolcast/"))
    assert used["uses"] == f"toolcast/toolcast@v{__version__}"
    assert used["with"].keys() <= inputs.keys()


def test_the_rules_for_bazel_take_what_the_page_states() -> None:
    stated = {name: set(keywords) for name, keywords in _calls("bazel", "starlark")}
    known = {
        "local_repository": {"name", "path"},
        "workspace": {"name"},
        "glob": set(),
        "register_toolchains": set(),
    }
    rules = _attributes("defs.bzl", "_ATTRS") | {"name"}
    repository = _attributes("repository.bzl", "toolcast_repository") | {"name"}
    known |= {"toolcast_library": rules, "toolcast_repository": repository, "load": set()}
    assert stated.keys() == known.keys()
    assert [name for name, keywords in stated.items() if not keywords <= known[name]] == []
    files = [file for name, file in _loads() if name == "@toolcast_bazel"]
    assert len(files) == 2
    assert all((ROOT / "integrations/bazel" / file).is_file() for file in files)


def test_the_macro_for_pants_takes_what_the_page_states() -> None:
    macro = ast.parse((ROOT / "integrations/pants/toolcast.pants").read_text("utf-8"))
    (function,) = (each for each in macro.body if isinstance(each, ast.FunctionDef))
    stated = dict(_calls("pants", "python"))["toolcast_library"]
    assert {*stated} <= {each.arg for each in function.args.args}


def test_the_page_for_pants_states_what_its_tests_run() -> None:
    shown, tried = (
        tomllib.loads(text) for text in (_shown("pants.toml"), OPTIONS.format(folder="", more=""))
    )
    assert all(tried["GLOBAL"][key] == value for key, value in shown.pop("GLOBAL").items())
    assert all(tried[table] == keys for table, keys in shown.items())
    stated = dict(_calls("pants", "python"))["system_binary"]
    (binary, *_) = (
        node.value for node in ast.parse(BUILD.format(programs="")).body if isinstance(node, ast.Expr)
    )
    assert isinstance(binary, ast.Call)
    assert {*stated} == {each.arg for each in binary.keywords}


def test_the_configuration_of_buildgrid_is_that_of_the_tests() -> None:
    (shown,) = (each.text for each in blocks(DOCS / "reference/engines.md") if each.title == "buildgrid.yml")
    database = "postgresql+psycopg2://buildgrid@localhost/buildgrid"
    assert shown == CONFIG.format(port=8980, database=database, folder="/var/lib/buildgrid", lease=LEASE)


def test_the_locked_requirement_is_this_version() -> None:
    (lock,) = (block for block in blocks(HOW_TO / "bazel.md") if block.title == "toolcast.lock")
    assert lock.text == f"toolcast[build]=={__version__}\n"


def _shown(title: str) -> str:
    (block,) = (each for each in blocks(HOW_TO / "pants.md") if each.title == title)
    return block.text


def _yaml(page: str, key: str) -> list[dict[str, Any]]:
    """The YAML blocks of a page that are objects with a key."""
    texts = [block.text for block in blocks(HOW_TO / f"{page}.md") if block.language == "yaml"]
    return [found for text in texts if isinstance(found := yaml.safe_load(text), dict) and key in found]


def _programs(page: str, language: str) -> Iterator[Block]:
    yield from (block for block in blocks(HOW_TO / f"{page}.md") if block.language == language)


def _calls(page: str, language: str) -> Iterator[tuple[str, list[str]]]:
    """The functions that BUILD files of a page call, each with its keywords: Starlark has Python's syntax."""
    for block in _programs(page, language):
        for node in ast.walk(ast.parse(block.text)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                yield node.func.id, [str(each.arg) for each in node.keywords]


def _loads() -> Iterator[tuple[str, str]]:
    for block in _programs("bazel", "starlark"):
        for node in ast.walk(ast.parse(block.text)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "load":
                repository, _, file = ast.literal_eval(node.args[0]).partition("//:")
                yield repository, file


def _attributes(file: str, name: str) -> set[str]:
    """The keys of the dict that is assigned to a name, or is `attrs` in the call that is."""
    for node in ast.walk(ast.parse((ROOT / "integrations/bazel" / file).read_text("utf-8"))):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            found = node.value
            if isinstance(found, ast.Call):
                (found,) = (each.value for each in found.keywords if each.arg == "attrs")
            assert isinstance(found, ast.Dict)
            return {ast.literal_eval(key) for key in found.keys if key is not None}
    raise AssertionError(f"{file} assigns nothing to {name}")
