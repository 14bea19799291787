"""Time grows with the length of what is sent, whatever it holds; nothing is loaded before it is needed."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from toolcast.jsonschema import Validator
from toolcast.runtime import Guesses
from toolcast.runtime.wire import WireBranch, WireForm, WireForms
from toolcast.runtime.wire.decoder import WireDecoder
from toolcast.runtime.wire.guesses import closed, unfenced

SIZE = 20_000


def seconds(call: Callable[[], Any]) -> float:
    def once() -> float:
        start = time.process_time()
        call()
        return time.process_time() - start

    return min(once() for _ in range(3))


JSON = WireForm(encoding="json")
VALUES: dict[str, tuple[WireForm, Callable[[int], Any]]] = {
    "pairs": (
        WireForm(encoding="pairs", values=JSON),
        lambda n: [{"key": str(i), "value": "1"} for i in range(n)],
    ),
    "rest": (
        WireForm(rest="rest", values=JSON),
        lambda n: {
            "rest": [{"key": str(i), "value": "1"} for i in range(n)],
            **dict.fromkeys(map(str, range(-n, 0)), 1),
        },
    ),
    "positions": (
        WireForm(encoding="positions", count=2),
        lambda n: {"item_1": 1, "item_2": 2, "more_items": [1] * n},
    ),
    "choices": (
        WireForm(
            items=WireForm(
                choices=(
                    WireBranch(at="/anyOf/0", form=WireForm(properties={"a": JSON})),
                    WireBranch(at="/anyOf/1"),
                )
            )
        ),
        lambda n: [{"a": "1"} for _ in range(n)],
    ),
}
DOCUMENT = {"anyOf": [{"type": "object", "required": ["a"]}, {"type": "object"}]}


@pytest.mark.parametrize("name", sorted(VALUES))
def test_undoing_is_linear(name: str) -> None:
    form, make = VALUES[name]
    decode_wire = WireDecoder(WireForms(root=form), DOCUMENT)
    small, large = make(SIZE // 8), make(SIZE)
    assert seconds(lambda: decode_wire(large)) < 8 * 4 * seconds(lambda: decode_wire(small)) + 0.05


@pytest.mark.parametrize(
    "text", ["```\n" + " " * SIZE * 20, "`" * SIZE * 20, "\\" * SIZE * 20, '{"' * SIZE * 10]
)
def test_repairs_are_linear(text: str) -> None:
    assert seconds(lambda: (unfenced(text), closed(text))) < 1


def test_hopeless_arguments_are_given_up() -> None:
    validator = Validator({"type": "object", "additionalProperties": {"type": "integer"}})
    value = {str(i): "no number" for i in range(SIZE)}
    assert seconds(lambda: Guesses("all").settled(validator, value)) < 2


def test_nothing_of_it_is_imported_before_it_is_needed() -> None:
    code = "import sys, toolcast.runtime; print(*[m for m in sys.modules if 'ways' in m])"
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
