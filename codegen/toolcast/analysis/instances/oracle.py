"""The independent verdict: jsonschema-rs, with the two allowances of law L1 implemented here.

The allowances are worded for plain objects. Where alternatives overlap (`anyOf`, `if`, `not`) more than one
reading of "optional and not nullable" is possible; then the verdict is `None` and either answer is right.
jsonschema-rs accepts too many dates and times ("12:00:0.Z", "+020-01-01"), so the grammar of RFC 3339
(section 5.6) is checked first. `SchemaTree`, too, is independent of the verified code: it shares pointers,
the table of keywords and how `nullable` is written in JSON Schema, no more.
"""

import itertools
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any
from urllib.parse import quote, unquote

import jsonschema_rs

from ...jsonschema.cases import Part, Side
from ...jsonschema.formats import FORMATS
from ...jsonschema.json_values import JsonMapping, JsonObject, equal
from ...jsonschema.keywords import subschemas
from ...jsonschema.pointers import join, resolve
from ...providers.schema_judge import Schema as Schema
from ...runtime import resources
from .shrink import Path, without

CERTAIN = 1
POSSIBLE = 0


class SchemaTree:
    """A document with local references, and the schema at `root`, a JSON pointer, that applies to values."""

    def __init__(self, document: Mapping[str, object], root: str = "") -> None:
        self.document = document
        self.start = self.find("#" + root)

    def find(self, reference: object) -> Schema:
        """Return the schema at a local reference; `True` where there is none (others report that)."""
        if not isinstance(reference, str) or not reference.startswith("#"):
            return True
        try:
            return resolve(self.document, unquote(reference[1:]))
        except LookupError:
            return True

    def same_value(self, schemas: Sequence[tuple[Schema, int]]) -> list[tuple[JsonObject, int]]:
        """Return every object schema that may apply to the same value, each once, with whether it certainly
        does.
        """
        found: dict[int, tuple[JsonObject, int]] = {}
        waiting = list(schemas)
        while waiting:
            node, sure = waiting.pop()
            if not isinstance(node, dict):
                continue
            known = found.get(id(node))
            if known is not None and known[1] >= sure:
                continue
            found[id(node)] = (node, sure)
            if "$ref" in node:
                waiting.append((self.find(node["$ref"]), sure))
            waiting += [(branch, sure) for branch in _list(node.get("allOf"))]
            for keyword in ("anyOf", "oneOf"):
                waiting += [(branch, POSSIBLE) for branch in _list(node.get(keyword))]
            waiting += [(node[key], POSSIBLE) for key in ("not", "if", "then", "else") if key in node]
            dependent = node.get("dependentSchemas")
            waiting += [(s, POSSIBLE) for s in (dependent.values() if isinstance(dependent, dict) else ())]
        return list(found.values())

    def member(self, nodes: Sequence[tuple[JsonObject, int]], name: str) -> list[tuple[Schema, int]]:
        """Return the schemas for property `name` of a value to which `nodes` (from `same_value`) apply."""
        found: list[tuple[Schema, int]] = []
        for node, sure in nodes:
            named = False
            properties = node.get("properties")
            if isinstance(properties, dict) and name in properties:
                found.append((properties[name], sure))
                named = True
            patterns = node.get("patternProperties")
            for pattern, schema in patterns.items() if isinstance(patterns, dict) else ():
                if matches(pattern, name):
                    found.append((schema, sure))
                    named = True
            if not named and "additionalProperties" in node:
                found.append((node["additionalProperties"], sure))
            if "unevaluatedProperties" in node:
                found.append((node["unevaluatedProperties"], POSSIBLE))
        return found

    def item(self, nodes: Sequence[tuple[JsonObject, int]], index: int) -> list[tuple[Schema, int]]:
        """Return the schemas for the item at `index`."""
        found: list[tuple[Schema, int]] = []
        for node, sure in nodes:
            prefix = _list(node.get("prefixItems"))
            if index < len(prefix):
                found.append((prefix[index], sure))
            elif "items" in node:
                found.append((node["items"], sure))
            for keyword in ("contains", "unevaluatedItems"):
                if keyword in node:
                    found.append((node[keyword], POSSIBLE))
        return found


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _pattern_validator(pattern: str) -> jsonschema_rs.Draft202012Validator | None:
    try:
        return jsonschema_rs.Draft202012Validator({"pattern": pattern})
    except ValueError:
        return None


