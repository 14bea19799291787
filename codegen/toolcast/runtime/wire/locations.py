"""The wire forms of one location of the arguments, combined, with references and union branches resolved."""

from collections.abc import Mapping, Sequence
from threading import RLock
from typing import TYPE_CHECKING, Any

from ...jsonschema.json_values import JsonMapping, JsonObject
from ...jsonschema.keywords import map_subschemas
from ...jsonschema.validator_errors import SearchTooLong
from ..resources import follow
from .wire_form import MORE, WireBranch, WireForm, WireForms, position

if TYPE_CHECKING:
    from ...jsonschema.search import Search


ALL = frozenset(("null", "boolean", "number", "string", "array", "object"))
_MAX_FOLLOWED = 16
_KINDS: dict[type, str] = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


class _BranchSelector:
    """The branches of one union. What decides between them is made at first use. If only one branch takes
    values of a JSON type, such a value is its own, even if the branch refuses a part of it: then the contract
    names that, in a value decoded as far as possible. Otherwise it is the first branch that accepts the
    value; first those that send further keys in a property that it has, since any open object would take
    that, too."""

    __slots__ = ("_at", "_document", "_kinds", "_rests", "_root", "_validators", "forms")

    def __init__(self, choices: Sequence[WireBranch], document: JsonMapping) -> None:
        self._document = document
        self._at = tuple(choice.at for choice in choices)
        self.forms = tuple(choice.form for choice in choices)
        self._rests = frozenset(form.rest for form in self.forms if form is not None and form.rest)
        self._kinds: dict[str, tuple[int, ...]] | None = None
        self._root: Any = None
        self._validators: dict[int, Any] = {}

    def index(self, value: Any) -> int:
        """Return the branch that `value` takes; -1 for none, or for one in which nothing is encoded."""
        kinds = self._kinds
        if kinds is None:
            kinds = self._kinds = self._by_kind()
        fitting = kinds.get(_KINDS.get(type(value), ""), ())
        if len(fitting) == 1:
            return fitting[0]
        if self._rests and not self._rests.isdisjoint(value if type(value) is dict else ()):
            fitting = tuple(sorted(fitting, key=lambda index: not self._holds_rest(index, value)))
        for index in fitting:
            if self._accepts(index, value):
                return index if self.forms[index] is not None else -1
        return -1

    def _holds_rest(self, index: int, value: Any) -> bool:
        form = self.forms[index]
        return form is not None and form.rest in value

    def _by_kind(self) -> dict[str, tuple[int, ...]]:
        """Return the branches that may take each JSON type; none if none of them encodes."""
        shapes = [shape(follow(self._document, at), self._document) for at in self._at]
        found: dict[str, tuple[int, ...]] = {}
        for kind in ALL:
            fitting = tuple(index for index, kinds in enumerate(shapes) if kind in kinds)
            if all(self.forms[index] is None for index in fitting):
                fitting = ()
            found[kind] = fitting
        return found

    def _accepts(self, index: int, value: Any) -> bool:
        validator = self._validators.get(index)
        if validator is None:
            from ...jsonschema.document import Document
            from ...jsonschema.validator import Validator

            if self._root is None:
                self._root = Document(_as_json_schema(self._document))
            schema = _as_json_schema(follow(self._document, self._at[index]))
            validator = self._validators[index] = Validator(schema, root=self._root, pointer=self._at[index])
        return bool(validator.accepts(value))


def shape(schema: object, document: JsonMapping, followed: int = 0) -> frozenset[str]:
    """Return the JSON types that a schema may take, integers as numbers: too many rather than too few."""
    if not isinstance(schema, Mapping):
        return frozenset() if schema is False else ALL
    found = ALL
    stated = schema.get("type")
    if stated is not None:
        kinds = stated if isinstance(stated, list) else [stated]
        found = frozenset("number" if kind == "integer" else kind for kind in kinds)
    values = schema["enum"] if "enum" in schema else [schema["const"]] if "const" in schema else None
    if isinstance(values, list):
        found &= frozenset(_KINDS.get(type(value), "null") for value in values)
    if followed < _MAX_FOLLOWED:
        reference = schema.get("$ref")
        if isinstance(reference, str):
            found &= shape(_target(reference, document), document, followed + 1)
        for keyword in ("anyOf", "oneOf"):
            branches = schema.get(keyword)
            if isinstance(branches, list):
                found &= frozenset[str]().union(*(shape(each, document, followed + 1) for each in branches))
    return found | {"null"} if schema.get("nullable") is True else found


