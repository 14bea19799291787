"""The vectors of what providers take, judged by the normaliser, by checkers that read no profile, and by a
reader in another language that reads the data only."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from toolcast.providers import (
    Normalized,
    Profile,
    ProfileError,
    ToolInfo,
    available,
    decode,
    load_profile,
    load_profile_file,
    normalize,
    tool_object,
)
from toolcast.providers.provider_rules import STATEMENTS, rules_of
from toolcast.providers.rule_vectors import Vector, vectors_of

from bench.reference import rule_data
from bench.reference.all_pages import differing
from tests.optional import missing
from tests.providers.rules import CHECKERS
from tests.typescript.tools import run_node

READER = Path(__file__).with_name("read_vectors.mjs")
OPENAI_STRICT = Path(__file__).with_name("openai_strict.mjs")
UNSEEN_BY_OPENAI = {
    f"strict.{name}"
    for name in (
        *("formats", "patterns", "typed", "untyped", "enums", "ref-targets", "ref-siblings"),
        *("root-forbid", "properties-required", "closed"),
    )
}
"""Rules of strict mode that openai-node leaves to the API, or mends."""
UNJUDGED = {"conservative/dialect.empty-required": "no provider, and its checker takes what most take"}
"""Vectors that a checker does not refuse."""
STATED_ANEW = ("booleans", "items-required", "properties-required", "typed")
"""Constructs that are sent in other words of the same meaning, which is no entry of the ledger."""
each_provider = pytest.mark.parametrize("provider", available())


@cache
def _vectors(provider: str) -> tuple[Vector, ...]:
    return vectors_of(load_profile(provider))


def _strict(vector: Vector, profile: Profile) -> bool | None:
    """The flag under which a vector is sent."""
    return None if profile.strict is None else vector.rule.startswith("strict.")


def _schemas(provider: str) -> Iterator[tuple[Vector, dict[str, Any] | None, dict[str, Any] | None]]:
    for vector in _vectors(provider):
        yield vector, vector.accepts, vector.refuses or vector.differs


@each_provider
def test_every_rule_has_a_pair_or_a_reason(provider: str) -> None:
    vectors = _vectors(provider)
    keys = {rule.key for rule in rules_of(load_profile(provider))}
    assert {vector.rule for vector in vectors} == keys | {"envelope"}
    assert len({vector.id for vector in vectors}) == len(vectors)
    bare = [
        vector.id
        for vector in vectors
        if not (vector.accepts and vector.refuses) and not vector.why and not vector.wire and not vector.most
    ]
    assert bare == []


@each_provider
def test_the_normaliser_keeps_what_is_taken_and_changes_what_is_not(provider: str) -> None:
    profile = load_profile(provider)
    for vector, accepts, breaks in _schemas(provider):
        strict = _strict(vector, profile)
        if accepts is not None:
            made = normalize(accepts, profile, strict=strict)
            assert (made.schema, made.strict) == (accepts, strict), vector.id
        if breaks is not None:
            name = vector.rule.partition(".")[2]
            named = {entry.keyword for entry in _changes(breaks, profile, strict)}
            assert named or name in STATED_ANEW, vector.id
            if name not in STATEMENTS:
                assert ("x-other" if name == "other" else name) in named, vector.id


def _changes(schema: dict[str, Any], profile: Profile, strict: bool | None) -> tuple[Any, ...]:
    """The ledger, which names why strict mode is given up where it is."""
    made = normalize(schema, profile, strict=strict or None if profile.strict is None else None)
    if strict is False:
        made = normalize(schema, profile, strict=False)
    assert made.schema != schema or made.strict is not strict
    return made.ledger


@each_provider
def test_arguments_are_decoded(provider: str) -> None:
    profile = load_profile(provider)
    for vector in _vectors(provider):
        if vector.wire:
            strict = _strict(vector, profile)
            assert vector.contract is not None
            assert vector.argument is not None
            assert normalize(vector.contract, profile, strict=strict).schema == vector.sent, vector.id
            decoded = decode(vector.argument, profile, schema=vector.contract, strict=strict)
            assert decoded == vector.decoded, vector.id


@pytest.mark.parametrize("provider", [id for id in available() if id in CHECKERS])
def test_rules_that_were_written_without_a_profile_agree(provider: str) -> None:
    profile, checker = load_profile(provider), CHECKERS[provider]
    disagreed: list[str] = []
    for vector, accepts, _ in _schemas(provider):
        for schema, is_refused in ((accepts, False), (vector.refuses, True)):
            if schema is not None:
                made = Normalized(schema=schema, strict=_strict(vector, profile), ledger=())
                tool = tool_object(ToolInfo(name="look", description="Look."), profile, made)
                if bool(checker.reject(tool)) != is_refused:
                    disagreed.append(vector.id)
    assert sorted(disagreed) == sorted(id for id in UNJUDGED if id.startswith(f"{provider}/"))


def _read(folder: Path) -> str:
    node = shutil.which("node") or missing("Node.js is not installed")
    return subprocess.run(
        [node, str(READER), str(folder)], capture_output=True, text=True, check=True, timeout=60
    ).stdout


def test_a_reader_of_the_data_alone_agrees() -> None:
    count = sum(len(_vectors(provider)) for provider in available())
    assert _read(rule_data.FOLDER) == f"{count} vectors\n"


def test_that_reader_finds_rules_that_are_wrong(tmp_path: Path) -> None:
    for path, text in rule_data.data_files().items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    document = json.loads((tmp_path / "provider-rules.json").read_text("utf-8"))
    strict = document["providers"]["openai"]["modes"]["strict"]
    strict["keywords"]["pattern"]["sent"] = False
    del strict["constructs"]["ref-siblings"]
    document["providers"]["gemini"]["modes"]["dialect"]["constructs"]["maps"]["value"] = "keep"
    (tmp_path / "provider-rules.json").write_text(json.dumps(document), encoding="utf-8")
    found = _read(tmp_path)
    for vector in ("openai/strict.pattern ", "openai/strict.ref-siblings ", "gemini/dialect.maps/wire "):
        assert f"\n{vector}" in f"\n{found}"


@pytest.mark.parametrize("provider", ["openai", "openai-responses", "azure-openai"])
def test_openai_node_takes_and_refuses_what_strict_vectors_say(provider: str) -> None:
    taken = [each for each in _vectors(provider) if each.rule.startswith("strict.") and each.accepts]
    refused = [each for each in _vectors(provider) if each.rule.startswith("strict.") and each.refuses]
    sent = [*(each.accepts for each in taken), *(each.refuses for each in refused)]
    answers = [
        json.loads(line)
        for line in run_node(OPENAI_STRICT, text="".join(f"{json.dumps(one)}\n" for one in sent)).splitlines()
    ]
    assert [each.id for each, one in zip(taken, answers, strict=False) if one != {"made": each.accepts}] == []
    passed = {
        each.rule for each, one in zip(refused, answers[len(taken) :], strict=True) if "thrown" not in one
    }
    assert passed == UNSEEN_BY_OPENAI & {each.rule for each in refused}


def test_the_data_is_that_of_the_profiles_and_follows_its_schema() -> None:
    files = rule_data.data_files()
    assert differing(rule_data.FOLDER, files, rule_data.VECTORS) == [], "run: make reference"
    schema = json.loads((rule_data.FOLDER / "provider-rules.schema.json").read_text("utf-8"))
    document = json.loads(files["provider-rules.json"])
    jsonschema_rs.validator_for(schema).validate(document)
    line = jsonschema_rs.validator_for({**schema["$defs"]["vector"], "$defs": schema["$defs"]})
    for provider in available():
        for vector in _vectors(provider):
            line.validate(msgspec.to_builtins(vector))
    for mode in (mode for each in document["providers"].values() for mode in each["modes"].values()):
        assert mode["constructs"].keys() <= STATEMENTS.keys()


OWN = 'id = "own"\nbase = "openai"\ndated = "2026-11-21"\n'


def test_evidence_of_a_profile_is_added_to_that_of_its_base(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(
        OWN + '[[rules]]\nnames = ["dialect.items-required"]\nstatus = "ignored"\n'
        'source = "seen"\ndated = "2026-11-28"\nconfidence = "probed"\n',
        encoding="utf-8",
    )
    rules = {rule.key: rule for rule in rules_of(load_profile_file(path))}
    base = {rule.key: rule for rule in rules_of(load_profile("openai"))}
    for key in ("dialect.items-required", "strict.items-required"):
        found = rules.pop(key)
        assert (found.status, found.sources, found.dated) == ("ignored", ("seen",), "2026-11-28")
        del base[key]
    assert {key: rule.status for key, rule in rules.items()} == {
        key: rule.status for key, rule in base.items()
    }
    path.write_text(OWN + '[[rules]]\nstatus = "unknown"\n', encoding="utf-8")
    own = rules_of(load_profile_file(path))
    assert {rule.status for rule in own} == {"accepted", "unknown"}
    assert {rule.confidence for rule in own} == {"documented"}


def test_rules_that_no_schema_breaks_have_a_reason(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(
        OWN + '[dialect]\nproperty-names = "(?s).*"\nformats = []\nat-most = [["x-most", 1]]\n'
        "root-forbid = []\n",
        encoding="utf-8",
    )
    found = {vector.rule: vector for vector in vectors_of(load_profile_file(path))}
    assert found["dialect.property-names"].why == "no small schema breaks it"
    assert found["dialect.formats"].differs is not None or found["dialect.formats"].refuses is not None
    assert "dialect.at-most" in found


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ('names = ["strict.patern"]', "'strict.patern', which is no rule"),
        ('names = ["limits.keep"]', "'limits.keep', which is no rule"),
        ('dated = "soon"', "'rules.dated' is 'soon'"),
        ('status = "liked"', "'rules': Invalid enum value 'liked'"),
        ('confidence = "sure"', "'rules': Invalid enum value 'sure'"),
        ('name = "strict.pattern"', "'rules': Object contains unknown field `name`"),
    ],
)
def test_evidence_that_says_nothing_is_refused(entry: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(f"{OWN}[[rules]]\n{entry}\n", encoding="utf-8")
    with pytest.raises(ProfileError) as caught:
        load_profile_file(path)
    (problem,) = caught.value.problems
    assert words in problem.message
    assert problem.line == 4
