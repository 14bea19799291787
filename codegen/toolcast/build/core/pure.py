"""Specs in, output files out, and no other access to the world: what engines and caches may rely on.

    kit = make_kit(["openai", "mcp"])
    made = compile_spec("files/edit.yaml", {"files/edit.yaml": b"…"}, kit)
    made.files, made.record.diagnostics, made.reads

The answer depends on the bytes named in `reads`, on the kit and on toolcast alone. In a process that has
compiled before, no file is opened, listed or looked at; before, only modules and built-in templates are.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ...diagnostics import Diagnostic
from ...spec import parse_document, read_tool
from ...spec.discovery import kind_of
from ...spec.load import type_problems
from ...spec.model import Document, ToolSpec
from ...spec.names import shown
from ..frontend import FRONTEND
from ..state.fingerprint import combine, digest
from ..worker import Context, Task, compile_task
from .kit import Kit
from .kit import make_kit as make_kit
from .record import Record

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
        task = Task(path, kind)
        text = types.text(path) if kind == "type" else _text(sources[path])
        yield _made(task, text, types.view(), kit, shown_root)


def _made(task: Task, text: "_Text", view: "_View", kit: Kit, shown_root: str) -> Made:
    document = text.document if text.document is not None else _parsed(task.path, text.content, shown_root)

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
    outcome = compile_task(context, view, task)
    parts = [task.path, text.digest]
    for path in outcome.uses:
        parts += [path, view.types.text(path).digest]
    named = (0, 0)
    if outcome.entry is not None and not isinstance(document, tuple):
        named = document.locate(("name",))
    record = Record(
        path=task.path,
        source=combine(parts)[:16],
        uses=outcome.uses,
        outputs={path: digest(content) for path, content in outcome.files.items()},
        entry=outcome.entry,
        named=named,
        diagnostics=outcome.diagnostics,
    )
    return Made(record=record, files=outcome.files, reads=tuple(sorted({task.path, *view.reads})))


class _Text(Struct):
    """One source: its bytes, the digest that the manifest counts, and the document once it is parsed."""

    content: bytes
    digest: str
    document: Document | Problems | None = None


def _text(content: bytes) -> _Text:
    lines = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in content else content
    return _Text(content, digest(lines))


def _parsed(path: str, content: bytes, shown_root: str) -> Document | Problems:
    return parse_document(content, shown(shown_root, path), "json" if path.endswith(".json") else "yaml")


class _Types:
    """The shared types of a run: each is read and parsed when something first refers to it."""

    def __init__(self, sources: Mapping[str, bytes], shown_root: str) -> None:
        self._sources, self._shown_root = sources, shown_root
        self._texts: dict[str, _Text] = {}

    def text(self, path: str) -> _Text:
        """Raises KeyError where there is none."""
        if path not in self._texts:
            text = _text(self._sources[path])
            text.document = _parsed(path, text.content, self._shown_root)
            self._texts[path] = text
        return self._texts[path]

    def view(self) -> "_View":
        return _View(self)


class _View(Mapping[str, Document]):
    """The shared types as one spec sees them; what it asks for is written down."""

    def __init__(self, types: _Types) -> None:
        self.types = types
        self.reads: dict[str, Document | None] = {}

    def __getitem__(self, path: str) -> Document:
        if path not in self.reads:
            self.reads[path] = self._load(path)
        document = self.reads[path]
        if document is None:
            raise KeyError(path)
        return document

    def _load(self, path: str) -> Document | None:
        if kind_of(path) != "type":
            raise KeyError(path)
        document = self.types.text(path).document
        if document is None or isinstance(document, tuple) or type_problems(document, path):
            return None
        return document

    def __iter__(self) -> Iterator[str]:
        """Those asked for so far: an answer must not depend on what else there is."""
        return (path for path, document in self.reads.items() if document is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)
