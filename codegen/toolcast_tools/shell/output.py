"""Output of a process, of which the beginning and the end are kept."""

from collections import deque

from toolcast.runtime.middleware.truncate import HEAD


class Output:
    """Bytes that a process wrote since the last read, within a limit, for one thread at a time.

    However much is written, memory stays below the limit and one chunk.
    """

    def __init__(self, limit: int) -> None:
        """Make an empty one.

        Args:
            limit: bytes that are kept at most.
        """
        self._head_limit = int(limit * HEAD)
        self._tail_limit = limit - self._head_limit
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self._dropped = 0

    def add(self, chunk: bytes) -> None:
        """Append what the process wrote."""
        room = self._head_limit - len(self._head)
        if room > 0:
            self._head += chunk[:room]
            chunk = chunk[room:]
        if not chunk:
            return
        self._tail.append(chunk)
        self._tail_size += len(chunk)
        excess = self._tail_size - self._tail_limit
        while excess > 0:
            first = self._tail.popleft()
            self._dropped += min(excess, len(first))
            self._tail_size -= min(excess, len(first))
            if len(first) > excess:
                self._tail.appendleft(first[excess:])
            excess -= len(first)

    def take(self, final: bool) -> tuple[str, int]:
        """Read and forget what was written.

        Bytes that are no UTF-8 become U+FFFD. A character that is not complete yet is left for the next read.

        Returns the text; and how many bytes are missing from its middle, where a line says so.

        Args:
            final: whether nothing is written any more.
        """
        head, tail, dropped = bytes(self._head), b"".join(self._tail), self._dropped
        self._head.clear()
        self._tail.clear()
        self._tail_size = self._dropped = 0
        if not dropped:
            whole, rest = head + tail, b""
            if not final:
                whole, rest = _split_incomplete(whole)
            self.add(rest)
            return whole.decode("utf-8", "replace"), 0
        head, cut = _split_incomplete(head)
        start = _continued(tail)
        tail = tail[start:]
        rest = b""
        if not final:
            tail, rest = _split_incomplete(tail)
        self.add(rest)
        dropped += len(cut) + start
        line = f"\n[… {dropped} bytes are left out here …]\n"
        return head.decode("utf-8", "replace") + line + tail.decode("utf-8", "replace"), dropped


def _split_incomplete(data: bytes) -> tuple[bytes, bytes]:
    """`data` without the beginning of a character at its end, and that beginning."""
    for back in range(1, min(3, len(data)) + 1):
        byte = data[-back]
        if byte >= 0xC0:
            length = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return (data[:-back], data[-back:]) if back < length else (data, b"")
        if byte < 0x80:
            break
    return data, b""


def _continued(data: bytes) -> int:
    """Return the number of bytes at the beginning of `data` that continue a character, at most three."""
    count = 0
    while count < min(3, len(data)) and 0x80 <= data[count] < 0xC0:
        count += 1
    return count
