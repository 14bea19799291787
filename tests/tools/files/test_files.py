"""The object that holds what the tools for files share: how it is made, used in a registry, and closed."""

import importlib
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from toolcast.runtime import RefusalError, ToolRegistry
from toolcast_tools.files import Files
from toolcast_tools.files import files as module
from toolcast_tools.files.content_search import search_content
from toolcast_tools.files.line_search import load_re2
from toolcast_tools.generated.files.grep import GrepResult
from toolcast_tools.generated.registry import BINDINGS
from toolcast_tools.workspace import Workspace

from tests.held import descriptors
from tests.tools.files.calls import glob, grep, read


def test_a_workspace_that_is_given_stays_open(box: Path) -> None:
    (box / "a").touch()
    with Workspace(box) as workspace:
        files = Files(workspace)
        files.close()
        files.close()
        assert workspace.names() == ["a"]
        with pytest.raises(RefusalError, match="closed"):
            glob(files, "*")


def test_a_call_that_runs_ends_after_the_close(box: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (box / "a.txt").write_text("needle")
    began, go_on = Event(), Event()

    def slow(*arguments: Any) -> GrepResult:
        began.set()
        assert go_on.wait(60)
        return search_content(*arguments)

    monkeypatch.setattr(module, "search_content", slow)
    files = Files(box)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(grep, files, "needle")
        assert began.wait(60)
        files.close()
        with pytest.raises(RefusalError, match="closed"):
            read(files, "a.txt")
        go_on.set()
        assert [each.path for each in running.result(60).matches] == ["a.txt"]


def test_a_registry_calls_and_closes_them(box: Path) -> None:
    before = descriptors()
    files = Files(box)
    registry = ToolRegistry()
    for name in ("file_read", "file_write", "edit", "multi_edit", "glob", "grep"):
        registry.register(BINDINGS[name], getattr(files, name))

    calls = [
        ("file_write", {"file_path": "a/b.txt", "content": "one\n"}),
        ("edit", {"file_path": "a/b.txt", "old_string": "one", "new_string": "two"}),
        ("multi_edit", {"file_path": "a/b.txt", "edits": [{"old_string": "zzz", "new_string": "z"}]}),
        ("file_read", {"file_path": "a/b.txt"}),
        ("glob", {"pattern": "**/*"}),
        ("grep", {"pattern": "two", "output": "lines"}),
        ("file_read", {"file_path": "no.txt"}),
    ]
    with registry:
        results = [registry.execute_sync(tool, arguments) for tool, arguments in calls]
    assert [result.success for result in results] == [True, True, False, True, True, True, False]
    assert "Edit 1 of 1 fails, so nothing was written" in str(results[2].error)
    assert "'no.txt' does not exist" in str(results[6].error)
    assert descriptors() <= before


def test_a_missing_library_is_told_with_its_remedy(box: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    load_re2.cache_clear()
    importlib.import_module("toolcast_tools.files")
    with pytest.raises(ImportError, match=r"pip install 'toolcast\[tools\]'"):
        Files(box)
    monkeypatch.undo()
    load_re2.cache_clear()


@pytest.mark.parametrize("options", [{"largest": 0}, {"search_seconds": 0}])
def test_limits_are_positive(box: Path, options: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="must be positive"):
        Files(box, **options)  # type: ignore[arg-type]  # one of several
