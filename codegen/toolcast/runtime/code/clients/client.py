"""The tools of a program, inside of a sandbox: `await files.edit(file_path="a.txt", …)`.

One file, and the standard library only (Python 3.9 or later). Saved as `toolcast_client.py`, it is imported:

    from toolcast_client import tools
    text = await tools.files.read(path="a.txt")

or runs a program, whose namespaces are there as globals and as modules, and which may use `await` at its top:

    python toolcast_client.py program.py

The variable TOOLCAST_CALLS says where calls go: `fd:3` is a socket that the process inherited, `fd:3,4` are a
pipe with the answers and one for the requests, `unix:/run/tools.sock` is the path of a socket.
"""

from __future__ import annotations
import __future__

import ast
import asyncio
import builtins
import inspect
import itertools
import json
import os
import socket
import sys
import threading
import traceback
import types
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import Future
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any


class ToolError(Exception):
    """A call without a result. The message says what to change.

    Attributes:
        kind: "arguments" (they do not fit the function), "refused" (nothing was done), "failed" (it ran, and
            failed), "unknown" (there is no such function), "request" (the request is none), or "ended" (no
            call is answered any more).
    """

    def __init__(self, kind: str, message: str) -> None:
        """Make an error.

        Args:
            kind: why there is no result.
            message: what to change.
        """
        super().__init__(message)
        self.kind = kind


class _Connection:
    def __init__(self, lines: Iterable[bytes], write: Callable[[bytes], object]) -> None:
        self._write = write
        self._writing = threading.Lock()
        self._lock = threading.Lock()  # never held while something is written: answers must be read meanwhile
        self._waiting: dict[int, Future[Any]] = {}
        self._ids = itertools.count(1)
        self._ended = ""
        threading.Thread(target=self._read, args=(lines,), name="toolcast", daemon=True).start()

    def request(self, **members: Any) -> Future[Any]:
        future: Future[Any] = Future()
        id = next(self._ids)
        line = json.dumps({"id": id, **members}, allow_nan=False).encode() + b"\n"
        with self._lock:
            if self._ended:
                future.set_exception(ToolError("ended", self._ended))
                return future
            self._waiting[id] = future
        try:
            with self._writing:
                self._write(line)
        except OSError:
            pass  # the reading thread sees the end, and why
        return future

    def _read(self, lines: Iterable[bytes]) -> None:
        reason = ""
        try:
            for line in lines:
                reason = self._take(json.loads(line)) or reason
        except (OSError, ValueError) as problem:
            reason = reason or f"The connection to the tools broke: {problem}."
        with self._lock:
            self._ended = reason or "The connection to the tools was closed."
            waiting = [*self._waiting.values()]
            self._waiting.clear()
        for future in waiting:
            _settle(future, None, ToolError("ended", self._ended))

    def _take(self, answer: Any) -> str:
        """Settle an answer; why no other follows, where it says that."""
        error = answer.get("error")
        with self._lock:
            future = self._waiting.pop(answer["id"], None)
        if future is None:
            return str(error["message"]) if error else ""
        _settle(future, answer.get("result"), ToolError(**error) if error else None)
        return ""


def _settle(future: Future[Any], result: Any, error: ToolError | None) -> None:
    if not future.set_running_or_notify_cancel():
        return  # nobody waits any more
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)


def _connect() -> _Connection:
    kind, _, place = os.environ.get("TOOLCAST_CALLS", "").partition(":")
    if kind == "fd" and "," in place:
        source, target = map(int, place.split(","))
        return _Connection(os.fdopen(source, "rb"), lambda line: _write(target, line))
    if kind == "fd":
        made = socket.socket(fileno=int(place))
    elif kind == "unix":
        made = socket.socket(socket.AF_UNIX)
        made.connect(place)
    else:
        raise RuntimeError("TOOLCAST_CALLS says where calls go: fd:N, fd:N,M or unix:PATH.")
    return _Connection(made.makefile("rb"), made.sendall)


