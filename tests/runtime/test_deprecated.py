"""The first call of a deprecated tool is logged, and no other."""

import asyncio
import logging
import warnings
from typing import Any

import pytest
from msgspec.structs import replace
from toolcast.runtime import ToolContext, ToolRegistry
from toolcast.runtime.log_records import LOGGER

from tests.runtime.helpers import GOOD
from tests.runtime.sample.files.edit import EDIT

OLD = replace(EDIT, deprecated={"since": "2.1", "use": "edit_all"})


def run(registry: ToolRegistry, arguments: Any = GOOD, call_id: str = "c1") -> None:
    asyncio.run(registry.execute("edit", arguments, context=ToolContext(call_id=call_id)))


def registry_of(binding: Any) -> ToolRegistry:
    registry = ToolRegistry()
    registry.register(binding, lambda params, context: "done")  # noqa: ARG005
    return registry


def records(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    return [each for each in caplog.records if getattr(each, "event", "") == "deprecated"]


def test_the_first_call_warns_with_the_notice(caplog: pytest.LogCaptureFixture) -> None:
    registry = registry_of(OLD)
    with caplog.at_level(logging.INFO, LOGGER), warnings.catch_warnings():
        warnings.simplefilter("error")  # no Python warning, which would fail the call here
        for call_id in ("c1", "c2"):
            run(registry, call_id=call_id)
    (record,) = records(caplog)
    assert (record.levelno, record.tool, record.call_id) == (logging.WARNING, "edit", "c1")  # type: ignore[attr-defined]
    assert record.getMessage() == "Tool 'edit' was called, and it is deprecated (since: 2.1; use: edit_all)."


def test_a_refused_call_counts_and_each_registry_warns(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, LOGGER):
        run(registry_of(OLD), {"file_path": 1})
        run(registry_of(replace(OLD, deprecated={})))
    assert len(records(caplog)) == 2
    assert records(caplog)[1].getMessage().endswith("it is deprecated.")


def test_other_tools_and_mere_registration_are_silent(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, LOGGER):
        registry_of(OLD).definitions("openai")
        run(registry_of(EDIT))
    assert records(caplog) == []
