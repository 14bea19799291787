"""Pages that were read, and their parts: the parts of one page are of one version."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from time import monotonic

import msgspec
from msgspec import Struct


class Page(Struct, frozen=True, kw_only=True):
    """A page as it was read.

    Attributes:
        url: its final address.
        title: its title; None where it has none.
        content: all of it that can be read.
    """

    url: str
    title: str | None
    content: str


class Part(Struct, frozen=True):
    """A part of a page.

    Attributes:
        text: its characters.
        following: index of the next part; None at the end.
    """

    text: str
    following: int | None


def part_of(content: str, start: int, length: int, *, room: int, clean: Callable[[str], str]) -> Part:
    """Cut a part.

    Args:
        content: a page.
        start: index of its first character.
        length: characters at most.
        room: characters that its text may have as a string of JSON, quotes included; one character fits in
            any case.
        clean: what takes characters out of its text.

    Returns:
        The part, which is empty where `start` is at the end or beyond.
    """
    end = min(len(content), start + min(length, max(1, room)))
    if json_length(clean(content[start:end])) > room:
        fits = start + 1
        while end - fits > 1:
            middle = (fits + end) // 2
            if json_length(clean(content[start:middle])) > room:
                end = middle
            else:
                fits = middle
        end = fits
    return Part(clean(content[start:end]), end if end < len(content) else None)


def json_length(value: object) -> int:
    """Characters of a value as JSON."""
    return len(msgspec.json.encode(value).decode())


class PageCache:
    """The pages that were read last, within bounds of number, size and age. Safe from many threads."""

    def __init__(
        self, pages: int, characters: int, seconds: float, now: Callable[[], float] = monotonic
    ) -> None:
        """Make an empty cache.

        Args:
            pages: pages at most.
            characters: characters of all pages at most.
            seconds: time for which a page is kept.
            now: a clock, in seconds.
        """
        self._pages = pages
        self._characters = characters
        self._seconds = seconds
        self._now = now
        self._kept: OrderedDict[tuple[str, str], tuple[float, Page]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: tuple[str, str]) -> Page | None:
        """The page of a key; None where there is none, or it is too old."""
        with self._lock:
            self._drop_old()
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key][1]

    def put(self, key: tuple[str, str], page: Page) -> None:
        """Keep a page, in the place of others where there is no room."""
        with self._lock:
            self._kept.pop(key, None)
            self._drop_old()
            self._kept[key] = self._now() + self._seconds, page
            size = sum(len(each.content) for _, each in self._kept.values())
            while len(self._kept) > self._pages or size > self._characters:
                _, (_, gone) = self._kept.popitem(last=False)
                size -= len(gone.content)

    def clear(self) -> None:
        """Forget all pages."""
        with self._lock:
            self._kept.clear()

    def _drop_old(self) -> None:
        now = self._now()
        for key in [key for key, (until, _) in self._kept.items() if until <= now]:
            del self._kept[key]
