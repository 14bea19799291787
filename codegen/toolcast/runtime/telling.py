"""How a provider is told of an enum that its generated definition lacks."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from .brief import cut_definition
from .enums import with_enum

if TYPE_CHECKING:
    from .described import Described


def tell(
    base: "Described[Any]", provider: str, whole: Any, name: str, encoded: bool, of: tuple[str, ...]
) -> Any:
    """A tool object with an enum at a parameter, in words where its form there has no room for one.

    Raises ValueError where the parameter is not there.
    """
    found = False

    def put(schema: Any) -> Any:
        nonlocal found
        properties = schema.get("properties") if isinstance(schema, Mapping) else None
        if not isinstance(properties, Mapping) or name not in properties:
            return schema
        found = True
        return {**schema, "properties": {**properties, name: _told(properties[name], encoded, of, schema)}}

    told = cut_definition(whole, base.name, None, base.envelopes.get(provider), put)
    if not found:
        raise ValueError(f"The definition of {base.name!r} for {provider!r} has no parameter {name!r}.")
    return told


def _told(node: Any, encoded: bool, of: tuple[str, ...], root: Any) -> Any:
    changed = None if encoded else with_enum(node, of, root)
    if changed is not None:
        return changed
    words = "One of: " + ", ".join(msgspec.json.encode(value).decode() for value in of) + "."
    before = node.get("description") if isinstance(node, Mapping) else None
    rest = dict(node) if isinstance(node, Mapping) else {}
    return {**rest, "description": f"{before}\n\n{words}" if before else words}


def sent_names(base: "Described[Any]", provider: str) -> dict[str, tuple[str, bool]]:
    """Parameters that the provider knows by another name or in another form: that name, and whether it is
    encoded."""
    if provider not in base.ways:
        return {}
    from .home import read_resource
    from .ways.way import Ways

    path = f"{base.schemas}/../ways/{provider}/{base.name}.json"
    root = msgspec.json.decode(read_resource(base.module, path), type=Ways).root
    sent = {own: sent for sent, own in root.names.items()}
    shown = {name: sent.get(name, name) for name in base.runtime_enums}
    ways = {name: root.properties.get(sent_name) for name, sent_name in shown.items()}
    return {name: (shown[name], way is not None and way.encoding != "") for name, way in ways.items()}
