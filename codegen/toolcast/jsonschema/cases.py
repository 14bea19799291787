"""Schemas of a document, the JSON types that they admit, and their values as cases.

A case has values of one JSON type, with every schema that applies to it. References, `allOf` and one branch
of each union are followed. What is left out (a union with too many branches, `not`) can only make a case
wider: whatever holds for all cases holds for all values.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, reduce
from operator import or_
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from .formats import FORMATS
from .json_values import JsonMapping, is_number, is_whole, key
from .keywords import CONSTRAINTS, subschemas
from .pointers import escape, resolve
from .schema_compiler import Schemas
from .validator import Validator
from .validator_errors import SearchTooLong, TooManyBranches, UnsupportedSchema

_ROOTS: Final = ("parameters", "result")

_Schema = Any
"""An object or a boolean of JSON Schema 2020-12."""


class Side:
    """A document of 2020-12, compiled on demand. Its schemas must not change meanwhile."""

    def __init__(self, document: JsonMapping, name: str = "", schemas: Schemas | None = None) -> None:
        self.document = document
        self.name: Final = name
        self._schemas = schemas
        self._validators: dict[int, Validator] = {}
        self._kept: list[Any] = []  # schemas whose ids are keys

    @cached_property
    def declared(self) -> frozenset[str]:
        """The names of all properties that any schema of the document declares."""
        names: set[str] = set()
        waiting = [*self.document.get("$defs", {}).values(), *(self.document.get(root) for root in _ROOTS)]
        while waiting:
            schema = waiting.pop()
            if isinstance(schema, dict):
                names.update(schema.get("properties", ()))
                waiting += [below for _, below in subschemas(schema)]
        return frozenset(names)

    def target(self, reference: str) -> "Part":
        """Return the schema that a reference names; one that accepts everything where it leads nowhere."""
        try:
            schema = resolve(self.document, reference)
        except LookupError:
            schema = True
        return Part(self, schema, reference.removeprefix("#"))

    def validator(self, schema: _Schema) -> Validator:
        """Return the exact validator of a schema of the document, or of one made of its parts."""
        known = self._validators.get(id(schema))
        if known is None:
            known = self._validators[id(schema)] = self.compiled(schema)
            self._kept.append(schema)
        return known

    def compiled(self, schema: _Schema) -> Validator:
        """Compile the validator of a schema."""
        if self._schemas is None:
            self._schemas = Schemas(self.document, formats=True)
        return Validator(schema, shared=self._schemas)

    def accepts(self, schema: _Schema, value: Any) -> bool:
        """Return whether a schema of the document accepts `value`."""
        return self.validator(schema).accepts(value)

    def refuses(self, schema: _Schema, value: Any) -> bool:
        """Return whether a schema surely refuses `value`, which is at most 200 levels deep. Not where that
        would take too long to find out, or where the schema is not supported.
        """
        try:
            return not self.validator(schema).fits(value)
        except (SearchTooLong, TooManyBranches, UnsupportedSchema, RecursionError):
            return False


class Part(Struct, frozen=True, eq=False):
    """A schema of one side, with its pointer in that side's document."""

    side: Side
    schema: _Schema
    pointer: str

    @property
    def key(self) -> int | bool:
        """Identity of the schema."""
        return self.schema if isinstance(self.schema, bool) else id(self.schema)

    def below(self, *steps: str | int) -> "Part":
        """Return the schema at `steps`, which must be there."""
        node, pointer = self.schema, self.pointer
        for step in steps:
            node = node[step]
            pointer += "/" + escape(str(step))
        return Part(self.side, node, pointer)

    def listed(self, keyword: str) -> "list[Part]":
        return [self.below(keyword, index) for index in range(len(self.schema.get(keyword, ())))]

    def accepts(self, value: Any) -> bool:
        if isinstance(self.schema, bool):
            return self.schema
        return self.side.accepts(self.schema, value)

    def refuses(self, value: Any) -> bool:
        """Return whether the schema surely refuses `value`."""
        if isinstance(self.schema, bool):
            return not self.schema
        return self.side.refuses(self.schema, value)

    def resolved(self) -> "Part":
        """Return the end of a chain of references."""
        part = self
        for _ in range(_MAX_FOLLOWED):
            if isinstance(part.schema, bool) or "$ref" not in part.schema:
                return part
            part = part.side.target(part.schema["$ref"])
        return Part(self.side, True, part.pointer)


