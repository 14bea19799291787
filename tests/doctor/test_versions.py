"""Ranges of versions, by the judgement of the library that defines them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.requirements import Requirement as Official
from packaging.specifiers import SpecifierSet
from packaging.version import Version
from toolcast.doctor.installation import is_in, read_requirement

VERSIONS = st.lists(st.integers(0, 12), min_size=1, max_size=4).map(
    lambda numbers: ".".join(map(str, numbers))
)
CLAUSES = st.tuples(st.sampled_from([">=", "<=", "==", "!=", "<", ">"]), VERSIONS).map("".join) | st.lists(
    st.integers(0, 12), min_size=2, max_size=3
).map(lambda numbers: "~=" + ".".join(map(str, numbers)))
STARS = st.tuples(st.sampled_from(["==", "!="]), VERSIONS).map(lambda pair: f"{pair[0]}{pair[1]}.*")


@given(VERSIONS, st.lists(CLAUSES | STARS, max_size=3).map(",".join))
def test_ranges(version: str, range: str) -> None:
    assert is_in(version, range) == (Version(version) in SpecifierSet(range))


@pytest.mark.parametrize(
    "line",
    [
        "msgspec<0.23,>=0.20",
        'black<27,>=26.1; extra == "build"',
        "PyYAML (>=6.0.2,<7) ; extra == 'build'",
        'pydantic[email]>=2; python_version > "3" and extra == "x-y"',
        "bare",
    ],
)
def test_lines_of_metadata(line: str) -> None:
    found, official = read_requirement(line), Official(line)
    assert found is not None
    assert found.name == official.name
    assert SpecifierSet(found.range) == official.specifier
    extras = {"build", "x-y", ""}
    marked = official.marker
    assert found.extra in extras
    assert marked is None or marked.evaluate({"extra": found.extra})


def test_what_is_no_version_range_is_passed_over() -> None:
    assert read_requirement("") is None
    assert is_in("2!weird", "") is True
    assert is_in("26.1.0", ">=26.1") is True
    assert is_in("27.0.0a1", "<27,>=26.1") is False
