"""What a program's run of calls may come to, and what became of it."""

from typing import Any, Literal

import msgspec
from msgspec import Struct

from ..result import ToolResult

SHORTEST_LINE = 1_000
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
    """What one run of a program may come to.

    Attributes:
        seconds: how long it may take, with the time in which somebody is asked; None for no limit.
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
        if self.line < SHORTEST_LINE:
            raise ValueError(f"line must be at least {SHORTEST_LINE}, which every error fits in.")


class CodeCall(Struct, frozen=True, kw_only=True):
    """One call of a run.

    Attributes:
        id: its call id, as handlers and hooks see it.
        function: the function that the program called, such as `files.edit`.
        tool: name of the tool; "" where there is no such function.
        arguments_json: JSON text of the arguments that the program wrote, without values of secrets; other
            bytes where they are no JSON.
        result: the result.
        seconds: how long it took, without the time in which it waited for others.
        error: why the program got no result; None where it got one.
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
    """What a program did.

    Attributes:
        calls: its calls, in the order in which they ended.
        ended: why the run ended; "closed" is the usual end.
        seconds: how long it took.
        requests: how many lines came, requests or not.
    """

    calls: tuple[CodeCall, ...]
    ended: Ended
    seconds: float
    requests: int
