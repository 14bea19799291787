"""The channel from a handler, or a prompt's or resource's function, to the client that called it: progress,
logs, and questions.

Up to 2025-11-25 a question is a request to the client, while its own request waits. Since 2026-07-28 it is
the result of that request: the client sends the request again with the answers, and the call, which waits in
this process, goes on. A question is a form, a page to visit, a conversation for the client's model, or for
the client's roots.
"""

import asyncio
import logging
import secrets
import uuid
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from functools import lru_cache
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from ...hidden_characters import without_hidden
from ...jsonschema.json_values import JsonMapping
from ...runtime.codec import to_builtins
from ...runtime.context import LOG_LEVELS, LogLevel, ToolContext
from ...runtime.errors import MissingCapabilityError, RefusalError
from ...runtime.functions.framework_values import REQUEST
from ...runtime.questions import ElicitationRequest, Elicited, Message, Root, Sampled, SamplingRequest
from ...runtime.result import Content
from ..sdk import INVALID_PARAMS, MISSING_CAPABILITY, load, protocol_error
from .clients import Turn, extra_of, principal_in
from .listed import is_modern

_Send = Callable[..., Awaitable[None]]
_LOG = logging.getLogger("toolcast.mcp")

_MOST = 1000
"""Messages that wait for a connection at once; others are dropped."""


class _Outbox:
    """Sends messages from any thread, in order and only while the call runs."""

    def __init__(self, send: _Send) -> None:
        self._send = send
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[tuple[object, ...]] = deque()
        self._task: asyncio.Task[object] | None = None
        self._over = False

    def put(self, *message: object) -> None:
        with suppress(RuntimeError):  # a thread that nobody waits for may outlive the loop
            self._loop.call_soon_threadsafe(self._take, message)

    def _take(self, message: tuple[object, ...]) -> None:
        if self._over or not self._enqueue(message):
            return
        if self._task is None or self._task.done():
            self._task = self._loop.create_task(self._pump())

    def _enqueue(self, message: tuple[object, ...]) -> bool:
        """Let a message wait; False where it is dropped."""
        if len(self._waiting) >= _MOST:
            return False
        self._waiting.append(message)
        return True

    async def _pump(self) -> None:
        while self._waiting:
            with suppress(Exception):  # whatever a connection that is gone raises
                await self._send(*self._waiting.popleft())

    async def flush(self) -> None:
        """Send reports from before the handler returned; nothing is sent afterwards."""
        await asyncio.sleep(0)  # messages from threads wait for the loop's next turn
        self._over = True
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)

    def stop(self) -> None:
        self._over = True
        self._waiting.clear()
        if self._task is not None:
            self._task.cancel()


class Progress(_Outbox):
    """Sends reports of progress. The protocol wants values that grow; others are not sent.

    Reports that come faster than the connection takes them are skipped, but for the last.
    """

    def __init__(self, send: _Send) -> None:
        super().__init__(send)
        self._last = float("-inf")

    def report(self, done: float, total: float | None, message: str) -> None:
        """Take a report, as `ToolContext.report` does."""
        self.put(done, total, message or None)

    def _enqueue(self, message: tuple[Any, ...]) -> bool:
        if not message[0] > self._last:
            return False
        self._last = message[0]
        self._waiting.clear()
        self._waiting.append(message)
        return True


_SHOWN = 300
"""Characters of a client's words that a refusal repeats."""


def _elicitation(request: ElicitationRequest, capabilities: Any) -> Any:
    types, has = load("mcp.types"), capabilities.elicitation
    if request.url:
        if has.url is None:
            raise MissingCapabilityError(
                "The client cannot ask its user to visit a page. Tell the user so; another client is needed.",
                {"elicitation": {"url": {}}},
            )
        params = types.ElicitRequestURLParams(
            message=request.message, url=request.url, elicitation_id=uuid.uuid4().hex
        )
    elif has.form is None and has.url is not None:  # a client that names neither takes forms
        raise MissingCapabilityError(
            "The client takes no forms. Tell the user so; another client is needed.",
            {"elicitation": {"form": {}}},
        )
    else:
        params = types.ElicitRequestFormParams(message=request.message, requested_schema=dict(request.schema))
    return types.ElicitRequest(params=params)


def _elicited(answer: Any) -> Elicited[JsonMapping]:
    if not isinstance(answer, load("mcp.types").ElicitResult):
        raise _unreadable()
    return Elicited(answer.action, answer.content or {})


