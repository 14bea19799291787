"""The tools of a project or an import in short: also those whose specs leave things open, or have errors."""

import json
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from io import StringIO
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ...diagnostics import Diagnostic
from ...importers.declared_tools import Declarations, Declared
from ...importers.import_tools import Imported
from ...jsonschema.json_values import JsonMapping, JsonObject
from ...permissions import PERMISSIONS
from ...providers import Profile, available
from ...spec.deprecation import shown_summary
from ...spec.discovery import discover
from ...spec.load import load_type
from ...spec.parsed_document import Document
from ...spec.read_file import SourceDocument, read_document
from ...spec.spec_checker import is_todo, is_unwritten
from ...spec.spec_reader import read_tool
from ...spec.tool_names import group_of, shown
from ...spec.tool_spec import ToolSpec
from ...spec.type_folders import TypeFolder
from .linted_tool import LintedTool, in_groups, numbered, subject
from .tokens import DENSEST, Cost, Tokens, counted, estimate

Progress = Callable[[int, int], None]


class SpecsFolder(Struct, frozen=True, kw_only=True):
    """The folder of specs, the providers that they may name, and folders of shared types outside."""

    root: Path
    shown_root: str
    known_providers: frozenset[str]
    folders: tuple[TypeFolder, ...] = ()


class Filter(Struct, frozen=True, kw_only=True):
    """Conditions of the tools to list, which all have to hold. `patterns` are shell patterns: for names, or
    with a slash for paths below the specs root.
    """

    patterns: Sequence[str] = ()
    groups: Sequence[str] = ()
    permissions: Sequence[str] = ()
    undecided: bool = False


class Row(Struct, frozen=True, kw_only=True):
    """One tool. `permission` and `secrets` are None where they are undecided or wrong; `undecided` names the
    keys that a person has to decide; `problems` counts the other errors of the spec.
    """

    name: str
    group: str
    path: str  # below the specs root
    file: str  # as the user would type it
    summary: str
    permission: str | None
    secrets: tuple[str, ...] | None
    undecided: tuple[str, ...] = ()
    problems: int = 0
    deprecated: Mapping[str, str] | None = None  # as the spec has it
    parallel: bool = True
    external: bool = False


class Listing(Struct, frozen=True, kw_only=True):
    """Rows by group and name, and their costs. `problems` are about files that could not be listed.

    `names` and `groups` are those of all tools, listed or not.
    """

    rows: tuple[Row, ...]
    tokens: Tokens
    problems: tuple[Diagnostic, ...]
    names: tuple[str, ...]
    groups: tuple[str, ...]

    def cost(self, name: str) -> dict[str, Cost]:
        """Return the cost of a tool by provider; nothing for one that does not compile."""
        return {each.provider: each for each in self.tokens.costs if each.tool == name}


def list_tools(
    place: SpecsFolder, profiles: Sequence[Profile], chosen: Filter, progress: Progress
) -> Listing:
    """Read all specs, and count for `profiles` the tokens of those that compile.

    `chosen` says which are listed; `progress` receives (done, total).
    """
    found = discover(place.root, shown_root=place.shown_root, folders=place.folders)
    types = _types(place, found.types)
    dialects = numbered(profiles)
    every: list[Row] = []
    rows: list[Row] = []
    subjects: list[LintedTool] = []
    for index, path in enumerate(found.tools):
        row, tool = _read(place, path)
        every.append(row)
        if _is_chosen(row, chosen):
            made, wrong = (None, ()) if tool is None else subject(tool, types, dialects)
            errors = sum(each.severity == "error" for each in wrong)
            rows.append(replace(row, problems=row.problems + errors))
            subjects += [] if made is None else [made]
        progress(index + 1, len(found.tools))
    return Listing(
        rows=tuple(sorted(rows, key=lambda row: (row.group, row.name))),
        tokens=counted(subjects, profiles),
        problems=found.diagnostics,
        names=tuple(sorted(row.name for row in every)),
        groups=tuple(sorted({row.group for row in every} - {""})),
    )


def _is_chosen(row: Row, chosen: Filter) -> bool:
    paths = (row.path, row.path.rpartition(".")[0], row.file)
    return (
        (not chosen.patterns or any(_fits(each, row.name, paths) for each in chosen.patterns))
        and in_groups(row.group, chosen.groups)
        and (not chosen.permissions or row.permission in chosen.permissions)
        and (not chosen.undecided or bool(row.undecided))
    )


