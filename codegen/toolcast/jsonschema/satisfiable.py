"""Schemas that no value satisfies, as far as that follows from types, values, bounds and required properties.

What is not decided counts as satisfiable: patterns, formats, `not` and conditions may still refuse all.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import ceil, lcm
from typing import Any, Final

from .ecma import analyse
from .json_values import is_number, is_whole
from .search_cost import ANY_LENGTH
from .validator import Validator
from .validator_errors import UnsupportedPattern, UnsupportedSchema

FORBIDDEN: Final = "it is `false`, or `not` everything"
"""The reason of schemas that refuse all values explicitly, which forbids a name."""

MAX_PARTS: Final = 64
"""Schemas that apply to one value; with more, nothing is decided."""
MAX_STEPS: Final = 100_000
"""Schemas that are examined in one document, so that a hostile one costs little."""
_MAX_DEPTH: Final = 64

_ATOMS: Final[Mapping[str, frozenset[str]]] = {
    **{name: frozenset({name}) for name in ("null", "boolean", "string", "array", "object", "integer")},
    "number": frozenset({"integer", "fraction"}),
}
_ALL: Final = frozenset().union(*_ATOMS.values())
_SCALAR: Final = frozenset(
    {
        "enum", "const", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
        "minLength", "maxLength", "pattern", "format", "minItems", "maxItems", "uniqueItems", "required",
        "minProperties", "maxProperties",
    }
)  # fmt: skip
"""Keywords other than `type` that refuse values and hold no schema."""

Schema = Mapping[str, Any]
Parts = list[Schema]


class Satisfiability:
    """Answers for the schemas of one document, of any draft. The document must not change meanwhile."""

    def __init__(self, resolve: Callable[[str], Any]) -> None:
        """`resolve` gives the schema that a `$ref` names; LookupError where that is not known."""
        self._resolve = resolve
        self._known: dict[int, str | None] = {}
        self._in_progress: set[int] = set()
        self._steps = self._depth = 0

    def contradiction(self, schema: Any) -> str | None:
        """Why no value satisfies `schema`, as a clause; `FORBIDDEN` where it forbids all values explicitly.

        None where some value does, or where that is not decided.
        """
        if not isinstance(schema, Mapping):
            return FORBIDDEN if schema is False else None
        known = id(schema)
        if known not in self._known:
            if known in self._in_progress:  # it contains itself
                return None
            self._in_progress.add(known)
            self._known[known] = self._combined([schema])
            self._in_progress.remove(known)
        return self._known[known]

    def _combined(self, schemas: list[Any]) -> str | None:
        """Why no value satisfies all of `schemas`."""
        self._depth += 1
        try:
            return None if self._depth > _MAX_DEPTH else self._reason(schemas)
        finally:
            self._depth -= 1

    def _reason(self, schemas: list[Any]) -> str | None:
        parts: Parts = []
        for schema in schemas:
            if not self._collect(schema, parts, frozenset()):
                return FORBIDDEN
        self._steps += len(parts)
        if len(parts) > MAX_PARTS or self._steps > MAX_STEPS:
            return None
        if any(part.get("nullable") is True for part in parts):  # OpenAPI's: null satisfies it
            return None
        return self._impossible(parts) or self._without_branch(parts)

    def _collect(self, schema: Any, parts: Parts, visited: frozenset[str]) -> bool:
        """Add `schema`, its reference's target and its `allOf`; False if one of them refuses all values."""
        if not isinstance(schema, Mapping) or len(parts) > MAX_PARTS:
            return schema is not False
        parts.append(schema)
        forbidden = schema.get("not")
        if forbidden is True or forbidden == {}:
            return False
        reference = schema.get("$ref")
        if isinstance(reference, str) and reference not in visited:
            visited |= {reference}
            try:
                target = self._resolve(reference)
            except LookupError:
                target = True
            if not self._collect(target, parts, visited):
                return False
        return all(self._collect(item, parts, visited) for item in _list(schema, "allOf"))

    def _impossible(self, parts: Parts) -> str | None:
        """Why no value has a type and bounds that all of `parts` allow; branches are left out."""
        allowed = _allowed(parts)
        if not allowed:
            return "its types exclude each other"
        for part in parts:
            values = [part["const"]] if "const" in part else part.get("enum")
            if isinstance(values, list):
                keyword = "const" if "const" in part else "enum"
                own = {**part, keyword: None}
                others = [own if each is part else each for each in parts]
                if any(_atom(value) in allowed and _fits(others, value) for value in values):
                    return None  # which other keywords may refuse; that is not decided
                if not values:
                    return "its `enum` is empty"
                if not any(_atom(value) in allowed for value in values):
                    return f"its types exclude every value of its `{keyword}`"
                return f"the rest of it refuses every value of its `{keyword}`"
        reasons: list[str] = []
        for atom in sorted(allowed):
            reason = self._of_type(atom, parts)
            if reason is None:
                return None
            reasons.append(reason)
        return "; ".join(dict.fromkeys(reasons))

    def _of_type(self, atom: str, parts: Parts) -> str | None:
        if atom in ("integer", "fraction"):
            return _no_number(parts, whole=atom == "integer")
        if atom == "string":
            return _above(parts, "minLength", "maxLength")
        if atom == "array":
            return _above(parts, "minItems", "maxItems") or next(self._no_array(parts), None)
        return next(self._no_object(parts), None) if atom == "object" else None

    def _no_array(self, parts: Parts) -> Iterator[str]:
        least = _largest(parts, "minItems")
        most = _smallest(parts, "maxItems")
        for part in parts:
            items = part.get("items")
            prefix = items if isinstance(items, list) else _list(part, "prefixItems")
            rest = part.get("additionalItems") if isinstance(items, list) else items
            for position, schema in enumerate([*prefix, rest][: int(min(least, len(prefix) + 1))]):
                why = self.contradiction(schema)
                if why is not None:
                    yield f"item {position} of at least {_number_text(least)} can have no value: {why}"
            if "contains" not in part:
                continue
            few = part.get("minContains", 1)
            if not is_number(few) or few <= 0:
                continue
            why = self.contradiction(part["contains"])
            if why is not None:
                yield f"no item can be what `contains` asks for: {why}"
            many = part.get("maxContains", few)
            if is_number(many) and few > many:
                yield f"`minContains` {_number_text(few)} is above `maxContains` {_number_text(many)}"
            if most is not None and few > most:
                yield f"`minContains` {_number_text(few)} is above `maxItems` {_number_text(most)}"

    def _no_object(self, parts: Parts) -> Iterator[str]:
        wrong = _above(parts, "minProperties", "maxProperties")
        if wrong is not None:
            yield wrong
        required = list(dict.fromkeys(n for p in parts for n in _list(p, "required") if isinstance(n, str)))
        most = _smallest(parts, "maxProperties")
        if most is not None and len(required) > most:
            yield f"{len(required)} properties are required and `maxProperties` is {_number_text(most)}"
        for name in required:
            why = self._combined([schema for part in parts for schema in _of_property(part, name)])
            if why == FORBIDDEN:
                yield f"the property {name!r:.60} is required, and another part of it forbids it"
            elif why is not None:
                yield f"the required property {name!r:.60} can have no value: {why}"
        least = _largest(parts, "minProperties")
        for part in parts:
            if part.get("additionalProperties") is False and not part.get("patternProperties"):
                named = part.get("properties")
                count = sum(s is not False for s in named.values()) if isinstance(named, Mapping) else 0
                if least > count:
                    yield f"`minProperties` is {_number_text(least)} and {count} properties are allowed"

    def _without_branch(self, parts: Parts) -> str | None:
        """Why no branch of some `anyOf` or `oneOf` is satisfiable together with the other keywords."""
        rest = [{k: v for k, v in p.items() if k not in ("anyOf", "oneOf", "allOf", "$ref")} for p in parts]
        for part in parts:
            for keyword in ("anyOf", "oneOf"):
                branches = _list(part, keyword)
                reasons: list[str] = []
                for branch in branches:
                    why = self.contradiction(branch) or self._combined([branch, *rest])
                    if why is None:
                        break
                    reasons.append(why)
                if branches and len(reasons) == len(branches):
                    if all(reason == FORBIDDEN for reason in reasons):
                        return FORBIDDEN
                    return (
                        f"no branch of its `{keyword}` can have a value: {'; '.join(dict.fromkeys(reasons))}"
                    )
        return None


