"""Specs in, output files out, and no other access to the world: what engines and caches may rely on.

    kit = make_kit(["openai", "mcp"])
    made = compile_spec("files/edit.yaml", {"files/edit.yaml": b"…"}, kit)
    made.files, made.record.diagnostics, made.reads

The answer depends on the bytes named in `reads`, on the kit and on toolcast alone. In a process that has
compiled before, no file is opened, listed or looked at; before, only modules and built-in templates are.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from ...diagnostics import Diagnostic
from ...spec.discovery import kind_of
from ...spec.load import type_problems
from ...spec.model import Document, ToolSpec
from ...spec.read_file import parse_document
from ...spec.tool_names import shown
from ...spec.tool_spec import read_tool
from ..frontend import FRONTEND
from ..state.fingerprint import combine, digest
from ..worker import Context, Task, compile_task
from .kit import Kit
from .kit import make_kit as make_kit
from .unit_record import Record

Problems = tuple[Diagnostic, ...]


class Made(Struct, frozen=True, kw_only=True):
    """What one spec compiles to. `files`: posix path below the output root → bytes; none with an error."""

    record: Record
    files: Mapping[str, bytes]
    reads: tuple[str, ...]  # the sources that were read: the spec and its shared types; sorted


def compile_spec(path: str, sources: Mapping[str, bytes], kit: Kit, *, shown_root: str = "specs") -> Made:
    """Compile the tool or shared type at `path` (posix, below the specs root).

    `sources` maps such paths to bytes; only `path` and the types it refers to are asked for, so it may read
    them when asked. `shown_root` stands before paths in diagnostics. Problems of the spec are diagnostics;
    raises ValueError for a path that `generate` would pass over, KeyError where there is no such source.
    """
    (made,) = compile_specs((path,), sources, kit, shown_root=shown_root)
    return made


def compile_specs(
    paths: Iterable[str], sources: Mapping[str, bytes], kit: Kit, *, shown_root: str = "specs"
) -> Iterator[Made]:
    """`compile_spec` for each of `paths`, reading shared types once."""
    types = _Types(sources, shown_root)
    for path in paths:
        kind = kind_of(path)
        if kind is None:
            raise ValueError(f"{path!r} is not the path of a spec or of a shared type")
        source = types.source(path) if kind == "type" else _read(sources[path], path, shown_root)
        yield _compile(Task(path, kind), source, types, kit, shown_root)


class _Source(Struct, frozen=True):
    """The digest that the manifest has of a source, and its document or why there is none."""

    digest: str
    document: Document | Problems


def _read(content: bytes, path: str, shown_root: str) -> _Source:
    lines = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in content else content
    syntax: Literal["json", "yaml"] = "json" if path.endswith(".json") else "yaml"
    return _Source(digest(lines), parse_document(content, shown(shown_root, path), syntax))


def _compile(task: Task, source: _Source, types: "_Types", kit: Kit, shown_root: str) -> Made:
    document, view = source.document, _View(types)

    def load_tool(
        _root: Path, path: str, _shown: str, known: tuple[str, ...]
    ) -> tuple[ToolSpec | None, Problems]:
        if isinstance(document, tuple):
            return None, document
        spec, problems, _ = read_tool(document, path, frozenset(known))
        return spec, problems

    def load_type(_root: Path, path: str, _shown: str) -> tuple[Document | None, Problems]:
        if isinstance(document, tuple):
            return None, document
        problems = type_problems(document, path)
        return (None if problems else document), problems

    context = Context(
        frontend=replace(FRONTEND, load_tool=load_tool, load_type=load_type),
        root="",
        shown_root=shown_root,
        types=(),
        known_providers=kit.known,
        options=kit.options,
    )
    compiled = compile_task(context, view, task)
    parts = [task.path, source.digest]
    for path in compiled.uses:
        parts += [path, types.source(path).digest]
    named = (0, 0)
    if compiled.entry is not None and not isinstance(document, tuple):
        named = document.locate(("name",))
    record = Record(
        path=task.path,
        source=combine(parts)[:16],
        uses=compiled.uses,
        outputs={path: digest(content) for path, content in compiled.files.items()},
        entry=compiled.entry,
        named=named,
        diagnostics=compiled.diagnostics,
    )
    return Made(record=record, files=compiled.files, reads=tuple(sorted({task.path, *view.reads})))


class _Types:
    """The shared types of a run: each is read and parsed when something first refers to it."""

    def __init__(self, contents: Mapping[str, bytes], shown_root: str) -> None:
        self._contents, self._shown_root = contents, shown_root
        self._sources: dict[str, _Source] = {}

    def source(self, path: str) -> _Source:
        """Raises KeyError where there is none."""
        if path not in self._sources:
            self._sources[path] = _read(self._contents[path], path, self._shown_root)
        return self._sources[path]

    def document(self, path: str) -> Document | None:
        """The document of a shared type; None if it has errors. Raises KeyError where there is none."""
        if kind_of(path) != "type":
            raise KeyError(path)
        document = self.source(path).document
        return None if isinstance(document, tuple) or type_problems(document, path) else document


class _View(Mapping[str, Document]):
    """The shared types as one spec sees them; `reads` are the paths that it asked for."""

    def __init__(self, types: _Types) -> None:
        self._types = types
        self.reads: dict[str, Document | None] = {}

    def __getitem__(self, path: str) -> Document:
        if path not in self.reads:
            self.reads[path] = self._types.document(path)
        document = self.reads[path]
        if document is None:
            raise KeyError(path)
        return document

    def __iter__(self) -> Iterator[str]:
        """Those asked for so far: the result must not depend on what else there is."""
        return (path for path, document in self.reads.items() if document is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)
