"""Searches of the web: by SearXNG, which one runs oneself, or by Brave's API."""

import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from datetime import date, timedelta
from html import unescape
from typing import Final, Literal, Protocol, TypeAlias, TypeVar
from urllib.parse import urlencode

import httpx
import msgspec
from msgspec import Struct
from toolcast.hidden_characters import without_hidden
from toolcast.runtime.errors import RefusalError

from .access_rules import AccessRules, as_uri, is_name, read_url
from .exchange import Bounds, ConnectionSettings, WebRequest, exchange

_Recency: TypeAlias = Literal["day", "week", "month", "year"]

_DAYS: Final[dict[_Recency, int]] = {"day": 1, "week": 7, "month": 31, "year": 366}
_TAG: Final = re.compile(r"</?[a-z][^<>]{0,200}>", re.IGNORECASE)
_TITLE: Final = 300
_EXCERPT: Final = 1_000


class SearchQuery(Struct, frozen=True, kw_only=True):
    """A query to a search engine.

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
    recency: _Recency | None = None
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

    Returns the name, in lower case and in its `xn--` form. Raises RefusalError: it is none.

    Args:
        text: a name, or a URL that has one.
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
    """Select the results that the query asks for, each page once.

    Yields results with plain text, at most `query.max_results`.

    Args:
        found: results, best match first.
        query: what was asked for.
        today: the day from which ages count.
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
    """Return whether a page is known to be older; a day more is given for the time zones."""
    if query.recency is None or found.published is None:
        return False
    return found.published < today - timedelta(days=_DAYS[query.recency] + 1)


def _plain(text: str, length: int) -> str:
    plain = " ".join(without_hidden(unescape(_TAG.sub("", text[: 10 * length]))).split())
    return plain if len(plain) <= length else f"{plain[:length]}…"


T = TypeVar("T")

_BYTES: Final = 4_000_000
_PAGES: Final = 3
"""Pages of results that one search asks for at most."""
_ANY_ADDRESS: Final = AccessRules(allow_addresses=("0.0.0.0/0", "::/0"))
"""The program names the engine, so it may be on this machine or in a private network."""
_BRAVE: Final = "https://api.search.brave.com/res/v1/web/search"
_LANGUAGES: Final = {
    "ja": "jp", "pt": "pt-br", "pt-PT": "pt-pt", "zh": "zh-hans", "zh-TW": "zh-hant", "en-GB": "en-gb",
}  # fmt: skip
"""Brave's own codes of languages, where they are not those of ISO 639."""
_FRESHNESS: Final = {"day": "pd", "week": "pw", "month": "pm", "year": "py"}


class _SearxResult(Struct, frozen=True):
    url: str = ""
    title: str | None = None
    content: str | None = None
    publishedDate: str | None = None  # noqa: N815  # the API's name


class _SearxAnswer(Struct, frozen=True):
    results: list[_SearxResult] = []


class _BraveResult(Struct, frozen=True):
    url: str = ""
    title: str | None = None
    description: str | None = None
    page_age: str | None = None


class _BraveResults(Struct, frozen=True):
    results: list[_BraveResult] = []


class _BraveQuery(Struct, frozen=True):
    more_results_available: bool = False


class _BraveAnswer(Struct, frozen=True):
    web: _BraveResults | None = None
    query: _BraveQuery | None = None


class SearXng:
    """A SearXNG instance, asked by its search API; its settings must allow the format `json`.

    Source: docs.searxng.org/dev/search_api.
    """

    def __init__(self, url: str, *, timeout: float = 15.0, categories: str = "general") -> None:
        """Name an instance.

        Args:
            url: its address, of http or https; it may be on this machine.
            timeout: seconds for one page of results.
            categories: its categories to search in, separated by commas.

        Raises:
            ValueError: `url` is no address, or `timeout` is not positive.
        """
        self._url = _engine_url(url, timeout)
        self._timeout = timeout
        self._categories = categories
        self._connection_settings = ConnectionSettings(rules=_ANY_ADDRESS, tls=httpx.create_ssl_context())

    async def search(self, query: SearchQuery) -> list[SearchResult]:
        """Search.

        Args:
            query: what to search for.

        Returns:
            What was found, best match first.

        Raises:
            RefusalError: the instance does not answer as it should.
        """
        return await _pages(lambda page: self._page(query, page), query.max_results)

    async def _page(self, query: SearchQuery, page: int) -> tuple[list[SearchResult], bool]:
        address = f"{self._url.rstrip('/')}/search?{urlencode(self._parameters(query, page + 1))}"
        answer = await _ask(self._connection_settings, address, {}, self._timeout, _SearxAnswer)
        found = [_result(each.url, each.title, each.content, each.publishedDate) for each in answer.results]
        return found, True

    def _parameters(self, query: SearchQuery, page: int) -> dict[str, str]:
        parameters = {
            "q": query.with_operators,
            "format": "json",
            "categories": self._categories,
            "pageno": str(page),
        }
        if query.recency:
            parameters["time_range"] = query.recency
        if query.language:
            parameters["language"] = query.language
        return parameters


