"""The official conformance suite against a registry's server; docs/reference/mcp.md says what came out."""

import pytest

from bench import mcp_conformance
from tests.mcp.conftest import ROOT, Sdk
from tests.optional import missing

PAGE = ROOT / "docs" / "reference" / "mcp.md"


@pytest.mark.thorough
def test_every_scenario_for_servers_passes_and_the_page_says_so(sdk: Sdk) -> None:
    """What fails is told with the suite's own words. `.ci/run` runs the whole, and checks the page."""
    sdk("mcp")
    try:
        outcomes = mcp_conformance.run_servers()
    except mcp_conformance.SuiteMissingError as problem:
        missing(str(problem))
        return
    assert [len(outcomes[revision]) for revision in mcp_conformance.REVISIONS] == [33, 48]
    found = [each for revision in mcp_conformance.REVISIONS for each in outcomes[revision]]
    assert {each.scenario: each.wrong for each in found if each.wrong} == {}
    page = PAGE.read_text("utf-8").splitlines()
    assert [row for row in mcp_conformance.rows(outcomes) if row not in page] == []


def test_every_scenario_is_run_or_left_out_for_a_reason() -> None:
    try:
        found = mcp_conformance.left_out()
    except mcp_conformance.SuiteMissingError as problem:
        missing(str(problem))
        return
    assert found.keys() == mcp_conformance.NOT_RUN.keys()
    counts = [len(mcp_conformance.applying("client", each)) for each in mcp_conformance.REVISIONS]
    assert counts == [21, 35]
