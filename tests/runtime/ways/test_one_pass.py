"""`make fuzz-sent`: it finds nothing here, finds what is planted, and can be repeated."""

import json
from importlib import import_module
from typing import Any

import pytest
from msgspec import UNSET, Struct
from toolcast.build.core.compile import Options
from toolcast.runtime.ways import sent
from toolcast.verify.subject import subject

from bench.fuzz.judge import tool_of
from bench.sent.rounds import Round, one, same

ROUNDS = 80


def rounds(start: int, stop: int) -> Round:
    total = Round()
    for number in range(start, stop):
        total.add(one("tests", number))
    return total


def test_one_pass_and_the_general_way_come_to_the_same() -> None:
    total = rounds(0, ROUNDS)
    assert total.findings == []
    assert total.forms > ROUNDS / 2
    assert total.taken > 300
    assert total.texts / 5 < total.refused < total.texts * 4 / 5


def test_a_round_can_be_repeated() -> None:
    assert one("tests", 5) == one("tests", 5)


def found(most: int = 60) -> bool:
    """Whether some round has a finding."""
    return any(one("tests", number).findings for number in range(1, most, 2))


def test_a_whole_float_that_stays_one_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    module = import_module("toolcast.runtime.checked")
    monkeypatch.setattr(module, "_has_whole_float", lambda _: False)
    assert found()


def test_keys_that_came_twice_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def pairs(bare: Any, metas: Any) -> Any:
        form = before(bare, metas)
        return form and form._replace(back=lambda entries: {entry.key: entry.value for entry in entries})

    before = sent._pairs
    monkeypatch.setattr(sent, "_pairs", pairs)
    assert found()


def test_what_is_taken_for_absent_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sent, "_takes_none", lambda _: False)
    assert found()


class Box(Struct):
    a: Any


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (5, 5.0),
        (True, 1),
        (0.0, -0.0),
        ([5], (5,)),
        ({"a": [5]}, {"a": [5.0]}),
        (Box(1), Box(1.0)),
        (None, UNSET),
    ],
)
def test_what_is_equal_and_of_another_type_is_not_the_same(left: Any, right: Any) -> None:
    assert same(left, left)
    assert not same(left, right)


INTEGER = {"type": "integer"}
TUPLE = {"type": "array", "prefixItems": [INTEGER, {"type": "array", "prefixItems": [INTEGER]}]}


@pytest.mark.parametrize(
    ("schema", "written", "meant"),
    [
        (TUPLE, "[5.0, [6e0]]", [5, [6]]),
        ({"type": ["array", "null"], "prefixItems": [{"type": "object", "properties": {"n": INTEGER}}]},
         '[{"n": 7.0}]', [{"n": 7}]),
        ({"enum": [0.5, 3]}, "3.0", 3),
        ({"enum": [0.5, 3]}, "0.5", 0.5),
        ({"type": "number"}, "3.0", 3.0),
        ({"prefixItems": [{"type": "number"}, INTEGER]}, "[5.0, 5.0]", [5.0, 5]),
        ({"enum": [[1.0], 2]}, "2.0", 2),
    ],
)  # fmt: skip
def test_a_whole_float_is_the_integer_that_is_asked_for(schema: Any, written: str, meant: Any) -> None:
    """Also where the type would take any value, so that only the contract asks for an integer."""
    parameters = {"type": "object", "properties": {"v": schema}}
    with subject(tool_of(parameters), {}, Options(providers=())) as found:
        text = f'{{"v": {written}}}'
        for arguments in (text, text.encode(), json.loads(text)):
            assert same(found.binding.decode(arguments).v, meant)