def _target(reference: str, document: JsonMapping) -> object:
    """Return the target of a `$ref`; True (any value) if it is no plain pointer (anchors, escapes)."""
    try:
        return follow(document, reference[1:]) if reference.startswith("#") else True
    except LookupError:
        return True


def _as_json_schema(schema: object) -> Any:
    """Return `schema` in 2020-12: `nullable: true` admits null whatever other keywords state. Pointers to
    `$defs` of a root that is not nullable itself lead where they led."""
    if not isinstance(schema, Mapping):
        return schema
    out = map_subschemas(schema, _as_json_schema)
    return {"anyOf": [out, {"type": "null"}]} if out.pop("nullable", None) is True else out


_Parts = tuple[WireForm, ...]
"""Wire forms of the same value, without references. Their identities are the key of a location."""
_PLAIN = WireForm()
_KEPT = 1024
"""Locations of one `WireForms`, and chosen branches, that are kept; past it, both caches are cleared."""


class Location:
    """All that is decoded at one location. `Locations` fills it in."""

    __slots__ = (
        "choices",
        "count",
        "drops",
        "encoding",
        "forms",
        "has_object_rules",
        "items",
        "locations",
        "more",
        "names",
        "nulls",
        "parts",
        "patterns",
        "plain_properties",
        "positions",
        "prefix",
        "properties",
        "required",
        "rest",
        "tail",
        "texts",
        "values",
    )

    def __init__(self, locations: "Locations", parts: _Parts, choices: tuple[_BranchSelector, ...]) -> None:
        self.locations = locations
        self.parts = parts
        self.choices = choices
        self.encoding = next((part.encoding for part in parts if part.encoding), "")
        self.texts: JsonObject = {}
        self.names: dict[str, str] = {}
        for part in reversed(parts):
            self.texts.update(part.texts)
            self.names.update(part.names)
        self.rest = next((part.rest for part in parts if part.rest), "")
        encoded = next((part for part in parts if part.encoding == "positions"), None)
        self.required = encoded.required if encoded else 0
        self.count = encoded.count if encoded else 0
        self.nulls = tuple(dict.fromkeys(name for part in parts for name in part.nulls))
        self.drops = frozenset(name for part in parts for name in part.drops)
        self.properties: dict[str, Location | None] = {}
        self.patterns: list[tuple[Search, WireForm]] = []
        # Of declared properties; empty without patterns.
        self.forms: dict[str, tuple[WireForm, ...]] = {}
        self.prefix: list[Location | None] = []
        self.items: Location | None = None
        self.values: Location | None = None
        self.positions: list[Location | None] = []
        self.more: Location | None = None
        self.tail: dict[str, int] = {position(index): index for index in range(self.count)}
        if encoded:
            self.tail[MORE] = self.count
        self.has_object_rules = False
        # Set where properties are the only rules.
        self.plain_properties: tuple[tuple[str, Location], ...] | None = None

    def fill(self) -> None:
        below: dict[str, list[WireForm]] = {}
        for part in self.parts:
            for name, form in part.properties.items():
                below.setdefault(name, []).append(form)
        for part in self.parts:
            if part.values is not None and not part.rest and not part.encoding:
                for name in below.keys() - part.properties.keys():  # declared by others, not there
                    below[name].append(part.values)
        for name, forms in below.items():
            encoding = tuple(form for form in forms if form != _PLAIN)
            self.properties[name] = self.locations.of(encoding) if encoding else None
            own = self.names.get(name)
            if own is not None:  # sent under the contract's name after all
                self.properties.setdefault(own, self.properties[name])
        if any(part.patterns for part in self.parts):
            from ...jsonschema.scalar_rules import compile_pattern  # seldom needed

            every = (each for part in self.parts for each in part.patterns.items())
            self.patterns = [(compile_pattern(pattern, ""), form) for pattern, form in every]
            self.forms = {name: tuple(forms) for name, forms in below.items()}
        items = tuple(part.items for part in self.parts if part.items is not None)
        values = tuple(part.values for part in self.parts if part.values is not None)
        self.items = self.locations.of(items) if items else None
        for index in range(max(len(part.prefix) for part in self.parts)):
            found = (part.prefix[index] for part in self.parts if index < len(part.prefix))
            fixed = tuple(form for form in found if form is not None)
            self.prefix.append(self.locations.of(fixed) if fixed else None)
        self.values = self.locations.of(values) if values else None
        self.positions = [self.properties.get(position(index)) for index in range(self.count)]
        self.more = self.properties.get(MORE)
        self.has_object_rules = bool(
            self.names or self.rest or self.nulls or self.drops or self.properties or self.values
        )
        self.has_object_rules |= bool(self.patterns)
        if not (self.names or self.rest or self.nulls or self.drops or self.values or self.patterns):
            self.plain_properties = tuple(
                (name, form) for name, form in self.properties.items() if form is not None
            )

    def property_location(self, sent: str) -> "Location | None":
        """Return the location of a property, by its sent name, in an object that has patterns."""
        from ...jsonschema.search import searches  # seldom needed

        shared = searches()
        try:
            found = tuple(form for pattern, form in self.patterns if shared.finds(pattern, sent))
        except SearchTooLong:
            return self.locations.of((_PLAIN,))  # the contract, which has the pattern, refuses it
        if not found:
            return self.properties.get(sent, self.values)
        return self.locations.joined((*self.forms.get(sent, ()), *found))

    def with_branches(self, value: object) -> "Location":
        """Return this location with the branches that `value` takes, and no choices left."""
        location = self
        while location.choices:
            location = location.locations.at_branches(
                location, tuple(each.index(value) for each in location.choices)
            )
        return location


