"""The calls of a program that runs in a sandbox, carried out with the tools of a registry.

Tools are functions of the program: `files.edit` is the tool `edit` of the group `files`.
"""

import asyncio
import os
import re
import time
from collections import deque
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, suppress
from typing import TypedDict

import msgspec
from msgspec import UNSET

from ..binding import AnyBinding
from ..bounded_json import read_json
from ..context import Framework, ToolContext
from ..declaration_text.names import Language
from ..declarations import describe, function_names, is_callable
from ..middleware.events import Event, Failed, Refused, Started
from ..middleware.truncate import cut_result
from ..result import Content, ToolResult, structured, words
from ..tool_names import near_names
from ..view import ToolView
from .protocol import (
    CodeCall,
    CodeLimits,
    CodeRun,
    Ended,
    ErrorKind,
    LineTooLongError,
    Reader,
    Request,
    RequestError,
    Writer,
    read_lines,
    read_request,
    write_error,
    write_result,
)


def _result_value(binding: AnyBinding, result: ToolResult, language: Language | None) -> object:
    """Make the value that a program gets of a success, as JSON data: the typed value, in full whatever limit
    the text for models has; else the text, with its content, described in words if code cannot hold it.
    `language` is that of the program's declarations; None for the contract's own form. Raises TypeError or
    ValueError if the typed value has no JSON form."""
    value = structured(result)
    if value is not msgspec.UNSET:
        return value
    if binding.result is not None:
        if result.data is not None:
            return msgspec.Raw(binding.encode_result(result.data, language))
        if not result.output and not result.content:
            return None
    return "\n".join(text for text in (result.output, *map(_in_words, result.content)) if text)


def _in_words(piece: Content) -> str:
    if piece.kind == "text":
        return piece.text
    name = f" {piece.name[:100]!r}" if piece.name else ""
    return f"[{piece.kind}{name}, {piece.media_type}, {len(piece.data)} bytes: left out, code gets text]"


_LISTED = 20


class _Names(TypedDict):
    namespaces: list[str]
    functions: list[str]


class _Functions:
    """The functions that stand for the tools of a view, as it is at the moment of each question. Without a
    language, groups and tools have their own names, and there are no declarations."""

    def __init__(self, view: ToolView, language: Language | None) -> None:
        """Name the tools; `language` is that of the programs' declarations, or None. Raises
        UnknownProviderError if nothing was generated for it."""
        if language is not None:
            view.definitions(language)
        self.view = view
        self.language: Language | None = language
        self._named = view.snapshot(), self._name_tools()

    @property
    def tools(self) -> dict[str, str]:
        """Return each tool that code may call by the qualified name of its function."""
        snapshot = self.view.snapshot()
        if self._named[0] is not snapshot:
            self._named = snapshot, self._name_tools()
        return self._named[1]

    def _name_tools(self) -> dict[str, str]:
        if self.language is not None:
            return function_names(self.view, self.language)
        found = self._bindings().items()
        return {_own_name(binding): name for name, binding in found if is_callable(binding)}

    def _bindings(self) -> dict[str, AnyBinding]:
        return {name: entry.binding for name, entry in self.view.snapshot().entries.items()}

    def for_model_only(self, function: str) -> str | None:
        """Return the name of a tool that code may not call, by its function; None for any other name."""
        for name, binding in self._bindings().items():
            own = _own_name(binding)
            if not is_callable(binding) and function in (own, re.sub(r"[^A-Za-z0-9_.]", "_", own)):
                return name
        return None

    def list_names(self, namespace: str) -> _Names | None:
        prefix = f"{namespace}." if namespace else ""
        inner = [name.removeprefix(prefix) for name in self.tools if name.startswith(prefix)]
        if not inner and namespace:
            return None
        return _Names(
            namespaces=sorted({name.partition(".")[0] for name in inner if "." in name}),
            functions=sorted(name for name in inner if "." not in name),
        )

    def describe(self, name: str) -> str | None:
        """Return the declarations of a namespace or function, "" for all; None if nothing has that name, and
        without a language."""
        return None if self.language is None else describe(self.view, self.language, name)

    def unknown(self, name: str) -> str:
        known = self.tools
        shown = name[:100]
        same = [each for each in known if each.rpartition(".")[2] == shown.rpartition(".")[2]]
        near = dict.fromkeys([*same[:3], *near_names(shown, known)])
        if near:
            return f"There is no {shown!r}. Did you mean {', '.join(near)}?"
        listed = ", ".join([*known][:_LISTED]) + (", …" if len(known) > _LISTED else "")
        return f"There is no {shown!r}. " + (f"Functions: {listed}." if known else "There are no functions.")


