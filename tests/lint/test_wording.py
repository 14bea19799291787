"""Names and descriptions: what is found, and what must not be."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.analysis.lint.descriptions import likeness, stem, vague

from tests.lint.projects import GOOD, found, run, spec, write


def test_a_good_spec_has_no_finding(tmp_path: Path) -> None:
    outcome = run(write(tmp_path, {"a/count_words": GOOD}))
    assert (outcome.tools, outcome.findings, outcome.refused) == (1, (), ())


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("run_job", "TODO"),
        ("run_job", "No description provided."),
        ("run_job", "Does stuff"),
        ("run_job", "Runs the job."),
        ("run_job", "This tool runs jobs."),
        ("runJob", "A tool to use to run a job"),
        ("get_user", "user get"),
        ("sync", "Syncs things."),
        ("x", "Searches."),
    ],
)
def test_descriptions_that_say_nothing(name: str, description: str) -> None:
    assert vague(name, description)


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("run_job", "Runs a job and waits for its end."),
        ("calculate_factorial", "Calculate the factorial of a given number."),
        ("list_starred_repositories", "List starred repositories"),
        ("word_count", "Count the number of words in the given text."),
        ("get_weather", "天気を調べます。"),
        ("get_weather", "获取天气"),
        ("wait", "Does nothing for some seconds."),
        ("todo_add", "Todo items are added to the list by this."),
    ],
)
def test_descriptions_that_say_something(name: str, description: str) -> None:
    assert vague(name, description) == ""


def test_vague_descriptions_are_reported_where_they_stand(tmp_path: Path) -> None:
    text = "permission: read\nsecrets: []\nsummary: Runs jobs.\n"
    (only,) = found(write(tmp_path, {"run_job": text}), "vague-description")
    assert (only.file.endswith("specs/run_job.yaml"), only.line, only.column) == (True, 3, 10)
    assert only.severity == "warning"


def test_parameters_without_a_description_are_one_finding(tmp_path: Path) -> None:
    properties = {
        "a": {"type": "string"},
        "b": {"type": "object", "properties": {"c": {"type": "integer"}}, "description": "Told."},
        "d": {"$ref": "#/$defs/told"},
        "e": {"anyOf": [{"type": "string", "description": "Told."}, {"type": "null"}]},
        "kind": {"const": "x"},
    }
    made = spec(properties=properties)
    made["parameters"]["$defs"] = {"told": {"type": "string", "description": "Told."}}
    (only,) = found(write(tmp_path, {"t": made}), "missing-description")
    assert only.message == "2 of 6 parameters have no description: a, b.c"


def test_parameters_described_by_their_name_only(tmp_path: Path) -> None:
    properties = {
        "user_id": {"type": "string", "description": "The user ID."},
        "order": {"enum": ["up", "down"], "description": "The order."},
        "limit": {"type": "integer", "description": "The limit.", "default": 3},
        "city": {"type": "string", "description": "Name of the city, in English."},
    }
    (only,) = found(write(tmp_path, {"t": spec(properties=properties)}), "vague-parameter")
    assert only.message.endswith(": user_id")
    assert only.severity == "note"


def test_equal_and_nearly_equal_descriptions(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        {
            "a": spec(description="Searches all issues of a repository by text."),
            "b": spec(description="search the issue, by text, of all repositories"),
            "c": spec(description="Searches all issues of a repository by label."),
            "d": spec(description="Does not search all issues of a repository by text."),
        },
    )
    (only,) = found(folder, "duplicate-description")
    assert (only.tool, "'a'" in only.message, "nearly" in only.message) == ("b", True, True)


KNOWN = ("file", "user", "delete", "read", "the", "of", "a", "not", "from", "3", "lists", "query")
WORDS = st.lists(st.sampled_from(KNOWN), max_size=8)


@given(WORDS, st.randoms(use_true_random=False))
def test_likeness_forgets_order_and_repetition(words: list[str], random: Any) -> None:
    shuffled = [*words, *words[:2]]
    random.shuffle(shuffled)
    assert likeness(" ".join(words)) == likeness(", ".join(shuffled).upper())


@given(WORDS, st.sampled_from(["not", "write", "4", "user"]))
def test_likeness_keeps_words_of_meaning(words: list[str], other: str) -> None:
    if other not in words:
        assert likeness(" ".join(words)) != likeness(" ".join([*words, other]))


@pytest.mark.parametrize(
    ("word", "singular"),
    [("queries", "query"), ("cookies", "cookie"), ("series", "series"), ("boxes", "box"), ("class", "class")],
)
def test_a_plural_and_its_singular_are_one_word(word: str, singular: str) -> None:
    assert stem(word) == stem(singular) == singular


def test_names_that_differ_by_case_or_separators(tmp_path: Path) -> None:
    names = {"a": "get_user", "b": "getUser", "c": "get-users", "d": "GET_USER_2"}
    folder = write(tmp_path, {f"{group}/{name}": spec() for group, name in names.items()})
    reported = found(folder, "name-collision")
    assert [(each.tool, each.severity) for each in reported] == [("get_user", "warning")]