def sampling(request: SamplingRequest) -> Any:
    """Return the SDK's request. Raises ValueError for content that a sampling message cannot have."""
    types = load("mcp.types")
    hints = [types.ModelHint(name=name) for name in request.models]
    return types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(
            messages=[_message(message) for message in request.messages],
            max_tokens=request.max_tokens,
            system_prompt=request.system or None,
            temperature=request.temperature,
            stop_sequences=list(request.stop) or None,
            model_preferences=types.ModelPreferences(hints=hints) if hints else None,
        )
    )


def _sampled(answer: Any) -> Sampled:
    if not isinstance(answer, load("mcp.types").CreateMessageResult):
        raise _unreadable()
    piece, reason = answer.content, answer.stop_reason or ""
    if piece.type == "text":
        return Sampled(piece.text, answer.model, reason)
    if piece.type not in ("image", "audio"):
        raise _unreadable()
    try:
        content = Content.from_base64(piece.type, piece.data, piece.mime_type)
    except ValueError as problem:
        raise RefusalError(f"The client's model answered with a broken {piece.type}: {problem}") from None
    return Sampled("", answer.model, reason, content)


def _unanswered(problem: Exception) -> RefusalError:
    """Return the refusal for a question that the client refused, or answered against the protocol."""
    words = getattr(problem, "message", "")
    if not isinstance(problem, load("mcp.shared.exceptions").MCPError) or not isinstance(words, str):
        return _unreadable()
    shown = without_hidden(words)[:_SHOWN]
    return RefusalError(f"The client did not answer the question: {shown}")


def _unreadable() -> RefusalError:
    return RefusalError("The client's answer to the question is not one. Tell the user.")


def missing_capability(problem: MissingCapabilityError) -> Exception:
    """Return the protocol error, since 2026-07-28, for what a client does not offer."""
    return protocol_error(
        MISSING_CAPABILITY, str(problem), {"requiredCapabilities": dict(problem.capability)}
    )


def _message(message: Message) -> Any:
    types, piece = load("mcp.types"), message.content
    if isinstance(piece, str):
        content = types.TextContent(type="text", text=piece)
    elif piece.kind == "text":
        content = types.TextContent(type="text", text=piece.text)
    elif piece.kind == "image":
        content = types.ImageContent(type="image", data=piece.base64, mime_type=piece.media_type)
    elif piece.kind == "audio":
        content = types.AudioContent(type="audio", data=piece.base64, mime_type=piece.media_type)
    else:
        raise ValueError(f"a model is sent texts, images and audio, not a piece of kind {piece.kind!r}")
    return types.SamplingMessage(role=message.role, content=content)


@lru_cache(1000)
def _say_deprecated(name: str, what: str, instead: str) -> None:
    """Say once for each tool, prompt and resource what a program will have to change."""
    _LOG.warning(
        "%r %s, which is deprecated since 2026-07-28 (SEP-2577), and may go from 2027-07-28 on: %s.",
        name,
        what,
        instead,
    )


ANSWER_SECONDS = 600.0
"""Seconds that a client has to answer a question."""
LOG_LEVEL = "toolcast.log_level"
"""Key of a connection's state: the level that a client of an older revision set."""
_DEFAULT_LEVEL: LogLevel = "info"


Extra: TypeAlias = Callable[[Any], JsonMapping]
"""Makes `ToolContext.extra` of a call from the SDK's context of its request; it must not block."""


