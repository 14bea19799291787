"""What a tool says to its providers, and what each of them is sent."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ...contract.build import Built
from ...contract.normal import Normal
from ...providers import LedgerEntry, Profile, ToolInfo, normalize, omits, pointer_to, tool_object
from ...runtime.ways import Ways
from ...spec.model import ToolSpec


def tool_info(tool: ToolSpec, normal: Normal) -> ToolInfo:
    """What every envelope may say of a tool beside its parameters."""
    result = normal.standalone("result") if "result" in normal.roots else None
    return ToolInfo(
        name=tool.name,
        description=tool.description,
        title=tool.annotations.title,
        read_only=True if tool.permission == "read" else None,
        destructive=tool.annotations.destructive,
        idempotent=tool.annotations.idempotent,
        open_world=tool.annotations.open_world,
        result_schema=result if isinstance(result, dict) else None,
    )


class Offer(Struct, frozen=True):
    """What a tool says to every provider, before any dialect. Shared by all of them: nothing changes it."""

    info: ToolInfo
    parameters: dict[str, Any]
    overrides: Mapping[str, Mapping[str, Any]]  # by provider, as the spec states them


def offer_of(tool: ToolSpec, built: Built) -> Offer:
    """What `tool` says to every provider."""
    return Offer(tool_info(tool, built.normal), built.normal.standalone("parameters"), tool.providers)


def provider_definition(
    offer: Offer, profile: Profile
) -> tuple[dict[str, Any], tuple[LedgerEntry, ...], Ways | None]:
    """The tool object that a provider accepts, what it lacks, and how arguments for it are undone."""
    stated = offer.overrides.get(profile.id, {})
    parameters = normalize(offer.parameters, profile, strict=stated.get("strict"))
    ways = None if omits(profile, parameters) else parameters.ways  # what is not shown has no form of its own
    if ways is not None:
        ways = replace(ways, parameters=pointer_to("$parameters", profile) or "")
    return tool_object(offer.info, profile, parameters), parameters.ledger, ways