def _own_name(binding: AnyBinding) -> str:
    return ".".join([*filter(None, binding.group.split("/")), binding.name])


class Turns:
    """Turns of calls that arrive one by one.

    A call that runs alone begins when those before it have ended, and those after it begin when it has ended.
    """

    def __init__(self, limit: int) -> None:
        """Begin without calls, of which `limit` may run at once."""
        self._limit = limit
        self._running = 0
        self._is_alone = False  # what runs now
        self._waiting: deque[tuple[bool, asyncio.Future[None]]] = deque()

    @asynccontextmanager
    async def turn(self, alone: bool) -> AsyncGenerator[None]:
        """Wait for the turn of a call, which ends with the block; `alone`: it runs alone."""
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((alone, mine))
        self._admit()
        try:
            await mine
            yield
        finally:
            if mine.done() and not mine.cancelled():
                self._running -= 1
                self._is_alone = False
            self._admit()

    def _admit(self) -> None:
        while self._waiting:
            alone, first = self._waiting[0]
            if first.cancelled():
                self._waiting.popleft()
                continue
            room = self._running == 0 if alone else self._running < self._limit and not self._is_alone
            if not room:
                return
            self._waiting.popleft()
            self._running += 1
            self._is_alone = alone
            first.set_result(None)


_CALLERS = (
    "{!r} may be called by the model only, not by code. Leave it out of the program, and let the model call "
    "the tool {!r} by itself."
)
_NOT_BEGUN = "The call was not begun: the program was over."
_TOO_LARGE = "The result of {!r} has {} bytes, and {} are allowed. Ask for less at once."
_ENDED: dict[Ended, str] = {
    "seconds": "The {0.seconds:g} seconds of the program are over. Do less in one program.",
    "requests": "The program made {0.requests} requests, the most it may make. Do less in one program.",
    "traffic": "The program sent and received {0.traffic} bytes, the most it may. Do less in one program.",
    "line": "A line had more than {0.line} bytes, the most it may have. Send less at once.",
}


class CodeServer:
    """Serves the calls that programs in sandboxes make.

    Every call goes through the registry, with its policy, secrets, limits and hooks. The object keeps no
    state of a run: it serves any number of programs, tasks and event loops.
    """

    def __init__(
        self, view: ToolView, language: Language | None, *, limits: CodeLimits | None = None
    ) -> None:
        """Make a server.

        Args:
            view: the tools that programs may call: a registry or a selection.
            language: language of the programs' declarations; None for arguments in the contract's own form,
                and no declarations.
            limits: limits of one run.

        Raises:
            UnknownProviderError: nothing was generated for `language`.
        """
        self._functions = _Functions(view, language)
        self._limits = limits or CodeLimits()

    async def serve(self, reader: Reader, writer: Writer, context: ToolContext | None = None) -> CodeRun:
        """Serve the calls of one program, until it closes its end or a limit is reached.

        Calls that still run are cancelled then, and if this is cancelled.

        Args:
            reader: the source of its requests, such as the standard output of a process.
            writer: the sink of the answers; it is closed at the end.
            context: circumstances for every handler, such as those of the call that runs the program. The
                tool and the id of each call are filled in.

        Returns:
            A record of the run.
        """
        run = _Run(self._functions, self._limits, context or ToolContext(), writer)
        try:
            return await run.to_end(reader)
        finally:
            with suppress(OSError, RuntimeError):
                writer.close()


class _EndedError(Exception):
    """The run ends here, and what still runs is cancelled."""

    def __init__(self, ended: Ended) -> None:
        super().__init__(ended)
        self.ended: Ended = ended


class _Course:
    def __init__(self) -> None:
        self.refused_arguments = self.began = False

    def see(self, event: Event) -> None:
        if isinstance(event, Refused):
            self.refused_arguments = event.stage == "arguments"
        elif isinstance(event, (Started, Failed)):
            self.began = True

    @property
    def error(self) -> ErrorKind:
        return "arguments" if self.refused_arguments else "failed" if self.began else "refused"