class ClientChannel:
    """The channel of one call. `context` is the SDK's, of the request in which the call is answered; it is
    another after the client was asked.
    """

    def __init__(self, context: Any, extra: Extra | None = None, answers: JsonMapping | None = None) -> None:
        self.context = context
        self._extra = extra
        self._known = dict(answers or {})  # answers that came with the call, by keys of the program's
        self._types = load("mcp.types")
        self._progress = Progress(self._send_progress)
        self._logs = _Outbox(self._send_log)
        self._open: dict[str, tuple[object, asyncio.Future[object]]] = {}
        self._number = 0
        self._name = ""
        self.turn: Turn | None = None
        """The call's turn, which is another's while the client is asked."""
        self._attached = asyncio.Event()  # to a request that is not answered yet
        self._attached.set()
        self.asked = asyncio.Event()
        """Set while there may be questions that no result has sent yet."""

    def circumstances(self, tool: str) -> ToolContext:
        """Return the context of the call. Raises what the program's own function for `extra` raises."""
        self._name = tool
        session = self.context.session
        reachable = session.can_send_request or self.suspends
        capabilities = session.client_capabilities if reachable else None
        return ToolContext(
            tool=tool,
            call_id=str(self.context.request_id),
            extra={
                **({} if self._extra is None else self._extra(self.context)),
                REQUEST: self.context,
                **extra_of(self.context.request),  # nothing takes the place of the principal
            },
            report=self._progress.report,
            receive_log=self._receive_log,
            # The parts that a form or a page needs are looked at when one is sent.
            asker=self._ask if getattr(capabilities, "elicitation", None) is not None else None,
            sampler=self._sample if getattr(capabilities, "sampling", None) is not None else None,
            root_lister=self._roots if getattr(capabilities, "roots", None) is not None else None,
        )

    @property
    def suspends(self) -> bool:
        """Return whether a question ends the request, as it does in the newest revision."""
        return is_modern(self.context.protocol_version)

    @property
    def requests(self) -> JsonMapping:
        return {key: request for key, (request, _) in self._open.items()}

    def detach(self) -> None:
        """Keep reports and logs from now on for the next request."""
        self._attached.clear()

    def attach(self, context: Any, answers: JsonMapping) -> None:
        """Go on in another request, with its client's answers; other questions are asked again."""
        self.context = context
        self._attached.set()
        for key, (_, future) in [*self._open.items()]:
            if key in answers and not future.done():
                future.set_result(answers[key])
                del self._open[key]
        if not self._open:
            self.asked.clear()

    def refuse(self, problem: RefusalError) -> None:
        self.asked.clear()
        for _, future in self._open.values():
            if not future.done():
                future.set_exception(problem)
        self._open.clear()

    async def flush(self) -> None:
        await self._progress.flush()
        await self._logs.flush()

    def stop(self) -> None:
        self._progress.stop()
        self._logs.stop()

    async def _send_progress(self, done: float, total: float | None, message: str | None) -> None:
        await self._attached.wait()
        await self.context.session.report_progress(done, total, message)

    def _receive_log(self, level: LogLevel, data: object, logger: str) -> None:
        if LOG_LEVELS.index(level) >= LOG_LEVELS.index(_log_level(self.context) or level):
            if self.suspends:
                _say_deprecated(self._name, "logs to its client", "log by OpenTelemetry, or to stderr")
            # As it is now: a handler may go on to change it.
            self._logs.put(level, data if isinstance(data, str) else to_builtins(data), logger)

    async def _send_log(self, level: LogLevel, data: Any, logger: str) -> None:
        await self._attached.wait()
        if _log_level(self.context) is None:
            return
        params = self._types.LoggingMessageNotificationParams(level=level, data=data, logger=logger or None)
        await self.context.session.send_notification(
            self._types.LoggingMessageNotification(params=params), self.context.request_id
        )

    async def _ask(self, request: ElicitationRequest) -> Elicited[JsonMapping]:
        made = _elicitation(request, self.context.session.client_capabilities)
        return _elicited(await self._put(made, self._types.ElicitResult, request.key))

    async def _sample(self, request: SamplingRequest) -> Sampled:
        if self.suspends:
            _say_deprecated(self._name, "asks its client's model", "call a model's API")
        return _sampled(await self._put(sampling(request), self._types.CreateMessageResult, request.key))

    async def _roots(self, key: str) -> tuple[Root, ...]:
        if self.suspends:
            _say_deprecated(self._name, "asks for its client's roots", "take folders as parameters")
        expected = self._types.ListRootsResult
        answer = await self._put(self._types.ListRootsRequest(), expected, key)
        if not isinstance(answer, expected):
            raise _unreadable()
        return tuple(Root(str(root.uri), root.name or "") for root in answer.roots)

    async def _put(self, request: Any, expected: Any, key: str) -> Any:
        """Ask the client. Raises RefusalError where there is no answer."""
        if key and self.suspends and key in self._known:
            return self._known.pop(key)
        if self.turn is None:
            return await self._answer(request, expected, key)
        async with self.turn.paused():
            return await self._answer(request, expected, key)

    async def _answer(self, request: Any, expected: Any, key: str) -> Any:
        if self.suspends:
            return await self._wait_for_retry(request, key)
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
            raise _unanswered(problem) from None

    async def _wait_for_retry(self, request: object, key: str) -> Any:
        if not key:
            self._number += 1
            key = f"question-{self._number}"
        if key in self._open:
            raise ValueError(f"there is an open question with the key {key!r} already")
        future = asyncio.get_running_loop().create_future()
        self._open[key] = (request, future)
        self.asked.set()
        try:
            return await future
        finally:
            self._open.pop(key, None)


