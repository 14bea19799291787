"""What a tool says to its providers, and what each of them is sent."""

from collections.abc import Iterable

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ...contract.build import Built
from ...contract.normal import Normal
from ...providers import (
    Audience,
    LedgerEntry,
    Profile,
    ToolInfo,
    omits,
    pointer_to,
    tool_object,
    unseen_places,
)
from ...spec.model import ToolSpec
from .compile import pretty


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


class Told(Struct, frozen=True):
    """What one provider is sent of a tool, as the bytes of its files."""

    definition: bytes
    ledger: tuple[LedgerEntry, ...]
    ways: bytes | None  # how arguments for it are undone


class Form(Struct, frozen=True):
    """What of a profile is the same for every tool. Profiles of one `number` have one envelope."""

    number: int
    parameters: str  # the JSON pointer to them
    unseen: tuple[str, str] | None  # as `unseen_places` says


class Listeners:
    """The providers of a run, made ready to be told of many tools."""

    def __init__(self, profiles: Iterable[Profile]) -> None:
        self.profiles = tuple(profiles)
        self.audience = Audience(self.profiles)
        numbers: dict[tuple[bytes, bool], int] = {}
        self._forms: dict[int, Form] = {}
        for profile in self.profiles:
            envelope = msgspec.json.encode(profile.envelope), profile.omit_empty_parameters
            number = numbers.setdefault(envelope, len(numbers))
            pointer = pointer_to("$parameters", profile) or ""
            self._forms[id(profile)] = Form(number, pointer, unseen_places(profile))

    def form(self, profile: Profile) -> Form:
        """That of one of `profiles`."""
        return self._forms[id(profile)]


class Offer:
    """One tool, told to its providers one after the other. What they are told alike is made once."""

    def __init__(self, tool: ToolSpec, built: Built, listeners: Listeners) -> None:
        self._info = tool_info(tool, built.normal)
        self._stated = tool.providers
        self._listeners = listeners
        self._shared = listeners.audience.share(built.normal.standalone("parameters"))
        self._definitions: dict[tuple[int, int], bytes] = {}
        self._ways: dict[tuple[str, int], bytes] = {}

    def to(self, profile: Profile) -> Told:
        """What `profile`, one of the listeners, is told. Raises `SchemaError`."""
        form = self._listeners.form(profile)
        stated = self._stated.get(profile.id, {})
        sent = self._shared.normalize(profile, strict=stated.get("strict"))
        key = form.number, id(sent)  # `_shared` keeps it
        definition = self._definitions.get(key)
        if definition is None:
            definition = self._definitions[key] = pretty(tool_object(self._info, profile, sent))
        if sent.ways is None or omits(profile, sent):  # what is not shown has no form of its own
            return Told(definition, sent.ledger, None)
        place = form.parameters, id(sent)
        ways = self._ways.get(place)
        if ways is None:
            ways = self._ways[place] = pretty(replace(sent.ways, parameters=form.parameters))
        return Told(definition, sent.ledger, ways)
