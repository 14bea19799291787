"""`ActionResult` of the Remote Execution API v2, as far as an entry uses it: servers accept nothing else.

Field numbers are those of build/bazel/remote/execution/v2/remote_execution.proto. Servers add fields of their
own (who uploaded it), so unknown fields are skipped.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

_OUTPUT_FILES, _STDOUT_RAW = 2, 5  # of ActionResult
_PATH, _DIGEST = 1, 2  # of OutputFile
_HASH, _SIZE = 1, 2  # of Digest
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_SHA256 = re.compile(rb"[0-9a-f]{64}")


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
        digest = _field(_HASH, output.hash.encode()) + _varint(_SIZE << 3 | _VARINT) + _varint(output.size)
        parts.append(_field(_OUTPUT_FILES, _field(_PATH, output.path.encode()) + _field(_DIGEST, digest)))
    if action.stdout:
        parts.append(_field(_STDOUT_RAW, action.stdout))
    return b"".join(parts)


def decode_action(data: bytes) -> Action:
    """Read a message. Raises ValueError for bytes that are none, or that name no proper blob."""
    fields = list(_fields(data))
    outputs = tuple(_output(_bytes(value)) for number, value in fields if number == _OUTPUT_FILES)
    stdout = [_bytes(value) for number, value in fields if number == _STDOUT_RAW]
    return Action(outputs, stdout[-1] if stdout else b"")


def _output(data: bytes) -> Output:
    fields = dict(_fields(data))
    digest = dict(_fields(_bytes(fields.get(_DIGEST, b""))))
    path, hash, size = _bytes(fields.get(_PATH, b"")), _bytes(digest.get(_HASH, b"")), digest.get(_SIZE)
    if not path or not _SHA256.fullmatch(hash) or not isinstance(size, int) or not 0 < size < 1 << 63:
        raise ValueError("an output file without a name or a proper digest")
    return Output(path.decode(), hash.decode(), size)


def _bytes(value: int | bytes) -> bytes:
    if isinstance(value, int):
        raise ValueError("a number where bytes should be")
    return value


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    at = 0
    while at < len(data):
        key, at = _read(data, at)
        number, kind = key >> 3, key & 7
        if not number or kind not in (_VARINT, _BYTES, _FIXED32, _FIXED64):
            raise ValueError(f"a field {number} of wire type {kind}")
        if kind == _VARINT:
            value, at = _read(data, at)
            yield number, value
            continue
        size = {_FIXED32: 4, _FIXED64: 8}.get(kind, 0)
        if kind == _BYTES:
            size, at = _read(data, at)
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
        value |= (data[at] & 0x7F) << shift
        at += 1
        if data[at - 1] < 0x80:
            return value, at
    raise ValueError("a number that does not end")


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*out, value))


def _field(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | _BYTES) + _varint(len(data)) + data