class _Run:
    """The calls of one program."""

    def __init__(
        self, functions: _Functions, limits: CodeLimits, context: ToolContext, writer: Writer
    ) -> None:
        self._functions = functions
        self._view = functions.view
        self._language: Language | None = functions.language
        self._limits = limits
        self._context = context
        self._writer = writer
        self._id = context.call_id or f"code_{os.urandom(6).hex()}"
        self._turns = Turns(limits.calls_at_once)
        self._sending = asyncio.Lock()
        self._calls: list[CodeCall] = []
        self._in_flight: set[int] = set()  # ids of calls without an answer
        self._waiting: dict[int, CodeCall] = {}  # those among them that wait for their turn
        self._requests = 0
        self._traffic = 0

    async def to_end(self, reader: Reader) -> CodeRun:
        begun = time.monotonic()
        ended: Ended = "closed"
        task = asyncio.current_task()
        asked = 0 if task is None else task.cancelling()
        clock = asyncio.timeout(self._limits.seconds)
        try:
            async with clock, asyncio.TaskGroup() as tasks:
                ended = await self._read(reader, tasks)
        except* _EndedError as group:
            ended = next(_reasons(group))
        except* TimeoutError:
            if not clock.expired():
                raise
            ended = "seconds"
        if task is not None and task.cancelling() > asked:
            # A group of tasks that already ends loses a cancellation from outside (Python 3.11 and 3.12).
            raise asyncio.CancelledError
        if ended != "closed":
            with suppress(OSError, RuntimeError):  # nobody waits until it is read
                self._writer.write(self._error(None, "ended", _ENDED[ended].format(self._limits)))
        seconds = time.monotonic() - begun
        calls = (*self._calls, *self._waiting.values())
        return CodeRun(calls=calls, ended=ended, seconds=seconds, requests=self._requests)

    async def _read(self, reader: Reader, tasks: asyncio.TaskGroup) -> Ended:
        """Begin what the program asks for. Returns why no more is read; calls that were begun go on."""
        try:
            async for line in read_lines(reader, self._limits.line):
                self._requests += 1
                self._count(len(line))
                if self._requests > self._limits.requests:
                    return "requests"
                await self._take(line, tasks)
        except LineTooLongError:
            raise _EndedError("line") from None
        raise _EndedError("closed")

    async def _take(self, line: bytes, tasks: asyncio.TaskGroup) -> None:
        try:
            request = read_request(line)
        except RequestError as problem:
            id = None if problem.id in self._in_flight else problem.id
            await self._send(self._error(id, "request", f"The line is no request: {problem}."))
            return
        if request.id in self._in_flight:
            reason = f"The id {request.id} is that of a call that has no answer yet. Take another one."
            await self._send(self._error(None, "request", reason))
            return
        arguments = b"{}" if request.arguments is UNSET else bytes(request.arguments)
        try:
            made = self._look_up(request) if request.call is UNSET else self._begin(request.call, arguments)
        except Exception as problem:  # of tools that came later: no declarations, or no module
            made = self._fault(request, problem)
        if isinstance(made, bytes):
            await self._send(made)
        else:
            self._in_flight.add(request.id)
            self._waiting[request.id] = made
            tasks.create_task(self._call(request.id, made, arguments))

    def _look_up(self, request: Request) -> bytes:
        wanted = ""
        found: object = None
        if request.namespace is not UNSET:
            wanted, found = request.namespace, self._functions.list_names(request.namespace)
        elif request.described is not UNSET:
            wanted, found = request.described, self._functions.describe(request.described)
        if found is None:
            return self._error(request.id, "unknown", self._functions.unknown(wanted))
        answer = write_result(request.id, found)
        if len(answer) > self._limits.line:
            text = _TOO_LARGE.format(wanted, len(answer), self._limits.line)
            return self._error(request.id, "failed", text)
        return answer

    def _fault(self, request: Request, problem: Exception) -> bytes:
        """Answer that the tools cannot be named or declared; the program's log has more."""
        asked = (request.call, request.namespace, request.described)
        name = self._view.redact("".join(text for text in asked if text is not UNSET))[:100]
        guard = self._view._executor.guard  # pyright: ignore[reportPrivateUsage]  # as `execute` reports
        result, _ = guard.report_fault(name, "", "finding declarations", problem)
        return self._error(request.id, "failed", result.error)

    def _begin(self, function: str, arguments: bytes) -> CodeCall:
        """Make the record of a call that waits for its turn."""
        return CodeCall(
            id=f"{self._id}.{self._requests}",
            function=self._view.redact(function),
            tool=self._functions.tools.get(function, ""),
            arguments_json=_redacted(arguments, self._view),
            result=ToolResult.failed(_NOT_BEGUN),
            seconds=0.0,
            error="ended",
        )

    async def _call(self, id: int, call: CodeCall, arguments: bytes) -> None:
        if not call.tool:
            del self._waiting[id]
            await self._end(id, self._unknown(call))
            return
        async with self._turns.turn(self._runs_alone(call.tool)):
            del self._waiting[id]
            await self._end(id, await self._execute(call, arguments))

    def _unknown(self, call: CodeCall) -> CodeCall:
        tool = self._functions.for_model_only(call.function)
        if tool is None:
            result = ToolResult.failed(self._functions.unknown(call.function))
            return msgspec.structs.replace(call, result=result, error="unknown")
        result = ToolResult.failed(_CALLERS.format(call.function, tool))
        return msgspec.structs.replace(call, tool=tool, result=result, error="refused")

    def _runs_alone(self, tool: str) -> bool:
        try:
            return not self._view.get(tool).binding.parallel
        except Exception:  # whatever a module raises when it is imported: the call says so
            return False

    async def _execute(self, call: CodeCall, arguments: bytes) -> CodeCall:
        begun, course = time.monotonic(), _Course()
        # The provider of the call that runs the program has another form of arguments and results.
        context = msgspec.structs.replace(
            self._context,
            tool="",
            call_id=call.id,
            provider=self._language,
            framework=Framework(observer=course.see),
        )
        try:
            result = await self._view.execute(call.tool, arguments, provider=self._language, context=context)
        except asyncio.CancelledError:
            result = ToolResult.failed(f"Tool {call.tool!r} was cancelled: the program was over.")
            seconds = time.monotonic() - begun
            self._calls.append(msgspec.structs.replace(call, result=result, error="ended", seconds=seconds))
            raise
        error = None if result.success else course.error
        seconds = time.monotonic() - begun
        return msgspec.structs.replace(call, result=result, error=error, seconds=seconds)

    async def _end(self, id: int, call: CodeCall) -> None:
        answer, problem = self._answer(id, call) if call.error is None else (b"", "")
        if problem:
            call = msgspec.structs.replace(call, result=ToolResult.failed(problem), error="failed")
        if call.error is not None:
            answer = self._error(id, call.error, words(call.result))
        result = cut_result(call.result, self._limits.line)
        self._calls.append(msgspec.structs.replace(call, result=result))
        kept = len(result.output) + len(result.error) + sum(len(piece.data) for piece in result.content)
        self._count(max(0, kept - len(answer)))
        await self._send(answer, id)

    def _answer(self, id: int, call: CodeCall) -> tuple[bytes, str]:
        """Return the line for a success; or why there is none."""
        try:
            binding = self._view.get(call.tool).binding
            answer = write_result(id, _result_value(binding, call.result, self._language))
        except (TypeError, ValueError, RecursionError, LookupError) as problem:
            kind = type(problem).__name__
            return b"", f"{call.function!r} ran, and its result has no JSON form ({kind})."
        if len(answer) > self._limits.line:
            return b"", _TOO_LARGE.format(call.function, len(answer), self._limits.line)
        return answer, ""

    def _error(self, id: int | None, kind: ErrorKind, message: str) -> bytes:
        return write_error(id, kind, message, self._limits.line)

    async def _send(self, line: bytes, id: int | None = None) -> None:
        """Send a line, when there is room for it, and let the program use the id of an answered call again.
        Raises _EndedError if nobody reads it any more."""
        async with self._sending:
            self._count(len(line))
            try:
                self._writer.write(line)
                if id is not None:
                    self._in_flight.remove(id)
                await self._writer.drain()
            except (OSError, RuntimeError):
                raise _EndedError("closed") from None

    def _count(self, size: int) -> None:
        self._traffic += size
        if self._traffic > self._limits.traffic:
            raise _EndedError("traffic")


def _redacted(arguments: bytes, view: ToolView) -> bytes:
    """Return arguments as JSON text without values of secrets. The text as it came may have a value in
    escapes, or under a key that is there twice: it is read and written again."""
    try:
        return msgspec.json.encode(view.redact(read_json(arguments)))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return view.redact(arguments)


def _reasons(group: BaseExceptionGroup[_EndedError]) -> Iterator[Ended]:
    for problem in group.exceptions:
        if isinstance(problem, BaseExceptionGroup):
            yield from _reasons(problem)
        else:
            yield problem.ended
