"""The comparison of docs/reports/peers.md: what it says of ours and of others is measured."""

from bench.typescript_peers.__main__ import WAYS, judge, page, tally
from bench.typescript_peers.cases import constructs, inlined

from .tools import node


def test_ours_decides_every_construct_and_others_are_asked() -> None:
    node()
    cases = constructs()
    answers = judge(cases)
    counts = {way: tally(cases, answers, way)[0] for way in WAYS}
    values = sum(len(case.values) for case in cases.cases)
    assert counts["toolcast"] == {"right": values, "exact schemas": len(cases.cases)}
    for way in WAYS[1:]:
        assert values / 2 < counts[way]["right"] < values, way
    table = page([(cases, answers)])
    assert f"| toolcast | {len(cases.cases)} | 0 | {values} | 0 | 0 | 0 |" in table


def test_references_are_inlined_but_for_those_that_lead_back() -> None:
    defs = {"A": {"type": "string"}, "B": {"items": {"$ref": "#/$defs/B"}}}
    schema = {"properties": {"a": {"$ref": "#/$defs/A", "minLength": 1}, "b": {"$ref": "#/$defs/B"}}}
    assert inlined({**schema, "$defs": defs}, defs) == {
        "properties": {
            "a": {"minLength": 1, "allOf": [{"type": "string"}]},
            "b": {"items": {"$ref": "#/$defs/B"}},
        }
    }