def _write(target: int, line: bytes) -> None:
    left = memoryview(line)
    while left:
        left = left[os.write(target, left) :]


_connections: list[_Connection] = []
_connecting = threading.Lock()


def _request(**members: Any) -> Future[Any]:
    with _connecting:
        if not _connections:
            _connections.append(_connect())
    return _connections[0].request(**members)


def call(function: str, arguments: Mapping[str, Any] | None = None) -> Any:
    """Call a function and wait for its result, in a program without `await`.

    Args:
        function: its name, such as "files.edit".
        arguments: its arguments by name.

    Returns:
        The result.

    Raises:
        ToolError: there is none.
    """
    return _request(call=function, arguments=arguments or {}).result()


def list_tools(namespace: str = "") -> Any:
    """List what a namespace has.

    Args:
        namespace: its name; "" for the top.

    Returns:
        The names: {"namespaces": […], "functions": […]}.

    Raises:
        ToolError: there is no such namespace.
    """
    return _request(list=namespace).result()


def describe(name: str = "") -> Any:
    """Give the declarations of a namespace, or of one function.

    Args:
        name: its name; "" for all.

    Returns:
        The text.

    Raises:
        ToolError: there is no such name.
    """
    return _request(describe=name).result()


class _Name:
    """A namespace or a function: which of them, the server knows."""

    def __init__(self, path: str) -> None:
        self.__tools__ = path  # no function and no namespace has a name with two underscores before it

    def __getattr__(self, name: str) -> _Name:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Name(f"{self.__tools__}.{name}" if self.__tools__ else name)

    def __repr__(self) -> str:
        return f"<tools {self.__tools__}>"

    async def __call__(self, /, **arguments: Any) -> Any:
        return await asyncio.wrap_future(_request(call=self.__tools__, arguments=arguments))


tools = _Name("")


class _Namespaces(MetaPathFinder, Loader):
    """Namespaces as modules, which is how they are declared: `from files import edit`."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = names

    def find_spec(self, fullname: str, *_: Any) -> ModuleSpec | None:
        known = fullname.partition(".")[0] in self._names
        return ModuleSpec(fullname, self, is_package=True) if known else None

    def create_module(self, spec: ModuleSpec) -> Any:
        return _Name(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        pass


# Annotations may name declared types, which exist for type checkers only: they are not evaluated.
_FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | __future__.annotations.compiler_flag


def _run(path: str) -> None:
    """Run the program in the file `path`, which may use `await` at its top. Raises SystemExit with the
    exception that it ended with, and its lines within the program.
    """
    code = compile(Path(path).read_bytes(), path, "exec", flags=_FLAGS)
    top = list_tools()
    sys.meta_path.append(_Namespaces(top["namespaces"]))  # after all others: no module of Python is hidden
    names: dict[str, Any] = {
        "tools": tools,
        "describe": describe,
        "list_tools": list_tools,
        "ToolError": ToolError,
        **{name: getattr(tools, name) for name in (*top["namespaces"], *top["functions"])},
        "__builtins__": builtins,  # which Python 3.9 does not add
        "__name__": "__main__",
        "__file__": path,
    }
    work = types.FunctionType(code, names)
    try:
        if code.co_flags & inspect.CO_COROUTINE:
            asyncio.run(work())
        else:
            work()
    except Exception as problem:  # the program's
        # The lines of the program alone: whoever wrote it reads this.
        frames = [each for each in traceback.extract_tb(problem.__traceback__) if each.filename == path]
        text = [*traceback.format_list(frames), *traceback.format_exception_only(type(problem), problem)]
        sys.exit("".join(text).rstrip())


if __name__ == "__main__":
    # A program that imports the client by its name gets this module, and its connection.
    sys.modules["toolcast_client"] = sys.modules["__main__"]
    _run(sys.argv[1])
