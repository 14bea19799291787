"""Calls that are tasks: answered at once with an id, by which the client asks for the outcome.

The extension `io.modelcontextprotocol/tasks` (SEP-2663) of the revision 2026-07-28; the experimental tasks of
2025-11-25 are not served. A handler runs once: what ran when the server ended is told as failed.
"""

import asyncio
import logging
import os
import secrets
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from ...hidden_characters import without_hidden
from ...jsonschema.json_values import JsonMapping, JsonObject
from ...runtime.context import ToolContext
from ...runtime.database import Database, Schema, StorageError
from ...runtime.errors import RefusalError
from ...runtime.result import ToolResult
from ..sdk import (
    HEADER_MISMATCH,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    MISSING_CAPABILITY,
    TASKS,
    load,
    protocol_error,
)
from .client_channel import ANSWER_SECONDS, ClientChannel, Extra
from .clients import principal_in
from .listed import is_modern
from .sessions import MEBIBYTE

_POLL_MS: Final = 500
_MESSAGE: Final = 500
"""Characters of a report of progress that a client is shown."""
_LOG = logging.getLogger("toolcast.mcp")

_SCHEMA: Final = Schema(
    title="The store of tasks",
    application=0x7463_746B,  # "tctk"
    version=1,
    tables=(
        """CREATE TABLE tasks (
            id TEXT PRIMARY KEY,
            owner TEXT,
            created REAL NOT NULL,
            updated REAL NOT NULL,
            expires REAL NOT NULL,
            status TEXT NOT NULL,
            message TEXT NOT NULL,
            outcome BLOB NOT NULL
        )""",
        "CREATE INDEX tasks_expires ON tasks (expires)",
        "CREATE INDEX tasks_owner ON tasks (owner)",
    ),
)

Status = Literal["working", "completed", "failed", "cancelled"]


class _Row(Struct, frozen=True):
    """A kept task. `outcome` is JSON with `result` or `error`, and {} while there is neither."""

    id: str
    owner: str | None
    created: float
    updated: float
    expires: float
    status: Status
    message: str = ""
    outcome: bytes = b"{}"

    def shown(self) -> JsonObject:
        shown: JsonObject = {
            "taskId": self.id,
            "status": self.status,
            "createdAt": _timestamp(self.created),
            "lastUpdatedAt": _timestamp(self.updated),
            "ttlMs": round((self.expires - self.created) * 1000),
            "pollIntervalMs": _POLL_MS,
        }
        return {**shown, "statusMessage": self.message} if self.message else shown


def _timestamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _failed(row: _Row, message: str) -> _Row:
    outcome = msgspec.json.encode({"error": {"code": INTERNAL_ERROR, "message": message}})
    return msgspec.structs.replace(row, status="failed", message=message, outcome=outcome)


class Tasks:
    """Keeps the tasks of one server, with their results, in an SQLite file."""

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        *,
        seconds: float = 3600.0,
        most: int = 1000,
        most_of_client: int = 100,
        result_size: int = MEBIBYTE,
    ) -> None:
        """Open the file, or make it. One process has it at a time.

        Args:
            path: the file; None to keep tasks in memory, until the program ends.
            seconds: seconds from its call for which a task is kept. One that still runs then is cancelled.
            most: tasks that are kept. Past it a call of a tool that has to be a task fails with that reason,
                and does not run; any other is answered when it ends.
            most_of_client: the same for one principal; without authentication only `most` holds.
            result_size: bytes of a result, as JSON. A task with a longer one fails.

        Raises:
            ValueError: a bound is not positive, or `seconds` is infinite.
            StorageError: another process has the file, or it cannot be opened or written, is damaged or
                holds something else.
        """
        if not (0 < seconds < float("inf") and min(most, most_of_client, result_size) > 0):
            raise ValueError("the bounds of tasks are positive numbers")
        self.seconds = seconds
        self.result_size = result_size
        self.most = most
        self.most_of_client = most_of_client
        self.database = Database(path, _SCHEMA, exclusive=True)

    def close(self) -> None:
        """Close the file. Later requests for tasks fail."""
        self.database.close()


class TooManyTasksError(RefusalError):
    """A call for which there is no room; it did not run."""


def _create(kept: Tasks, owner: str | None) -> _Row:
    """Keep a new task. Raises TooManyTasksError, StorageError where it cannot be kept."""
    now = time.time()
    row = _Row(secrets.token_urlsafe(32), owner, now, now, now + kept.seconds, "working")
    with kept.database.write() as connection:
        connection.execute("DELETE FROM tasks WHERE expires <= ?", [now])
        (count,) = connection.execute("SELECT count(*) FROM tasks").fetchone()
        (own,) = connection.execute("SELECT count(*) FROM tasks WHERE owner = ?", [owner]).fetchone()
        if count >= kept.most or own >= kept.most_of_client:
            raise TooManyTasksError(
                f"The server keeps {kept.most} tasks at most, {kept.most_of_client} of one client, and "
                "has as many: the tool did not run. Wait until some have expired, then call again."
            )
        connection.execute("INSERT INTO tasks VALUES (?, ?, ?, ?, ?, ?, ?, ?)", msgspec.structs.astuple(row))
    return row


