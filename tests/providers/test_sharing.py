"""One walk for many dialects says what a walk for each of them says, byte for byte."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import fields, replace
from toolcast.providers import (
    Audience,
    Dialect,
    Limits,
    Normalized,
    Profile,
    SchemaError,
    Shared,
    available,
    load_profile,
    normalize,
)
from toolcast.providers.asked import agree, asked, trace
from toolcast.providers.children import INNER, rules_of
from toolcast.providers.normalize import through
from toolcast.providers.rules import HINTS, Rules
from toolcast.providers.sharing import LEAST
from toolcast.providers.source import source_of

from tests.providers.axes.common import NONE, PLAIN
from tests.providers.rules.survey import CORPORA, SUITE, tools
from tests.providers.strategies import contracts

PROFILES = [load_profile(id) for id in available()]
EVERYONE = Audience(PROFILES)
MODES = (None, True, False)
Said = bytes | str


def _unshared(schema: Any, profile: Profile, strict: bool | None) -> Said:
    return _told(lambda: normalize(schema, profile, strict=strict))


def _shared(shared: Shared, profile: Profile, strict: bool | None) -> Said:
    return _told(lambda: shared.normalize(profile, strict=strict))


def _told(call: Callable[[], Normalized]) -> Said:
    """The answer as bytes, or what was raised: axes that do not go together may lead to any error."""
    try:
        return msgspec.json.encode(call())
    except Exception as problem:
        return f"{type(problem).__name__} {problem} {getattr(problem, 'path', '')}"


def _same(audience: Audience, schema: Any, profiles: Sequence[Profile], modes: Sequence[bool | None]) -> None:
    try:
        shared = audience.share(schema)
    except SchemaError:
        for profile in profiles:
            with pytest.raises(SchemaError):
                normalize(schema, profile)
        return
    said = [(profile, mode, _shared(shared, profile, mode)) for mode in modes for profile in profiles]
    for profile, mode, told in said:
        assert told == _unshared(schema, profile, mode), (profile.id, mode)
    for profile, mode, told in said:  # nobody changed what is shared
        assert _shared(shared, profile, mode) == told


@pytest.mark.corpora
@pytest.mark.parametrize("corpus", [*CORPORA, SUITE])
def test_of_real_tools_every_profile_is_told_the_same(shared_dir: Path, corpus: str) -> None:
    every = 1 if corpus in ("openapi", "tau-bench") else 5
    for number, tool in enumerate(tools(shared_dir, corpus, every)):
        _same(EVERYONE, tool["parameters"], PROFILES, (MODES[number % 3],))


@settings(max_examples=40, deadline=None)
@given(contract=contracts(), mode=st.sampled_from(MODES))
def test_of_any_contract_every_profile_is_told_the_same(contract: Any, mode: bool | None) -> None:
    _same(EVERYONE, contract, PROFILES, (mode,))


OTHER: dict[str, tuple[Any, ...]] = {
    "keep": ((), ("type", "properties"), ("type", "properties", "minLength", "x-vendor")),
    "spill": (("minLength", "not", "oneOf", "default"), ("additionalProperties",), ("prefixItems", "if")),
    "drop": (("title", "uniqueItems", "anyOf"), ("$ref", "maximum"), ("required",)),
    "block": (("pattern", "items"), ("minimum", "x-vendor")),
    "other": ("keep", "drop", "spill", "block"),
    "formats": (None, (), ("date",)),
    "other_formats": ("keep", "drop", "spill", "block"),
    "patterns": ("any", "python", "anchored"),
    "lookaround": (True, False),
    "word_boundary": (True, False),
    "backreferences": (True, False),
    "unicode_classes": (True, False),
    "pattern_alone": (True, False),
    "integers_only": ((), ("minimum", "maximum"), ("multipleOf",)),
    "at_most": ((), (("minItems", 1),), (("maxLength", 2), ("minimum", 3))),
    "type_arrays": ("keep", "nullable", "any-of", "single"),
    "null": ("keep", "absent"),
    "typed": (True, False),
    "untyped": ("keep", "union", "block", "json"),
    "untyped_levels": (1, 2, 3),
    "booleans": ("keep", "rewrite"),
    "enums": ("any", "fitting", "alike", "strings"),
    "max_enum": (None, 1, 3, 1000),
    "const": ("keep", "enum"),
    "any_of": ("keep", "alone", "only", "none"),
    "max_branches": (None, 8, 9),
    "one_of": ("keep", "any-of"),
    "all_of": ("keep", "merge"),
    "refs": ("keep", "inline"),
    "ref_targets": ("any", "definitions"),
    "ref_siblings": (True, False),
    "cycles": ("keep", "unroll", "block"),
    "prune_definitions": (True, False),
    "recursion": (0, 1, 2),
    "maps": ("keep", "pairs"),
    "tuples": ("keep", "union", "block", "object"),
    "items_required": (True, False),
    "exclusive": ("keep", "inclusive"),
    "property_names": ("", "[a-z]+", "[a-zA-Z]{1,5}"),
    "properties_required": (True, False),
    "empty_objects": ("keep", "placeholder", "block"),
    "placeholder": ("any_key", "key"),
    "closed": (True, False),
    "open": ("silent", "explicit"),
    "optional": ("keep", "nullable", "also-null"),
    "declared_required": (True, False),
    "empty_required": (True, False),
    "root_forbid": ((), ("anyOf", "oneOf", "allOf"), ("not", "enum")),
}
"""Values of each axis, whether the walk could be exact with them beside the others or not."""
BASES = [
    *{dialect for each in PROFILES for dialect in (each.dialect, each.strict) if dialect is not None},
    Dialect(**PLAIN),
    Dialect(**NONE),
]


def test_every_axis_is_tried() -> None:
    assert {field.name for field in fields(Dialect)} == OTHER.keys()


def _profile(dialect: Dialect, depth: int | None, *, strict: bool) -> Profile:
    mode = {"strict": dialect} if strict else {"dialect": dialect}
    return Profile(id="any", dated="", envelope={}, limits=Limits(depth=depth), **mode)


@settings(max_examples=100, deadline=None)
@given(
    contract=contracts(),
    base=st.sampled_from(BASES),
    axes=st.lists(st.sampled_from(sorted(OTHER)), min_size=6, max_size=14, unique=True),
    depth=st.sampled_from([None, 2, 4]),
    strict=st.booleans(),
)
def test_no_axis_that_a_walk_depends_on_is_missed(
    contract: Any, base: Dialect, axes: list[str], depth: int | None, strict: bool
) -> None:
    dialects = {base, *(replace(base, **{axis: value}) for axis in axes for value in OTHER[axis])}
    profiles = [_profile(dialect, depth, strict=strict) for dialect in dialects]
    _same(Audience(profiles), contract, profiles, (None,))


@pytest.mark.parametrize("axis", sorted(OTHER))
@settings(max_examples=6, deadline=None)
@given(contract=contracts(), base=st.sampled_from(BASES))
def test_dialects_that_differ_in_one_axis_are_told_what_each_is_told_alone(
    axis: str, contract: Any, base: Dialect
) -> None:
    dialects = [replace(base, **{axis: value}) for value in OTHER[axis]]
    apart = [Dialect(closed=True, recursion=count) for count in range(7, 7 + LEAST)]  # never walked
    profiles = [_profile(dialect, None, strict=False) for dialect in dialects]
    everyone = Audience([*profiles, *(_profile(each, None, strict=False) for each in apart)])
    _same(everyone, contract, profiles, (None,))


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": sorted(properties)}


TOUCHING: dict[str, Any] = {
    "conditions": _object(
        length={"type": "string", "minLength": 1, "maxLength": 5, "title": "Length", "x-vendor": 1},
        number={"type": "number", "minimum": 4, "maximum": 9, "multipleOf": 0.5},
        whole={"type": "integer", "exclusiveMinimum": 1},
        date={"type": "string", "format": "date", "minLength": 3},
        odd={"type": "string", "format": "odd"},
        items={"type": "array", "items": {"type": "string"}, "minItems": 3, "uniqueItems": True},
        never={"type": "string", "not": {"type": "string", "maxLength": 3}},
    ),
    "patterns": _object(
        open={"type": "string", "pattern": "a", "minLength": 1},
        whole={"type": "string", "pattern": "^a$"},
        ahead={"type": "string", "pattern": "^(?!b)a$"},
        word={"type": "string", "pattern": "^a\\b$"},
        back={"type": "string", "pattern": "^(a)\\1$"},
        unicode={"type": "string", "pattern": "^\\p{L}$"},
    ),
    "values": _object(
        enum={"type": "string", "enum": ["a", "b"]},
        mixed={"enum": ["a", 1, None]},
        const={"const": "a"},
        any={},
        true=True,
        false={"anyOf": [{"type": "string"}, False]},
        list={"type": ["string", "integer", "null"]},
        null={"type": ["string", "null"]},
        untyped={"maxLength": 3},
    ),
    "objects": {
        **_object(
            free={"type": "object"},
            empty={"type": "object", "properties": {}, "required": []},
            map={"type": "object", "additionalProperties": {"type": "integer"}},
            tuple={"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False},
            list={"type": "array"},
            optional={
                "type": "object",
                "properties": {"a": {"type": "string"}},
                "additionalProperties": False,
            },
            undeclared={"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a", "b"]},
        ),
        "additionalProperties": True,
    },
    "names": _object(**{"x y": {"type": "string"}, "Longer": {"type": "string"}}),
    "unions": {
        **_object(
            any={"anyOf": [{"type": "string"}, {"type": "integer"}], "title": "Any", "default": 1},
            one={"oneOf": [_object(a={"type": "string"}), _object(b={"type": "string"})]},
            every={"allOf": [{"type": "string"}, {"minLength": 1}]},
            many={"anyOf": [{"type": "string", "maxLength": count} for count in range(12)]},
        ),
        "anyOf": [{"required": ["any"]}, {"required": ["one"]}],
    },
    "references": {
        **_object(
            plain={"$ref": "#/$defs/Leaf"},
            beside={"$ref": "#/$defs/Leaf", "description": "Beside."},
            deep={"$ref": "#/$defs/Outer/properties/inner"},
            node={"$ref": "#/$defs/Node"},
        ),
        "$defs": {
            "Leaf": {"type": "string"},
            "Outer": _object(inner={"type": "integer"}),
            "Unused": {"type": "string"},
            "Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}},
        },
    },
}
"""Schemas that every axis has something to say about."""
WITH: dict[str, dict[str, Any]] = {
    "keep": {"other": "drop"},
    "other_formats": {"formats": ()},
    "untyped_levels": {"typed": True, "untyped": "union"},
    "placeholder": {"empty_objects": "placeholder"},
    "max_branches": {"any_of": "alone", "one_of": "any-of"},
    "recursion": {"refs": "inline"},
}
"""Axes that an axis needs, so that it has a meaning."""


@pytest.mark.parametrize("axis", sorted(OTHER))
def test_each_axis_is_asked_where_it_matters(axis: str) -> None:
    """What each dialect is told differs, and none is told what another one is."""
    matters = False
    for base in BASES:
        dialects = [replace(base, **{**WITH.get(axis, {}), axis: value}) for value in OTHER[axis]]
        profiles = [_profile(dialect, None, strict=False) for dialect in dialects]
        apart = [_profile(Dialect(closed=True, recursion=7 + i), None, strict=False) for i in range(LEAST)]
        audience = Audience([*profiles, *apart])
        for schema in TOUCHING.values():
            _same(audience, schema, profiles, (None,))
            matters = matters or len({_unshared(schema, profile, None) for profile in profiles}) > 1
    assert matters


def test_an_older_draft_is_raised_wherever_it_is_named() -> None:
    """A node that no rewrite changes names its draft, too."""
    inner = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "x",
        **_object(b={"type": "string"}),
    }
    document = _object(a=inner, c={"type": "array", "items": inner})
    for dialect in BASES:
        out, state = through(source_of(document), asked(rules_of(dialect)), {})
        plain, known = through(source_of(document), rules_of(dialect), {})
        assert (out, state.entries, state.blockers) == (plain, known.entries, known.blockers)
        assert "draft-07" not in str(out)


SIMPLE = {
    "type": "object",
    "properties": {"path": {"type": "string", "description": "Where."}, "limit": {"type": "integer"}},
    "required": ["path"],
}


def test_dialects_that_do_the_same_get_the_same_object() -> None:
    shared = EVERYONE.share(SIMPLE)
    assert len({id(shared.normalize(profile).schema) for profile in PROFILES}) <= 6


def test_each_mode_has_its_own_flag_and_ledger() -> None:
    shared, openai = EVERYONE.share(SIMPLE), load_profile("openai")
    made = {mode: shared.normalize(openai, strict=mode) for mode in MODES}
    assert [made[mode].strict for mode in MODES] == [True, True, False]
    assert shared.normalize(load_profile("mcp"), strict=True).ledger[0].reason.endswith("no strict mode")
    assert shared.normalize(load_profile("mcp")).ledger == ()


def test_the_way_back_is_that_of_every_profile_which_shares_it() -> None:
    counts = {"type": "object", "additionalProperties": {"type": "integer"}}
    schema = {"type": "object", "properties": {"counts": counts}, "required": ["counts"]}
    cohere = load_profile("cohere")
    twin = replace(cohere, id="twin", always_strict=True)  # another answer from the same walk
    shared = Audience([*PROFILES, twin]).share(schema)
    first, second = shared.normalize(cohere), shared.normalize(twin)
    assert first.ways is not None
    assert first.ways == second.ways == normalize(schema, cohere).ways


def test_a_profile_of_another_audience_is_told_by_itself() -> None:
    shared = Audience([load_profile("mcp")]).share(SIMPLE)
    assert shared.normalize(load_profile("gemini")) == normalize(SIMPLE, "gemini")


def test_who_refuses_a_schema_refuses_it_every_time() -> None:
    shared = EVERYONE.share({"type": "string"})
    for profile in PROFILES * 2:
        with pytest.raises(SchemaError, match="are an object"):
            shared.normalize(profile)
    with pytest.raises(SchemaError):
        EVERYONE.share([])


def test_what_is_malformed_is_mended_for_every_profile() -> None:
    bad = {"type": "string", "minLength": "3", "enum": "a", "description": 4}
    odd = {"type": "object", "properties": {"a": bad, "b": {"type": "array", "items": 3}}, "required": "a"}
    for schema in (odd, {"type": "object", "properties": {"a": bad}}):
        _same(EVERYONE, schema, PROFILES, MODES)
    shared = EVERYONE.share({"type": "object", "properties": {"a": bad}})
    held: dict[int, bytes] = {}
    for profile in PROFILES:  # none gets the id of one that is gone
        said = msgspec.json.encode(shared.normalize(profile))
        assert held.setdefault(id(shared.normalize(profile)), said) == said


def test_nothing_but_axes_can_be_asked_of_what_stands_for_a_dialect() -> None:
    rules = asked(rules_of(Dialect()))
    for one in (rules, rules.dialect):
        asking: list[Callable[[Any], object]] = [hash, bool, iter, len, lambda it: it == 1]
        asking += [lambda it: "a" in it, lambda it: setattr(it, "closed", True)]
        for question in asking:
            with pytest.raises(TypeError, match="known by its axes"):
                question(one)
        with pytest.raises(AttributeError):
            _ = one.no_axis
    with pytest.raises(TypeError):
        replace(rules.dialect, closed=True)
    for name in ("triggers", "ops"):
        with pytest.raises(TypeError):
            "type" in getattr(rules, name)  # noqa: B015 - that it raises is what is asked
        with pytest.raises(TypeError):
            set(getattr(rules, name))


def test_what_was_asked_is_compared_by_value_and_kind() -> None:
    one, other = Rules(Dialect(recursion=1), INNER), Rules(Dialect(recursion=True), INNER)
    made = asked(one)
    assert agree(one, other, trace(made))  # nothing was asked
    assert made.dialect.recursion == 1
    assert not agree(one, other, trace(made))
    assert agree(one, one, trace(made))


@settings(max_examples=40, deadline=None)
@given(contract=contracts(), dialect=st.sampled_from(BASES))
def test_a_closer_look_changes_nothing(contract: Any, dialect: Dialect) -> None:
    """The hints of `rules` may all be true: that is how a walk is shared."""
    rules = asked(rules_of(dialect))
    assert all(getattr(rules, hint) is True for hint in HINTS)
    try:
        out, state = through(source_of(contract), rules, {})
    except SchemaError:
        return
    plain, known = through(source_of(contract), rules_of(dialect), {})
    assert (out, state.entries, state.blockers) == (plain, known.entries, known.blockers)