class Locations:
    """The locations of one `WireForms`, each made once as long as it is cached. Recursive forms lead back to
    existing locations."""

    def __init__(self, forms: WireForms, document: JsonMapping) -> None:
        self._forms = forms
        self._document = document
        self._made: dict[tuple[tuple[int, ...], tuple[object, ...]], Location] = {}
        self._chosen: dict[tuple[Location, tuple[int, ...]], Location] = {}
        self._branches: dict[int, _BranchSelector] = {}
        self._unfilled: list[Location] = []
        self.simple = True  # no choices, no patterns, no JSON in texts
        self._lock = RLock()  # values decide which locations are made, and several threads may decode
        self.start = self._finished((forms.root,), set())

    def of(self, forms: _Parts) -> Location:
        """Return the location of `forms`, filled in with all others that wait."""
        return self._location(forms, set())

    def joined(self, forms: _Parts) -> Location:
        """Return the location to which all of `forms` apply, filled in."""
        with self._lock:
            return self._finished(forms, set())

    def at_branches(self, location: Location, indexes: tuple[int, ...]) -> Location:
        """Return `location` with its choices made: `indexes` has a branch of each, -1 for none."""
        key = (location, indexes)  # the object, not its `id`, which is used again once the object is freed
        made = self._chosen.get(key)
        if made is None:
            with self._lock:
                pairs = zip(location.choices, indexes, strict=True)
                taken = (each.forms[index] for each, index in pairs if index >= 0)
                forms = (*location.parts, *(form for form in taken if form is not None))
                made = self._finished(
                    forms, {id(self._choice(part)) for part in location.parts if part.choices}
                )
                self._chosen[key] = made
        return made

    def _finished(self, forms: _Parts, made: set[int]) -> Location:
        if max(len(self._made), len(self._chosen)) > _KEPT:
            # Values decide which locations are combined. Those in use stay with their users.
            self._made.clear()
            self._chosen.clear()
        location = self._location(forms, made)
        while self._unfilled:
            self._unfilled.pop().fill()
        return location

    def _location(self, forms: _Parts, made: set[int]) -> Location:
        """Make a location; `made` are the choices that were made already, by identity."""
        parts = self._parts(forms)
        self.simple &= not any(part.choices or part.patterns or part.encoding == "json" for part in parts)
        choices = tuple(self._choice(part) for part in parts if part.choices)
        choices = tuple(each for each in choices if id(each) not in made)
        key = (tuple(id(part) for part in parts), tuple(id(each) for each in choices))
        location = self._made.get(key)
        if location is None:
            location = self._made[key] = Location(self, parts, choices)
            self._unfilled.append(location)
        return location

    def _parts(self, forms: _Parts) -> _Parts:
        """Return `forms` and what they refer to, each once."""
        found: dict[int, WireForm] = {}
        waiting = list(reversed(forms))
        while waiting:
            form = waiting.pop()
            if id(form) in found:
                continue
            found[id(form)] = form
            waiting += reversed(form.all_of)
            if form.ref:
                target = self._forms.definitions.get(form.ref)
                if target is not None:
                    waiting.append(target)
        return tuple(found.values())

    def _choice(self, form: WireForm) -> _BranchSelector:
        known = self._branches.get(id(form))
        if known is None:
            known = self._branches[id(form)] = _BranchSelector(form.choices, self._document)
        return known
