"""The served page: who may read it, and how pages that are open hear of another version."""

import http.client
from collections.abc import Iterator

import pytest
import toolcast.report.live_server
from toolcast.report.live_server import LiveServer, live_script, version_of


@pytest.fixture
def server() -> Iterator[LiveServer]:
    """A server of one page, on a port that is free."""
    with LiveServer(0) as live:
        live.show(b"<p>one</p>", "one")
        yield live


def _answer(server: LiveServer, path: str = "/", **headers: str) -> tuple[int, bytes, dict[str, str]]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        return (
            response.status,
            response.read(),
            {name.lower(): value for name, value in response.getheaders()},
        )
    finally:
        connection.close()


class _Stream:
    """The events that a page receives."""

    def __init__(self, server: LiveServer) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        self._connection.request("GET", "/events")
        self.response = self._connection.getresponse()

    def next(self) -> str:
        """The next version; empty once the server has ended."""
        for line in self.response:
            if line.startswith(b"data: "):
                return line[6:].strip().decode()
        return ""

    def close(self) -> None:
        self.response.close()
        self._connection.close()


def test_the_page_is_served_and_not_kept(server: LiveServer) -> None:
    status, body, headers = _answer(server)
    assert (status, body) == (200, b"<p>one</p>")
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert headers["cache-control"] == "no-store"
    server.show(b"<p>two</p>", "two")
    assert _answer(server)[1] == b"<p>two</p>"


@pytest.mark.parametrize("path", ["/", "/events", "/other"])
@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:{port}", ""]
)
def test_another_host_is_refused(server: LiveServer, host: str, path: str) -> None:
    status, body, _ = _answer(server, path, Host=host.format(port=server.port))
    assert status == 421
    assert b"one" not in body.replace(b"alone", b"")


def test_two_host_headers_are_refused(server: LiveServer) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.putrequest("GET", "/", skip_host=True)
    connection.putheader("Host", f"127.0.0.1:{server.port}")
    connection.putheader("Host", "evil.example")
    connection.endheaders()
    assert connection.getresponse().status == 421
    connection.close()


def test_the_name_localhost_is_accepted(server: LiveServer) -> None:
    assert _answer(server, Host=f"localhost:{server.port}")[0] == 200


def test_nothing_else_is_served(server: LiveServer) -> None:
    for path in ("/index.html", "/../pyproject.toml", "/?x"):
        assert _answer(server, path)[0] == 404


def test_open_pages_hear_of_each_version(server: LiveServer) -> None:
    streams = [_Stream(server), _Stream(server)]
    assert [each.next() for each in streams] == ["one", "one"]
    server.show(b"", "two")
    assert [each.next() for each in streams] == ["two", "two"]
    for each in streams:
        each.close()


def test_a_page_that_was_served_before_a_restart_is_not_reloaded_for_the_same_version() -> None:
    page = b"<p>same</p>"
    assert version_of(page) == version_of(bytes(page))
    assert version_of(page) in live_script(version_of(page))


def test_streams_end_with_the_server() -> None:
    with LiveServer(0) as live:
        live.show(b"", "one")
        stream = _Stream(live)
        assert stream.next() == "one"
    assert stream.next() == ""
    stream.close()


def test_the_number_of_streams_is_bounded(server: LiveServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolcast.report.live_server, "MOST_STREAMS", 2)
    streams = [_Stream(server), _Stream(server)]
    assert [each.next() for each in streams] == ["one", "one"]
    assert _answer(server, "/events")[0] == 503
    assert _answer(server)[0] == 200
    for each in streams:
        each.close()


def test_a_port_that_is_taken_is_an_error(server: LiveServer) -> None:
    with pytest.raises(OSError, match="in use"):
        LiveServer(server.port)
