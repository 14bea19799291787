"""The state of a run: from where another process can go on with it.

Its bytes are a mark with the version, a digest, and MessagePack, which keeps the bytes that clients have in
their messages. Values that MessagePack does not hold are extension types of it.
"""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.msgpack import Ext

from ..jsonschema.json_values import JsonObject
from ..runtime.codec import to_builtins
from ..runtime.result import ToolResult
from ..runtime.unicode_text import is_encodable
from .dispatch.answer_fields import plain
from .usage import Usage

_INTEGER, _TEXT, _OBJECT = 1, 2, 3


def _storable(value: object) -> object:
    """Replace what MessagePack cannot hold by extensions: large integers, lone surrogates, keys with such."""
    if isinstance(value, str):
        return value if is_encodable(value) else Ext(_TEXT, value.encode("utf-8", "surrogatepass"))
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return Ext(_INTEGER, value.to_bytes(value.bit_length() // 8 + 1, "big", signed=True))
    if isinstance(value, dict):
        if all(isinstance(key, str) and is_encodable(key) for key in value):
            return {key: _storable(item) for key, item in value.items()}
        pairs = [(_storable(key), _storable(item)) for key, item in value.items()]
        return Ext(_OBJECT, msgspec.msgpack.encode(pairs))
    if isinstance(value, (list, tuple)):
        return [_storable(item) for item in value]
    return value


def _decode_ext(code: int, data: memoryview) -> object:
    """Return the value of an extension. Raises ValueError for one that `_storable` does not make."""
    if code == _INTEGER:
        return int.from_bytes(data, "big", signed=True)
    if code == _TEXT:
        return str(data, "utf-8", "surrogatepass")
    if code == _OBJECT:
        pairs = msgspec.msgpack.decode(data, type=list[tuple[Any, Any]], ext_hook=_decode_ext)
        return dict(pairs)
    raise ValueError(f"there is no extension {code}")


_MARK = b"toolcast run "
_VERSION = 1
_MAX_STATE = 256 * 1024 * 1024
"""Longest bytes of a state; images may be in its messages."""

Kind = Literal["approval", "external"]
"""The two things that a call waits for: somebody's approval, or a result from outside."""


def conversation(messages: Iterable[object]) -> tuple[object, ...]:
    """Return messages as a tuple. Raises TypeError for one text or message: its letters or keys would be
    sent.
    """
    if not isinstance(messages, (list, tuple)) and isinstance(messages, (str, bytes, bytearray, Mapping)):
        kind = "one message" if isinstance(messages, Mapping) else "one text"
        raise TypeError(
            f"messages must be a list of the provider's messages, not {kind} ({type(messages).__name__}). "
            'Pass [{"role": "user", "content": "…"}], in the form of your provider.'
        )
    return tuple(messages)


class StateError(ValueError):
    """Bytes that are no state of a run, or values that a state cannot hold. The text states which."""


def digest(value: object) -> str:
    """Digest a value's JSON, whatever the order of its keys."""
    return sha256(msgspec.json.encode(value, order="deterministic")).hexdigest()[:32]


class ClaimedError(RuntimeError):
    """Another process goes on with the run: `claim` of `resume` was answered with False."""


class WaitingCall(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A call that waits, and did not run.

    Attributes:
        key: names the call in `decisions` and `results` of `resume`. It depends on the round, on place, id,
            tool, arguments and `injected` of the call, and on what it waits for, so that no other decision
            counts.
        name: name of the tool.
        arguments: in the contract's own form, with references to secrets, and without what is injected.
        kind: "approval" or "external".
        id: the provider's id of the call, or "".
        text: what is said of it, for the program: of an approval, which calls *always* would cover.
        index: position among the calls of the answer, from 0.
        contract: digest of the tool's contract when the call was made.
        injected: digest of what the program filled in when the call was made; "" for nothing.
    """

    key: str
    name: str
    arguments: JsonObject
    kind: Kind
    id: str = ""
    text: str = ""
    index: int = 0
    contract: str = ""
    injected: str = ""

    def expected_key(self, round: int) -> str:
        """Make the key of this call.

        Args:
            round: number of the round that made the call.

        Returns:
            The key that the call has in a state that nobody changed.
        """
        seed = [round, self.index, self.id, self.name, self.arguments, self.kind, self.text]
        return digest([*seed, self.injected] if self.injected else seed)


class PendingAnswer(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """An answer of the model that has calls without results.

    Attributes:
        results: a result for each of its calls, None for none yet; empty before they were read.
        waiting: calls that wait for a decision or a result.
        begun: positions of calls that were begun, and of which nothing is known since.
    """

    response: Any
    results: tuple[ToolResult | None, ...] = ()
    waiting: tuple[WaitingCall, ...] = ()
    begun: tuple[int, ...] = ()


class Shown(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The tools that a Disclosure has shown, by name.

    Attributes:
        order: the tools shown so far, in their order.
        grouped: how many of them were shown in the first round.
        chosen: the tools that were chosen; None for all.
        full: the tools that are full in this turn; `always` in every turn.
        answered: the tools with a failed call that was answered with the full definition in this turn.
    """

    order: tuple[str, ...] = ()
    grouped: int = 0
    chosen: tuple[str, ...] | None = None
    full: tuple[str, ...] = ()
    always: tuple[str, ...] = ()
    answered: tuple[str, ...] = ()


class RunState(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The state of a run. `resume` goes on from it, once: `claim` prevents that two runs do the same.

    It holds the conversation: whoever reads it reads that, and whoever writes it decides what a resumed run
    does. Keep it where the program alone writes.

    Attributes:
        messages: the conversation, without `pending`.
        format: name of the wire format, "text", or "" for an adapter of the program's own; None before the
            first round.
        rounds: answers of the model so far, `pending` included.
        calls: calls that were made or wait.
        seconds: how long the run took, without the time between two processes.
        usage: the tokens of all answers that state theirs; None where none does.
        failures: by digest of tool and arguments, how often a call failed without a success between.
        attempts: by tool, how often its handler asked for another call without a success between.
        malformed: how many of the last answers had a call that could not be read.
        output_asked: whether the model was asked for its final output after an answer without it.
        pending: the last answer, where it is not in `messages` yet.
        shown: what a Disclosure has shown; None for a run without one.
        container: id of the provider's container of the model's code, for the next request, or "".
    """

    messages: tuple[Any, ...]
    format: str | None = None
    rounds: int = 0
    calls: int = 0
    seconds: float = 0.0
    usage: Usage | None = None
    failures: Mapping[str, int] = {}
    attempts: Mapping[str, int] = {}
    malformed: int = 0
    output_asked: bool = False
    pending: PendingAnswer | None = None
    shown: Shown | None = None
    container: str = ""

    @property
    def waiting(self) -> tuple[WaitingCall, ...]:
        """The calls that wait for a decision or a result."""
        return () if self.pending is None else self.pending.waiting

    def encode(self) -> bytes:
        """Encode the state, with objects of clients as plain data.

        Returns:
            Bytes for `decode`, of this version and later ones.

        Raises:
            StateError: a value has no plain form, or the state is larger than 256 MB.
        """
        try:
            body = _encode(self._plain())
        except RecursionError:
            raise StateError("The state of the run is nested too deeply to be encoded.") from None
        except (TypeError, ValueError, OverflowError) as problem:
            raise StateError(f"The state of the run cannot be encoded: {problem}") from problem
        if len(body) > _MAX_STATE:
            raise StateError(f"The state of the run is too large: {len(body)} bytes, {_MAX_STATE} allowed.")
        return _MARK + b"%d\n" % _VERSION + sha256(body).digest() + body

    @classmethod
    def decode(cls, data: bytes) -> "RunState":
        """Decode a state.

        Args:
            data: what `encode` returned.

        Returns:
            The state.

        Raises:
            StateError: `data` is no state, is damaged, contradicts itself, or has an unknown version.
        """
        mark, line, _ = bytes(data[: len(_MARK) + 12]).partition(b"\n")
        number = mark.removeprefix(_MARK)
        version = int(number) if number.isdigit() else 0
        if not line or mark != _MARK + b"%d" % version:  # as `encode` writes it, and no other way
            raise StateError("These bytes are no state of a run: they lack the mark at their beginning.")
        if version != _VERSION:
            raise StateError(
                f"The state of the run has version {version}, and this toolcast reads version {_VERSION}: "
                "resume it with the toolcast that wrote it, or a later one."
            )
        body = memoryview(data)[len(mark) + 1 :]
        if len(body) > _MAX_STATE:
            raise StateError(f"The state of the run is too large: {len(body)} bytes, {_MAX_STATE} allowed.")
        if sha256(body[32:]).digest() != body[:32].tobytes():
            raise StateError("The state of the run is damaged: its bytes are not those that were encoded.")
        try:
            state = msgspec.msgpack.decode(body[32:], type=cls, ext_hook=_decode_ext)
            state._check_pending()
        except RecursionError:
            raise StateError("The state of the run is nested too deeply.") from None
        except (msgspec.MsgspecError, ValueError, TypeError, OverflowError) as problem:
            raise StateError(f"These bytes are no state of a run: {problem}") from problem
        return state

    def _check_pending(self) -> None:
        """Raise ValueError where the pending answer says of a call what no run says."""
        pending = self.pending or PendingAnswer(response=None)
        waiting = [call.index for call in pending.waiting]
        for places in (waiting, [*pending.begun]):
            if places != sorted({*places}) or not {*places} <= {*range(len(pending.results))}:
                raise ValueError(
                    "calls that wait or were begun are no calls of the answer, or not in its order"
                )
            if any(pending.results[place] is not None for place in places):
                raise ValueError("a call that waits or was begun has a result")
        for call in pending.waiting:
            if call.key != call.expected_key(self.rounds):
                raise ValueError(
                    f"the key {call.key!r:.80} is not that of the call of {call.name!r:.80} that it names"
                )

    def _plain(self) -> "RunState":
        pending = self.pending
        if pending is not None:
            pending = msgspec.structs.replace(
                pending,
                response=plain(pending.response, "the answer"),
                results=tuple(None if each is None else _with_plain_data(each) for each in pending.results),
            )
        messages = tuple(plain(each, f"messages[{i}]") for i, each in enumerate(self.messages))
        return msgspec.structs.replace(self, messages=messages, pending=pending)


def _encode(state: RunState) -> bytes:
    try:
        return msgspec.msgpack.encode(state)
    except (OverflowError, UnicodeEncodeError):  # integers and text that MessagePack does not hold
        body = msgspec.msgpack.encode(_storable(msgspec.to_builtins(state, builtin_types=(bytes,))))
        # Within messages they may stand; a field of the state's own, such as a result's text, holds none.
        msgspec.msgpack.decode(body, type=RunState, ext_hook=_decode_ext)
        return body


def _with_plain_data(result: ToolResult) -> ToolResult:
    """Return a result with its data as JSON has it; without data that JSON cannot hold."""
    if result.data is None:
        return result
    try:
        data = to_builtins(result.data)
    except (TypeError, ValueError, RecursionError):
        data = None
    return msgspec.structs.replace(result, data=data)
