"""The files of one tool for one provider."""

from msgspec import Struct
from msgspec.structs import replace

from ...contract.normal_form import NormalForm
from ...providers import (
    LedgerEntry,
    Normalized,
    Profile,
    ToolInfo,
    examples_ledger,
    omits,
    pointer_to,
    tool_object,
)
from ...spec.deprecation import shown_description
from ...spec.model import ToolSpec
from .compiled import pretty


def tool_info(tool: ToolSpec, normal: NormalForm) -> ToolInfo:
    """What every envelope may contain of a tool, apart from its parameters."""
    result = normal.standalone("result") if "result" in normal.roots else None
    return ToolInfo(
        name=tool.name,
        description=shown_description(tool),
        title=tool.annotations.title,
        read_only=True if tool.permission == "read" else None,
        destructive=tool.annotations.destructive,
        idempotent=tool.annotations.idempotent,
        open_world=tool.annotations.open_world,
        result_schema=result if isinstance(result, dict) else None,
        icons=tool.mcp.icons,
        meta=tool.mcp.meta,
        defer=tool.defer,
        examples=tool.examples,
        shows_examples=_shows_examples(tool),
        states_draft=normal.states_draft,
    )


def _shows_examples(tool: ToolSpec) -> dict[str, bool]:
    return {id: each["examples"] for id, each in tool.providers.items() if "examples" in each}


class Definition(Struct, frozen=True):
    """A tool as one provider gets it: the bytes of its files, and what they lack."""

    content: bytes
    ledger: tuple[LedgerEntry, ...]
    wire_forms: bytes | None  # how arguments in this provider's wire form are decoded


def definition(info: ToolInfo, profile: Profile, parameters: Normalized) -> Definition:
    """The files for `profile`, for which `parameters` are normalised."""
    content = pretty(tool_object(info, profile, parameters))
    ledger = (*parameters.ledger, *examples_ledger(info, profile, parameters))
    wire_forms = parameters.wire_forms
    if wire_forms is None or omits(profile, parameters):  # what is not shown has no form of its own
        return Definition(content, ledger, None)
    pointer = pointer_to("$parameters", profile) or ""
    return Definition(content, ledger, pretty(replace(wire_forms, parameters=pointer)))
