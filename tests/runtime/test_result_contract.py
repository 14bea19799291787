"""A call reads the contract of its result before its handler acts, and tells a missing file from one that
cannot be read."""

import asyncio
import importlib
import json
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from toolcast.jsonschema.validator import Validator
from toolcast.runtime import MissingDataError, ToolRegistry, ToolResult
from toolcast.runtime.resources import list_folders, read_resource

from tests.system_limits import UNIX, without_descriptors

SAMPLE = Path(__file__).parent / "sample"
ARGUMENTS = {"file_path": "a", "old_string": "b", "new_string": "c"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A generated package of its own, which nothing was read of: `unread_sample`."""
    shutil.copytree(SAMPLE, tmp_path / "unread_sample")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path / "unread_sample"
    for name in [each for each in sys.modules if each.partition(".")[0] == "unread_sample"]:
        del sys.modules[name]


@pytest.fixture
def edit(folder: Path) -> Any:
    """The module of its tool `edit`."""
    assert folder.is_dir()
    return importlib.import_module("unread_sample.files.edit")


def registered(edit: Any) -> tuple[Callable[[], ToolResult], list[Any]]:
    """What makes a call, and the list of the calls that reached the handler."""
    reached: list[Any] = []

    def handler(params: Any, context: Any) -> Any:
        reached.append((params, context))
        return edit.EditResult(replaced=2)

    registry = ToolRegistry()
    registry.register(edit.EDIT, handler)
    return lambda: asyncio.run(registry.execute("edit", ARGUMENTS, "mcp")), reached


def test_a_handler_does_not_run_where_its_result_could_not_be_given(folder: Path, edit: Any) -> None:
    call, reached = registered(edit)
    (folder / "contracts").rename(folder / "aside")
    result = call()
    assert not result.success
    assert "'edit' failed in reading its contract: internal error MissingDataError" in result.error
    assert reached == []
    (folder / "aside").rename(folder / "contracts")
    assert call().data == edit.EditResult(replaced=2)
    assert len(reached) == 1


@UNIX
def test_a_process_without_descriptors_says_so(edit: Any) -> None:
    with without_descriptors():
        with pytest.raises(OSError, match="Too many open files") as caught:
            read_resource(edit.__name__, "../contracts/edit.json")
        with pytest.raises(OSError, match="Too many open files"):
            list_folders(edit.__name__, "../schemas")
    assert not isinstance(caught.value, MissingDataError)


@UNIX
def test_what_cannot_be_read_once_is_read_again(edit: Any) -> None:
    """A failure is not remembered: neither the contract's nor whether a definition shows the result."""
    value = edit.EditResult(replaced=2)
    assert Validator(True).accepts(1)  # what it imports needs descriptors, too
    for _ in range(2):
        with without_descriptors(), pytest.raises(OSError, match="Too many open files"):
            edit.EDIT.encode_result(value, "mcp")
        edit.EDIT._result().validator()
    assert json.loads(edit.EDIT.encode_result(value, "mcp")) == {"replaced": 2}
