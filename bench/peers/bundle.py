"""References to other places than definitions, turned into definitions: judges cut schemas into parts."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote

from toolcast.analysis.instances.oracle import SchemaTree

_PLACES = ("#/$defs/",)


def bundled(schema: dict[str, Any]) -> dict[str, Any]:
    """`schema`, the same in meaning, in which every local reference leads to `$defs`; dangling ones stay."""
    tree, added = SchemaTree(schema), {}
    out = _rewritten(schema, tree, added)
    return {**out, "$defs": {**out.get("$defs", {}), **added}} if added else schema


def _rewritten(value: Any, tree: SchemaTree, added: dict[str, Any]) -> Any:
    if isinstance(value, list):
        return [_rewritten(each, tree, added) for each in value]
    if not isinstance(value, dict):
        return value
    out = {key: _rewritten(child, tree, added) for key, child in value.items()}
    reference = value.get("$ref")
    if isinstance(reference, str) and reference.startswith("#") and not reference.startswith(_PLACES):
        target = tree.find(reference)
        if target is not True:
            name = "at" + re.sub(r"[^A-Za-z0-9_-]", lambda found: f"_{ord(found[0]):x}_", unquote(reference))
            if name not in added:
                added[name] = True  # before its own references are followed: it may refer to itself
                whole = target if reference != "#" else {k: v for k, v in target.items() if k != "$defs"}
                added[name] = _rewritten(whole, tree, added)
            out["$ref"] = f"#/$defs/{name}"
    return out
