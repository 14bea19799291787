"""What a program keeps does not grow with what it is sent: different inputs, and the memory after them."""

# ruff: noqa: ARG001 - a handler's signature is fixed, whatever it uses

import asyncio
import gc
import itertools
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from toolcast.analysis.instances import pattern_texts as patterns
from toolcast.analysis.lint.descriptions import name_words, stem
from toolcast.providers import normalize
from toolcast.runtime import ToolRegistry
from toolcast.runtime.support import check_multiple_of, check_pattern
from toolcast.runtime.wire.decoder import WireDecoder
from toolcast.runtime.wire.wire_form import WireBranch, WireForm, WireForms

from tests.runtime.helpers import GOOD
from tests.runtime.sample.files.edit import EDIT
from tests.sampled import sampled


def growth(work: Callable[[int], object], first: int, more: int) -> int:
    """Bytes that the inputs from `first` to `first + more` add, once as many as `first` were seen."""
    for number in range(first):
        work(number)
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for number in range(first, first + more):
            work(number)
        gc.collect()
        return tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()


@pytest.mark.thorough
def test_combinations_of_patterns() -> None:
    """Each set of patterns that find one name makes a place of its own: there are 2 ** 16 of them."""
    letters = "abcdefghijklmnop"
    forms = {letter: WireForm(encoding="texts", texts={"1": index}) for index, letter in enumerate(letters)}
    decode_wire = WireDecoder(WireForms(root=WireForm(patterns=forms)), {})
    names = ["".join(chosen) for size in range(17) for chosen in itertools.combinations(letters, size)]

    def work(number: int) -> None:
        (name,) = decode_wire({names[number]: "1"}).items()
        assert name == (names[number], letters.index(names[number][0]) if number else "1")

    assert growth(work, 1_500, 2_000) < 1_000_000


@pytest.mark.thorough
def test_combinations_of_union_branches() -> None:
    """Two branches in each of sixteen unions, chosen by what a model sends."""
    document: dict[str, Any] = {}
    all_of = []
    for index in range(16):
        branches = [{"required": [f"a{index}"], "type": "object"}, {"type": "object"}]
        document[f"u{index}"] = {"anyOf": branches}
        choices = tuple(
            WireBranch(at=f"/u{index}/anyOf/{at}", form=WireForm(nulls=(f"n{index}_{at}",)))
            for at in range(2)
        )
        all_of.append(WireForm(choices=choices))
    decode_wire = WireDecoder(WireForms(root=WireForm(all_of=tuple(all_of))), document)

    def work(number: int) -> None:
        chosen = [index for index in range(16) if number >> index & 1]
        undone = decode_wire({f"a{index}": 1 for index in chosen})
        assert undone["n3_0" if 3 in chosen else "n3_1"] is None

    assert growth(work, 1_100, 1_200) < 2_400_000


def test_timeouts_of_handlers_that_never_yield() -> None:
    """A loop that has no turn cannot drop the timers of calls that are over."""
    registry = ToolRegistry(check_results=False, timeout=3600)

    async def handler(params: Any, context: Any) -> str:
        return "done"

    registry.register(EDIT, handler)

    async def use() -> int:
        async def calls(count: int) -> None:
            for _ in range(count):
                assert (await registry.execute("edit", GOOD)).success

        await calls(1000)
        gc.collect()
        tracemalloc.start()
        try:
            before = tracemalloc.get_traced_memory()[0]
            await calls(5_000)
            return tracemalloc.get_traced_memory()[0] - before
        finally:
            tracemalloc.stop()

    assert asyncio.run(use()) < 200_000


CASES: dict[str, tuple[Callable[[int], object], int]] = {
    "names in lint": (lambda number: name_words(f"{number}_" + "word" * 20_000), 60),
    "words in lint": (lambda number: stem(f"{number}" + "words" * 20_000), 60),
    "patterns of providers": (lambda number: normalize(pattern(number, 2_100), "openai"), 9),
    "patterns in verify": (lambda number: patterns.sample_first(f"x{number}" + "y" * 2_500), 6),
    "patterns of checks": (lambda number: check_pattern("p", f"x{number}", f"x{number}"), 8_200),
    "divisors of checks": (lambda number: check_multiple_of("n", 0.0, 0.5 + number / 2**20), 6_000),
}


def pattern(number: int, length: int) -> dict[str, Any]:
    text = {"type": "string", "pattern": f"^x{number}{'y' * length}"}
    return {"type": "object", "properties": {"a": text}}


SLOW = {"patterns of providers", "patterns in verify"}


@pytest.mark.parametrize("case", sampled(CASES, CASES.keys() - SLOW))
def test_caches_of_texts_are_bounded(case: str) -> None:
    work, count = CASES[case]
    assert growth(work, min(count, 3) if count < 10 else count, count) < 1_000_000
