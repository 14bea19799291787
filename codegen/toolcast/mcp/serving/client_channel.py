"""How the handler of one call reaches the client that made it: progress, logs, and questions.

Up to 2025-11-25 a question is a request to the client, while its own request waits. Since 2026-07-28 it is
the result of that request: the client sends the request again with the answers, and the handler, which waits,
goes on.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from ...runtime.context import LOG_LEVELS, LogLevel, ToolContext
from ...runtime.elicitation import ElicitationRequest, Elicited
from ...runtime.encode import to_builtins
from ...runtime.errors import RefusalError
from ...runtime.sampling import Sampled, SamplingRequest
from ..sdk import load
from . import client_questions as questions
from .bearer_auth import extra_of
from .call_limits import Turn
from .listed import is_modern
from .outbox import Outbox, Progress

ANSWER_SECONDS = 600.0
"""Seconds that a client has to answer a question."""
LOG_LEVEL = "toolcast.log_level"
"""Key of a connection's state: the level that a client of an older revision set."""
_DEFAULT_LEVEL: LogLevel = "info"


Extra: TypeAlias = Callable[[Any], Mapping[str, Any]]
"""Makes `ToolContext.extra` of a call from the SDK's context of its request; it must not block."""


class ClientChannel:
    """The channel of one call. `context` is the SDK's, of the request in which the call is answered; it is
    another after the client was asked."""

    def __init__(self, context: Any, extra: Extra | None = None) -> None:
        self.context = context
        self._extra = extra
        self._types = load("mcp.types")
        self._progress = Progress(self._send_progress)
        self._logs = Outbox(self._send_log)
        self._open: dict[str, tuple[Any, asyncio.Future[Any]]] = {}
        self._number = 0
        self.turn: Turn | None = None
        """The call's turn, which is another's while the client is asked."""
        self._attached = asyncio.Event()  # to a request that is not answered yet
        self._attached.set()
        self.asked = asyncio.Event()
        """Set while there may be questions that no result has sent yet."""

    def circumstances(self, tool: str) -> ToolContext:
        """The context of the call. Where the client cannot be asked, there is nobody to ask. Raises what the
        program's own function for `extra` raises."""
        session = self.context.session
        reachable = session.can_send_request or self.suspends
        capabilities = session.client_capabilities if reachable else None
        return ToolContext(
            tool=tool,
            call_id=str(self.context.request_id),
            extra={
                **({} if self._extra is None else self._extra(self.context)),
                **extra_of(self.context.request),  # nothing takes the place of whose request it is
            },
            report=self._progress.report,
            receive_log=self._receive_log,
            asker=self._ask if questions.can_ask(capabilities) else None,
            sampler=self._sample if questions.can_sample(capabilities) else None,
        )

    @property
    def suspends(self) -> bool:
        """Whether a question ends the request, as it does in the newest revision."""
        return is_modern(self.context.protocol_version)

    @property
    def requests(self) -> Mapping[str, Any]:
        """The questions that have no answer, by key."""
        return {key: request for key, (request, _) in self._open.items()}

    def detach(self) -> None:
        """Keep what is reported and logged from now on for the next request."""
        self._attached.clear()

    def attach(self, context: Any, answers: Mapping[str, Any]) -> None:
        """Go on in another request, with what its client answered; what it did not answer is asked again."""
        self.context = context
        self._attached.set()
        for key, (_, future) in [*self._open.items()]:
            if key in answers and not future.done():
                future.set_result(answers[key])
                del self._open[key]
        if not self._open:
            self.asked.clear()

    def refuse(self, problem: RefusalError) -> None:
        """Let every open question fail."""
        self.asked.clear()
        for _, future in self._open.values():
            if not future.done():
                future.set_exception(problem)
        self._open.clear()

    async def flush(self) -> None:
        """Send what was reported and logged before the handler returned."""
        await self._progress.flush()
        await self._logs.flush()

    def stop(self) -> None:
        """Send nothing more: nobody waits for the call."""
        self._progress.stop()
        self._logs.stop()

    async def _send_progress(self, done: float, total: float | None, message: str | None) -> None:
        await self._attached.wait()
        await self.context.session.report_progress(done, total, message)

    def _receive_log(self, level: LogLevel, data: Any, logger: str) -> None:
        if LOG_LEVELS.index(level) >= LOG_LEVELS.index(log_level(self.context) or level):
            # As it is now: a handler may go on to change it.
            self._logs.put(level, data if isinstance(data, str) else to_builtins(data), logger)

    async def _send_log(self, level: LogLevel, data: Any, logger: str) -> None:
        await self._attached.wait()
        if log_level(self.context) is None:
            return
        params = self._types.LoggingMessageNotificationParams(level=level, data=data, logger=logger or None)
        await self.context.session.send_notification(
            self._types.LoggingMessageNotification(params=params), self.context.request_id
        )

    async def _ask(self, request: ElicitationRequest) -> Elicited[Mapping[str, Any]]:
        made = questions.elicitation(request, self.context.session.client_capabilities)
        return questions.elicited(await self._put(made, self._types.ElicitResult))

    async def _sample(self, request: SamplingRequest) -> Sampled:
        return questions.sampled(
            await self._put(questions.sampling(request), self._types.CreateMessageResult)
        )

    async def _put(self, request: Any, expected: Any) -> Any:
        """Ask the client. Raises RefusalError where there is no answer."""
        if self.turn is None:
            return await self._answer(request, expected)
        async with self.turn.paused():
            return await self._answer(request, expected)

    async def _answer(self, request: Any, expected: Any) -> Any:
        if self.suspends:
            return await self._wait_for_retry(request)
        metadata = load("mcp.shared.message").ServerMessageMetadata(
            related_request_id=self.context.request_id
        )
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                return await self.context.session.send_request(request, expected, metadata=metadata)
        except TimeoutError:
            raise RefusalError(
                f"The client did not answer within {ANSWER_SECONDS:g} s. Ask the user to, then call the tool "
                "again."
            ) from None
        except (load("mcp.shared.exceptions").MCPError, ValueError) as problem:  # pydantic's is a ValueError
            raise questions.unanswered(problem) from None

    async def _wait_for_retry(self, request: Any) -> Any:
        self._number += 1
        key, future = f"question-{self._number}", asyncio.get_running_loop().create_future()
        self._open[key] = (request, future)
        self.asked.set()
        try:
            return await future
        finally:
            self._open.pop(key, None)


def log_level(context: Any) -> LogLevel | None:
    """The least severe level that a request's client is sent; None for no messages at all.

    Since 2026-07-28 each request states it, and none is sent without; before, clients set it for their
    connection.
    """
    if is_modern(context.protocol_version):
        stated = (context.meta or {}).get(load("mcp.types").LOG_LEVEL_META_KEY)
        return stated if stated in LOG_LEVELS else None
    level: LogLevel = context.session._connection.state.get(LOG_LEVEL, _DEFAULT_LEVEL)
    return level
