"""One comparison, held to jsonschema-rs: every witness, and every `contained` over generated calls."""

import random
import time
from collections.abc import Iterable
from typing import Any

from msgspec import Struct
from toolcast.analysis.containment.compare import Comparison, compare
from toolcast.analysis.instances.edits import instances
from toolcast.analysis.instances.oracle import Oracle, OracleError, asserted_formats
from toolcast.contract.build import Built


class Judged(Struct, frozen=True, kw_only=True):
    """The result of one comparison, and what jsonschema-rs finds wrong in it.

    Attributes:
        verdict: the comparison's own verdict.
        wrong: each mistake in words; empty where there is none.
        open: the places that are not decided.
        reasons: the kinds of narrowing that were found.
        seconds: processor time of the comparison.
        values: calls that a `contained` was tried with.
        judged: whether jsonschema-rs could compile both schemas.
    """

    verdict: str
    wrong: tuple[str, ...]
    open: tuple[str, ...]
    reasons: tuple[str, ...]
    seconds: float
    values: int
    judged: bool


def judge(old: Built, new: Built, root: Any, count: int, seed: str, calls: Iterable[Any] = ()) -> Judged:
    """Compare two contracts and judge the result.

    Args:
        old: the contract whose values are tried.
        new: the contract that should accept them.
        root: "parameters" or "result".
        count: calls to generate from each side's schema.
        seed: makes the generated calls.
        calls: further calls, such as recorded ones.

    Returns:
        The result and its mistakes.
    """
    started = time.process_time()
    found = compare(old, new, root)
    seconds = time.process_time() - started
    wrong: list[str] = []
    tried = 0
    try:
        first = Oracle(old.document, f"/{root}", asserted_formats())
        second = Oracle(new.document, f"/{root}", asserted_formats())
    except OracleError:
        return _result(found, (), seconds, 0, judged=False)
    for escape in found.escapes:
        if not first.accepts(escape.value):
            wrong.append(f"{escape.reason}: the first refuses the witness {escape.value!r:.200}")
        if not refuses(second, escape.value, root):
            wrong.append(f"{escape.reason}: the second accepts the witness {escape.value!r:.200}")
    if found.verdict == "contained":
        rng = random.Random(seed)
        values = [*instances(first, rng, count), *instances(second, rng, count), *calls]
        tried = len(values)
        for value in values:
            if first.surely_accepts(value) and refuses(second, value, root):
                wrong.append(f"contained, but {value!r:.300}")
                break
    return _result(found, tuple(wrong), seconds, tried, judged=True)


def refuses(oracle: Oracle, value: Any, root: str) -> bool:
    """Whether the second side surely refuses a value: for calls, with the allowances of decoders."""
    return oracle.verdict(value) is False if root == "parameters" else oracle.refuses(value)


def _result(found: Comparison, wrong: tuple[str, ...], seconds: float, tried: int, *, judged: bool) -> Judged:
    return Judged(
        verdict=found.verdict,
        wrong=wrong,
        open=tuple(f"{each.pointer}: {each.message}" for each in found.undecided),
        reasons=tuple(each.reason for each in found.escapes),
        seconds=seconds,
        values=tried,
        judged=judged,
    )
