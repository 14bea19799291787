"""The clients of a server: bearer tokens (RFC 6750), which a program verifies, and limits of their calls."""

import asyncio
import hmac
import logging
import re
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import Any, TypeAlias
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import msgspec
from msgspec import Struct

from ...jsonschema.json_values import JsonObject
from ...permissions import SCOPE
from ...runtime.context import Principal, ToolContext, missing_scopes
from ..sdk import INVALID_REQUEST, load
from .request_guards import App, Origin, Receive, Scope, Send, refuse

_TOKEN = re.compile(rb"[A-Za-z0-9\-._~+/]+=*")
"""RFC 6750, 2.1: b64token."""
_LONGEST = 16_384
_KEY = "principal"
_SCOPE_KEY = "toolcast.principal"
_LOG = logging.getLogger("toolcast.mcp")


Verify: TypeAlias = Callable[[str], Awaitable[Principal | None]]
"""Finds the principal of a token; None for one that is not valid (unknown, expired, for another audience)."""


class BearerAuth(Struct, frozen=True, kw_only=True):
    """Every request needs a token that `verify` knows; others are answered 401 or 403.

    Attributes:
        verify: finds the principal of a token. Where it raises, the request is answered 503.
        scopes: what a token must permit, whatever is requested; a tool may need more (`scopes` of its spec).
        resource: URL of this server as clients call it. With it, clients are told where to get a token: the
            metadata of RFC 9728 are served without a token. `verify` must refuse tokens for other audiences.
        authorization_servers: URLs of the servers that issue tokens; needed with `resource`.
    """

    verify: Verify
    scopes: Sequence[str] = ()
    resource: str | None = None
    authorization_servers: Sequence[str] = ()

    def __post_init__(self) -> None:
        if bool(self.resource) != bool(self.authorization_servers):
            raise ValueError(
                "`resource` and `authorization_servers` go together: the metadata of a protected resource "
                "(RFC 9728) name both."
            )
        for url in (self.resource, *self.authorization_servers):
            if url is not None and not _is_url(url):
                raise ValueError(f"{url!r} is no URL: write https://tools.example.com/mcp.")
        if not all(map(SCOPE.fullmatch, self.scopes)):
            raise ValueError("a scope is one word without quotes and backslashes (RFC 6749, 3.3)")


def _is_url(text: str) -> bool:
    """True for an address without user information and fragment (RFC 9728, 1.2)."""
    if re.search(r"[\s\"\\#]", text):
        return False
    try:
        parts = urlsplit(text)
        origin = Origin.of(f"{parts.scheme}://{parts.netloc}")
    except ValueError:
        return False
    return origin.scheme in ("http", "https") and origin.authority.port != -1


def fixed_token(token: str, id: str = "token", scopes: Sequence[str] = ()) -> Verify:
    """Make a verifier that knows one token, compared in constant time.

    Args:
        token: the token, 16 characters or more, from a secret store or an environment variable.
        id: id of its principal.
        scopes: what it permits.

    Returns:
        A verifier, for `BearerAuth`.

    Raises:
        ValueError: the token is shorter, or has characters that no bearer token has.
    """
    if len(token) < 16 or not _TOKEN.fullmatch(token.encode()):
        raise ValueError(
            "a token has 16 characters or more, of A-Z a-z 0-9 - . _ ~ + / (RFC 6750); "
            "make one with: python -c 'import secrets; print(secrets.token_urlsafe(32))'"
        )
    expected = sha256(token.encode()).digest()
    principal = Principal(id=id, scopes=tuple(scopes))

    async def verify(presented: str) -> Principal | None:
        # Digests have one length, so that the comparison tells nothing of the token's.
        return principal if hmac.compare_digest(sha256(presented.encode()).digest(), expected) else None

    return verify


def principal_of(context: ToolContext) -> Principal | None:
    """Return the principal of a call (`context.extra["principal"]`); None without authentication.

    Args:
        context: the handler's context.

    Returns:
        What the verifier returned for the token of the request.
    """
    found = context.extra.get(_KEY)
    return found if isinstance(found, Principal) else None


def principal_in(request: Any) -> Principal | None:
    """Return the principal of an HTTP request; None for other transports, and without authentication."""
    principal: Principal | None = None if request is None else request.scope.get(_SCOPE_KEY)
    return principal


def extra_of(request: Any) -> JsonObject:
    principal = principal_in(request)
    return {} if principal is None else {_KEY: principal}


class Refusal(Struct, frozen=True):
    """An answer to a request whose token does not do, with the challenge of RFC 6750, 3."""

    status: int
    error: str
    description: str
    challenge: str = ""

    @property
    def body(self) -> bytes:
        told = {**({"error": self.error} if self.error else {}), "error_description": self.description}
        return msgspec.json.encode(told)

    @property
    def headers(self) -> dict[str, str]:
        return {"www-authenticate": self.challenge} if self.challenge else {}

    async def send(self, send: Send, body: bytes | None = None) -> None:
        headers = [(name.encode(), value.encode()) for name, value in self.headers.items()]
        stated = (b"content-type", b"application/json"), *headers
        await refuse(send, self.status, self.body if body is None else body, *stated)


