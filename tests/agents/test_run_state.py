"""The state of a run as bytes: what it keeps, and what is refused."""

import math
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from toolcast.agents import RunState, StateError, WaitingCall
from toolcast.agents.run_state import PendingAnswer, Shown
from toolcast.agents.usage import Usage
from toolcast.runtime import Content, ToolResult
from toolcast.runtime.repairs.repair import Repair

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False)
    | st.text(st.characters(codec=None))
    | st.binary(max_size=8)
)
PLAIN = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(codec=None)), inner, max_size=4)
    ),
)
NAMES = st.text("abc_", min_size=1, max_size=5)
RESULTS = st.builds(
    ToolResult,
    success=st.booleans(),
    output=st.text(),
    error=st.text(),
    data=st.none() | st.dictionaries(st.text(), st.integers()),
    content=st.tuples(st.binary().map(lambda data: Content.image(data, "image/png"))) | st.just(()),
    repairs=st.just((Repair("fence", "$", None, "a", "b"),)) | st.just(()),
)


@st.composite
def pending(draw: st.DrawFn) -> PendingAnswer:
    results = draw(st.lists(st.none() | RESULTS, max_size=4))
    places = [place for place, result in enumerate(results) if result is None]
    chosen = st.lists(st.sampled_from(places or [0]), unique=True, max_size=len(places)).map(sorted)
    waiting = [
        WaitingCall(
            key="",
            name=draw(NAMES),
            arguments=draw(st.dictionaries(st.text(), st.none() | st.integers(0, 9) | st.text(), max_size=3)),
            kind=draw(st.sampled_from(["approval", "external"])),
            id=draw(st.text()),
            text=draw(st.text()),
            index=index,
            contract=draw(NAMES),
            injected=draw(st.just("") | NAMES),
        )
        for index in draw(chosen)
    ]
    begun = tuple(draw(chosen))
    return PendingAnswer(response=draw(PLAIN), results=tuple(results), waiting=tuple(waiting), begun=begun)


def with_keys(state: RunState) -> RunState:
    """The calls that wait with the keys that they have in this state."""
    if state.pending is None:
        return state
    waiting = [replace(call, key=call.expected_key(state.rounds)) for call in state.waiting]
    return replace(state, pending=replace(state.pending, waiting=tuple(waiting)))


STATES = st.builds(
    RunState,
    messages=st.lists(PLAIN, max_size=4).map(tuple),
    format=st.sampled_from([None, "", "openai", "text"]),
    rounds=st.integers(0, 100),
    calls=st.integers(0, 100),
    seconds=st.floats(0, 1e9),
    failures=st.dictionaries(NAMES, st.integers(1, 9), max_size=3),
    attempts=st.dictionaries(NAMES, st.integers(1, 9), max_size=3),
    malformed=st.integers(0, 2),
    output_asked=st.booleans(),
    usage=st.none() | st.builds(Usage, input=st.integers(0, 9), output=st.integers(0, 9)),
    pending=st.none() | pending(),
    shown=st.none() | st.builds(Shown, order=st.lists(NAMES).map(tuple), chosen=st.none() | st.just(("a",))),
).map(with_keys)


@given(STATES)
def test_a_state_is_the_same_after_its_bytes(state: RunState) -> None:
    data = state.encode()
    assert RunState.decode(data) == state
    assert RunState.decode(memoryview(bytearray(data))).encode() == data


@given(STATES, st.data())
def test_any_damage_is_refused(state: RunState, data: st.DataObject) -> None:
    whole = state.encode()
    at = data.draw(st.integers(0, len(whole) - 1))
    changed = whole[:at] + bytes([whole[at] ^ data.draw(st.integers(1, 255))]) + whole[at + 1 :]
    for damaged in (changed, whole[:at], whole + b"\0", whole[at + 1 :]):
        with pytest.raises(StateError, match=r"damaged|lack the mark|version"):
            RunState.decode(damaged)


@given(st.binary(max_size=40) | st.binary(max_size=40).map(lambda data: b"toolcast run 1\n" + data))
def test_any_bytes_are_refused_in_words(data: bytes) -> None:
    with pytest.raises(StateError, match=r"lack the mark|version|damaged"):
        RunState.decode(data)


def sealed(body: bytes) -> bytes:
    """A state with any body and the digest that belongs to it."""
    from hashlib import sha256

    return b"toolcast run 1\n" + sha256(body).digest() + body


@given(st.binary(max_size=60) | PLAIN.filter(lambda value: not _is_odd(value)).map(msgspec.msgpack.encode))
def test_a_digest_does_not_make_a_state(body: bytes) -> None:
    try:
        state = RunState.decode(sealed(body))
    except StateError:
        return
    assert isinstance(state, RunState)


def _is_odd(value: Any) -> bool:
    try:
        msgspec.msgpack.encode(value)
    except (OverflowError, UnicodeEncodeError):
        return True
    return False


@pytest.mark.parametrize(
    "body",
    [
        b"\xdd\xff\xff\xff\xff",  # a list that says it has four billion items
        b"\x81\xa8messages\xdd\xff\xff\xff\xff",
        b"\x81\xa8messages\x91" + b"\x91" * 100_000 + b"\xc0",
        b"\x81\xa8messages\x91\xc7\x01\x07\x00",  # an extension that does not exist
        b"\x81\xa8messages\x91\xc7\x04\x03\x91\x92\x90\xc0",  # a list for a key
        b"\x82\xa8messages\x90\xa6rounds\xa1x",
    ],
)
def test_hostile_bodies_are_refused(body: bytes) -> None:
    with pytest.raises(StateError):
        RunState.decode(sealed(body))


def test_another_version_is_told() -> None:
    data = RunState(messages=()).encode().replace(b"toolcast run 1\n", b"toolcast run 7\n")
    with pytest.raises(StateError, match="has version 7, and this toolcast reads version 1"):
        RunState.decode(data)


def test_what_is_not_a_number_stays_so() -> None:
    state = RunState.decode(RunState(messages=({"value": math.nan},)).encode())
    assert math.isnan(state.messages[0]["value"])


def test_a_message_without_a_plain_form_is_refused_with_its_place() -> None:
    with pytest.raises(StateError, match=r"messages\[1\]\.content"):
        RunState(messages=({"role": "user"}, {"content": object()})).encode()


def test_data_of_results_is_kept_as_json_has_it() -> None:
    class Found(msgspec.Struct):
        count: int

    results = (ToolResult.ok("", Found(3)), ToolResult.ok("", object()))
    state = RunState(messages=(), pending=PendingAnswer(response="", results=results))
    pending = RunState.decode(state.encode()).pending
    assert pending is not None
    assert [each and each.data for each in pending.results] == [{"count": 3}, None]


def test_a_state_that_could_not_be_decoded_is_not_encoded() -> None:
    broken = PendingAnswer(response="", results=(ToolResult.ok("\ud800"),))
    with pytest.raises(StateError, match="cannot be encoded"):
        RunState(messages=(), pending=broken).encode()
