"""Ways made ready to be gone: what all of them say of one place, with references and choices resolved."""

from collections.abc import Mapping
from threading import RLock
from typing import TYPE_CHECKING, Any

from ...jsonschema.errors import SearchTooLong
from .branches import Branches
from .wire_form import MORE, Way, Ways, position

if TYPE_CHECKING:
    from ...jsonschema.search import Search


Parts = tuple[Way, ...]
"""Ways that speak of the same value, without references. Their identities are a place's name."""
_NOTHING = Way()
_KEPT = 1024
"""Places of one `Ways`, and choices between them, that are remembered; past it, memory starts anew."""


class Place:
    """All that is to be undone at one place. `Places` fills it in."""

    __slots__ = (
        "acting",
        "choices",
        "count",
        "drops",
        "encoding",
        "items",
        "least",
        "more",
        "names",
        "nulls",
        "parts",
        "patterns",
        "places",
        "positions",
        "prefix",
        "properties",
        "rest",
        "speaks_of_objects",
        "tail",
        "texts",
        "values",
        "ways",
    )

    def __init__(self, places: "Places", parts: Parts, choices: tuple[Branches, ...]) -> None:
        self.places = places
        self.parts = parts
        self.choices = choices
        self.encoding = next((part.encoding for part in parts if part.encoding), "")
        self.texts: dict[str, Any] = {}
        self.names: dict[str, str] = {}
        for part in reversed(parts):
            self.texts.update(part.texts)
            self.names.update(part.names)
        self.rest = next((part.rest for part in parts if part.rest), "")
        encoded = next((part for part in parts if part.encoding == "positions"), None)
        self.least = encoded.least if encoded else 0
        self.count = encoded.count if encoded else 0
        self.nulls = tuple(dict.fromkeys(name for part in parts for name in part.nulls))
        self.drops = frozenset(name for part in parts for name in part.drops)
        self.properties: dict[str, Place | None] = {}
        self.patterns: list[tuple[Search, Way]] = []
        self.ways: dict[str, tuple[Way, ...]] = {}  # of declared properties, kept where patterns speak, too
        self.prefix: list[Place | None] = []
        self.items: Place | None = None
        self.values: Place | None = None
        self.positions: list[Place | None] = []
        self.more: Place | None = None
        self.tail: dict[str, int] = {position(index): index for index in range(self.count)}
        if encoded:
            self.tail[MORE] = self.count
        self.speaks_of_objects = False
        self.acting: tuple[tuple[str, Place], ...] | None = None  # all there is to do, where it is no more

    def fill(self) -> None:
        """Make the places below this one."""
        below: dict[str, list[Way]] = {}
        for part in self.parts:
            for name, way in part.properties.items():
                below.setdefault(name, []).append(way)
        for part in self.parts:
            if part.values is not None and not part.rest and not part.encoding:
                for name in below.keys() - part.properties.keys():  # declared by others, not there
                    below[name].append(part.values)
        for name, ways in below.items():
            acting = tuple(way for way in ways if way != _NOTHING)
            self.properties[name] = self.places.of(acting) if acting else None
            own = self.names.get(name)
            if own is not None:  # sent under the contract's name after all
                self.properties.setdefault(own, self.properties[name])
        if any(part.patterns for part in self.parts):
            from ...jsonschema.scalars import compile_pattern  # seldom needed

            every = (each for part in self.parts for each in part.patterns.items())
            self.patterns = [(compile_pattern(pattern, ""), way) for pattern, way in every]
            self.ways = {name: tuple(ways) for name, ways in below.items()}
        items = tuple(part.items for part in self.parts if part.items is not None)
        values = tuple(part.values for part in self.parts if part.values is not None)
        self.items = self.places.of(items) if items else None
        for index in range(max(len(part.prefix) for part in self.parts)):
            found = (part.prefix[index] for part in self.parts if index < len(part.prefix))
            fixed = tuple(way for way in found if way is not None)
            self.prefix.append(self.places.of(fixed) if fixed else None)
        self.values = self.places.of(values) if values else None
        self.positions = [self.properties.get(position(index)) for index in range(self.count)]
        self.more = self.properties.get(MORE)
        self.speaks_of_objects = bool(
            self.names or self.rest or self.nulls or self.drops or self.properties or self.values
        )
        self.speaks_of_objects |= bool(self.patterns)
        if not (self.names or self.rest or self.nulls or self.drops or self.values or self.patterns):
            self.acting = tuple((name, way) for name, way in self.properties.items() if way is not None)

    def member(self, sent: str) -> "Place | None":
        """The place of a property of an object of which patterns speak, too, by the name that is sent."""
        try:
            found = tuple(way for pattern, way in self.patterns if pattern.finds(sent))
        except SearchTooLong:
            return self.places.of((_NOTHING,))  # the contract, which has the pattern, refuses it
        if not found:
            return self.properties.get(sent, self.values)
        return self.places.together((*self.ways.get(sent, ()), *found))

    def choose(self, value: Any) -> "Place":
        """This place with the branches that `value` takes, and no choices left."""
        place = self
        while place.choices:
            place = place.places.with_branches(place, tuple(each.index(value) for each in place.choices))
        return place


