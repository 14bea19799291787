"""One tool and the texts that are sent to it: what `decode` makes of each, and what the general way does."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from msgspec import Struct
from toolcast.build.core.compile import Options
from toolcast.providers import available, load_profile
from toolcast.providers.dialect import Dialect
from toolcast.runtime import ArgumentError
from toolcast.runtime.exactly import decode_exactly
from toolcast.runtime.quick import Decode
from toolcast.runtime.ways.sent import lenient_decoder, sent_decoder
from toolcast.runtime.ways.undo import Undo
from toolcast.verify import dialect as sides
from toolcast.verify.hold import asserted_formats
from toolcast.verify.instances import instances
from toolcast.verify.oracle import Oracle, OracleError
from toolcast.verify.subject import Binding, NotCompiledError, Subject, subject

from ..fuzz import schemas as any_schemas
from ..fuzz.judge import tool_of
from . import schemas
from .texts import arrived

VALUES = 30
"""Values of the contract in a round; each is sent to every provider."""
PROVIDERS = 4
"""Providers in a round, by chance."""


class Finding(Struct, frozen=True, kw_only=True):
    """Where both differ; the seed and the round make it again."""

    round: int
    provider: str | None
    parameters: Any
    arguments: str
    found: str
    meant: str


class Round(Struct):
    """What rounds came to: texts that were decoded, `taken` in one pass, `forms` that had a type for it,
    `refused` by both."""

    tools: int = 0
    forms: int = 0
    texts: int = 0
    taken: int = 0
    refused: int = 0
    findings: list[Finding] = []

    def add(self, other: Round) -> None:
        """Sum up, in place."""
        for name in ("tools", "forms", "texts", "taken", "refused"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.findings = [*self.findings, *other.findings]


class _Refused(Struct, frozen=True):
    """The outcome of arguments that are no parameters."""

    message: str


class _NotTakenError(Exception):
    """The pass leaves a text to the general way."""


def one(seed: str, number: int) -> Round:
    """One round; an empty one where its schema does not compile. Every second schema is made for the pass."""
    rng = random.Random(f"{seed}:{number}")
    parameters = schemas.compose(rng) if number % 2 else any_schemas.compose(rng)
    providers = tuple(rng.sample(_encoding(), PROVIDERS))
    try:
        with subject(tool_of(parameters), {}, Options(providers=providers)) as found:
            return _held(found, parameters, rng, number)
    except (NotCompiledError, OracleError):
        return Round()


@cache
def _encoding() -> tuple[str, ...]:
    """The providers to which something may be sent in another form."""
    found = ((id, load_profile(id)) for id in available())
    return tuple(
        id for id, profile in found for dialect in (profile.strict or profile.dialect,) if _encodes(dialect)
    )


def _encodes(dialect: Dialect) -> bool:
    return dialect.maps == "pairs" or dialect.enums != "any" or dialect.tuples == "object"


def _held(found: Subject, parameters: Any, rng: random.Random, number: int) -> Round:
    out = Round(tools=1)
    contract = Oracle(found.contract, "/parameters", asserted_formats())
    made = [value for value in instances(contract, rng, VALUES) if isinstance(value, dict)]
    for provider, undo, sent in _sides(found, made):
        quick = _pass(found.binding, provider, undo)
        out.forms += quick is not None
        for value in sent:
            text = arrived(rng, value)
            meant = _outcome(lambda text=text, undo=undo: decode_exactly(found.binding, text, None, undo))  # type: ignore[misc]
            results = [_outcome(lambda text=text, id=provider: found.binding.decode(text, id))]  # type: ignore[misc]
            if quick is not None:
                results += _taken(quick, text, provider)
            out.texts += 1
            out.taken += len(results) - 1
            out.refused += isinstance(meant, _Refused)
            wrong = next((result for result in results if not same(result, meant)), None)
            if wrong is not None:
                told = text if isinstance(text, str) else text.decode("utf-8", "surrogatepass")
                finding = Finding(
                    round=number,
                    provider=provider,
                    parameters=parameters,
                    arguments=told,
                    found=repr(wrong),
                    meant=repr(meant),
                )
                out.findings = [*out.findings, finding]
    return out


def _sides(found: Subject, made: list[Any]) -> Iterator[tuple[str | None, Undo | None, list[Any]]]:
    """Each provider with its way back, and values as they are sent to it; the contract's own form first."""
    yield None, None, made
    for id, schema in found.emitted.items():
        ways = found.ways.get(id)
        try:
            side = sides.Dialect(id, schema, found.ledger.get(id, ()), asserted_formats(), ways)
        except OracleError:
            continue  # a pattern that the judge cannot read
        yield id, found.binding._find_undo(id), [side.encoded(value) for value in made]


def _pass(binding: Binding, provider: str | None, undo: Undo | None) -> Decode | None:
    """What decodes in one pass alone: it raises where the general way would be asked."""

    def general(*_: Any) -> Any:
        raise _NotTakenError

    if not binding.exact or binding.wire is not None:
        return None
    if undo is None:
        return lenient_decoder(binding.params, general) if provider is None else None
    return sent_decoder(binding.params, undo.ways.root, provider, general)


def _taken(quick: Decode, text: str | bytes, provider: str | None) -> list[Any]:
    try:
        return [quick(text, provider, None)]
    except _NotTakenError:
        return []


def _outcome(decode: Callable[[], Any]) -> Any:
    try:
        return decode()
    except ArgumentError as problem:
        return _Refused(str(problem))


def same(one: Any, other: Any) -> bool:
    """Whether two decoded values are equal and of the same types throughout: 5 is not 5.0, nor true 1."""
    if type(one) is not type(other):
        return False
    if isinstance(one, Struct):
        names = one.__struct_fields__
        return all(same(getattr(one, name), getattr(other, name)) for name in names)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(item, other[name]) for name, item in one.items())
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float):
        return one == other and math.copysign(1, one) == math.copysign(1, other)
    if isinstance(one, set | frozenset):
        return bool(one == other) and sorted(map(repr, one)) == sorted(map(repr, other))
    return bool(one == other)
