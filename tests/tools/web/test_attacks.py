"""Attacks on and through the tools of the web. Each test has the name of one, and fails where it succeeds."""

import asyncio
import gzip
import shutil
import ssl
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime import RefusalError
from toolcast_tools.generated.web.http_request import HttpRequestParams
from toolcast_tools.web import AccessRules, BlockedAddressError, Web, WebLimits
from toolcast_tools.web.access_rules import read_url
from toolcast_tools.web.exchange import CheckedBackend, system_resolve
from toolcast_tools.web.extract_page import ExtractionJob
from toolcast_tools.web.pages import readable_page

from tests.sampled import sampled
from tests.tools.web.servers import (
    CONTEXT,
    Asked,
    Names,
    Server,
    fetch,
    redirect,
    refusal,
    request,
    response,
    serving,
    web,
)

ONE = "127.0.0.1/32"
"""The only address that is allowed where another one of this machine is the victim."""


LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs a second loopback address")


@pytest.fixture
def victim() -> Iterator[Server]:
    """A server of this machine that nobody may reach: at 127.0.0.2."""
    if not sys.platform.startswith("linux"):
        pytest.skip("needs a second loopback address")
    with serving(lambda _: response("secret"), "127.0.0.2") as server:
        yield server
        assert server.connections == 0


def refused(tools: Web, url: str, **parameters: Any) -> str:
    """The words of a refusal, by both tools that take addresses."""
    if not parameters:
        refusal(fetch, tools, url)
    return refusal(request, tools, url, **parameters)


# --- server-side request forgery ---------------------------------------------------------------------------


def test_a_redirect_to_a_private_address_is_not_followed(victim: Server) -> None:
    with serving(lambda _: redirect(f"http://127.0.0.2:{victim.port}/latest/meta-data")) as server:
        assert "127.0.0.2 is not public" in refused(web(allow=[ONE]), server.url())


def test_a_redirect_to_a_name_with_a_private_address_is_not_followed(victim: Server) -> None:
    names = Names(inner_example="127.0.0.2")
    with serving(lambda _: redirect(victim.url(host="inner.example"))) as server:
        words = refused(web(names, allow=[ONE]), server.url())
    assert "inner.example has an address that is not public" in words
    assert "127.0.0.2" not in words


@LINUX
def test_dns_rebinding_between_check_and_use_reaches_the_checked_address() -> None:
    with (
        serving(lambda _: response("public")) as server,
        serving(lambda _: response("secret"), "127.0.0.2", server.port) as victim,
    ):
        names = Names(evil_example=[["127.0.0.1"], ["127.0.0.2"]])
        tools = web(names, allow=[ONE])
        assert request(tools, server.url(host="evil.example")).body == "public"
        assert names.asked == ["evil.example"]  # asked once: there is no second answer to be fooled by
        assert "evil.example has an address" in refused(tools, server.url(host="evil.example"))
        assert victim.connections == 0


def test_dns_rebinding_between_redirects_is_checked_again(victim: Server) -> None:
    names = Names(evil_example=[["127.0.0.1"], ["127.0.0.2"]])
    with (
        serving(lambda _: redirect(victim.url(host="evil.example"))) as server,
        pytest.raises(BlockedAddressError),
    ):
        request(web(names, allow=[ONE]), server.url(host="evil.example"))


def test_one_private_address_among_the_answers_of_dns_is_enough_to_stop(victim: Server) -> None:
    with serving(lambda _: response("public")) as server:
        for answers in (["127.0.0.1", "127.0.0.2"], ["127.0.0.2", "127.0.0.1"], ["127.0.0.1", "::1"]):
            names = Names(evil_example=answers)
            with pytest.raises(BlockedAddressError):
                request(web(names, allow=[ONE]), server.url(host="evil.example"))
        assert server.connections == 0
    assert victim.connections == 0


