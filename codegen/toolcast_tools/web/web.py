"""The handlers of the group `web`: http_request, web_fetch and web_search."""

import asyncio
import ssl
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from functools import cached_property
from math import ceil
from typing import Final

import httpx
from msgspec import Struct
from msgspec.structs import asdict
from toolcast.hidden_characters import without_hidden
from toolcast.runtime.context import ToolContext
from toolcast.runtime.errors import RefusalError

from ..generated.web.http_request import HttpRequestParams, HttpRequestResult
from ..generated.web.web_fetch import WebFetchParams, WebFetchResult
from ..generated.web.web_search import WebSearchParams, WebSearchResult, WebSearchResultResultsItem
from ..libraries import require
from ..output_limit import OUTPUT_LIMIT
from .access_rules import AccessRules, as_uri, read_url, shown
from .api_request import build_request, to_result
from .body_text import is_html, page_text
from .exchange import Bounds, ConnectionSettings, Resolve, WebRequest, exchange, system_resolve
from .extract_page import Extract, ExtractionJob
from .pages import (
    SYSTEM,
    Answer,
    Page,
    PageCache,
    PageQuestion,
    as_message,
    json_length,
    part_of,
    readable_page,
)
from .search_engines import SearchEngine, SearchQuery, domain, wanted_results


class WebLimits(Struct, frozen=True, kw_only=True):
    """Limits of the tools of the web.

    Attributes:
        body_bytes: bytes of a response that http_request returns, decompressed.
        header_characters: characters of its headers that it returns.
        page_bytes: bytes that a page may have for web_fetch, decompressed.
        redirects: redirects that one call follows.
        fetch_seconds: time in which web_fetch must have the page.
        extraction_seconds: time in which a page must have become readable; half of it as CPU time.
        extraction_bytes: address space of the process that makes it readable.
        extractions: such processes at once; a page waits for one as long as it may take itself.
        content_characters: characters of a page's content at most.
        result_characters: characters of a result of web_fetch as JSON. A part of a page ends where it would
            have more, whatever `max_length` says, so that nothing is cut from it afterwards: set it to the
            `output_limit` of the registry. Addresses and titles leave at least one character of content.
        cached_pages: pages that are kept, for their next parts.
        cached_characters: characters of all of them.
        cached_seconds: time for which a page is kept.
        answer_characters: characters of a page that a model gets with a `prompt`.
        answer_seconds: time in which `answer` must have answered.
        search_seconds: time in which the engine must have searched.
    """

    body_bytes: int = 100_000
    header_characters: int = 16_000
    page_bytes: int = 5_000_000
    redirects: int = 10
    fetch_seconds: float = 30.0
    extraction_seconds: float = 20.0
    extraction_bytes: int = 1_000_000_000
    extractions: int = 4
    content_characters: int = 2_000_000
    result_characters: int = OUTPUT_LIMIT
    cached_pages: int = 16
    cached_characters: int = 8_000_000
    cached_seconds: float = 900.0
    answer_characters: int = 100_000
    answer_seconds: float = 120.0
    search_seconds: float = 30.0

    def __post_init__(self) -> None:
        """Raise ValueError where a limit is not positive."""
        for name, value in asdict(self).items():
            if not value > 0:
                raise ValueError(f"{name} must be positive.")


_ACCEPT: Final = "text/html,application/xhtml+xml,text/plain;q=0.9,application/json;q=0.9,*/*;q=0.5"
_ANSWER_TOKENS: Final = 2_000