def _refusal(
    auth: BearerAuth, status: int, error: str, description: str, scopes: Sequence[str] = ()
) -> Refusal:
    """Make a refusal; a request without a token is told no error. `scopes` are needed beside those of all
    requests: a challenge names all at once.
    """
    parts = [f'error="{error}"', f'error_description="{description}"'] if error else []
    needed = dict.fromkeys((*auth.scopes, *scopes))
    if needed and status != 400:
        parts.append(f'scope="{" ".join(needed)}"')
    if auth.resource:
        where = urlsplit(auth.resource)
        path = _metadata_path(auth.resource)
        parts.append(f'resource_metadata="{where.scheme}://{where.netloc}{path}"')
    return Refusal(status, error, description, f"Bearer {', '.join(parts)}".strip())


def refuse_scopes(auth: BearerAuth, scopes: Sequence[str], principal: Principal | None) -> Refusal | None:
    """Return the answer to a call of a tool with `scopes`; None where the principal has them.

    It names what the call needs, and nothing that the token has beside: adding up is the client's task (MCP
    2026-07-28, Runtime Insufficient Scope Errors; "minimum approach" in 2025-11-25).
    """
    missing = missing_scopes(scopes, principal)
    if not missing:
        return None
    description = f"the tool needs a token that permits {' '.join(missing)}, too"
    return _refusal(auth, 403, "insufficient_scope", description, scopes)


class BearerGuard:
    """An ASGI middleware that refuses requests without a valid token, and names the principal of others."""

    def __init__(self, app: App, auth: BearerAuth) -> None:
        self._app = app
        # The SDK finds the user of a call that waits for answers there.
        self._known = load("mcp.server.auth.middleware.auth_context").AuthContextMiddleware(app)
        self._auth = auth
        self._public = _metadata_path(auth.resource) if auth.resource else None
        loaded = load("mcp.server.auth.middleware.bearer_auth")
        self._user, self._access = loaded.AuthenticatedUser, load("mcp.server.auth.provider").AccessToken

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or (scope["type"] == "http" and scope["path"] == self._public):
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            raise RuntimeError(f"{scope['type']} is not served")
        principal = await self._check(scope)
        if isinstance(principal, Refusal):
            await principal.send(send)
            return
        # The SDK binds a session to the user that opened it.
        access = self._access(token="", client_id=principal.id, scopes=list(principal.scopes))
        await self._known({**scope, "user": self._user(access), _SCOPE_KEY: principal}, receive, send)

    async def _check(self, scope: Scope) -> Principal | Refusal:
        auth = self._auth
        presented = [value for key, value in scope["headers"] if key == b"authorization"]
        if not presented:
            return _refusal(auth, 401, "", "a bearer token is needed")
        scheme, _, token = presented[0].partition(b" ")
        token = token.strip(b" ")
        if len(presented) > 1 or len(token) > _LONGEST:
            return _refusal(auth, 400, "invalid_request", "one Authorization header with one token")
        if scheme.lower() != b"bearer":
            return _refusal(auth, 401, "", "a bearer token is needed")
        if not _TOKEN.fullmatch(token):
            return _refusal(auth, 400, "invalid_request", "what follows Bearer is no token")
        try:
            principal = await auth.verify(token.decode())
        except Exception as problem:  # the program's verifier
            # The kind alone: its text may have the token in it.
            _LOG.error("A token could not be verified: %s.", type(problem).__name__)
            return Refusal(503, "temporarily_unavailable", "the token could not be verified")
        if principal is None or (principal.expires_at is not None and principal.expires_at <= time.time()):
            return _refusal(auth, 401, "invalid_token", "the token is not valid, or no longer")
        if not set(auth.scopes) <= set(principal.scopes):
            return _refusal(auth, 403, "insufficient_scope", "the token permits too little")
        return principal


class _Params(Struct, frozen=True):
    name: str = ""


class _Request(Struct, frozen=True):
    id: str | int | None = None
    method: str = ""
    params: _Params = _Params()


class ScopeGuard:
    """An ASGI middleware that answers 403 to a call of a tool whose scopes the token lacks (step-up), before
    the call begins: its answer may be a stream, of which the status is sent first. It needs whole bodies, and
    a request whose principal `BearerGuard` named. `needed` are the scopes of a tool by name.

    What it cannot read is the SDK's to refuse; the registry holds every call to the scopes, too.
    """

    def __init__(self, app: App, auth: BearerAuth, needed: Callable[[str], Sequence[str]]) -> None:
        self._app = app
        self._auth = auth
        self._needed = needed
        self._decode = msgspec.json.Decoder(_Request).decode

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        arrived = [await receive()]
        request = self._read(arrived[0].get("body", b""))
        scopes = self._needed(request.params.name) if request.method == "tools/call" else ()
        refusal = refuse_scopes(self._auth, scopes, scope.get(_SCOPE_KEY))
        if refusal is not None:  # clients that do not step up show their user the error of the body
            error = {"code": INVALID_REQUEST, "message": f"Forbidden: {refusal.description}."}
            await refusal.send(
                send, msgspec.json.encode({"jsonrpc": "2.0", "id": request.id, "error": error})
            )
            return

        async def receive_again() -> Scope:
            return arrived.pop() if arrived else await receive()

        await self._app(scope, receive_again, send)

    def _read(self, body: bytes) -> _Request:
        """Read what says which tool a request calls, and whether."""
        try:
            return self._decode(body)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            return _Request()


