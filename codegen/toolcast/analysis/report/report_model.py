"""A report as data, for a page or a program.

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
    """One provider of the report."""

    id: str
    title: str  # its name for people
    strict: Strictness  # whether it enforces schemas
    language: Literal["typescript", "python"] | None  # of its declarations; None where tools are JSON
    dated: str  # ISO date on which its rules were last checked


class Cell(Struct, frozen=True, kw_only=True, array_like=True):
    """One tool for one provider: an array in JSON, since there are many."""

    strict: bool | None  # whether it is asked to enforce the schema; None without such a mode or a definition
    tokens: int | None  # tokens of the definition in full; None where there is no definition
    brief: int | None  # tokens of the brief definition; None likewise
    lost: int  # differences from the spec that lose or change something
    kept: int  # differences of which nothing is lost
    findings: int  # findings of lint that name the provider


class ToolRow(Struct, frozen=True, kw_only=True):
    """One tool in the list of all."""

    name: str
    group: str
    path: str  # its spec below the specs folder
    file: str  # its spec as a person types it
    summary: str  # one sentence, as models read it
    permission: str  # what it needs: read, write, execute or network
    secrets: tuple[str, ...]  # names of the secrets that it uses
    deprecated: str | None  # the notice that models read; None where it is not deprecated
    # `deferred`, `external`, `http`, `text input`, `typed result`, `injected`, `examples`, `runs alone`,
    # `imported`
    tags: tuple[str, ...]
    errors: int
    warnings: int
    notes: int
    codes: tuple[str, ...]  # codes of its findings, sorted
    parameters: tuple[str, ...]  # names of the parameters that models are offered
    cells: tuple[Cell, ...]  # one for each provider, in the order of `Report.providers`


class Loss(Struct, frozen=True, kw_only=True):
    """One difference between a spec and what a provider is sent, with the places where it happened."""

    severity: Severity  # what is lost by it
    action: Action  # what was done
    keyword: str  # the keyword of JSON Schema, or the key of the spec
    of: Part  # what `pointer` leads into: the schema of the parameters, that of results, or the spec
    sentence: str  # what happened and why, for people
    pointer: str  # JSON pointer into the contract (`ToolDetail.contract`); for `spec`, into the spec
    shown_at: str | None  # JSON pointer into `definition`, or to the nearest place there; None for text
    file: str  # the file in which it was written: the spec, or a shared type
    line: int  # its line there, from 1
    column: int  # its column there, from 1
    struct_line: int | None  # of the generated module, from 1; None where the module has none


class ProviderDetail(Struct, frozen=True, kw_only=True):
    """A tool as one provider gets it, at each level of disclosure."""

    id: str
    strict: bool | None  # as of `Cell`
    definition: Any  # the tool object, or the text of its declaration: what a model is shown in full
    brief: Any  # the same with the summary, and parameters cut to names and types
    summary: Any  # the same with name and summary alone
    schema_pointer: str | None  # to the parameters' schema in `definition`; None where it has none
    losses: tuple[Loss, ...]  # what it lacks of the spec


class ArgumentCheck(Struct, frozen=True, kw_only=True):
    """The arguments of `new Contract(schema, options)`, by which the page judges a model's arguments."""

    name: str
    # Of the parameters as models are offered them: the JSON text that the runtime quotes to a model which
    # left out a required one. Read it with `readJson`: integers past 2**53 are exact in it.
    schema: str
    # The second argument, with those that the tool has: `defaults`, `slowPatterns`, `emptyIsAbsent`,
    # `injected`, `grammar`.
    options: JsonObject
    without_grammar: bool  # whether the tool's argument is a text of a grammar that JavaScript does not check
    injected: tuple[str, ...]  # filled in by the program, and so absent from the decoded value
    example: str  # arguments of the spec's first example, as JSON; empty where it has none


class ToolDetail(Struct, frozen=True, kw_only=True):
    """One tool when it is opened."""

    name: str
    spec_file: str  # its spec as a person types it
    spec_text: str
    struct_file: str  # the generated module as a person types it
    struct_text: str  # its text; empty where the build refused the tool
    description: str
    contract: Any  # `{"$defs": …, "parameters": …, "result": …}`
    providers: tuple[ProviderDetail, ...]  # as of `Report.providers`, but for those without definition
    findings: tuple[Finding, ...]
    check: ArgumentCheck  # for the box that judges arguments


class ProviderSet(Struct, frozen=True, kw_only=True):
    """All tools as one request to a provider."""

    id: str
    tools: int  # tools that have a definition for it
    strict_tools: int  # those that it is asked to enforce, or always enforces
    tokens: int  # tokens of all definitions in full
    brief: int  # tokens of all brief definitions
    lost: int  # differences that lose or change something, in all tools
    limits: tuple[LimitUse, ...]  # the limits that are known


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


class StateComparison(Struct, frozen=True, kw_only=True):
    """The differences to another state of the specs."""

    old: str
    new: str
    compared: int  # how many tools were compared
    unchanged: int  # how many are the same in both
    changes: tuple[ComparedChange, ...]  # the worst first
    diagnostics: tuple[Diagnostic, ...]  # specs of either state that do not compile


class Report(Struct, frozen=True, kw_only=True, tag_field="kind", tag="toolcast-report"):
    """Everything that is shown. Equal specs and configuration give equal reports. In JSON, the first member
    is `"kind": "toolcast-report"`.
    """

    title: str
    version: str
    note: str  # how tokens were counted, as a sentence
    providers: tuple[ProviderInfo, ...]
    tools: tuple[ToolRow, ...]  # that compile, by name
    sets: tuple[ProviderSet, ...]  # as of `providers`
    findings: tuple[Finding, ...]  # in the whole set; those of one tool are in its detail
    diagnostics: tuple[Diagnostic, ...]  # specs that do not compile, and warnings
    diff: StateComparison | None = None  # to another state, where one was named
    details: tuple[ToolDetail, ...] = ()  # as of `tools`
