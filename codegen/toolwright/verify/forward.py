"""The forward encoding: a value of the contract as a provider's schema wants it, guided by the way back.

Written from the meaning of `Way` alone and the provider's schema; shares no code with the way back it judges.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from ..runtime.ways import Way, Ways
from ..runtime.ways.way import KEY, MORE, VALUE, position
from .document import Schema, Tree, matches
from .openapi import INNER
from .oracle import Oracle
from .values import same

MAX_DEPTH = 60
MAX_STEPS = 20_000
"""Places visited for one value. Unions inside unions inside unions may be tried that often, then no more."""

PLAIN = Way()

_Place = tuple[dict[str, Any], Way]
_SPEAKING = ("properties", "additionalProperties", "required", "items", "prefixItems", "$ref", "allOf")


def encode(value: Any, ways: Ways | None, schema: Schema) -> Any:
    """`value`, which the contract accepts, as `schema` wants it: what `ways` would undo.

    `schema` is the provider's parameter schema, as JSON Schema. What has no encoding stays as it is.
    """
    return Forward(Oracle(schema), ways).encoded(value)


class _UnfitError(Exception):
    """The way at this place encodes values of another kind: this branch is not meant."""


class Forward:
    """The encoder of one tool for one provider."""

    def __init__(self, oracle: Oracle, ways: Ways | None, *, closes: bool = False) -> None:
        """`closes`: keys without a declared meaning may be left out, because the ledger says that objects
        were closed."""
        self.oracle = oracle
        self.tree: Tree = oracle.tree
        self.root = PLAIN if ways is None else ways.root
        self.definitions: Mapping[str, Way] = {} if ways is None else ways.definitions
        self.closes = closes
        self.untaken: dict[int, list[tuple[Any, list[tuple[Schema, Way]]]]] = {}

    def encoded(self, value: Any) -> Any:
        """See `encode`."""
        return next(self.all_encoded(value))

    def all_encoded(self, value: Any) -> Iterator[Any]:
        """Every form that `value` may be sent in, the likeliest first. Where a schema that was changed takes
        no null, an optional null may be left out, or sent so that it is the change that refuses it."""
        for nulls in (False, True):
            self.untaken = {}
            run = _Run(self, strict=True, nulls=nulls)
            try:
                yield run.at(self.tree.start, self.root, value, 0)
            except _UnfitError:  # what the contract refuses is encoded as far as it goes
                run = _Run(self, strict=False, nulls=nulls)
                yield run.at(self.tree.start, self.root, value, 0)
            if not run.left_out:
                return

    def refusals(self, path: Sequence[str | int], value: Any) -> Iterator[tuple[Any, list[Any]]]:
        """`value`, which the union at `path` of the schema takes in no form: as encoded for each branch, as
        far as it goes, and what that branch has against it. For what was encoded last."""
        branches: Any = self.tree.document
        for step in path:
            branches = branches[step]
        for seen, tries in self.untaken.get(id(branches), ()):
            if not same(seen, value):
                continue
            for branch, way in tries:
                tried = _Run(self, strict=False).at(branch, way, value, 0)
                yield tried, list(self.oracle.part(branch).iter_errors(tried))

    def places(self, schema: Schema, way: Way) -> Iterator[_Place]:
        """Every object schema that certainly judges the same value, with its way: itself first."""
        waiting: list[tuple[Schema, Way]] = [(schema, way)]
        seen: set[tuple[int, int]] = set()
        while waiting:
            node, own = waiting.pop()
            if not isinstance(node, dict) or (id(node), id(own)) in seen:
                continue
            seen.add((id(node), id(own)))
            yield node, own
            reference = node.get("$ref")
            target = self.root if own.ref == "#" else self.definitions.get(own.ref, PLAIN)
            if isinstance(reference, str):
                waiting.append((self.tree.find(reference), target))
            elif own.ref:
                waiting.append(({}, target))
            waiting += [(branch, PLAIN) for branch in node.get("allOf", ())]
            waiting += [({}, way) for way in own.beside]


class _Run:
    """One value on its way. `strict`: a value of a kind that a way does not encode ends its branch.
    `drops`: keys that a closed object does not declare are left out; otherwise they end the branch, too.
    `nulls`: an optional null that its schema refuses is sent all the same.
    """

    def __init__(self, forward: Forward, *, strict: bool, nulls: bool = False) -> None:
        self.forward = forward
        self.oracle = forward.oracle
        self.strict = strict
        self.drops = forward.closes
        self.nulls = nulls
        self.left_out = False
        self.steps = 0

    def at(self, schema: Schema, way: Way, value: Any, depth: int) -> Any:
        """`value` as `schema` wants it."""
        self.steps += 1
        if not isinstance(schema, dict) or depth > MAX_DEPTH or self.steps > MAX_STEPS:
            return value
        if schema.get(INNER):
            return None if value is None else self.at(schema["anyOf"][0], way, value, depth + 1)
        places = list(self.forward.places(schema, way))
        for node, own in tuple(places):
            for keyword in ("anyOf", "oneOf"):
                chosen = self._branch(node, keyword, own, value, depth)
                if chosen is None:
                    continue
                branch, branch_way, tried = chosen
                if len(places) == 1 and not any(key in node for key in _SPEAKING):
                    return tried
                places += self.forward.places(branch, branch_way)
        return self._encoding(places, value, depth)

    # -- unions -------------------------------------------------------------------------------

    def _branch(
        self, node: dict[str, Any], keyword: str, way: Way, value: Any, depth: int
    ) -> tuple[Schema, Way, Any] | None:
        """The first branch that takes the value as encoded for it; with its way and that value."""
        branches = node.get(keyword)
        if not isinstance(branches, list):
            return None
        ways = {
            choice.at.rsplit("/", 2)[-1]: choice.way or PLAIN
            for choice in way.choices
            if choice.at.rsplit("/", 2)[-2:-1] == [keyword]
        }
        tries = [
            (branch, branch_way)
            for number, branch in enumerate(branches)
            for branch_way in (_shared(way) if not way.choices else (ways.get(str(number), PLAIN),))
        ]
        if len(branches) == 1 and way.choices and not self._chooses(way, branches):
            tries = [(branches[0], way)]  # of the one branch, which is a union itself
        before = self.strict, self.drops
        self.strict = True
        try:
            for drops in sorted({False, self.drops}):  # first the branches that take all of it
                self.drops = drops
                for branch, branch_way in tries:
                    try:
                        tried = self.at(branch, branch_way, value, depth + 1)
                    except _UnfitError:
                        continue
                    if branch is True or (
                        isinstance(branch, dict) and self.oracle.part(branch).is_valid(tried)
                    ):
                        return branch, branch_way, tried
        finally:
            self.strict, self.drops = before
        self.forward.untaken.setdefault(id(branches), []).append((value, tries))
        return None

    def _chooses(self, way: Way, branches: list[Schema]) -> bool:
        """Whether the choices of a way are those between `branches`."""
        found = {id(self.forward.tree.find(f"#{choice.at}")) for choice in way.choices}
        return any(id(branch) in found for branch in branches)

    # -- one place ----------------------------------------------------------------------------

    def _encoding(self, places: list[_Place], value: Any, depth: int) -> Any:
        way = next((own for _, own in places if own.encoding), PLAIN)
        if way.encoding == "json":
            return json.dumps(value, ensure_ascii=False)
        if way.encoding == "texts":
            found = next((text for text, literal in way.texts.items() if same(literal, value)), None)
            return self._unfit(value) if found is None else found
        if way.encoding == "pairs":
            if not isinstance(value, dict):
                return self._unfit(value)
            return self._pairs(places, way, value.items(), depth)
        if way.encoding == "positions":
            if not isinstance(value, list):
                return self._unfit(value)
            sent = {position(i): item for i, item in enumerate(value)}
            return self._positions(places, sent, value, depth)
        if isinstance(value, list):
            return [self._item(places, index, item, depth) for index, item in enumerate(value)]
        return self._object(places, value, depth) if isinstance(value, dict) else value

    def _unfit(self, value: Any) -> Any:
        if value is None or not self.strict:
            return value  # where the place takes null, null is not encoded
        raise _UnfitError

    def _item(self, places: list[_Place], index: int, value: Any, depth: int) -> Any:
        stated: list[tuple[Schema, Way]] = []
        aside: list[tuple[Schema, Way]] = []
        for node, way in places:
            prefix = node.get("prefixItems", [])
            fixed = index < max(len(prefix), len(way.prefix))
            held = way.prefix[index] if index < len(way.prefix) else None if fixed else way.items
            if index < len(prefix):
                stated.append((prefix[index], held or PLAIN))
            elif not fixed and "items" in node:
                stated.append((node["items"], held or PLAIN))
            elif held is not None:
                aside.append(({}, held))
        for schema, held in (*stated, *_other(aside, stated)):
            value = self.at(schema, held, value, depth + 1)
        return value

    def _pairs(self, places: list[_Place], way: Way, entries: Any, depth: int) -> list[Any]:
        """`{"a": 1}` as `[{"key": "a", "value": 1}]`."""
        entry: Any = next((node["items"] for node, _ in places if isinstance(node.get("items"), dict)), {})
        entry = next((node for node, _ in self.forward.places(entry, PLAIN) if "properties" in node), {})
        schema = entry.get("properties", {}).get(VALUE, True)
        values = way.values or PLAIN
        return [{KEY: key, VALUE: self.at(schema, values, value, depth + 1)} for key, value in entries]

    def _positions(self, places: list[_Place], sent: dict[str, Any], value: list[Any], depth: int) -> Any:
        """`[a, b, c]` as `{"item_1": a, "item_2": b, "more_items": [c]}`."""
        declared = {name for node, _ in places for name in node.get("properties", ())}
        first = sum(1 for name in sent if name in declared)
        out = dict(list(sent.items())[:first])
        if len(value) > first:
            if MORE not in declared:
                return self._unfit(value)
            out[MORE] = value[first:]
        return self._object([(node, _without_names(way)) for node, way in places], out, depth)

    # -- objects ------------------------------------------------------------------------------

    def _object(self, places: list[_Place], value: dict[str, Any], depth: int) -> dict[str, Any]:
        wire = {own: sent for _, way in places for sent, own in way.names.items()}
        rest = next((way for _, way in places if way.rest), PLAIN)
        nulls = {name for _, way in places for name in way.nulls}
        declared = self._declared(places)
        out: dict[str, Any] = {}
        others: dict[str, Any] = {}
        for name, child in value.items():
            sent = wire.get(name, name)
            if child is None and (name in nulls or self._left_out(places, declared, sent)):
                continue
            if sent in declared and not (rest.rest and sent == rest.rest):
                out[sent] = self._property(declared[sent], child, depth)
            elif rest.rest:
                others[name] = child
            else:
                self._undeclared(places, sent, child, out, depth)
        if rest.rest and others:
            out[rest.rest] = self._rest(declared.get(rest.rest, []), rest, others, depth)
        for node, _ in places:
            for name in node.get("required", ()):
                if name not in out and name in declared:
                    self._absent(name, declared[name], rest.rest, out)
        # Grammars take properties in the order of the schema only.
        return {name: out[name] for name in (*(n for n in declared if n in out), *out)}

    def _left_out(
        self, places: list[_Place], declared: dict[str, list[tuple[Schema, Way]]], name: str
    ) -> bool:
        """Whether null can only be said by leaving an optional property out."""
        if name not in declared or any(name in node.get("required", ()) for node, _ in places):
            return False
        if any(self._says_null(schema, way) for schema, way in declared[name]):
            return False
        self.left_out = True
        return not self.nulls

    def _says_null(self, schema: Schema, way: Way) -> bool:
        """Whether a place takes null, as it is or in the form that is sent."""
        if way.encoding == "json" or None in way.texts.values():
            return True
        return self._is_valid(schema, None)

    def _is_valid(self, schema: Schema, value: Any) -> bool:
        return schema is True or (isinstance(schema, dict) and self.oracle.part(schema).is_valid(value))

    def _declared(self, places: list[_Place]) -> dict[str, list[tuple[Schema, Way]]]:
        """By the name that is sent: every schema of that property, with its way."""
        found: dict[str, list[tuple[Schema, Way]]] = {}
        for node, way in places:
            for name, child in node.get("properties", {}).items():
                found.setdefault(name, []).append((child, way.properties.get(name, PLAIN)))
        for name, stated in found.items():
            aside = [each for node, way in places for each in _aside(node, way, name)]
            stated += _other(aside, stated)
            stated += [each for node, way in places for each in _by_pattern(node, way, name)]
        return found

    def _property(self, stated: list[tuple[Schema, Way]], value: Any, depth: int) -> Any:
        # One that encodes comes first; the others then see a value that is theirs already.
        for schema, way in sorted(stated, key=lambda each: each[1] == PLAIN):
            value = self.at(schema, way, value, depth + 1)
        return value

    def _undeclared(
        self, places: list[_Place], name: str, value: Any, out: dict[str, Any], depth: int
    ) -> None:
        for node, way in places:
            further = node.get("additionalProperties", True)
            if further is False and self.forward.closes and not _matches(node, name):
                if self.drops:
                    return
                raise _UnfitError
            value = self.at(further, way.values or PLAIN, value, depth + 1)
            for schema, held in _by_pattern(node, way, name):
                value = self.at(schema, held, value, depth + 1)
        out[name] = value

    def _rest(
        self, stated: list[tuple[Schema, Way]], way: Way, others: dict[str, Any], depth: int
    ) -> list[Any]:
        """Undeclared keys as pairs, under the one property that is theirs."""
        lists = [
            place
            for schema, _ in stated
            for node, _ in self.forward.places(schema, PLAIN)
            for branch in (node, *node.get("anyOf", ()))
            for place in self.forward.places(branch, PLAIN)
            if "items" in place[0]
        ]
        return self._pairs(lists[:1], way, others.items(), depth)

    def _absent(self, name: str, stated: list[tuple[Schema, Way]], rest: str, out: dict[str, Any]) -> None:
        """What a strict mode demands where the contract lets a property be left out."""
        empties: tuple[Any, ...] = (None, []) if name in (rest, MORE) else (None,)
        for empty in empties:
            if all(_speaks(schema) and self._is_valid(schema, empty) for schema, _ in stated):
                out[name] = empty
                return


def _speaks(schema: Schema) -> bool:
    """Whether a schema says anything: one that takes all was not widened by null."""
    return isinstance(schema, dict) and not schema.keys() <= {"description", "title", "default", "examples"}


def _matches(node: dict[str, Any], name: str) -> bool:
    """Whether a pattern of keys speaks of `name`."""
    for pattern in node.get("patternProperties", {}):
        try:
            if re.search(pattern, name):
                return True
        except re.error:  # only ECMA-262 takes it
            return True
    return False


def _aside(node: dict[str, Any], way: Way, name: str) -> Iterator[tuple[Schema, Way]]:
    """The way of a property that others declare and `node` does not."""
    if name not in node.get("properties", ()):
        if name in way.properties:
            yield {}, way.properties[name]
        elif way.values is not None and not way.rest and not way.encoding:
            yield {}, way.values


def _other(aside: list[tuple[Schema, Way]], stated: list[tuple[Schema, Way]]) -> list[tuple[Schema, Way]]:
    """Those of `aside` whose way no schema of `stated` goes: the way of a union is that of its branches."""
    known = {id(way) for _, way in stated}
    return [(schema, way) for schema, way in aside if id(way) not in known]


def _by_pattern(node: dict[str, Any], way: Way, name: str) -> Iterator[tuple[Schema, Way]]:
    """The ways of patterns that speak of a property, with their schemas."""
    patterns = node.get("patternProperties", {})
    for pattern, held in way.patterns.items():
        if matches(pattern, name):
            yield patterns.get(pattern, {}), held


def _without_names(way: Way) -> Way:
    """For an object that stands for a list: its property names are nobody's but ours."""
    return Way(properties=way.properties, items=way.items)


def _shared(way: Way) -> tuple[Way, ...]:
    """A way that speaks of all branches of a union: its encoding is of those that send its JSON type only."""
    return (way, replace(way, encoding="")) if way.encoding else (way,)
