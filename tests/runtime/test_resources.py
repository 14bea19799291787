"""Data files are found beside the modules, however those were imported."""

import importlib
import json
import shutil
import sys
import zipfile
from pathlib import Path

import pytest
from toolcast.runtime import MissingDataError
from toolcast.runtime.resources import list_folders, read_resource

SAMPLE = Path(__file__).parent / "sample"
MODULE = "tests.runtime.sample.files.edit"


def test_reads_relative_to_the_module() -> None:
    importlib.import_module(MODULE)
    expected = (SAMPLE / "contracts" / "edit.json").read_bytes()
    assert read_resource(MODULE, "../contracts/edit.json") == expected


def test_a_missing_file_says_what_to_do() -> None:
    importlib.import_module(MODULE)
    with pytest.raises(MissingDataError, match="toolcast generate") as caught:
        read_resource(MODULE, "../contracts/gone.json")
    assert "package" in str(caught.value)
    assert "gone.json" in str(caught.value)


def test_a_module_that_is_not_imported_is_named() -> None:
    with pytest.raises(MissingDataError, match=r"no\.such\.module"):
        read_resource("no.such.module", "x.json")


def test_a_module_without_file_is_named() -> None:
    with pytest.raises(MissingDataError, match="sys"):
        read_resource("sys", "x.json")


def test_folders_are_listed() -> None:
    importlib.import_module(MODULE)
    assert list_folders(MODULE, "../schemas") == ("anthropic", "bedrock", "mcp", "openai")
    assert list_folders(MODULE, "../nowhere") == ()


def test_works_from_a_zip_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wheel on sys.path, or an application in one file."""
    archive = tmp_path / "app.zip"
    with zipfile.ZipFile(archive, "w") as bundle:
        for file in SAMPLE.rglob("*"):
            if file.suffix in (".py", ".json"):
                bundle.write(file, f"zipped_sample/{file.relative_to(SAMPLE).as_posix()}")
        for package in ("", "files/", "misc/"):
            bundle.writestr(f"zipped_sample/{package}__init__.py", "")
    monkeypatch.syspath_prepend(str(archive))
    try:
        bindings = importlib.import_module("zipped_sample.registry").BINDINGS
        binding = bindings["edit"]
        assert "app.zip" in sys.modules[binding.module].__file__  # type: ignore[operator]
        assert json.loads(binding.definition("anthropic"))["name"] == "edit"
        assert binding.schema()["type"] == "object"
        with pytest.raises(LookupError, match="nobody"):
            binding.definition("nobody")
        assert bindings["shapes"].decode(b'{"tags": ["a"]}').tags == ["a"]
    finally:
        for name in [name for name in sys.modules if name.startswith("zipped_sample")]:
            del sys.modules[name]


def test_follows_a_copied_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files are those of the copy, not of where the code was generated."""
    shutil.copytree(SAMPLE, tmp_path / "moved_sample", ignore=shutil.ignore_patterns("__pycache__"))
    contract = tmp_path / "moved_sample" / "contracts" / "edit.json"
    contract.write_text('{"parameters": {"type": "object", "title": "moved"}}', "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    try:
        module = importlib.import_module("moved_sample.files.edit")
        assert module.EDIT.schema()["title"] == "moved"
    finally:
        for name in [name for name in sys.modules if name.startswith("moved_sample")]:
            del sys.modules[name]
