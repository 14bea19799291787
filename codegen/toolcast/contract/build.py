"""From raw schemas to a checked contract: normal form, tree, and everything that refuses to compile."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, structs

from ..diagnostics import Diagnostic
from ..jsonschema import Schemas, SearchTooLong, Validator
from ..jsonschema.pointers import resolve
from ..spec.model import Document, ToolSpec
from .normal import Normal
from .normal_pointers import direct
from .normalise import Normaliser
from .object_types import declared
from .read import SHARED, Reader
from .schema_problems import (
    circular,
    default_problems,
    endless_defaults,
    example_problems,
    malformed,
    slow_names,
    unsatisfiable,
)
from .spec_places import Home
from .tree import Contract, Node, Object, Reference


class Built(Struct, frozen=True, kw_only=True):
    """A contract with its normal form. With an error among `diagnostics`, `contract` is None."""

    contract: Contract | None
    normal: Normal
    document: Mapping[str, Any]
    documents: Mapping[str, Document]  # shared type files
    diagnostics: tuple[Diagnostic, ...]

    def validator(self, pointer: str) -> Validator:
        """The exact validator of the schema at `pointer` of the contract document."""
        return Validator(resolve(self.document, pointer), root=self.document, pointer=pointer, formats=True)

    def order(self, home: Home) -> int:
        """The rank of a shared definition in its file: the root first, then `$defs` as written."""
        if not home.path:
            return -1
        group = self.documents[home.file].data.get(str(home.path[0]))
        return list(group).index(home.path[1]) if isinstance(group, dict) and len(home.path) == 2 else 0

    def file_references(self) -> dict[str, set[str]]:
        """For each shared type file, the files it refers to."""
        found: dict[str, set[str]] = {}
        for name, home in self.normal.homes.items():
            if home.file:
                names = direct(self.normal.defs[name])
                found.setdefault(home.file, set()).update(self.normal.homes[n].file for n in names)
        return found


def build_tool(tool: ToolSpec, types: Mapping[str, Document]) -> Built:
    """The contract of a tool, with every definition of the shared files it uses."""
    normaliser = Normaliser(tool.document, types, tool.path)
    data = tool.document.data
    if "parameters" in data:
        normaliser.add_root("parameters", ("parameters",))
    else:
        normaliser.add_empty("parameters", tool.parameters)
    if tool.result is not None:
        normaliser.add_root("result", ("result",))
    built = _build(normaliser)
    if built.contract is None or not tool.examples:
        return built
    found = [*built.diagnostics, *example_problems(tool, built.validator("/parameters"))]
    return structs.replace(built, diagnostics=tuple(found), contract=_unless_error(built.contract, found))


def build_type(file: str, types: Mapping[str, Document]) -> Built:
    """The contract of a shared type file: its definitions, and those of the files it uses."""
    normaliser = Normaliser(None, types)
    normaliser.add_type(file)
    return _build(normaliser)


def _build(normaliser: Normaliser) -> Built:
    normaliser.add_used_types()
    normal = normaliser.result()
    found = list(normaliser.diagnostics)
    contract: Contract | None = None
    whole = normal.document()
    if not _errors(found):
        found += circular(normal)
    if not _errors(found):
        schemas = Schemas(whole, formats=True)
        found += malformed(normal, whole, schemas)
        if not _errors(found):
            files = {name: home.file for name, home in normal.homes.items() if home.file}
            reader = Reader(whole, schemas, files)
            try:
                contract = _contract(normal, reader, files)
            except SearchTooLong as problem:  # a declared name, in a pattern of names
                found.append(slow_names(normal, problem))
            else:
                found += unsatisfiable(normal, reader, contract)
                found += default_problems(normal, reader, contract)
                if not _errors(found):
                    found += endless_defaults(normal, reader, contract)
    return Built(
        contract=_unless_error(contract, found),
        normal=normal,
        document=whole,
        documents=normaliser.types,
        diagnostics=tuple(dict.fromkeys(found)),
    )


def _contract(normal: Normal, reader: Reader, files: Mapping[str, str]) -> Contract:
    roots: dict[str, Node] = {}
    for name in normal.roots:
        schema = reader.document[name]
        if name == "parameters":
            roots[name] = read_root(reader, schema, "/" + name)
        else:
            roots[name] = reader.read(schema, "/" + name)
    definitions = {
        name: reader.read(schema, "/$defs/" + name)
        for name, schema in reader.document.get("$defs", {}).items()
    }
    return Contract(roots=roots, definitions=definitions, files=files)


def read_root(reader: Reader, schema: Mapping[str, Any], pointer: str) -> Object:
    """Parameters are always an object with named properties, even when none is declared."""
    node = reader.read(schema, pointer)
    if isinstance(node, Reference):
        node = reader.flattened(schema, pointer, node.description)
    if isinstance(node, Object):
        return node
    residue = tuple(k for k in (*SHARED, "enum", "const") if k in schema)
    return declared(reader, schema, pointer, node.description, residue)


def _errors(found: list[Diagnostic]) -> bool:
    return any(d.severity == "error" for d in found)


def _unless_error(contract: Contract | None, found: list[Diagnostic]) -> Contract | None:
    return None if _errors(found) else contract
