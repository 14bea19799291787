"""The schema of a tool's parameters, as a prompt without references shows it."""

from collections.abc import Mapping
from typing import Any

from ....jsonschema import pointers
from ....runtime.standalone_schema import LITERALS, NAMED

_DEPTH = 32
_SIZE = 5_000


def inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with the definitions in place of references to them, for a form without references.

    A definition within itself, and what exceeds the bounds, is the type alone: it takes more, never less.
    """
    made: dict[str, Any] = _Inliner(schema).inline(schema, ())
    made.pop("$defs", None)
    return made


class _Inliner:
    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._left = _SIZE

    def inline(self, schema: Any, path: tuple[str, ...], *, named: bool = False, depth: int = 0) -> Any:
        """`path`: the references that led here. `named`: the keys are names."""
        self._left -= 1
        if isinstance(schema, list):
            return [self.inline(item, path, depth=depth + 1) for item in schema]
        if not isinstance(schema, dict):
            return schema
        if not named and isinstance(schema.get("$ref"), str):
            reference = schema["$ref"]
            target = self._target(reference)
            beside = {key: value for key, value in schema.items() if key != "$ref"}
            if reference in path or depth > _DEPTH or self._left < 0:
                schema = {**{key: target[key] for key in ("type", "description") if key in target}, **beside}
            else:
                schema, path = {**target, **beside}, (*path, reference)
                if "$ref" in target:
                    return self.inline(schema, path, depth=depth + 1)
        made: dict[str, Any] = {}
        for key, value in schema.items():
            if not named and (key in LITERALS or key == "$defs"):
                made[key] = value
            else:
                made[key] = self.inline(value, path, named=not named and key in NAMED, depth=depth + 1)
        return made

    def _target(self, reference: str) -> dict[str, Any]:
        if not reference.startswith("#"):
            return {}
        try:
            found = pointers.resolve(self._root, reference[1:])
        except LookupError:
            return {}
        return found if isinstance(found, dict) else {}
