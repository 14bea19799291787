"""Values as proof: each is judged by the generated decoders of both states and by jsonschema-rs.

Results have no decoder: readers are other programs. The contract's own validator judges them instead.
"""

import random
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, Literal

from msgspec import Struct

from ...jsonschema.validator_errors import Violation
from ...project.core.compiler import decoding_files
from ...project.core.memory_package import attribute, imported
from ...runtime.errors import LIMIT, ArgumentError
from ...spec.parsed_document import Document
from ..instances.generator import Generator as InstanceGenerator
from ..instances.generator import UnfillableError
from ..instances.oracle import Oracle, OracleError, asserted_formats, judged_by
from .pairs import PairSide
from .rules import Witness

Root = Literal["parameters", "result"]
_Refusal = Callable[[object], tuple[str, ...]]
"""A value → every reason why it is refused; empty where it is accepted."""

_TRIES: Final = 20
LONGEST: Final = 300


class Judgement(Struct, frozen=True):
    """A judged value: the witness, or the objection to it. `coerced`: the new schema refuses the value, and
    decoding accepts it by a named allowance.
    """

    witness: Witness | None
    objection: str = ""
    coerced: bool = False


def validator_judge(side: PairSide, root: Root) -> _Refusal:
    """Return a function from a value to the reasons why the contract's validator refuses it; it raises where
    jsonschema-rs differs.
    """
    oracle = _oracle(side, root)
    validator = side.built.validator(f"/{root}")

    def refusals(value: object) -> tuple[str, ...]:
        found = _texts(validator.violations(value, limit=LIMIT))
        return _agreed(oracle, value, found, "the validator")

    return refusals


@contextmanager
def decoder_judge(side: PairSide, types: Mapping[str, Document]) -> Generator[_Refusal]:
    """Yield, as `validator_judge` returns, a judge that is the generated decoder, usable inside the block."""
    oracle = _oracle(side, "parameters")
    files, module, constant = decoding_files(side.tool, side.built, types)
    with imported(files) as package:
        binding = attribute(package, module, constant)

        def refusals(value: object) -> tuple[str, ...]:
            return _agreed(oracle, value, _decoded(binding, value), "the decoder")

        yield refusals


class _DisagreementError(Exception):
    """The two judges of one state differ about a value, as the text says."""


def _oracle(side: PairSide, root: Root) -> Oracle | None:
    document = {"$defs": side.built.document.get("$defs", {}), root: side.built.document[root]}
    try:
        return Oracle(document, f"/{root}", asserted_formats())
    except OracleError:
        return None


class _CoercedError(_DisagreementError):
    """The decoder accepts a value by a named allowance, and the schema as such refuses it."""


def _agreed(oracle: Oracle | None, value: object, refusals: tuple[str, ...], judge: str) -> tuple[str, ...]:
    if oracle is None:
        raise _DisagreementError("jsonschema-rs cannot read this schema")
    if oracle.accepts(value) != bool(refusals):
        return refusals
    if not refusals and oracle.verdict(value) is not False:
        raise _CoercedError("decoding accepts it: an explicit null of an optional property counts as absent")
    word = "refuses" if refusals else "accepts"
    raise _DisagreementError(f"{judge} {word} it, and jsonschema-rs does not agree")


def _decoded(binding: Any, value: Any) -> tuple[str, ...]:
    if not isinstance(value, dict):
        return ("arguments are an object",)
    try:
        # A call is what a model sends; what the program fills in is no part of it.
        (binding.decode_offered if binding.inject else binding.decode)(value)
    except ArgumentError as error:
        return _texts(error.violations) or (error.problem,)
    return ()


def _texts(violations: Sequence[Violation]) -> tuple[str, ...]:
    return tuple(f"{each.path}: {each.message}" for each in violations)


def judged(
    accepting: _Refusal, refusing: _Refusal, values: Iterable[tuple[object, str]]
) -> tuple[Judgement, ...]:
    """Judge values, each with the refused place, that one state should accept and the other refuse."""
    found: list[Judgement] = []
    for value, name in values:
        try:
            objections = accepting(value)
            refusals = refusing(value)
        except _DisagreementError as error:
            found.append(Judgement(None, str(error), isinstance(error, _CoercedError)))
            continue
        if objections:
            found.append(Judgement(None, f"the value found is itself refused: {objections[0]}"))
        elif not refusals:
            found.append(Judgement(None, "the value found is accepted by both"))
        else:
            fitting = next((each for each in refusals if _is_about(each, name)), refusals[0])
            found.append(Judgement(Witness(value=value, refusal=fitting[:LONGEST])))
    return tuple(found)


def _is_about(refusal: str, name: str) -> bool:
    return bool(name) and (f"`{name}`" in refusal or refusal.partition(": ")[0].endswith(f".{name}"))


def _valid_call(side: PairSide, types: Mapping[str, Document]) -> Any | None:
    oracle = _oracle(side, "parameters")
    if oracle is None:
        return None
    with decoder_judge(side, types) as refusal:
        for value in (*side.tool.examples, {}, *_made(oracle)):
            try:
                if not refusal(value):
                    return value
            except _DisagreementError:
                continue
    return None


def _made(oracle: Oracle) -> Iterable[object]:
    generator, schema = InstanceGenerator(rng=random.Random(0)), judged_by(oracle)
    made: list[object] = []
    for _ in range(_TRIES):
        try:
            made.append(generator.varied(schema))
        except UnfillableError:
            break
    return sorted(made, key=lambda value: len(repr(value)))


def call_of_old_name(side: PairSide, types: Mapping[str, Document]) -> Witness | None:
    """Return a call of a tool without that name now as witness; None where none was found."""
    value = _valid_call(side, types)
    if value is None:
        return None
    return Witness(value=value, refusal=f"there is no tool called `{side.tool.name}`")
