"""The normal form: one self-contained JSON Schema 2020-12 per tool.

Drafts 4 to 7 are upgraded, every reference is `#/$defs/Name` (or `#` for the root itself), and shared types
are bundled. `normal_form_builder` makes it.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from ..jsonschema.json_values import JsonMapping, JsonObject
from ..jsonschema.keywords import map_subschemas, subschemas
from ..jsonschema.pointers import Steps, escape, join, split, value_at, with_value
from ..runtime.hidden_parameters import without_parameters
from ..spec.parsed_document import Document, Path
from .spec_references import DefinitionLocation
from .tree import KEYWORD


class NormalForm(Struct, frozen=True, kw_only=True):
    """The normal forms of one tool (or of one shared type file)."""

    roots: JsonMapping  # "parameters", "result": schemas whose references point into `defs`
    defs: JsonMapping
    locations: Mapping[str, DefinitionLocation]  # by definition name
    uses: tuple[str, ...]
    missing: tuple[str, ...]  # files outside the specs folder that references name, and that are not there
    origins: Mapping[int, tuple[Document, Path]]  # id of a schema dict → its position in a spec
    linked: bool  # whether there is any `$ref`
    states_draft: frozenset[str]  # roots whose spec names a draft; they are 2020-12 by now
    links: Mapping[str, Collection[str]]  # for each definition, those that it refers to, as they are met
    shared: frozenset[str] = frozenset()  # definitions taken from a contract in which they are checked

    def document(self) -> JsonObject:
        """`{"$defs": …, "parameters": …, "result": …}`; every `$ref` resolves inside it."""
        if not self.linked and not self.defs:
            return {**self.roots}
        roots = {name: _rebase(schema, name) for name, schema in self.roots.items()}
        defs = {
            name: schema if self.locations[name].file else _rebase(schema, str(self.locations[name].path[0]))
            for name, schema in self.defs.items()
        }
        return {**({"$defs": defs} if defs else {}), **roots}

    def contract_file(self, file: str = "") -> JsonObject:
        """The document with the definitions that the tool reaches, or the shared type file `file`."""
        document = self.document()
        defs = document.pop("$defs", {})
        start = [{"$ref": f"#/$defs/{escape(n)}"} for n in defs if file and self.locations[n].file == file]
        needed = self._reachable({"allOf": [*document.values(), *start]})
        kept = {name: schema for name, schema in defs.items() if name in needed}
        return {**({"$defs": kept} if kept else {}), **document}

    def standalone(self, root: str) -> JsonObject:
        """The schema of `root` with the definitions it reaches, without `x-python`: the input of providers
        and model families."""
        return self._with_definitions(self.roots[root])

    def offered(self, inject: Collection[str], texts: Mapping[str, str] = {}) -> JsonObject:
        """The parameters as models are offered them: `standalone` without those that the program fills in,
        and with other descriptions of the members that `texts` names."""
        if not inject and not texts:
            return self.standalone("parameters")
        schema = self._with_definitions(without_parameters(self.roots["parameters"], inject))
        return with_texts(schema, texts, member_places(schema)) if texts else schema

    def standalone_definition(self, name: str) -> JsonObject:
        """A definition by itself: a reference to it, with the definitions that it reaches."""
        return self._with_definitions({"$ref": _PREFIX + escape(name)})

    def _with_definitions(self, root: Mapping[str, object]) -> JsonObject:
        schema: JsonObject = without_keyword(root, KEYWORD)
        needed = self._reachable(schema)
        if not needed:
            return schema
        return {
            **schema,
            "$defs": {n: without_keyword(self.defs[n], KEYWORD) for n in self.defs if n in needed},
        }

    def _reachable(self, schema: object) -> set[str]:
        found: set[str] = set()
        waiting = direct_references(schema) if self.defs else set[str]()
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting.update(self.links[name])
        return found

    def locate(self, pointer: str) -> tuple[Document, Path]:
        """The spec and the path in it of what is at `pointer` of `document()`."""
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


_PREFIX = "#/$defs/"


def definition_name(reference: str) -> str | None:
    """Return the name in a reference `#/$defs/Name` of the normal form; None for the root, `#`."""
    return split(reference)[1] if reference.startswith(_PREFIX) else None


def schemas_with_pointers(schema: object, pointer: str) -> Iterator[tuple[Any, str]]:
    """Every object among a schema and those below it, with its pointer."""
    waiting = [(schema, pointer)]
    while waiting:
        schema, pointer = waiting.pop()
        if isinstance(schema, dict):
            yield schema, pointer
            waiting += [(item, pointer + join(path)) for path, item in subschemas(schema)]


def direct_references(schema: object) -> set[str]:
    """Names of the definitions that `schema` and its subschemas refer to."""
    found: set[str] = set()
    queue = [schema]
    while queue:
        node = queue.pop()
        if isinstance(node, dict):
            name = definition_name(node["$ref"]) if "$ref" in node else None
            found |= {name} if name is not None else set()
            queue.extend(item for _, item in subschemas(node))
    return found


def _rebase(schema: object, root: str) -> object:
    """A copy in which `#` means `#/<root>`, for a file that holds several roots."""
    if not isinstance(schema, dict):
        return schema
    out = map_subschemas(schema, lambda below: _rebase(below, root))
    if out.get("$ref") == "#":
        out["$ref"] = f"#/{root}"
    return out


def without_keyword(schema: object, keyword: str) -> Any:
    """Copy `schema` without `keyword`, at any depth."""
    if not isinstance(schema, dict):
        return schema
    kept = {name: value for name, value in schema.items() if name != keyword}
    return map_subschemas(kept, lambda below: without_keyword(below, keyword))


def spoken(pointer: str) -> str:
    """Return a pointer into a contract document as people write it: `filters[].since`, of a definition
    `Filter.since`; empty for the parameters or the result themselves.
    """
    root, *steps = split(pointer)
    text = ""
    if root == "$defs" and steps:
        text, *steps = steps
    index = 0
    while index < len(steps):
        step, rest = steps[index], steps[index + 1 :]
        if step == "properties" and rest:
            text += f".{rest[0]}" if text else rest[0]
            index += 2
        elif step == "patternProperties" and rest:
            text += f".<{rest[0]}>" if text else f"<{rest[0]}>"
            index += 2
        elif step == "items":
            text += "[]"
            index += 1
        elif step == "prefixItems" and rest:
            text += f"[{rest[0]}]"
            index += 2
        elif step == "additionalProperties":
            text += ".*" if text else "*"
            index += 1
        elif step in ("anyOf", "oneOf", "allOf") and rest:
            index += 2  # which branch is told by what differs
        else:
            index += 1
    return text


_MEMBERS: Final = frozenset(
    ("properties", "patternProperties", "additionalProperties", "items", "prefixItems")
)
_SAME_VALUE: Final = frozenset(("anyOf", "oneOf", "allOf"))


def member_places(schema: JsonMapping) -> dict[str, list[Steps]]:
    """Return the places of the descriptions of members of a self-contained schema, by name as `spoken` has
    it: of parameters, of definitions, and of what they contain. A parameter goes before a definition of its
    name. There is no place for a member that is a reference alone: it has no description of its own.
    """
    found: dict[str, list[Steps]] = {}
    waiting: list[tuple[Steps, bool]] = [(("$defs", name), True) for name in schema.get("$defs", ())]
    waiting.append(((), False))
    while waiting:
        steps, is_member = waiting.pop()
        node = value_at(schema, steps)
        name = spoken(join(steps if steps[:1] == ("$defs",) else ("parameters", *steps)))
        if node is False or (steps[:1] == ("$defs",) and len(steps) == 2 and name in found):
            continue
        node = node if isinstance(node, dict) else {}
        if is_member and (node or "properties" in steps[-2:-1]):
            found.setdefault(name, []).extend([] if node.keys() == {"$ref"} else [steps])
        for below, _ in reversed([*subschemas(node)]):
            if below[0] in _MEMBERS | _SAME_VALUE:
                waiting.append(((*steps, *below), below[0] in _MEMBERS))
    return found


def with_texts(schema: JsonMapping, texts: Mapping[str, str], places: Mapping[str, list[Steps]]) -> Any:
    """Copy a schema with other descriptions of some members, by name, at their places."""
    made: object = schema
    for name, text in texts.items():
        for steps in places.get(name, ()):
            node = value_at(made, steps)
            made = with_value(made, steps, {**(node if node is not True else {}), "description": text})
    return made
