"""Bodies decompressed within a limit.

The decoders of httpx return whatever one piece expands to: 64 kB of zstd can be gigabytes. Here the limit is
part of each call, so only what zlib can bound is asked for.
"""

import zlib
from typing import Final

ACCEPTED: Final = "gzip, deflate"
"""The value of `Accept-Encoding`."""
_OVERHEAD: Final = 65_536
"""Bytes that an encoded body may have beyond its limit of decoded ones: it may expand to nothing."""


class EncodingError(Exception):
    """A body in an encoding that was not asked for, or that is not what it says."""


class Decompressor:
    """Reads the pieces of one body, and keeps at most `limit` bytes of what they expand to."""

    def __init__(self, encoding: str, limit: int) -> None:
        """Start a body of which `limit` bytes are kept. Raises EncodingError for a `Content-Encoding` that
        was not asked for.
        """
        names = [
            name for each in encoding.lower().split(",") if (name := each.strip()) not in ("", "identity")
        ]
        if len(names) > 1 or not {*names} <= {"gzip", "x-gzip", "deflate"}:
            # Without the names: a server writes what it likes there.
            raise EncodingError(f"its encoding was not asked for, which was {ACCEPTED}")
        self._kind = names[0] if names else ""
        self._decoder = zlib.decompressobj(zlib.MAX_WBITS | 16) if self._kind.endswith("gzip") else None
        self._head = b""
        self._begun = False
        self._left = limit
        self._encoded_left = limit + _OVERHEAD
        self.pieces: list[bytes] = []
        self.full = False

    def feed(self, piece: bytes) -> None:
        """Take the next piece; `full` is set where there is more than `limit` bytes, or far more encoded.
        Raises EncodingError for bytes that are not in the encoding.
        """
        if self.full or not piece:
            return
        data = self._expand(piece) if self._kind else piece
        self._encoded_left -= len(piece)
        self.full = len(data) > self._left or self._encoded_left < 0
        data = data[: self._left]
        self._left -= len(data)
        self.pieces.append(data)

    @property
    def complete(self) -> bool:
        """Return whether the body ended where its encoding ends; one without a byte has none."""
        if self.full or not self._kind:
            return not self.full
        return not self._head if self._decoder is None else self._decoder.eof or not self._begun

    @property
    def content(self) -> bytes:
        """Return what was kept."""
        return b"".join(self.pieces)

    def _expand(self, piece: bytes) -> bytes:
        """At most one byte more than is left. What follows the end of the encoded data is ignored."""
        self._begun = True
        if self._decoder is None:
            self._head += piece
            if len(self._head) < 2:
                return b""
            piece, self._head = self._head, b""
            self._decoder = zlib.decompressobj(zlib.MAX_WBITS if _is_zlib(piece) else -zlib.MAX_WBITS)
        if self._decoder.eof:
            return b""
        try:
            return self._decoder.decompress(piece, self._left + 1)
        except zlib.error as problem:
            raise EncodingError(f"it is no {self._kind} ({problem})") from None


def _is_zlib(head: bytes) -> bool:
    """Return whether data begins as RFC 1950 has it: "deflate" is zlib (RFC 9110, 8.4.1.2), and some servers
    send it without its head.
    """
    return head[0] & 0x0F == 8 and int.from_bytes(head[:2], "big") % 31 == 0
