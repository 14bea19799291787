"""Values in the form that a provider is sent, and the examples of a tool in it.

`WireEncoder` decides the unions of a value, and gives its maps and lists the form that is sent. It is
written from the definition of `WireForm` and the provider's schema alone, and shares no code with the
decoder, which `verify` judges by it. `_FormedSchemas` are the schemas that apply to the value at one
location, each with its wire form.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from ..jsonschema.json_values import JsonObject, equal
from ..jsonschema.search import found
from ..jsonschema.validator_errors import UnsupportedSchema
from ..runtime.wire import WireForm, WireForms
from ..runtime.wire.decoder import WireDecoder
from ..runtime.wire.wire_form import KEY, MORE, VALUE, position
from .schema_judge import INNER, Schema, SchemaJudge, ValidatorJudge, as_json_schema

_ANYTHING: JsonObject = {}
_MAX_DEPTH = 60
_MAX_STEPS = 20_000
"""FormedSchemas visited for one value. Unions inside unions inside unions may be tried that often, then no
more."""


class _Untaken(NamedTuple):
    """A value that no branch of a union took, how it was sent all the same, and what was tried."""

    value: Any
    sent: object
    tries: list[_Stated]


_SPEAKING = ("properties", "additionalProperties", "required", "items", "prefixItems", "$ref", "allOf")


class _UnfitError(Exception):
    """The form at this location encodes values of another type: this is not the branch."""


_UNFIT = object()
"""Stands for `_UnfitError` among what is known."""
_TYPES: dict[type, tuple[str, ...]] = {
    type(None): ("null",),
    bool: ("boolean",),
    int: ("integer", "number"),
    float: ("integer", "number"),
    str: ("string",),
    list: ("array",),
    dict: ("object",),
}


def _may_be_of_type(schema: Schema, value: object) -> bool:
    """Return whether a branch states the type of a value, or none."""
    stated = schema.get("type") if isinstance(schema, dict) else None
    return stated is None or any(
        kind in _TYPES[type(value)] for kind in (stated if isinstance(stated, list) else (stated,))
    )


class _Encoding:
    """One value on its way. `strict`: a value of a kind that a way does not encode ends its branch.
    `drops`: keys that a closed object does not declare are left out; otherwise they end the branch, too.
    `nulls`: an optional null that its schema refuses is sent all the same.
    """

    def __init__(
        self,
        formed: _FormedSchemas,
        untaken: dict[int, list[_Untaken]],
        *,
        strict: bool,
        closes: bool = False,
        nulls: bool = False,
    ) -> None:
        self.formed = formed
        self.untaken = untaken
        self.strict = strict
        self.closes = closes
        self.drops = closes
        self.nulls = nulls
        self.left_out = False
        self.steps = 0
        self.known: dict[tuple[int, int, int, bool, bool], tuple[object, ...]] = {}

    def at(self, schema: Schema, form: WireForm, value: Any, depth: int) -> Any:
        """`value` as `schema` wants it; found once, though unions ask again for their choice. Raises
        UnfitError for a value that does not fit."""
        key = id(schema), id(form), id(value), self.strict, self.drops
        known = self.known.get(key)
        if known is None:
            try:
                sent = self._at(schema, form, value, depth)
            except _UnfitError:
                sent = _UNFIT
            known = self.known[key] = (schema, form, value, sent)  # kept, so that ids are theirs
        if known[-1] is _UNFIT:
            raise _UnfitError
        return known[-1]

    def _at(self, schema: Schema, form: WireForm, value: object, depth: int) -> object:
        self.steps += 1
        if schema is True:  # the form may still apply to locations below
            schema = _ANYTHING
        if not isinstance(schema, dict) or depth > _MAX_DEPTH or self.steps > _MAX_STEPS:
            return value
        if schema.get(INNER):
            return None if value is None else self.at(schema["anyOf"][0], form, value, depth + 1)
        formed = list(self.formed.of(schema, form))
        refused: list[tuple[list[Schema], list[_Stated]]] = []
        for node, own in formed:  # grows: the branch that is taken may be a union, too
            for keyword in ("anyOf", "oneOf"):
                branches = node.get(keyword)
                if not isinstance(branches, list):
                    continue
                tries = self.formed.branches(branches, keyword, own)
                constrains = any(key in node for key in _SPEAKING)
                chosen = self._branch(tries, node if constrains else True, value, depth)
                if chosen is None:
                    refused.append((branches, tries))
                    only = [each for each in tries if _may_be_of_type(each[0], value)]
                    if len(only) == 1:  # decoding takes it for that branch
                        formed += self.formed.of(*only[0])
                    continue
                branch, branch_form, tried = chosen
                if len(formed) == 1 and not constrains:
                    return tried
                formed += self.formed.of(branch, branch_form)
        sent = self._encoding(formed, value, depth)
        for branches, tries in refused:
            self.untaken.setdefault(id(branches), []).append(_Untaken(value, sent, tries))
        return sent

    # -- unions -------------------------------------------------------------------------------

    def _branch(
        self, tries: list[_Stated], all_of: Schema, value: object, depth: int
    ) -> tuple[Schema, WireForm, object] | None:
        """Return the first branch that takes the value as encoded for it, with form and value; rather one
        after which `all_of`, the node of the union, takes it, too.
        """
        before = self.strict, self.drops
        self.strict = True
        try:
            for drops in sorted({False, self.drops}):  # first the branches that take all of it
                self.drops = drops
                first: tuple[Schema, WireForm, object] | None = None
                for branch, branch_form in tries:
                    try:
                        tried = self.at(branch, branch_form, value, depth + 1)
                    except _UnfitError:
                        continue
                    if self._is_valid(branch, tried):
                        first = first or (branch, branch_form, tried)
                        if all_of is True or self._is_valid(all_of, tried):
                            return branch, branch_form, tried
                if first is not None:
                    return first
        finally:
            self.strict, self.drops = before
        return None

    # -- one place ----------------------------------------------------------------------------

    def _encoding(self, formed: list[_FormedSchema], value: Any, depth: int) -> Any:
        form = next((own for _, own in formed if own.encoding), _PLAIN)
        if form.encoding == "json":
            return json.dumps(value, ensure_ascii=False)
        if form.encoding == "texts":
            found = next((text for text, literal in form.texts.items() if equal(literal, value)), None)
            return self._unfit(value) if found is None else found
        if form.encoding == "pairs":
            if not isinstance(value, dict):
                return self._unfit(value)
            return self._pairs(formed, form, value.items(), depth)
        if form.encoding == "positions":
            if not isinstance(value, list):
                return self._unfit(value)
            sent = {position(i): item for i, item in enumerate(value)}
            return self._positions(formed, sent, value, depth)
        if isinstance(value, list):
            return [self._item(formed, index, item, depth) for index, item in enumerate(value)]
        return self._object(formed, value, depth) if isinstance(value, dict) else value

    def _unfit(self, value: object) -> object:
        if value is None or not self.strict:
            return value  # where the place takes null, null is not encoded
        raise _UnfitError

    def _item(self, formed: list[_FormedSchema], index: int, value: object, depth: int) -> object:
        for schema, held in _items_at(formed, index):
            value = self.at(schema, held, value, depth + 1)
        return value

    def _pairs(self, formed: list[_FormedSchema], form: WireForm, entries: Any, depth: int) -> list[object]:
        """`{"a": 1}` as `[{"key": "a", "value": 1}]`."""
        schema = self.formed.pair_value(formed)
        values = form.values or _PLAIN
        return [{KEY: key, VALUE: self.at(schema, values, value, depth + 1)} for key, value in entries]

    def _positions(
        self, formed: list[_FormedSchema], sent: JsonObject, value: list[object], depth: int
    ) -> object:
        """`[a, b, c]` as `{"item_1": a, "item_2": b, "more_items": [c]}`."""
        declared = {name for node, _ in formed for name in node.get("properties", ())}
        first = sum(1 for name in sent if name in declared)
        out = dict(list(sent.items())[:first])
        if len(value) > first:
            if MORE not in declared:
                return self._unfit(value)
            out[MORE] = value[first:]
        # The names of an object that stands for a list are nobody's but ours.
        unnamed = [
            (node, WireForm(properties=form.properties, items=form.items, nulls=form.nulls))
            for node, form in formed
        ]
        return self._object(unnamed, out, depth)

    # -- objects ------------------------------------------------------------------------------

    def _object(self, formed: list[_FormedSchema], value: JsonObject, depth: int) -> JsonObject:
        wire = {own: sent for _, form in formed for sent, own in form.names.items()}
        rest = next((form for _, form in formed if form.rest), _PLAIN)
        nulls = {name for _, form in formed for name in form.nulls}
        declared = properties(formed)
        out: JsonObject = {}
        others: JsonObject = {}
        for name, child in value.items():
            sent = wire.get(name, name)
            if child is None and (name in nulls or self._left_out(formed, declared, sent)):
                continue
            if sent in declared and not (rest.rest and sent == rest.rest):
                out[sent] = self._property(declared[sent], child, depth)
            elif rest.rest:
                others[name] = child
            else:
                self._undeclared(formed, sent, child, out, depth)
        if rest.rest and others:
            out[rest.rest] = self._rest(declared.get(rest.rest, []), rest, others, depth)
        for node, _ in formed:
            for name in node.get("required", ()):
                if name not in out and name in declared:
                    self._absent(name, declared[name], rest.rest, out)
        # Grammars take properties in the order of the schema only.
        return {name: out[name] for name in (*(n for n in declared if n in out), *out)}

    def _left_out(self, formed: list[_FormedSchema], declared: dict[str, list[_Stated]], name: str) -> bool:
        """Return whether only the absence of an optional property expresses null."""
        if name not in declared or any(name in node.get("required", ()) for node, _ in formed):
            return False
        if any(self._encodes_null(schema, form) for schema, form in declared[name]):
            return False
        self.left_out = True
        return not self.nulls

    def _encodes_null(self, schema: Schema, form: WireForm) -> bool:
        """Return whether a place takes null, as it is or in the form that is sent."""
        if form.encoding == "json" or None in form.texts.values():
            return True
        return self._is_valid(schema, None)

    def _is_valid(self, schema: Schema, value: object) -> bool:
        return schema is True or (isinstance(schema, dict) and self.formed.judge.accepts_part(schema, value))

    def _property(self, stated: list[_Stated], value: object, depth: int) -> object:
        # One that encodes comes first; the others then see a value that is theirs already.
        for schema, form in sorted(stated, key=lambda each: each[1] == _PLAIN):
            value = self.at(schema, form, value, depth + 1)
        return value

    def _undeclared(
        self, formed: list[_FormedSchema], name: str, value: object, out: JsonObject, depth: int
    ) -> None:
        for node, form in formed:
            further = node.get("additionalProperties", True)
            if further is False and self.closes and not _has_pattern_for(node, name):
                if self.drops:
                    return
                raise _UnfitError
            held = form.properties.get(name, form.values)
            value = self.at(further, held or _PLAIN, value, depth + 1)
            for schema, held in _by_pattern(node, form, name):
                value = self.at(schema, held, value, depth + 1)
        out[name] = value

    def _rest(self, stated: list[_Stated], form: WireForm, others: JsonObject, depth: int) -> list[object]:
        """Undeclared keys as pairs, under the one property that is theirs."""
        lists = self.formed.lists(stated)
        return self._pairs(lists[:1], form, others.items(), depth)

    def _absent(self, name: str, stated: list[_Stated], rest: str, out: JsonObject) -> None:
        """Make the value that a strict mode demands where the contract lets a property be left out."""
        empties: tuple[object, ...] = (None, []) if name in (rest, MORE) else (None,)
        for empty in empties:
            if all(constrains(schema) and self._is_valid(schema, empty) for schema, _ in stated):
                out[name] = empty
                return


class WireEncoder:
    """The encoder of one tool for one provider."""

    def __init__(self, judge: SchemaJudge, wire_forms: WireForms | None, *, closes: bool = False) -> None:
        """Make the encoder.

        Args:
            judge: the provider's schema, and what it accepts.
            wire_forms: how what is sent is decoded; None where it is in the contract's form.
            closes: whether keys without a declared meaning may be left out, because the ledger says that
                objects were closed.
        """
        self.judge = judge
        self.formed = _FormedSchemas(judge, wire_forms)
        self.closes = closes
        self.untaken: dict[int, list[_Untaken]] = {}  # by the `id` of a union's branches

    def encoded(self, value: object) -> Any:
        """Encode a value that the contract accepts to what `wire_forms` decodes. What has no encoding stays
        as it is.
        """
        return next(self.all_encoded(value))

    def all_encoded(self, value: object) -> Iterator[object]:
        """Yield every form that `value` may be sent in, the likeliest first. Where a schema that was changed
        takes no null, an optional null may be left out, or sent so that it is the change that refuses it.
        """
        for nulls in (False, True):
            self.untaken = {}
            run = self._run(strict=True, nulls=nulls)
            try:
                yield run.at(self.judge.start, self.formed.root, value, 0)
            except _UnfitError:  # what the contract refuses is encoded as far as it goes
                run = self._run(strict=False, nulls=nulls)
                yield run.at(self.judge.start, self.formed.root, value, 0)
            if not run.left_out:
                return

    def tries(self, branches: list[Schema], value: object) -> Iterator[tuple[Schema, object]]:
        """Return what is sent as `value`, which the union of `branches` takes in no form: each branch, and
        the value as encoded for it, as far as it goes. For what was encoded last.
        """
        for each in [one for one in self.untaken.get(id(branches), ()) if equal(one.sent, value)]:
            for branch, form in each.tries:
                yield branch, self._run(strict=False).at(branch, form, each.value, 0)

    def _run(self, *, strict: bool, nulls: bool = False) -> _Encoding:
        return _Encoding(self.formed, self.untaken, strict=strict, closes=self.closes, nulls=nulls)


REFUSED = "the provider's schema accepts it in no form"
NOT_RESTORED = "decoding makes another call of it than the spec states"
_UNJUDGED = "the provider's schema is not supported by the validator"


class SentExamples(Struct, frozen=True):
    """Examples as a provider is sent them: those that its schema accepts, and the position of every other one
    with the reason, as the end of a sentence.
    """

    values: tuple[Any, ...] = ()
    left_out: tuple[tuple[int, str], ...] = ()


def sent_examples(
    examples: Sequence[object], schema: Mapping[str, object], wire_forms: WireForms | None
) -> SentExamples:
    """Return those of `examples`, which the contract accepts, that the provider's schema accepts, too, in its
    form, and that decode to what they were. `wire_forms` is None where that is the contract's own form.
    """
    if not examples:
        return SentExamples()
    decode: Callable[[object], object] = _unchanged if wire_forms is None else WireDecoder(wire_forms, schema)
    values: list[object] = []
    left_out: list[tuple[int, str]] = []
    try:
        judge = ValidatorJudge(as_json_schema(schema))
        encoder = WireEncoder(judge, wire_forms)
        for index, example in enumerate(examples):
            sent = encoder.encoded(example)
            if not judge.accepts(sent):
                left_out.append((index, REFUSED))
            elif not _restores(decode(sent), example):
                left_out.append((index, NOT_RESTORED))
            else:
                values.append(sent)
    except UnsupportedSchema:
        return SentExamples(left_out=tuple((index, _UNJUDGED) for index in range(len(examples))))
    return SentExamples(tuple(values), tuple(left_out))


def _unchanged(value: object) -> object:
    return value


def _restores(decoded: object, example: object) -> bool:
    """Return whether a decoded call is that of an example; null may stand for absence in both."""
    if isinstance(decoded, dict) and isinstance(example, dict):
        names = decoded.keys() | example.keys()
        return all(_restores(decoded.get(name), example.get(name)) for name in names)
    if isinstance(decoded, list) and isinstance(example, list):
        return len(decoded) == len(example) and all(map(_restores, decoded, example))
    return equal(decoded, example)


_PLAIN = WireForm()

_FormedSchema = tuple[JsonObject, WireForm]
"""An object schema that applies to the value, and its wire form."""
_Stated = tuple[Schema, WireForm]
"""A schema of a child, and its way."""


class _FormedSchemas:
    """The schemas of one tool for one provider, with their wire forms."""

    def __init__(self, judge: SchemaJudge, wire_forms: WireForms | None) -> None:
        self.judge = judge
        self.root = _PLAIN if wire_forms is None else wire_forms.root
        self.definitions: Mapping[str, WireForm] = {} if wire_forms is None else wire_forms.definitions

    def of(self, schema: Schema, form: WireForm) -> Iterator[_FormedSchema]:
        """Yield every object schema that certainly applies to the same value, with its form: itself first."""
        waiting: list[_Stated] = [(schema, form)]
        visited: set[tuple[int, int]] = set()
        while waiting:
            node, own = waiting.pop()
            if not isinstance(node, dict) or (id(node), id(own)) in visited:
                continue
            visited.add((id(node), id(own)))
            yield node, own
            reference = node.get("$ref")
            target = self.root if own.ref == "#" else self.definitions.get(own.ref, _PLAIN)
            if isinstance(reference, str):
                waiting.append((self.judge.find(reference), target))
            elif own.ref:
                waiting.append(({}, target))
            waiting += [(branch, _PLAIN) for branch in node.get("allOf", ())]
            waiting += [({}, form) for form in own.all_of]

    def branches(self, branches: list[Schema], keyword: str, form: WireForm) -> list[_Stated]:
        """Return what to try for each branch of a union, in order; `form` is the union's."""
        if not form.choices:
            return [(branch, shared) for branch in branches for shared in _shared(form)]
        if len(branches) == 1 and not self._chooses(form, branches):
            return [(branches[0], form)]  # of the one branch, which is a union itself
        wire_forms = {
            choice.at.rsplit("/", 2)[-1]: choice.form or _PLAIN
            for choice in form.choices
            if choice.at.rsplit("/", 2)[-2:-1] == [keyword]
        }
        return [(branch, wire_forms.get(str(number), _PLAIN)) for number, branch in enumerate(branches)]

    def pair_value(self, formed: list[_FormedSchema]) -> Schema:
        """Return the schema of the values where a map stands as a list of pairs."""
        entry: object = next((node["items"] for node, _ in formed if isinstance(node.get("items"), dict)), {})
        entry = next((node for node, _ in self.of(entry, _PLAIN) if "properties" in node), {})
        return entry.get("properties", {}).get(VALUE, True)

    def lists(self, stated: list[_Stated]) -> list[_FormedSchema]:
        """Return those that apply to a list's items, at a child or in a branch of its union."""
        return [
            each_formed
            for schema, _ in stated
            for node, _ in self.of(schema, _PLAIN)
            for branch in (node, *node.get("anyOf", ()))
            for each_formed in self.of(branch, _PLAIN)
            if "items" in each_formed[0]
        ]

    def _chooses(self, form: WireForm, branches: list[Schema]) -> bool:
        """Return whether the choices of a way are those between `branches`."""
        found = {id(self.judge.find(f"#{choice.at}")) for choice in form.choices}
        return any(id(branch) in found for branch in branches)