def matches(pattern: str, text: str) -> bool:
    """Return whether a pattern matches, approximately: enough to decide which schema *may* apply."""
    validator = _pattern_validator(pattern)
    return validator is not None and validator.is_valid(text)


def subschemas_of(schema: Schema, path: str = "") -> Iterator[tuple[str, JsonObject]]:
    """Yield every object schema of a document with its JSON pointer, but none inside of literals."""
    if not isinstance(schema, dict):
        return
    yield path, schema
    for below, item in subschemas(schema):
        yield from subschemas_of(item, path + join(below))


_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = r"[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})"
_GRAMMAR = {"date": _DATE, "time": _TIME, "date-time": rf"{_DATE}[Tt]{_TIME}"}


def _check(name: str, pattern: str) -> Callable[[str], bool]:
    grammar = re.compile(pattern)
    validator = jsonschema_rs.Draft202012Validator({"format": name}, validate_formats=True)

    def check(value: str) -> bool:
        return grammar.fullmatch(value) is not None and bool(validator.is_valid(value))

    return check


CHECKS = {name: _check(name, pattern) for name, pattern in _GRAMMAR.items()}
"""By format: whether a string is one, for jsonschema-rs to ask instead of its own check."""


_WHOLE = "urn:toolcast:whole"
_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_MAX_NULLS = 6
"""Nulls whose subsets are tried; more of them are taken away all at once only."""


_DOTS = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\.", re.DOTALL)
"""An escape, a class, or a dot that is neither."""
_NO_DOT = r"[^\n\r\u2028\u2029]"
"""ECMA-262 stops its dot at every line terminator, jsonschema-rs at the line feed only."""


def asserted_formats() -> frozenset[str]:
    """Return the formats that decoders assert; all others are annotations."""
    return frozenset(FORMATS) if resources.ASSERT_FORMATS else frozenset()


class OracleError(Exception):
    """jsonschema-rs cannot compile the schema; the text states why."""


