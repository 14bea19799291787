"""The complete tool object of a provider, from the template in its profile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ...jsonschema.json_values import JsonMapping, JsonObject
from ...jsonschema.keywords import DIALECT
from ...jsonschema.pointers import join
from ...runtime.definitions import cut_definition
from ...runtime.grammars import TextInput
from ...runtime.wire import WireForms
from ...spec.keys import SENT
from ..ledger import LedgerEntry
from ..result_schemas import fitted, in_cycles, in_response, may_be_text
from ..wire_encoding import SentExamples, sent_examples
from .profile import Profile, ProfileError

NO_PLACE: Final = "the provider's tool object has no place for it"
"""Why a key of a spec is not sent, where nothing more is known of it; the end of a sentence."""


class Normalized(Struct, frozen=True, kw_only=True):
    """A schema in a provider's dialect.

    Attributes:
        schema: the parameters' schema for the provider.
        strict: the value of the provider's strict flag; None where it has none.
        ledger: every difference, in walking order; paths are JSON pointers into the schema that was
            normalised.
        wire_forms: how arguments in the wire form are decoded; None where the wire form is the contract's
            own.
    """

    schema: JsonObject
    strict: bool | None
    ledger: tuple[LedgerEntry, ...]
    wire_forms: WireForms | None = None


class ToolInfo(Struct, frozen=True, kw_only=True):
    """The values of an envelope other than the parameters. `None`: unstated, which leaves no key."""

    name: str
    description: str
    title: str | None = None
    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None
    input: TextInput | None = None
    result_schema: JsonObject | None = None
    keys: JsonMapping = {}  # by name, the values of those in `spec.keys.SENT`
    examples: tuple[Any, ...] = ()  # calls in the contract's form
    shows_examples: Mapping[str, bool] = {}  # by provider, where the spec says so
    descriptions: Mapping[str, str] = {}  # by provider, where it has its own
    described: Mapping[str, tuple[str, ...]] = {}  # by provider, pointers to parameters with texts of its own
    states_draft: frozenset[str] = frozenset()  # "parameters", "result": schemas whose spec names a draft

    @property
    def for_code(self) -> bool:
        """Return whether the spec states that code which the model writes may call the tool."""
        return "code" in (self.keys.get("callers") or ())


def tool_object(tool: ToolInfo, profile: Profile, parameters: Normalized) -> JsonObject:
    """Fill the template of a profile: the complete tool object, keys in the order of the template. The
    schemas in it are those of the arguments, not copies, but for the name of their draft. Raises
    ProfileError where the template names an unknown value.
    """
    profile = profile_for(tool, profile)
    return _filled(profile.envelope, envelope_values(tool, profile, parameters), profile.id)


def envelope_values(tool: ToolInfo, profile: Profile, parameters: Normalized) -> JsonObject:
    """Return the value of each placeholder that an envelope may name; None where the tool object has none,
    and for forms of the result that the envelope of the profile does not name.
    """
    schema = None if omits(profile, parameters) else parameters.schema
    named = {name for name, _ in placeholders(profile.envelope)}
    result = result_form(tool, profile)[0] if any(name.startswith("$result") for name in named) else None
    if profile.states_draft:
        if schema is not None and "parameters" in tool.states_draft:
            schema = {"$schema": DIALECT, **schema}
        if result is not None and "result" in tool.states_draft:
            result = {"$schema": DIALECT, **result}
    names = profile.callers
    callers = None if code_excluded(tool, profile, parameters) else tool.keys.get("callers")
    called = None if names is None or callers is None else [getattr(names, caller) for caller in callers]
    keys = {**tool.keys, "blocking": None} if blocking_excluded(tool, profile) else tool.keys
    text = tool.descriptions.get(profile.id, tool.description)
    stated = replace(tool, description=text, result_schema=result, keys=keys)
    examples = shown_examples(tool, profile, parameters).values
    return {
        **_values(stated, schema, parameters.strict, response="$result_response" in named),
        "$callers": called,
        "$examples": list(examples) or None,
    }


def result_form(tool: ToolInfo, profile: Profile) -> tuple[JsonObject | None, tuple[LedgerEntry, ...]]:
    """Return the schema of results as the provider takes it, and what it lacks; None without results."""
    return (None, ()) if tool.result_schema is None else fitted(tool.result_schema, profile.result)


def code_excluded(tool: ToolInfo, profile: Profile, parameters: Normalized) -> str:
    """Return why a provider's code cannot call a tool that is for code, as the end of a sentence; empty where
    it can, and where the provider does not distinguish callers.
    """
    if profile.callers is None or not tool.for_code:
        return ""
    without = profile.callers.without
    if "strict" in without and parameters.strict is True:
        return "the provider's code cannot call strict tools, and the spec demands strict mode"
    if "recursion" in without and in_cycles(parameters.schema):
        return "the provider's code cannot call a tool whose parameters contain themselves"
    return ""


def blocking_excluded(tool: ToolInfo, profile: Profile) -> str:
    """Return why a provider is not sent `blocking` of a tool, as the end of a sentence; empty where it may
    be.
    """
    if profile.callers is None or "blocking" not in profile.callers.without or not tool.for_code:
        return ""
    return "code may call the tool, and waits for its result"


def examples_excluded(tool: ToolInfo, profile: Profile) -> str:
    """Return why a provider is sent no examples of a tool, as the end of a sentence; empty where it is sent
    them.
    """
    if profile.examples is None:
        return NO_PLACE
    if not tool.shows_examples.get(profile.id, profile.examples.shown):
        return "examples cost tokens in every request, and are off for this provider"
    if tool.keys.get("defer") and "defer" in profile.examples.without:
        return "the provider takes no examples of tools that it searches for"
    return ""


def shown_examples(tool: ToolInfo, profile: Profile, parameters: Normalized) -> SentExamples:
    """Return the examples that a provider is sent, and those that have no form there."""
    if not tool.examples or examples_excluded(tool, profile):
        return SentExamples()
    return sent_examples(tool.examples, parameters.schema, parameters.wire_forms)


def profile_for(tool: ToolInfo, profile: Profile) -> Profile:
    """Return the profile with the envelope that a tool gets: where its argument is one text, that of such
    tools, if the provider has them. The reasons of `lost` are about the other one.
    """
    if tool.input is None or profile.text_envelope is None:
        return profile
    return replace(profile, envelope=profile.text_envelope, lost={})


_DECLARING = ("properties", "anyOf", "oneOf", "allOf", "$ref")
"""Keywords that may declare a parameter, in a root or in its branches."""


def omits(profile: Profile, parameters: Normalized) -> bool:
    """Return whether the envelope omits the parameters, because none is declared."""
    return profile.omit_empty_parameters and not any(parameters.schema.get(word) for word in _DECLARING)


def pointer_to(value: str, profile: Profile) -> str | None:
    """Return the JSON pointer of a template value such as `$parameters` in a provider's tool objects, if it
    is there.
    """
    return next((join(keys) for name, keys in placeholders(profile.envelope) if name == value), None)


def envelope_pointers(profile: Profile) -> tuple[str, str] | None:
    """JSON pointers of the parameters and of the description in a provider's tool objects; None where the
    runtime finds them itself."""
    return _envelope_pointers(profile.id, msgspec.json.encode(profile.envelope))


@lru_cache(maxsize=64)
def _envelope_pointers(id: str, envelope: bytes) -> tuple[str, str] | None:
    """Return the same by the template as JSON, cached for all tools."""
    profile = Profile(id=id, dated="", envelope=msgspec.json.decode(envelope))
    locations = pointer_to("$parameters", profile) or "", pointer_to("$description", profile) or ""
    text = {"description": "long"}
    schema = {"type": "object", "properties": {"x": {"type": "string", **text}}, **text}
    info = ToolInfo(name="tool", description="long", title="title", result_schema=schema)
    whole = _filled(profile.envelope, _values(info, schema, None), id)
    visited = cut_definition(whole, "tool", "short")
    return None if visited == cut_definition(whole, "tool", "short", locations) else locations


def placeholders(
    template: Mapping[str, object], below: tuple[str, ...] = ()
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Return what a template names, known or not, each with the keys that lead to it after `below`."""
    for key, item in template.items():
        if isinstance(item, dict):
            yield from placeholders(item, (*below, key))
        elif isinstance(item, str) and item.startswith("$"):
            yield item, (*below, key)


