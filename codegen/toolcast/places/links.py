"""The links of one spec: its classes and fields, its contract, each provider's JSON, its ledger."""

from collections.abc import Collection, Mapping
from typing import Any

from msgspec.structs import replace

from ..contract.build import Built, build_tool, build_type
from ..contract.normal_form import schemas_with_pointers
from ..jsonschema.pointers import join, split
from ..project.core.compiled import Options, ledger_path, profile_of
from ..project.core.compiler import tool_names
from ..project.core.tool_definitions import tool_info, wanted_strict
from ..providers import Profile, pointer_to, profile_for
from ..providers.profiles.envelope import CARRIERS
from ..providers.written_at import written_at
from ..python.structs.module import module_path, tool_module, type_module
from ..python.structs.module_model import ClassDefinition, Module
from ..python.structs.python_names import class_name
from ..spec.parsed_document import Document, Path
from ..spec.read_file import SourceDocument, parse_document
from ..spec.tool_spec import ToolSpec
from ..typescript.modules import FOLDER
from .javascript_places import Line, code_lines, type_lines
from .model_places import model_fields
from .place import Link, Outline, Place, find_path
from .python_places import Span, spans

Files = Mapping[str, bytes]
MODULES = (".py", ".js", ".ts")
"""How files end whose links are lines; those of others are elements of JSON."""
_VALUES: Mapping[str, Path] = {
    "$name": ("name",),
    "$description": ("description",),
    "$title": ("annotations", "title"),
    **{value: (key,) for key, values in CARRIERS.items() if key != "result" for value in values},
    "$grammar_syntax": ("input", "grammar"),
    "$grammar_definition": ("input", "definition"),
    "$task_support": ("execution", "task_support"),
    "$examples": ("examples",),
}
"""The values of an envelope that are no schemas, and the keys of a spec that they come from."""
RESULTS: Mapping[str, str] = {
    **dict.fromkeys(CARRIERS["result"], ""),
    "$result_response": "/properties/output",
}
"""The values of an envelope that are schemas of results, and where in them the spec's schema is."""
_TYPES = {"Params": "parameters", "Result": "result", "CompleteParams": "parameters"}
"""What follows the tool's name in types of TypeScript, and the schema that each is."""
_ARGUMENTS = {"params": "parameters"}
"""Arguments of a binding that are not called like the key of the spec."""


def tool_links(
    tool: ToolSpec, types: Mapping[str, Document], files: Files, options: Options, shown_output: str
) -> list[Link]:
    """The links of a tool that compiles to `files`, sorted by output."""
    built, names = build_tool(tool, types), tool_names(tool)
    module, _ = tool_module(built, name=tool.name, module=names.module)
    writer = _Links(built, tool.document, files, shown_output, tool.inject)
    writer.add_files()
    writer.add_module("/".join(names.module) + ".py", module, {names.constant, names.handler})
    for family in options.models:
        module_file = f"models/{family}/" + "/".join(names.module) + ".py"
        writer.add_models(module_file, class_name(tool.name, "Params"))
    writer.add_javascript(f"{FOLDER}/{'/'.join(names.module)}")
    writer.add_types(
        f"{FOLDER}/{'/'.join(names.module)}",
        {class_name(tool.name, part): root for part, root in _TYPES.items()},
    )
    writer.add_contract(f"contracts/{tool.name}.json")
    info = tool_info(tool, built.normal)
    for id in options.providers:
        profile = profile_for(info, profile_of(id, options))
        strict = wanted_strict(tool, profile)
        writer.add_definition(f"schemas/{id}/{tool.name}.json", profile, strict)
    writer.add_ledger(ledger_path(tool.name))
    return sorted(writer.links, key=lambda link: (link.output, len(link.path)))


def type_links(path: str, types: Mapping[str, Document], files: Files, shown_output: str) -> list[Link]:
    """The links of a shared type that compiles to `files`, sorted by output."""
    built, place = build_type(path, types), "/".join(module_path(path))
    writer = _Links(built, types[path], files, shown_output)
    writer.add_files()
    writer.add_module(f"{place}.py", type_module(built, path), set())
    writer.add_javascript(f"{FOLDER}/{place}")
    writer.add_contract(f"contracts/{place}.json")
    return sorted(writer.links, key=lambda link: (link.output, len(link.path)))


