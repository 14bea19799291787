"""A report as data, for a page, a catalogue or a program.

The structs encode to JSON as they stand. The page has `Report` without `details` at once, and `details` in
compressed parts.
"""

from typing import Any, Literal

from msgspec import Struct

from ...command_settings import Level
from ...diagnostics import Diagnostic
from ...jsonschema.json_values import JsonObject
from ...jsonschema.schema_node import Action, Severity
from ...providers.ledger import Part
from ..diff.rules import Audience, Witness
from ..lint.finding import Finding
from ..lint.provider_checks import LimitUse

Strictness = Literal["always", "optional", "none"]
"""Whether a provider enforces the schema that it is sent: always, where a tool asks for it, or never."""


class ProviderInfo(Struct, frozen=True, kw_only=True):
    """One provider of the report.

    Attributes:
        id: id of the provider.
        title: its name for people.
        strict: whether it enforces schemas.
        language: the language in which its tools are declared; None where they are JSON.
        dated: ISO date on which its rules were last checked.
    """

    id: str
    title: str
    strict: Strictness
    language: Literal["typescript", "python"] | None
    dated: str


class Cell(Struct, frozen=True, kw_only=True, array_like=True):
    """One tool for one provider: an array in JSON, since there are many.

    Attributes:
        strict: whether the provider is asked to enforce the schema; None where it has no such mode, or no
            definition.
        tokens: tokens of the definition in full; None where there is no definition.
        brief: tokens of the brief definition; None likewise.
        lost: differences from the spec that lose or change something.
        kept: differences of which nothing is lost.
        findings: findings of lint that name the provider.
    """

    strict: bool | None
    tokens: int | None
    brief: int | None
    lost: int
    kept: int
    findings: int


class ToolRow(Struct, frozen=True, kw_only=True):
    """One tool in the list of all.

    Attributes:
        name: name of the tool.
        group: its group; empty at the root.
        path: its spec below the specs folder.
        file: its spec as a person types it.
        summary: one sentence, as models read it.
        permission: what it needs: read, write, execute or network.
        secrets: names of the secrets that it uses.
        deprecated: the notice that models read; None where it is not deprecated.
        tags: what else sets it apart: `deferred`, `external`, `http`, `text input`, `typed result`,
            `injected`, `examples`, `runs alone`, `imported`.
        errors: findings of this severity.
        warnings: findings of this severity.
        notes: findings of this severity.
        codes: codes of its findings, sorted.
        parameters: names of the parameters that models are offered.
        cells: one for each provider, in the order of `Report.providers`.
    """

    name: str
    group: str
    path: str
    file: str
    summary: str
    permission: str
    secrets: tuple[str, ...]
    deprecated: str | None
    tags: tuple[str, ...]
    errors: int
    warnings: int
    notes: int
    codes: tuple[str, ...]
    parameters: tuple[str, ...]
    cells: tuple[Cell, ...]


class Loss(Struct, frozen=True, kw_only=True):
    """One difference between a spec and what a provider is sent, with the places where it happened.

    Attributes:
        severity: what is lost by it.
        action: what was done.
        keyword: the keyword of JSON Schema, or the key of the spec.
        of: what `pointer` leads into: the schema of the parameters, that of results, or the spec.
        sentence: what happened and why, for people.
        pointer: JSON pointer into the contract (`ToolDetail.contract`); for `spec`, into the spec.
        shown_at: JSON pointer into `ProviderDetail.definition`: the place, or the nearest one around it that
            exists there; None where the definition is text.
        file: the file in which it was written: the spec, or a shared type.
        line: its line there, from 1.
        column: its column there, from 1.
        struct_line: the line of the generated module that was made from it, from 1; None where the module has
            none.
    """

    severity: Severity
    action: Action
    keyword: str
    of: Part
    sentence: str
    pointer: str
    shown_at: str | None
    file: str
    line: int
    column: int
    struct_line: int | None


class ProviderDetail(Struct, frozen=True, kw_only=True):
    """A tool as one provider gets it, at each level of disclosure.

    Attributes:
        id: id of the provider.
        strict: as of `Cell`.
        definition: the tool object, or the text of its declaration: what a model is shown in full.
        brief: the same with the summary, and parameters cut to names and types.
        summary: the same with name and summary alone.
        schema_pointer: JSON pointer to the parameters' schema in `definition`; None where it has none.
        losses: what it lacks of the spec.
    """

    id: str
    strict: bool | None
    definition: Any
    brief: Any
    summary: Any
    schema_pointer: str | None
    losses: tuple[Loss, ...]


