"""A sample of the shared corpora through the commands, and judges that can disagree."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bench.corpora.compile import CORPORA, Outcome, Refusal, compile_corpus
from bench.corpora.judge import Verdict
from bench.corpora.measure import REASONS, Measured, confirmed, measure
from bench.corpora.oracle import Oracle, is_schema, wrong_defaults
from bench.corpora.probes import bent, sample
from bench.corpora.report import page
from tests.sampled import sampled

ROOT = Path(__file__).resolve().parents[2]
EVERY = 25


@pytest.mark.corpora
@pytest.mark.parametrize("corpus", sampled(CORPORA, ("mcp-servers", "openapi")))
def test_real_tools_compile_or_are_refused_for_a_confirmed_reason(
    shared_dir: Path, tmp_path: Path, corpus: str
) -> None:
    measured = measure(shared_dir / "corpora" / f"{corpus}.jsonl", tmp_path, every=EVERY)
    assert measured.problems == []
    assert {each.code for each in measured.refusals} <= REASONS.keys()
    assert measured.verdict.imported == measured.compiled == measured.tools - len(measured.refusals)
    assert measured.verdict.probes > 20 * measured.compiled


@pytest.mark.corpora
def test_the_page_in_the_documentation_is_of_these_corpora(shared_dir: Path) -> None:
    text = (ROOT / "docs" / "reports" / "corpora.md").read_text(encoding="utf-8")
    for corpus in CORPORA:
        with (shared_dir / "corpora" / f"{corpus}.jsonl").open(encoding="utf-8") as lines:
            assert f"| {corpus:17} | {sum(1 for _ in lines):5} |" in text
    assert "## Problems" not in text


TOOL = {
    "name": "note",
    "description": "Takes a note.",
    "parameters": {
        "type": "object",
        "properties": {
            "text": {"type": "string", "minLength": 1},
            "tags": {"type": "array", "items": {"enum": ["a", "b"]}},
            "size": {"type": ["integer", "null"], "default": 3},
        },
        "required": ["text"],
    },
    "calls": [{"text": "x", "size": 3, "tags": ["a"]}],
    "bad_calls": [{"arguments": {"text": ""}}, {"arguments": {"text": "x", "tags": None}}],
}


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    folder = tmp_path_factory.mktemp("corpus")
    odd = {"type": "object", "properties": {"n": {"type": "integer", "default": "1"}}}
    odd_tool = {"name": "odd", "description": "", "parameters": odd}
    bad = {**TOOL, "name": "bad one", "parameters": {"type": "string"}}
    defect = {**TOOL, "name": "odd one", "parameters": {"type": "object", "properties": {"n": {"type": ""}}}}
    file = folder / "notes.jsonl"
    file.write_text(
        "".join(json.dumps(each) + "\n" for each in (TOOL, bad, defect, odd_tool)), encoding="utf-8"
    )
    return compile_corpus(file, folder / "project")


def judged(outcome: Outcome, record: dict[str, Any]) -> Verdict:
    done = subprocess.run(
        (sys.executable, "-m", "bench.corpora.judge", str(outcome.project)),
        cwd=ROOT,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        input=msgspec.json.encode(
            [(name, {**outcome.records, "note": record}[name]) for name in outcome.compiled]
        ),
        capture_output=True,
        check=True,
    )
    return msgspec.json.decode(done.stdout, type=Verdict)


def test_what_compiles_and_what_does_not_is_distinguished(outcome: Outcome) -> None:
    assert outcome.faults == ()
    assert outcome.compiled == ("note", "odd_one_1baba7ac", "odd")
    assert [(each.tool, each.code) for each in outcome.refusals] == [("bad_one_9d0f8028", "not-an-object")]
    assert not confirmed(outcome.refusals[0], outcome.records["bad_one_9d0f8028"])
    default, defect = sorted(outcome.changes, key=lambda each: each.code)
    assert (defect.tool, defect.code) == ("odd_one_1baba7ac", "import-defect")
    assert confirmed(defect, outcome.records["odd_one_1baba7ac"])
    assert not confirmed(defect, outcome.records["note"])
    assert (default.tool, default.code) == ("odd", "import-default")
    assert confirmed(default, outcome.records["odd"])


def test_the_judge_agrees_with_what_was_compiled(outcome: Outcome) -> None:
    verdict = judged(outcome, TOOL)
    assert verdict.disagreements == []
    assert (verdict.imported, verdict.calls, verdict.bad_calls, verdict.allowed) == (3, 1, 1, 1)
    assert verdict.probes > 100


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"text": {"type": "string", "minLength": 2}}, "a recorded call is refused"),
        ({"text": {"type": "string"}}, "a recorded bad call is refused"),
        ({"size": {"type": "integer", "minimum": 1}}, "a probe is taken"),
        ({"tags": {"type": "array"}}, "a probe is refused"),
    ],
)
def test_the_judge_notices_a_package_that_is_not_what_the_schema_says(
    outcome: Outcome, change: dict[str, Any], complaint: str
) -> None:
    parameters = TOOL["parameters"]
    assert isinstance(parameters, dict)
    changed = {**parameters, "properties": {**parameters["properties"], **change}}
    found = judged(outcome, {**TOOL, "parameters": changed}).disagreements
    assert any(complaint in each for each in found)


def test_the_oracle_makes_no_more_than_the_two_allowances() -> None:
    oracle = Oracle(TOOL["parameters"])
    assert oracle.accepts({"text": "x", "size": 3.0})
    assert not oracle.accepts({"text": "x", "tags": None})
    assert oracle.allows({"text": "x", "tags": None})
    assert not oracle.allows({"text": None})
    assert not oracle.allows({"text": "x", "tags": [None]})
    closed = Oracle({"type": "object", "additionalProperties": {"type": "string"}})
    assert not closed.allows({"key": None})


def test_reasons_are_confirmed_by_the_definition_alone() -> None:
    schema = {"type": "object", "properties": {"on": {"type": "boolean", "default": "false"}}}
    assert wrong_defaults(schema) == ["#/properties/on"]
    assert is_schema(schema)
    assert not is_schema({"type": ""})
    assert confirmed(
        Refusal("t", "import-default", "not fit its own schema: /properties/on; …"), {"parameters": schema}
    )
    assert not confirmed(
        Refusal("t", "import-default", "its own schema: /properties/off"), {"parameters": schema}
    )
    assert confirmed(Refusal("t", "malformed-schema", ""), {"parameters": {"type": ""}})
    assert not confirmed(Refusal("t", "malformed-schema", ""), {"parameters": schema})
    assert not confirmed(Refusal("t", "internal-error", ""), {})


def test_probes_start_from_valid_objects_and_change_one_place() -> None:
    schema = TOOL["parameters"]
    full = sample(schema, full=True)
    assert full.keys() == {"text", "tags", "size"}
    assert sample(schema, full=False).keys() == {"text"}
    assert Oracle(schema).accepts(full)
    before = json.dumps(full)
    found = list(bent(full, 500))
    assert json.dumps(full) == before
    assert len(found) > 60
    assert {} in found
    assert {**full, "unexpected": "text"} in found
    assert len(list(bent(full, 7))) == 7


def test_the_page_names_problems() -> None:
    measured = Measured(
        corpus="notes",
        tools=3,
        compiled=2,
        refusals=(Refusal("bad", "malformed-schema", "`type` is empty"),),
        doubtful=(Refusal("bad", "malformed-schema", "`type` is empty"),),
        changes=(Refusal("note", "import-default", "its own schema: /properties/n"),),
        undescribed=1,
        strict=1,
        verdict=Verdict(imported=2, probed=1, disagreements=["note: a probe is taken"]),
        findings=("note: mcp: unknown members",),
        faults=("traceback",),
    )
    text = page([measured], 5)
    assert "|     3 |        2 | 66.6 % |" in text
    assert text.count("* notes: ") == 4
    assert "* notes, note: its own schema: /properties/n" in text
    assert "* notes, bad: `type` is empty" in text
