"""The places of a project: its specs are compiled, and compared with the output that is there."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from ..config import Config, show
from ..contract.build import build_tool, build_type
from ..diagnostics import Diagnostic
from ..project.frontend import FRONTEND
from ..project.output.manifest import NAME, PACKAGE, parse_manifest
from ..project.profiles import profiles_of, unknown_providers
from ..project.worker import Context, Task, compile_task, load_task, load_types, project_context
from ..spec.discovery import Discovery
from ..spec.read_file import SourceDocument, parse_document, read_document
from ..spec.tool_spec import ToolSpec
from ..spec.type_folders import file_of, is_outside
from .find import to_outputs, to_spec
from .links import MODULES, tool_links, type_links
from .place import Link, Outline


class PlaceError(Exception):
    """Why a place leads nowhere."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__(*(diagnostic.message for diagnostic in diagnostics))
        self.diagnostics = diagnostics


def _refusal(file: str, code: str, message: str, hint: str) -> PlaceError:
    return PlaceError(Diagnostic(file=file, code=code, message=message, hint=hint))


def spec_place(config: Config, output: str, line: int, column: int = 0) -> Link:
    """The place of a spec that a place of an output was made from.

    Args:
        config: the project.
        output: posix path of the file below the output folder.
        line: the line, from 1; 0 for the file as a whole.
        column: the column, from 1; 0 for the line as a whole.

    Returns:
        The link, whose `spec` is the place.

    Raises:
        PlaceError: the file is none of the output, or not what the spec says; the spec has errors.
    """
    shown = f"{show(config.output)}/{output}"
    try:
        manifest = parse_manifest((config.output / NAME).read_bytes())
        content = (config.output / output).read_bytes()
    except OSError as error:
        hint = "run `toolcast generate`, or correct the name"
        raise _refusal(shown, "cannot-read", f"cannot be read: {error.strerror}", hint) from None
    owners = [path for path, outputs in manifest.outputs.items() if output in outputs and path != PACKAGE]
    if not owners:
        whole = output == NAME or output in manifest.outputs.get(PACKAGE, ())
        message = "is made from all specs" if whole else f"is none of the files that {NAME} lists"
        raise _refusal(shown, "no-single-spec", message, "name the module or a JSON file of one tool")
    project = _Project(config)
    links = [link for link in project.links(owners[0]) if link.output.file == shown]
    outline = None
    if not output.endswith(MODULES):
        document = parse_document(content, shown, "json")
        outline = Outline(document) if isinstance(document, SourceDocument) else None
    if not line or (outline is None and not output.endswith(MODULES)):
        return min(links, key=lambda link: link.output)
    lines = content.count(b"\n")
    if line > lines or (found := to_spec(links, outline, line, column)) is None:
        raise _refusal(shown, "no-such-line", f"has no line {line}", f"it has {lines} lines")
    return found


def output_places(config: Config, spec: str, line: int, column: int = 0) -> list[Link]:
    """The places of all outputs that were made from a place of a spec or shared type.

    Args:
        config: the project.
        spec: posix path of the file, as the specs folder has it.
        line: the line, from 1; 0 for the file as a whole.
        column: the column, from 1; 0 for the line as a whole.

    Returns:
        The links, by output; their `output` is the place.

    Raises:
        PlaceError: there is no such spec, or the output is not what it says; it has errors.
    """
    project = _Project(config)
    shown = project.context.shown(spec)
    if spec not in (*project.found.tools, *project.found.types):
        message = "is no spec: no file of the specs folder that `generate` would compile"
        raise _refusal(shown, "no-spec", message, "name a spec or a shared type")
    users = project.users(spec)
    links = [link for path in (spec, *users) for link in project.links(path)]
    if not line:
        whole = (link for link in links if not link.path and link.document.file == shown)
        first = {link.output.file: link for link in sorted(whole, key=lambda link: link.output, reverse=True)}
        return sorted(first.values(), key=lambda link: link.output)
    document = read_document(project.file(spec), shown)
    assert isinstance(document, SourceDocument)
    found = to_outputs(links, Outline(document), line, column)
    return sorted(found, key=lambda link: link.output)


class _Project:
    """Specs of a project, each compiled when its links are wanted."""

    def __init__(self, config: Config) -> None:
        profiles, problems = profiles_of(config)
        if problems := (*problems, *unknown_providers(config, profiles.chosen, profiles.known)):
            raise PlaceError(*problems)
        self._config = config
        self.context: Context
        self.found: Discovery
        self.context, self.found = project_context(config, profiles, FRONTEND)
        self._types = load_types(self.context)

    def file(self, path: str) -> Path:
        """Where a spec or shared type is."""
        file = file_of(self.context.root, path, self.context.folders)
        assert file is not None  # it was found there
        return Path(file)

    def links(self, path: str) -> list[Link]:
        """The links of one spec. Raises PlaceError unless its output is what it says."""
        context, kind = self.context, "type" if path in self.found.types else "tool"
        task = Task(path, "type" if kind == "type" else "tool")
        if path not in (*self.found.tools, *self.found.types):
            raise _refusal(context.shown(path), "no-spec", "is gone", "run `toolcast generate`")
        compiled = compile_task(context, self._types, task)
        if errors := [problem for problem in compiled.diagnostics if problem.severity == "error"]:
            raise PlaceError(*errors)
        self._compare(path, compiled.files)
        shown = show(self._config.output)
        if kind == "type":
            return type_links(path, self._types, compiled.files, shown)
        tool, _ = load_task(context, task)
        assert isinstance(tool, ToolSpec)
        return tool_links(tool, self._types, compiled.files, context.options, shown)

    def _compare(self, path: str, files: Mapping[str, bytes]) -> None:
        for output, content in sorted(files.items()):
            place = self._config.output / output
            if not place.is_file() or place.read_bytes() != content:
                message = f"is not what {self.context.shown(path)} says, so that its lines lead nowhere"
                shown = f"{show(self._config.output)}/{output}"
                raise _refusal(shown, "out-of-date", message, "run `toolcast generate`")

    def users(self, path: str) -> Iterable[str]:
        """The specs that refer to a shared type, directly or not; those with errors are none.

        Raises PlaceError for a shared type outside the specs folder that nothing refers to: it has no output.
        """
        if path not in self.found.types:
            return ()
        uses = {
            other: build_type(other, self._types).normal.uses
            for other in self.found.types
            if other in self._types and not is_outside(other)
        }
        for other in self.found.tools:
            tool, _ = load_task(self.context, Task(other, "tool"))
            if isinstance(tool, ToolSpec):
                uses[other] = build_tool(tool, self._types).normal.uses
        outside = sorted({used for each in uses.values() for used in each if is_outside(used)})
        if is_outside(path) and path not in outside:
            message = "has no output: nothing in this project refers to it"
            raise _refusal(self.context.shown(path), "no-spec", message, "name another shared type")
        uses |= {other: build_type(other, self._types).normal.uses for other in outside}
        return [other for other, used in uses.items() if other != path and path in used]
