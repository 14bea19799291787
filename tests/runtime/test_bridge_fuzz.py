"""`make fuzz-bridge`: it finds nothing here, finds what is planted, and can be repeated."""

import json
import logging
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime import ToolBinding, ToolResult
from toolcast.runtime.view import ToolView

from bench.bridge import __main__ as command
from bench.bridge.meaning import NOTHING, UNCLEAR, meaning
from tests.sampled import sampled


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging.getLogger("toolcast.runtime"), "disabled", True)
    monkeypatch.setattr(command, "EACH", 6)


@pytest.mark.parametrize("number", sampled(range(6), (0, 3)))
def test_no_finding(number: int) -> None:
    found = command.one("tests", number)
    assert found.findings == []
    assert found.calls == 0 or found.calls > 500
    assert number or found.handled > found.calls / 20


def test_a_round_can_be_repeated() -> None:
    first, second = (command.one("tests", 2) for _ in range(2))
    assert first.findings == second.findings == []
    assert (first.calls, first.handled) == (second.calls, second.handled)


def planted(found: Any) -> set[str]:
    return {finding.what[:40] for finding in found.findings}


def test_what_execute_raises_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    async def raises(*_: Any) -> ToolResult:
        raise SystemExit(1)

    monkeypatch.setattr(ToolView, "execute", raises)
    assert planted(command.one("tests", 0)) == {"raises SystemExit: 1"}


def test_internal_errors_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def raises(*_: Any) -> Any:
        raise KeyError

    monkeypatch.setattr(ToolBinding, "decode", raises)
    assert any("internal error KeyError" in finding.what for finding in command.one("tests", 0).findings)


def test_parameters_that_the_spec_refuses_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A decoder that takes anything for what it was given before."""
    real, kept = ToolBinding.decode, []

    def careless(self: Any, arguments: Any, *others: Any) -> Any:
        try:
            kept.append(real(self, arguments, *others))
        except Exception:
            if not kept:
                raise
        return kept[-1]

    monkeypatch.setattr(ToolBinding, "decode", careless)
    found = planted(command.one("tests", 0))
    assert {"the handler was called with what says no", "the handler was called with what the spe"} <= found


def test_unchecked_parameters_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A decoder that makes Structs without a look at their fields, for a provider's arguments too."""
    real = ToolBinding.decode

    def unchecked(self: Any, arguments: Any, *others: Any) -> Any:
        params = real(self, arguments, *others)
        msgspec.structs.force_setattr(params, params.__struct_fields__[0], [{"neither": "this nor that"}])
        return params

    monkeypatch.setattr(ToolBinding, "decode", unchecked)
    found = [finding for finding in command.one("tests", 0).findings if finding.provider is not None]
    assert any(finding.what.startswith("the handler got") for finding in found)


@pytest.mark.thorough
def test_the_command_prints_its_seed_and_what_it_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["--rounds", "1", "--seed", "tests"]) == 0
    assert capsys.readouterr().out.startswith("seed tests\n")

    async def raises(*_: Any) -> ToolResult:
        raise ValueError

    monkeypatch.setattr(ToolView, "execute", raises)
    assert command.main(["--rounds", "1", "--seed", "tests", "--start", "4"]) == 1
    assert "--seed tests --start 4 --rounds 1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "intended"),
    [
        (b"", {}),
        (None, {}),
        (" ", {}),
        ('{"a": 1}', {"a": 1}),
        (b'"{\\"a\\": 1}"', {"a": 1}),
        ('{"a": 1, "a": 1}', NOTHING),
        ('{"a": NaN}', NOTHING),
        ('{"a": 1e999}', NOTHING),
        ('{"a": "\\ud800"}', NOTHING),
        (b"\xff", NOTHING),
        ("{", NOTHING),
        ({"a": 1}, {"a": 1}),
        ({"a": {1}}, NOTHING),
        ({1: 2}, UNCLEAR),
        (7, UNCLEAR),
    ],
)
def test_what_arguments_say(arguments: Any, intended: Any) -> None:
    assert meaning(arguments) == intended


@given(st.recursive(st.none() | st.integers() | st.text(), lambda inner: st.lists(inner), max_leaves=5))
def test_json_says_what_it_says(value: Any) -> None:
    if not isinstance(value, str):
        assert meaning(json.dumps({"a": value})) == {"a": value}
