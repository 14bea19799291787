"""What a spec may silence: with a reason, one code at a time, and only what is there."""

from pathlib import Path

import pytest
from toolcast.analysis.lint.finding import RULES
from toolcast.analysis.verify.verified_tool import TITLES
from toolcast.spec.suppressions import LINT_CODES, VERIFY_CODES

from tests.lint.projects import found, run, spec, write

VAGUE = spec(description="Does stuff.")


def ignoring(**reasons: str) -> dict[str, object]:
    return {"lint": {"ignore": {code.replace("_", "-"): reason for code, reason in reasons.items()}}}


def test_the_codes_that_specs_know_are_those_of_lint() -> None:
    single = {code for code, rule in RULES.items() if not rule.whole}
    assert single - {"unused-ignore", "ended-ignore"} == set(LINT_CODES)
    assert list(LINT_CODES) == sorted(LINT_CODES)
    assert set(TITLES) < set(VERIFY_CODES)


def test_a_suppressed_finding_is_counted_and_not_reported(tmp_path: Path) -> None:
    folder = write(tmp_path, {"a": VAGUE, "b": {**VAGUE, **ignoring(vague_description="The name says it.")}})
    outcome = run(folder)
    assert [(each.tool, each.code) for each in outcome.findings] == [("a", "vague-description")]
    assert outcome.suppressed == 1


def test_one_finding_of_several_providers_is_one_suppressed(tmp_path: Path) -> None:
    made = spec(
        parameters={"type": "object", "additionalProperties": True}, **ignoring(not_strict="Any key.")
    )
    assert run(write(tmp_path, {"a": made})).suppressed == 1


def test_an_unused_suppression_is_a_finding(tmp_path: Path) -> None:
    folder = write(tmp_path, {"a": spec(**ignoring(vague_description="It was once."))})
    (only,) = found(folder, "unused-ignore")
    assert (only.tool, only.line, "'vague-description'" in only.message) == ("a", 20, True)
    assert found(folder, "unused-ignore", providers=("mcp",)) == []  # another provider may have it
    assert found(folder, "unused-ignore", groups=("",)) == []


@pytest.mark.parametrize(("until", "ended"), [("2026-11-22", False), ("2026-11-21", True)])
def test_a_suppression_ends_after_its_last_day(tmp_path: Path, until: str, ended: bool) -> None:
    ignore = {"vague-description": {"reason": "A better text is being written.", "until": until}}
    outcome = run(write(tmp_path, {"a": {**VAGUE, "lint": {"ignore": ignore}}}))
    told = [(each.code, each.line) for each in outcome.findings]
    assert told == ([("vague-description", 1), ("ended-ignore", 22)] if ended else [])
    assert outcome.suppressed == (0 if ended else 1)


def test_an_ended_suppression_of_nothing_is_one_finding(tmp_path: Path) -> None:
    ignore = {"vague-description": {"reason": "Was rewritten.", "until": "2020-01-01"}}
    outcome = run(write(tmp_path, {"a": spec(lint={"ignore": ignore})}))
    assert [each.code for each in outcome.findings] == ["ended-ignore"]


def test_losses_are_looked_for_only_when_asked(tmp_path: Path) -> None:
    made = spec(properties={"a": {"type": "string", "description": "Some text.", "deprecated": True}})
    made |= ignoring(lossy="Models need not know.")
    folder = write(tmp_path, {"a": made})
    assert found(folder, "unused-ignore") == []
    assert found(folder, "lossy", losses=True) == []


def test_losses_are_notes_with_their_place(tmp_path: Path) -> None:
    names = {"type": "object", "description": "Numbers by name.", "additionalProperties": {"type": "integer"}}
    folder = write(tmp_path, {"a": spec(properties={"a": names})})
    reported = found(folder, "lossy", losses=True, providers=("gemini",))
    assert {each.severity for each in reported} <= {"note"}
    assert found(folder, "lossy") == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("lint: {ignore: {vague-descriptions: x}}", "unknown-code"),
        ("lint: {ignore: {tools: x}}", "unknown-code"),
        ("lint: {ignore: {depth: ' '}}", "empty-text"),
    ],
)
def test_what_the_build_refuses_is_reported_and_not_linted(tmp_path: Path, text: str, code: str) -> None:
    source = f"description: Tells the time of day.\npermission: read\nsecrets: []\n{text}\n"
    outcome = run(write(tmp_path, {"clock": source}))
    assert [each.code for each in outcome.refused] == [code]
    assert outcome.tools == 0
