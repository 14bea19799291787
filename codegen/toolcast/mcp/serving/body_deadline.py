"""Requests that arrive too slowly (an ASGI middleware)."""

import asyncio
from typing import Any

_TEXT = b"The request did not arrive in time."


class BodyDeadline:
    """Answers 408 where the body of a request has not arrived after so many seconds.

    A client that sends a byte now and then would hold a connection, and what is allotted to it, for ever.
    """

    def __init__(self, app: Any, seconds: float) -> None:
        if not 0 < seconds < float("inf"):
            raise ValueError("body_seconds is a positive number of seconds")
        self._app = app
        self._seconds = seconds

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        deadline = asyncio.get_running_loop().time() + self._seconds
        complete = started = False

        async def receive_in_time() -> Any:
            nonlocal complete
            if complete:  # what follows is the end of the connection
                return await receive()
            try:
                async with asyncio.timeout_at(deadline):
                    message = await receive()
            except TimeoutError:
                raise _LateError from None
            complete = message["type"] != "http.request" or not message.get("more_body", False)
            return message

        async def send_noting(message: Any) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive_in_time, send_noting)
        except _LateError:
            if started:
                raise
            headers = [(b"content-type", b"text/plain"), (b"connection", b"close")]
            await send({"type": "http.response.start", "status": 408, "headers": headers})
            await send({"type": "http.response.body", "body": _TEXT})


class _LateError(Exception):
    """A body did not arrive in time."""
