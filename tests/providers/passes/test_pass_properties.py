"""What holds of every pass by itself, for any schema and any dialect that needs it."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
from hypothesis import example, given
from hypothesis import strategies as st
from toolcast.analysis.verify.provider_laws import encode
from toolcast.providers.ledger import LedgerEntry
from toolcast.providers.passes.strict_objects import COUNTING
from toolcast.providers.schema_judge import as_json_schema

from tests.providers.passes.dialects import dialects_of
from tests.providers.passes.single import ALL, KEYWORDS, STAGES, Applied, apply_alone
from tests.providers.passes.strategies import schemas
from tests.providers.strategies import contracts
from tests.providers.values import instances

NAMES = sorted({*ALL, KEYWORDS})
WALKED = ("dropped_patterns", "unevaluated", "description", KEYWORDS)
"""Passes that finish what the walk over keywords has begun. It leaves out definitions that are inlined."""
BESIDE = {
    "absent_nulls": ("null_as_absence",),
    **dict.fromkeys(("max_branches", "nullable_branch", "union_siblings", "without_unions"), ("one_of",)),
    "union_alone": ("root", "union_siblings"),
    **dict.fromkeys(WALKED, ("references",)),
}
"""Passes that finish what others have begun, or rest on them."""
COMBINATORS = tuple(each.name for each in STAGES["combinators"])
_CONDITIONAL = {"type": "string", "if": {"minLength": 2}, "then": {"pattern": "a"}}
WIDENED = {
    "type": "object",
    "properties": {
        "only": {"oneOf": [_CONDITIONAL]},
        "beside": {"minLength": 1, "oneOf": [_CONDITIONAL, {"type": ["string", "integer"]}]},
        "many": {"oneOf": [_CONDITIONAL, *({"type": "string", "maxLength": most} for most in range(12))]},
    },
}
"""Each `oneOf` has a branch without its `if` in most dialects: the walk sends `anyOf` in its place."""
NUMBERS = st.integers(0, 10_000)
"""Which of the dialects that need a pass, and how many levels, an example has."""


def _apply(
    name: str, schema: Any, number: int, *, watched: bool = False, beside: tuple[str, ...] = ()
) -> Applied:
    found = dialects_of(name)
    dialect = found[number % len(found)]
    return apply_alone(
        name,
        schema,
        dialect,
        walked=name in WALKED,
        levels=1 + number % 3 if name.startswith("depth") else None,
        beside=(*BESIDE.get(name, ()), *(one for one in beside if ALL[one].needed(dialect))),
        watched=watched,
    )


def _changing(entries: tuple[LedgerEntry, ...]) -> list[LedgerEntry]:
    return [one for one in entries if one.severity in ("lost", "changed") or one.action == "described"]


@given(schema=schemas(), number=NUMBERS)
def test_no_node_is_changed_and_equal_runs_give_equal_results(schema: Any, number: int) -> None:
    before = json.dumps(schema)
    for name in NAMES:
        once, again = [_apply(name, schema, number, watched=True) for _ in range(2)]
        assert all(call.before == call.after for call in once.calls), name
        assert json.dumps(again.schema) == json.dumps(once.schema), name
        assert (again.wire_forms, again.ledger) == (once.wire_forms, once.ledger), name
        assert again.blockers == once.blockers, name
    assert json.dumps(schema) == before


@example(schema=WIDENED, number=0)
@given(schema=schemas(), number=NUMBERS)
def test_a_pass_applied_twice_changes_nothing(schema: Any, number: int) -> None:
    for name in NAMES:
        once = _apply(name, schema, number)
        if once.blockers:
            continue  # the mode is not used
        twice = _apply(name, once.schema, number)
        if name == "literals":
            # Where null stays in a list of types, until that is rewritten, the enum beside it refuses null.
            assert _without_lists_of_types(twice.schema) == _without_lists_of_types(once.schema)
        else:
            assert twice.schema == once.schema, name
        assert twice.wire_forms is None, f"{name}: what is sent in another form is so again"
        changing = _changing(twice.ledger)
        if name == "optional_nulls":
            # With `also-null` properties stay optional, so their nulls go on to count as keys.
            changing = [one for one in changing if one.keyword not in COUNTING]
        if name == "unevaluated":
            # It stays, and properties of its items go on to be sent as null.
            changing = [one for one in changing if one.keyword != "uniqueItems"]
        assert changing == [], name


def _without_lists_of_types(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_without_lists_of_types(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    out = {key: _without_lists_of_types(one) for key, one in schema.items()}
    if "enum" in out and isinstance(out.get("type"), list):
        out["type"] = next((kind for kind in out["type"] if kind != "null"), "null")
    return out


@given(data=st.data(), contract=contracts(), number=NUMBERS)
def test_what_is_kept_is_accepted_as_before(data: st.DataObject, contract: Any, number: int) -> None:
    """Where the ledger says that nothing is lost or changed, a validator accepts what it did before. Where
    nothing is described nor sent in another form, it accepts nothing else."""
    chosen = data.draw(instances({key: item for key, item in contract.items() if key != "$defs"}, contract))
    accepted = jsonschema_rs.validator_for(contract).is_valid(chosen)
    for name in NAMES:
        applied = _apply(name, contract, number, beside=OF_NULLS)
        if applied.wire_forms is not None or name == "optional_nulls":
            # The form of a value rests on there being one schema for it.
            applied = _apply(name, contract, number, beside=(*OF_NULLS, *COMBINATORS))
        if applied.blockers or any(one.severity == "changed" for one in applied.ledger):
            continue
        emitted = as_json_schema(applied.schema)
        sent = encode(chosen, applied.wire_forms, emitted)
        found = jsonschema_rs.validator_for(emitted).is_valid(sent)
        assert found or not accepted, (name, applied.schema, sent)
        if applied.wire_forms is None and not _changing(applied.ledger) and name not in NULLS:
            assert jsonschema_rs.validator_for(emitted).is_valid(chosen) == accepted, (name, applied.schema)


OF_NULLS = ("null_as_absence", "property_names", "tuples", "type_arrays", "absent_nulls")
"""Passes that together express null; one of them alone leaves a value without any form, and a form inside of
`prefixItems` cannot be undone."""
NULLS = ("optional_nulls", "null_as_absence", "absent_nulls")
"""Passes that let null stand for a key that is left out, which no entry calls a change."""