class ArgumentCheck(Struct, frozen=True, kw_only=True):
    """The arguments of `new Contract(schema, options)`, by which the page judges a model's arguments.

    Attributes:
        name: name of the tool.
        schema: the parameters as models are offered them, as the JSON text that the runtime quotes to a model
            which left out a required parameter. Read it with `readJson`: integers past 2**53 are exact in it.
        options: the second argument: `defaults`, `slowPatterns`, `emptyIsAbsent` and `injected`; those that
            the tool has.
        without_grammar: whether the tool's argument is a text of a grammar, which JavaScript does not check.
        injected: the parameters that the program fills in, which the decoded value therefore lacks.
        example: arguments of the spec's first example, as JSON; empty where it has none.
    """

    name: str
    schema: str
    options: JsonObject
    without_grammar: bool
    injected: tuple[str, ...]
    example: str


class ToolDetail(Struct, frozen=True, kw_only=True):
    """One tool when it is opened.

    Attributes:
        name: name of the tool.
        spec_file: its spec as a person types it.
        spec_text: the text of the spec.
        struct_file: the generated module as a person types it.
        struct_text: its text; empty where the build refused the tool.
        description: as models read it.
        contract: `{"$defs": …, "parameters": …, "result": …}`.
        providers: in the order of `Report.providers`, without those that have no definition.
        findings: what lint found.
        check: for the box that judges arguments.
    """

    name: str
    spec_file: str
    spec_text: str
    struct_file: str
    struct_text: str
    description: str
    contract: Any
    providers: tuple[ProviderDetail, ...]
    findings: tuple[Finding, ...]
    check: ArgumentCheck


class ProviderSet(Struct, frozen=True, kw_only=True):
    """All tools as one request to a provider.

    Attributes:
        id: id of the provider.
        tools: tools that have a definition for it.
        strict_tools: those that it is asked to enforce, or always enforces.
        tokens: tokens of all definitions in full.
        brief: tokens of all brief definitions.
        lost: differences that lose or change something, in all tools.
        limits: the limits that are known.
    """

    id: str
    tools: int
    strict_tools: int
    tokens: int
    brief: int
    lost: int
    limits: tuple[LimitUse, ...]


class ComparedChange(Struct, frozen=True, kw_only=True):
    """One change between two states, for one audience."""

    level: Level
    audience: Audience
    rule: str
    tool: str  # "" for the whole set
    message: str
    hint: str
    file: str
    line: int
    old: bool  # the place is one of the old state
    providers: tuple[str, ...]  # none: all
    witness: Witness | None
    undecided: bool
    suppressed: bool  # the spec says that it is intended


class Comparison(Struct, frozen=True, kw_only=True):
    """The differences to another state of the specs.

    Attributes:
        old: name of the old state.
        new: name of the new state.
        compared: how many tools were compared.
        unchanged: how many are the same in both.
        changes: the worst first.
        diagnostics: specs of either state that do not compile.
    """

    old: str
    new: str
    compared: int
    unchanged: int
    changes: tuple[ComparedChange, ...]
    diagnostics: tuple[Diagnostic, ...]


class Report(Struct, frozen=True, kw_only=True, tag_field="kind", tag="toolcast-report"):
    """Everything that is shown. Equal specs and configuration give equal reports. In JSON, the first member
    is `"kind": "toolcast-report"`.

    Attributes:
        title: name of the project.
        version: version of toolcast.
        note: how tokens were counted, as a sentence.
        providers: the providers.
        tools: the tools that compile, by name.
        sets: one for each provider, in the same order.
        findings: what lint found in the whole set; those of one tool are in its detail.
        diagnostics: specs that do not compile, and warnings.
        diff: the differences to another state; None where none was asked for.
        details: one for each tool, in the same order.
    """

    title: str
    version: str
    note: str
    providers: tuple[ProviderInfo, ...]
    tools: tuple[ToolRow, ...]
    sets: tuple[ProviderSet, ...]
    findings: tuple[Finding, ...]
    diagnostics: tuple[Diagnostic, ...]
    diff: Comparison | None = None
    details: tuple[ToolDetail, ...] = ()