def _kept_row(kept: Tasks, id: str, owner: str | None) -> _Row | None:
    """Return a task; None where there is none, or it is another's. Raises StorageError."""
    with kept.database.read() as connection:
        found = connection.execute(
            "SELECT * FROM tasks WHERE id = ? AND owner IS ? AND expires > ?", [id, owner, time.time()]
        ).fetchone()
    return None if found is None else _Row(*found)


def _settle(kept: Tasks, row: _Row) -> None:
    """Keep how a task ended, unless it had ended before. Raises StorageError."""
    with kept.database.write() as connection:
        connection.execute(
            "UPDATE tasks SET status = ?, message = ?, outcome = ?, updated = ? "
            "WHERE id = ? AND status = 'working'",
            [row.status, row.message, row.outcome, time.time(), row.id],
        )


class TaskChannel(ClientChannel):
    """The channel of a call that is a task: questions wait for `tasks/update`, the last report of progress is
    shown as the task's status, and logs have no way to the client.
    """

    def __init__(self, context: Any, extra: Extra | None, answers: JsonMapping | None) -> None:
        super().__init__(context, extra, answers)
        self.message = ""
        self._used: set[str] = set()

    def circumstances(self, tool: str) -> ToolContext:
        made = super().circumstances(tool)
        return msgspec.structs.replace(made, report=self._report, receive_log=None)

    def _report(self, done: float, total: float | None, message: str) -> None:
        share = f"{done:g}" if total is None else f"{done:g} of {total:g}"
        self.message = f"{share}: {message}"[:_MESSAGE] if message else share

    async def _wait_for_retry(self, request: object, key: str) -> Any:
        wanted, number = key or "question-1", 1
        while wanted in self._used:  # a task has no two questions of one key, also in turn
            number += 1
            wanted = f"{key or 'question'}-{number}"
        self._used.add(wanted)
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                return await super()._wait_for_retry(request, wanted)
        except TimeoutError:
            raise RefusalError(f"The client did not answer within {ANSWER_SECONDS:g} s.") from None


class _Running(Struct, frozen=True):
    channel: TaskChannel
    work: "asyncio.Task[None]"
    server: object

    def abandon(self) -> None:
        self.channel.stop()
        self.work.cancel()


class _Params(Struct, rename="camel", frozen=True):
    task_id: Annotated[str, Meta(max_length=200)]
    input_responses: dict[str, Any] = {}


_Run = Callable[[TaskChannel], Coroutine[object, object, ToolResult]]
_Answer = Callable[[ToolResult], JsonObject]


