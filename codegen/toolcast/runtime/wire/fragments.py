"""Arguments that arrive in pieces: text fragments of JSON, call by call."""

from collections.abc import Hashable
from typing import Any

from ..arguments import MAX_TEXT

MAX_CALLS = 1024
"""Calls that one answer may hold at a time."""


class FragmentError(ValueError):
    """A stream that cannot be put together: too large, or not what its kind of stream may bring."""


class Fragments:
    """JSON text of the calls of one streamed answer, each put together from its fragments.

    `call` is whatever tells the provider's calls apart: OpenAI's `index` (chat) or `item_id` (responses),
    the index of Anthropic's content block (`partial_json`), Bedrock's `contentBlockIndex` (`input`),
    Cohere's `index`. Fragments of one call are all str or all bytes; bytes may be cut anywhere, also inside
    of a character. Nothing is parsed: hand what `done` returns to `decode` or `execute`.

    One object serves one answer, in one thread.
    """

    __slots__ = ("_calls", "_limit", "_size")

    def __init__(self, *, limit: int = MAX_TEXT) -> None:
        """`limit` bounds all that is held, in characters or bytes."""
        self._limit = limit
        self._size = 0
        self._calls: dict[Hashable, list[Any]] = {}

    @property
    def calls(self) -> tuple[Hashable, ...]:
        """Calls that have begun and are not done, in the order in which they began."""
        return tuple(self._calls)

    def add(self, fragment: str | bytes | None, call: Hashable = 0) -> None:
        """Take the next fragment. An empty one, or None, only begins its call.

        Raises FragmentError past the bounds, and TypeError for what is no text, or another kind of text.
        """
        pieces = self._calls.get(call)
        if pieces is None:
            if len(self._calls) >= MAX_CALLS:
                raise FragmentError(f"more than {MAX_CALLS} calls at once")
            pieces = self._calls[call] = []
        if fragment is None:
            return
        if not isinstance(fragment, (str, bytes)):
            raise TypeError(f"a fragment is str or bytes, not {type(fragment).__name__}")
        if not fragment:
            return
        if pieces and type(pieces[0]) is not type(fragment):
            raise TypeError("fragments of one call must be all str or all bytes")
        self._size += len(fragment)
        if self._size > self._limit:
            raise FragmentError(f"the arguments are too large: more than {self._limit} bytes or characters")
        pieces.append(fragment)

    def text(self, call: Hashable = 0) -> str:
        """What has come so far; a character that is cut off waits. "" for an unknown call."""
        whole = self._whole(call)
        if isinstance(whole, str):
            return whole
        return _complete(whole).decode("utf-8", "replace")

    def done(self, call: Hashable = 0) -> str | bytes:
        """The whole text, as str or bytes as it came, and no more of this call; "" if nothing came."""
        whole = self._whole(call)
        self._size -= sum(map(len, self._calls.pop(call, [])))
        return whole

    def _whole(self, call: Hashable) -> str | bytes:
        pieces = self._calls.get(call)
        if not pieces:
            return ""
        if isinstance(pieces[0], bytes):
            return b"".join(pieces)
        text: str = "".join(pieces)
        if text.isascii():
            return text
        # A stream of UTF-16 may be cut inside of a character: its halves are one again here.
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _complete(data: bytes) -> bytes:
    """`data` without the first bytes of a character that it ends in."""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte >= 0xC0:  # the first byte of a character says how long it is
            length = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return data[:-back] if length > back else data
        if byte < 0x80:
            break
    return data