@pytest.mark.parametrize("answer", [["no address"], ["127.0.0.1", ""], [], ["1.1.1.1"] * 3 + ["x"]])
def test_a_resolver_that_answers_nonsense_leads_nowhere(answer: list[str]) -> None:
    assert "no usable address" in refused(web(Names(evil_example=answer)), "http://evil.example/")


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "127.1.2.3", "0.0.0.0", "10.0.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1"),
        *("169.254.169.254", "100.100.100.200", "168.63.129.16", "192.0.0.192", "198.18.0.1", "224.0.0.1"),
        *("255.255.255.255", "240.0.0.1", "127.0.0.1.", "[::1]", "[::]", "[::ffff:127.0.0.1]"),
        *("[::ffff:7f00:1]", "[0:0:0:0:0:ffff:a9fe:a9fe]", "[::127.0.0.1]", "[64:ff9b::127.0.0.1]"),
        *("[64:ff9b::a9fe:a9fe]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[2002:a9fe:a9fe::1]"),
        *("[2001:0:7f00:1::]", "[fe80::1]", "[fd00:ec2::254]", "[fc00::1]", "[ff02::1]", "[fec0::1]"),
        *("[2001:db8::1]", "[100::1]", "[5f00::1]"),
    ],
)
def test_an_address_that_is_not_public_is_not_asked(host: str) -> None:
    words = refused(web(allow=()), f"http://{host}/latest/meta-data/")
    assert "not public" in words
    assert "was not asked" in words


@pytest.mark.parametrize(
    "host",
    [
        *("2130706433", "017700000001", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "127.1", "127.0.1", "0"),
        *("0x7f.1", "127.0.0.0x1", "00000127.0.0.1", "127.0.0.01", "1.1.1.1.1", "256.256.256.256"),
        *("127.0.0.1..", "example..com", ".example.com", "-", "a_b-.example", "x" * 64 + ".example"),
        *("[::1%25lo]", "[fe80::1%25eth0]", "[fe80::1%eth0]", "[v1.x]", "[::1", "::1", "[127.0.0.1]"),
        *(
            "１２７.０.０.１", "①②⑦.⓪.⓪.①", "ⓛocalhost", "local\u00adhost", "exa\u200bmple.com",
        ),
        *("example.com%00.evil.example", "%31%32%37.0.0.1", "127.0.0.1%2eevil.example"),
        *('a"b.example', "a<b.example", "a^b", "a|b", "a`b", "a{b}", "a*b.example", "a!b", "a;b", "a,b"),
    ],
)  # fmt: skip
def test_an_address_in_disguise_is_refused_before_any_resolver_sees_it(host: str) -> None:
    names = Names()
    with pytest.raises(RefusalError):
        read_url(f"http://{host}/")
    with (
        serving(lambda _: redirect(f"http://{host}/".encode().decode("latin-1"))) as server,
        pytest.raises(RefusalError),
    ):
        request(web(names, allow=[ONE]), server.url())
    assert names.asked == []


@pytest.mark.parametrize(
    "host", ["127。0。0。1", "127\uff0e0.0.1", "localhost\u3002", "LOCALHOST.", "127.0.0.1."]
)
def test_another_dot_or_case_does_not_hide_this_machine(host: str) -> None:
    with pytest.raises(RefusalError):
        asyncio.run(_asked(f"http://{host}/", AccessRules(deny_hosts=("localhost",))))


@given(st.ip_addresses(v=4))
def test_no_spelling_of_an_ipv4_address_is_another_one(address: IPv4Address) -> None:
    a, b, c, d = address.packed
    spellings = [
        *(
            str(int(address)),
            hex(int(address)),
            oct(int(address)).replace("o", ""),
            f"{a}.{(b << 16) + (c << 8) + d}",
        ),
        *(f"{a:#x}.{b:#x}.{c:#x}.{d:#x}", f"0{a:o}.0{b:o}.0{c:o}.0{d:o}", f"{a}.{b}.{(c << 8) + d}"),
        *(f"{a}.{b}.{c}.{d}", f"{a}.{b}.{c}.{d}."),
    ]
    for each in spellings:
        try:
            host = read_url(f"http://{each}/").host
        except RefusalError:
            continue
        assert host == str(address)


@pytest.mark.parametrize(
    "url",
    [
        *("http://good.example@127.0.0.1/", "http://good.example:80@127.0.0.1/", "http://@127.0.0.1/"),
        *("http://good.example\\@127.0.0.1/", "http:\\\\127.0.0.1/", "http://127.0.0.1\\.good.example/"),
        *("http://good.example%40@127.0.0.1/", "http://a:b@good.example/", "http:///127.0.0.1/"),
        *("http://127.0.0.1 .good.example/", "http://127.0.0.1\t.good.example/", "http://good.example\n/"),
        *("http:/127.0.0.1/", "http:127.0.0.1/", "//127.0.0.1/", "https:", "http://", "http://:80/"),
        *("http://good.example:99999/", "http://good.example:-1/", "http://good.example:80:80/"),
        *("http://good.example:8o/", "http://[::1]good.example/"),
    ],
)
def test_a_url_that_two_parsers_read_differently_is_refused(url: str) -> None:
    rules = AccessRules(allow_hosts=("good.example",))
    with pytest.raises(RefusalError):
        asyncio.run(_asked(url, rules))


