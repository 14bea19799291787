"""One tool under verification, compiled in memory and imported in isolation; and the findings about it."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any, Literal, Protocol

import msgspec
from msgspec import Struct

from ...contract.build import Built, build_tool
from ...diagnostics import Diagnostic, Severity
from ...jsonschema.json_values import JsonMapping, JsonObject
from ...output_layout import contract_path, schema_path
from ...project.core.compiled import Compiled, Options, profile_of
from ...project.core.compiler import compile_tool, compile_type
from ...project.core.memory_package import attribute, imported
from ...project.core.tool_definitions import wanted_strict
from ...providers import LedgerEntry, Profile, normalize
from ...runtime.binding import ToolBinding
from ...runtime.wire import WireForms
from ...spec.parsed_document import Document
from ...spec.tool_spec import ToolSpec

Binding = ToolBinding[Any, Any]


class Decoder(Protocol):
    """The part of a binding that laws are about."""

    def decode(self, arguments: Any, provider: str | None = None) -> Any:
        """Decode the arguments of a call. Raises ArgumentError."""
        ...

    def encode(self, params: Any) -> bytes:
        """Encode what `decode` returned as JSON."""
        ...


class VerifiedTool(Struct, frozen=True, kw_only=True):
    """A compiled tool as the laws are held to it."""

    tool: ToolSpec
    built: Built
    binding: Binding
    contract: JsonMapping  # the contract file
    emitted: JsonMapping  # provider → the parameter schema in its tool object; absent where it has none
    definitions: JsonMapping  # provider → the tool object
    ledger: Mapping[str, tuple[LedgerEntry, ...]]  # of the parameters
    lost_keys: Mapping[str, frozenset[str]]  # provider → keys of the spec that its ledger names
    wire_forms: Mapping[str, WireForms]  # by provider; absent where nothing is encoded
    profiles: Mapping[str, Profile]

    def locate(self, pointer: str) -> tuple[int, int]:
        """Return line and column in the spec for a pointer into the contract file; for one into a shared
        type, of the tool's own `parameters`.
        """
        document, path = self.built.normal.locate(pointer)
        if document.file != self.tool.document.file:
            path = ("parameters",)
        return self.tool.document.locate(path)


class NotCompiledError(Exception):
    """The tool, or a shared type that it uses, does not compile; `found` states why."""

    def __init__(self, found: tuple[Diagnostic, ...]) -> None:
        super().__init__("\n".join(problem.message for problem in found))
        self.found = found


@contextmanager
def subject(tool: ToolSpec, types: Mapping[str, Document], options: Options) -> Generator[VerifiedTool]:
    """Yield the compiled tool, usable inside the block. Raises NotCompiledError."""
    compiled = _without_errors(compile_tool(tool, types, options))
    files = dict(compiled.files)
    for path in compiled.uses:
        files.update(_without_errors(compile_type(path, types, options)).files)
    entry = compiled.entry
    assert entry is not None
    profiles = {id: profile_of(id, options) for id in options.providers}
    emitted: JsonObject = {}
    definitions: JsonObject = {}
    for id, profile in profiles.items():
        definition = definitions[id] = msgspec.json.decode(files[schema_path(id, tool.name)])
        schema = _parameters(profile.envelope, definition)
        if schema is not None:
            emitted[id] = schema
    built = build_tool(tool, types)
    with imported(files) as package:
        yield VerifiedTool(
            tool=tool,
            built=built,
            binding=attribute(package, entry.module, entry.constant),
            contract=msgspec.json.decode(files[contract_path(tool.name)]),
            emitted=emitted,
            definitions=definitions,
            ledger={
                id: tuple(entry for entry in entries if entry.of == "parameters")
                for id, entries in compiled.losses.items()
            },
            lost_keys={
                id: frozenset(entry.keyword for entry in entries if entry.of == "spec")
                for id, entries in compiled.losses.items()
            },
            wire_forms=_wire_forms(tool, built, profiles),
            profiles=profiles,
        )


def _wire_forms(tool: ToolSpec, built: Built, profiles: Mapping[str, Profile]) -> dict[str, WireForms]:
    """Return the wire form that the walk states; the binding reads it from the generated files."""
    contract = built.normal.offered(tool.inject)
    made = {
        id: normalize(contract, profile, strict=wanted_strict(tool, profile)).wire_forms
        for id, profile in profiles.items()
    }
    return {id: wire_forms for id, wire_forms in made.items() if wire_forms is not None}


def _without_errors(compiled: Compiled) -> Compiled:
    wrong = tuple(problem for problem in compiled.diagnostics if problem.severity == "error")
    if wrong:
        raise NotCompiledError(wrong)
    return compiled


def _parameters(template: Any, definition: object) -> object:
    """Return the value in a tool object where the envelope's template has `$parameters`."""
    for key, item in template.items():
        if not isinstance(definition, dict) or key not in definition:
            continue
        if item == "$parameters":
            return definition[key]
        if isinstance(item, dict):
            found = _parameters(item, definition[key])
            if found is not None:
                return found
    return None


Law = Literal["L1", "L2", "L3", "L4", "L5"]

TITLES: dict[Law, str] = {
    "L1": "equivalence",
    "L2": "no lock-out",
    "L3": "way back",
    "L4": "ledger",
    "L5": "fixpoint",
}


class Counterexample(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The smallest case found in which two sides disagree.

    `instance` is JSON text, empty where a law is about the schema alone; `expected` and `actual` are the
    verdicts in words; `place` is a pointer into the contract or the spec.
    """

    law: Law
    file: str
    line: int
    column: int
    provider: str = ""
    instance: str = ""
    expected: str
    actual: str
    place: str = ""
    severity: Severity = "error"

    @property
    def title(self) -> str:
        """Return the name of the law."""
        return TITLES[self.law]


DisagreementKind = Literal["accepts what is invalid", "refuses what is valid", "cannot be built"]


class Disagreement(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A difference of another model family: information, unless the project decides else."""

    kind: DisagreementKind
    count: int
    instance: str
    reason: str
    severity: Severity = "note"


class ToolReport(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The report on one tool. The two allowances leave the verdict on `open` instances open; the spec
    suppresses `suppressed` findings.
    """

    tool: str
    file: str
    line: int
    column: int
    instances: int = 0
    valid: int = 0
    invalid: int = 0
    open: int = 0
    counterexamples: tuple[Counterexample, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()
    second_opinion: tuple[Disagreement, ...] | None = None
    suppressed: int = 0


class Failure(Struct, frozen=True):
    """One disagreement about one instance, before it is made small."""

    kind: str
    expected: str
    actual: str
    instance: Any = None
    place: str = ""
