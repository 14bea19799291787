"""Real revisions of published tools: what their authors changed is told to whom it concerns."""

import json
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from msgspec.structs import replace
from toolcast.analysis.containment.compare import compare
from toolcast.analysis.diff.audiences.code import code, deprecation
from toolcast.analysis.diff.audiences.contracts import calls, sides
from toolcast.analysis.diff.audiences.definitions import definitions, sent_pairs
from toolcast.analysis.diff.audiences.trust import trust
from toolcast.analysis.diff.pairs import Context, Pair, make_pairs, offered_pair
from toolcast.analysis.diff.rules import RULES, Change
from toolcast.analysis.diff.states import State, read_listed

from tests.diff import generated_pairs
from tests.diff.audience_pairs import context

pytestmark = pytest.mark.corpora
HINTS = {"destructiveHint", "idempotentHint", "openWorldHint"}
"""Hints that MCP defines, but for readOnlyHint; other ones are not imported."""
Row = dict[str, Any]


@cache
def revisions(shared: Path) -> list[Row]:
    lines = (shared / "corpora/revisions/revisions.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [row for row in rows if row["old"] and row["new"]]


def compared(row: Row, folder: Path) -> tuple[Pair, Context] | None:
    """The pair of a row, as saved lists of tools are compared; None where a state does not compile."""
    states: list[State] = []
    for name in ("old", "new"):
        file = folder / f"{name}.json"
        file.write_text(json.dumps([row[name]]), encoding="utf-8")
        states.append(read_listed(file, frozenset()))
    made = make_pairs(*states)
    if not made.pairs:
        return None
    (found,) = made.pairs
    return found, replace(context([found]), old=states[0], new=states[1])


def changes(pair: Pair, whole: Context) -> Iterator[Change]:
    yield from trust(pair, whole)
    yield from deprecation(pair, whole)
    yield from definitions([pair], whole)
    specs = [replace(state, listed=False) for state in (whole.old, whole.new)]
    yield from code(pair, replace(whole, old=specs[0], new=specs[1]))


def check(rows: Sequence[Row], folder: Path) -> int:
    count = 0
    for row in rows:
        made = compared(row, folder)
        if made is None:
            continue
        pair, whole = made
        found = list(changes(pair, whole))
        count += bool(found)
        assert all(each.audience == RULES[each.rule].audience and each.file for each in found)
        told = {each.audience for each in found}
        (sent,) = sent_pairs([pair], whole.profiles)
        if _read(row["old"], sort_keys=True) != _read(row["new"], sort_keys=True):
            assert "model" in told, row["id"]
        if "model" in told:
            texts = [_read(row[state], dialect=True) for state in ("old", "new")]
            assert texts[0] != texts[1], row["id"]
        assert not sent.differing() or told & {"model", "trust"}, row["id"]
        if row["kind"] == "annotations":
            assert ("trust" in told) == _needs_trust(row), row["id"]
    return count


def _read(tool: Row, *, sort_keys: bool = False, dialect: bool = False) -> str:
    """A tool but for hints, `$schema` and the place of its only definition. The order of keywords may be
    brought into that of specs on import; that of properties stays. With `dialect`, also what its schemas say
    of that: MCP clients read it."""
    shown = {key: value for key, value in tool.items() if key != "annotations"}
    shown["title"] = tool.get("annotations", {}).get("title")
    if dialect:
        shown["dialects"] = [
            tool[key].get("$schema")
            for key in ("inputSchema", "outputSchema")
            if isinstance(tool.get(key), dict)
        ]
    return json.dumps(_without_dialect(shown), sort_keys=sort_keys)


def _without_dialect(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_dialect(each) for each in value]
    if not isinstance(value, dict):
        return value
    if set(value) <= {"$ref", "definitions", "$schema"} and len(value.get("definitions", {})) == 1:
        (value,) = value["definitions"].values()
    return {key: _without_dialect(each) for key, each in value.items() if key != "$schema"}


def _needs_trust(row: Row) -> bool:
    """Whether hints differ that MCP defines. A readOnlyHint of false is what its absence means."""
    old, new = (row[name].get("annotations", {}) for name in ("old", "new"))
    hints = any(old.get(hint) != new.get(hint) for hint in HINTS)
    return hints or (old.get("readOnlyHint") is True) != (new.get("readOnlyHint") is True)


def test_a_sample(shared_dir: Path, tmp_path: Path) -> None:
    rows = revisions(shared_dir)
    of_kinds = [[row for row in rows if row["kind"] == kind] for kind in ("annotations", "text", "schema")]
    sample = [row for kind in of_kinds for row in kind[:: len(kind) // 10]]
    assert check(sample, tmp_path) > 20


def told_to_callers(rows: Sequence[Row], folder: Path) -> int:
    """Hold what callers are told to the calls that only one of two states accepts; how many rows have one."""
    count = 0
    for row in rows:
        made = compared(row, folder)
        if made is None:
            continue
        pair, whole = made
        found = calls(pair, whole)
        assert len({(each.rule, each.pointer, each.message) for each in found}) == len(found), row["id"]
        new = {each.pointer for each in found if each.rule in ("parameter-required", "parameter-renamed")}
        twice = [each for each in found if each.rule == "parameter-declared" and each.pointer in new]
        assert not twice, row["id"]
        both = sides(offered_pair(pair))
        if both is None:
            continue
        documents = [{**side.built.document, "$ref": "#/parameters"} for side in both]
        judges = [jsonschema_rs.Draft202012Validator(each, validate_formats=True) for each in documents]
        for (one, other), (accepting, refusing), of_others in (
            (both, judges, {"calls-widened", "parameter-added"}),
            (both[::-1], judges[::-1], {"parameter-declared"}),
        ):
            escapes = compare(one.built, other.built, "parameters").escapes
            if any(accepting.is_valid(e.value) and not refusing.is_valid(e.value) for e in escapes):
                count += 1
                assert {each.rule for each in found} - of_others, row["id"]
    return count


def test_what_only_one_state_accepts_is_told_to_callers(shared_dir: Path, tmp_path: Path) -> None:
    rows = [row for row in revisions(shared_dir) if row["kind"] == "schema"]
    assert told_to_callers(rows[::20], tmp_path) > 20


@pytest.mark.thorough
def test_all_that_only_one_state_accepts_is_told_to_callers(shared_dir: Path, tmp_path: Path) -> None:
    rows = [row for row in revisions(shared_dir) if row["kind"] == "schema"]
    assert told_to_callers(rows, tmp_path) > 600


@pytest.mark.thorough
def test_every_one(shared_dir: Path, tmp_path: Path) -> None:
    assert check(revisions(shared_dir), tmp_path) > 1200


@pytest.mark.thorough
def test_code_as_mypy_judges_it(shared_dir: Path, tmp_path: Path) -> None:
    """Code changes are told for those revisions in which mypy finds errors, in code for the old state."""
    rows = [row for row in revisions(shared_dir) if row["kind"] == "schema"][::6]
    cases: list[tuple[Row, Pair, Context]] = []
    for row in rows:
        made = compared(row, tmp_path)
        if made is not None:
            pair, whole = made
            specs = [replace(state, listed=False) for state in (whole.old, whole.new)]
            cases.append((row, pair, replace(whole, old=specs[0], new=specs[1])))
    of = generated_pairs.of_side
    states = [(of(pair.old), of(pair.new)) for _, pair, _ in cases]
    errors = generated_pairs.type_checked(tmp_path, states)
    wrong = {
        row["id"]: (found[:3], [each.message for each in code(pair, whole)][:3])
        for (row, pair, whole), found in zip(cases, errors, strict=True)
        if bool(found) != bool(code(pair, whole))
    }
    assert wrong == {}
    assert sum(bool(found) for found in errors) > 60
