"""One value on its way to a provider: its unions decided, its maps and lists in the form that is sent.

Written from the definition of `WireForm` and the provider's schema alone; shares no code with the decoder,
which `verify` judges by it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..jsonschema.equality import equal
from ..runtime.wire import WireForm, WireForms
from ..runtime.wire.wire_form import KEY, MORE, VALUE, position
from .formed_schemas import (
    PLAIN,
    FormedSchema,
    FormedSchemas,
    Stated,
    by_pattern,
    constrains,
    has_pattern_for,
    items_at,
    properties,
)
from .schema_judge import INNER, Schema, SchemaJudge

ANYTHING: dict[str, Any] = {}
MAX_DEPTH = 60
MAX_STEPS = 20_000
"""FormedSchemas visited for one value. Unions inside unions inside unions may be tried that often, then no
more."""


class Untaken(NamedTuple):
    """A value that no branch of a union took, how it was sent all the same, and what was tried."""

    value: Any
    sent: Any
    tries: list[Stated]


_SPEAKING = ("properties", "additionalProperties", "required", "items", "prefixItems", "$ref", "allOf")


class UnfitError(Exception):
    """The form at this location encodes values of another type: this is not the branch."""


_UNFIT = object()
"""Stands for `UnfitError` among what is known."""
_TYPES: dict[type, tuple[str, ...]] = {
    type(None): ("null",),
    bool: ("boolean",),
    int: ("integer", "number"),
    float: ("integer", "number"),
    str: ("string",),
    list: ("array",),
    dict: ("object",),
}


def _may_be_of_type(schema: Schema, value: Any) -> bool:
    """Whether a branch states the type of a value, or none."""
    stated = schema.get("type") if isinstance(schema, dict) else None
    return stated is None or any(
        kind in _TYPES[type(value)] for kind in (stated if isinstance(stated, list) else (stated,))
    )


class Run:
    """One value on its way. `strict`: a value of a kind that a way does not encode ends its branch.
    `drops`: keys that a closed object does not declare are left out; otherwise they end the branch, too.
    `nulls`: an optional null that its schema refuses is sent all the same.
    """

    def __init__(
        self,
        judge: SchemaJudge,
        formed: FormedSchemas,
        untaken: dict[int, list[Untaken]],
        *,
        strict: bool,
        closes: bool = False,
        nulls: bool = False,
    ) -> None:
        self.judge = judge
        self.formed = formed
        self.untaken = untaken
        self.strict = strict
        self.closes = closes
        self.drops = closes
        self.nulls = nulls
        self.left_out = False
        self.steps = 0
        self.known: dict[tuple[int, int, int, bool, bool], tuple[Any, ...]] = {}

    def at(self, schema: Schema, form: WireForm, value: Any, depth: int) -> Any:
        """`value` as `schema` wants it; found once, though unions ask again for their choice. Raises
        UnfitError for a value that does not fit."""
        key = id(schema), id(form), id(value), self.strict, self.drops
        known = self.known.get(key)
        if known is None:
            try:
                sent = self._at(schema, form, value, depth)
            except UnfitError:
                sent = _UNFIT
            known = self.known[key] = (schema, form, value, sent)  # kept, so that ids are theirs
        if known[-1] is _UNFIT:
            raise UnfitError
        return known[-1]

    def _at(self, schema: Schema, form: WireForm, value: Any, depth: int) -> Any:
        self.steps += 1
        if schema is True:  # the form may still apply to locations below
            schema = ANYTHING
        if not isinstance(schema, dict) or depth > MAX_DEPTH or self.steps > MAX_STEPS:
            return value
        if schema.get(INNER):
            return None if value is None else self.at(schema["anyOf"][0], form, value, depth + 1)
        formed = list(self.formed.of(schema, form))
        refused: list[tuple[list[Schema], list[Stated]]] = []
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
            self.untaken.setdefault(id(branches), []).append(Untaken(value, sent, tries))
        return sent

    # -- unions -------------------------------------------------------------------------------

    def _branch(
        self, tries: list[Stated], all_of: Schema, value: Any, depth: int
    ) -> tuple[Schema, WireForm, Any] | None:
        """The first branch that takes the value as encoded for it; with its way and that value. Better one
        after which `all_of`, what the union belongs to, takes it, too."""
        before = self.strict, self.drops
        self.strict = True
        try:
            for drops in sorted({False, self.drops}):  # first the branches that take all of it
                self.drops = drops
                first: tuple[Schema, WireForm, Any] | None = None
                for branch, branch_form in tries:
                    try:
                        tried = self.at(branch, branch_form, value, depth + 1)
                    except UnfitError:
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

    def _encoding(self, formed: list[FormedSchema], value: Any, depth: int) -> Any:
        form = next((own for _, own in formed if own.encoding), PLAIN)
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

    def _unfit(self, value: Any) -> Any:
        if value is None or not self.strict:
            return value  # where the place takes null, null is not encoded
        raise UnfitError

    def _item(self, formed: list[FormedSchema], index: int, value: Any, depth: int) -> Any:
        for schema, held in items_at(formed, index):
            value = self.at(schema, held, value, depth + 1)
        return value

    def _pairs(self, formed: list[FormedSchema], form: WireForm, entries: Any, depth: int) -> list[Any]:
        """`{"a": 1}` as `[{"key": "a", "value": 1}]`."""
        schema = self.formed.pair_value(formed)
        values = form.values or PLAIN
        return [{KEY: key, VALUE: self.at(schema, values, value, depth + 1)} for key, value in entries]

    def _positions(
        self, formed: list[FormedSchema], sent: dict[str, Any], value: list[Any], depth: int
    ) -> Any:
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

    def _object(self, formed: list[FormedSchema], value: dict[str, Any], depth: int) -> dict[str, Any]:
        wire = {own: sent for _, form in formed for sent, own in form.names.items()}
        rest = next((form for _, form in formed if form.rest), PLAIN)
        nulls = {name for _, form in formed for name in form.nulls}
        declared = properties(formed)
        out: dict[str, Any] = {}
        others: dict[str, Any] = {}
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

    def _left_out(self, formed: list[FormedSchema], declared: dict[str, list[Stated]], name: str) -> bool:
        """Whether only the absence of an optional property expresses null."""
        if name not in declared or any(name in node.get("required", ()) for node, _ in formed):
            return False
        if any(self._encodes_null(schema, form) for schema, form in declared[name]):
            return False
        self.left_out = True
        return not self.nulls

    def _encodes_null(self, schema: Schema, form: WireForm) -> bool:
        """Whether a place takes null, as it is or in the form that is sent."""
        if form.encoding == "json" or None in form.texts.values():
            return True
        return self._is_valid(schema, None)

    def _is_valid(self, schema: Schema, value: Any) -> bool:
        return schema is True or (isinstance(schema, dict) and self.judge.accepts_part(schema, value))

    def _property(self, stated: list[Stated], value: Any, depth: int) -> Any:
        # One that encodes comes first; the others then see a value that is theirs already.
        for schema, form in sorted(stated, key=lambda each: each[1] == PLAIN):
            value = self.at(schema, form, value, depth + 1)
        return value

    def _undeclared(
        self, formed: list[FormedSchema], name: str, value: Any, out: dict[str, Any], depth: int
    ) -> None:
        for node, form in formed:
            further = node.get("additionalProperties", True)
            if further is False and self.closes and not has_pattern_for(node, name):
                if self.drops:
                    return
                raise UnfitError
            held = form.properties.get(name, form.values)
            value = self.at(further, held or PLAIN, value, depth + 1)
            for schema, held in by_pattern(node, form, name):
                value = self.at(schema, held, value, depth + 1)
        out[name] = value

    def _rest(self, stated: list[Stated], form: WireForm, others: dict[str, Any], depth: int) -> list[Any]:
        """Undeclared keys as pairs, under the one property that is theirs."""
        lists = self.formed.lists(stated)
        return self._pairs(lists[:1], form, others.items(), depth)

    def _absent(self, name: str, stated: list[Stated], rest: str, out: dict[str, Any]) -> None:
        """What a strict mode demands where the contract lets a property be left out."""
        empties: tuple[Any, ...] = (None, []) if name in (rest, MORE) else (None,)
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
        self.formed = FormedSchemas(judge, wire_forms)
        self.closes = closes
        self.untaken: dict[int, list[Untaken]] = {}  # by the `id` of a union's branches

    def encoded(self, value: Any) -> Any:
        """Encode a value that the contract accepts.

        Args:
            value: plain JSON data in the contract's form.

        Returns:
            The value as the provider's schema wants it: what `wire_forms` decodes. What has no encoding stays
            as it is.
        """
        return next(self.all_encoded(value))

    def all_encoded(self, value: Any) -> Iterator[Any]:
        """Every form that `value` may be sent in, the likeliest first. Where a schema that was changed takes
        no null, an optional null may be left out, or sent so that it is the change that refuses it."""
        for nulls in (False, True):
            self.untaken = {}
            run = self._run(strict=True, nulls=nulls)
            try:
                yield run.at(self.judge.start, self.formed.root, value, 0)
            except UnfitError:  # what the contract refuses is encoded as far as it goes
                run = self._run(strict=False, nulls=nulls)
                yield run.at(self.judge.start, self.formed.root, value, 0)
            if not run.left_out:
                return

    def tries(self, branches: list[Schema], value: Any) -> Iterator[tuple[Schema, Any]]:
        """What is sent as `value`, which the union of `branches` takes in no form: each branch, and the value
        as encoded for it, as far as it goes. For what was encoded last."""
        for each in [one for one in self.untaken.get(id(branches), ()) if equal(one.sent, value)]:
            for branch, form in each.tries:
                yield branch, self._run(strict=False).at(branch, form, each.value, 0)

    def _run(self, *, strict: bool, nulls: bool = False) -> Run:
        return Run(self.judge, self.formed, self.untaken, strict=strict, closes=self.closes, nulls=nulls)
