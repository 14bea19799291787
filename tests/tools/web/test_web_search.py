"""web_search: the engines' APIs over sockets, and what is kept of their results."""

import asyncio
import json
from datetime import date, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime import RefusalError
from toolcast_tools.generated.web.web_search import WebSearchResult
from toolcast_tools.web import Brave, SearchQuery, SearchResult, SearXng, Web, WebLimits
from toolcast_tools.web.search_engines import domain, wanted_results

from tests.tools.web.servers import Asked, refusal, response, search, serving, web

TODAY = date(2026, 11, 21)
SEARX = {
    "query": "x",
    "results": [
        {
            "url": "https://docs.python.org/3/",
            "title": "Docs",
            "content": "The <b>docs</b> &amp; more",
            "score": 2,
        },
        {"url": "https://evil.example/python.org", "title": "no", "content": ""},
        {
            "url": "https://python.org/a",
            "title": None,
            "content": None,
            "publishedDate": "2026-11-02T10:00:00",
        },
    ],
    "answers": [],
}
BRAVE = {
    "query": {"original": "x", "more_results_available": False},
    "web": {
        "results": [
            {
                "url": "https://a.example/",
                "title": "A",
                "description": "<strong>x</strong>",
                "page_age": "2026-01-05",
            }
        ]
    },
}


def parameters(asked: Asked) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(asked.target).query).items()}


def refused(tools: Web, **options: Any) -> str:
    return refusal(search, tools, "anything", **options)


def test_searxng_is_asked_by_its_api() -> None:
    with serving(lambda _: response(json.dumps(SEARX), kind="application/json")) as server:
        tools = web(search=SearXng(server.url("/searx/")))
        result = search(
            tools,
            "structs",
            allowed_domains=["https://Python.org/x", "*.pypi.org"],
            blocked_domains=["old.python.org"],
            max_results=2,
            language="pt-BR",
        )
    assert urlsplit(server.asked[0].target).path == "/searx/search"
    assert parameters(server.asked[0]) == {
        "q": "structs (site:python.org OR site:pypi.org) -site:old.python.org",
        "format": "json",
        "categories": "general",
        "pageno": "1",
        "language": "pt-BR",
    }
    assert msgspec.to_builtins(result) == {
        "results": [
            {
                "title": "Docs",
                "url": "https://docs.python.org/3/",
                "excerpt": "The docs & more",
                "published": None,
            },
            {"title": "python.org", "url": "https://python.org/a", "excerpt": "", "published": "2026-11-02"},
        ]
    }


def test_searxng_is_asked_for_more_pages_where_one_has_too_few() -> None:
    def script(asked: Asked) -> bytes:
        page = int(parameters(asked)["pageno"])
        results = [{"url": f"https://x.example/{page}/{i}", "title": "t"} for i in range(4)]
        return response(json.dumps({"results": results}))

    with serving(script) as server:
        result = search(web(search=SearXng(server.url())), "many", max_results=6)
        assert [each.url[-3:] for each in result.results] == ["1/0", "1/1", "1/2", "1/3", "2/0", "2/1"]
        search(web(search=SearXng(server.url())), "many", max_results=50)
        assert len(server.asked) == 2 + 3


def test_brave_is_asked_with_its_key() -> None:
    with serving(lambda _: response(json.dumps(BRAVE), kind="application/json")) as server:
        tools = web(search=Brave(lambda: "a-key", url=server.url("/web/search")))
        result = search(tools, "x y", recency="year", language="de-AT", max_results=30)
    asked = server.asked[0]
    assert asked.header("x-subscription-token") == "a-key"
    assert parameters(asked) == {
        "q": "x y", "count": "20", "offset": "0", "text_decorations": "false", "freshness": "py",
        "search_lang": "de",
    }  # fmt: skip
    assert [(each.excerpt, each.published) for each in result.results] == [("x", "2026-01-05")]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (response("no", "403 Forbidden"), "status 403"),
        (response("no", "429 Too Many"), "Wait before"),
        (response("", "302 Found", Location="http://127.0.0.1/"), "status 302"),
        (response("<html>"), "not as its API says"),
        (response('{"results": 3}'), "not as its API says"),
        (response(b'{"results": "\xff"}'), "not as its API says"),
        (response('{"x":' + "[" * 100_000), "not as its API says"),
        (response('{"results": [' + '{"url": ""},' * 400_000), "not as its API says"),
    ],
)
def test_an_engine_that_does_not_answer_as_it_should_is_refused_in_words(answer: bytes, words: str) -> None:
    with serving(lambda _: answer) as server:
        assert words in refused(web(search=SearXng(server.url())))


def test_without_an_engine_there_is_no_search() -> None:
    assert not Web().can_search
    assert "no search engine" in refused(web())


def test_an_engine_that_hangs_is_given_up() -> None:
    class Hanging:
        async def search(self, query: SearchQuery) -> list[SearchResult]:
            del query
            await asyncio.sleep(60)
            return []

    assert "within 0.05 s" in refused(web(search=Hanging(), limits=WebLimits(search_seconds=0.05)))


URLS = st.from_regex(
    r"(https?://)?([a-z]{1,3}\.)?(python\.org|evil\.example|xpython\.org)(/[a-z|\"]{0,3})?", fullmatch=True
)
RESULTS = st.lists(
    st.builds(
        SearchResult,
        url=URLS | st.text(max_size=10),
        title=st.text(max_size=30),
        excerpt=st.text(max_size=30),
        published=st.none() | st.dates(date(2025, 1, 1), date(2027, 1, 1)),
    ),
    max_size=15,
)
DOMAINS = st.lists(st.sampled_from(["python.org", "evil.example", "a.python.org"]), max_size=2).map(tuple)


@given(RESULTS, DOMAINS, DOMAINS, st.integers(1, 5), st.sampled_from([None, "day", "week", "month", "year"]))
def test_results_are_what_was_asked_for(
    found: list[SearchResult], allowed: tuple[str, ...], blocked: tuple[str, ...], most: int, recency: Any
) -> None:
    query = SearchQuery(
        text="x", max_results=most, allowed_domains=allowed, blocked_domains=blocked, recency=recency
    )
    results = list(wanted_results(found, query, TODAY))
    assert len(results) <= most
    assert len({each.url for each in results}) == len(results)
    days = {"day": 2, "week": 8, "month": 32, "year": 367, None: 10_000}[recency]
    for each in results:
        host = urlsplit(each.url).hostname or ""
        below = [*(host.split(".", count)[-1] for count in range(host.count(".") + 1))]
        assert not allowed or {*allowed} & {*below}
        assert not {*blocked} & {*below}
        assert each.published is None or each.published >= TODAY - timedelta(days=days)
        assert each.title
        item = {"title": each.title, "url": each.url, "excerpt": each.excerpt}
        msgspec.convert({"results": [item]}, WebSearchResult)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("python.org", "python.org"),
        (" https://Python.org:443/3/?x", None),
        ("*.python.org", "python.org"),
        ("http://python.org/3", "python.org"),
        (".python.org.", "python.org"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("not a domain", None),
        ("a.example OR site:evil.example", None),
        ("", None),
    ],
)
def test_domains_are_read_as_models_write_them(text: str, name: str | None) -> None:
    if name is None:
        with pytest.raises(RefusalError, match="is no domain"):
            domain(text)
    else:
        assert domain(text) == name


@pytest.mark.parametrize(
    "url", ["ftp://x.example/", "x.example", "http://x.example/?q=1", "http://u:p@x.example/"]
)
def test_an_engine_needs_an_address(url: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        SearXng(url)
