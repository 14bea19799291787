"""Values in the contract's form, what a provider's schema makes of them, and the way back, made together.

The encoder here is written from the docstring of `WireForm` alone and shares no code with what undoes it.
"""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from hypothesis import strategies as st
from toolcast.runtime.wire import WireBranch, WireForm


class World(NamedTuple):
    """A place: its way, its schema, values that it takes (plain), and how they are sent."""

    form: WireForm
    schema: dict[str, Any]
    plain: st.SearchStrategy[Any]
    send: Callable[[Any], Any]
    kind: str


NAMES = st.text("abc_-. é", min_size=1, max_size=4)
SCALARS = st.none() | st.booleans() | st.integers(-99, 99) | st.text('ab"{[: ', max_size=4)
ANY = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
OPEN = WireForm()


def _same(value: Any) -> Any:
    return value


def leaves() -> st.SearchStrategy[World]:
    text = World(OPEN, {"type": "string"}, st.text(max_size=4), _same, "string")
    number = World(OPEN, {"type": "integer"}, st.integers(-9, 9), _same, "number")
    literals = {"1": 1, "true": True, "on": "on", "null": None, '{"a":1}': {"a": 1}}
    sent = {json.dumps(plain): text for text, plain in literals.items()}
    texts = World(
        WireForm(encoding="texts", texts=literals),
        {"type": "string", "enum": list(literals)},
        st.sampled_from(list(literals.values())),
        lambda value: sent[json.dumps(value)],
        "string",
    )
    anything = World(WireForm(encoding="json"), {"type": "string"}, ANY, json.dumps, "string")
    return st.sampled_from([text, number, texts, anything])


def maps(inner: World) -> World:
    entry = {
        "type": "object",
        "properties": {"key": {"type": "string"}, "value": inner.schema},
        "required": ["key", "value"],
        "additionalProperties": False,
    }
    return World(
        WireForm(encoding="pairs", values=None if inner.form == OPEN else inner.form),
        {"type": "array", "items": entry},
        st.dictionaries(NAMES, inner.plain, max_size=3),
        lambda value: [{"key": name, "value": inner.send(item)} for name, item in value.items()],
        "array",
    )


def lists(inner: World) -> World:
    return World(
        WireForm(items=None if inner.form == OPEN else inner.form),
        {"type": "array", "items": inner.schema},
        st.lists(inner.plain, max_size=3),
        lambda value: [inner.send(item) for item in value],
        "array",
    )


def tuples(inner: list[World], more: World | None, required: int) -> World:
    required = min(required, len(inner))
    sent = {f"item_{index + 1}": world for index, world in enumerate(inner)}
    properties = {name: world.schema for name, world in sent.items()}
    forms = {name: world.form for name, world in sent.items() if world.form != OPEN}
    if more is not None:
        properties["more_items"] = {"type": "array", "items": more.schema}
        if more.form != OPEN:
            forms["more_items"] = WireForm(items=more.form)
    schema = {
        "type": "object",
        "properties": properties,
        "required": [f"item_{i + 1}" for i in range(required)],
    }

    def plain(draw: st.DrawFn) -> list[Any]:
        length = draw(st.integers(required, len(inner)))
        items = [draw(world.plain) for world in inner[:length]]
        if more is not None and length == len(inner):
            items += draw(st.lists(more.plain, max_size=2))
        return items

    def send(value: list[Any]) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for index, item in enumerate(value[: len(inner)]):
            out[f"item_{index + 1}"] = inner[index].send(item)
        if more is not None and len(value) > len(inner):
            out["more_items"] = [more.send(item) for item in value[len(inner) :]]
        return out

    form = WireForm(encoding="positions", required=required, count=len(inner), properties=forms)
    return World(form, {**schema, "additionalProperties": False}, st.composite(plain)(), send, "object")


def objects(inner: dict[str, World], rest: World | None, renamed: bool) -> World:
    names = {name: f"p{index}" if renamed else name for index, name in enumerate(inner)}
    shielding = rest is not None and rest.form != OPEN
    forms = {names[name]: world.form for name, world in inner.items() if shielding or world.form != OPEN}
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {names[name]: world.schema for name, world in inner.items()},
        "required": sorted(names.values()),
        "additionalProperties": False,
    }
    pairs = None if rest is None else maps(rest)
    if pairs is not None:
        schema["properties"]["others"] = pairs.schema

    def plain(draw: st.DrawFn) -> dict[str, Any]:
        out = {name: draw(world.plain) for name, world in inner.items()}
        if pairs is not None:
            others = draw(pairs.plain)
            out.update({name: item for name, item in others.items() if name not in {*out, *names.values()}})
        return out

    def send(value: dict[str, Any]) -> dict[str, Any]:
        out = {names[name]: inner[name].send(value[name]) for name in inner}
        others = {name: item for name, item in value.items() if name not in inner}
        if pairs is not None and others:
            out["others"] = pairs.send(others)
        return out

    form = WireForm(
        names={sent: name for name, sent in names.items() if sent != name},
        properties=forms,
        rest="others" if pairs else "",
        values=None if rest is None or rest.form == OPEN else rest.form,
    )
    return World(form, schema, st.composite(plain)(), send, "object")


def worlds() -> st.SearchStrategy[World]:
    """Any nesting of the encodings."""
    return st.recursive(
        leaves(),
        lambda inner: st.one_of(
            inner.map(maps),
            inner.map(lists),
            st.builds(tuples, st.lists(inner, max_size=3), st.none() | inner, st.integers(0, 3)),
            st.builds(
                objects,
                st.dictionaries(st.sampled_from(["a", "b-c", "d e"]), inner, min_size=1, max_size=3),
                st.none() | inner,
                st.booleans(),
            ),
        ),
        max_leaves=5,
    )


def united(branches: list[World]) -> tuple[WireForm, dict[str, Any]]:
    """The union of `branches`, as the root of a document."""
    choices = tuple(
        WireBranch(at=f"/anyOf/{index}", form=None if world.form == OPEN else world.form)
        for index, world in enumerate(branches)
    )
    return WireForm(choices=choices), {"anyOf": [world.schema for world in branches]}
