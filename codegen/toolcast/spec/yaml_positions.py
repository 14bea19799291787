"""Where the values of a YAML text stand. Only for text that `yaml12.parse_yaml` accepted."""

from typing import Any

from .positions import Member, Node
from .yaml_events import open_events


def yaml_positions(text: str) -> Node:
    """The places of all values. An alias stands where it is written, its children where the anchor is."""
    return _Walker(text).root()


class _Walker:
    def __init__(self, text: str) -> None:
        parser, self._back = open_events(text)
        from yaml import events  # after `open_events`, which has loaded it

        self._next = parser.get_event
        self._events = events
        self._anchors: dict[str, tuple[Node, str]] = {}  # the text is a scalar's, for aliases used as keys

    def root(self) -> Node:
        self._next()
        self._next()
        return self._node(self._next())

    def _node(self, event: Any) -> Node:
        mark = event.start_mark
        node = Node(mark.line + 1, mark.column + 1)
        kind = type(event)
        if kind is self._events.AliasEvent:
            target, _ = self._anchors[event.anchor]
            node.members, node.items = target.members, target.items
            return node
        if event.anchor is not None:
            self._anchors[event.anchor] = (node, self._text(event))
        if kind is self._events.MappingStartEvent:
            self._fill_members(node)
        elif kind is self._events.SequenceStartEvent:
            self._fill_items(node)
        return node

    def _fill_members(self, node: Node) -> None:
        node.members = {}
        while type(event := self._next()) is not self._events.MappingEndEvent:
            place = self._node(event)
            value = self._node(self._next())
            node.members[self._text(event)] = Member(place.line, place.column, value)

    def _fill_items(self, node: Node) -> None:
        node.items = []
        while type(event := self._next()) is not self._events.SequenceEndEvent:
            node.items.append(self._node(event))

    def _text(self, event: Any) -> str:
        if type(event) is self._events.AliasEvent:
            return self._anchors[str(event.anchor)][1]
        value: str = getattr(event, "value", "")
        return value.translate(self._back) if self._back else value
