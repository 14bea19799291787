"""`ActionResult` of the Remote Execution API v2, as far as an entry uses it: servers accept nothing else.

Field numbers are those of build/bazel/remote/execution/v2/remote_execution.proto. Servers add fields of their
own (who uploaded it), so what is not known is passed over.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

_OUTPUT_FILES, _STDOUT_RAW = 2, 5  # of ActionResult
_PATH, _DIGEST = 1, 2  # of OutputFile
_HASH, _SIZE = 1, 2  # of Digest
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_SHA256 = re.compile(r"[0-9a-f]{64}")


class Output(Struct, frozen=True):
    """One output file: its name, and the digest and size of its blob."""

    path: str
    hash: str
    size: int


class Action(Struct, frozen=True):
    """`stdout` travels inside the entry, so reading it costs no further request."""

    outputs: tuple[Output, ...]
    stdout: bytes = b""


def encode_action(action: Action) -> bytes:
    """The message in its binary form."""
    parts: list[bytes] = []
    for output in action.outputs:
        digest = _field(_HASH, output.hash.encode()) + _tag(_SIZE, _VARINT) + _varint(output.size)
        parts.append(_field(_OUTPUT_FILES, _field(_PATH, output.path.encode()) + _field(_DIGEST, digest)))
    if action.stdout:
        parts.append(_field(_STDOUT_RAW, action.stdout))
    return b"".join(parts)


def decode_action(data: bytes) -> Action:
    """Read a message. Raises ValueError for bytes that are none, or that name no proper blob."""
    outputs: list[Output] = []
    stdout = b""
    for number, value in _fields(data):
        if number == _OUTPUT_FILES:
            outputs.append(_output(_message(value)))
        elif number == _STDOUT_RAW:
            stdout = _message(value)
    return Action(tuple(outputs), stdout)


def _output(data: bytes) -> Output:
    path, hash, size = "", "", 0
    for number, value in _fields(data):
        if number == _PATH:
            path = _message(value).decode()
        elif number == _DIGEST:
            for inner, part in _fields(_message(value)):
                if inner == _HASH:
                    hash = _message(part).decode()
                elif inner == _SIZE:
                    size = part if isinstance(part, int) else -1
    if not path or not _SHA256.fullmatch(hash) or not 0 < size < 1 << 63:
        raise ValueError("an output file without a name or a proper digest")
    return Output(path, hash, size)


def _message(value: int | bytes) -> bytes:
    if isinstance(value, int):
        raise ValueError("a number where bytes should be")
    return value


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    at = 0
    while at < len(data):
        key, at = _read(data, at)
        number, kind = key >> 3, key & 7
        if not number:
            raise ValueError("a field without a number")
        if kind == _VARINT:
            value, at = _read(data, at)
            yield number, value
            continue
        if kind == _BYTES:
            size, at = _read(data, at)
        elif kind in (_FIXED32, _FIXED64):
            size = 4 if kind == _FIXED32 else 8
        else:
            raise ValueError(f"wire type {kind} is none of ours")
        if size > len(data) - at:
            raise ValueError("the message ends too early")
        if kind == _BYTES:
            yield number, data[at : at + size]
        at += size


def _read(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            raise ValueError("the message ends too early")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise ValueError("a number that does not end")


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _tag(number: int, kind: int) -> bytes:
    return _varint(number << 3 | kind)


def _field(number: int, data: bytes) -> bytes:
    return _tag(number, _BYTES) + _varint(len(data)) + data
