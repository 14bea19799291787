"""Decodes arguments from a provider's wire form to the contract's form.

Every step is exact or is not taken: a value that is not in the wire form stays as it is, and validation names
its fault. Nothing is refused here, and no input is changed.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from ...jsonschema.json_values import JsonMapping, JsonObject, too_deep
from ...jsonschema.messages import label
from ...jsonschema.node import on_fresh_stack
from ...jsonschema.pointers import steps_of, value_at
from ...jsonschema.validator_errors import Violation
from ..bounded_json import UnreadableJSONError, read_json
from ..errors import MissingDataError
from ..resources import follow, read_resource
from .locations import Location, Locations
from .wire_form import KEY, MORE, VALUE, WireForms, position


class WireDecoder:
    """Decodes one provider's wire form of one tool's arguments: any number of values, from any thread."""

    __slots__ = ("_start", "forms", "simple")

    def __init__(self, forms: WireForms, document: JsonMapping) -> None:
        """Prepare; the choices of `forms` point into `document`, the provider's parameter schema."""
        self.forms = forms
        locations = Locations(forms, document)
        self._start = locations.start
        self.simple = locations.simple
        """Tell whether each location is decoded in one way, and no value becomes deeper."""

    def __call__(self, value: object) -> object:
        """Return plain JSON data in the contract's form. Never changes `value`. Raises UnsupportedSchema if
        the document cannot be judged exactly."""
        try:
            return _decode_at(self._start, value)
        except RecursionError:
            # Past the depth that any value may have, the contract refuses it as it is.
            return value if too_deep(value) else on_fresh_stack(_decode_at, self._start, value)


def decode_wire(value: object, forms: WireForms, document: JsonMapping) -> object:
    """Decode one value. For many, make a `WireDecoder` once."""
    return WireDecoder(forms, document)(value)


def _decode_at(location: Location, value: Any) -> Any:
    """Decode the value at `location`, with two frames at most per level of nesting."""
    if location.choices:
        location = location.with_branches(value)
    kind = type(value)
    if location.encoding:
        if kind is str:
            if location.encoding == "texts":
                return _fresh(location.texts.get(value, value))
            return _parsed(value) if location.encoding == "json" else value
        if location.encoding == "pairs":
            if kind is list:
                pairs = _pairs(value)
                return value if pairs is None else _values(location, pairs)
            return _values(location, value) if kind is dict else value
        if location.encoding == "positions":
            items = value if kind is list else _positions(location, value) if kind is dict else None
            return value if items is None else _items(location, items)
        return value
    if kind is dict:
        return _object(location, value) if location.has_object_rules else value
    if kind is list and (location.items is not None or location.prefix):
        return _listed(location, value)
    return value


def _listed(location: Location, value: list[Any]) -> list[Any]:
    below, fixed = location.items, len(location.prefix)
    out = [
        item if form is None else _decode_at(form, item)
        for form, item in zip(location.prefix, value, strict=False)
    ]
    rest = value[fixed:] if fixed else value
    return out + (rest if below is None else [_decode_at(below, item) for item in rest])


def _object(location: Location, value: JsonObject) -> JsonObject:
    if location.plain_properties is not None:
        out = value.copy()
        for name, form in location.plain_properties:
            if name in out:
                out[name] = _decode_at(form, out[name])
        return out
    out = {}
    rest: JsonObject | None = None
    for sent, item in value.items():
        if sent == location.rest and location.rest:
            rest = _rest(location, value)
            if rest is not None:
                continue
        name = location.names.get(sent, sent)
        if name is not sent and name in value:
            name = sent  # both are there: nothing may be overwritten
        if item is None and name in location.drops:
            continue
        below = (
            location.property_location(sent)
            if location.patterns
            else location.properties.get(sent, location.values)
        )
        out[name] = item if below is None else _decode_at(below, item)
    if rest:
        below = location.values
        for name, item in rest.items():
            out[name] = item if below is None else _decode_at(below, item)
    for name in location.nulls:
        out.setdefault(name, None)
    return out


def _rest(location: Location, value: JsonObject) -> JsonObject | None:
    """Return the undeclared keys that stand in one property; None if they conflict with the others."""
    held = value[location.rest]
    if held is None:
        return {}
    pairs = _pairs(held) if type(held) is list else held if type(held) is dict else None
    if pairs is None:
        return None
    names = location.names
    taken = {names.get(sent, sent) for sent in value if sent != location.rest}
    return pairs if taken.isdisjoint(pairs) else None