def properties(formed: list[_FormedSchema]) -> dict[str, list[_Stated]]:
    """By the name that is sent: every schema of that property, with its way."""
    found: dict[str, list[_Stated]] = {}
    for node, form in formed:
        for name, child in node.get("properties", {}).items():
            found.setdefault(name, []).append((child, form.properties.get(name, _PLAIN)))
    for name, stated in found.items():
        aside = [each for node, form in formed for each in _aside(node, form, name)]
        stated += _other(aside, stated)
        stated += [each for node, form in formed for each in _by_pattern(node, form, name)]
    return found


def _items_at(formed: list[_FormedSchema], index: int) -> list[_Stated]:
    """Return every schema of the item at `index`."""
    stated: list[_Stated] = []
    aside: list[_Stated] = []
    for node, form in formed:
        prefix = node.get("prefixItems", [])
        fixed = index < max(len(prefix), len(form.prefix))
        held = form.prefix[index] if index < len(form.prefix) else None if fixed else form.items
        if index < len(prefix):
            stated.append((prefix[index], held or _PLAIN))
        elif not fixed and "items" in node:
            stated.append((node["items"], held or _PLAIN))
        elif held is not None:
            aside.append(({}, held))
    return [*stated, *_other(aside, stated)]


def _by_pattern(node: JsonObject, form: WireForm, name: str) -> Iterator[_Stated]:
    """Yield the forms of patterns that apply to a property, with their schemas."""
    patterns = node.get("patternProperties", {})
    for pattern, held in form.patterns.items():
        if found(pattern, name):
            yield patterns.get(pattern, {}), held


def constrains(schema: Schema) -> bool:
    """Return whether a schema constrains values: one that accepts all was not widened by null."""
    return isinstance(schema, dict) and not schema.keys() <= {"description", "title", "default", "examples"}


def _has_pattern_for(node: JsonObject, name: str) -> bool:
    return any(found(pattern, name) is not False for pattern in node.get("patternProperties", {}))


def _aside(node: JsonObject, form: WireForm, name: str) -> Iterator[_Stated]:
    """Yield the way of a property that others declare and `node` does not."""
    if name not in node.get("properties", ()):
        if name in form.properties:
            yield {}, form.properties[name]
        elif form.values is not None and not form.rest and not form.encoding:
            yield {}, form.values


def _other(aside: list[_Stated], stated: list[_Stated]) -> list[_Stated]:
    """Return those of `aside` with a form that no schema of `stated` has."""
    known = {id(form) for _, form in stated}
    return [(schema, form) for schema, form in aside if id(form) not in known]


def _shared(form: WireForm) -> tuple[WireForm, ...]:
    """Return a form for all branches of a union; it encodes only those that send its JSON type."""
    return (form, replace(form, encoding="")) if form.encoding else (form,)
