"""From what a provider's schema made a model write to what the contract means.

Every step is exact or is not taken: a value that is not in the form that is sent is left as it is, and the
contract says what is wrong with it. Nothing is refused here, and nothing that was given is changed.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ...jsonschema.assertions import label
from ...jsonschema.errors import Violation
from ...jsonschema.node import on_fresh_stack
from ...jsonschema.numbers import too_deep
from ..arguments import decode_json
from ..contract_node import follow
from ..errors import MissingDataError
from ..resources import read_resource
from .locations import Place, Places
from .value_paths import steps_of, value_at
from .wire_form import KEY, MORE, VALUE, Ways, position


class Undo:
    """The way back of one tool from one provider, made once for any number of values, from any thread."""

    __slots__ = ("_start", "ways")

    def __init__(self, ways: Ways, document: Mapping[str, Any]) -> None:
        """`document` is the provider's parameter schema, into which the choices of `ways` point."""
        self.ways = ways
        self._start = Places(ways, document).start

    def __call__(self, value: Any) -> Any:
        """The contract's form of `value`, which is plain JSON data. Never changes `value`.

        Raises UnsupportedSchema where the document cannot be judged exactly.
        """
        try:
            return undone(self._start, value)
        except RecursionError:
            # Past the depth that any value may have, the contract refuses it as it is.
            return value if too_deep(value) else on_fresh_stack(undone, self._start, value)


def undo(value: Any, ways: Ways, document: Mapping[str, Any]) -> Any:
    """`Undo(ways, document)(value)`: for one value. For many, make an `Undo` once."""
    return Undo(ways, document)(value)


def undone(place: Place, value: Any) -> Any:
    """What `value`, at `place`, means. Two frames for each level of nesting at most."""
    if place.choices:
        place = place.choose(value)
    kind = type(value)
    if place.encoding:
        if kind is str:
            if place.encoding == "texts":
                return _fresh(place.texts.get(value, value))
            return _parsed(value) if place.encoding == "json" else value
        if place.encoding == "pairs":
            if kind is list:
                pairs = _pairs(value)
                return value if pairs is None else _values(place, pairs)
            return _values(place, value) if kind is dict else value
        if place.encoding == "positions":
            items = value if kind is list else _positions(place, value) if kind is dict else None
            return value if items is None else _items(place, items)
        return value
    if kind is dict:
        return _object(place, value) if place.speaks_of_objects else value
    if kind is list and (place.items is not None or place.prefix):
        return _listed(place, value)
    return value


def _listed(place: Place, value: list[Any]) -> list[Any]:
    below, fixed = place.items, len(place.prefix)
    out = [item if way is None else undone(way, item) for way, item in zip(place.prefix, value, strict=False)]
    rest = value[fixed:] if fixed else value
    return out + (rest if below is None else [undone(below, item) for item in rest])


def _object(place: Place, value: dict[str, Any]) -> dict[str, Any]:
    if place.acting is not None:
        out = value.copy()
        for name, way in place.acting:
            if name in out:
                out[name] = undone(way, out[name])
        return out
    out = {}
    rest: dict[str, Any] | None = None
    for sent, item in value.items():
        if sent == place.rest and place.rest:
            rest = _rest(place, value)
            if rest is not None:
                continue
        name = place.names.get(sent, sent)
        if name is not sent and name in value:
            name = sent  # both are there: nothing may be overwritten
        if item is None and name in place.drops:
            continue
        below = place.member(sent) if place.patterns else place.properties.get(sent, place.values)
        out[name] = item if below is None else undone(below, item)
    if rest:
        below = place.values
        for name, item in rest.items():
            out[name] = item if below is None else undone(below, item)
    for name in place.nulls:
        out.setdefault(name, None)
    return out


def _rest(place: Place, value: dict[str, Any]) -> dict[str, Any] | None:
    """The undeclared keys that stand in one property; None where they are not told apart from the others."""
    held = value[place.rest]
    if held is None:
        return {}
    pairs = _pairs(held) if type(held) is list else held if type(held) is dict else None
    if pairs is None:
        return None
    names = place.names
    taken = {names.get(sent, sent) for sent in value if sent != place.rest}
    return pairs if taken.isdisjoint(pairs) else None


