"""One closure for the commonest schemas, which would otherwise ask for the type of a value once a keyword.

Only `check` is fused. What a refused value is told still comes from the rules, one by one.
"""

# ruff: noqa: ARG001, SIM110  # checks share one signature; loops are twice as fast as generators

from collections.abc import Mapping
from typing import Any

from .node import Check, Run
from .site import Site

_SILENT = frozenset(
    (
        *("title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"),
        *("$comment", "$defs", "definitions", "$schema"),
    )
)
_STRING = frozenset({"type", "minLength", "maxLength"})
_ARRAY = frozenset({"type", "items", "minItems", "maxItems"})
_OBJECT = frozenset(
    {"type", "properties", "required", "additionalProperties", "minProperties", "maxProperties"}
)
_ENDLESS = 2**63


def fused(site: Site) -> Check | None:
    """The verdict of all rules in one; None for what is not common enough."""
    schema = site.schema
    words = {word for word in schema if word not in _SILENT and not word.startswith("x-")}
    wanted = schema.get("type")
    if wanted == "string" and words <= _STRING and len(words) > 1:
        return _string(schema)
    if wanted == "array" and words <= _ARRAY and len(words) > 1:
        return _array(site)
    if wanted == "object" and words <= _OBJECT and isinstance(schema.get("additionalProperties", True), bool):
        return _object(site)
    return None


def _string(schema: Mapping[str, Any]) -> Check:
    low, high = int(schema.get("minLength", 0)), int(schema.get("maxLength", _ENDLESS))

    def check(value: Any, run: Run) -> bool:
        return isinstance(value, str) and low <= len(value) <= high

    return check


def _array(site: Site) -> Check:
    low, high = int(site.schema.get("minItems", 0)), int(site.schema.get("maxItems", _ENDLESS))
    if "items" not in site.schema:

        def sizes(value: Any, run: Run) -> bool:
            return isinstance(value, (list, tuple)) and low <= len(value) <= high

        return sizes
    node = site.child(site.schema["items"], "items")

    def check(value: Any, run: Run) -> bool:
        if not isinstance(value, (list, tuple)) or not low <= len(value) <= high:
            return False
        accepts = node.check
        for item in value:
            if not accepts(item, run):
                return False
        return True

    return check


def _object(site: Site) -> Check:
    schema = site.schema
    low, high = int(schema.get("minProperties", 0)), int(schema.get("maxProperties", _ENDLESS))
    every = frozenset(schema.get("required", ()))
    nodes = {name: site.child(sub, "properties", name) for name, sub in schema.get("properties", {}).items()}
    is_open = schema.get("additionalProperties", True)

    def check(value: Any, run: Run) -> bool:
        if not isinstance(value, dict) or not low <= len(value) <= high or not every <= value.keys():
            return False
        for name, item in value.items():
            node = nodes.get(name)
            if node is None:
                if not is_open:
                    return False
            elif not node.check(item, run):
                return False
        return True

    return check
