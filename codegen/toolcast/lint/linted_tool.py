"""One tool as lint sees it: its spec, its normal form, and what each provider would get."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from ..contract.build import build_tool
from ..contract.normal_form import NormalForm
from ..diagnostics import Diagnostic
from ..jsonschema.pointers import escape
from ..providers import Dialect, Normalized, Profile, SchemaError, normalize
from ..spec.model import Document, Path, ToolSpec, diagnose
from .finding import Finding
from .lint_rules import RULES
from .size import Size, measured


class Emitted(Struct, frozen=True):
    """A schema as one or more providers get it; those of one dialect share it."""

    normalized: Normalized
    size: Size

    @property
    def strict(self) -> bool:
        """Whether the provider is asked to enforce it."""
        return self.normalized.strict is True


class Subject(Struct, frozen=True, kw_only=True):
    """A tool that compiles. `emitted` is by provider."""

    tool: ToolSpec
    normal: NormalForm
    parameters: Mapping[str, Any]  # normal form, with the definitions that it reaches
    emitted: Mapping[str, Emitted]

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
    if built.contract is None:
        return None, built.diagnostics
    parameters = built.normal.standalone("parameters")
    made: dict[tuple[int, bool | None], Emitted] = {}
    emitted: dict[str, Emitted] = {}
    problems: list[Diagnostic] = []
    for profile, dialect in profiles:
        python_type_keywords = tool.providers.get(profile.id, {}).get("strict")
        key = (dialect, python_type_keywords)
        if key not in made:
            try:
                normalized = normalize(parameters, profile, strict=python_type_keywords)
            except SchemaError as error:
                message = f"{profile.id}: {error.message}"
                problems.append(diagnose(tool.document, ("parameters",), "no-schema", message, error.hint))
                continue
            made[key] = Emitted(normalized, measured(normalized.schema))
        emitted[profile.id] = made[key]
    found = Subject(tool=tool, normal=built.normal, parameters=parameters, emitted=emitted)
    return found, tuple(problems)


def numbered(profiles: Sequence[Profile]) -> tuple[tuple[Profile, int], ...]:
    """Each profile with a number that it shares with those of equal dialects."""
    seen: dict[Key, int] = {}
    return tuple((each, seen.setdefault((each.dialect, each.strict), len(seen))) for each in profiles)