def _below(root: str, pointer: str) -> str:
    """A pointer into the standalone schema of a root, as one into the contract document."""
    return pointer if pointer.startswith("/$defs/") else f"/{root}{pointer}"


class _Links:
    """Collects the links of one spec."""

    def __init__(
        self,
        built: Built,
        document: Document,
        files: Files,
        shown_output: str,
        inject: Collection[str] = (),
    ) -> None:
        self._built, self._document, self._files = built, document, files
        self._inject = inject
        self._shown_output = shown_output
        self._outlines: dict[str, Outline | None] = {}
        self.links: list[Link] = []

    def add_files(self) -> None:
        """Each file as a whole."""
        for path, content in self._files.items():
            link = self._link(path, (1, 1), path, self._document, ())
            last = content.count(b"\n") if path.endswith(MODULES) else 0
            self.links.append(replace(link, last=last, element=None if last else ()))

    def add_module(self, path: str, module: Module, own: set[str]) -> None:
        """The classes, fields and aliases of a module; `own` are the binding and the handler's type."""
        definitions = {each.name: each for each in (*module.definitions, *module.late_definitions)}
        for span in spans(self._files[path].decode()):
            definition = definitions.get(span.owner)
            if span.owner in own:
                key = _ARGUMENTS.get(span.name, span.name)
                data = self._document.data
                if not span.name or key in data:
                    self._add_span(path, span, self._document, (key,) if span.name else ())
            elif definition is not None and not span.name:
                self._add_span(path, span, *self._locate(definition.pointer))
            elif isinstance(definition, ClassDefinition):
                fields = {field.name: field.pointer for field in definition.fields}
                if pointer := fields.get(span.name):
                    self._add_span(path, span, *self._locate(pointer))

    def add_models(self, path: str, root: str) -> None:
        """The classes and fields of another model family's module; `root` is the class of the parameters."""
        if self._built.contract is not None and path in self._files:
            for span, pointer in model_fields(self._files[path].decode(), root, self._built.contract):
                self._add_span(path, span, *self._locate(pointer))

    def add_javascript(self, place: str) -> None:
        """The members of what a JavaScript module exports, down to the parts of its schemas."""
        for line in code_lines(self._text(f"{place}.js")):
            first, *rest = line.path or ("",)
            if first in ("parameters", "complete", "result", "$defs"):
                root = "result" if first == "result" else "parameters"
                below = line.path if first == "$defs" else tuple(rest)
                pointer = join(below) if below[:1] == ("$defs",) else f"/{root}{join(below)}"
                self._add_line(f"{place}.js", line, *self._locate(pointer))
            elif not first or first in self._document.data:
                keys = line.path if find_path(self._document.data, line.path) is not None else line.path[:1]
                self._add_line(f"{place}.js", line, self._document, keys)

    def add_types(self, place: str, roots: Mapping[str, str]) -> None:
        """The types of roots, by name, with their properties as far as the schema has them by these names."""
        contract = self._built.normal.contract_file()
        for line in type_lines(self._text(f"{place}.d.ts")):
            if root := roots.get(line.owner) or roots.get(line.owner.removesuffix("Input")):
                below: Path = (root,)
                for name in line.path:
                    ways = ((*below, *items, "properties", name) for items in ((), ("items",)))
                    found = next((way for way in ways if find_path(contract, way) is not None), None)
                    if found is None:
                        break
                    below = found
                self._add_line(f"{place}.d.ts", line, *self._locate(join(below)))

    def _text(self, path: str) -> str:
        """The text of a module; empty where the target is not configured."""
        return self._files.get(path, b"").decode()

    def _add_line(self, path: str, line: Line, document: Document, keys: Path) -> None:
        name = ".".join(map(str, (line.owner, *line.path)))
        link = self._link(path, (line.line, line.column), name, document, keys)
        self.links.append(replace(link, last=line.last))

    def add_contract(self, path: str) -> None:
        """The schemas of a contract file, whose pointers are those of the contract."""
        data = self._data(path)
        for root in data:
            schemas = data[root].items() if root == "$defs" else [("", data[root])]
            starts = {join((root, name) if name else (root,)): schema for name, schema in schemas}
            pointers = (
                at for start, schema in starts.items() for _, at in schemas_with_pointers(schema, start)
            )
            self.add_schemas(path, {pointer: pointer for pointer in pointers})

    def add_definition(self, path: str, profile: Profile, strict: bool | None) -> None:
        """The values and schemas of a provider's tool object; `profile` has the envelope of this tool."""
        for value, keys in _VALUES.items():
            pointer = pointer_to(value, profile)
            if pointer is not None and find_path(self._document.data, keys) is not None:
                self._add_element(path, pointer, self._document, keys)
        normal = self._built.normal
        if (start := pointer_to("$parameters", profile)) is not None:
            schemas = written_at(normal.offered(self._inject), profile, strict=strict)
            written = {start + out: _below("parameters", at) for out, at in schemas.items()}
            self.add_schemas(path, written)
        for value, below in RESULTS.items() if "result" in normal.roots else ():
            if (start := pointer_to(value, profile)) is not None:
                start += below
                pointers = (at for _, at in schemas_with_pointers(normal.standalone("result"), ""))
                self.add_schemas(path, {start + at: _below("result", at) for at in pointers})

    def add_schemas(self, path: str, schemas: Mapping[str, str]) -> None:
        """Schemas of a JSON file: its pointers → pointers into the contract."""
        for pointer, written in schemas.items():
            self._add_element(path, pointer, *self._locate(written))

    def add_ledger(self, path: str) -> None:
        """The entries of a ledger."""
        for id, entries in self._data(path).items() if path in self._files else ():
            for number, entry in enumerate(entries):
                of = entry.get("of", "parameters")
                if of == "spec":
                    self._add_element(path, join((id, number)), self._document, tuple(split(entry["path"])))
                else:
                    self._add_element(path, join((id, number)), *self._locate(_below(of, entry["path"])))

    def _outline(self, path: str) -> Outline | None:
        """The elements of a JSON file; None for one that is larger than what is read of a spec."""
        if path not in self._outlines:
            document = parse_document(self._files[path], path, "json")
            self._outlines[path] = Outline(document) if isinstance(document, SourceDocument) else None
        return self._outlines[path]

    def _data(self, path: str) -> dict[str, Any]:
        outline = self._outline(path)
        return outline.document.data if outline is not None else {}

    def _locate(self, pointer: str) -> tuple[Document, Path]:
        """The document and the path in it of what is at a pointer of the contract, or of what holds it:
        schemas that only the generated form has, such as the pairs of a map, are in no spec."""
        normal = self._built.normal
        document, keys = normal.locate(pointer) if normal.origins else (self._document, ())
        while find_path(document.data, keys) is None:
            keys = keys[:-1]
        return document, keys

    def _add_span(self, path: str, span: Span, document: Document, keys: Path) -> None:
        name = f"{span.owner}.{span.name}" if span.name else span.owner
        link = self._link(path, (span.line, span.column), name, document, keys)
        self.links.append(replace(link, last=span.last))

    def _add_element(self, path: str, pointer: str, document: Document, keys: Path) -> None:
        outline = self._outline(path)
        if outline is None or (element := find_path(outline.document.data, split(pointer))) is None:
            return
        start = outline.document.locate(element, key=True)
        link = self._link(path, start, pointer or path, document, keys)
        self.links.append(replace(link, element=element))

    def _link(self, path: str, start: tuple[int, int], name: str, document: Document, keys: Path) -> Link:
        return Link(
            output=Place(f"{self._shown_output}/{path}", *start),
            name=name,
            spec=Place(document.file, *document.locate(keys, key=True)),
            document=document,
            path=keys,
        )