_MAX_FOLLOWED: Final = 60
"""References and unions at one place that are followed."""


def asserts(keyword: str, value: Any) -> bool:
    """Return whether a keyword of the normal form may refuse a value, or holds schemas that may."""
    if keyword == "format":
        return value in FORMATS
    return keyword in CONSTRAINTS or keyword == "$ref"


NULL, BOOLEAN, INTEGER, FRACTION, STRING, ARRAY, OBJECT = (1 << bit for bit in range(7))
NUMBER: Final = INTEGER | FRACTION
ALL: Final = (1 << 7) - 1
KINDS: Final[Mapping[str, int]] = {
    "null": NULL,
    "boolean": BOOLEAN,
    "number": NUMBER,
    "string": STRING,
    "array": ARRAY,
    "object": OBJECT,
}
"""The kinds of cases; integers are numbers."""
_TYPES: Final[Mapping[str, int]] = {**KINDS, "integer": INTEGER}

_KIND_OF: Final[Mapping[int, str]] = {
    **{mask: name for name, mask in KINDS.items()},
    INTEGER: "number",
    FRACTION: "number",
}

_MAX_CASES: Final = 64
"""Cases of one place; unions that would make more are left out."""
_MAX_BRANCHES: Final = 300
"""Branches of one union that nothing multiplies."""
MAX_FACTS: Final = 200
"""Schemas that apply to one value; more are left out."""


class Case(Struct, frozen=True, eq=False, kw_only=True):
    """Values of some JSON types.

    `facts` are schemas that hold for each of them: objects, with the branches that were chosen. `refused` are
    schemas that hold for none. `literals` are all values that are possible, where an `enum` or a `const`
    lists them. `pointer` is the place, or the branch of a union there. `partial`: unions were left out.
    """

    mask: int = ALL
    facts: tuple[Part, ...] = ()
    refused: tuple[Part, ...] = ()
    literals: tuple[Any, ...] | None = None
    pointer: str = ""
    partial: bool = False

    @property
    def kind(self) -> str:
        """The one JSON type of the values; empty where there are several."""
        return _KIND_OF.get(self.mask, "")

    @property
    def whole(self) -> bool:
        """Return whether its numbers are integers by type."""
        return not self.mask & FRACTION


def mask_of(value: Any) -> int:
    """Return the type of a value."""
    if value is None:
        return NULL
    if isinstance(value, bool):
        return BOOLEAN
    if is_number(value):
        return INTEGER if is_whole(value) else FRACTION
    return STRING if isinstance(value, str) else ARRAY if isinstance(value, (list, tuple)) else OBJECT


def mask_of_types(types: Any) -> int:
    """Return the types that the keyword `type` names. A name of no type leaves all of them."""
    return _union(_TYPES.get(name, ALL) for name in ([types] if isinstance(types, str) else types))


def names_of_types(mask: int) -> list[str]:
    """Return the names of the types in a mask; integers are not named beside numbers."""
    return ["integer" if mask & each == INTEGER else name for name, each in KINDS.items() if mask & each]


def admitted(part: Part, known: dict[int | bool, int] | None = None, depth: int = 0) -> int:
    """Return the types of the values that a schema may accept, as a mask. `known`: the masks of other
    schemas, by their keys, which grows. `depth`: references and unions that led here.
    """
    schema = part.schema
    if isinstance(schema, bool):
        return ALL if schema else 0
    known = {} if known is None else known
    if part.key in known:
        return known[part.key]
    mask = stated_types(schema)
    if depth < _MAX_FOLLOWED:
        if "$ref" in schema:
            mask &= admitted(part.side.target(schema["$ref"]), known, depth + 1)
        for each in part.listed("allOf"):
            mask &= admitted(each, known, depth + 1)
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                mask &= _union(admitted(each, known, depth + 1) for each in part.listed(keyword))
        if depth == 0 or "$ref" not in schema:
            known[part.key] = mask
    return mask