class Places:
    """The places of one `Ways`, each made once as long as it is remembered. Recursive ways lead back to
    places that exist."""

    def __init__(self, ways: Ways, document: Mapping[str, Any]) -> None:
        self._ways = ways
        self._document = document
        self._made: dict[tuple[tuple[int, ...], tuple[Any, ...]], Place] = {}
        self._chosen: dict[tuple[Place, tuple[int, ...]], Place] = {}
        self._branches: dict[int, Branches] = {}
        self._waiting: list[Place] = []
        self._lock = RLock()  # places are made from the ways of values, which may come in several threads
        self.start = self._finished((ways.root,), set())

    def of(self, ways: Parts) -> Place:
        """The place of which `ways` speak; filled in once all that wait are."""
        return self._place(ways, set())

    def together(self, ways: Parts) -> Place:
        """The place of which all of `ways` speak, whatever brought them together."""
        with self._lock:
            return self._finished(ways, set())

    def with_branches(self, place: Place, indexes: tuple[int, ...]) -> Place:
        """`place`, its choices made: `indexes` has a branch of each, -1 for none."""
        key = (place, indexes)  # the object, not its identity: that is given anew when it is gone
        made = self._chosen.get(key)
        if made is None:
            with self._lock:
                pairs = zip(place.choices, indexes, strict=True)
                taken = (each.ways[index] for each, index in pairs if index >= 0)
                ways = (*place.parts, *(way for way in taken if way is not None))
                made = self._finished(ways, {id(self._choice(part)) for part in place.parts if part.choices})
                self._chosen[key] = made
        return made

    def _finished(self, ways: Parts, made: set[int]) -> Place:
        if max(len(self._made), len(self._chosen)) > _KEPT:
            # Values decide which places are combined. Those in use stay with whoever uses them.
            self._made.clear()
            self._chosen.clear()
        place = self._place(ways, made)
        while self._waiting:
            self._waiting.pop().fill()
        return place

    def _place(self, ways: Parts, made: set[int]) -> Place:
        """`made` are choices that were made already, by identity."""
        parts = self._parts(ways)
        choices = tuple(self._choice(part) for part in parts if part.choices)
        choices = tuple(each for each in choices if id(each) not in made)
        key = (tuple(id(part) for part in parts), tuple(id(each) for each in choices))
        place = self._made.get(key)
        if place is None:
            place = self._made[key] = Place(self, parts, choices)
            self._waiting.append(place)
        return place

    def _parts(self, ways: Parts) -> Parts:
        """`ways` and what they refer to, each once."""
        found: dict[int, Way] = {}
        waiting = list(reversed(ways))
        while waiting:
            way = waiting.pop()
            if id(way) in found:
                continue
            found[id(way)] = way
            waiting += reversed(way.beside)
            if way.ref:
                target = self._ways.definitions.get(way.ref)
                if target is not None:
                    waiting.append(target)
        return tuple(found.values())

    def _choice(self, way: Way) -> Branches:
        known = self._branches.get(id(way))
        if known is None:
            known = self._branches[id(way)] = Branches(way.choices, self._document)
        return known
