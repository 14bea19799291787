"""What one output is worth: asked of the provider's rules first, then of what it means."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct
from toolcast.analysis.instances.oracle import Oracle, OracleError
from toolcast.analysis.verify.ledger_laws import silent_losses
from toolcast.analysis.verify.provider_laws import WireEncoder
from toolcast.providers import LedgerEntry
from toolcast.providers.schema_judge import as_json_schema
from toolcast.runtime.wire import WireForms
from toolcast.runtime.wire.decoder import WireDecoder

from .bundle import bundled
from .construct import Construct
from .grammar import Grammar
from .rulebook import findings

Verdict = Literal[
    "exact",
    "wider",
    "untold",
    "empty",
    "refuses",
    "unsatisfiable",
    "altered",
    "invalid",
    "raises",
    "declines",
]
"""`exact`: takes what the construct takes, encoded as the output asks for it, and nothing else.
`wider`: takes more. `untold`: ours only, more than the ledger says. `empty`: nothing of the schema is left.
`refuses`: does not take a valid instance. `unsatisfiable`: takes none at all. `altered`: ours only, what was
sent does not come back. `invalid`: the provider refuses the tool. `raises`: no output. `declines`: says that
strict mode is not possible."""

_SILENT = frozenset(("title", "description", "default", "examples", "$comment", "$defs", "definitions"))


class Output(Struct, frozen=True, kw_only=True):
    """What a transformer made of one construct. `ledger` and `wire_forms` are ours, `None` for others."""

    profile: str
    tool: dict[str, Any]  # the whole tool object
    schema: dict[str, Any]  # its parameters, as written
    strict: bool | None
    wire_forms: WireForms | None = None
    ledger: tuple[LedgerEntry, ...] | None = None


class Judged(Struct, frozen=True):
    """A verdict, with what it rests on."""

    verdict: Verdict
    reason: str = ""
    strict: bool | None = None


def judged(construct: Construct, output: Output) -> Judged:
    """The worst that can be expressed of `output`."""
    verdict, reason = _verdict(construct, output)
    return Judged(verdict, reason, output.strict)


def _verdict(construct: Construct, output: Output) -> tuple[Verdict, str]:
    broken = findings(output.profile, output.tool)
    if broken:
        return "invalid", broken[0]
    schema = bundled(as_json_schema(output.schema))
    try:
        oracle = Oracle(schema)
    except OracleError as problem:
        return "invalid", str(problem)
    grammar = Grammar(schema) if output.strict else None
    if grammar is not None and grammar.unsatisfiable:
        return "unsatisfiable", grammar.problem
    forward = WireEncoder(oracle, output.wire_forms)
    decode_wire = None if output.wire_forms is None else WireDecoder(output.wire_forms, output.schema)
    refused = [value for value in construct.valid if not oracle.accepts(forward.encoded(value))]
    if refused:
        return ("unsatisfiable" if len(refused) == len(construct.valid) else "refuses"), f"{refused[0]!r}"
    for value in construct.valid:
        sent = forward.encoded(value)
        if grammar is not None and grammar.accepts(sent) is False:
            return "refuses", f"the grammar made from it refuses {sent!r}"
        back = _without(decode_wire(sent) if decode_wire else sent, value)
        if back != value:
            return "altered", f"{value!r} comes back as {back!r}"
    return _width(construct, output, oracle, forward, decode_wire)


def _width(
    construct: Construct,
    output: Output,
    oracle: Oracle,
    forward: WireEncoder,
    decode_wire: WireDecoder | None,
) -> tuple[Verdict, str]:
    passed: list[Any] = []
    for value in construct.invalid:
        sent = forward.encoded(value)
        back = decode_wire(sent) if decode_wire else sent
        if oracle.accepts(sent) and _without(back, value) == value and not construct.accepts(back):
            passed.append(value)
    if not passed:
        return "exact", ""
    emptied = _emptied(construct.schema, output.schema)
    if output.ledger is None:
        return ("empty" if emptied else "wider"), f"{passed[0]!r}"
    untold = [failure.place for failure in silent_losses(construct.schema, output.schema, output.ledger)]
    if untold or not output.ledger:
        return "untold", f"{passed[0]!r}; {', '.join(untold[:3]) or 'no entry at all'}"
    return ("empty" if emptied else "wider"), f"{passed[0]!r}"


def _without(value: Any, wanted: Any) -> Any:
    """`value` without the nulls and empty lists that stand for what `wanted` leaves out."""
    if isinstance(value, dict) and isinstance(wanted, dict):
        return {
            key: _without(child, wanted.get(key))
            for key, child in value.items()
            if key in wanted or child not in (None, [])
        }
    if isinstance(value, list) and isinstance(wanted, list) and len(value) == len(wanted):
        return [_without(child, other) for child, other in zip(value, wanted, strict=True)]
    return value


def _emptied(contract: dict[str, Any], emitted: dict[str, Any]) -> bool:
    """Whether some property that was constrained says nothing any more."""
    stated, left = contract.get("properties", {}), emitted.get("properties", {})
    return any(
        isinstance(schema, dict)
        and schema.keys() - _SILENT
        and (name in left and not (isinstance(left[name], dict) and left[name].keys() - _SILENT))
        for name, schema in stated.items()
    )
