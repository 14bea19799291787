"""Whatever a server answers is a result, bounded and in words, and no part of it repeats a credential."""

import asyncio
import gzip
import importlib.util
import json
import re
import tracemalloc
import zlib
from base64 import b64decode, b64encode, urlsafe_b64encode
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import ExitStack
from http.cookiejar import CookieJar
from typing import Any
from urllib.parse import quote, unquote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from toolcast.http import HttpHandler
from toolcast.runtime import ToolContext, ToolRegistry, ToolResult

from tests.http.conftest import CONTEXT, Bind, Binding
from tests.http.test_handler import GET, KEY, POST, SERVER, STRING, Api, key, run, secured
from tests.python.compiled import package, spec

_httpx: Any = importlib.import_module("httpx") if importlib.util.find_spec("httpx") else None


class Stream(_httpx.AsyncByteStream if _httpx else object):  # type: ignore[misc]
    """A body in pieces; counts the bytes that are taken."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = pieces
        self.taken = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            self.taken += len(piece)
            yield piece


@pytest.fixture(scope="module")
def items(httpx: Any) -> Iterator[Callable[..., Binding]]:
    """A tool that gets an item, by its security scheme."""
    del httpx
    with ExitStack() as stack:
        schema = {
            "type": "object",
            "required": ["id"],
            "properties": {"id": STRING},
            "additionalProperties": False,
        }
        made: dict[str, Binding] = {}

        def make(scheme: str = "") -> Binding:
            if scheme not in made:
                http = secured({scheme: []}) if scheme else GET
                made[scheme] = stack.enter_context(package({"tool.json": spec(schema, http=http)}))["tool"]
            return made[scheme]

        yield make


def call(binding: Binding, answer: Any, value: str | None = None, **options: Any) -> ToolResult:
    """The result of an answer. What is no result is raised, as the registry would report a bug."""
    client = _httpx.AsyncClient(transport=_httpx.MockTransport(lambda _: answer), **options)
    auth: dict[str, Any] = {} if value is None else {"auth": lambda _: value, "server": SERVER}
    handler = HttpHandler(binding, client, **auth)
    result: ToolResult = asyncio.run(handler(binding.decode('{"id":"a"}'), CONTEXT))
    return result


TYPES = st.sampled_from(
    ["application/json", "text/html; charset=utf-16", "image/png", "application/problem+json", "a/b; c"]
)
LOCATIONS = st.text(max_size=30) | st.sampled_from(
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "https://a:99999/",
        "https://[::1",
        "//",
    ]
)
HEADERS = st.dictionaries(
    st.sampled_from(["content-type", "content-disposition", "retry-after", "location", "content-encoding"]),
    st.text(max_size=30) | TYPES | LOCATIONS,
)
BODIES = st.binary(max_size=200) | st.text(max_size=200).map(
    lambda text: text.encode("utf-8", "surrogatepass")
)


def streamed(status: int, headers: Iterable[tuple[str, str]], *pieces: bytes) -> Any:
    raw = [(name.encode(), value.encode("utf-8", "surrogatepass")) for name, value in headers]
    return _httpx.Response(status, headers=raw, stream=Stream(pieces))


@given(st.integers(100, 999), HEADERS, BODIES, st.sampled_from(["get", "post", "head"]))
@example(302, {"location": "javascript:alert(1)"}, b"", "get")
@example(200, {"content-type": "text/plain; charset=utf-7"}, b"a", "get")
def test_any_answer_is_a_result(
    items: Callable[..., Binding], status: int, headers: dict[str, str], content: bytes, method: str
) -> None:
    import msgspec

    binding = msgspec.structs.replace(items(), http={**(items().http or {}), "method": method})
    result = call(binding, streamed(status, headers.items(), content))
    assert result.success is (not result.error)
    assert status < 400 or not result.success
    assert len(result.error) < 3_000
    msgspec.json.encode(result.output)


# Credentials


def escaped(value: str) -> str:
    return "".join(f"\\u{ord(sign):04x}" if sign.isalpha() else sign for sign in value)


FORMS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "json": lambda value: json.dumps(value)[1:-1].replace("/", "\\/"),
    "json escapes": escaped,
    "one escape": lambda value: f"\\u{ord(value[0]):04X}" + json.dumps(value[1:])[1:-1],
    "url": lambda value: quote(value, safe=""),
    "all of url": lambda value: "".join(f"%{byte:02x}" for byte in value.encode()),
    "base64": lambda value: b64encode(value.encode()).decode(),
    "base64 of more": lambda value: b64encode(f"ab{value}c".encode()).decode(),
    "base64 for urls": lambda value: urlsafe_b64encode(value.encode()).decode(),
    "hexadecimal": lambda value: value.encode().hex(),
}
PLACES: dict[str, Callable[[str], tuple[int, dict[str, str], str]]] = {
    "text": lambda text: (200, {"content-type": "text/plain"}, f"x {text} y"),
    "json": lambda text: (200, {"content-type": "application/json"}, f'{{"a":[1,{{"b":"{text}"}}]}}'),
    "key": lambda text: (200, {"content-type": "application/json"}, f'{{"a":{{"{text}":1}}}}'),
    "error": lambda text: (401, {"content-type": "application/json"}, f'{{"a":"{text}"}}'),
    "error text": lambda text: (500, {"content-type": "text/plain"}, f"{text} is wrong"),
    "cut error": lambda text: (422, {"content-type": "text/plain"}, " " * 63_970 + f"key: {text}" * 3),
    "shown error": lambda text: (422, {"content-type": "text/plain"}, "x" * 1_980 + text),
    "binary": lambda text: (200, {"content-type": "application/octet-stream"}, f"\x7fELF{text}"),
    "path": lambda text: (302, {"location": f"https://other.example/{text}?a=b"}, ""),
    "query": lambda text: (302, {"location": f"https://other.example/?a={text}"}, ""),
    "user": lambda text: (302, {"location": f"https://{quote(text)}@other.example/"}, ""),
    "script": lambda text: (302, {"location": f"javascript:{text}"}, ""),
    "cut location": lambda text: (302, {"location": f"https://other.example/{'a' * 1_970}{text}"}, ""),
    "retry-after": lambda text: (429, {"retry-after": text}, ""),
    "late retry-after": lambda text: (503, {"retry-after": "x" * 50 + text}, ""),
    "media type": lambda text: (200, {"content-type": f"application/{text}"}, "x"),
    "charset": lambda text: (200, {"content-type": f"text/plain; charset={text}"}, "x"),
    "encoding": lambda text: (200, {"content-encoding": text}, "x"),
    "file name": lambda text: (200, {"content-disposition": f'attachment; filename="{text}"'}, "x"),
    "long file name": lambda text: (
        200,
        {"content-disposition": f'attachment; filename*0={"x" * 90}{text[:5]}; filename*1="{text[5:]}"'},
        "x",
    ),
}
CHARSETS = ["", "utf-8", "utf-16", "utf-16-le", "utf-16-be", "latin-1", "utf-7", "utf-32", "cp037", "x"]
VALUES = st.from_regex(r"[A-Za-z0-9._~/+-]{10,40}=?", fullmatch=True) | st.from_regex(
    r"[ -~äß]{2,5}:[A-Za-z0-9!\"#&/\\]{9,20}", fullmatch=True
)


def decodings(text: str) -> Iterator[str]:
    """A text, and what it is in each of the forms."""
    yield text
    yield unquote(text)
    yield re.sub(
        r"\\(?:u([0-9a-fA-F]{4})|(.))", lambda found: chr(int(found[1], 16)) if found[1] else found[2], text
    )
    for found in re.findall(r"[A-Za-z0-9+/_-]{8,}", text):
        for start in range(4):
            letters = found[start:].translate(str.maketrans("-_", "+/"))
            yield b64decode(letters[: len(letters) // 4 * 4]).decode("latin-1")
            yield b64decode(letters + "A" * (-len(letters) % 4)).decode("utf-8", "replace")
    for found in re.findall(r"[0-9a-fA-F]{16,}", text):
        for start in range(2):
            yield bytes.fromhex(found[start:][: (len(found) - start) // 2 * 2]).decode("utf-8", "replace")


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, bytes):
        yield from (value.decode(charset, "replace") for charset in ("utf-8", "utf-16-le", "utf-16-be"))
    elif isinstance(value, dict):
        yield from (text for each in value.items() for part in each for text in texts(part))
    elif isinstance(value, list | tuple):
        yield from (text for each in value for text in texts(each))
    elif value is not None and not isinstance(value, int | float):
        yield from (text for name in value.__struct_fields__ for text in texts(getattr(value, name)))


def repeats(result: ToolResult, value: str) -> bool:
    return any(value.lower() in decoded.lower() for text in texts(result) for decoded in decodings(text))


def answer_of(place: str, form: str, charset: str, value: str) -> Any:
    status, headers, body = PLACES[place](FORMS[form](value))
    if charset and "content-type" in headers and place != "charset":
        headers["content-type"] += f"; charset={charset}"
    try:
        content = body.encode(charset or "utf-8")
    except (LookupError, UnicodeEncodeError):
        content = body.encode()
    return streamed(status, headers.items(), content)


@given(
    VALUES,
    st.sampled_from(["head", "query", "cookie", "basic", "bearer", "oauth"]),
    st.sampled_from(sorted(PLACES)),
    st.sampled_from(sorted(FORMS)),
    st.sampled_from(CHARSETS),
)
@example("ab/sk-0123456789", "head", "json", "json", "")
@example("ab/sk-0123456789", "head", "path", "all of url", "")
@example("ab/sk-0123456789", "bearer", "text", "plain", "utf-16")
@example("ab/sk-0123456789", "bearer", "error text", "plain", "utf-7")
@example("ab/sk-0123456789", "query", "retry-after", "plain", "")
@example("sk0123456789", "query", "media type", "plain", "")
@example("sk0123456789", "query", "encoding", "plain", "")
@example("me:password-01", "basic", "error", "plain", "")
def test_no_answer_repeats_a_credential(
    items: Callable[..., Binding], value: str, scheme: str, place: str, form: str, charset: str
) -> None:
    if scheme == "cookie":
        value = value.replace(";", "_")
    for hidden in {value, value.partition(":")[2] if scheme == "basic" else value} - {""}:
        result = call(items(scheme), answer_of(place, form, charset, hidden), value)
        assert not repeats(result, hidden)


@pytest.mark.thorough
@pytest.mark.parametrize("place", sorted(PLACES))
def test_no_place_form_and_charset_repeats_a_credential(items: Callable[..., Binding], place: str) -> None:
    value = 'ab/sk-0123"456789'
    for form in FORMS:
        for charset in CHARSETS:
            assert not repeats(call(items("bearer"), answer_of(place, form, charset, value), value), value)


def test_an_answer_repeats_no_credential_of_the_client(httpx: Any, items: Callable[..., Binding]) -> None:
    class Token(httpx.Auth):  # type: ignore[misc]
        def auth_flow(self, request: Any) -> Iterator[Any]:
            request.headers["Authorization"] = f"Bearer {KEY}"
            yield request

    clients: tuple[dict[str, Any], ...] = (
        {"headers": {"Authorization": f"Bearer {KEY}"}},
        {"headers": {"X-Api-Key": KEY}},
        {"cookies": {"sid": KEY}},
        {"params": {"key": KEY}},
        {"auth": ("me", KEY)},
        {"auth": Token()},
    )
    for options in clients:
        for place in ("text", "json", "error", "path", "retry-after"):
            result = call(items(), answer_of(place, "plain", "", KEY), **options)
            assert KEY not in str(result)
            assert "redacted" in str(result)
    plain = call(
        items(), answer_of("text", "plain", "", "text/plain, of me"), headers={"Accept": "text/plain, of me"}
    )
    assert "text/plain, of me" in plain.output


def test_a_number_that_is_a_credential_leaves_json(items: Callable[..., Binding]) -> None:
    answer = streamed(200, [("content-type", "application/json")], b'{"a": 123456789012, "b": 2}')
    result = call(items("head"), answer, "123456789012")
    assert json.loads(result.output) == result.data == {"a": "[redacted:credential]", "b": 2}


def test_a_credential_that_cannot_be_redacted_is_not_sent(httpx: Any, items: Callable[..., Binding]) -> None:
    for scheme, value in (("head", "c#"), ("basic", "me-and-you:pw"), ("basic", "key:")):
        api = Api(httpx)
        result = run(items(scheme), api.client, {"id": "a"}, server=SERVER, auth=lambda _, v=value: v)
        assert "fewer than 8 characters" in result.error
        assert value not in result.error
        assert api.requests == []
    named = run(items("basic"), Api(httpx).client, {"id": "a"}, server=SERVER, auth=lambda _: f"{KEY}:")
    assert named.success


def test_a_charset_that_the_web_does_not_have_is_refused(items: Callable[..., Binding]) -> None:
    for charset in ("utf-7", "UTF7", "unicode-1-1-utf-7", "utf-32", "cp037", "rot13", "hex", "idna", "x"):
        typed = [("content-type", f"text/plain; charset={charset}")]
        assert "charset that is not read" in call(items(), streamed(200, typed, b"a")).error
        assert "charset that is not read" in call(items(), streamed(400, typed, b"a")).error
    for charset in ("utf-8", "latin-1", "Windows-1252", "shift_jis", "gbk"):
        typed = [("content-type", f"text/plain; charset={charset}")]
        assert call(items(), streamed(200, typed, b"abc")).output == "abc"


# Size

LIMIT = 500_000


def endless(piece: bytes) -> Iterator[bytes]:
    for _ in range(100_000):
        yield piece


def deflated(wbits: int, *, flush: bool) -> Iterator[bytes]:
    """Zeros without an end, or blocks that expand to nothing."""
    encoder = zlib.compressobj(9, wbits=wbits)
    for _ in range(3_000):
        yield encoder.compress(b"" if flush else bytes(1_000_000)) + encoder.flush(zlib.Z_FULL_FLUSH) * 50


def pieces_of(content: bytes) -> Iterator[bytes]:
    for start in range(0, len(content), 65_536):
        yield content[start : start + 65_536]


ZEROS = gzip.compress(bytes(60_000_000))
ANSWERS: dict[str, tuple[int, list[tuple[str, str]], Callable[[], Iterable[bytes]]]] = {
    "plain": (200, [], lambda: endless(b"x" * 1_000)),
    "error": (500, [("content-type", "text/plain")], lambda: endless(b"x" * 1_000)),
    "gzip": (200, [("content-encoding", "gzip")], lambda: deflated(31, flush=False)),
    "deflate": (200, [("content-encoding", "deflate")], lambda: deflated(15, flush=False)),
    "raw deflate": (200, [("content-encoding", "deflate")], lambda: deflated(-15, flush=False)),
    "one piece": (200, [("content-encoding", "x-gzip")], lambda: [ZEROS]),
    "nothing": (200, [("content-encoding", "deflate")], lambda: deflated(-15, flush=True)),
    "end": (200, [("content-encoding", "gzip")], lambda: [gzip.compress(b"a"), *[b"x" * 1_000] * 9_000]),
    "twice": (200, [("content-encoding", "gzip, gzip")], lambda: pieces_of(gzip.compress(ZEROS))),
    "two lines": (200, [("content-encoding", "gzip")] * 2, lambda: pieces_of(gzip.compress(ZEROS))),
    "mixed": (
        200,
        [("content-encoding", "deflate,GZIP")],
        lambda: pieces_of(gzip.compress(zlib.compress(ZEROS))),
    ),
    "br": (200, [("content-encoding", "br")], lambda: endless(b"x" * 1_000)),
    "zstd": (200, [("content-encoding", "zstd")], lambda: endless(b"x" * 1_000)),
    "error of gzip": (400, [("content-encoding", "gzip")], lambda: [ZEROS]),
    "redirect": (302, [("location", "https://o.example/"), ("content-encoding", "gzip")], lambda: [ZEROS]),
    "headers": (200, [(f"x-{each}", "y" * 100) for each in range(1_000)], lambda: endless(b"x" * 1_000)),
    "under the limit": (200, [("content-type", "text/plain")], lambda: [b"x" * 1_000] * (LIMIT // 1_000)),
}


@pytest.mark.parametrize("name", sorted(ANSWERS))
def test_an_answer_takes_no_more_memory_than_three_times_its_limit(
    items: Callable[..., Binding], name: str
) -> None:
    status, headers, pieces = ANSWERS[name]
    stream = Stream(pieces())
    call(items(), streamed(200, [("content-type", "text/plain")], b"warm"))
    answer = _httpx.Response(status, headers=headers, stream=stream)
    client = _httpx.AsyncClient(transport=_httpx.MockTransport(lambda _: answer))
    handler = HttpHandler(items(), client, limit=LIMIT)

    async def measured() -> tuple[bool, int]:
        tracemalloc.start()
        try:
            result = await handler(items().decode('{"id":"a"}'), CONTEXT)
            return result.success, tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    success, peak = asyncio.run(measured())
    assert peak <= 3 * LIMIT + 200_000
    assert stream.taken <= 3 * LIMIT
    assert success is (name in ("redirect", "under the limit"))


def test_an_answer_that_is_not_as_it_says_is_told(items: Callable[..., Binding]) -> None:
    for encoding, content in (
        ("br", b"x"),
        ("gzip, gzip", b"x"),
        ("gzip", b"x"),
        ("gzip", gzip.compress(b"x")[:-9]),
    ):
        result = call(items(), streamed(200, [("content-encoding", encoding)], content))
        assert "cannot be read" in result.error
    read = call(items(), streamed(200, [("content-encoding", "gzip")], gzip.compress(b"{}")))
    assert read.success


def test_only_what_can_be_bounded_is_asked_for(httpx: Any, items: Callable[..., Binding]) -> None:
    api = Api(httpx)
    api.client.headers["Accept-Encoding"] = "br, zstd"
    run(items(), api.client, {"id": "a"})
    assert api.requests[0].headers.get_list("accept-encoding") == ["gzip, deflate"]


# Redirects and cookies


@pytest.mark.parametrize(
    "location",
    [
        "javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,hi", "file:///etc/passwd", "mailto:a@b",
        "https://api.example.com:99999/", "https://api.example.com:x/", "https://[::1", "http:///a",
        "https://me:password@api.example.com/v1/", "//me@api.example.com/", "https://a\tb/", "https://a b/",
        "/v1/\x00", "\x7f", "https://\u202e.example/\x01", "/" + "a" * 100_000, "urn:a:b", "ftp://api.example.com/",
        "https://a:0/", "https:\\\\evil.example\\\x1b",
    ],
)  # fmt: skip
@pytest.mark.parametrize("method", ["get", "post"])
def test_a_location_that_is_no_address_is_a_failure_in_words(
    httpx: Any, bind: Bind, location: str, method: str
) -> None:
    for status in (301, 302, 303, 307, 308):
        api = Api(httpx, httpx.Response(status, headers=[(b"location", location.encode())]))
        binding = bind({**POST, "method": method}, title=STRING) if method == "post" else bind(GET, id=STRING)
        result = run(binding, api.client, {"title" if method == "post" else "id": "a"})
        assert "redirects, but" in result.error
        assert ("may have taken effect" in result.error) is (method == "post")
        assert len(result.error) < 3_000
        assert len(api.requests) == 1


def test_two_locations_are_none(httpx: Any, bind: Bind) -> None:
    api = Api(httpx, httpx.Response(302, headers=[("location", "/a"), ("location", "https://evil.example/")]))
    assert "several addresses" in run(bind(GET, id=STRING), api.client, {"id": "a"}).error


@given(LOCATIONS | st.text(min_size=1))
def test_no_location_gets_a_credential_elsewhere(items: Callable[..., Binding], location: str) -> None:
    sent: list[Any] = []

    def answer(request: Any) -> Any:
        sent.append(request)
        if len(sent) > 1:
            return _httpx.Response(204)
        return _httpx.Response(302, headers=[(b"location", location.encode("utf-8", "surrogatepass"))])

    client = _httpx.AsyncClient(transport=_httpx.MockTransport(answer), headers={"X-Mine": KEY})
    handler = HttpHandler(items("bearer"), client, server=SERVER, auth=key)
    asyncio.run(handler(items("bearer").decode('{"id":"a"}'), CONTEXT))
    assert {(request.url.scheme, request.url.host, request.url.port) for request in sent} == {
        ("https", "api.example.com", None)
    }


def test_hooks_of_the_client_see_the_location(items: Callable[..., Binding]) -> None:
    seen: list[str] = []

    async def hook(response: Any) -> None:
        seen.append(response.headers["location"])

    call(items(), streamed(302, [("location", "javascript:x")]), event_hooks={"response": [hook]})
    assert seen == ["javascript:x"]


class Shop:
    """A server that gives each caller without a cookie a new one."""

    def __init__(self, httpx: Any) -> None:
        self.seen: list[str] = []
        self.client = httpx.AsyncClient(transport=httpx.MockTransport(self._answer))
        self._httpx = httpx

    async def _answer(self, request: Any) -> Any:
        self.seen.append(request.headers.get("cookie", ""))
        await asyncio.sleep(0)
        if request.url.path.endswith("/first"):
            return self._httpx.Response(302, headers={"location": "/v1/items/a", "set-cookie": "step=one"})
        return self._httpx.Response(200, json={}, headers={"set-cookie": f"sid={len(self.seen)}"})

    def calls(self, binding: Binding, *contexts: ToolContext, item: str = "a", **options: Any) -> None:
        registry = ToolRegistry(check_results=False)
        registry.register(binding, HttpHandler(binding, self.client, **options))

        async def main() -> None:
            await asyncio.gather(*(registry.execute("tool", {"id": item}, context=each) for each in contexts))

        asyncio.run(main())


def test_no_cookie_of_an_answer_outlives_its_call(httpx: Any, items: Callable[..., Binding]) -> None:
    shop = Shop(httpx)
    for _ in range(3):
        shop.calls(items(), *[CONTEXT] * 3)
    assert shop.seen == [""] * 9
    assert list(shop.client.cookies.jar) == []
    shop.calls(items(), CONTEXT, item="first")
    assert shop.seen[9:] == ["", "step=one"]
    shop.client.cookies.set("mine", "1")
    shop.calls(items(), *[CONTEXT] * 2)
    assert shop.seen[11:] == ["mine=1", "mine=1"]


def test_a_context_may_have_its_own_cookies(httpx: Any, items: Callable[..., Binding]) -> None:
    shop = Shop(httpx)
    shop.client.cookies.set("mine", "1")
    contexts = [ToolContext(extra={"jar": CookieJar()}) for _ in range(2)]
    for _ in range(3):
        for context in contexts:
            shop.calls(items(), context, cookies=lambda each: each.extra["jar"])
    assert shop.seen == ["", "", "sid=1", "sid=2", "sid=3", "sid=4"]


def test_what_gives_no_jar_is_told(items: Callable[..., Binding]) -> None:
    jar: Any = CookieJar()
    with pytest.raises(TypeError, match="cookies must be a function"):
        HttpHandler(items(), cookies=jar)
