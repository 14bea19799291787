"""Searching the web: what an engine is asked, what it finds, and what of that is kept."""

import re
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from html import unescape
from typing import Final, Literal, Protocol, TypeAlias

from msgspec import Struct

from ...hidden_characters import without_hidden
from ...runtime.errors import RefusalError
from .access_rules import is_name
from .urls import as_uri, read_url

Recency: TypeAlias = Literal["day", "week", "month", "year"]

_DAYS: Final[dict[Recency, int]] = {"day": 1, "week": 7, "month": 31, "year": 366}
_TAG: Final = re.compile(r"</?[a-z][^<>]{0,200}>", re.IGNORECASE)
_TITLE: Final = 300
_EXCERPT: Final = 1_000


class SearchQuery(Struct, frozen=True, kw_only=True):
    """What an engine is asked.

    Attributes:
        text: what to search for, as the model wrote it.
        max_results: results that are wanted, 1 to 50.
        allowed_domains: names; only pages of these and of names below them are wanted. Empty for any.
        blocked_domains: names whose pages are not wanted.
        recency: age of pages at most; None for any.
        language: preferred language, such as "en" or "pt-BR"; None for any.
    """

    text: str
    max_results: int = 10
    allowed_domains: tuple[str, ...] = ()
    blocked_domains: tuple[str, ...] = ()
    recency: Recency | None = None
    language: str | None = None

    @property
    def with_operators(self) -> str:
        """The text with the domains as operators (`site:`), which most engines read. What they make of them
        is checked in any case."""
        sites = " OR ".join(f"site:{domain}" for domain in self.allowed_domains)
        if len(self.allowed_domains) > 1:
            sites = f"({sites})"
        return " ".join(filter(None, [self.text, sites, *(f"-site:{each}" for each in self.blocked_domains)]))


class SearchResult(Struct, frozen=True, kw_only=True):
    """A result of an engine.

    Attributes:
        url: address of the page.
        title: its title; tags and entities of HTML are taken out.
        excerpt: some of its text; tags and entities of HTML are taken out.
        published: day of its publication; None where that is not known.
    """

    url: str
    title: str = ""
    excerpt: str = ""
    published: date | None = None


class SearchEngine(Protocol):
    """A search engine."""

    async def search(self, query: SearchQuery) -> list[SearchResult]:
        """Search.

        Args:
            query: what to search for.

        Returns:
            What was found, best match first; domains, age and number are checked by the caller.

        Raises:
            RefusalError: the engine does not answer, in words for the model.
        """
        ...


def domain(text: str) -> str:
    """Read a domain as models write it: `python.org`, `https://python.org/`, `*.python.org`.

    Args:
        text: a name, or a URL that has one.

    Returns:
        The name, in lower case and in its `xn--` form.

    Raises:
        RefusalError: it is none.
    """
    name = text.strip().lower().partition("://")[2] or text.strip().lower()
    name = re.split(r"[/?#]", name, maxsplit=1)[0].removeprefix("*.").strip(".")
    try:
        name = name if name.isascii() else name.encode("idna").decode("ascii")
    except UnicodeError:
        name = ""
    if not is_name(name):
        raise RefusalError(f"{text[:100]!r} is no domain: write a name such as python.org.")
    return name


def wanted_results(found: Iterable[SearchResult], query: SearchQuery, today: date) -> Iterator[SearchResult]:
    """What of an engine's results is what was asked for, each page once.

    Args:
        found: results, best match first.
        query: what was asked for.
        today: the day from which ages count.

    Yields:
        Results with plain text, at most `query.max_results`.
    """
    seen: set[str] = set()
    for each in found:
        if len(seen) >= query.max_results:
            return
        try:
            url = read_url(each.url)
        except RefusalError:
            continue
        uri = as_uri(url)
        if uri in seen or not _wanted(url.host, query) or _too_old(each, query, today):
            continue
        seen.add(uri)
        yield SearchResult(
            url=uri,
            title=_plain(each.title, _TITLE) or url.host,
            excerpt=_plain(each.excerpt, _EXCERPT),
            published=each.published,
        )


def _wanted(host: str, query: SearchQuery) -> bool:
    if any(_below(host, each) for each in query.blocked_domains):
        return False
    return not query.allowed_domains or any(_below(host, each) for each in query.allowed_domains)


def _below(host: str, name: str) -> bool:
    return host == name or host.endswith(f".{name}")


def _too_old(found: SearchResult, query: SearchQuery, today: date) -> bool:
    """Whether a page is known to be older; a day more is given for the time zones."""
    if query.recency is None or found.published is None:
        return False
    return found.published < today - timedelta(days=_DAYS[query.recency] + 1)


def _plain(text: str, length: int) -> str:
    plain = " ".join(without_hidden(unescape(_TAG.sub("", text[: 10 * length]))).split())
    return plain if len(plain) <= length else f"{plain[:length]}…"