async def _asked(url: str, rules: AccessRules) -> None:
    from toolcast_tools.web.exchange import CheckedTransport

    async with CheckedTransport(rules, resolve=Names()) as transport:
        await transport.handle_async_request(httpx.Request("GET", read_url(url)))


@pytest.mark.parametrize(
    "tail",
    ["#@good.example/", "?@good.example/", "/@good.example", "/good.example", "?x=http://good.example"],
)
def test_a_good_name_elsewhere_in_the_url_does_not_make_its_host_good(tail: str) -> None:
    rules = AccessRules(allow_hosts=("good.example",), allow_addresses=(ONE,))
    with serving(lambda _: response("secret")) as server:
        try:
            words = refused(web(rules=rules), f"http://127.0.0.1:{server.port}{tail}")
        except msgspec.ValidationError:
            return
        assert "not one of the hosts" in words
        assert server.connections == 0


@pytest.mark.parametrize(
    "location",
    [
        "file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1:6379/_x", "data:,x",
        "ws://127.0.0.1/", "unix:///var/run/docker.sock", "http+unix://%2Fvar%2Frun%2Fdocker.sock/info",
        "javascript:alert(1)",
    ],
)  # fmt: skip
def test_a_redirect_to_another_kind_of_resource_is_refused(location: str) -> None:
    with serving(lambda _: redirect(location)) as server:
        refused(web(), server.url())


def test_a_socket_in_the_file_system_is_not_connected() -> None:
    backend = CheckedBackend(AccessRules(), system_resolve)
    with pytest.raises(BlockedAddressError):
        asyncio.run(backend.connect_unix_socket("/var/run/docker.sock"))


@pytest.mark.parametrize("name", ["EXAMPLE.org", "example.org.", "eXample.ORG"])
def test_a_denied_name_in_another_spelling_is_denied(name: str) -> None:
    with serving(lambda _: response("")) as server:
        rules = AccessRules(deny_hosts=("example.org",), allow_addresses=(ONE,))
        words = refused(web(Names(example_org="127.0.0.1"), rules=rules), server.url(host=name))
        assert "the program denies" in words
        assert server.connections == 0


def test_a_look_alike_of_an_allowed_name_is_another_name() -> None:
    rules = AccessRules(allow_hosts=("example.com",))
    with pytest.raises(RefusalError, match="xn--"):
        asyncio.run(_asked("http://ex\u0430mple.com/", rules))  # Cyrillic а


def test_a_redirect_to_a_host_or_port_that_is_not_allowed_is_not_followed() -> None:
    names = Names(good_example="127.0.0.1", bad_example="127.0.0.1")
    with serving(lambda _: response("secret")) as other:
        for target, words in (
            (other.url(host="bad.example"), "not one of the hosts"),
            (other.url(host="good.example"), "not one of the ports"),
        ):
            with serving(lambda _, to=target: redirect(to)) as server:
                rules = AccessRules(
                    allow_hosts=("good.example",), ports=(server.port,), allow_addresses=("127.0.0.0/8",)
                )
                assert words in refused(web(names, rules=rules), server.url(host="good.example"))
        assert other.connections == 0


def test_a_header_cannot_name_another_host() -> None:
    with serving(lambda _: response("")) as server:
        for name in ("Host", "host", "HOST", "Transfer-Encoding", "Content-Length", "Connection", "Upgrade",
                     "Proxy-Authorization", "TE", "Expect", "Accept-Encoding"):  # fmt: skip
            assert "set by the program" in refused(web(), server.url(), headers={name: "evil.example"})
        assert server.connections == 0


