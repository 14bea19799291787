"""Work grows with the length of what is sent, whatever it holds; nothing is loaded before it is needed."""

from collections.abc import Callable
from typing import Any

import pytest
from toolcast.jsonschema.json_values import count_parts
from toolcast.jsonschema.validator import Validator
from toolcast.runtime import Guesses
from toolcast.runtime.repairs.texts import candidates
from toolcast.runtime.repairs.values import Fitting
from toolcast.runtime.wire import WireBranch, WireForm, WireForms
from toolcast.runtime.wire.decoder import WireDecoder

from tests.counting import grows_linearly

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
def test_decoding_is_linear(name: str) -> None:
    form, make = VALUES[name]
    decode_wire = WireDecoder(WireForms(root=form), DOCUMENT)

    def work(size: int) -> Callable[[], Any]:
        value = make(200 * size)
        return lambda: decode_wire(value)

    assert grows_linearly(work)


@pytest.mark.parametrize(("start", "unit"), [("```\n", " "), ("", "`"), ("", "\\"), ("", '{"')])
def test_repairs_are_linear(start: str, unit: str) -> None:
    def work(size: int) -> Callable[[], Any]:
        text = start + unit * 1000 * size
        return lambda: candidates(text)

    assert grows_linearly(work)


def test_hopeless_arguments_are_given_up() -> None:
    validator = Validator({"type": "object", "additionalProperties": {"type": "integer"}})

    def work(times: int) -> Callable[[], Any]:
        value = {str(i): "no number" for i in range(80 * times)}
        return lambda: Fitting(validator, Guesses("all").allow, count_parts(value)).fits(value)

    assert grows_linearly(work)
