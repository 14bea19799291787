"""The lines between a program in a sandbox and the server of its calls: one JSON object each, both ways.

A line is a stranger's: it is bounded before it is read, and the answer to a misfit says what is wrong.
"""

import re
from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal, Protocol

import msgspec
from msgspec import UNSET, Struct, UnsetType

from ..middleware.truncate import cut
from ..result import ToolResult

_SHORTEST_LINE = 1_000
"""Bytes that a line may have at least: enough for every error."""

Ended = Literal["closed", "seconds", "requests", "traffic", "line"]
"""Why a run ended.

* closed: the sandbox closed its end, or ended
* seconds: the time was over
* requests: the program made as many requests as it may
* traffic: its requests and the answers to them came to more bytes than they may
* line: it sent a line that is longer than one may be
"""

ErrorKind = Literal["arguments", "refused", "failed", "unknown", "request", "ended"]
"""Why a request has no result.

* arguments: the arguments do not fit the tool
* refused: the call was not carried out: by the policy, a precheck, a limit, or for the tool's callers
* failed: the tool ran, and failed
* unknown: there is no such function or namespace
* request: the line is no request
* ended: the run is over; no request has an answer any more
"""


class CodeLimits(Struct, frozen=True, kw_only=True):
    """Limits of one run of a program.

    Attributes:
        seconds: most seconds, with the time in which somebody is asked; None for no limit.
        requests: requests in all, of any kind.
        calls_at_once: calls that run side by side; the others wait.
        line: bytes of one line, of a request or of an answer, 1,000 or more. A result that does not fit is an
            error, and is not kept; a message that does not fit is cut.
        traffic: bytes of all lines, both ways, and of what is kept of results beside them, such as images.

    Raises:
        ValueError: a limit is not above 0, or a line may have fewer than 1,000 bytes.
    """

    seconds: float | None = 120.0
    requests: int = 1_000
    calls_at_once: int = 8
    line: int = 4 * 1024 * 1024
    traffic: int = 64 * 1024 * 1024

    def __post_init__(self) -> None:
        counts = (self.requests, self.calls_at_once, self.line, self.traffic)
        if any(count < 1 for count in counts) or (self.seconds is not None and not self.seconds > 0):
            raise ValueError("seconds, requests, calls_at_once, line and traffic must be above 0.")
        if self.line < _SHORTEST_LINE:
            raise ValueError(f"line must be at least {_SHORTEST_LINE}, which every error fits in.")


class CodeCall(Struct, frozen=True, kw_only=True):
    """One call of a run.

    Attributes:
        id: its call id, as handlers and hooks see it.
        function: the function that the program called, such as `files.edit`.
        tool: name of the tool; "" if there is no such function.
        arguments_json: JSON text of the program's arguments, without values of secrets; other bytes if they
            are no JSON.
        result: the result.
        seconds: duration, without the time in which it waited for others.
        error: why the program got no result; None if it got one.
    """

    id: str
    function: str
    tool: str
    arguments_json: bytes
    result: ToolResult
    seconds: float
    error: ErrorKind | None = None

    @property
    def arguments(self) -> Any:
        """The arguments as data, read anew each time: what is kept is as small as what was sent.

        Raises:
            msgspec.DecodeError: they are no JSON.
        """
        return msgspec.json.decode(self.arguments_json)


class CodeRun(Struct, frozen=True, kw_only=True):
    """The calls of a program and its end.

    Attributes:
        calls: its calls, in the order in which they ended.
        ended: why the run ended; "closed" is the usual end.
        seconds: duration.
        requests: number of lines, requests or not.
    """

    calls: tuple[CodeCall, ...]
    ended: Ended
    seconds: float
    requests: int


_CHUNK = 64 * 1024
"""Bytes that are read at once."""

_LARGEST_ID = 2**53 - 1
"""Largest id of a request: what every JSON reader keeps exact."""

_ESCAPED = 6
"""Bytes that a character has at most in JSON, such as `\\u0001`."""
_AROUND_MESSAGE = 200
"""Bytes of an error without its message, and of the words in the place of what is cut, at most."""

_Id = Annotated[int, msgspec.Meta(ge=0, le=_LARGEST_ID)]


class Reader(Protocol):
    """A source of lines, such as an `asyncio.StreamReader`."""

    async def read(self, n: int, /) -> bytes:
        """Return at most `n` bytes; none at the end."""
        ...