class TaskCalls:
    """Runs calls of one server as tasks, and answers requests for them. `context` is the SDK's."""

    def __init__(self, kept: Tasks) -> None:
        self._kept = kept
        self._running: dict[str, _Running] = {}

    def handlers(self) -> dict[str, Callable[[Any, Any], Coroutine[object, object, JsonObject]]]:
        return {"tasks/get": self._get, "tasks/update": self._update, "tasks/cancel": self._cancel}

    async def start(self, channel: TaskChannel, run: _Run, answer: _Answer, server: object) -> JsonObject:
        """Return the result of a call that is a new task, and runs from now on. `server` stands for the
        server while it runs. Raises TooManyTasksError, and StorageError where it cannot be kept.
        """
        row = await asyncio.to_thread(_create, self._kept, _owner(channel.context))
        work = asyncio.create_task(self._follow(row, partial(run, channel), answer))
        self._running[row.id] = _Running(channel, work, server)
        work.add_done_callback(lambda _: self._running.pop(row.id))
        return {"resultType": "task", **row.shown()}

    def abandon(self, server: object) -> None:
        """End the tasks of a server that stops; they are told as failed."""
        for running in [*self._running.values()]:
            if running.server is server:
                running.abandon()

    async def _follow(
        self, row: _Row, call: Callable[[], Coroutine[object, object, ToolResult]], answer: _Answer
    ) -> None:
        kept = self._kept
        try:
            try:
                async with asyncio.timeout(kept.seconds):
                    result = answer(await call())
            except TimeoutError:
                ended = _failed(row, f"The tool ran for {kept.seconds:g} s, and was cancelled.")
            except load("mcp.shared.exceptions").MCPError as problem:
                error = problem.error.model_dump(exclude_none=True)
                ended = msgspec.structs.replace(
                    row, status="failed", message=str(problem), outcome=msgspec.json.encode({"error": error})
                )
            else:
                outcome = msgspec.json.encode({"result": result})
                ended = msgspec.structs.replace(row, status="completed", outcome=outcome)
                if len(outcome) > kept.result_size:
                    ended = _failed(
                        row,
                        f"The tool ran, and its result of {len(outcome)} bytes is longer than "
                        f"{kept.result_size}, which a task may have. Ask for less at once.",
                    )
            await asyncio.to_thread(_settle, kept, ended)
        except StorageError as problem:
            _LOG.error("The outcome of a task could not be kept: %s", problem)

    async def _find(self, context: Any, id: str) -> tuple[_Row, _Running | None]:
        """A task of the client's own, and its call while that runs. Raises the SDK's MCPError."""
        # Looked up before the row is read: when a call has left, its outcome is there.
        running = self._running.get(id)
        try:
            row = await asyncio.to_thread(_kept_row, self._kept, id, _owner(context))
        except StorageError as problem:
            raise protocol_error(INTERNAL_ERROR, str(problem)) from None
        if row is None:
            raise protocol_error(INVALID_PARAMS, "There is no such task, or it has expired.")
        if row.status != "working":
            return row, None
        if running is None:
            row = _failed(
                row,
                "How the tool ended is not known: the server stopped while it ran, or could not keep the "
                "result. It may have taken effect: look before you call it again.",
            )
        return row, running

    async def _get(self, context: Any, _params: Any) -> JsonObject:
        row, running = await self._find(context, _params_of(context).task_id)
        if running is None:
            return {**row.shown(), **msgspec.json.decode(row.outcome)}
        message = without_hidden(running.channel.message)
        shown = msgspec.structs.replace(row, message=message).shown()
        if requests := dict(running.channel.requests):
            plain = {key: _plain(request) for key, request in requests.items()}
            return {**shown, "status": "input_required", "inputRequests": plain}
        return shown

    async def _update(self, context: Any, _params: Any) -> JsonObject:
        params = _params_of(context)
        _, running = await self._find(context, params.task_id)
        if running is not None:
            channel = running.channel
            given = params.input_responses
            answers = {key: _read(given[key]) for key in channel.requests if key in given}
            channel.attach(channel.context, answers)
        return {}

    async def _cancel(self, context: Any, _params: Any) -> JsonObject:
        row, running = await self._find(context, _params_of(context).task_id)
        if running is not None:
            message = "The client cancelled it; it may have taken effect in part."
            cancelled = msgspec.structs.replace(row, status="cancelled", message=message)
            with suppress(StorageError):  # then it is told as failed
                await asyncio.to_thread(_settle, self._kept, cancelled)
            running.abandon()
        return {}


def takes_tasks(context: Any) -> bool:
    """Return whether a request's client takes a task for an answer."""
    capabilities = context.session.client_capabilities if is_modern(context.protocol_version) else None
    return TASKS in (getattr(capabilities, "extensions", None) or {})


def check_listening(context: Any) -> None:
    """Raise the SDK's MCPError for a client that wants to hear of tasks, and does not take any."""
    wanted = (context.params or {}).get("notifications")
    if isinstance(wanted, dict) and wanted.get("taskIds") and not takes_tasks(context):
        raise needs_tasks()


def needs_tasks() -> Exception:
    """Return the error for a client that does not take tasks."""
    required: JsonObject = {"requiredCapabilities": {"extensions": {TASKS: {}}}}
    message = f"The client has to declare the extension {TASKS}."
    return protocol_error(MISSING_CAPABILITY, message, required)


def _params_of(context: Any) -> _Params:
    """Read a request for a task. Raises the SDK's MCPError."""
    if not is_modern(context.protocol_version):
        raise protocol_error(METHOD_NOT_FOUND, "Tasks are served since the revision 2026-07-28.")
    if not takes_tasks(context):
        raise needs_tasks()
    try:
        params = msgspec.convert(context.params, _Params)
    except msgspec.ValidationError as problem:
        raise protocol_error(INVALID_PARAMS, f"Invalid params: {problem}") from None
    if context.request is not None:  # HTTP: what stands between routes by the header
        stated = context.request.headers.get("mcp-name")
        if load("mcp.shared.inbound").decode_header_value(stated) != params.task_id:
            raise protocol_error(HEADER_MISMATCH, "The header Mcp-Name is not the taskId of the request.")
    return params


def _owner(context: Any) -> str | None:
    principal = principal_in(context.request)
    return None if principal is None else principal.id


def _plain(request: Any) -> JsonObject:
    plain: JsonObject = request.model_dump(by_alias=True, mode="json", exclude_none=True)
    return plain


def _read(answer: object) -> Any:
    """Read a client's answer to a question. Raises the SDK's MCPError."""
    pydantic = load("pydantic")
    try:
        return pydantic.TypeAdapter(load("mcp.types").InputResponse).validate_python(answer, by_name=False)
    except pydantic.ValidationError:
        raise protocol_error(INVALID_PARAMS, "An answer in inputResponses is not one.") from None