class Oracle:
    """Judges values by the schema at `root` of a self-contained document."""

    def __init__(
        self,
        document: JsonMapping,
        root: str = "",
        formats: frozenset[str] = frozenset(),
        checks: Mapping[str, Callable[[str], bool]] = CHECKS,
    ) -> None:
        """Assert `formats`, by `checks` where these have them. Raises OracleError."""
        self._checks = dict(checks)
        self.tree = SchemaTree(_plain(document, formats), root)
        self.asserts = bool(formats)
        self.pointers: dict[int, str] | None = None  # kept here by those who need them
        self._parts: dict[int, Any] = {}
        # Where schemas stand, by identity: a reference to the root must find it from any part.
        self._inside = (
            {id(node): path for path, node in subschemas_of(self.tree.document)} if self._circles() else {}
        )
        self._whole = self.part({"$ref": "#" + root}) if root else self.part(self.tree.document)
        self._declared = frozenset(
            name
            for _, node in all_subschemas_of(self.tree.document)
            for name in (node["properties"] if isinstance(node.get("properties"), dict) else ())
        )

    def part(self, schema: Schema) -> Any:
        """Return the validator of a subschema of the document (by identity), made once."""
        known = self._parts.get(id(schema))
        if known is None:
            known = (schema, self._validator(schema))
            self._parts[id(schema)] = known
        return known[1]

    def _circles(self) -> bool:
        return any(node.get("$ref") in ("", "#") for _, node in all_subschemas_of(self.tree.document))

    def _validator(self, schema: Schema) -> Any:
        document = self.tree.document
        location = self._inside.get(id(schema)) if self._inside else None
        if schema is document:
            whole = {"$schema": _DRAFT, **document}
        elif location is not None:
            inside = {**document, "$id": _WHOLE}
            whole = {"$schema": _DRAFT, "$ref": f"{_WHOLE}#{quote(location)}", "$defs": {"whole": inside}}
        elif isinstance(schema, dict):
            # The document's own keys apply to no value: definitions and named roots.
            rest = {key: value for key, value in document.items() if key in ("$defs", "parameters", "result")}
            whole = {"$schema": _DRAFT, **rest, "allOf": [schema]}
        else:
            whole = {"$schema": _DRAFT, "allOf": [schema]}
        try:
            return jsonschema_rs.Draft202012Validator(
                whole, validate_formats=self.asserts, formats=self._checks, retriever=_offline
            )
        except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as problem:
            raise OracleError(str(problem)[:300]) from None

    def accepts(self, value: Any) -> bool:
        """Return whether the schema accepts `value` as it is."""
        return bool(self._whole.is_valid(value))

    def surely_accepts(self, value: Any) -> bool:
        """Return whether the schema accepts `value` however its large floats are written; see `verdict`."""
        if not self.accepts(value):
            return False
        exact = _whole(value)
        return exact is value or self.accepts(exact)

    def refuses(self, value: Any) -> bool:
        """Return whether the schema refuses `value` however its large floats are written; see `verdict`."""
        if self.accepts(value):
            return False
        exact = _whole(value)
        return exact is value or not self.accepts(exact)

    def problems(self, value: Any) -> Iterator[Any]:
        """Yield jsonschema-rs's own errors."""
        yield from self._whole.iter_errors(value)

    def verdict(self, value: Any) -> bool | None:
        """Decide law L1: whether a decoder must accept `value`; None where the allowances leave it open."""
        found = self._verdict(value)
        exact = _whole(value)
        # jsonschema-rs compares a large float with a large bound inexactly: 2.0**64 and 2**64 are one number.
        return found if exact is value or self._verdict(exact) is found else None

    def _verdict(self, value: Any) -> bool | None:
        if self.accepts(value):
            return True
        certain: list[Path] = []
        possible: list[Path] = []
        for path, sure in self._nulls(value, [(self.tree.start, CERTAIN)], ()):
            (certain if sure else possible).append(path)
        if certain and self.accepts(_dropped(value, certain)):
            return True
        nulls = [*certain, *possible]
        if len(nulls) > _MAX_NULLS:
            return None
        for count in range(1, len(nulls) + 1):
            for chosen in itertools.combinations(nulls, count):
                if self.accepts(_dropped(value, list(chosen))):
                    return None
        return False

    def settled(self, value: Any) -> Any:
        """Return `value` without the nulls that certainly count as absent."""
        nulls = self._nulls(value, [(self.tree.start, CERTAIN)], ())
        return _dropped(value, [path for path, sure in nulls if sure])

    def _nulls(
        self, value: Any, schemas: list[tuple[Schema, int]], path: Path
    ) -> Iterator[tuple[Path, bool]]:
        """Yield nulls that may count as absent, and whether they certainly do."""
        if isinstance(value, dict):
            if not _may_hold_null(value):
                return
            nodes = self.tree.same_value(schemas)
            for name, child in value.items():
                if child is None:
                    if name in self._declared:
                        yield (*path, name), self._certain(nodes, name)
                elif isinstance(child, (dict, list)):
                    yield from self._nulls(child, self.tree.member(nodes, name), (*path, name))
        elif isinstance(value, list):
            nodes = self.tree.same_value(schemas)
            for index, child in enumerate(value):
                if isinstance(child, (dict, list)):
                    yield from self._nulls(child, self.tree.item(nodes, index), (*path, index))

    def _certain(self, nodes: list[tuple[JsonObject, int]], name: str) -> bool:
        """Return whether a property is optional in every schema, and not nullable in one that certainly
        applies.
        """
        if any(name in (node.get("required") or ()) for node, _ in nodes):
            return False
        declared = [
            node["properties"][name]
            for node, sure in nodes
            if sure and isinstance(node.get("properties"), dict) and name in node["properties"]
        ]
        return any(schema is False or not self.part(schema).is_valid(None) for schema in declared)


