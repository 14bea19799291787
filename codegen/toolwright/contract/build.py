"""From raw schemas to a checked contract: normal form, tree, and everything that refuses to compile."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import UNSET, Struct, structs

from ..diagnostics import Diagnostic, Severity
from ..runtime.schema import UnsupportedSchema, Validator
from ..spec.model import Document, Path, ToolSpec, diagnose
from .normal import Home, Normal, Normaliser
from .objects import declared
from .pointers import defined, direct, steps
from .read import Reader
from .tree import Contract, Field, Node, Nothing, Object
from .walk import nodes


class Built(Struct, frozen=True, kw_only=True):
    """A contract with its normal form. With an error among `diagnostics`, `contract` is None."""

    contract: Contract | None
    normal: Normal
    document: Mapping[str, Any]
    documents: Mapping[str, Document]  # shared type files
    diagnostics: tuple[Diagnostic, ...]

    def validator(self, pointer: str) -> Validator:
        """The exact validator of the schema at `pointer` of the contract document."""
        return Validator(_at(self.document, pointer), root=self.document)

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
    built = _build(normaliser, tool.document)
    if built.contract is None:
        return built
    found = list(built.diagnostics)
    found += _example_problems(tool, built)
    return structs.replace(built, diagnostics=tuple(found), contract=_unless_error(built.contract, found))


def build_type(file: str, types: Mapping[str, Document]) -> Built:
    """The contract of a shared type file: its definitions, and those of the files it uses."""
    normaliser = Normaliser(None, types)
    normaliser.add_type(file)
    return _build(normaliser, types[file])


def _build(normaliser: Normaliser, document: Document) -> Built:
    normaliser.add_used_types()
    normal = normaliser.result()
    found = list(normaliser.diagnostics)
    contract: Contract | None = None
    whole = normal.document()
    if not _errors(found):
        found += _malformed(normal, whole)
    if not _errors(found):
        found += _circular(normal)
    if not _errors(found):
        contract = _contract(normal, whole)
        found += _unsatisfiable(normal, contract)
        found += _default_problems(normal, whole, contract)
    return Built(
        contract=_unless_error(contract, found),
        normal=normal,
        document=whole,
        documents=normaliser.types,
        diagnostics=tuple(dict.fromkeys(found)),
    )


def _contract(normal: Normal, whole: Mapping[str, Any]) -> Contract:
    reader = Reader(whole)
    roots: dict[str, Node] = {}
    for name in normal.roots:
        schema = whole[name]
        if name == "parameters":
            roots[name] = read_root(reader, schema, "/" + name)
        else:
            roots[name] = reader.read(schema, "/" + name)
    definitions = {
        name: reader.read(schema, "/$defs/" + name) for name, schema in whole.get("$defs", {}).items()
    }
    files = {name: home.file for name, home in normal.homes.items() if home.file}
    return Contract(roots=roots, definitions=definitions, files=files)


def read_root(reader: Reader, schema: Mapping[str, Any], pointer: str) -> Object:
    """Parameters are always an object with named properties, even when none is declared."""
    node = reader.read(schema, pointer)
    if isinstance(node, Object):
        return node
    residue = tuple(k for k in ("anyOf", "oneOf", "allOf", "not", "if", "enum", "const") if k in schema)
    return declared(reader, schema, pointer, node.description, residue)


# -- what refuses to compile ----------------------------------------------------------------------


def _at(document: Mapping[str, Any], pointer: str) -> Any:
    node: Any = document
    for step in steps(pointer):
        node = node[int(step)] if isinstance(node, list) else node[step]
    return node


def _errors(found: list[Diagnostic]) -> bool:
    return any(d.severity == "error" for d in found)


def _unless_error(contract: Contract | None, found: list[Diagnostic]) -> Contract | None:
    return None if _errors(found) else contract


def _say(
    normal: Normal, pointer: str, code: str, message: str, hint: str = "", severity: Severity = "error",
) -> Diagnostic:  # fmt: skip
    document, path = normal.locate(pointer)
    return diagnose(document, path, code, message, hint, severity=severity)


def _malformed(normal: Normal, whole: Mapping[str, Any]) -> Iterator[Diagnostic]:
    """Each schema on its own, so that one bad definition does not hide another."""
    for base, schema in [
        *(("/" + name, whole[name]) for name in normal.roots),
        *(("/$defs/" + name, schema) for name, schema in whole.get("$defs", {}).items()),
    ]:
        try:
            Validator(schema, root=whole)
        except UnsupportedSchema as problem:
            place = (
                problem.pointer
                if problem.pointer.startswith(("/$defs/", *(f"/{r}" for r in normal.roots)))
                else base + problem.pointer
            )
            yield _say(
                normal, place, "malformed-schema", problem.reason, "see the JSON Schema 2020-12 reference"
            )


def _circular(normal: Normal) -> Iterator[Diagnostic]:
    """A definition that is nothing but a reference back to itself says nothing."""
    for name in normal.defs:
        seen, at = {name}, name
        while isinstance(normal.defs[at], dict) and "$ref" in normal.defs[at]:
            following = defined(normal.defs[at]["$ref"])
            if following is None:
                break
            if following in seen:
                yield _say(
                    normal, f"/$defs/{name}", "circular-reference", f"`{name}` refers only to itself",
                    "give one of the schemas in the circle a type of its own",
                )  # fmt: skip
                break
            seen.add(following)
            at = following


def _unsatisfiable(normal: Normal, contract: Contract) -> Iterator[Diagnostic]:
    for root in contract.roots.values():
        for node in nodes(root):
            if isinstance(node, Object):
                for field in node.fields:
                    if field.required and isinstance(field.node, Nothing):
                        yield _say(
                            normal, field.node.pointer, "unsatisfiable",
                            f"no value fits the required property `{field.wire}`",
                            "loosen the schema, or remove the property from `required`",
                        )  # fmt: skip


def _fields(contract: Contract) -> Iterator[Field]:
    for root in [*contract.roots.values(), *contract.definitions.values()]:
        for node in nodes(root):
            if isinstance(node, Object):
                yield from node.fields


def _default_problems(normal: Normal, whole: Mapping[str, Any], contract: Contract) -> Iterator[Diagnostic]:
    for field in _fields(contract):
        if field.default is UNSET or field.default is None:
            continue
        validator = Validator(_at(whole, field.node.pointer), root=whole)
        wrong = validator.violations(validator.settle(field.default), limit=1)
        if wrong:
            yield _say(
                normal, field.node.pointer + "/default", "default-mismatch",
                f"the default of `{field.wire}` does not fit its own schema: {wrong[0].message}",
                "correct the default, or leave it out",
            )  # fmt: skip


def _example_problems(tool: ToolSpec, built: Built) -> Iterator[Diagnostic]:
    if not tool.examples:
        return
    validator = built.validator("/parameters")
    for i, example in enumerate(tool.examples):
        for wrong in validator.violations(validator.settle(example), limit=5):
            path: Path = ("examples", i)
            yield diagnose(
                tool.document, path, "example-mismatch",
                f"this example does not fit the parameters: {wrong.path}: {wrong.message}",
                "correct the example or the schema",
            )  # fmt: skip
