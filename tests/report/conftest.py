"""Reports that several tests look at, each made once."""

import pytest
from toolcast.analysis.report.report_model import Report

from tests.report.hostile import TEXTS, write_hostile_project
from tests.report.reports import ROOT, report_of


@pytest.fixture(scope="session")
def own() -> Report:
    return report_of(ROOT)


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Report:
    report = report_of(write_hostile_project(tmp_path_factory.mktemp("hostile")))
    assert len(report.tools) >= len(TEXTS) - 2  # a text with hidden characters may be refused as a name
    return report
