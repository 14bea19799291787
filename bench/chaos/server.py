"""A server on loopback whose answers are slow, cut, endless or wrong, by path.

It is a process of its own, so that its connections are none of the process that is measured. It prints its
port, and ends with its standard input.
"""

from __future__ import annotations

import asyncio
import gzip
import os
import socket
import struct
import sys
from contextlib import suppress

PAGE = (
    b"<html><head><title>Page</title></head><body>" + b"<p>Some words of a page.</p>" * 40 + b"</body></html>"
)
BOMB = gzip.compress(bytes(20_000_000), 1)


def answer(body: bytes, kind: str = "text/html", status: str = "200 OK", *more: str) -> bytes:
    """A response with this body."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", f"Content-Type: {kind}", *more]
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode() + body


ANSWERS = {
    "/page": answer(PAGE),
    "/json": answer(b'{"a": [1, 2, 3]}', "application/json"),
    "/error": answer(b"broken", "text/plain", "500 Broken"),
    "/loop": answer(b"", "text/plain", "302 Found", "Location: /loop"),
    "/away": answer(b"", "text/plain", "302 Found", "Location: http://10.0.0.1/"),
    "/bomb": answer(BOMB, "text/html", "200 OK", "Content-Encoding: gzip"),
    "/damaged": answer(b"no gzip", "text/html", "200 OK", "Content-Encoding: gzip"),
    "/half": answer(PAGE)[:300],
    "/binary": answer(bytes(range(256)) * 40, "application/octet-stream"),
    "/garbage": b"\x00\xff\r\n\r\n" * 100,
    "/headers": answer(b"many", "text/plain", "200 OK", *(f"X-{n}: {n}" for n in range(2000))),
}
PATHS = (*ANSWERS, "/slow", "/never", "/close", "/reset", "/endless")


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer one request."""
    with suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError, IndexError):
        async with asyncio.timeout(5):
            head = await reader.readuntil(b"\r\n\r\n")
            path = head.split(b" ", 2)[1].decode("latin-1").partition("?")[0]
            await _write(path, writer)
    writer.close()


async def _write(path: str, writer: asyncio.StreamWriter) -> None:
    if path == "/never":
        await asyncio.sleep(5)
    elif path == "/slow":
        for byte in ANSWERS["/page"]:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0.02)
    elif path == "/endless":
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
        for _ in range(400):
            writer.write(bytes(65536))
            await writer.drain()
    elif path == "/reset":
        raw = writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    elif path != "/close":
        writer.write(ANSWERS.get(path, answer(b"not found", "text/plain", "404 Not Found")))
        await writer.drain()


async def main() -> None:
    """Serve until standard input ends."""
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await asyncio.to_thread(sys.stdin.read)
        os._exit(0)  # connections are open


if __name__ == "__main__":
    asyncio.run(main())
