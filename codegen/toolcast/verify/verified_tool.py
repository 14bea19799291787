"""One tool as verification sees it: compiled in memory, imported in isolation, its spec at hand."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any

import msgspec
from msgspec import Struct

from ..contract.build import Built, build_tool
from ..diagnostics import Diagnostic
from ..project.core.compiled import Compiled, Options, profile_of
from ..project.core.compiler import compile_tool, compile_type
from ..providers import LedgerEntry, Profile, normalize
from ..runtime.binding import ToolBinding
from ..runtime.wire import WireForms
from ..spec.model import Document, ToolSpec
from .memory_package import attribute, imported

Binding = ToolBinding[Any, Any]


class Subject(Struct, frozen=True, kw_only=True):
    """What the laws are held to."""

    tool: ToolSpec
    built: Built
    binding: Binding
    contract: Mapping[str, Any]  # the contract file
    emitted: Mapping[str, Any]  # provider → the parameter schema in its tool object; absent where it has none
    ledger: Mapping[str, tuple[LedgerEntry, ...]]
    wire_forms: Mapping[str, WireForms]  # by provider; absent where nothing is encoded
    profiles: Mapping[str, Profile]

    def locate(self, pointer: str) -> tuple[int, int]:
        """Line and column in the spec for a pointer into the contract file (`/parameters/…`).

        A place in a shared type is told by the tool's own `parameters`.
        """
        document, path = self.built.normal.locate(pointer)
        if document.file != self.tool.document.file:
            path = ("parameters",)
        return self.tool.document.locate(path)


class NotCompiledError(Exception):
    """The tool, or a shared type that it uses, does not compile; `found` says why."""

    def __init__(self, found: tuple[Diagnostic, ...]) -> None:
        super().__init__("\n".join(problem.message for problem in found))
        self.found = found


@contextmanager
def subject(tool: ToolSpec, types: Mapping[str, Document], options: Options) -> Generator[Subject]:
    """The compiled tool, usable inside the block. Raises NotCompiledError."""
    compiled = _sound(compile_tool(tool, types, options))
    files = dict(compiled.files)
    for path in compiled.uses:
        files.update(_sound(compile_type(path, types, options)).files)
    entry = compiled.entry
    assert entry is not None
    profiles = {id: profile_of(id, options) for id in options.providers}
    emitted: dict[str, Any] = {}
    for id, profile in profiles.items():
        definition = msgspec.json.decode(files[f"schemas/{id}/{tool.name}.json"])
        schema = _parameters(profile.envelope, definition)
        if schema is not None:
            emitted[id] = schema
    built = build_tool(tool, types)
    with imported(files) as package:
        yield Subject(
            tool=tool,
            built=built,
            binding=attribute(package, entry.module, entry.constant),
            contract=msgspec.json.decode(files[f"contracts/{tool.name}.json"]),
            emitted=emitted,
            ledger=entry.losses,
            wire_forms=_ways(tool, built, profiles),
            profiles=profiles,
        )


def _ways(tool: ToolSpec, built: Built, profiles: Mapping[str, Profile]) -> dict[str, WireForms]:
    """What the walk says that decoding undoes; the binding reads it from the generated files."""
    contract = built.normal.standalone("parameters")
    made = {
        id: normalize(contract, profile, strict=tool.providers.get(id, {}).get("strict")).wire_forms
        for id, profile in profiles.items()
    }
    return {id: wire_forms for id, wire_forms in made.items() if wire_forms is not None}


def _sound(compiled: Compiled) -> Compiled:
    wrong = tuple(problem for problem in compiled.diagnostics if problem.severity == "error")
    if wrong:
        raise NotCompiledError(wrong)
    return compiled


def _parameters(template: Any, definition: Any) -> Any:
    """What stands in a tool object where the envelope's template says `$parameters`."""
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
