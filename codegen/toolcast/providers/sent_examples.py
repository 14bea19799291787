"""The examples of a tool in the form that a provider wants calls in, and those that have none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from ..jsonschema import UnsupportedSchema
from ..jsonschema.equality import equal
from ..runtime.wire import WireForms
from ..runtime.wire.decoder import WireDecoder
from .schema_judge import ValidatorJudge, as_json_schema
from .wire_encoding import WireEncoder

REFUSED = "the provider's schema accepts it in no form"
NOT_RESTORED = "decoding makes another call of it than the spec states"
UNJUDGED = "the provider's schema is not supported by the validator"


class SentExamples(Struct, frozen=True):
    """Examples as a provider is sent them.

    Attributes:
        values: those that its schema accepts, in their order.
        left_out: the position of every other one, and why, as the end of a sentence.
    """

    values: tuple[Any, ...] = ()
    left_out: tuple[tuple[int, str], ...] = ()


def sent_examples(
    examples: Sequence[Any], schema: Mapping[str, Any], wire_forms: WireForms | None
) -> SentExamples:
    """Write examples in the form that a provider is sent.

    Args:
        examples: calls that the contract accepts.
        schema: the contract as the provider gets it.
        wire_forms: how arguments in its form are decoded; None where that is the contract's own.

    Returns:
        The examples that the provider's schema accepts, and that come back as they are when they are decoded.
    """
    if not examples:
        return SentExamples()
    decode: Callable[[Any], Any] = _unchanged if wire_forms is None else WireDecoder(wire_forms, schema)
    values: list[Any] = []
    left_out: list[tuple[int, str]] = []
    try:
        judge = ValidatorJudge(as_json_schema(schema))
        encoder = WireEncoder(judge, wire_forms)
        for index, example in enumerate(examples):
            sent = encoder.encoded(example)
            if not judge.accepts(sent):
                left_out.append((index, REFUSED))
            elif not _restores(decode(sent), example):
                left_out.append((index, NOT_RESTORED))
            else:
                values.append(sent)
    except UnsupportedSchema:
        return SentExamples(left_out=tuple((index, UNJUDGED) for index in range(len(examples))))
    return SentExamples(tuple(values), tuple(left_out))


def _unchanged(value: Any) -> Any:
    return value


def _restores(decoded: Any, example: Any) -> bool:
    """Whether a decoded call is that of an example. A null may express the absence of a property in both."""
    if isinstance(decoded, dict) and isinstance(example, dict):
        names = decoded.keys() | example.keys()
        return all(_restores(decoded.get(name), example.get(name)) for name in names)
    if isinstance(decoded, list) and isinstance(example, list):
        return len(decoded) == len(example) and all(map(_restores, decoded, example))
    return equal(decoded, example)