def test_a_proxy_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda _: response("proxied")) as proxy, serving(lambda _: response("direct")) as server:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url())
        assert request(web(), server.url()).body == "direct"
        assert proxy.connections == 0


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key with a certificate for good.example."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("needs openssl, to make a certificate")
    path = tmp_path_factory.mktemp("tls") / "good.pem"
    subprocess.run(
        [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=good.example",
         "-addext", "subjectAltName=DNS:good.example", "-keyout", path, "-out", path.with_suffix(".crt")],
        check=True, capture_output=True, timeout=60,
    )  # fmt: skip
    path.write_bytes(path.read_bytes() + path.with_suffix(".crt").read_bytes())
    return path


def test_a_certificate_is_that_of_the_name_and_not_of_the_address(certificate: Path) -> None:
    serve = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serve.load_cert_chain(certificate)
    seen: list[str | None] = []
    serve.sni_callback = lambda _socket, name, _context: seen.append(name)
    trust = ssl.create_default_context(cafile=str(certificate.with_suffix(".crt")))
    names = Names(good_example="127.0.0.1", evil_example="127.0.0.1")
    with serving(lambda _: response("trusted"), tls=serve) as server:
        tools = web(names, tls=trust)
        assert request(tools, f"https://good.example:{server.port}/").body == "trusted"
        assert seen == ["good.example"]
        for host in ("evil.example", "127.0.0.1"):
            words = refused(tools, f"https://{host}:{server.port}/")
            assert "CERTIFICATE_VERIFY_FAILED" in words
        assert "CERTIFICATE_VERIFY_FAILED" in refused(web(names), f"https://good.example:{server.port}/")
        assert [asked.header("host") for asked in server.asked] == [f"good.example:{server.port}"]


# --- credentials and cookies -------------------------------------------------------------------------------


def test_credentials_do_not_follow_a_redirect_to_another_origin() -> None:
    sent = {"Authorization": "Bearer t0ken", "Cookie": "s=1", "X-Api-Key": "k", "Accept-Language": "de"}
    with serving(lambda _: response("")) as other, serving(lambda _: redirect(other.url())) as server:
        result = request(web(), server.url(), headers=sent)
    asked = other.asked[0]
    assert {name.lower() for name, _ in asked.headers} & {"authorization", "cookie", "x-api-key"} == set()
    assert asked.header("accept-language") == "de"
    assert result.note == "Not sent to the origin that it redirected to: Authorization, Cookie, X-Api-Key."


def test_credentials_do_not_return_by_a_redirect_back() -> None:
    with serving(lambda asked: redirect(back[0]) if asked.target == "/" else response("")) as other:
        back: list[str] = []
        with serving(lambda asked: redirect(other.url()) if asked.target == "/" else response("")) as server:
            back.append(server.url("/back"))
            request(web(), server.url(), headers={"Authorization": "t"})
    assert [asked.header("authorization") for asked in server.asked] == ["t", None]


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_a_body_or_a_change_does_not_follow_a_redirect_to_another_origin(method: str) -> None:
    with serving(lambda _: response("")) as other, serving(lambda _: redirect(other.url(), 307)) as server:
        result = request(web(), server.url(), method=method, body={"kind": "text", "text": "secret"})
        assert result.status == 307
        assert result.note is not None
        assert "was not followed" in result.note
        assert other.connections == 0


def test_cookies_are_not_shared_between_calls_or_redirects() -> None:
    def script(asked: Asked) -> bytes:
        if asked.target == "/":
            return response("", "302 Found", Location="/next", Set_Cookie="session=1; Path=/")
        return response("", Set_Cookie="session=2; Path=/")

    with serving(script) as server:
        tools = web()
        request(tools, server.url())
        request(tools, server.url())
        fetch_refused(tools, server.url())
    assert len(server.asked) == 6
    assert [asked.header("cookie") for asked in server.asked] == [None] * 6


fetch_refused = partial(refusal, fetch)


# --- injection into requests and responses -----------------------------------------------------------------