class Web:
    """The web, for tools: requests within rules, readable pages, a search engine.

    Every call has connections of its own, so an object serves any number of event loops, and no cookie, login
    or proxy of one call or of the environment reaches another one.
    """

    def __init__(
        self,
        *,
        rules: AccessRules | None = None,
        limits: WebLimits | None = None,
        search: SearchEngine | None = None,
        answer: Answer | None = None,
        resolve: Resolve = system_resolve,
        tls: ssl.SSLContext | None = None,
        user_agent: str = "toolcast",
    ) -> None:
        """Make the tools.

        Args:
            rules: what requests may reach; by default any public address over https and http. They do not
                hold for the search engine, which the program names.
            limits: limits of size, time and number.
            search: the search engine; without one, web_search should not be offered.
            answer: has a model answer the `prompt` of web_fetch; by default the model of whoever makes the
                call, where there is one.
            resolve: gives the addresses of names; the system's resolver by default.
            tls: certificates that are trusted; those of httpx by default.
            user_agent: value of `User-Agent` where a call does not have its own.

        Raises:
            ImportError: trafilatura, or a part of it, is not installed.
        """
        require("Web", "trafilatura", "charset_normalizer")
        self._rules = rules or AccessRules()
        self._limits = limits or WebLimits()
        self._search = search
        self._answer = answer
        self._resolve = resolve
        self._tls = tls
        self._user_agent = user_agent
        self._cache = PageCache(
            self._limits.cached_pages, self._limits.cached_characters, self._limits.cached_seconds
        )
        self._threads = ThreadPoolExecutor(self._limits.extractions, thread_name_prefix="toolcast-web")
        self._closed = False

    @property
    def can_search(self) -> bool:
        """Tell whether there is a search engine, so that web_search can be offered."""
        return self._search is not None

    async def http_request(self, params: HttpRequestParams, context: ToolContext, /) -> HttpRequestResult:
        """Send a request.

        Args:
            params: the request.
            context: circumstances of the call.

        Returns:
            The response, whatever its status.

        Raises:
            RefusalError: the request cannot or must not be sent, or there is no response.
        """
        del context
        self._check_open()
        bounds = Bounds(
            seconds=params.timeout,
            content=self._limits.body_bytes,
            redirects=self._limits.redirects if params.follow_redirects else 0,
        )
        response = await exchange(self._connection_settings, build_request(params), bounds)
        return to_result(response, self._limits.header_characters)

    async def web_fetch(self, params: WebFetchParams, context: ToolContext, /) -> WebFetchResult:
        """Read a page, or a part of it.

        Args:
            params: which page.
            context: circumstances of the call.

        Returns:
            The content; with a `prompt`, a model's answer from it.

        Raises:
            RefusalError: the page cannot be read.
        """
        self._check_open()
        if params.prompt is not None and self._answer is None and not context.can_sample:
            raise RefusalError(
                "There is no model that could answer the prompt. Leave it out, and read the page itself."
            )
        key = params.url, params.format
        page = self._cache.get(key) if params.start_index else None
        if page is None:
            page = await self._read(params)
            self._cache.put(key, page)
        if params.start_index and params.start_index >= len(page.content):
            raise RefusalError(
                f"start_index {params.start_index} is beyond the end: {shown(params.url)} has "
                f"{len(page.content)} characters as {params.format}."
            )
        clean = str if params.format == "html" else without_hidden
        length, room = params.max_length, self._room(page)
        if params.prompt is not None:
            length = self._limits.answer_characters
            room = json_length("\0") * length  # the model that answers gets text: no character is longer
        part = part_of(page.content, params.start_index, length, room=room, clean=clean)
        text = part.text
        if params.prompt is not None:
            question = PageQuestion(question=params.prompt, url=page.url, title=page.title, content=text)
            text = (await self._answered(question, context))[: params.max_length]
        return WebFetchResult(url=page.url, title=page.title, content=text, next_index=part.following)

    async def web_search(self, params: WebSearchParams, context: ToolContext, /) -> WebSearchResult:
        """Search the web.

        Args:
            params: what to search for.
            context: circumstances of the call.

        Returns:
            What was found, best match first.

        Raises:
            RefusalError: there is no engine, or it does not answer.
        """
        del context
        self._check_open()
        if self._search is None:
            raise RefusalError("The program has no search engine. Go on without a search, or tell the user.")
        query = SearchQuery(
            text=params.query,
            max_results=params.max_results,
            allowed_domains=tuple(map(domain, params.allowed_domains)),
            blocked_domains=tuple(map(domain, params.blocked_domains)),
            recency=params.recency or None,
            language=params.language,
        )
        try:
            async with asyncio.timeout(self._limits.search_seconds):
                found = await self._search.search(query)
        except TimeoutError:
            raise RefusalError(
                f"The search engine did not answer within {self._limits.search_seconds:g} s. Try again "
                "later, or go on without a search."
            ) from None
        return WebSearchResult(
            results=[
                WebSearchResultResultsItem(
                    title=each.title,
                    url=each.url,
                    excerpt=each.excerpt,
                    published=each.published.isoformat() if each.published else None,
                )
                for each in wanted_results(found, query, date.today())
            ]
        )

    async def aclose(self) -> None:
        """Refuse further calls, and forget the pages. Calls that run end by their own limits, and release
        what they hold. Safe to call twice."""
        self._closed = True
        self._threads.shutdown(wait=False)
        self._cache.clear()

    @cached_property
    def _connection_settings(self) -> ConnectionSettings:
        """Raise RefusalError, and is tried again by the next call."""
        try:
            tls = self._tls or httpx.create_ssl_context()
        except OSError as problem:
            raise RefusalError(
                "The certificates that are trusted cannot be read: "
                f"{problem.strerror or 'the system refuses'}. Try again later, or tell the user."
            ) from problem
        return ConnectionSettings(
            rules=self._rules,
            tls=tls,
            resolve=self._resolve,
            user_agent=self._user_agent,
        )

    def _check_open(self) -> None:
        if self._closed:
            raise RefusalError("The tools of the web were closed; the program is ending.")

    def _room(self, page: Page) -> int:
        """Characters that are left for a part of a page in a result, as a string of JSON."""
        without = WebFetchResult(url=page.url, title=page.title, content="", next_index=len(page.content))
        return self._limits.result_characters - json_length(without) + len('""')

    async def _read(self, params: WebFetchParams) -> Page:
        """Get a page, and make it readable."""
        request = WebRequest(method="GET", url=read_url(params.url), headers=(("Accept", _ACCEPT),))
        bounds = Bounds(
            seconds=self._limits.fetch_seconds,
            content=self._limits.page_bytes,
            redirects=self._limits.redirects,
        )
        response = await exchange(self._connection_settings, request, bounds)
        text = page_text(response, self._limits.page_bytes)
        url = as_uri(response.url)
        if params.format == "html" or not is_html(response, text):
            return Page(url=url, title=None, content=text[: self._limits.content_characters])
        extract = await self._extracted(text, url, params.format)
        return Page(url=url, title=extract.title and without_hidden(extract.title), content=extract.content)

    async def _extracted(self, text: str, url: str, form: str) -> Extract:
        """Make HTML readable, in one of a few processes."""
        seconds = self._limits.extraction_seconds
        job = ExtractionJob(
            url=url,
            form=form,
            seconds=ceil(seconds / 2),
            memory=self._limits.extraction_bytes,
            characters=self._limits.content_characters,
        )
        self._check_open()
        try:
            async with asyncio.timeout(2 * seconds):
                loop = asyncio.get_running_loop()
                return await loop.run_in_executor(self._threads, readable_page, text, job, seconds)
        except TimeoutError:
            raise RefusalError(
                f"{shown(url)} was not made readable: too many pages are read at once. Fetch it again later."
            ) from None

    async def _answered(self, question: PageQuestion, context: ToolContext) -> str:
        """Return a model's answer to a question; the program's model before that of whoever makes the
        call.
        """
        if self._answer is None:
            sampled = await context.sample(
                as_message(question), system=SYSTEM, max_tokens=_ANSWER_TOKENS, temperature=0.0
            )
            return sampled.text
        try:
            async with asyncio.timeout(self._limits.answer_seconds):
                return await self._answer(question)
        except TimeoutError:
            raise RefusalError(
                f"The model did not answer the prompt within {self._limits.answer_seconds:g} s. Leave it "
                "out, and read the page itself."
            ) from None
