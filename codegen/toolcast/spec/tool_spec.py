"""A spec as data, checked for form, and all specs below one folder."""

from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from msgspec import Struct

from ..diagnostics import Diagnostic
from ..jsonschema.json_values import JsonMapping, JsonObject
from ..permissions import Permission
from .parsed_document import Document

if TYPE_CHECKING:
    from ..runtime.grammars import TextInput

Defaults = Literal["include", "omit"]
Caller = Literal["model", "code"]
TaskSupport = Literal["forbidden", "optional", "required"]
DEFAULTS: Final[tuple[Defaults, ...]] = get_args(Defaults)
CALLERS: Final[tuple[Caller, ...]] = get_args(Caller)
TASK_SUPPORT: Final[tuple[TaskSupport, ...]] = get_args(TaskSupport)


class Annotations(Struct, frozen=True, kw_only=True):
    """Hints about behaviour, in MCP's terms; None means unstated."""

    title: str | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None


class Deprecation(Struct, frozen=True, kw_only=True):
    """The deprecation of a tool; None means unstated."""

    since: str | None = None  # a version or a date
    use: str | None = None  # the name of another tool, or a text
    remove_after: str | None = None  # a date as ISO 8601 writes it, or a version

    def as_written(self) -> dict[str, str]:
        stated = ((name, getattr(self, name)) for name in self.__struct_fields__)
        return {name: value for name, value in stated if value is not None}


SourceKind = Literal["mcp", "openapi", "python", "tools"]
"""A server's listing, an API's description, a Python module, or files that list tools."""


class Source(Struct, frozen=True, kw_only=True):
    """The source that a spec was imported from, with the tool's name there."""

    kind: SourceKind
    name: str
    label: str

    def as_written(self) -> dict[str, str]:
        return {"kind": self.kind, "name": self.name, "from": self.label}


class Suppression(Struct, frozen=True):
    """The reason why something that a command reports does not apply to a tool."""

    reason: str
    until: date | None = None  # the last day; None: no end


class ToolSpec(Struct, frozen=True, kw_only=True):
    """One tool. `parameters` and `result` are raw JSON Schemas as written; `contract` reads them. `summary`
    and `description` are as written, too; `deprecation` has them as models read them.
    """

    path: str  # posix path below the specs root: "files/edit.yaml"
    group: str  # "files"; "" at the root; "a/b" when nested
    name: str
    summary: str
    description: str
    permission: Permission
    secrets: tuple[str, ...]
    scopes: tuple[str, ...] = ()  # what the token of whoever calls it must permit
    parameters: Any
    input: "TextInput | None" = None  # the argument is one text; `parameters` has it as `input`
    result: Any = None  # None: no typed result
    describe_result: bool = True  # False: no definition has the schema of results
    defaults: Defaults | None = None  # None: what the project says
    text: str | tuple[str, ...] | None = None  # a template, or paths of members; None: all, as JSON
    parallel: bool = True  # False: a call runs alone among the calls of an answer
    external: bool = False  # True: calls are carried out outside of the program, which has no handler
    callers: tuple[Caller, ...] | None = None  # who may call it; None: not stated
    defer: bool | None = None  # True: a request has the tool by name, and in full once the model asks for it
    stream_arguments: bool | None = None  # True: arguments are streamed as they are written
    blocking: bool | None = None  # False: the model goes on while a call runs
    task_support: TaskSupport | None = None  # whether clients of MCP may, or must, call it as a task
    examples: tuple[Any, ...] = ()
    annotations: Annotations = Annotations()
    runtime_enums: Mapping[str, str] = {}
    empty_is_absent: tuple[str, ...] = ()
    described_by: str | None = None  # the parameter with words for who approves a call
    inject: Mapping[str, str] = {}  # parameters that the program fills in, and from where
    http: JsonMapping | None = None  # as written; None: the tool is no HTTP operation
    providers: Mapping[str, JsonMapping] = {}
    lint_ignore: Mapping[str, Suppression] = {}  # by code of the finding
    verify_ignore: Mapping[str, Suppression] = {}  # by law, or code of the warning
    diff_ignore: Mapping[str, Suppression] = {}  # by id of the rule
    deprecated: Deprecation | None = None
    source: Source | None = None  # None: written by hand
    icons: tuple[JsonObject, ...] = ()  # as MCP has them
    meta: JsonObject = {}  # what MCP calls `_meta`
    document: Document

    def overrides(self, option: Literal["strict", "examples", "description", "parameters"]) -> dict[str, Any]:
        """Return what `providers` says of an option, by provider."""
        return {id: options[option] for id, options in self.providers.items() if option in options}

    @property
    def hints(self) -> JsonObject:
        """Return the hints about the tool's behaviour that are stated, in MCP's names."""
        stated = self.annotations
        found = {
            "title": stated.title,
            "readOnlyHint": True if self.permission == "read" else None,
            "destructiveHint": stated.destructive,
            "idempotentHint": stated.idempotent,
            "openWorldHint": stated.open_world,
        }
        return {name: value for name, value in found.items() if value is not None}


class Library(Struct, frozen=True, kw_only=True):
    """Everything below one specs root. `types` maps the posix path below the root (`_types/address.yaml`) to
    its document, `refused` that of each tool whose spec has errors.
    """

    root: str
    tools: tuple[ToolSpec, ...]
    types: Mapping[str, Document]
    refused: Mapping[str, Document] = {}
    diagnostics: tuple[Diagnostic, ...] = ()