def _list(schema: Schema, keyword: str) -> list[Any]:
    value = schema.get(keyword)
    return value if isinstance(value, list) else []


def _allowed(parts: Parts) -> frozenset[str]:
    """The types that all of `parts` allow. Types that do not exist decide nothing."""
    allowed = _ALL
    for part in parts:
        if "type" in part:
            allowed &= _named(part["type"]) or allowed
        inner = part.get("not")
        if isinstance(inner, Mapping) and set(inner) == {"type"}:
            allowed -= _named(inner["type"])
    return allowed


def _named(types: Any) -> frozenset[str]:
    names = types if isinstance(types, list) else [types]
    if not all(isinstance(name, str) and name in _ATOMS for name in names):
        return frozenset()
    return frozenset().union(*(_ATOMS[name] for name in names))


def _atom(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    if is_number(value):
        return "integer" if is_whole(value) else "fraction"
    return "string" if isinstance(value, str) else "array" if isinstance(value, list) else "object"


def _fits(parts: Parts, value: Any) -> bool:
    """Whether no keyword of `parts` that holds no schema refuses `value`."""
    for part in parts:
        own = {k: v for k, v in part.items() if k in _SCALAR and not _undecided(k, v)}
        if not own:
            continue
        try:
            if not Validator(own, formats=True).accepts(value):
                return False
        except UnsupportedSchema:  # what is malformed decides nothing
            continue
    return True


def _undecided(keyword: str, value: Any) -> bool:
    """Whether a keyword is not checked for single values: it is the enum itself (None), a flag of draft 4, or
    a pattern whose search may take long."""
    if value is None and keyword in ("enum", "const"):
        return True
    if keyword.startswith("exclusive"):
        return isinstance(value, bool)
    if keyword != "pattern" or not isinstance(value, str):
        return False
    try:
        return analyse(value).cost.fast_length() < ANY_LENGTH
    except UnsupportedPattern:
        return True


def _largest(parts: Parts, keyword: str) -> int | float:
    return max((part[keyword] for part in parts if is_number(part.get(keyword))), default=0)


def _smallest(parts: Parts, keyword: str) -> int | float | None:
    return min((part[keyword] for part in parts if is_number(part.get(keyword))), default=None)


def _above(parts: Parts, least: str, most: str) -> str | None:
    low, high = _largest(parts, least), _smallest(parts, most)
    if high is None or low <= high:
        return None
    return f"`{least}` {_number_text(low)} is above `{most}` {_number_text(high)}"


def _no_number(parts: Parts, *, whole: bool) -> str | None:
    """Why no number (no whole one) is within the bounds; multiples are counted in exact decimals."""
    lows = list(_bounds(parts, "minimum", "exclusiveMinimum"))
    highs = list(_bounds(parts, "maximum", "exclusiveMaximum"))
    if not lows or not highs:
        return None
    low, low_open, low_word = max(lows)
    high, high_open, high_word = min(highs, key=lambda bound: (bound[0], not bound[1]))
    if low > high or (low == high and (low_open or high_open)):
        where = "is above" if low > high else "leaves nothing below"
        return f"`{low_word}` {_number_text(low)} {where} `{high_word}` {_number_text(high)}"
    steps = [Fraction(repr(p["multipleOf"])) for p in parts if _positive(p.get("multipleOf"))]
    steps += [Fraction(1)] if whole else []
    if not steps:
        return None
    step = common_multiple(steps)
    first = ceil(Fraction(repr(low)) / step) * step
    first += step if low_open and first == Fraction(repr(low)) else 0
    last = Fraction(repr(high))
    if first < last or (first == last and not high_open):
        return None
    kind = "integer" if step == 1 else f"multiple of {_number_text(float(step))}"
    return f"no {kind} lies between {_number_text(low)} and {_number_text(high)}"


def _bounds(parts: Parts, inclusive: str, exclusive: str) -> Iterator[tuple[int | float, bool, str]]:
    """Bounds, whether they are exclusive, and their keywords. In draft 4 exclusiveness is a flag."""
    for part in parts:
        if _usable(part.get(inclusive)):
            yield part[inclusive], part.get(exclusive) is True, inclusive
        if _usable(part.get(exclusive)):
            yield part[exclusive], True, exclusive


def _usable(value: Any) -> bool:
    """Whether a number has a size with which exact arithmetic is fast."""
    return is_number(value) and -1e300 < value < 1e300


def _positive(value: Any) -> bool:
    return _usable(value) and value > 0


def common_multiple(steps: Sequence[Fraction]) -> Fraction:
    """The smallest number that is a multiple of all of `steps`, which are positive."""
    bottom = lcm(*(step.denominator for step in steps))
    return Fraction(lcm(*(int(step * bottom) for step in steps)), bottom)


def _of_property(part: Schema, name: str) -> Iterator[Any]:
    """The schema of the property `name` in `part`; none where patterns might apply too."""
    named = part.get("properties")
    if isinstance(named, Mapping) and name in named:
        yield named[name]
    elif "additionalProperties" in part and not part.get("patternProperties"):
        yield part["additionalProperties"]


def _number_text(value: int | float) -> str:
    return f"{value!r:.40}" if -1e300 < value < 1e300 else "(a huge number)"