def stated_types(schema: JsonMapping) -> int:
    """Return the types that `type`, `enum` and `const` of a schema leave, as a mask."""
    mask = mask_of_types(schema["type"]) if "type" in schema else ALL
    for keyword in ("enum", "const"):
        if keyword in schema:
            mask &= _union(mask_of(value) for value in _stated_values(schema, keyword))
    return mask


def _union(masks: Iterable[int]) -> int:
    return reduce(or_, masks, 0)


def _stated_values(schema: JsonMapping, keyword: str) -> list[Any]:
    values: list[Any] = schema["enum"] if keyword == "enum" else [schema["const"]]
    return values


class _Choice(Struct, frozen=True, eq=False):
    """Alternatives of a union or a condition: schemas that hold, and schemas that do not."""

    branches: tuple[tuple[tuple[Part, ...], tuple[Part, ...]], ...]
    names_branch: bool


def cases_of(
    parts: Iterable[Part],
    base: Case | None = None,
    *,
    without_values: list[str] | None = None,
    unions: bool = True,
) -> list[Case]:
    """Return the cases, of one kind each, of values that all of `parts` accept, without those that have no
    value by their types or literals. `base` is a case that the values are in already; its unions are not
    followed again. `without_values` receives why cases are left out.
    """
    parts = tuple(parts)
    pointer = base.pointer if base is not None else parts[0].pointer if parts else ""
    start = base if base is not None else Case(pointer=pointer)
    found: list[Case] = []
    waiting: list[tuple[Case, tuple[Part, ...], tuple[_Choice, ...]]] = [(start, parts, ())]
    room = _MAX_CASES
    while waiting:
        case, further, choices = waiting.pop()
        grown, more = _grown(case, further)
        if isinstance(grown, str):
            if without_values is not None:
                without_values.append(grown)
            continue
        choices = (*choices, *more) if unions else ()
        if not choices:
            found.append(grown)
            continue
        choice, rest = choices[0], choices[1:]
        if len(choice.branches) > (room if room < _MAX_CASES else _MAX_BRANCHES):
            waiting.append((replace(grown, partial=True), (), rest))
            continue
        room = max(0, room - len(choice.branches) + 1)
        for holding, refused in reversed(choice.branches):
            place = grown
            if choice.names_branch and holding:
                place = replace(place, pointer=holding[0].pointer)
            if refused:
                place = replace(place, refused=(*place.refused, *refused))
            waiting.append((place, holding, rest))
    return [each for case in found for each in _by_kind(case)]


FORBIDDEN: Final = "it is `false`, or `not` everything"
"""Why a schema that refuses all values explicitly has none. Such a schema forbids a name."""


def _grown(case: Case, parts: tuple[Part, ...]) -> tuple[Case | str, list[_Choice]]:
    """`case` with further schemas, and the choices in them; the reason where no value is left."""
    facts = dict.fromkeys([fact.key for fact in case.facts])
    added: list[Part] = []
    choices: list[_Choice] = []
    mask, literals = case.mask, case.literals
    waiting = list(reversed(parts))
    while waiting:
        part = waiting.pop()
        schema = part.schema
        if isinstance(schema, bool):
            if not schema:
                return FORBIDDEN, []
            continue
        if part.key in facts:
            continue
        if len(facts) > MAX_FACTS:
            return replace(case, mask=mask, facts=(*case.facts, *added), literals=literals, partial=True), []
        facts[part.key] = None
        added.append(part)
        if "type" in schema:
            mask &= mask_of_types(schema["type"])
        if "not" in schema:
            if schema["not"] is True or schema["not"] == {}:
                return FORBIDDEN, []
            if schema["not"] is not False and schema["not"].keys() == {"type"}:
                mask &= ~mask_of_types(schema["not"]["type"])
        if "enum" in schema or "const" in schema:
            literals = _common(literals, schema)
        if "$ref" in schema:
            waiting.append(part.side.target(schema["$ref"]))
        if "allOf" in schema:
            waiting += reversed(part.listed("allOf"))
        choices += _choices(part)
        if not waiting:
            waiting += _dependent([*case.facts, *added], facts)
    if not mask:
        return "its types exclude each other", []
    if literals is not None:
        literals = tuple(value for value in literals if mask_of(value) & mask)
        if not literals:
            return _without_literals([*case.facts, *added], mask), []
    grown = Case(
        mask=mask,
        facts=(*case.facts, *added),
        refused=(*case.refused, *(part.below("not") for part in added if "not" in part.schema)),
        literals=literals,
        pointer=case.pointer,
        partial=case.partial,
    )
    return grown, choices