def _values(location: Location, value: JsonObject) -> JsonObject:
    below = location.values
    if below is None:
        return value
    return {name: _decode_at(below, item) for name, item in value.items()}


def _pairs(value: list[Any]) -> JsonObject | None:
    """Return `[{"key": "a", "value": 1}]` as `{"a": 1}`; None if it is not exactly that form."""
    out: JsonObject = {}
    for entry in value:
        if type(entry) is not dict or len(entry) != 2 or VALUE not in entry:
            return None
        name = entry.get(KEY)
        if type(name) is not str or name in out:
            return None
        out[name] = entry[VALUE]
    return out


def _positions(location: Location, value: JsonObject) -> list[Any] | None:
    """Return `{"item_1": a, "more_items": [b]}` as `[a, b]`; None for gaps, or other properties."""
    items: list[Any] = []
    for index in range(location.count):
        name = position(index)
        if name not in value and index < location.required and name in location.nulls:
            items.append(None)  # which this dialect expresses by absence only
            continue
        if name not in value or (value[name] is None and index >= location.required):
            break
        items.append(value[name])
    found = len(items)
    for name, item in value.items():
        if name == MORE and MORE in location.tail:
            continue
        index = location.tail.get(name, -1)
        if index < 0 or (index >= found and item is not None):
            return None
    more = value.get(MORE)
    if more:
        if found < location.count or type(more) is not list:
            return None
        items += more
    return items


def _items(location: Location, items: list[Any]) -> list[Any]:
    out = [
        item if below is None else _decode_at(below, item)
        for below, item in zip(location.positions, items, strict=False)
    ]
    more = items[location.count :]
    return out + (more if location.more is None or not more else _decode_at(location.more, more))


def _parsed(text: str) -> object:
    """Return the value that a JSON text holds; the text if it is no JSON, or has a property twice."""
    try:
        return read_json(text, unique=True)
    except UnreadableJSONError:
        return text


def _fresh(value: object) -> object:
    if isinstance(value, dict):
        return {name: _fresh(item) for name, item in value.items()}
    return [_fresh(item) for item in value] if isinstance(value, list) else value


def load_wire_decoder(module: str, path: str, definition: bytes) -> WireDecoder:
    """Return the decoder for the wire form of `definition`, a provider's tool object; `path` is relative to
    `module`. Raises MissingDataError if the file is missing or was changed."""
    content = read_resource(module, path)
    try:
        forms = msgspec.json.decode(content, type=WireForms)
        document = follow(msgspec.json.decode(definition), forms.parameters)
    except (msgspec.DecodeError, UnicodeError, LookupError) as problem:
        raise MissingDataError(
            f"{module} needs {path}, which is not as it was generated: {problem}. Run `toolcast generate`."
        ) from problem
    return WireDecoder(forms, document)


def explain_wire_form(violations: Sequence[Violation], value: object) -> tuple[Violation, ...]:
    """Word `violations` of lists and objects that could not be decoded for the wire form."""
    return tuple(_explain(violation, value) for violation in violations)


def _explain(violation: Violation, value: object) -> Violation:
    steps = steps_of(violation.path)
    try:
        found = None if steps is None else value_at(value, steps)
    except LookupError:
        return violation
    reason = _of_pairs(found) if isinstance(found, list) else _of_positions(found)
    if reason is None:
        return violation
    return Violation(
        violation.path, f"{label(violation.path)} {reason}", violation.keyword, violation.expected
    )


def _of_pairs(value: list[object]) -> str | None:
    if not any(isinstance(entry, dict) and KEY in entry for entry in value):
        return None
    keys: set[str] = set()
    for index, entry in enumerate(value):
        form = f'entry {index} of the list must be {{"{KEY}": text, "{VALUE}": …}}'
        if not isinstance(entry, dict) or VALUE not in entry or not isinstance(entry.get(KEY), str):
            return f"cannot be read: {form}"
        if len(entry) > 2:
            return f"cannot be read: {form} and have nothing else"
        if entry[KEY] in keys:
            return f"has the key `{entry[KEY][:100]}` twice; give each key once"
        keys.add(entry[KEY])
    return None


def _of_positions(value: object) -> str | None:
    if not isinstance(value, dict) or not (position(0) in value or MORE in value):
        return None
    last = max(
        (index for index in range(len(value) + 1) if value.get(position(index)) is not None), default=-1
    )
    for index in range(last):
        if position(index) not in value:
            return f"has `{position(last)}` but lacks `{position(index)}`; give the items without gaps"
    return None