def _values(place: Place, value: dict[str, Any]) -> dict[str, Any]:
    below = place.values
    if below is None:
        return value
    return {name: undone(below, item) for name, item in value.items()}


def _pairs(value: list[Any]) -> dict[str, Any] | None:
    """`[{"key": "a", "value": 1}]` as `{"a": 1}`; None where that is not exactly what it says."""
    out: dict[str, Any] = {}
    for entry in value:
        if type(entry) is not dict or len(entry) != 2 or VALUE not in entry:
            return None
        name = entry.get(KEY)
        if type(name) is not str or name in out:
            return None
        out[name] = entry[VALUE]
    return out


def _positions(place: Place, value: dict[str, Any]) -> list[Any] | None:
    """`{"item_1": a, "more_items": [b]}` as `[a, b]`; None where there are gaps, or other properties."""
    items: list[Any] = []
    for index in range(place.count):
        name = position(index)
        if name not in value and index < place.least and name in place.nulls:
            items.append(None)  # which this dialect can only say by leaving it out
            continue
        if name not in value or (value[name] is None and index >= place.least):
            break
        items.append(value[name])
    found = len(items)
    for name, item in value.items():
        if name == MORE and MORE in place.tail:
            continue
        index = place.tail.get(name, -1)
        if index < 0 or (index >= found and item is not None):
            return None
    more = value.get(MORE)
    if more:
        if found < place.count or type(more) is not list:
            return None
        items += more
    return items


def _items(place: Place, items: list[Any]) -> list[Any]:
    """The items of a tuple, each by the way of its own position."""
    out = [
        item if below is None else undone(below, item)
        for below, item in zip(place.positions, items, strict=False)
    ]
    more = items[place.count :]
    return out + (more if place.more is None or not more else undone(place.more, more))


def _parsed(text: str) -> Any:
    """The value that a JSON text holds; a text that holds none, or a property twice, stands for itself."""
    try:
        return decode_json(text.encode())
    except (ValueError, RecursionError):
        return text


def _fresh(value: Any) -> Any:
    """A copy of what is shared by all values: the literals of a schema."""
    if isinstance(value, dict):
        return {name: _fresh(item) for name, item in value.items()}
    return [_fresh(item) for item in value] if isinstance(value, list) else value


def load_undo(module: str, path: str, definition: bytes) -> Undo:
    """What undoes the dialect of `definition`, a provider's tool object; `path` counts from `module`.

    Raises MissingDataError where the file is not there, or is not what was generated.
    """
    content = read_resource(module, path)
    try:
        ways = msgspec.json.decode(content, type=Ways)
        document = follow(msgspec.json.decode(definition), ways.parameters)
    except (msgspec.DecodeError, UnicodeError, LookupError) as problem:
        raise MissingDataError(
            f"{module} needs {path}, which is not as it was generated: {problem}. Run `toolcast generate`."
        ) from problem
    return Undo(ways, document)


def explained(violations: Sequence[Violation], value: Any) -> tuple[Violation, ...]:
    """`violations` of `value`, those of lists and objects that were left as they came said in their form."""
    return tuple(_explained(violation, value) for violation in violations)


def _explained(violation: Violation, value: Any) -> Violation:
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


def _of_pairs(value: list[Any]) -> str | None:
    if not any(isinstance(entry, dict) and KEY in entry for entry in value):
        return None
    seen: set[str] = set()
    for index, entry in enumerate(value):
        form = f'entry {index} of the list must be {{"{KEY}": text, "{VALUE}": …}}'
        if not isinstance(entry, dict) or VALUE not in entry or not isinstance(entry.get(KEY), str):
            return f"cannot be read: {form}"
        if len(entry) > 2:
            return f"cannot be read: {form} and have nothing else"
        if entry[KEY] in seen:
            return f"has the key `{entry[KEY][:100]}` twice; give each key once"
        seen.add(entry[KEY])
    return None


def _of_positions(value: Any) -> str | None:
    if not isinstance(value, dict) or not (position(0) in value or MORE in value):
        return None
    last = max(
        (index for index in range(len(value) + 1) if value.get(position(index)) is not None), default=-1
    )
    for index in range(last):
        if position(index) not in value:
            return f"has `{position(last)}` but lacks `{position(index)}`; give the items without gaps"
    return None