def metadata_routes(auth: BearerAuth) -> list[Any]:
    """Return routes of the metadata of a protected resource (RFC 9728); none without `resource`."""
    if not auth.resource:
        return []
    # As texts: `AnyHttpUrl` adds a slash to an address without a path, and clients then refuse the issuer.
    routes: list[Any] = load("mcp.server.auth.routes").create_protected_resource_routes(
        resource_url=auth.resource,
        authorization_servers=[*auth.authorization_servers],
        scopes_supported=list(auth.scopes) or None,
    )
    return routes


def _metadata_path(resource: str) -> str:
    """RFC 9728, 3.1: the well-known part comes before the path of the resource."""
    path = urlsplit(resource).path
    return f"/.well-known/oauth-protected-resource{path if path != '/' else ''}"


class CallLimits(Struct, frozen=True, kw_only=True):
    """Limits of calls that run at once: one more waits for its turn, and where too many wait it is refused.

    A client is a principal where there is authentication, else a session of an older revision. HTTP requests
    of the newest revision without authentication say nothing of their client: only the limits of all calls
    hold for them. All calls without HTTP count as one client. A call does not run while its handler waits for
    its client's answer.

    Attributes:
        running: calls that run at once, of all clients.
        per_client: calls that run at once, of one client.
        waiting: calls of all clients that wait. One more is an `isError` result that says so.
        waiting_per_client: calls of one client that wait.
    """

    running: int = 256
    per_client: int = 64
    waiting: int = 4096
    waiting_per_client: int = 512

    def __post_init__(self) -> None:
        if min(self.running, self.per_client) < 1 or min(self.waiting, self.waiting_per_client) < 0:
            raise ValueError("limits of running calls are 1 or more, those of waiting calls 0 or more")


class TooManyCallsError(Exception):
    """A refused call: too many wait already. Its text is for the model."""


class _Turns:
    """Turns of some calls, in the order in which they came."""

    def __init__(self, running: int, waiting: int) -> None:
        self.free = asyncio.Semaphore(running)
        self.present = 0
        self._running = running
        self._most = running + waiting

    def enter(self) -> None:
        if self.present >= self._most:
            raise TooManyCallsError(
                f"The server runs {self._running} calls at once, and too many wait already: this one did not "
                "run. Wait until others have ended, then call again."
            )
        self.present += 1

    def leave(self) -> None:
        self.present -= 1


class Turn:
    """The turn of one call, of its client's and of all."""

    def __init__(self, turns: tuple[_Turns, ...]) -> None:
        self._turns = turns
        self._held = 0

    async def take(self) -> None:
        # The client's own comes first: whoever waits for it takes no turn from others.
        for turns in self._turns[self._held :]:
            await turns.free.acquire()
            self._held += 1

    def give_back(self) -> None:
        while self._held:
            self._held -= 1
            self._turns[self._held].free.release()

    @asynccontextmanager
    async def paused(self) -> AsyncGenerator[None]:
        """Let others run while the call waits for its client; then wait for a turn again."""
        self.give_back()
        try:
            yield
        finally:
            await self.take()


class CallTurns:
    """Gives calls their turns, within limits; each event loop has its own."""

    def __init__(self, limits: CallLimits) -> None:
        self._limits = limits
        self._loops: WeakKeyDictionary[object, tuple[_Turns, dict[str, _Turns]]] = WeakKeyDictionary()

    @asynccontextmanager
    async def turn(self, request: object) -> AsyncGenerator[Turn]:
        """Wait until a call may run, and count it while it does. `request` is the HTTP request of the call.
        Raises TooManyCallsError.
        """
        limits = self._limits
        loop = asyncio.get_running_loop()
        if loop not in self._loops:
            self._loops[loop] = (_Turns(limits.running, limits.waiting), {})
        every, clients = self._loops[loop]
        client = _client_of(request)
        if client is None:
            counted: tuple[_Turns, ...] = (every,)
        else:
            if client not in clients:
                clients[client] = _Turns(limits.per_client, limits.waiting_per_client)
            counted = (clients[client], every)
        turn, entered = Turn(counted), 0
        try:
            for turns in counted:
                turns.enter()
                entered += 1
            await turn.take()
            yield turn
        finally:
            turn.give_back()
            for turns in counted[:entered]:
                turns.leave()
            if client is not None and not counted[0].present:
                clients.pop(client, None)


def _client_of(request: Any) -> str | None:
    if request is None:
        return ""
    principal = principal_in(request)
    if principal is not None:
        return f"principal {principal.id}"
    session = request.headers.get("mcp-session-id")
    return None if session is None else f"session {session}"
