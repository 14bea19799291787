"""The files of one tool for one provider."""

from msgspec import Struct
from msgspec.structs import replace

from ...contract.normal_form import NormalForm, member_places
from ...jsonschema.json_values import JsonObject
from ...jsonschema.pointers import join
from ...providers import (
    LedgerEntry,
    Normalized,
    Profile,
    ToolInfo,
    omits,
    pointer_to,
    profile_for,
    spec_ledger,
    tool_object,
)
from ...spec.deprecation import shown_description
from ...spec.keys import SENT
from ...spec.tool_spec import ToolSpec
from .compiled import pretty


def tool_info(tool: ToolSpec, normal: NormalForm) -> ToolInfo:
    """Return what every envelope may contain of a tool, apart from its parameters."""
    described = tool.describe_result and "result" in normal.roots
    result = normal.standalone("result") if described else None
    return ToolInfo(
        name=tool.name,
        description=shown_description(tool),
        descriptions={id: shown_description(tool, id) for id in tool.overrides("description")},
        described=_described(tool, normal),
        title=tool.annotations.title,
        read_only=tool.permission == "read",
        destructive=tool.annotations.destructive,
        idempotent=tool.annotations.idempotent,
        open_world=tool.annotations.open_world,
        input=tool.input,
        result_schema=result if isinstance(result, dict) else None,
        keys={key.name: key.value_in(tool) for key in SENT},
        examples=tool.examples,
        shows_examples=tool.overrides("examples"),
        states_draft=normal.states_draft,
    )


def _described(tool: ToolSpec, normal: NormalForm) -> dict[str, tuple[str, ...]]:
    """Return pointers to the parameters with texts of one provider, by provider."""
    stated = tool.overrides("parameters")
    places = member_places(normal.offered(tool.inject)) if stated else {}
    return {
        id: tuple(join(at) for name in texts for at in places.get(name, ())) for id, texts in stated.items()
    }


def offered_to(tool: ToolSpec, normal: NormalForm, provider: str) -> JsonObject:
    """Return the parameters as models of one provider are offered them, before its dialect."""
    return normal.offered(tool.inject, tool.overrides("parameters").get(provider, {}))


def wanted_strict(tool: ToolSpec, profile: Profile) -> bool | None:
    """Return whether strict mode is asked for; None for the profile's default. Without a word of the spec, a
    tool that code may call is not strict where the provider cannot have both.
    """
    stated = tool.overrides("strict").get(profile.id)
    excluding = profile.callers is not None and "strict" in profile.callers.without
    if stated is None and excluding and "code" in (tool.callers or ()):
        return False
    return stated


class _Definition(Struct, frozen=True):
    content: bytes
    ledger: tuple[LedgerEntry, ...]
    wire_forms: bytes | None  # how arguments in this provider's wire form are decoded


def definition(info: ToolInfo, profile: Profile, parameters: Normalized) -> _Definition:
    """Make the files for `profile`, for which `parameters` are normalised."""
    content = pretty(tool_object(info, profile, parameters))
    ledger = definition_ledger(info, profile, parameters)
    wire_forms, pointer = parameters.wire_forms, _parameters_pointer(info, profile)
    if pointer is None or wire_forms is None or omits(profile, parameters):
        return _Definition(content, ledger, None)  # what is not shown has no form of its own
    return _Definition(content, ledger, pretty(replace(wire_forms, parameters=pointer)))


def definition_ledger(info: ToolInfo, profile: Profile, parameters: Normalized) -> tuple[LedgerEntry, ...]:
    """Return what the definition for `profile` lacks of the spec."""
    own = spec_ledger(info, profile, parameters)
    return own if _parameters_pointer(info, profile) is None else (*parameters.ledger, *own)


def _parameters_pointer(info: ToolInfo, profile: Profile) -> str | None:
    """Return where the tool object has its schema; None where it describes one text."""
    return pointer_to("$parameters", profile_for(info, profile))