class Brave:
    """The web search API of Brave.

    Source: api.search.brave.com/app/documentation/web-search.
    """

    def __init__(self, key: Callable[[], str], *, url: str = _BRAVE, timeout: float = 15.0) -> None:
        """Name a subscription.

        Args:
            key: gives the subscription token, for each search.
            url: address of the API.
            timeout: seconds for one page of results.

        Raises:
            ValueError: `url` is no address, or `timeout` is not positive.
        """
        self._key = key
        self._url = _engine_url(url, timeout)
        self._timeout = timeout
        self._connection_settings = ConnectionSettings(rules=_ANY_ADDRESS, tls=httpx.create_ssl_context())

    async def search(self, query: SearchQuery) -> list[SearchResult]:
        """Search.

        Args:
            query: what to search for.

        Returns:
            What was found, best match first.

        Raises:
            RefusalError: the API does not answer as it should.
        """
        headers = {"X-Subscription-Token": self._key()}
        return await _pages(lambda page: self._page(query, page, headers), query.max_results)

    async def _page(
        self, query: SearchQuery, page: int, headers: Mapping[str, str]
    ) -> tuple[list[SearchResult], bool]:
        address = f"{self._url}?{urlencode(_brave_parameters(query, page))}"
        answer = await _ask(self._connection_settings, address, headers, self._timeout, _BraveAnswer)
        results = answer.web.results if answer.web else []
        found = [_result(each.url, each.title, each.description, each.page_age) for each in results]
        return found, answer.query is not None and answer.query.more_results_available


async def _pages(
    ask: Callable[[int], Awaitable[tuple[list[SearchResult], bool]]], wanted: int
) -> list[SearchResult]:
    """Return the results of page after page, from 0 on, until there are enough or no more.

    Args:
        ask: gives the results of a page, and whether there may be another one.
    """
    found: list[SearchResult] = []
    for page in range(_PAGES):
        results, more = await ask(page)
        found += results
        if not results or not more or len(found) >= wanted:
            break
    return found


def _result(url: str, title: str | None, excerpt: str | None, published: str | None) -> SearchResult:
    return SearchResult(url=url, title=title or "", excerpt=excerpt or "", published=_day(published))


def _brave_parameters(query: SearchQuery, page: int) -> dict[str, str]:
    parameters = {
        "q": query.with_operators[:400],  # the API's limit
        "count": str(min(20, query.max_results)),
        "offset": str(page),
        "text_decorations": "false",
    }
    if query.recency:
        parameters["freshness"] = _FRESHNESS[query.recency]
    if query.language:
        language = query.language.partition("-")[0]
        parameters["search_lang"] = _LANGUAGES.get(query.language) or _LANGUAGES.get(language, language)
    return parameters


async def _ask(
    settings: ConnectionSettings, address: str, headers: Mapping[str, str], seconds: float, answer: type[T]
) -> T:
    """Ask an API that answers in JSON. Raises RefusalError."""
    request = WebRequest(
        method="GET",
        url=read_url(address),
        headers=(("Accept", "application/json"), *headers.items()),
    )
    response = await exchange(settings, request, Bounds(seconds=seconds, content=_BYTES, redirects=0))
    if response.status != 200:
        raise RefusalError(
            f"The search engine answered with status {response.status}. "
            + (
                "Wait before you search again."
                if response.status == 429
                else "No argument changes that: go on without a search, or tell the user."
            )
        )
    try:
        if response.full:
            raise ValueError("too long")
        return msgspec.json.decode(response.content, type=answer)
    # msgspec's errors are ValueErrors, and so is a text that is no Unicode.
    except (ValueError, RecursionError):
        raise RefusalError(
            "The search engine's answer is too long or not as its API says. Search for something else, or go "
            "on without a search."
        ) from None


def _engine_url(url: str, timeout: float) -> str:
    if not timeout > 0:
        raise ValueError("timeout must be positive.")
    try:
        read = read_url(url)
    except RefusalError as problem:
        raise ValueError(str(problem)) from None
    if read.query:
        raise ValueError("the address of a search engine must have no query.")
    return str(read)


def _day(text: str | None) -> date | None:
    """Return the day of a date or a time of ISO 8601; None for anything else."""
    try:
        return date.fromisoformat((text or "")[:10])
    except ValueError:
        return None