@pytest.mark.parametrize(
    "parameters",
    [
        {"headers": {"X-A": "a\r\nX-Injected: 1"}},
        {"headers": {"X-A": "a\nX-Injected: 1"}},
        {"headers": {"X-A": "a\0"}},
        {"headers": {"X-A\r\nX-Injected": "1"}},
        {"headers": {"X-Injected: 1\r\nX-A": "1"}},
        {"headers": {"": "1"}},
        {"headers": {"X A": "1"}},
        {"headers": {"X-A": "\ud800"}},
        {
            "method": "POST",
            "body": {"kind": "text", "text": "x", "content_type": "text/plain\r\nX-Injected: 1"},
        },
        {"method": "POST", "body": {"kind": "text", "text": "\ud800"}},
        {"method": "POST", "body": {"kind": "form", "fields": {"a": "\ud800"}}},
        {"query": {"a": "\ud800"}},
    ],
)
def test_a_header_cannot_be_injected(parameters: dict[str, Any]) -> None:
    with serving(lambda _: response("")) as server:
        params = HttpRequestParams(url=server.url(), **_typed(parameters))
        with pytest.raises(RefusalError) as problem:
            asyncio.run(web().http_request(params, CONTEXT))
        str(problem.value).encode()
        assert server.connections == 0


def _typed(parameters: dict[str, Any]) -> dict[str, Any]:
    from toolcast_tools.generated.web import http_request as module

    kinds = {"text": module.HttpRequestBodyText, "form": module.HttpRequestBodyForm}
    typed = dict(parameters)
    if "body" in typed:
        body = dict(typed["body"])
        typed["body"] = kinds[body.pop("kind")](**body)
    return typed


def test_a_line_break_in_a_url_or_query_stays_encoded() -> None:
    with serving(lambda _: response("")) as server:
        request(web(), server.url("/a%0d%0aX-Injected:%201"), query={"q": "a\r\nX-Injected: 1"})
    asked = server.asked[0]
    assert asked.target == "/a%0d%0aX-Injected:%201?q=a%0D%0AX-Injected%3A+1"
    assert asked.header("x-injected") is None


def test_a_redirect_cannot_inject_a_header() -> None:
    def script(asked: Asked) -> bytes:
        return redirect("/x%0d%0aX-Injected:%201") if asked.target == "/" else response("")

    with serving(script) as server:
        request(web(), server.url())
    assert server.asked[1].header("x-injected") is None


def test_a_split_response_is_one_response() -> None:
    body = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"
    with serving(lambda _: response("real") + body) as server:
        tools = web()
        assert request(tools, server.url()).body == "real"
        assert request(tools, server.url()).body == "real"
        assert server.connections == 2  # what follows a response is in nobody's connection


@pytest.mark.parametrize(
    "raw",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 30\r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nabc",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFFFFFFFF\r\nabc",
        b"HTTP/1.1 200 OK\r\nX\0: 1\r\n\r\n", b"HTTP/1.1 2000 OK\r\n\r\n", b"HTTP/9.9 200 OK\r\n\r\n",
        b"\x16\x03\x01 not http\r\n\r\n", b"", b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nno gzip",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nraw",
    ],
)  # fmt: skip
def test_a_broken_response_is_a_refusal_or_a_result(raw: bytes) -> None:
    with serving(lambda _: raw) as server:
        try:
            result = request(web(), server.url(), timeout=3)
        except RefusalError:
            return
        assert result.body is None or len(result.body) < 100


@given(
    st.binary(max_size=200), st.sampled_from([b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 302 X\r\nLocation: "])
)
def test_any_bytes_are_a_refusal_or_a_result(raw: bytes, head: bytes) -> None:
    with serving(lambda _: head + raw) as server:
        try:
            result = request(web(), server.url(), timeout=3)
        except RefusalError:
            return
        msgspec.json.decode(msgspec.json.encode(result), type=type(result))


def test_control_characters_of_a_response_header_are_escaped() -> None:
    with serving(lambda _: response("", X_A="a\x1b[31m \u202e".encode().decode("latin-1"))) as server:
        try:
            headers = request(web(), server.url()).headers
        except RefusalError:
            return
    assert "\x1b" not in headers["x-a"]
    assert "\u202e" not in headers["x-a"]


# --- exhaustion --------------------------------------------------------------------------------------------


def bomb(encoding: str) -> bytes:
    """32 MB of zeros in some kilobytes."""
    compressor = zlib.compressobj(1, wbits=zlib.MAX_WBITS | 16 if encoding == "gzip" else zlib.MAX_WBITS)
    block = bytes(1_000_000)
    return b"".join([*(compressor.compress(block) for _ in range(32)), compressor.flush()])


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_a_decompression_bomb_is_cut_at_the_limit(encoding: str) -> None:
    import tracemalloc

    packed = bomb(encoding)
    with serving(lambda _: response(packed, Content_Encoding=encoding)) as server:
        tools = web()
        tracemalloc.start()
        try:
            result = request(tools, server.url())
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert result.truncated
        assert peak < 8_000_000
        assert "more than 5000000 bytes" in fetch_refused(tools, server.url())


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "gzip, br", "compress", "x"])
def test_a_bomb_in_an_encoding_that_was_not_asked_for_is_not_decompressed(encoding: str) -> None:
    with serving(lambda _: response(gzip.compress(gzip.compress(b"x")), Content_Encoding=encoding)) as server:
        assert "not asked for" in refused(web(), server.url())
    assert server.asked[0].header("accept-encoding") == "gzip, deflate"