def _values(
    tool: ToolInfo, parameters: JsonObject | None, strict: bool | None, *, response: bool = True
) -> JsonObject:
    result, text, blocking = tool.result_schema, tool.input, tool.keys.get("blocking")
    sent = {name: _member(tool.keys.get(key.name)) for key in SENT for name in key.carriers}
    return {
        **sent,
        "$name": tool.name,
        "$description": tool.description,
        "$title": tool.title,
        "$parameters": parameters,
        "$strict": strict,
        "$input_format": None if text is None else "text" if text.grammar is None else "grammar",
        "$grammar_syntax": None if text is None else text.grammar,
        "$grammar_definition": None if text is None or text.grammar is None else text.definition,
        "$result": result,
        "$result_object": result if result is not None and result.get("type") == "object" else None,
        "$result_text": None if result is None or may_be_text(result) else result,
        "$result_response": in_response(result) if response and result is not None else None,
        "$read_only": tool.read_only,
        "$destructive": tool.destructive,
        "$idempotent": tool.idempotent,
        "$open_world": tool.open_world,
        "$callers": None,  # in the provider's words: `envelope_values`
        "$behavior": None if blocking is None else "BLOCKING" if blocking else "NON_BLOCKING",
        "$async": None if blocking is None else not blocking,
        "$examples": None,  # in the provider's form: `envelope_values`
    }


def _member(value: object) -> object:
    """Return a value as a member of a tool object; None where it is not stated, or empty."""
    return None if value in ((), {}) else list(value) if isinstance(value, tuple) else value


PLACEHOLDERS = tuple(_values(ToolInfo(name="", description=""), None, None))
"""The names of all values that an envelope can have."""


CARRIERS: Final[dict[str, tuple[str, ...]]] = {
    "input": ("$input_format",),
    "result": ("$result", "$result_object", "$result_text", "$result_response"),
    **{key.name: key.carriers for key in SENT},
}
"""The keys of a spec that are sent as a value of their own, each with the placeholders that carry it.
`annotations`, whose members have one placeholder each, is not among them."""


def _filled(template: JsonObject, values: JsonObject, id: str) -> JsonObject:
    out: JsonObject = {}
    for key, item in template.items():
        if isinstance(item, dict):
            inner = _filled(item, values, id)
            if inner or not item:
                out[key] = inner
        elif isinstance(item, str) and item.startswith("$"):
            if item not in values:
                raise ProfileError(f"profile {id!r}: the envelope names {item!r}; known: {', '.join(values)}")
            if values[item] is not None:
                out[key] = values[item]
        else:
            out[key] = item
    return out