class Writer(Protocol):
    """A sink of lines, such as an `asyncio.StreamWriter`."""

    def write(self, data: bytes, /) -> Any:
        """Take `data`. Returns anything, which is ignored.

        Returns:
            Anything.
        """
        ...

    async def drain(self) -> None:
        """Wait until there is room for more."""
        ...

    def close(self) -> Any:
        """Close. Returns anything, which is ignored.

        Returns:
            Anything.
        """
        ...


class Request(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A line of the program with exactly one of `call`, `list` and `describe`.

    Attributes:
        id: repeated by the answer.
        call: name of the called function.
        arguments: its arguments, not read yet.
        namespace: the namespace whose names are listed; "" for the top.
        described: the namespace, or the function, of the declarations.
    """

    id: _Id
    call: str | UnsetType = UNSET
    arguments: msgspec.Raw | UnsetType = UNSET
    namespace: str | UnsetType = msgspec.field(default=UNSET, name="list")
    described: str | UnsetType = msgspec.field(default=UNSET, name="describe")


class _OnlyId(Struct, frozen=True):
    id: _Id


class RequestError(ValueError):
    """A line is no request; `id` is its id, or None."""

    def __init__(self, problem: str, id: int | None) -> None:
        super().__init__(problem)
        self.id = id


class LineTooLongError(ValueError):
    pass


_request = msgspec.json.Decoder(Request).decode
_only_id = msgspec.json.Decoder(_OnlyId).decode
_first_id = re.compile(rb'[ \t\r]*\{[ \t\r]*"id"[ \t\r]*:[ \t\r]*(0|[1-9][0-9]{0,15})[ \t\r]*[,}]').match


async def read_lines(reader: Reader, limit: int) -> AsyncIterator[bytes]:
    """Divide what a reader, which ends when it fails, gives into lines of `limit` bytes at most, without
    their ends.

    What follows the last end of a line is dropped: it may be a part of one. Raises LineTooLongError.
    """
    kept = bytearray()
    while True:
        try:
            chunk = await reader.read(_CHUNK)
        except (OSError, EOFError):
            return
        if not chunk:
            return
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            if len(kept) + len(part) > limit:
                raise LineTooLongError
            line = bytes(kept) + part
            kept.clear()
            yield line
        kept += rest
        if len(kept) > limit:
            raise LineTooLongError


def read_request(line: bytes) -> Request:
    """Read a line. Raises RequestError."""
    try:
        request = _request(line)
    except RecursionError:
        raise RequestError("the line is nested too deeply", _id_of(line)) from None
    except (msgspec.MsgspecError, UnicodeError) as problem:
        # Texts that a program cuts in the middle of an emoji; msgspec may call the line truncated.
        hint = "" if b"\\ud" not in line.lower() else "; `\\ud83d` without its other half is no text"
        raise RequestError(f"{problem}{hint}", _id_of(line)) from None
    wanted = [key for key in (request.call, request.namespace, request.described) if key is not UNSET]
    if len(wanted) != 1:
        raise RequestError("expected exactly one of `call`, `list` and `describe`", request.id)
    if request.arguments is not UNSET and request.call is UNSET:
        raise RequestError("only a `call` has `arguments`", request.id)
    return request


def _id_of(line: bytes) -> int | None:
    """Return the id of a line that is no request; of one that is no JSON, if it is the first member."""
    try:
        return _only_id(line).id
    except msgspec.ValidationError:
        return None
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        found = _first_id(line)
        id = None if found is None else int(found[1])
        return id if id is not None and id <= _LARGEST_ID else None


def write_result(id: int, result: object) -> bytes:
    """Write the answer to a request as a line. Raises TypeError or ValueError if a value has no JSON form."""
    return msgspec.json.encode({"id": id, "result": result}) + b"\n"


def write_error(id: int | None, kind: ErrorKind, message: str, limit: int) -> bytes:
    """Write, as a line of at most `limit` bytes, SHORTEST_LINE or more, that a request has no result.

    `id` is None for what concerns no request. The message is cut in its middle if the line would be too long.
    """
    answer = {"id": id, "error": {"kind": kind, "message": message}}
    line = msgspec.json.encode(answer) + b"\n"
    if len(line) <= limit:
        return line
    answer["error"] = {"kind": kind, "message": cut(message, (limit - _AROUND_MESSAGE) // _ESCAPED)}
    return msgspec.json.encode(answer) + b"\n"
