"""A program's options for serving over HTTP."""

from collections.abc import Sequence

from msgspec import Struct

from .bearer_auth import BearerAuth

_MEBIBYTE = 1 << 20


class Replay(Struct, frozen=True, kw_only=True):
    """Bounds on what a server keeps for clients with a broken connection (SEP-1699).

    A client of revision 2025-11-25 or later gets an event first that says from where it can go on, and how
    long to wait; then it asks with `Last-Event-ID`. What exceeds a bound is dropped, the oldest first. A
    client that waits for a result that was not kept gets an error that says so.

    Attributes:
        session_events: messages of one session; 0 to keep none, and to send no such event.
        session_bytes: bytes of the messages of one session.
        total_bytes: bytes of the messages of all sessions. A message that would exceed it is not kept.
        retry: milliseconds that a client waits before it connects again.
        stream_seconds: seconds after which the stream of a call that still runs is closed, once, and the
            client is to connect again: for proxies that end long connections. None to keep it open.
    """

    session_events: int = 256
    session_bytes: int = _MEBIBYTE
    total_bytes: int = 64 * _MEBIBYTE
    retry: int = 1000
    stream_seconds: float | None = None

    def __post_init__(self) -> None:
        if min(self.session_events, self.session_bytes, self.total_bytes, self.retry) < 0:
            raise ValueError("bounds of a Replay are 0 or more")
        if self.stream_seconds is not None and not 0 < self.stream_seconds < float("inf"):
            raise ValueError("stream_seconds is a positive number of seconds, or None")


class HttpOptions(Struct, frozen=True, kw_only=True):
    """Options of `serve_http` and `http_app`.

    Attributes:
        allowed_hosts: hosts by which clients call the server, such as "tools.example.com:8000", beside this
            machine's own names with its port; without a port for 80 and 443, with ":*" for any.
        allowed_origins: origins of web pages that may call it, such as "https://tools.example.com", beside
            the server's own.
        auth: who may call; None for everybody who reaches it.
        stateless: whether clients of older revisions have no sessions: each request stands alone, so that any
            of several processes answers it. Nothing is replayed, and the server asks clients nothing.
        max_sessions: sessions of older clients at once, some 40 kB each. One more takes the place of one that
            has no call: the one used least recently of the client that has most. Where there is none it is
            answered 503.
        max_client_sessions: the same for one client: a principal, or without `auth` the address that
            connects, of IPv6 the network of 64 bits. One more takes the place of one of its own.
        session_idle: seconds without a request after which such a session is closed, and forgotten.
        max_body: bytes of one request; a longer one is answered 413, before it is read.
        body_seconds: seconds in which a request must have arrived; a later one is answered 408.
        max_connections: connections at once; one more is answered 503 (`serve_http` alone).
        replay: what is kept for clients with a broken connection.
    """

    allowed_hosts: Sequence[str] = ()
    allowed_origins: Sequence[str] = ()
    auth: BearerAuth | None = None
    stateless: bool = False
    max_sessions: int = 1000
    max_client_sessions: int = 500
    session_idle: float = 1800.0
    max_body: int = 4 * _MEBIBYTE
    body_seconds: float = 60.0
    max_connections: int = 2500
    replay: Replay = Replay()