def _fits(pattern: str, name: str, paths: Sequence[str]) -> bool:
    """Return whether a pattern fits: one with a slash is for paths, any other for names."""
    return any(fnmatchcase(each, pattern) for each in (paths if "/" in pattern else (name,)))


def undecided_keys(data: JsonMapping) -> tuple[str, ...]:
    """Return the keys that a person has to decide: `TODO`, or left out though they have no default."""
    secrets = data.get("secrets", "TODO")
    todo = is_todo(secrets) or (isinstance(secrets, list) and any(map(is_todo, secrets)))
    texts = [key for key in ("description", "summary") if isinstance(data.get(key), str)]
    found = [key for key in texts if is_unwritten(data[key])] if texts else ["description"]
    found += ["permission"] if is_todo(data.get("permission", "TODO")) else []
    return (*found, "secrets") if todo else tuple(found)


def _read(place: SpecsFolder, path: str) -> tuple[Row, ToolSpec | None]:
    file = shown(place.shown_root, path)
    row = Row(
        name=path.rpartition("/")[2].rpartition(".")[0],
        group=group_of(path),
        path=path,
        file=file,
        summary="",
        permission=None,
        secrets=None,
    )
    document = read_document(place.root / path, file)
    if not isinstance(document, SourceDocument):
        return replace(row, problems=len(document)), None
    spec, problems, name = read_tool(document, path, place.known_providers)
    if spec is not None:
        row = replace(row, name=spec.name, summary=shown_summary(spec))
        if spec.deprecated is not None:
            row = replace(row, deprecated=spec.deprecated.as_written())
        row = replace(row, parallel=spec.parallel, external=spec.external)
        return replace(row, permission=spec.permission, secrets=spec.secrets), spec
    data: JsonObject = document.data if isinstance(document.data, dict) else {}
    permission, summary = data.get("permission"), data.get("summary")
    undecided = undecided_keys(data) if data else ()
    open_keys = sum(each.code in ("todo", "missing-key") for each in problems)
    row = replace(
        row,
        name=name or row.name,
        summary=summary if isinstance(summary, str) else "",
        permission=permission if permission in PERMISSIONS else None,
        undecided=undecided,
        problems=len(problems) - min(open_keys, len(undecided)),
    )
    return row, None


def _types(place: SpecsFolder, paths: Sequence[str]) -> dict[str, Document]:
    loaded = {
        path: load_type(place.root, path, shown_root=place.shown_root, folders=place.folders)[0]
        for path in paths
    }
    return {path: document for path, document in loaded.items() if document is not None}


def within_budget(declarations: Declarations, budget: int) -> tuple[Declarations, tuple[str, ...]]:
    """Keep schemas of results out of definitions that would have more than `budget` tokens, and name these
    tools. What is counted is the declaration: providers are sent about as much.
    """
    over = {tool.name for tool in declarations.tools if tool.result is not None and _exceeds(tool, budget)}
    tools = [
        replace(tool, describe_result=False) if tool.name in over else tool for tool in declarations.tools
    ]
    return replace(declarations, tools=tuple(tools)), tuple(sorted(over))


def _exceeds(tool: Declared, budget: int) -> bool:
    parts = [tool.name, tool.description, tool.parameters, tool.result]
    # Lone surrogates stay, to be refused. Results may have megabytes, of which the first tokens decide.
    written = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).iterencode(parts)
    text, most = StringIO(), DENSEST * (budget + 1)
    while text.tell() < most and (part := next(written, "")):
        text.write(part)
    return estimate(text.getvalue()[:most]) > budget


def drafted(imported: Imported, profiles: Sequence[Profile], progress: Progress) -> Tokens:
    """Count the tokens of specs before they are written, whatever a person has still to decide of them."""
    types: dict[str, Document] = {
        each.path: SourceDocument(each.path, each.schema, each.text, "yaml") for each in imported.types
    }
    dialects = numbered(profiles)
    known = frozenset(available()) | {profile.id for profile in profiles}
    subjects: list[LintedTool] = []
    for index, draft in enumerate(imported.drafts):
        data = {**draft.data, "permission": draft.permission or "read", "secrets": draft.secrets or []}
        if data.get("describe_result") is False:
            del data["result"]
        tool, _, _ = read_tool(SourceDocument(draft.path, data, draft.text, "yaml"), draft.path, known)
        made = None if tool is None else subject(tool, types, dialects)[0]
        subjects += [] if made is None else [made]
        progress(index + 1, len(imported.drafts))
    return counted(subjects, profiles)
