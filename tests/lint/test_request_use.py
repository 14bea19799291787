"""How much of a request's limits a set uses: rows for all limits, findings for those that are exceeded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from toolcast.analysis.lint.linted_tool import LintedTool, load_project
from toolcast.analysis.lint.provider_checks import request_limits, request_use
from toolcast.config import load_config
from toolcast.providers import Limits, Profile, load_profile

from tests.lint.projects import spec, write


@pytest.fixture(scope="module")
def subjects(tmp_path_factory: pytest.TempPathFactory) -> tuple[LintedTool, ...]:
    """Five tools, the n-th of which has n + 1 parameters, all of them optional."""
    folder = tmp_path_factory.mktemp("project")
    specs = {
        f"tool_{size}": spec(
            description=f"Counts things of the kind {size}.",
            properties={f"p{n}": {"type": "string"} for n in range(size + 1)},
        )
        for size in range(5)
    }
    write(folder, specs, 'providers = ["openai"]\n')
    config, problems = load_config(folder)
    assert config is not None, problems
    return load_project(config, (), lambda _done, _total: None).subjects


def _profile(limits: Limits) -> Profile:
    return replace(load_profile("openai"), limits=limits)


def test_a_row_counts_what_the_request_holds(subjects: tuple[LintedTool, ...]) -> None:
    rows = request_use(subjects, _profile(Limits(tools=10, advised_tools=4, all_properties=100)))
    assert [(row.rule, row.used, row.allowed, row.advised, row.exceeded) for row in rows] == [
        ("tools", 5, 10, False, False),
        ("advised-tools", 5, 4, True, True),
        ("all-properties", 15, 100, False, False),
    ]
    assert rows[2].most == (("tool_4", 5), ("tool_3", 4), ("tool_2", 3))


def test_a_limit_that_is_not_known_has_no_row(subjects: tuple[LintedTool, ...]) -> None:
    assert request_use(subjects, _profile(Limits())) == ()


@given(st.integers(1, 8), st.integers(1, 8), st.integers(1, 30))
def test_findings_are_the_rows_that_are_exceeded(
    subjects: tuple[LintedTool, ...], tools: int, advised: int, properties: int
) -> None:
    profile = _profile(Limits(tools=tools, advised_tools=advised, all_properties=properties))
    found = {each.code for each in request_limits(subjects, profile, "specs")}
    assert ("tools" in found) == (tools < 5)
    assert ("advised-tools" in found) == (advised < 5 <= tools)
    assert ("all-properties" in found) == (properties < 15)
