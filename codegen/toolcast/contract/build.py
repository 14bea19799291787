"""From raw schemas to a checked contract: normal form, typed tree, and all diagnostics about schemas.

After an error, further checks read a lenient form of the document: what is wrong accepts any value, and
misspelt keys stand as their author means them. A schema that accepts more than its author means must not make
another one accept less, or its diagnostics would be false: so keywords that accept less where a schema below
accepts more are left out, or loosened.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct, structs
from msgspec.structs import replace

from ..diagnostics import MISSING_LIBRARY, Diagnostic
from ..jsonschema.json_values import JsonMapping, JsonObject
from ..jsonschema.keywords import map_subschemas
from ..jsonschema.pointers import escape, resolve
from ..jsonschema.schema_compiler import Schemas
from ..jsonschema.validator import Validator
from ..jsonschema.validator_errors import SearchTooLong
from ..runtime.grammars import INSTALL, GrammarError, TextGrammar, TextInput, grammar_of
from ..runtime.hidden_parameters import without_parameters
from ..spec.keys import KEYS, SYNONYMS
from ..spec.parsed_document import Document, Path, SharedTypes, diagnose
from ..spec.spec_checker import Names, SpecChecker, quoted
from ..spec.text_input import PARAMETER
from ..spec.tool_spec import ToolSpec
from .normal_form import NormalForm, member_places, schemas_with_pointers
from .normal_form_builder import MOST_UNKNOWN, NormalFormBuilder, base_name
from .reader import ANY_TYPE_KEYWORDS, ContractReader
from .schema_mistakes import doubtful_schemas
from .schema_problems import (
    at_character,
    circular_definitions,
    circular_references,
    default_problems,
    example_problems,
    injection_problems,
    malformed_schemas,
    refused_headers,
    slow_name_pattern,
    text_problems,
    unfillable_defaults,
    unsatisfiable_schemas,
)
from .single_types import TypedSchema, read_declared_object
from .spec_references import DefinitionLocation
from .tree import Contract, Node, Object, Reference


class Built(Struct, frozen=True, kw_only=True):
    """A contract with its normal form. `contract` is None where `diagnostics` holds an error."""

    contract: Contract | None
    normal: NormalForm
    document: JsonMapping
    documents: Mapping[str, Document]  # shared type files
    diagnostics: tuple[Diagnostic, ...]
    together: "Together | None" = None  # what the definitions of shared type files were taken from
    reader: ContractReader | None = None  # what the contract was read with

    def validator(self, pointer: str) -> Validator:
        """The exact validator of the schema at `pointer` of the contract document."""
        return Validator(resolve(self.document, pointer), pointer=pointer, shared=self.schemas)

    @property
    def schemas(self) -> Schemas:
        """The schemas of the contract document, compiled as far as they were needed."""
        if self.reader is not None and self.reader.document is self.document:
            return self.reader.schemas
        return Schemas(self.document, formats=True)

    def order(self, location: DefinitionLocation) -> int:
        """The rank of a shared definition in its file: the root first, then `$defs` as written."""
        if not location.path:
            return -1
        group = self.documents[location.file].data.get(str(location.path[0]))
        return (
            list(group).index(location.path[1]) if isinstance(group, dict) and len(location.path) == 2 else 0
        )

    def file_references(self) -> dict[str, set[str]]:
        """For each shared type file, the files it refers to."""
        found: dict[str, set[str]] = {}
        for name, location in self.normal.locations.items():
            if location.file:
                names = self.normal.links[name]
                found.setdefault(location.file, set()).update(self.normal.locations[n].file for n in names)
        return found


def build_tool(tool: ToolSpec, types: Mapping[str, Document]) -> Built:
    """Build the contract of a tool, with every definition of the shared files (by path below the specs root)
    that it uses. Returns the contract, its normal form, and all diagnostics; with an error among them, the
    contract is None.
    """
    together = next((each for each in reversed(_made(types)) if each.needs), None)
    normaliser = _read_tool(tool, types, together)
    uses = normaliser.result().uses
    if uses and (together is None or not together.needs.keys() >= set(uses)):
        together = _shared_types(uses, types)
        normaliser = _read_tool(tool, types, together)
    built = _build(normaliser, tool.examples, tool.secrets, tool.inject, together)
    found = [] if built.contract is None else list(_provider_text_problems(tool, built.normal))
    if tool.input is not None:
        found += _grammar_problems(tool.document, tool.input, tool.examples)
    if tool.text is not None:
        found += text_problems(tool.document, tool.text, built.contract)
    if not found:
        return built
    found = [*built.diagnostics, *found]
    return structs.replace(built, contract=_unless_error(built.contract, found), diagnostics=tuple(found))


def _provider_text_problems(tool: ToolSpec, normal: NormalForm) -> list[Diagnostic]:
    """Report texts of providers that no member of the parameters has."""
    checker = SpecChecker(tool.document)
    stated = tool.overrides("parameters")
    places = member_places(normal.offered(tool.inject)) if any(stated.values()) else {}
    for provider, texts in stated.items():
        for name in texts:
            path = ("providers", provider, "parameters", name)
            last = name.rpartition(".")[2]
            alike = [each for each in places if each.rpartition(".")[2] == last]
            if name not in places:
                message = f"{quoted(name)} is not a parameter that models are offered"
                hint = checker.suggest(name, places, "the parameters are")[0] if places else ""
                if len(alike) == 1:  # `to.name` of a definition is `City.name`
                    hint = f"did you mean {quoted(alike[0])}?"
                checker.report(path, "unknown-parameter", message, hint, key=True)
            elif not places[name]:
                message = f"{quoted(name)} has no description of its own, but that of a definition"
                hint = "name the definition, or write a `description` beside the reference in the parameters"
                checker.report(path, "no-text", message, hint, key=True)
    return checker.found


def _read_tool(
    tool: ToolSpec, types: Mapping[str, Document], together: "Together | None"
) -> NormalFormBuilder:
    shared = None if together is None else together.built.normal
    normaliser = NormalFormBuilder(tool.document, types, tool.path, shared)
    if "parameters" in tool.document.data:
        normaliser.add_root("parameters", ("parameters",))
    else:
        normaliser.add_empty("parameters", tool.parameters)
    if tool.result is not None:
        normaliser.add_root("result", ("result",))
    normaliser.add_used_types()
    return normaliser


def check_schemas(document: Document, path: str, types: Mapping[str, Document]) -> Built:
    """Check the schemas and examples of a spec that has other errors, also below misspelt keys. Returns the
    diagnostics, in a result that has no contract.
    """
    data = document.data if isinstance(document.data, dict) else {}
    meant = _corrected(document) if data else document
    normaliser = NormalFormBuilder(meant, types, path)
    for name in ("parameters", "result"):
        if isinstance(meant.data, dict) and isinstance(meant.data.get(name), dict):
            normaliser.add_root(name, (name,))
    judged = meant.data if "parameters" in normaliser.result().roots else {}
    examples, inject = judged.get("examples"), judged.get("inject")
    built = _build(
        normaliser,
        tuple(examples) if isinstance(examples, list) else (),
        inject=inject if isinstance(inject, dict) else {},
    )
    found = [
        each for each in built.diagnostics if each.code != "root-not-object"
    ]  # the spec's reader says it
    return structs.replace(built, contract=None, diagnostics=tuple(found))


def offered(built: Built, inject: Collection[str]) -> Built:
    """Return a contract as models are held to it: no value is valid for the parameters `inject`, which the
    program fills in.
    """
    normal, contract = built.normal, built.contract
    if not inject or contract is None:
        return built
    root = without_parameters(normal.roots["parameters"], inject)
    root["properties"] = {**root["properties"], **dict.fromkeys(inject, False)}
    origins = {**normal.origins, id(root): normal.origins[id(normal.roots["parameters"])]}
    normal = structs.replace(normal, roots={**normal.roots, "parameters": root}, origins=origins)
    node = contract.roots["parameters"]
    assert isinstance(node, Object)  # `_read_root` makes no other
    fields = tuple(field for field in node.fields if field.encode_name not in inject)
    roots = {**contract.roots, "parameters": structs.replace(node, fields=fields)}
    contract = structs.replace(contract, roots=roots)
    return structs.replace(built, normal=normal, document=normal.document(), contract=contract)


class Together(Struct, frozen=True, kw_only=True):
    """Shared type files built as one contract, from which that of each is taken. `needs` has the files that
    each refers to; `made` is what others make of all of them once.
    """

    built: Built
    needs: Mapping[str, set[str]]
    made: dict[str, Any]

    def contract_of(self, file: str) -> Built:
        """Return the contract of one file: its definitions and those that it refers to, sorted by name, so
        that it does not depend on the other files.
        """
        built, files = self.built, reachable(self.needs, file) | {file}
        if built.contract is None:
            return built
        names = sorted(name for name, at in built.normal.locations.items() if at.file in files)
        defs = {name: built.normal.defs[name] for name in names}
        locations = {name: built.normal.locations[name] for name in names}
        definitions = {name: built.contract.definitions[name] for name in names}
        return structs.replace(
            built,
            contract=Contract(roots={}, definitions=definitions, files={n: locations[n].file for n in names}),
            normal=replace(built.normal, defs=defs, locations=locations, uses=tuple(sorted(files))),
            document={"$defs": defs},
            diagnostics=self.diagnostics_of(files),
            together=self,
        )

    def diagnostics_of(self, files: Collection[str]) -> tuple[Diagnostic, ...]:
        """Return the diagnostics at positions in `files`."""
        shown = {self.built.documents[each].file for each in files}
        return tuple(each for each in self.built.diagnostics if each.file in shown)


def build_type(file: str, types: Mapping[str, Document]) -> Built:
    """Build the contract of a shared type file: its definitions, and those of the files that it uses, as
    `build_tool`.
    """
    return build_types((file,), types).contract_of(file)


def build_types(files: Collection[str], types: Mapping[str, Document]) -> Together:
    """Build shared type files as one contract: once for a set of types, where that is exact."""
    return _shared_types(files, types) or _together(files, types)[0]


def _made(types: Mapping[str, Document]) -> list[Together]:
    return types.made if isinstance(types, SharedTypes) else []


def _shared_types(files: Collection[str], types: Mapping[str, Document]) -> Together | None:
    """Return the contract that serves `files` and others of one set of types; None where there is none. The
    second files that the first do not lead to bring all types in.
    """
    made = _made(types)
    known = next((each for each in made if each.needs.keys() >= set(files)), None)
    for wanted in (files, types)[len(made) :] if known is None else ():
        together, serves = _together(wanted, types)
        made.append(together if serves else replace(together, needs={}))
        if serves:
            return together
    return known


def _together(files: Collection[str], types: Mapping[str, Document]) -> tuple[Together, bool]:
    """Build `files` as one contract; and say whether it serves each of them."""
    normaliser = NormalFormBuilder(None, types)
    for file in sorted(files):
        normaliser.add_type(file)
    built = _build(normaliser)
    serves = normaliser.unknown_keywords <= MOST_UNKNOWN and _serves_each(built)
    return Together(built=built, needs=built.file_references(), made={}), serves


def _serves_each(built: Built) -> bool:
    """Return whether each file alone would have the same contract: nothing is wrong or missing, no definition
    had to take another name beside others, each is public, and no bound of the checks was near.
    """
    locations = built.normal.locations
    return (
        built.contract is not None
        and not built.normal.missing
        and all(name == base_name(at) for name, at in locations.items())
        and all(not at.path or (len(at.path) == 2 and at.path[0] in _GROUPS) for at in locations.values())
        and sum(1 for each in built.normal.defs.values() for _ in schemas_with_pointers(each, "")) <= _MOST
    )


_GROUPS: Final = ("$defs", "definitions")
_MOST: Final = 40_000
"""Schemas of types that are built together: `Emptiness` looks into more than twice as many."""


def _build(
    normaliser: NormalFormBuilder,
    examples: tuple[object, ...] = (),
    secrets: tuple[str, ...] = (),
    inject: Mapping[str, object] = {},
    together: Together | None = None,
) -> Built:
    """The contract of what was read, in part from `together`. After an error the checks go on with what is
    not affected by it.
    """
    normaliser.add_used_types()
    if any(each.code == "missing-reference" for each in normaliser.diagnostics):
        normaliser.add_unused_definitions()
        normaliser.add_used_types()
    normal = normaliser.result()
    found = list(normaliser.diagnostics)
    contract: Contract | None = None
    circular = circular_definitions(normal)
    found += circular_references(normal, circular)
    if _has_errors(found):
        normal = _lenient_form(normal, circular)
    document = normal.document()
    shared = together.built.reader if together is not None and normal.shared else None
    found += together.diagnostics_of(normal.uses) if together is not None and normal.shared else ()
    schemas = Schemas(document, formats=True, shared=None if shared is None else shared.schemas)
    reader: ContractReader | None = None
    malformed = list(malformed_schemas(normal, document, schemas))
    found += malformed
    found += doubtful_schemas(normal)
    found += refused_headers(normal, secrets)
    hidden = list(injection_problems(normal, normaliser.tool, inject)) if inject and normaliser.tool else []
    found += hidden
    files = {name: location.file for name, location in normal.locations.items() if location.file}
    if not malformed:
        reader = ContractReader(document, schemas, files, shared)
        known = together.built.contract if together is not None else None
        try:
            contract = _contract(normal, reader, files, known)
        except SearchTooLong as problem:  # a declared name, in a pattern of names
            found.append(slow_name_pattern(normal, problem))
        else:
            found += unsatisfiable_schemas(normal, reader, contract)
            found += default_problems(normal, reader, contract)
            if examples and normaliser.tool is not None and not hidden:
                judge = (
                    Validator(normal.offered(inject), formats=True)
                    if inject
                    else reader.validator(document["parameters"])
                )
                found += example_problems(normaliser.tool, examples, judge, inject)
            if not _has_errors(found):
                found += unfillable_defaults(normal, reader, contract)
    return Built(
        contract=_unless_error(contract, found),
        normal=normal,
        document=document,
        documents=normaliser.types,
        diagnostics=tuple(dict.fromkeys(found)),
        together=together if normal.shared and normal.shared.issuperset(files) else None,
        reader=reader,
    )


def _contract(
    normal: NormalForm, reader: ContractReader, files: Mapping[str, str], shared: Contract | None
) -> Contract:
    roots: dict[str, Node] = {}
    for name in normal.roots:
        schema = reader.document[name]
        if name == "parameters":
            roots[name] = _read_root(reader, schema, "/" + name)
        else:
            roots[name] = reader.read(schema, "/" + name)
    definitions = {
        name: shared.definitions[name]
        if shared is not None and name in normal.shared
        else reader.read(schema, "/$defs/" + name)
        for name, schema in reader.document.get("$defs", {}).items()
    }
    return Contract(roots=roots, definitions=definitions, files=files)


def _read_root(reader: ContractReader, schema: JsonMapping, pointer: str) -> Object:
    """Parameters are always an object with named properties, even when none is declared."""
    node = reader.read(schema, pointer)
    if isinstance(node, Reference):
        node = reader.flattened(schema, pointer, node.description)
    if isinstance(node, Object):
        return node
    residue = tuple(k for k in (*ANY_TYPE_KEYWORDS, "enum", "const") if k in schema)
    return read_declared_object(reader, TypedSchema(schema, pointer, node.description, residue))


def contract_of(schema: JsonMapping) -> Contract:
    """Read the contract of parameters in normal form, as one schema with its definitions. Raises ValueError
    for a reference to anything else than a definition or the root, and for a value that is no schema.
    """
    definitions = schema.get("$defs", {})
    root = {key: value for key, value in schema.items() if key != "$defs"}
    below = {key: _below(each) for key, each in definitions.items()}
    document: JsonObject = {"parameters": _below(root), "$defs": below}
    try:
        reader = ContractReader(document, Schemas(document, formats=True))
        return Contract(
            roots={"parameters": _read_root(reader, document["parameters"], "/parameters")},
            definitions={key: reader.read(each, f"/$defs/{escape(key)}") for key, each in below.items()},
            files={},
        )
    except RecursionError:
        raise ValueError(
            "/parameters: its schemas nest too deeply to be read; flatten it, or move inner ones to `$defs`"
        ) from None
    except (LookupError, TypeError, AttributeError) as problem:
        raise ValueError(f"the schema cannot be read: {problem}") from problem


def _below(schema: object) -> Any:
    """Copy a schema whose root is `parameters` of a contract document."""
    if not isinstance(schema, dict):
        return schema
    made = map_subschemas(schema, _below)
    reference = made.get("$ref", "")
    if reference == "#":
        made["$ref"] = "#/parameters"
    elif reference and not reference.startswith("#/$defs/"):
        raise ValueError(f"the reference {reference!r} leads to no definition")
    return made


def _has_errors(found: list[Diagnostic]) -> bool:
    return any(d.severity == "error" for d in found)


def _unless_error(contract: Contract | None, found: list[Diagnostic]) -> Contract | None:
    return None if _has_errors(found) else contract


_AT = ("input", "definition")


def _grammar_problems(
    document: Document, text: TextInput | None, examples: Sequence[object]
) -> Iterator[Diagnostic]:
    if text is None or text.grammar is None:
        return
    try:
        grammar = grammar_of(text.grammar, text.definition)
    except ImportError:
        message = "the grammar cannot be checked: llguidance is not installed"
        yield diagnose(document, _AT, MISSING_LIBRARY, message, f"run: {INSTALL}")
        return
    except GrammarError as error:
        found = diagnose(
            document, _AT, "bad-grammar", f"the grammar cannot be used: {error.reason}", error.hint
        )
        yield at_character(found, document, _AT, text.definition, error.offset)
        return
    yield from _examples(document, grammar, examples)


def _examples(document: Document, grammar: TextGrammar, examples: Sequence[object]) -> Iterator[Diagnostic]:
    for index, example in enumerate(examples):
        value = example.get(PARAMETER) if isinstance(example, dict) else None
        problem = grammar.problem(value) if isinstance(value, str) else None
        if problem is not None:
            message = f"this example {problem}"
            hint = "correct the example or the grammar"
            yield diagnose(document, ("examples", index, PARAMETER), "example-mismatch", message, hint)


_LEFT_OUT: Final = frozenset(
    {"not", "if", "then", "else", "maxContains", "unevaluatedItems", "unevaluatedProperties"}
)
"""Keywords that refuse a value because another schema accepts it, or a part of it."""


def _lenient_form(normal: NormalForm, circular: Collection[str]) -> NormalForm:
    """Loosen a normal form in which defects were left out, so that it accepts all that its author can mean.
    `circular` definitions, which refer only to themselves, accept any value.
    """
    origins = dict(normal.origins)

    def loosened(schema: object) -> object:
        if not isinstance(schema, dict):
            return schema
        made = map_subschemas({k: v for k, v in schema.items() if k not in _LEFT_OUT}, loosened)
        if "oneOf" in made:
            branches = made.pop("oneOf")
            made.setdefault("anyOf", branches)
        _copy_origin(origins, schema, made)
        return made

    return replace(
        normal,
        roots={name: loosened(schema) for name, schema in normal.roots.items()},
        defs={name: True if name in circular else loosened(schema) for name, schema in normal.defs.items()},
        origins=origins,
        shared=frozenset(),
    )


def _copy_origin(
    origins: dict[int, tuple[Document, Path]], schema: Mapping[str, object], made: Mapping[str, object]
) -> None:
    if id(schema) in origins:
        origins[id(made)] = origins[id(schema)]


def reachable(edges: Mapping[str, set[str]], start: str) -> set[str]:
    """Return what edges lead to from `start`, one or several."""
    visited: set[str] = set()
    waiting = [start]
    while waiting:
        found = edges.get(waiting.pop(), set()) - visited
        visited |= found
        waiting += found
    return visited


class _CorrectedDocument:
    """A document in which top-level keys have other names. Positions are those in the file."""

    __slots__ = ("_data", "_document", "_written")

    def __init__(self, document: Document, written: Mapping[str, str]) -> None:
        """`written`: the new name of a key → the name in the document."""
        renamed = {key: name for name, key in written.items()}
        self._document = document
        self._written = written
        data: JsonObject = document.data
        self._data = {renamed.get(key) or key: value for key, value in data.items()}

    @property
    def file(self) -> str:
        return self._document.file

    @property
    def data(self) -> JsonObject:
        return self._data

    def locate(self, path: Path, *, key: bool = False) -> tuple[int, int]:
        first = (self._written.get(str(path[0]), path[0]),) if path else ()
        return self._document.locate((*first, *path[1:]), key=key)


def _corrected(document: Document) -> Document:
    """Give each misspelt top-level key the name that its diagnostic suggests, unless that is there, too."""
    suggested = SpecChecker(document).known_keys((), document.data, KEYS, Names(synonyms=SYNONYMS))
    written = {name: key for name, key in suggested.items() if name not in document.data}
    return _CorrectedDocument(document, written) if written else document