def _without_literals(facts: list[Part], mask: int) -> str:
    """Return why no value that `enum` or `const` states is left."""
    stating = [(each.schema, name) for each in facts for name in ("enum", "const") if name in each.schema]
    for schema, keyword in stating:
        values = _stated_values(schema, keyword)
        if not values:
            return "its `enum` is empty"
        if not any(mask_of(value) & mask for value in values):
            return f"its types exclude every value of its `{keyword}`"
    return f"the rest of it refuses every value of its `{stating[0][1]}`"


def _dependent(facts: list[Part], known: Mapping[int | bool, None]) -> list[Part]:
    if not any("dependentSchemas" in fact.schema for fact in facts):
        return []
    required = {name for fact in facts for name in fact.schema.get("required", ())}
    found = [
        fact.below("dependentSchemas", name)
        for fact in facts
        for name in fact.schema.get("dependentSchemas", ())
        if name in required
    ]
    return [part for part in found if part.schema is not True and part.key not in known]


def _common(literals: tuple[Any, ...] | None, schema: JsonMapping) -> tuple[Any, ...]:
    for keyword in ("enum", "const"):
        if keyword in schema:
            stated = _stated_values(schema, keyword)
            if literals is None:
                literals = tuple({key(value): value for value in stated}.values())
            else:
                keys = {key(value) for value in stated}
                literals = tuple(value for value in literals if key(value) in keys)
    assert literals is not None
    return literals


def _choices(part: Part) -> list[_Choice]:
    schema = part.schema
    found: list[_Choice] = []
    if "anyOf" in schema:
        found.append(_Choice(tuple(((branch,), ()) for branch in part.listed("anyOf")), True))
    if "oneOf" in schema:
        branches = part.listed("oneOf")
        few = len(branches) <= 16  # each refuses all others: the square of them
        found.append(
            _Choice(
                tuple(
                    ((each,), tuple(other for other in branches if other is not each) if few else ())
                    for each in branches
                ),
                True,
            )
        )
    if "if" in schema and ("then" in schema or "else" in schema):
        condition = part.below("if")
        then = (part.below("then"),) if "then" in schema else ()
        other = (part.below("else"),) if "else" in schema else ()
        found.append(_Choice((((condition, *then), ()), (other, (condition,))), False))
    return found


def _by_kind(case: Case) -> list[Case]:
    """A case for each JSON type. Null and booleans are literals."""
    found: list[Case] = []
    for mask in KINDS.values():
        if not case.mask & mask:
            continue
        literals = case.literals
        if literals is not None:
            literals = tuple(value for value in literals if mask_of(value) & mask)
            if not literals:
                continue
        elif mask == NULL:
            literals = (None,)
        elif mask == BOOLEAN:
            literals = (True, False)
        found.append(replace(case, mask=case.mask & mask, literals=literals))
    return found


def possible_facts(parts: Sequence[Part]) -> list[Part]:
    """Return every schema that may apply to a value of `parts`: targets, and the branches of all unions."""
    found: dict[int, Part] = {}
    waiting = list(reversed(parts))
    while waiting and len(found) < MAX_FACTS:
        part = waiting.pop()
        schema = part.schema
        if isinstance(schema, bool) or id(schema) in found:
            continue
        found[id(schema)] = part
        if "$ref" in schema:
            waiting.append(part.side.target(schema["$ref"]))
        for keyword in ("allOf", "anyOf", "oneOf"):
            waiting += reversed(part.listed(keyword))
        waiting += [part.below(name) for name in ("not", "if", "then", "else") if name in schema]
        waiting += [part.below("dependentSchemas", name) for name in schema.get("dependentSchemas", ())]
    return list(found.values())
