"""Normal form: one self-contained JSON Schema 2020-12 per tool.

Drafts 4 to 7 are raised, every reference is `#/$defs/Name` (or `#` for the root itself), and shared types
are bundled. `normalise` makes it.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from ..jsonschema.pointers import escape, split
from ..spec.model import Document, Path
from .normal_pointers import reachable, rebased, without
from .python_types import KEYWORD
from .spec_places import Home


class Normal(Struct, frozen=True, kw_only=True):
    """The normal forms of one tool (or of one shared type file)."""

    roots: Mapping[str, Any]  # "parameters", "result": schemas whose references point into `defs`
    defs: Mapping[str, Any]
    homes: Mapping[str, Home]  # by definition name
    uses: tuple[str, ...]
    origins: Mapping[int, tuple[Document, Path]]  # id of a schema dict → where it was written
    linked: bool  # whether there is any `$ref`

    def document(self) -> dict[str, Any]:
        """`{"$defs": …, "parameters": …, "result": …}`; every `$ref` resolves inside it."""
        if not self.linked and not self.defs:
            return {**self.roots}
        roots = {name: rebased(schema, name) for name, schema in self.roots.items()}
        defs = {
            name: schema if self.homes[name].file else rebased(schema, str(self.homes[name].path[0]))
            for name, schema in self.defs.items()
        }
        return {**({"$defs": defs} if defs else {}), **roots}

    def contract_file(self, file: str = "") -> dict[str, Any]:
        """The document cut to what the tool reaches, or to what the shared type file `file` reaches."""
        document = self.document()
        defs = document.pop("$defs", {})
        start = [{"$ref": f"#/$defs/{escape(n)}"} for n in defs if file and self.homes[n].file == file]
        needed = reachable({"allOf": [*document.values(), *start]}, defs)
        kept = {name: schema for name, schema in defs.items() if name in needed}
        return {**({"$defs": kept} if kept else {}), **document}

    def standalone(self, root: str) -> dict[str, Any]:
        """The schema of `root` with the definitions it reaches: what providers and model families read.

        `x-python` is for us alone.
        """
        schema: dict[str, Any] = without(self.roots[root], KEYWORD)
        needed = reachable(schema, self.defs)
        if not needed:
            return schema
        return {**schema, "$defs": {n: without(self.defs[n], KEYWORD) for n in self.defs if n in needed}}

    def locate(self, pointer: str) -> tuple[Document, Path]:
        """Where the thing at `pointer` of `document()` was written."""
        node: Any = {"$defs": self.defs, **self.roots}
        found: tuple[Document, Path] | None = None
        rest: list[str | int] = []
        for step in split(pointer):
            if isinstance(node, list):
                node = node[int(step)]
                rest.append(int(step))
            else:
                node = node.get(step) if isinstance(node, dict) else None
                rest.append(step)
            if id(node) in self.origins and isinstance(node, dict):
                found, rest = self.origins[id(node)], []
            if node is None:
                break
        document, path = found or next(iter(self.origins.values()))
        return document, (*path, *rest)
