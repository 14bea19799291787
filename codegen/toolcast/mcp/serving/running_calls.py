"""Calls that wait for what their client is asked, since 2026-07-28.

Their handlers wait in this process: the client's next request of the call has to reach it.
"""

import asyncio
import secrets
from collections.abc import Coroutine, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from ...runtime.errors import RefusalError
from ...runtime.result import ToolResult
from .bearer_auth import principal_in
from .client_channel import ANSWER_SECONDS, ClientChannel

MAX_WAITING = 1000
"""Calls of one server that wait for answers at once; the question of one more is refused."""

CallIdentity = tuple[str, bytes, str | None]
"""What a request that goes on with a call must have in common with the first: tool, arguments, principal."""


class RunningCall:
    """A call on its way through one request, or several."""

    def __init__(self, channel: ClientChannel, work: Coroutine[Any, Any, ToolResult]) -> None:
        self.channel = channel
        self._task = asyncio.create_task(work)

    async def outcome(self) -> ToolResult | None:
        """The result; None where the client is to be asked before. Raises what the work raises."""
        channel, task = self.channel, self._task
        while not task.done():
            asked = asyncio.create_task(channel.asked.wait())
            try:
                await asyncio.wait({task, asked}, return_when=asyncio.FIRST_COMPLETED)
                await asyncio.sleep(0)  # for questions that are asked side by side
            except asyncio.CancelledError:
                self.abandon()
                raise
            finally:
                asked.cancel()
            if not task.done() and channel.requests:
                return None
            channel.asked.clear()  # a question that was given up
        return task.result()

    def abandon(self) -> None:
        """Cancel the handler: nobody waits for the call."""
        self.channel.stop()
        self._task.cancel()


class _Waiting(Struct, frozen=True):
    call: RunningCall
    identity: CallIdentity
    timer: asyncio.TimerHandle


class WaitingCalls:
    """The calls of one server that wait for answers, by the state that a client has to send with them."""

    def __init__(self, most: int = MAX_WAITING, seconds: float = ANSWER_SECONDS) -> None:
        self._most = most
        self._seconds = seconds
        self._waiting: dict[str, _Waiting] = {}

    def keep(self, call: RunningCall, identity: CallIdentity) -> str | None:
        """The state by which a call goes on; None where too many wait, and its questions are refused."""
        if len(self._waiting) >= self._most:
            call.channel.refuse(
                RefusalError(
                    "Too many calls wait for answers now, so the user was not asked. Try again later."
                )
            )
            return None
        call.channel.detach()
        state = secrets.token_urlsafe(32)
        timer = asyncio.get_running_loop().call_later(self._seconds, self._expire, state)
        self._waiting[state] = _Waiting(call, identity, timer)
        return state

    def take(self, state: str, identity: CallIdentity) -> RunningCall | None:
        """The call that waits under a state; None where there is none, or it is another's."""
        found = self._waiting.get(state)
        if found is None or found.identity != identity:
            return None
        del self._waiting[state]
        found.timer.cancel()
        return found.call

    def close(self) -> None:
        """Cancel every call that waits."""
        for state in [*self._waiting]:
            self._waiting[state].timer.cancel()
            self._expire(state)

    def _expire(self, state: str) -> None:
        self._waiting.pop(state).call.abandon()


def call_identity(context: Any, params: Any) -> CallIdentity:
    """The identity of a request to call a tool."""
    arguments: Mapping[str, Any] = params.arguments or {}
    principal = None if context.request is None else principal_in(context.request)
    who = None if principal is None else principal.id
    return params.name, msgspec.json.encode(arguments, order="deterministic"), who
