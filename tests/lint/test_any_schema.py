"""Whatever compiles can be linted, for every provider: no crash, and each finding has a place in the spec."""

import json
from datetime import date
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from toolcast.analysis.lint.all_checks import Settings, checked
from toolcast.analysis.lint.linted_tool import Project, numbered, subject
from toolcast.providers import available, load_profile
from toolcast.spec.spec_reader import read_tool

from tests.lint.projects import GOOD
from tests.python.strategies import parameters
from tests.sampled import fewer
from tests.spec.helper import read

PROFILES = tuple(load_profile(id) for id in available())
DIALECTS = numbered(PROFILES)
WORDS = st.sampled_from(["", "delete", "get", "api_key", "削除", "Deletes all.", "the", "_", "'add'"])


@fewer(2)
@given(parameters(), st.lists(WORDS, min_size=1, max_size=5))
def test_composed_schemas(schema: dict[str, Any], words: list[str]) -> None:
    text = json.dumps({**GOOD, "description": " ".join(words).strip() or "?", "parameters": schema})
    tool, problems, _ = read_tool(read(text, "json"), "g/tool.json", frozenset(available()))
    if tool is None:
        assert problems
        return
    made, refused = subject(tool, {}, DIALECTS)
    if made is None:
        assert refused
        return
    project = Project(
        shown_root="specs", subjects=(made,), profiles=PROFILES, configured=available(), refused=()
    )
    for each in checked(project, (made, made), Settings(today=date(2026, 11, 22), losses=True)):
        assert each.message
        assert "\n" not in each.fix
        assert each.tool == "" or (each.file, each.line > 0, each.column > 0) == ("s", True, True)
