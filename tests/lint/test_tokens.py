"""Token costs: what is counted, how, and what is said about it."""

from pathlib import Path

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from toolcast.analysis.lint.linted_tool import load_project
from toolcast.analysis.lint.tokens import counted, definition, estimate
from toolcast.config import load_config

ROOT = Path(__file__).resolve().parents[2]

# Counts in OpenAI's guide to counting tokens, for o200k_base's predecessor, which cuts the same way.
DOCUMENTED = {
    "tiktoken is great!": 6,
    "antidisestablishmentarianism": 6,
    "2 + 2 = 4": 7,
    "お誕生日おめでとう": 9,
}
# The guide's longer example: 129 tokens, of which 25 mark where messages begin and end, and 14 are names.
MESSAGES = (
    "You are a helpful, pattern-following assistant that translates corporate jargon into plain English.",
    "New synergies will help drive top-line growth.",
    "Things working well together will increase revenue.",
    "Let's circle back when we have more bandwidth to touch base on opportunities for increased leverage.",
    "Let's talk later when we're less busy about how to do better.",
    "This late pivot means we don't have time to boil the ocean for the client deliverable.",
)
PROSE = 129 - 25 - 14


def test_an_estimate_is_near_documented_counts() -> None:
    wanted = sum(DOCUMENTED.values())
    assert abs(sum(map(estimate, DOCUMENTED)) - wanted) <= 0.25 * wanted
    assert abs(sum(map(estimate, MESSAGES)) - PROSE) <= 0.1 * PROSE


@given(st.text(max_size=200), st.text(max_size=200))
def test_an_estimate_grows_with_the_text(left: str, right: str) -> None:
    assert 0 <= estimate(left) <= len(left) + 1
    assert estimate(left + " " + right) <= estimate(left) + estimate(right) + 2


def test_the_reference_toolset_costs_what_it_is_sent_as() -> None:
    config, _ = load_config(ROOT)
    assert config is not None
    project = load_project(config, (), lambda *_: None)
    costs = counted(project.subjects, project.profiles)
    assert len(costs.costs) == len(project.subjects) * len(project.profiles)
    for total in costs.totals:
        own = [each for each in costs.costs if each.provider == total.provider]
        assert sum(each.full for each in own) < total.full <= sum(each.full for each in own) + len(own) + 1
        assert total.brief < total.full
    assert all(each.brief <= each.full for each in costs.costs)


def test_what_is_counted_is_what_the_build_writes() -> None:
    config, _ = load_config(ROOT)
    assert config is not None
    project = load_project(config, (), lambda *_: None)
    for subject in project.subjects:
        for profile in project.profiles:
            file = config.output / "schemas" / profile.id / f"{subject.tool.name}.json"
            assert msgspec.json.decode(file.read_bytes()) == definition(subject, profile)
