"""Specs in, output files out, and no other access to the world: engines and caches may rely on that.

    kit = make_kit(["openai", "mcp"])
    made = compile_spec("files/edit.yaml", {"files/edit.yaml": b"…"}, kit)
    made.files, made.record.diagnostics, made.reads

The result depends on the bytes named in `reads`, on the kit and on toolcast alone. In a process that has
compiled before, no file is opened, listed or examined; before, only modules and built-in templates are.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ...providers import Profile, available, load_profile
from ...spec.discovery import kind_of
from ...spec.load import spec_of, type_of
from ...spec.parsed_document import Document
from ...spec.read_file import ParsedFile, parse_file
from ...spec.tool_names import shown
from ...spec.tool_spec import Defaults
from ...version import __version__
from ..state.cache import Unit, unit_of
from ..state.fingerprint import PRINTERS, combine, digest, libraries
from ..worker import FRONTEND, Context, Loaded, Task, compile_task
from .compiled import Options

if TYPE_CHECKING:
    from ...targets.target import Target


class Kit(Struct, frozen=True, kw_only=True):
    """The parts that specs are compiled with; nothing of it is read from disk again. `known` are the ids that
    a spec's `providers` may name, `printers` the libraries that decide how output looks. Two kits with one
    `digest` compile alike.
    """

    options: Options
    known: tuple[str, ...]
    printers: Mapping[str, str]
    digest: str


def make_kit(
    providers: Sequence[str],
    *,
    profiles: Mapping[str, Profile] | None = None,
    models: Sequence[str] = (),
    targets: "Sequence[str | Target]" = (),
    grammars: tuple[tuple[str, str], ...] = (),
    templates: Mapping[str, str] | None = None,
    defaults: Defaults | None = None,
) -> Kit:
    """Make a kit for providers by id: built-in ones, and those of `profiles`, which go first. `targets` are
    ids of built-in ones, or targets that were read. `templates` override by file name, `defaults` holds for
    specs that do not say. Raises ProfileError, and ValueError for a target that there is not.
    """
    own = profiles or {}
    chosen = {id: own[id] if id in own else load_profile(id) for id in dict.fromkeys(providers)}
    texts = tuple(sorted((templates or {}).items()))
    overriding = None if templates is None else texts
    surfaces = tuple(_target(each) if isinstance(each, str) else each for each in targets)
    options = Options(
        providers=tuple(chosen),
        models=tuple(models),
        targets=surfaces,
        grammars=grammars,
        templates=overriding,
        profiles=chosen,
        defaults=defaults,
    )
    used = {library.name: library.version for library in libraries(models=bool(models))}
    known = tuple(sorted({*available(), *own}))
    parts = ["toolcast", __version__, "known", *known, "models", *options.models]
    parts += ["targets", digest(msgspec.json.encode(surfaces))]
    parts += ["grammars", *map(":".join, grammars), "defaults", defaults or ""]
    for id, profile in chosen.items():
        parts += ["provider", id, digest(msgspec.json.encode(profile))]
    for name, text in texts:
        parts += ["template", name, text]
    for name, version in used.items():
        parts += ["library", name, version]
    return Kit(
        options=options,
        known=known,
        printers={name: version for name, version in used.items() if name in PRINTERS},
        digest=combine(parts),
    )


def _target(id: str) -> "Target":
    """Read a built-in target. Raises ValueError."""
    from ...targets.target import built_in_target

    return built_in_target(id)


class Made(Struct, frozen=True, kw_only=True):
    """The outputs of the spec at `path`. `files`: posix path below the output root → bytes; none with an
    error. `reads`: the spec and the shared types that were read, sorted.
    """

    path: str
    record: Unit
    files: Mapping[str, bytes]
    reads: tuple[str, ...]


def compile_spec(path: str, sources: Mapping[str, bytes], kit: Kit, *, shown_root: str = "specs") -> Made:
    """Compile one tool or shared type. Problems of the spec are diagnostics.

    `path` and the keys of `sources` are posix, below the specs root; only `path` and the types it refers to
    are requested. Raises ValueError for a path that `generate` would pass over, and KeyError where it has no
    source.
    """
    (made,) = compile_specs((path,), sources, kit, shown_root=shown_root)
    return made


def compile_specs(
    paths: Iterable[str], sources: Mapping[str, bytes], kit: Kit, *, shown_root: str = "specs"
) -> Iterator[Made]:
    """Compile several specs in the order of `paths`, and read shared types once; see `compile_spec`."""
    types = _Types(sources, shown_root)
    context = Context(
        frontend=FRONTEND,
        root="",
        shown_root=shown_root,
        types=(),
        known_providers=frozenset(kit.known),
        options=kit.options,
    )
    for path in paths:
        kind = kind_of(path)
        if kind is None:
            raise ValueError(f"{path!r} is not the path of a spec or of a shared type")
        parsed = types.read(path) if kind == "type" else _read(sources[path], path, shown_root)
        yield _compile(Task(path, kind), parsed, types, context)


def _read(content: bytes, path: str, shown_root: str) -> ParsedFile:
    kind: Literal["json", "yaml"] = "json" if path.endswith(".json") else "yaml"
    return parse_file(content, shown(shown_root, path), kind)


def _compile(task: Task, parsed: ParsedFile, types: "_Types", context: Context) -> Made:
    types.requested = {}

    def load(context: Context, task: Task) -> Loaded:
        if task.kind == "type":
            return type_of(parsed, task.path)
        found, problems, _ = spec_of(parsed, task.path, context.known_providers)
        return found, problems

    compiled = compile_task(context, types, task, load)
    record = unit_of(compiled)
    if compiled.entry is not None and parsed.document is not None:
        record = replace(record, named=parsed.document.locate(("name",)))
    reads = tuple(sorted({task.path, *types.requested}))
    return Made(path=task.path, record=record, files=compiled.files, reads=reads)


class _Types(Mapping[str, Document]):
    """Shared types, each read at the first reference; `requested` has those of the present spec, or None."""

    def __init__(self, contents: Mapping[str, bytes], shown_root: str) -> None:
        self._contents, self._shown_root = contents, shown_root
        self._parsed: dict[str, ParsedFile] = {}
        self.requested: dict[str, Document | None] = {}

    def read(self, path: str) -> ParsedFile:
        if path not in self._parsed:
            self._parsed[path] = _read(self._contents[path], path, self._shown_root)
        return self._parsed[path]

    def __getitem__(self, path: str) -> Document:
        """Return a type. Raises KeyError also for one with errors."""
        if path not in self.requested:
            if kind_of(path) != "type":
                raise KeyError(path)
            self.requested[path], _ = type_of(self.read(path), path)
        found = self.requested[path]
        if found is None:
            raise KeyError(path)
        return found

    def __iter__(self) -> Iterator[str]:
        """List the requested ones: the result must not depend on what else there is."""
        return (path for path, document in self.requested.items() if document is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)
