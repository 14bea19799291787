"""A project's tools as lint sees them: spec, normal form, each provider's schema and the sizes that providers
limit.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path as FilePath
from typing import Any, TypedDict, Unpack

from msgspec import Struct
from msgspec.structs import replace

from ...config import Config, show
from ...contract.build import Built, build_tool, check_schemas
from ...contract.normal_form import NormalForm
from ...diagnostics import Diagnostic, did_you_mean
from ...jsonschema.json_values import JsonMapping, JsonObject
from ...jsonschema.keywords import subschemas
from ...jsonschema.nesting import levels
from ...jsonschema.pointers import escape
from ...project.core.tool_definitions import definition_ledger, offered_to, tool_info, wanted_strict
from ...project.profiles import chosen_profiles, find_types, profiles_of, unknown_providers
from ...providers import (
    Dialect,
    LedgerEntry,
    Normalized,
    Profile,
    SchemaError,
    SchemaNormalizer,
)
from ...spec.load import load_library
from ...spec.parsed_document import Document, Path, diagnose
from ...spec.tool_spec import ToolSpec
from .finding import RULES, Finding


class Enum(Struct, frozen=True):
    """One enum: the number of its values, the characters of its texts together, and its place."""

    count: int
    chars: int
    path: Path


class Size(Struct, frozen=True, kw_only=True):
    """The contents of a schema, counted. Definitions count once, however often they are referred to."""

    depth: int  # levels of objects and arrays below the root, references followed, recursion not
    properties: tuple[Path, ...]
    optional: tuple[Path, ...]
    unions: tuple[Path, ...]
    enums: tuple[Enum, ...]
    string_chars: int
    required: int  # parameters that the root requires


class _Count:
    def __init__(self) -> None:
        self.properties: list[Path] = []
        self.optional: list[Path] = []
        self.unions: list[Path] = []
        self.enums: list[Enum] = []
        self.chars = 0

    def node(self, node: object, path: Path) -> None:
        if not isinstance(node, dict):
            return
        kind = node.get("type")
        if path and path[-2:-1] == ("properties",) and ("anyOf" in node or isinstance(kind, list)):
            self.unions.append(path)
        enum = node.get("enum")
        if isinstance(enum, list):
            chars = sum(len(each) for each in enum if isinstance(each, str))
            self.enums.append(Enum(len(enum), chars, path))
            self.chars += chars
        if isinstance(node.get("const"), str):
            self.chars += len(node["const"])
        required = node.get("required") or ()
        for below, item in subschemas(node):
            inner = *path, *below
            if below[0] in ("properties", "$defs", "definitions"):
                self.chars += len(str(below[1]))
            if below[0] == "properties":
                self.properties.append(inner)
                if below[1] not in required:
                    self.optional.append(inner)
            self.node(item, inner)


def measured(schema: JsonObject) -> Size:
    """Return the size of an emitted schema."""
    count = _Count()
    count.node(schema, ())
    required = schema.get("required")
    return Size(
        depth=levels(schema),
        properties=tuple(count.properties),
        optional=tuple(count.optional),
        unions=tuple(count.unions),
        enums=tuple(count.enums),
        string_chars=count.chars,
        required=len(required) if isinstance(required, list) else 0,
    )


class Emitted(Struct, frozen=True):
    """A schema as one or more providers get it; those of one dialect share it."""

    normalized: Normalized
    size: Size

    @property
    def strict(self) -> bool:
        """Return whether the definition asks the provider to enforce it."""
        return self.normalized.strict is True


class _Reply(TypedDict, total=False):
    providers: tuple[str, ...]
    answer: str


class LintedTool(Struct, frozen=True, kw_only=True):
    """A tool that compiles. `emitted` is by provider."""

    tool: ToolSpec
    built: Built
    parameters: JsonMapping  # normal form, with the definitions that it reaches
    emitted: Mapping[str, Emitted]

    @property
    def normal(self) -> NormalForm:
        """Return the normal form of its schemas."""
        return self.built.normal

    def ledger(self, profile: Profile) -> tuple[LedgerEntry, ...]:
        """Return the losses of the definition for a provider that has one."""
        info = tool_info(self.tool, self.normal)
        return definition_ledger(info, profile, self.emitted[profile.id].normalized)

    def finding(
        self,
        code: str,
        message: str,
        fix: str = "",
        *,
        at: Path | None = None,
        schema: Path | None = None,
        **reply: Unpack[_Reply],
    ) -> Finding:
        """Return a finding at a path of the spec, or at a path of a schema made from `parameters`."""
        file, (line, column) = self.tool.document.file, (0, 0)
        if schema is not None:
            document, path = self._origin(schema)
            file = document.file
            line, column = document.locate(path, key=len(path) > 1 and path[-2] == "properties")
        elif at is not None:
            line, column = self.tool.document.locate(at)
        return Finding(
            file=file,
            line=line,
            column=column,
            code=code,
            severity=RULES[code].severity,
            tool=self.tool.name,
            message=message,
            fix=fix,
            **reply,
        )

    def _origin(self, schema: Path) -> tuple[Document, Path]:
        """Return where a place of an emitted schema was written; of the nearest parent where a dialect added
        it.
        """
        steps = schema if schema[:1] == ("$defs",) else ("parameters", *schema)
        node: Any = {"$defs": self.normal.defs, **self.normal.roots}
        pointer = ""
        for step in steps:
            if isinstance(node, dict) and step in node:
                node = node[step]
            elif isinstance(node, list) and str(step).isdecimal() and int(step) < len(node):
                node = node[int(step)]
            else:
                break
            pointer += "/" + escape(str(step))
        return self.normal.locate(pointer or "/parameters")


Key = tuple[Dialect, Dialect | None]
"""Providers with equal keys get equal schemas."""


def subject(
    tool: ToolSpec, types: Mapping[str, Document], profiles: Sequence[tuple[Profile, int]]
) -> tuple[LintedTool | None, tuple[Diagnostic, ...]]:
    """Return the tool with its schemas, or None, and why. Profiles come with numbers of their dialects."""
    built = build_tool(tool, types)
    return (None, built.diagnostics) if built.contract is None else emitted_subject(tool, built, profiles)


def emitted_subject(
    tool: ToolSpec, built: Built, profiles: Sequence[tuple[Profile, int]]
) -> tuple[LintedTool, tuple[Diagnostic, ...]]:
    """Return a compiled tool with its schemas, and why some providers have none; see `subject`."""
    parameters = built.normal.offered(tool.inject)
    normalizer: SchemaNormalizer | None = None
    made: dict[tuple[int, bool | None, str], Emitted] = {}
    texts = tool.overrides("parameters")
    emitted: dict[str, Emitted] = {}
    problems: list[Diagnostic] = []
    for profile, dialect in profiles:
        strict = wanted_strict(tool, profile)
        own = profile.id if profile.id in texts else ""
        key = (dialect, strict, own)
        if key not in made:
            try:
                normalizer = normalizer or SchemaNormalizer(parameters)
                sent = SchemaNormalizer(offered_to(tool, built.normal, own)) if own else normalizer
                normalized = sent.normalize(profile, strict=strict)
            except SchemaError as error:
                message = f"{profile.id}: {error.message}"
                problems.append(diagnose(tool.document, ("parameters",), "no-schema", message, error.hint))
                continue
            made[key] = Emitted(normalized, measured(normalized.schema))
        emitted[profile.id] = made[key]
    found = LintedTool(tool=tool, built=built, parameters=parameters, emitted=emitted)
    return found, tuple(problems)


def numbered(profiles: Sequence[Profile]) -> tuple[tuple[Profile, int], ...]:
    """Return each profile with a number that it shares with those of equal dialects."""
    numbers: dict[Key, int] = {}
    return tuple((each, numbers.setdefault((each.dialect, each.strict), len(numbers))) for each in profiles)


def in_groups(group: str, groups: Sequence[str]) -> bool:
    """Return whether a group is one of those named, or lies below one; every group if none is named."""
    return not groups or any(group == each or group.startswith(each.rstrip("/") + "/") for each in groups)


Progress = Callable[[int, int], None]


class Project(Struct, frozen=True, kw_only=True):
    """The tools that compile, sorted by name as a request holds them. `refused` has the diagnostics of the
    others, `broken` the names that their files suggest.
    """

    shown_root: str
    subjects: tuple[LintedTool, ...]
    profiles: tuple[Profile, ...]
    configured: tuple[str, ...]  # ids of the project's providers, whichever this run is about
    refused: tuple[Diagnostic, ...]
    broken: frozenset[str] = frozenset()
    types: Mapping[str, Document] = {}  # the shared types, by path


def load_project(config: Config, providers: Sequence[str], progress: Progress) -> Project:
    """Read everything below the specs root, and normalise it for `providers` (none: those configured)."""
    found, problems = profiles_of(config)
    known = found.known
    wanted = tuple(providers) or found.chosen
    problems = (*problems, *unknown_providers(config, wanted, known, option=bool(providers)))
    profiles = () if problems else chosen_profiles(replace(found, chosen=wanted))
    shown_root = show(config.specs)
    folders, not_found = find_types(config)
    library = load_library(
        config.specs, shown_root=shown_root, known_providers=frozenset(known), folders=folders
    )
    dialects = numbered(profiles)
    subjects: list[LintedTool] = []
    broken = {path.rpartition("/")[2].rpartition(".")[0] for path in library.refused}
    refused = [*problems, *not_found, *library.diagnostics]
    for path, document in library.refused.items():
        refused += check_schemas(document, path, library.types).diagnostics
    tools: Sequence[ToolSpec] = sorted(library.tools, key=lambda tool: tool.name)
    for index, tool in enumerate(tools):
        made, wrong = subject(tool, library.types, dialects)
        refused += [each for each in wrong if made is None or each.severity == "error"]
        if made is not None:
            subjects.append(made)
        else:
            broken.add(tool.name)
        progress(index + 1, len(tools))
    return Project(
        shown_root=shown_root,
        subjects=tuple(subjects),
        profiles=profiles,
        configured=found.chosen,
        refused=tuple(sorted({*refused})),
        broken=frozenset(broken),
        types=library.types,
    )


def names_spec(text: str, path: str, shown_root: str) -> bool:
    """Return whether a text names a spec: as shown, or below the specs root, with or without its ending."""
    stem = path.rpartition(".")[0]
    shown = f"{shown_root}/{path}"
    return text in (path, stem, shown, f"{shown_root}/{stem}") or show(FilePath(text).absolute()) == shown


def is_selected(wanted: Sequence[str], tool: ToolSpec, shown_root: str) -> bool:
    """Return whether one of the names or paths means this tool."""
    return any(each == tool.name or names_spec(each, tool.path, shown_root) for each in wanted)


def unknown_tools(
    wanted: Sequence[str], tools: Iterable[ToolSpec], others: Iterable[str], shown_root: str
) -> list[Diagnostic]:
    """Report names of none of `tools`. `others` are files, as shown, about which something else is said."""
    known, files = list(tools), {*others}
    names = sorted(tool.name for tool in known)
    found: list[Diagnostic] = []
    for each in wanted:
        if any(is_selected((each,), tool, shown_root) for tool in known):
            continue
        if any(names_spec(each, file.removeprefix(f"{shown_root}/"), shown_root) for file in files):
            continue
        hint = did_you_mean(each, names, f"tools here: {', '.join(names[:20]) or 'none'}")
        message = f"there is no tool called {each!r}"
        found.append(Diagnostic(file=shown_root, code="unknown-tool", message=message, hint=hint))
    return found
