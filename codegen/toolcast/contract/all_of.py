"""Merging `allOf` into one plain schema, exactly where that is possible."""

from collections.abc import Callable, Mapping
from typing import Any

from ..jsonschema.equality import equal
from ..jsonschema.keywords import ANNOTATIONS
from ..jsonschema.merge import TIGHTER, union_of_names

MAX_PARTS = 64
"""Subschemas flattened into one; a longer or circular chain stays a check."""

_APPLIES_TO_SIBLINGS = {
    "additionalProperties": ("properties", "patternProperties"),
    "items": ("prefixItems",),
    "then": ("if",),
    "else": ("if",),
    "minContains": ("contains",),
    "maxContains": ("contains",),
}
"""Keywords whose meaning depends on others in the same schema object."""


def merged(schema: Mapping[str, Any], resolve: Callable[[str], Any]) -> tuple[dict[str, Any], bool]:
    """`schema` with its `allOf` folded in, and whether anything was left out.

    When something was, the result accepts more than `schema` does, never less.
    Subschemas keep their identity, so their places stay known.
    """
    parts: list[Mapping[str, Any]] = []
    lossy = _collect(schema, resolve, parts, ())
    out: dict[str, Any] = {}
    for i, part in enumerate(parts):
        lossy |= _fold(out, part, parts[:i] + parts[i + 1 :])
    return out, lossy


def _collect(
    schema: Any, resolve: Callable[[str], Any], parts: list[Mapping[str, Any]], seen: tuple[str, ...]
) -> bool:
    if schema is True:
        return False
    if schema is False or len(parts) >= MAX_PARTS:
        return True
    lossy = False
    own = {k: v for k, v in schema.items() if k not in ("allOf", "$ref")}
    if own:
        parts.append(own)
    if "$ref" in schema:
        if schema["$ref"] in seen:
            return True
        lossy |= _collect(resolve(schema["$ref"]), resolve, parts, (*seen, schema["$ref"]))
    for item in schema.get("allOf", ()):
        lossy |= _collect(item, resolve, parts, seen)
    return lossy


def _fold(out: dict[str, Any], part: Mapping[str, Any], others: list[Mapping[str, Any]]) -> bool:
    lossy = False
    for keyword, value in part.items():
        if _meets_others(keyword, others):
            # its meaning would change beside other parts' keywords; `true` means nothing anywhere
            lossy |= value is not True
            if keyword == "additionalProperties" and all(
                o.get(keyword) is not False for o in (part, *others)
            ):
                out[keyword] = True  # what it takes is kept all the same
        elif keyword not in out:
            out[keyword] = value
            if keyword == "properties":
                out[keyword], forbids = _allowed(value)
                lossy |= forbids
        elif keyword == "type":
            out["type"], empty = _types(out["type"], value)
            lossy |= empty
        elif keyword == "properties":
            named, forbids = _allowed(value)
            lossy |= forbids
            for name, item in named.items():
                if name not in out["properties"]:
                    out["properties"][name] = item
                elif not equal(out["properties"][name], item):
                    lossy = True
        elif keyword == "required":
            out["required"] = union_of_names(out["required"], value)
        elif keyword in TIGHTER:
            out[keyword] = TIGHTER[keyword](out[keyword], value)
        elif keyword not in ANNOTATIONS and not equal(out[keyword], value):
            lossy = True
    return lossy


def _meets_others(keyword: str, others: list[Mapping[str, Any]]) -> bool:
    """Whether a keyword would act on what other parts say, or they on it."""
    siblings = _APPLIES_TO_SIBLINGS.get(keyword)
    return siblings is not None and any(other.keys() & {keyword, *siblings} for other in others)


def _allowed(properties: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """Properties with `true` for `false`, which has no place of its own in a merged schema; and whether."""
    return {n: True if s is False else s for n, s in properties.items()}, False in properties.values()


def _types(a: Any, b: Any) -> tuple[Any, bool]:
    """Types that both allow; the flag says that none is left (then `a` stands and the check refuses)."""
    left, right = ([t] if isinstance(t, str) else list(t) for t in (a, b))
    both = [t for t in left if t in right]
    both += ["integer"] if "integer" in left and "number" in right and "integer" not in both else []
    both += ["integer"] if "number" in left and "integer" in right and "integer" not in both else []
    if not both:
        return a, True
    return both[0] if len(both) == 1 else both, False
