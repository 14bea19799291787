"""The ledger of the keys of a spec that a provider's tool object does not carry."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from ..jsonschema.pointers import split
from ..jsonschema.schema_node import Action, Severity
from ..spec.keys import KEYS, SENT
from ..spec.tool_spec import Annotations
from .ledger import NOT_STRICT, LedgerEntry
from .profiles.envelope import (
    CARRIERS,
    NO_PLACE,
    Normalized,
    ToolInfo,
    blocking_excluded,
    code_excluded,
    envelope_values,
    examples_excluded,
    omits,
    placeholders,
    profile_for,
    result_form,
    shown_examples,
)
from .profiles.profile import Profile

OWN_TEXT = "is the spec's text for this provider, in place of the one that others are sent"
_OF_REQUEST = "it is a setting of the whole request, which `request_members` gives"


def spec_ledger(tool: ToolInfo, profile: Profile, parameters: Normalized) -> tuple[LedgerEntry, ...]:
    """Return what the tool object lacks of what the spec states, apart from the schema of its parameters.

    A value that asks for what happens anyway (`defer: false`, `callers: [model]`) is not missing. There is
    one entry for each key of the spec, with `of="spec"`, or for each example that has no form there; and for
    what the schema of results lacks, with `of="result"`.
    """
    profile = profile_for(tool, profile)
    values = envelope_values(tool, profile, parameters)
    sent = {name for name, _ in placeholders(profile.envelope) if values.get(name) is not None}
    lost = [key for key in _stated(tool) if not sent.intersection(CARRIERS[key])]
    shown = any(
        getattr(tool, name) is not None and f"${name}" not in sent for name in Annotations.__struct_fields__
    )
    entries = [
        _of_spec(
            f"/{key}",
            f"is not sent, because {_reason(key, tool, profile, parameters)}",
            "kept elsewhere" if _is_of_request(key, profile) else "lost",
        )
        for key in (*lost, *(("annotations",) if shown else ()))
    ]
    if omits(profile, parameters) and "$parameters" not in sent:
        entries.append(_omitted(parameters))
    if _gave_up_strict(tool, profile, parameters, sent):
        reason = f"{NOT_STRICT}the provider does not have for tools that code may call"
        entries.append(_of_spec("/callers", reason, action="widened"))
    entries += _lost_examples(tool, profile, parameters)
    if tool.input is not None and tool.input.grammar and not sent.intersection(CARRIERS["input"]):
        place = "is stated in the description of the parameter `input`, because "
        reason = f"{place}{profile.lost.get('input', NO_PLACE)}; decoding checks it"
        entries.append(_of_spec("/input", reason, "kept elsewhere", "described"))
    entries += _own_texts(tool, profile, "$parameters" in sent)
    return (*entries, *(result_form(tool, profile)[1] if sent.intersection(CARRIERS["result"]) else ()))


def _own_texts(tool: ToolInfo, profile: Profile, shows_parameters: bool) -> Iterator[LedgerEntry]:
    pointers = tool.described.get(profile.id, ())
    text = _of_spec("/description", OWN_TEXT, "kept elsewhere", "rewritten")
    for path in pointers if shows_parameters else ():
        yield replace(text, path=path, of="parameters")
    if pointers and not shows_parameters:
        reason = "is not sent, because the argument is one text there, which has no schema"
        yield _of_spec(f"/providers/{profile.id}/parameters", reason)
    if profile.id in tool.descriptions:
        yield text


def _omitted(parameters: Normalized) -> LedgerEntry:
    """Return the entry of parameters that declare nothing: lost where undeclared ones are allowed."""
    refused = {(each.path, each.keyword): each.severity for each in parameters.ledger}
    closed = parameters.schema.get("additionalProperties") is False
    closed = closed or refused.get(("", "additionalProperties")) == "lost"
    reason = "is not sent, because the provider takes no object without properties"
    if closed:
        return _of_spec("/parameters", reason, "kept elsewhere")
    return _of_spec("/parameters", f"{reason}; a call has no undeclared parameters then")


def _of_spec(path: str, reason: str, severity: Severity = "lost", action: Action = "dropped") -> LedgerEntry:
    """Return an entry about the key of the spec at which a pointer begins."""
    key = split(path)[0]
    return LedgerEntry(path=path, keyword=key, action=action, severity=severity, reason=reason, of="spec")


def _stated(tool: ToolInfo) -> Iterator[str]:
    """Yield the keys whose value asks for something."""
    yield from ("result",) if tool.result_schema is not None else ()
    yield from (key.name for key in SENT if key.asks_for(tool.keys.get(key.name)))


def _reason(key: str, tool: ToolInfo, profile: Profile, parameters: Normalized) -> str:
    if key == "callers" and (cause := code_excluded(tool, profile, parameters)):
        return cause
    if key == "blocking" and (cause := blocking_excluded(tool, profile)):
        return cause
    if _is_of_request(key, profile):
        return _OF_REQUEST
    return profile.lost.get(key, KEYS[key].unsent or NO_PLACE)


def _is_of_request(key: str, profile: Profile) -> bool:
    """Return whether the provider has it for all tools of a request."""
    return key == "stream_arguments" and bool(profile.request.stream_arguments)


def _gave_up_strict(tool: ToolInfo, profile: Profile, parameters: Normalized, sent: set[str]) -> bool:
    return (
        profile.strict is not None
        and parameters.strict is False
        and profile.callers is not None
        and "strict" in profile.callers.without
        and tool.for_code
        and "$callers" in sent
    )


def _lost_examples(tool: ToolInfo, profile: Profile, parameters: Normalized) -> Iterator[LedgerEntry]:
    """One entry for all examples, or one for each that has no form."""
    cause = examples_excluded(tool, profile) if tool.examples else ""
    lost = [("/examples", f"is not sent, because {cause}")] if cause else []
    for index, reason in shown_examples(tool, profile, parameters).left_out:
        lost.append((f"/examples/{index}", f"is left out, because {reason}"))
    for path, reason in lost:
        yield _of_spec(path, reason)
