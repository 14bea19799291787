"""Reads files below a specs root to tools, types and every problem. Only this module reads a whole folder."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ..diagnostics import Diagnostic
from .discovery import discover
from .parsed_document import Document
from .read_file import ParsedFile, SourceDocument, read_document, read_file
from .spec_checker import SpecChecker
from .spec_reader import read_tool
from .tool_names import Entry, check_names, check_types, group_of, package_problem, shown
from .tool_spec import Library, ToolSpec
from .type_folders import TypeFolder, file_of, is_outside, type_place


def load_tool(
    root: Path, path: str, *, shown_root: str, known_providers: frozenset[str]
) -> tuple[ToolSpec | None, tuple[Diagnostic, ...]]:
    """Read one tool, and return all diagnostics but those of schemas. The spec is None with an error."""
    spec, problems = load_spec(root, path, shown_root=shown_root, known_providers=known_providers)
    return (spec if isinstance(spec, ToolSpec) else None), problems


def load_spec(
    root: Path, path: str, *, shown_root: str, known_providers: frozenset[str]
) -> tuple[ToolSpec | Document | None, tuple[Diagnostic, ...]]:
    """Read one tool, or its document where the spec has errors: its schemas can still be checked."""
    found, problems, _ = spec_of(read_file(root / path, shown(shown_root, path)), path, known_providers)
    return found, problems


def spec_of(
    parsed: ParsedFile, path: str, known_providers: frozenset[str]
) -> tuple[ToolSpec | Document | None, tuple[Diagnostic, ...], str | None]:
    """Check the content of a tool's file. Returns the spec (with an error its document, None where the file
    cannot be read), the diagnostics, and the name, if it can be read.
    """
    if parsed.document is None:
        return None, parsed.diagnostics, None
    spec, problems, name = read_tool(parsed.document, path, known_providers)
    if parsed.diagnostics:
        return parsed.document, tuple(sorted((*parsed.diagnostics, *problems))), name
    return spec or parsed.document, problems, name


def load_type(
    root: Path, path: str, *, shown_root: str, folders: Sequence[TypeFolder] = ()
) -> tuple[Document | None, tuple[Diagnostic, ...]]:
    """Read one shared type file, which may be any mapping; None with an error. Raises ValueError where the
    path leads out of the specs folder and into none of `folders`.
    """
    file = file_of(str(root), path, folders)
    if file is None:
        raise ValueError(f"{path!r} is in no folder of shared types")
    return type_of(read_file(Path(file), shown(shown_root, path)), path)


def type_of(parsed: ParsedFile, path: str) -> tuple[Document | None, tuple[Diagnostic, ...]]:
    """Return the document of a shared type, None with an error; and all diagnostics."""
    problems = () if parsed.document is None else type_problems(parsed.document, path)
    found = tuple(sorted((*parsed.diagnostics, *problems)))
    return (None if found else parsed.document), found


def type_problems(document: Document, path: str) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of a document as a shared type; `path` is as the specs root has it."""
    checker = SpecChecker(document)
    if not isinstance(document.data, dict):
        checker.wrong_type((), document.data, "a mapping", "write a JSON Schema, such as `type: object`")
    # The folder `_types` is fixed; all below it become packages, the file a module.
    for part in (type_place(path) or path).rpartition(".")[0].split("/")[1:]:
        problem = package_problem(part.replace(".", "_"))
        if problem is not None:
            hint = "use letters, digits, `_` and `-`, with a letter first, and no Python keyword"
            checker.report((), "bad-name", problem, hint)
    return tuple(checker.found)


def load_library(
    root: Path, *, shown_root: str, known_providers: frozenset[str], folders: Sequence[TypeFolder] = ()
) -> Library:
    """Read everything below a specs folder: the tools and types without errors, and the diagnostics of all
    files. Errors in types of `folders`, which are outside, are not reported: no tool of this project may
    refer to them.
    """
    found = discover(root, shown_root=shown_root, folders=folders)
    problems = list(found.diagnostics)
    tools: dict[str, ToolSpec] = {}
    documents: dict[str, Document] = {}
    refused_tools: dict[str, Document] = {}
    entries: list[Entry] = []
    for path in found.tools:
        parsed = read_file(root / path, shown(shown_root, path))
        spec, wrong, name = spec_of(parsed, path, known_providers)
        problems.extend(wrong)
        if parsed.document is not None:
            documents[path] = parsed.document
        if isinstance(spec, ToolSpec):
            tools[path] = spec
        elif spec is not None:
            refused_tools[path] = spec
        if name is not None:  # a tool with other errors still has its name
            entries.append((path, name, group_of(path)))

    def locate(path: str) -> tuple[int, int]:
        return documents[path].locate(("name",))

    types, type_problems = _load_types(root, found.types, shown_root, folders)
    clashes = check_names(entries, shown_root=shown_root, locate=locate)
    type_clashes = check_types([path for path in types if not is_outside(path)], shown_root=shown_root)
    refused = {each.file for each in (*clashes, *type_clashes)}
    return Library(
        root=str(root),
        tools=tuple(tool for path, tool in tools.items() if shown(shown_root, path) not in refused),
        types={path: each for path, each in types.items() if shown(shown_root, path) not in refused},
        refused=refused_tools,
        diagnostics=tuple(sorted([*problems, *type_problems, *clashes, *type_clashes])),
    )


def name_position(root: Path, path: str) -> tuple[int, int]:
    """Return line and column of a tool's name, for `check_names` in an incremental build, which reads only
    what changed; (0, 0) if the file cannot be read.
    """
    document = read_document(root / path, path)
    return document.locate(("name",)) if isinstance(document, SourceDocument) else (0, 0)


def _load_types(
    root: Path, paths: tuple[str, ...], shown_root: str, folders: Sequence[TypeFolder]
) -> tuple[Mapping[str, Document], list[Diagnostic]]:
    types: dict[str, Document] = {}
    problems: list[Diagnostic] = []
    for path in paths:
        document, wrong = load_type(root, path, shown_root=shown_root, folders=folders)
        problems.extend(() if is_outside(path) else wrong)
        if document is not None:
            types[path] = document
    return types, problems