def _log_level(context: Any) -> LogLevel | None:
    """Return the least severe level that a request's client is sent; None for no messages at all.

    Since 2026-07-28 each request states it, and none is sent without; before, clients set it for their
    connection.
    """
    if is_modern(context.protocol_version):
        stated = (context.meta or {}).get(load("mcp.types").LOG_LEVEL_META_KEY)
        return stated if stated in LOG_LEVELS else None
    level: LogLevel = context.session._connection.state.get(LOG_LEVEL, _DEFAULT_LEVEL)
    return level


_MAX_WAITING = 1000
"""Calls of one server that wait for answers at once; the question of one more is refused."""

_CallIdentity = tuple[bytes, str | None]
"""The name, arguments and principal of a call. Each request of the call must have the same."""


class RunningCall:
    """A call on its way through one request, or several."""

    def __init__(self, channel: ClientChannel, work: Coroutine[object, object, Any]) -> None:
        self.channel = channel
        self._task = asyncio.create_task(work)

    async def questions(self, context: Any, params: Any) -> Any:
        """Wait, and return the result of the request that asks the client; None once the call is over."""
        while await self._asks():
            requests = dict(self.channel.requests)
            state = context.lifespan_context[WAITING].keep(self, _identity(context, params))
            if state is not None:
                types = load("mcp.types")
                return types.InputRequiredResult(input_requests=requests, request_state=state)
        await self.channel.flush()
        return None

    def result(self) -> Any:
        """Return what the work returned. Raises what it raised."""
        return self._task.result()

    async def _asks(self) -> bool:
        """Wait until the client is to be asked, or the call is over."""
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
                return True
            channel.asked.clear()  # a question that was given up
        return False

    def abandon(self) -> None:
        self.channel.stop()
        self._task.cancel()


class _Waiting(Struct, frozen=True):
    call: RunningCall
    identity: _CallIdentity
    timer: asyncio.TimerHandle


class WaitingCalls:
    """The calls of one server that wait for answers, by the state that a client has to send with them."""

    def __init__(self, most: int = _MAX_WAITING, seconds: float = ANSWER_SECONDS) -> None:
        self._most = most
        self._seconds = seconds
        self._waiting: dict[str, _Waiting] = {}

    def keep(self, call: RunningCall, identity: _CallIdentity) -> str | None:
        """Return the state by which a call goes on; None where too many wait, and its questions fail."""
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

    def take(self, state: str, identity: _CallIdentity) -> RunningCall | None:
        """Return the call that waits under a state; None where there is none, or it is another's."""
        found = self._waiting.get(state)
        if found is None or found.identity != identity:
            return None
        del self._waiting[state]
        found.timer.cancel()
        return found.call

    def close(self) -> None:
        for state in [*self._waiting]:
            self._waiting[state].timer.cancel()
            self._expire(state)

    def _expire(self, state: str) -> None:
        self._waiting.pop(state).call.abandon()


WAITING = "waiting"
"""Key of a server's `WaitingCalls` in the SDK's context of its lifetime."""


def resumed(context: Any, params: Any) -> RunningCall | None:
    """Return the call that a request's answers are for; None for a request without a state. Raises the SDK's
    MCPError where no call of it waits.
    """
    state = getattr(params, "request_state", None)  # completions have none
    if state is None:
        return None
    call: RunningCall | None = context.lifespan_context[WAITING].take(state, _identity(context, params))
    if call is None:
        raise protocol_error(INVALID_PARAMS, "No call waits under this requestState. Send the request anew.")
    call.channel.attach(context, params.input_responses or {})
    return call


def _identity(context: Any, params: Any) -> _CallIdentity:
    principal = principal_in(context.request)
    stated = [context.method, str(getattr(params, "uri", "")), getattr(params, "name", "")]
    arguments = getattr(params, "arguments", None) or {}
    called = msgspec.json.encode([*stated, arguments], order="deterministic")
    return called, None if principal is None else principal.id
