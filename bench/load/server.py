"""A model behind HTTP that asks for two calls a round, and checks what it is told of them.

    python -m bench.load.server

It prints its port, answers until standard input ends, and then prints its counts as JSON. A conversation
begins with the user's message `N of COPY`. Each round asks for a file's text and for the difference that an
edit of it would make: both results have words that only this conversation and this round have.
"""

import asyncio
import sys
from typing import Any

import msgspec
from msgspec import Struct

ROUNDS = 5
"""Rounds of calls before a conversation is done."""
_LARGEST = 4 * 2**20


class Counts(Struct):
    """What the server saw.

    Attributes:
        requests: requests that were answered.
        results: results that were checked.
        mixed: results with another conversation's or round's words.
        lost: calls that were not answered.
        surplus: results of calls that were not asked for, or a second one of the same call.
        conversations: conversations that were told that they are done.
    """

    requests: int = 0
    results: int = 0
    mixed: int = 0
    lost: int = 0
    surplus: int = 0
    conversations: int = 0


def answer(messages: list[Any], counts: Counts) -> dict[str, Any]:
    """Check the results of the last round, and ask for the next two calls."""
    name = str(messages[0]["content"])
    number = name.partition(" ")[0]
    turn = sum(message["role"] == "assistant" for message in messages)
    if turn:
        _check(messages, name, turn - 1, counts)
    counts.requests += 1
    if turn == ROUNDS:
        counts.conversations += 1
        message: dict[str, Any] = {"role": "assistant", "content": f"Done with {name}."}
    else:
        path = f"{number}.txt"
        edit = {"old_string": _marker(number), "new_string": _edited(name, turn)}
        asked = (
            ("file_read", {"file_path": path}),
            ("multi_edit", {"file_path": path, "edits": [edit], "dry_run": True}),
        )
        calls = [
            {
                "id": f"{tool} {name} {turn}",
                "type": "function",
                "function": {"name": tool, "arguments": msgspec.json.encode(arguments).decode()},
            }
            for tool, arguments in asked
        ]
        message = {"role": "assistant", "content": None, "tool_calls": calls}
    reason = "tool_calls" if "tool_calls" in message else "stop"
    return {"choices": [{"index": 0, "finish_reason": reason, "message": message}]}


def _marker(number: str) -> str:
    return f"<the words of {number}>"


def _edited(name: str, turn: int) -> str:
    return f"<{name} in turn {turn}>"


def _check(messages: list[Any], name: str, turn: int, counts: Counts) -> None:
    """Count what the last round's results are."""
    number = name.partition(" ")[0]
    expected = {
        f"file_read {name} {turn}": _marker(number),
        f"multi_edit {name} {turn}": _edited(name, turn),
    }
    for message in reversed(messages):
        if message["role"] != "tool":
            break
        counts.results += 1
        words = expected.pop(message["tool_call_id"], None)
        if words is None:
            counts.surplus += 1
        elif words not in message["content"]:
            counts.mixed += 1
    counts.lost += len(expected)


async def serve(counts: Counts) -> None:
    """Serve until standard input ends."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
                request = msgspec.json.decode(await reader.readexactly(length))
                body = msgspec.json.encode(answer(request["messages"], counts))
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body))
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0, limit=_LARGEST, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    server.close()


if __name__ == "__main__":
    counted = Counts()
    asyncio.run(serve(counted))
    print(msgspec.json.encode(counted).decode(), flush=True)
