"""The encoding that strict modes ask of a model: null for what is optional and left out.

Guided by the contract alone, with jsonschema-rs as the judge of which branch of a union a value is of.
"""

from __future__ import annotations

from typing import Any

import jsonschema_rs


def accepts(contract: dict[str, Any], schema: Any, value: Any) -> bool:
    """Whether a subschema of `contract` accepts a value."""
    if not isinstance(schema, dict):
        return bool(schema)
    whole = {**schema, "$defs": contract.get("$defs", {})}
    return jsonschema_rs.validator_for(whole).is_valid(value)


def declared(contract: dict[str, Any], schema: Any) -> dict[str, Any]:
    """Properties of a node, through references and allOf."""
    if not isinstance(schema, dict):
        return {}
    found: dict[str, Any] = {}
    for branch in (
        *schema.get("allOf", ()),
        *([resolved(contract, schema["$ref"])] if "$ref" in schema else ()),
    ):
        found.update(declared(contract, branch))
    for name, child in schema.get("properties", {}).items():
        found[name] = {"allOf": [found[name], child]} if name in found else child
    for branch in (schema, *schema.get("allOf", ())):
        if isinstance(branch, dict) and branch.get("additionalProperties") is False and "allOf" not in branch:
            found = {name: child for name, child in found.items() if name in branch.get("properties", {})}
    return found


def resolved(contract: dict[str, Any], reference: str) -> Any:
    return contract["$defs"][reference.rsplit("/", 1)[1]]


def encoded(contract: dict[str, Any], schema: Any, value: Any) -> Any:
    """`value` with null at every declared property that it leaves out, at every depth."""
    if not isinstance(schema, dict):
        return value
    for key in ("anyOf", "oneOf"):
        for branch in schema.get(key, ()):
            if accepts(contract, branch, value):
                value = encoded(contract, branch, value)
                break
    if "$ref" in schema:
        value = encoded(contract, resolved(contract, schema["$ref"]), value)
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        return [encoded(contract, schema["items"], item) for item in value]
    if isinstance(value, dict):
        properties = declared(contract, schema)
        given = {name: encoded(contract, properties.get(name), item) for name, item in value.items()}
        return {**given, **{name: None for name in properties if name not in value}}
    return value
