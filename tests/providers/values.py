"""Instances that are likely to fit a contract; the caller filters by the contract."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis_jsonschema import from_schema


def plain_values(node: dict[str, Any], contract: dict[str, Any]) -> st.SearchStrategy[Any]:
    chosen: dict[str, st.SearchStrategy[Any]] = {}
    optional: dict[str, st.SearchStrategy[Any]] = {}
    for name, child in node["properties"].items():
        target = chosen if name in node.get("required", ()) else optional
        target[name] = instances(child, contract)
    return st.fixed_dictionaries(chosen, optional=optional)


def instances(schema: Any, contract: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that are likely to fit a schema; the caller filters by the contract."""
    if not isinstance(schema, dict) or "not" in schema or "if" in schema:
        return st.sampled_from([None, 1, "a", True, {}, [], {"a": 1}])
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        nodes = st.recursive(
            st.fixed_dictionaries({"value": st.integers()}),
            lambda n: st.fixed_dictionaries({"value": st.integers(), "next": n}),
            max_leaves=4,
        )
        return nodes if name == "Node" else instances(contract["$defs"]["Leaf"], contract)
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return st.one_of([instances(branch, contract) for branch in schema[key]])
    if "allOf" in schema and schema["allOf"][0]["type"] == "object":
        parts = [instances(branch, contract) for branch in schema["allOf"]]
        return st.tuples(*parts).map(lambda values: {k: v for value in values for k, v in value.items()})
    if "prefixItems" in schema:
        return st.tuples(*(instances(kind, contract) for kind in schema["prefixItems"])).map(list)
    if schema.get("type") == "array":
        return st.lists(instances(schema["items"], contract), max_size=3)
    if schema.get("type") == "object":
        rest = schema.get("additionalProperties")
        free = st.dictionaries(
            st.sampled_from(["k", "l"]), instances(rest, contract) if rest else st.integers(), max_size=2
        )
        known = plain_values(schema, contract) if "properties" in schema else st.just({})
        open_map = "additionalProperties" in schema and rest is not False
        return st.tuples(known, free).map(lambda p: {**p[1], **p[0]}) if open_map else known
    return from_schema({k: v for k, v in schema.items() if k != "x-vendor"})
