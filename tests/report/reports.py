"""The report of a small project."""

import os
from pathlib import Path
from typing import Any

from toolcast.analysis.lint.all_checks import Settings
from toolcast.analysis.report.collect import collect
from toolcast.analysis.report.report_model import ProviderDetail, Report, ToolDetail
from toolcast.config import load_config

from tests.lint.projects import TODAY

ROOT = Path(__file__).resolve().parents[2]


def report_of(folder: Path, **choice: Any) -> Report:
    """The report of the project in `folder`, which is the working directory meanwhile."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        config, problems = load_config(folder)
        assert config is not None, problems
        return collect(config, Settings(**{"today": TODAY, **choice}))
    finally:
        os.chdir(before)


def detail(report: Report, tool: str) -> ToolDetail:
    (found,) = [each for each in report.details if each.name == tool]
    return found


def provider(report: Report, tool: str, id: str) -> ProviderDetail:
    (found,) = [each for each in detail(report, tool).providers if each.id == id]
    return found
