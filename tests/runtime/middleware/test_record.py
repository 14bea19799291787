"""Recorded calls: what a line has, what no line has, rotation, several writers, and a disk that fails."""

# ruff: noqa: ARG001, ARG005 - the signature of a handler is fixed, whatever it uses

import asyncio
import json
import logging
import multiprocessing
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from toolcast.runtime import Guesses, ToolContext, ToolRegistry
from toolcast.runtime.middleware import record
from toolcast.runtime.middleware.record import record_calls
from toolcast.runtime.middleware.secrets import Secrets

from tests.runtime.helpers import GOOD, Watch
from tests.runtime.sample.files.edit import EDIT

SECRET = "hunter2-hunter2"
WRITTEN = json.dumps(GOOD)


def registry(*hooks: Any, **options: Any) -> ToolRegistry:
    made = ToolRegistry(check_results=False, hooks=hooks, **options)
    made.register(EDIT, lambda params, context: "done")
    return made


def call(tools: ToolRegistry, *calls: Any, provider: str | None = None) -> None:
    for arguments in calls:
        asyncio.run(tools.execute("edit", arguments, context=ToolContext(provider=provider)))


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_a_line_has_the_arguments_as_written_and_the_verdict(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    tools = registry(record_calls(path), guesses=Guesses("all"))
    call(tools, WRITTEN, GOOD, WRITTEN[:-1] + ",}", {"file_path": 1}, "[nothing", provider="openai")
    text, data, repaired, refused, broken = lines(path)
    assert (text["tool"], text["provider"], text["verdict"]) == ("edit", "openai", "accepted")
    assert (text["arguments"], data["arguments"]) == (WRITTEN, GOOD)
    assert [each["guess"] for each in repaired["repairs"]] == ["trailing-comma"]
    assert repaired["arguments"] == WRITTEN[:-1] + ",}"
    assert {each["keyword"] for each in refused["verdict"]} == {"type", "required"}
    assert broken["arguments"] == "[nothing"
    assert "not valid JSON" in broken["verdict"][0]["message"]
    assert text["time"] <= data["time"] <= broken["time"]
    assert os.name == "nt" or path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("form", [dict, json.dumps])
def test_no_secret_and_no_boundless_value_is_recorded(tmp_path: Path, form: Any) -> None:
    path, watch = tmp_path / "calls.jsonl", Watch()
    secrets = Secrets(lambda name: None)
    secrets.hide("KEY", SECRET)
    tools = registry(record_calls(path), watch, secrets=secrets)
    call(tools, GOOD | {"old_string": "<secret_ref:KEY>"})
    call(tools, form(GOOD | {"old_string": SECRET}), form({"file_path": {SECRET: 1}}))
    call(tools, form(GOOD | {"old_string": "x" * 100_000}))
    assert SECRET not in path.read_text() + repr(watch.events)
    reference, accepted, refused, long = lines(path)
    assert reference["arguments"]["old_string"] == "<secret_ref:KEY>"
    assert "redacted" not in reference
    assert accepted["redacted"]
    assert refused["redacted"]
    assert long["cut"] > 100_000
    assert len(json.dumps(long)) < 3_000


def test_hooks_that_do_not_want_arguments_get_none() -> None:
    watch = Watch()
    call(registry(watch), GOOD, {})
    assert [each.written for each in watch.events if hasattr(each, "written")] == [None, None]


def test_a_share_of_the_calls(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    call(registry(record_calls(path, share=0.5)), *[GOOD] * 200)
    assert 50 < len(lines(path)) < 150
    for wrong in ({"share": 0}, {"share": 1.1}, {"max_bytes": 0}, {"files": 0}):
        with pytest.raises(ValueError, match="must be"):
            record_calls(path, **wrong)


def test_rotation_keeps_the_newest_files(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    (tmp_path / "calls.jsonl.txt").write_text("another's")
    hooks = record_calls(path, max_bytes=1_000, files=3)
    call(registry(hooks), *({**GOOD, "old_string": str(number)} for number in range(60)))
    kept = sorted(tmp_path.glob("calls.jsonl.*-*"))
    assert len(kept) == 2
    assert all(each.stat().st_size <= 1_000 for each in (*kept, path))
    numbers = [int(each["arguments"]["old_string"]) for file in (*kept, path) for each in lines(file)]
    assert numbers == list(range(numbers[0], 60))
    assert (tmp_path / "calls.jsonl.txt").exists()


def _write(path: Path, name: str) -> None:
    tools = registry(record_calls(path, max_bytes=20_000, files=100))
    threads = [
        threading.Thread(target=call, args=(tools, *[{**GOOD, "old_string": f"{name}{thread}"}] * 50))
        for thread in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_threads_and_processes_lose_no_line(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    processes = [
        multiprocessing.get_context("spawn").Process(target=_write, args=(path, name)) for name in "ab"
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    found = [each["arguments"]["old_string"] for file in tmp_path.iterdir() for each in lines(file)]
    assert len(list(tmp_path.iterdir())) > 1
    assert sorted(found) == sorted(
        f"{name}{thread}" for name in "ab" for thread in range(3) for _ in range(50)
    )


def test_a_disk_that_fails_breaks_no_call_and_is_logged_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "calls.jsonl"
    tools = registry(record_calls(path))
    written = os.write

    def full(file: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    with caplog.at_level(logging.ERROR), monkeypatch.context() as patched:
        patched.setattr(record.os, "write", lambda file, data: written(file, data[:40]))
        call(tools, GOOD)  # a part of a line
        patched.setattr(record.os, "write", full)
        result = asyncio.run(tools.execute("edit", GOOD))
        call(tools, GOOD)
    assert result.success
    assert [each.getMessage() for each in caplog.records if "recorded" in each.getMessage()] == [
        f"Calls cannot be recorded in {path}: No space left on device. Further failures are not logged."
    ]
    call(tools, GOOD)
    part, whole = path.read_bytes().splitlines()
    assert len(part) == 40
    assert json.loads(whole)["verdict"] == "accepted"