def forever(head: bytes, piece: bytes, pause: float = 0.0) -> Iterator[bytes]:
    """A response without an end."""
    yield head
    until = time.monotonic() + 120  # a test that fails ends, too
    while time.monotonic() < until:
        yield piece
        if pause:
            time.sleep(pause)


HEAD = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize(
    ("head", "piece"),
    [(HEAD + b"\r\n", b"x"), (HEAD, b"X"), (b"", b"H"), (HEAD + b"Content-Length: 1000\r\n\r\n", b"y"),
     (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n")],
)  # fmt: skip
def test_a_response_that_drips_is_given_up_at_the_deadline(head: bytes, piece: bytes) -> None:
    with serving(lambda _: forever(head, piece, 0.02)) as server:
        words = refused(web(), server.url(), timeout=0.3)
    assert "within 0.3 s" in words or "broke" in words


@pytest.mark.parametrize(
    ("head", "piece"),
    [
        (HEAD, b"X-Header: " + b"x" * 100 + b"\r\n"),
        (HEAD, b"x" * 1_000),
        (b"", b"x" * 1_000),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1;" + b"x" * 1_000),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"X-Trailer: 1\r\n"),
        (b"", b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"),
    ],
)
def test_endless_headers_are_given_up(head: bytes, piece: bytes) -> None:
    with serving(lambda _: forever(head, piece)) as server:
        words = refused(web(), server.url(), timeout=0.4)
    assert "broke" in words or "within 0.4 s" in words


def test_an_endless_body_is_cut_at_the_limit() -> None:
    with serving(lambda _: forever(HEAD + b"\r\n", b"x" * 10_000)) as server:
        result = request(web(), server.url(), timeout=60)
    assert (len(result.body or ""), result.truncated) == (100_000, True)


def test_an_endless_body_that_expands_to_nothing_is_cut() -> None:
    start = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
    head = HEAD + b"Content-Encoding: gzip\r\n\r\n" + start.flush(zlib.Z_SYNC_FLUSH)
    with serving(lambda _: forever(head, b"\x00\x00\x00\xff\xff" * 1_000)) as server:
        assert request(web(), server.url(), timeout=60).truncated


def test_many_headers_are_shown_up_to_a_limit() -> None:
    lines = "".join(f"X-{i}: {'y' * 50}\r\n" for i in range(1_000))
    with serving(lambda _: HEAD + lines.encode() + b"Content-Length: 0\r\n\r\n") as server:
        result = request(web(), server.url())
    assert sum(len(name) + len(value) for name, value in result.headers.items()) <= 16_000
    assert result.note == "Not all headers are shown."


@LINUX
def test_calls_that_fail_in_every_way_leave_no_descriptor_or_task() -> None:
    answers = iter(
        [
            *(response("x"), b"", redirect("/again"), response("x" * 300_000), redirect("http://127.0.0.2/")),
            *(HEAD + b"\r\nx", b"nonsense\r\n\r\n", response(b"x", Content_Encoding="br")),
        ]
        * 4
    )

    async def calls(url: str) -> int:
        tools = web(allow=[ONE])
        for _ in range(28):
            params = HttpRequestParams(url=url, timeout=5)
            with suppress(RefusalError):
                await tools.http_request(params, CONTEXT)
        many = [tools.http_request(HttpRequestParams(url=url, timeout=5), CONTEXT) for _ in range(20)]
        await asyncio.gather(*many, return_exceptions=True)
        await tools.aclose()
        return len(asyncio.all_tasks())

    def script(_: Asked) -> bytes:
        return next(answers, response("end"))

    with serving(script) as server:
        url = server.url()
        before = own_sockets(server)
        assert asyncio.run(calls(url)) == 1
        assert own_sockets(server) == before


def own_sockets(server: Server) -> int:
    """Sockets of this process that are connected to a server, or are its side of that."""
    lines = Path("/proc/self/net/tcp").read_text().splitlines()[1:]
    port = f":{server.port:04X}"
    open_states = ("01", "08")  # established, and closed by the other side only
    return sum(line.split()[2].endswith(port) and line.split()[3] in open_states for line in lines)


def test_endless_redirects_end() -> None:
    with serving(lambda asked: redirect(f"/{len(asked.target)}{asked.target}")) as server:
        assert "after 10 redirects" in refused_once(web(), server.url())
    assert len(server.asked) == 11


def test_a_redirect_to_itself_ends() -> None:
    with serving(lambda _: redirect("/")) as server:
        assert "after 3 redirects" in refused_once(web(limits=WebLimits(redirects=3)), server.url())
    assert len(server.asked) == 4


refused_once = partial(refusal, request)


def test_a_resolver_that_hangs_is_given_up_at_the_deadline() -> None:
    async def hang(host: str, port: int) -> list[str]:
        del host, port
        await asyncio.sleep(60)
        return []

    with pytest.raises(RefusalError, match=r"within 0\.1 s"):
        request(Web(resolve=hang), "http://slow.example/", timeout=0.1)


JOB = ExtractionJob(
    url="http://x.example/", form="markdown", seconds=2, memory=1_000_000_000, characters=1_000
)
SOUND = msgspec.structs.replace(JOB, seconds=20)
"""For pages that are read: where no bytecode is kept, the imports alone take half of two seconds."""


NESTED = (
    "<div>", "<table><tr><td>", "<a b=", "<b>x", "<ul><li>x", "<", "<!--", "&#", "<svg><foreignObject>",
    "<h1>", "<p>", "<a href=x>y",
)  # fmt: skip


@pytest.mark.parametrize("unit", sampled(NESTED, ("<table><tr><td>",)))
def test_a_page_that_nests_without_end_is_read_or_refused(unit: str) -> None:
    try:
        assert len(readable_page(unit * 100_000, JOB, 20.0).content) <= 1_000
    except RefusalError:
        return


def test_a_page_that_takes_too_long_is_given_up() -> None:
    page = "<html><body>" + "<p><a href='/x'>some link text</a> w</p>" * 100_000
    job = msgspec.structs.replace(JOB, seconds=1)
    with pytest.raises(RefusalError, match="could not be made readable"):
        readable_page(page, job, 20.0)
    with pytest.raises(RefusalError, match="could not be made readable"):
        readable_page(page, JOB, 0.05)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs limits of address space")
def test_a_page_that_takes_too_much_memory_is_given_up() -> None:
    page = "<html><body>" + "x<br>" * 300_000
    with pytest.raises(RefusalError, match="could not be made readable"):
        readable_page(page, msgspec.structs.replace(JOB, seconds=20, memory=300_000_000), 30.0)


def test_a_page_is_refused_where_no_process_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    with pytest.raises(RefusalError, match="could not be made readable: No such file"):
        readable_page("<html><body><p>words to read</p></body></html>", JOB, 30.0)


def test_the_process_that_reads_a_page_has_no_secret_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[dict[str, str]] = []
    run = subprocess.run

    def spy(*arguments: Any, **options: Any) -> Any:
        seen.append(options["env"])
        return run(*arguments, **options)

    monkeypatch.setenv("API_TOKEN", "t0ken")
    monkeypatch.setattr(subprocess, "run", spy)
    readable_page("<html><body><p>words to read</p></body></html>", SOUND, 60.0)
    assert seen
    assert {*seen[0]} <= {"LC_ALL", "TMPDIR", "SYSTEMROOT"}


def test_a_page_cannot_write_or_read_files_by_its_markup(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("t0p secret")
    page = (
        f'<!DOCTYPE html [<!ENTITY x SYSTEM "file://{secret}">]><html><head><title>&x;</title></head><body>'
        f'<p>&x; words <xi:include href="file://{secret}" parse="text"/></p><p>to read</p></body></html>'
    )
    extract = readable_page(page, SOUND, 60.0)
    assert "t0p" not in extract.content + str(extract.title)
