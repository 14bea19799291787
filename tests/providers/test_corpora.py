"""A sample of the shared corpora under every profile: nothing refused, nothing lost silently, stable.

`make rules` asks the providers' rules about the whole of them.
"""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
from toolcast.providers import SchemaError, available, load_profile, normalize

from tests.providers.known import REJECTED, UNSTABLE, unexplained
from tests.providers.laws import missing_without_entry
from tests.providers.rules import CHECKERS
from tests.providers.rules.survey import CORPORA, SUITE, survey, tools
from tests.providers.sampled import PROVIDERS

EVERY = 4
"""One tool of so many; all of them for the small corpora."""


def every(corpus: str) -> int:
    return {"openapi": 1, "tau-bench": 1, SUITE: 2}.get(corpus, EVERY)


def test_every_profile_has_a_checker() -> None:
    assert set(available()) - CHECKERS.keys() == set()


@pytest.mark.corpora
@pytest.mark.parametrize("corpus", [*CORPORA, SUITE])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_no_tool_of_a_corpus_would_be_refused(shared_dir: Path, corpus: str, provider: str) -> None:
    found = survey(shared_dir, corpus, load_profile(provider), every(corpus))
    assert unexplained(found.rejected, REJECTED.get((provider, corpus), ())) == []
    assert found.unreadable <= 1 + found.tools // (10 if corpus == SUITE else 50)


@pytest.mark.corpora
@pytest.mark.parametrize("corpus", CORPORA)
@pytest.mark.parametrize("provider", PROVIDERS)
def test_nothing_is_lost_silently_and_a_second_pass_changes_nothing(
    shared_dir: Path, corpus: str, provider: str
) -> None:
    profile = load_profile(provider)
    found: list[str] = []
    for tool in tools(shared_dir, corpus, every(corpus)):
        schema = tool["parameters"]
        before = copy.deepcopy(schema)
        try:
            result = normalize(schema, profile)
        except SchemaError:
            continue
        found += [f"{tool['name']}: {finding}" for finding in missing_without_entry(schema, result)]
        if normalize(result.schema, profile).schema != result.schema:
            found.append(f"{tool['name']}: normalising twice changes it")
        assert schema == before
    assert unexplained(found, UNSTABLE.get((provider, corpus), ())) == []
