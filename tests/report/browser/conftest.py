from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
from toolcast.analysis.diff.rules import Witness
from toolcast.analysis.report.report_model import ComparedChange, Report, StateComparison

from tests.lint.projects import spec, write
from tests.report.hostile import TEXTS
from tests.report.reports import report_of
from tests.typescript.tools import ROOT

from .chromium import chromium, program, write_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser

TOOLS = ("edit", "file_read", "file_write", "glob", "grep", "http_request", "knowledge_search", "multi_edit")
TRICKS = (*TEXTS, "<svg onload=alert(1)>", "' onmouseover='alert(1)", '"><a href="javascript:alert(1)">')
HOSTILE = " ".join(TRICKS)


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    """Chromium, closed before the tests of other modules.

    While it is open, the thread has a running event loop, beside which `asyncio.run` starts no other.
    """
    with chromium() as found:
        yield found


@pytest.fixture(scope="session")
def reference_report() -> Report:
    """The report of some tools of the reference toolset."""
    program()
    return report_of(ROOT, tools=TOOLS)


@pytest.fixture(scope="session")
def reference_page(reference_report: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of these, with changes to another state."""
    return write_page(with_changes(reference_report), tmp_path_factory.mktemp("page") / "report.html")


@pytest.fixture(scope="session")
def hostile_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of tools whose every text is a trick."""
    program()
    properties = {trick: {"type": "string", "description": HOSTILE, "default": trick} for trick in TRICKS}
    properties["kind"] = {"enum": list(TRICKS), "description": HOSTILE}
    tool = spec(description=HOSTILE, summary=HOSTILE.replace("\u2028\u2029", ""), properties=properties)
    tool["annotations"] = {**tool["annotations"], "title": HOSTILE}
    folder = write(
        tmp_path_factory.mktemp("hostile"), {"a/hostile": tool, "b/broken": {**tool, HOSTILE: HOSTILE}}
    )
    report = report_of(folder)
    assert len(report.tools) == 1
    assert report.diagnostics
    return write_page(with_changes(report), folder / "report.html")


def with_changes(report: Report) -> Report:
    """The report with a change of each kind of text, and a name that is a trick."""
    change = ComparedChange(
        level="error",
        audience="calls",
        rule="narrower",
        tool=report.tools[0].name,
        message=HOSTILE,
        hint=HOSTILE,
        file=HOSTILE,
        line=3,
        old=False,
        providers=("openai",),
        witness=Witness(value={HOSTILE: [HOSTILE]}, refusal=HOSTILE),
        undecided=True,
        suppressed=True,
    )
    others = [
        msgspec.structs.replace(change, level=level, audience=audience, tool="gone", witness=witness)
        for level, audience, witness in (
            ("warning", "model", None), ("warning", "results", change.witness), ("note", "cache", None),
        )
    ]  # fmt: skip
    compared = StateComparison(
        old=HOSTILE, new="the work tree", compared=3, unchanged=2, changes=(change, *others), diagnostics=()
    )
    return msgspec.structs.replace(report, title=f"{report.title} {HOSTILE}", diff=compared)
