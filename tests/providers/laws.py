"""Independent judges of the laws: what is missing without an entry, and OpenAPI's nullable as JSON Schema."""

from __future__ import annotations

import re
from typing import Any

from toolcast.providers import Normalized

from tests.providers.rules import nodes

OLD_SPELLINGS = {"definitions", "dependencies", "additionalItems", "nullable"}


def escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def keyword_places(schema: Any, path: str = "") -> list[tuple[str, str]]:
    """Every keyword of a schema with the JSON pointer of its node; literals are not looked into."""
    if not isinstance(schema, dict):
        return []
    found: list[tuple[str, str]] = []
    for key, value in schema.items():
        found.append((path, key))
        here = f"{path}/{escaped(key)}"
        if key in (
            "properties",
            "patternProperties",
            "$defs",
            "definitions",
            "dependentSchemas",
            "dependencies",
        ):
            for name, child in value.items() if isinstance(value, dict) else ():
                found += keyword_places(child, f"{here}/{escaped(name)}")
        elif key in ("anyOf", "oneOf", "allOf", "prefixItems") or (
            key == "items" and isinstance(value, list)
        ):
            for i, child in enumerate(value):
                found += keyword_places(child, f"{here}/{i}")
        elif (
            isinstance(value, dict)
            and key not in ("default", "const", "enum", "examples", "example")
            and not key.startswith("x-")
        ):
            found += keyword_places(value, here)
    return found


def missing_without_entry(schema: Any, result: Normalized) -> list[str]:
    """Keywords of the contract that the output lacks and no ledger entry covers.

    An entry covers its keyword and all that stands below it. Constraints that mean the same at another place
    (below a definition that was inlined) are looked for by their entry alone.
    """
    present = set(keyword_places(result.schema))
    # What moved into a branch (an optional object that takes null, now) is not missing.
    present |= {(re.sub(r"/anyOf/[0-9]+", "", path), keyword) for path, keyword in present}
    covered = {f"{entry.path}/{escaped(entry.keyword)}" for entry in result.ledger}
    lost: list[str] = []
    for path, keyword in keyword_places(schema):
        if (path, keyword) in present or (re.sub(r"/anyOf/[0-9]+", "", path), keyword) in present:
            continue
        place = f"{path}/{escaped(keyword)}"
        parts = place.split("/")
        if not any("/".join(parts[:n]) in covered for n in range(2, len(parts) + 1)):
            lost.append(f"{place} is missing and not in the ledger")
    return lost


def as_json_schema(schema: Any) -> Any:
    """A schema of the OpenAPI subset as JSON Schema: `nullable` admits null whatever else is said."""
    if not isinstance(schema, dict):
        return schema
    out = dict(schema)
    nullable = out.pop("nullable", False)
    if "items" in out:
        out["items"] = as_json_schema(out["items"])
    if "anyOf" in out:
        out["anyOf"] = [as_json_schema(branch) for branch in out["anyOf"]]
    if "properties" in out:
        out["properties"] = {name: as_json_schema(child) for name, child in out["properties"].items()}
    return {"anyOf": [out, {"type": "null"}]} if nullable else out


def has_false(schema: Any) -> bool:
    """Whether some subschema takes nothing."""
    return any(node is False for _, node in nodes(schema))
