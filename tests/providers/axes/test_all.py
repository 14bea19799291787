"""L2 to L5 over generated contracts, for dialects of many axes at once."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
from hypothesis import assume, given
from hypothesis import strategies as st
from toolcast.analysis.verify.provider_laws import encode
from toolcast.jsonschema.validator import Validator
from toolcast.providers import Normalized, normalize
from toolcast.providers.schema_judge import as_json_schema
from toolcast.runtime.wire.decoder import decode_wire

from tests.providers.axes.common import NONE, PLAIN, laws, profile, without_nulls
from tests.providers.rules.nodes import nodes
from tests.providers.strategies import contracts
from tests.providers.values import instances

TYPED = {"typed": True, "untyped": "json", "enums": "strings", "const": "enum", "booleans": "rewrite"}
DIALECTS: dict[str, dict[str, Any]] = {
    "any-of": {"type_arrays": "any-of"},
    "any-of, alone": {"type_arrays": "any-of", "any_of": "alone", "all_of": "merge", "one_of": "any-of"},
    "only": {**PLAIN, "any_of": "only", "type_arrays": "any-of"},
    "only, nullable": {**PLAIN, **TYPED, "any_of": "only", "type_arrays": "nullable", "refs": "inline"},
    "only, also-null": {**PLAIN, "any_of": "only", "type_arrays": "any-of", "optional": "also-null"},
    "none": NONE,
    "none, list of types": {**PLAIN, "any_of": "none", "refs": "inline"},
    "none, list of types, strings": {**PLAIN, "any_of": "none", "enums": "strings", "refs": "inline"},
    "none, nullable": {**PLAIN, **TYPED, "any_of": "none", "type_arrays": "nullable", "refs": "inline"},
    "none, references": {**PLAIN, "any_of": "none"},
    "absent": {**PLAIN, "null": "absent", "refs": "inline"},
    "absent, references": {**PLAIN, "null": "absent", "type_arrays": "any-of"},
    "unroll": {"cycles": "unroll"},
    "explicit": {"open": "explicit"},
    "also-null": {"optional": "also-null"},
    "conditions": {
        "pattern_alone": True,
        "integers_only": ("minimum", "maximum", "multipleOf"),
        "at_most": (("minItems", 1),),
        "patterns": "anchored",
        "lookaround": False,
    },
}


def forbidden(axes: dict[str, Any], schema: Any) -> list[str]:
    found: list[str] = []
    for path, node in nodes(schema):
        if not isinstance(node, dict):
            continue
        kinds = node.get("type")
        if isinstance(kinds, list) and axes.get("type_arrays", "keep") != "keep":
            found.append(f"{path}: a list of types")
        if axes.get("any_of") == "only" and "anyOf" in node and len(node) > 1:
            found.append(f"{path}: {sorted(node)}")
        if axes.get("any_of") == "none" and ("anyOf" in node or "oneOf" in node):
            found.append(f"{path}: a union")
        if axes.get("null") == "absent" and (
            (kinds == "null" or (isinstance(kinds, list) and "null" in kinds))
            or None in node.get("enum", ())
            or node.get("const", 0) is None
        ):
            found.append(f"{path}: null")
        if axes.get("open") == "explicit" and kinds == "object" and "additionalProperties" not in node:
            found.append(f"{path}: silent about other keys")
        if axes.get("pattern_alone") and "pattern" in node and "minLength" in node:
            found.append(f"{path}: pattern beside minLength")
        if axes.get("integers_only") and "minimum" in node and kinds != "integer":
            found.append(f"{path}: minimum")
        if axes.get("at_most") and node.get("minItems", 0) > 1:
            found.append(f"{path}: minItems")
        if axes.get("cycles") == "unroll" and node.get("$ref") == "#/$defs/Node" and "/$defs/Node" in path:
            found.append(f"{path}: a circle")
    return found


@given(dialect=st.sampled_from(sorted(DIALECTS)), contract=contracts())
def test_nothing_forbidden_is_left_nothing_is_lost_silently_and_a_second_pass_changes_nothing(
    dialect: str, contract: Any
) -> None:
    """The axis itself, L4, L5."""
    axes = DIALECTS[dialect]
    result = laws(contract, profile(**axes))
    assert forbidden(axes, result.schema) == []


def _back(result: Normalized, sent: Any) -> Any:
    return sent if result.wire_forms is None else decode_wire(sent, result.wire_forms, result.schema)


@given(dialect=st.sampled_from(sorted(DIALECTS)), data=st.data(), contract=contracts())
def test_what_the_contract_accepts_can_be_sent_and_comes_back(
    dialect: str, data: st.DataObject, contract: Any
) -> None:
    axes = DIALECTS[dialect]
    value = data.draw(instances({key: item for key, item in contract.items() if key != "$defs"}, contract))
    assume(jsonschema_rs.validator_for(contract).is_valid(value))
    result = normalize(contract, profile(**axes))
    emitted = as_json_schema(result.schema)
    judge = jsonschema_rs.validator_for(emitted)
    sent = encode(value, result.wire_forms, emitted)
    if axes.get("null") == "absent" and not judge.is_valid(sent):
        sent = without_nulls(sent)
    assert judge.is_valid(sent), (result.schema, sent, result.wire_forms)
    settled = Validator(contract, root=contract).settle(_back(result, sent))
    assert jsonschema_rs.validator_for(contract).is_valid(settled), (sent, settled, value)