class _OracleSide(Side):
    """The document of an oracle, which judges in place of our own validator."""

    def __init__(self, oracle: Oracle) -> None:
        super().__init__(oracle.tree.document, "old")
        self._oracle = oracle

    def target(self, reference: str) -> Part:
        return Part(self, self._oracle.tree.find(reference), reference)

    def accepts(self, schema: Any, value: Any) -> bool:
        try:
            return bool(self._oracle.part(schema).is_valid(value))
        except OracleError:
            return True

    def refuses(self, schema: Any, value: Any) -> bool:
        return not self.accepts(schema, value)


def judged_by(oracle: Oracle) -> Part:
    """Return the schema of an oracle; the oracle alone judges the values that are made of it."""
    return Part(_OracleSide(oracle), oracle.tree.start, "")


def path_of(problem: Any, value: Any) -> Path:
    """Return the path of a violation in `value`, which was judged. jsonschema-rs leaves keys without
    characters out of its path, and states a key of digits as a number. So the path is one that reads like
    its own and leads to the value that the violation is about.
    """
    steps = tuple(problem.instance_path)
    return next(_paths(value, steps, problem.instance), steps)


def _paths(value: Any, steps: Path, wanted: Any) -> Iterator[Path]:
    if not steps and equal(value, wanted):
        yield ()
    if isinstance(value, dict):
        for name in [name for name in value if steps and _reads_as(name, steps[0])]:
            yield from ((name, *path) for path in _paths(value[name], steps[1:], wanted))
        if "" in value:
            yield from (("", *path) for path in _paths(value[""], steps, wanted))
    elif isinstance(value, list) and steps and isinstance(steps[0], int) and steps[0] < len(value):
        yield from ((steps[0], *path) for path in _paths(value[steps[0]], steps[1:], wanted))


def _reads_as(name: str, step: str | int) -> bool:
    if isinstance(step, str):
        return name == step
    digits = name.removeprefix("+")  # as Rust reads numbers; `int` refuses thousands of zeros
    return digits.isascii() and digits.isdigit() and (digits.lstrip("0") or "0") == str(step)


def all_subschemas_of(document: JsonMapping) -> Iterator[tuple[str, JsonObject]]:
    """Yield every object schema of a contract file or of a plain schema."""
    yield from subschemas_of(document)
    for root in ("parameters", "result"):
        if root in document:
            yield from subschemas_of(document[root], f"/{root}")


def _whole(value: Any) -> Any:
    """Return `value` with floats past 2**53 as the integers that their JSON text states, which is 10**300 for
    1e300; the very same object where none is.
    """
    if isinstance(value, float) and abs(value) >= 2**53:
        return int(Decimal(repr(value)))
    if isinstance(value, dict):
        items = {name: _whole(child) for name, child in value.items()}
        return value if all(items[name] is child for name, child in value.items()) else items
    if isinstance(value, list):
        children = [_whole(child) for child in value]
        return value if all(map(operator.is_, children, value)) else children
    return value


def _may_hold_null(value: Any) -> bool:
    return any(child is None or isinstance(child, (dict, list)) for child in value.values())


def _dropped(value: Any, chosen: list[Path]) -> Any:
    for path in sorted(chosen, key=len, reverse=True):  # only properties go, so no index moves
        value = without(value, path)
    return value


def _plain(document: JsonMapping, formats: frozenset[str]) -> JsonObject:
    """Copy a document with asserted formats only, and with patterns translated from ECMA-262."""
    copied: JsonObject = _jsonable(document)
    for _, node in all_subschemas_of(copied):
        if "format" in node and node["format"] not in formats:
            del node["format"]
        if isinstance(node.get("pattern"), str) and "." in node["pattern"]:
            node["pattern"] = _DOTS.sub(
                lambda found: _NO_DOT if found[0] == "." else found[0], node["pattern"]
            )
    return copied


def _jsonable(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _jsonable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_jsonable(item) for item in value]
    return value


def _offline(uri: str) -> Any:
    raise ValueError(f"reference to {uri} is not followed")
