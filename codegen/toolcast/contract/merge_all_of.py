"""Merging `allOf` into one plain schema, exactly where that is possible."""

from collections.abc import Callable, Mapping
from typing import Any

from ..jsonschema.equality import equal
from ..jsonschema.keywords import ANNOTATIONS, TIGHTER, union_of_names

MAX_PARTS = 64
"""Subschemas merged into one; the validator checks longer and circular chains."""

_APPLIES_TO_SIBLINGS = {
    "additionalProperties": ("properties", "patternProperties"),
    "items": ("prefixItems",),
    "then": ("if",),
    "else": ("if",),
    "minContains": ("contains",),
    "maxContains": ("contains",),
}
"""Keywords whose meaning depends on others in the same schema object."""


def merge_all_of(schema: Mapping[str, Any], resolve: Callable[[str], Any]) -> tuple[dict[str, Any], bool]:
    """Merge `allOf` and `$ref` into the other keywords of `schema`.

    Args:
        schema: a schema of the contract document.
        resolve: gives the schema that a reference names.

    Returns:
        The merged schema, and whether it is incomplete: it then accepts more than `schema`, never less.
        Subschemas keep their identity, by which their pointers are known.
    """
    parts: list[Mapping[str, Any]] = []
    incomplete = _collect(schema, resolve, parts, ())
    out: dict[str, Any] = {}
    for i, part in enumerate(parts):
        incomplete |= _fold(out, part, parts[:i] + parts[i + 1 :])
    return out, incomplete


def _collect(
    schema: Any, resolve: Callable[[str], Any], parts: list[Mapping[str, Any]], visited: tuple[str, ...]
) -> bool:
    if schema is True:
        return False
    if schema is False or len(parts) >= MAX_PARTS:
        return True
    incomplete = False
    own = {k: v for k, v in schema.items() if k not in ("allOf", "$ref")}
    if own:
        parts.append(own)
    if "$ref" in schema:
        if schema["$ref"] in visited:
            return True
        incomplete |= _collect(resolve(schema["$ref"]), resolve, parts, (*visited, schema["$ref"]))
    for item in schema.get("allOf", ()):
        incomplete |= _collect(item, resolve, parts, visited)
    return incomplete


def _fold(out: dict[str, Any], part: Mapping[str, Any], others: list[Mapping[str, Any]]) -> bool:
    incomplete = False
    for keyword, value in part.items():
        if _interacts(keyword, others):
            # the other parts' keywords would change its meaning; `true` has none
            incomplete |= value is not True
            if keyword == "additionalProperties" and all(
                o.get(keyword) is not False for o in (part, *others)
            ):
                out[keyword] = True  # undeclared properties are kept
        elif keyword not in out:
            out[keyword] = value
            if keyword == "properties":
                out[keyword], forbids = _allowed(value)
                incomplete |= forbids
        elif keyword == "type":
            out["type"], empty = _types(out["type"], value)
            incomplete |= empty
        elif keyword == "properties":
            named, forbids = _allowed(value)
            incomplete |= forbids
            for name, item in named.items():
                if name not in out["properties"]:
                    out["properties"][name] = item
                elif not equal(out["properties"][name], item):
                    incomplete = True
        elif keyword == "required":
            out["required"] = union_of_names(out["required"], value)
        elif keyword in TIGHTER:
            out[keyword] = TIGHTER[keyword](out[keyword], value)
        elif keyword not in ANNOTATIONS and not equal(out[keyword], value):
            incomplete = True
    return incomplete


def _interacts(keyword: str, others: list[Mapping[str, Any]]) -> bool:
    """Whether a keyword would apply to keywords of other parts, or they to it."""
    siblings = _APPLIES_TO_SIBLINGS.get(keyword)
    return siblings is not None and any(other.keys() & {keyword, *siblings} for other in others)


def _allowed(properties: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """Properties with `true` for `false`, which a merged schema cannot state; and whether there was any."""
    return {n: True if s is False else s for n, s in properties.items()}, False in properties.values()


def _types(a: Any, b: Any) -> tuple[Any, bool]:
    """Types that both allow, and whether there are none (then `a`, and the validator refuses)."""
    left, right = ([t] if isinstance(t, str) else list(t) for t in (a, b))
    both = [t for t in left if t in right]
    both += ["integer"] if "integer" in left and "number" in right and "integer" not in both else []
    both += ["integer"] if "number" in left and "integer" in right and "integer" not in both else []
    if not both:
        return a, True
    return both[0] if len(both) == 1 else both, False
