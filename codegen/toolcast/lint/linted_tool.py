"""One tool as lint sees it: its spec, its normal form, each provider's schema and the sizes that providers
limit."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from ..contract.build import Built, build_tool
from ..contract.normal_form import NormalForm
from ..diagnostics import Diagnostic
from ..jsonschema.nesting import levels
from ..jsonschema.pointers import escape
from ..jsonschema.subschemas import subschemas
from ..project.core.tool_definitions import definition_ledger, tool_info, wanted_strict
from ..providers import Dialect, LedgerEntry, Normalized, Profile, SchemaError, SchemaNormalizer
from ..spec.parsed_document import Document, Path, diagnose
from ..spec.tool_spec import ToolSpec
from .finding import RULES, Finding


class Enum(Struct, frozen=True):
    """One enum: how many values, how many characters its texts have together, and where."""

    count: int
    chars: int
    path: Path


class Size(Struct, frozen=True, kw_only=True):
    """What a schema holds. Definitions count once, however often they are referred to."""

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

    def node(self, node: Any, path: Path) -> None:
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


def measured(schema: dict[str, Any]) -> Size:
    """The size of an emitted schema."""
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
        """Whether the definition asks the provider to enforce it."""
        return self.normalized.strict is True


class Subject(Struct, frozen=True, kw_only=True):
    """A tool that compiles. `emitted` is by provider."""

    tool: ToolSpec
    built: Built
    parameters: Mapping[str, Any]  # normal form, with the definitions that it reaches
    emitted: Mapping[str, Emitted]

    @property
    def normal(self) -> NormalForm:
        """The normal form of its schemas."""
        return self.built.normal

    def ledger(self, profile: Profile) -> tuple[LedgerEntry, ...]:
        """What the definition for a provider that has one lacks of the spec."""
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
        providers: tuple[str, ...] = (),
        answer: str = "",
    ) -> Finding:
        """A finding at a path of the spec, or at a path of a schema made from `parameters`."""
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
            providers=providers,
            message=message,
            answer=answer,
            fix=fix,
        )

    def _origin(self, schema: Path) -> tuple[Document, Path]:
        """Where a place of an emitted schema was written; of the nearest parent where a dialect added it."""
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
) -> tuple[Subject | None, tuple[Diagnostic, ...]]:
    """The tool with its schemas, or None, and why. Profiles come with the numbers of their dialects."""
    built = build_tool(tool, types)
    return (None, built.diagnostics) if built.contract is None else emitted_subject(tool, built, profiles)


def emitted_subject(
    tool: ToolSpec, built: Built, profiles: Sequence[tuple[Profile, int]]
) -> tuple[Subject, tuple[Diagnostic, ...]]:
    """A tool that compiles, with its schemas; and why some providers have none. Profiles as for `subject`."""
    parameters = built.normal.offered(tool.inject)
    normalizer: SchemaNormalizer | None = None
    made: dict[tuple[int, bool | None], Emitted] = {}
    emitted: dict[str, Emitted] = {}
    problems: list[Diagnostic] = []
    for profile, dialect in profiles:
        strict = wanted_strict(tool, profile)
        key = (dialect, strict)
        if key not in made:
            try:
                normalizer = normalizer or SchemaNormalizer(parameters)
                normalized = normalizer.normalize(profile, strict=strict)
            except SchemaError as error:
                message = f"{profile.id}: {error.message}"
                problems.append(diagnose(tool.document, ("parameters",), "no-schema", message, error.hint))
                continue
            made[key] = Emitted(normalized, measured(normalized.schema))
        emitted[profile.id] = made[key]
    found = Subject(tool=tool, built=built, parameters=parameters, emitted=emitted)
    return found, tuple(problems)


def numbered(profiles: Sequence[Profile]) -> tuple[tuple[Profile, int], ...]:
    """Each profile with a number that it shares with those of equal dialects."""
    numbers: dict[Key, int] = {}
    return tuple((each, numbers.setdefault((each.dialect, each.strict), len(numbers))) for each in profiles)


def in_groups(group: str, groups: Sequence[str]) -> bool:
    """Whether a group is one of those named, or lies below one; every group if none is named."""
    return not groups or any(group == each or group.startswith(each.rstrip("/") + "/") for each in groups)
