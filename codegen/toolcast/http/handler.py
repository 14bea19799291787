"""A handler that carries out a tool as the HTTP request that its spec names."""

from collections.abc import Callable, Mapping
from http.cookiejar import CookieJar
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from ..http_operation import Operation, filled, read_operation, server_problem
from ..jsonschema.json_values import JsonMapping
from ..jsonschema.pointers import resolve
from ..runtime.binding import AnyBinding
from ..runtime.codec import with_defaults
from ..runtime.context import ToolContext
from ..runtime.errors import RefusalError
from ..runtime.handlers import is_async
from ..runtime.registry import ToolRegistry
from ..runtime.result import ToolResult
from .client import (
    SAFE_METHODS,
    EncodingError,
    OversizedError,
    UnreachableError,
    hide_in_log,
    send,
    to_result,
)
from .credentials import Auth, Credentials, redactor_of, resolve_credentials, with_credentials
from .http_request import HttpRequest, build_request

_Servers: TypeAlias = str | Mapping[str, str]
"""The URL of a server; or several, each by the URL in the specs that it stands for."""
_Jars: TypeAlias = Callable[[ToolContext], CookieJar]
"""The cookies of whoever a call is made for. Called in the event loop before every request."""

_TIMEOUT = 30.0
_LARGEST = 4_000_000


class HttpHandler:
    """Carries out the HTTP operation of one tool. It fits the handler Protocol of every binding with `http`.

    Whatever the server or the connection does is a result; arguments that cannot be sent are refused before
    anything is sent.
    """

    def __init__(
        self,
        binding: AnyBinding,
        client: object = None,
        *,
        server: _Servers | None = None,
        server_variables: Mapping[str, str] | None = None,
        auth: Auth | None = None,
        cookies: _Jars | None = None,
        timeout: float = _TIMEOUT,
        limit: int = _LARGEST,
    ) -> None:
        """Make a handler.

        Args:
            binding: the generated binding of a spec with `http`.
            client: an `httpx.AsyncClient` of the program, which keeps connections, proxies, certificates and
                headers; it belongs to one event loop, and the program closes it. None opens a connection for
                each call.
            server: the URL of the server, or a mapping from the URLs in specs to those to use; None for the
                spec's own. With `auth` it is required: credentials go where the program says, and not where
                a file does.
            server_variables: values of variables in the spec's own server, in place of their defaults.
            auth: gives the values that security schemes ask for; None sends none.
            cookies: gives the jar of a call's context, which is sent instead of the client's cookies, and
                which answers add to; None forgets what answers set at the end of each call.
            timeout: seconds for the whole call.
            limit: bytes that an answer may have, decompressed.

        Raises:
            ValueError: the binding has no `http`; there is no server, or it is no URL of one; `auth` comes
                without `server`; `timeout` or `limit` is not positive.
            TypeError: `client` is no `httpx.AsyncClient`, or `auth` or `cookies` cannot be called.
        """
        if binding.http is None:
            raise ValueError(
                f"Tool {binding.name!r} has no `http` in its spec, so there is no request to make."
            )
        if timeout <= 0 or limit <= 0:
            raise ValueError("timeout and limit must be positive.")
        if client is not None and not is_async(getattr(client, "send", None)):
            raise TypeError(f"client must be an httpx.AsyncClient, not {type(client).__name__}.")
        if auth is not None and not callable(auth):
            raise TypeError("auth must be a function from a SecurityScheme to its value or None.")
        if cookies is not None and not callable(cookies):
            raise TypeError("cookies must be a function from a ToolContext to its CookieJar.")
        if auth is not None and server is None:
            raise ValueError(
                f"Tool {binding.name!r} gets credentials, so name its server: server='https://…'. A spec may "
                "come from elsewhere, and does not decide where credentials go."
            )
        self._binding = binding
        self._operation = read_operation(binding.http)
        self._server = _server_of(binding.name, self._operation, server, server_variables or {})
        self._client = client
        self._auth = auth
        self._cookies = cookies
        self._timeout = timeout
        self._limit = limit

    @property
    def operation(self) -> Operation:
        """The operation that it carries out."""
        return self._operation

    @property
    def server(self) -> str:
        """The URL of the server that it asks."""
        return self._server

    def request(self, params: Any) -> HttpRequest:
        """Make the request of a call, without credentials. Nothing is sent.

        Args:
            params: typed parameters.

        Returns:
            The request.

        Raises:
            RefusalError: a value cannot be sent.
        """
        values = with_defaults(params)
        further = sorted(set(values) - set(self._operation.places))
        if further and not self._binding.schema().get("additionalProperties", False):
            values = {name: value for name, value in values.items() if name in self._operation.places}
        return build_request(self._operation, values, self._binding.inject, self._declares)

    def _declares(self, parameter: str, member: str) -> bool:
        schema = self._binding.schema()
        return member in _members(schema["properties"].get(parameter), schema)

    async def __call__(self, params: object, context: ToolContext, /) -> ToolResult:
        """Carry out one call.

        Args:
            params: typed parameters.
            context: circumstances of the call.

        Returns:
            What the server answered, or why there is no answer.

        Raises:
            HttpxMissingError: httpx is not installed.
            ValueError: `auth` returned what is no credential.
        """
        credentials = Credentials()
        try:
            request = self.request(params)
            if self._auth is not None:
                name = self._binding.name
                credentials = await resolve_credentials(self._operation, self._auth, self._server, name)
        except RefusalError as problem:
            return ToolResult.failed(str(problem))
        for name in credentials.query:
            hide_in_log(name)
        jar = None if self._cookies is None else self._cookies(context)
        return await self._answer(with_credentials(request, credentials), credentials.values, jar)

    async def _answer(
        self, request: HttpRequest, secret: tuple[str, ...], jar: CookieJar | None
    ) -> ToolResult:
        host = urlsplit(self._server).netloc
        changes = request.method not in SAFE_METHODS
        effect = " It may have taken effect: look before you call it again." if changes else ""
        try:
            answer = await send(self._client, self._server, request, self._timeout, self._limit, jar)
        except TimeoutError:
            return ToolResult.failed(
                f"{host} did not answer within {self._timeout:g} s; the call was given up."
                + (effect or " Ask for less at once, or try again later.")
            )
        except UnreachableError as problem:
            if not problem.sent:
                return ToolResult.failed(
                    f"{host} cannot be reached ({problem.kind}), so nothing was sent. Go on without it, or "
                    "try again later."
                )
            return ToolResult.failed(f"The connection to {host} broke ({problem.kind}).{effect}")
        except OversizedError:
            return ToolResult.failed(
                f"{host} answered with more than {self._limit} bytes, which are not taken.{effect} Ask for "
                "less at once."
            )
        except EncodingError as problem:
            return ToolResult.failed(f"The answer of {host} cannot be read: {problem}.{effect}")
        return to_result(
            self._binding, host, request.method, answer, redactor_of((*secret, *answer.credentials))
        )


def register_http(
    registry: ToolRegistry,
    bindings: Mapping[str, AnyBinding],
    client: object = None,
    *,
    server: _Servers | None = None,
    server_variables: Mapping[str, str] | None = None,
    auth: Auth | None = None,
    cookies: _Jars | None = None,
    timeout: float = _TIMEOUT,
    limit: int = _LARGEST,
) -> tuple[str, ...]:
    """Register a handler for every binding with `http`.

    Args:
        registry: gets the tools.
        bindings: BINDINGS of a generated package; those without `http` are left to the program.
        client: as for `HttpHandler`.
        server: as for `HttpHandler`. One URL serves only tools of one server: for several, give a mapping.
        server_variables: as for `HttpHandler`.
        auth: as for `HttpHandler`.
        cookies: as for `HttpHandler`.
        timeout: as for `HttpHandler`.
        limit: as for `HttpHandler`.

    Returns:
        The names of the tools that were registered.

    Raises:
        ValueError: `server` is one URL and the specs name several; no spec states `security`, so that `auth`
            would never be asked; and what `HttpHandler` raises. Then no tool is registered.
        TypeError: as `HttpHandler` raises it.
        DuplicateToolError: a name is taken, and the registry was made with `on_duplicate="raise"`.
        FrozenRegistryError: after `freeze()` or `aclose()`.
    """
    found = [binding for binding in bindings.values() if binding.http is not None]
    named = sorted({str((binding.http or {}).get("server", "")) for binding in found})
    if isinstance(server, str) and len(named) > 1:
        several = ", ".join(repr(each) for each in named[:5])
        raise ValueError(
            f"The specs name {len(named)} servers ({several}): give a mapping from each to its URL."
        )
    handlers = [
        HttpHandler(
            binding,
            client,
            server=server,
            server_variables=server_variables,
            auth=auth,
            cookies=cookies,
            timeout=timeout,
            limit=limit,
        )
        for binding in found
    ]
    if auth is not None and found and not any(handler.operation.security for handler in handlers):
        raise ValueError(
            f"auth would never be asked: none of the {len(found)} specs has `http.security`, which an import "
            "takes from `security` of an OpenAPI document. State it there and import again, or state it in "
            "the specs; or leave out auth, and give a client with the header: httpx.AsyncClient(headers=…)."
        )
    return tuple(
        binding.name
        for binding, handler in zip(found, handlers, strict=True)
        if registry.register(binding, handler)
    )


def _members(schema: object, document: JsonMapping) -> set[str]:
    """Return the members that a schema names, also in what it refers to and is made of."""
    found: set[str] = set()
    waiting, seen = [schema], set[str]()
    while waiting:
        node = waiting.pop()
        if not isinstance(node, Mapping):
            continue
        found.update(node.get("properties", ()))
        reference = node.get("$ref", "")
        if reference.startswith("#") and reference not in seen:
            seen.add(reference)
            waiting.append(resolve(document, reference[1:]))
        for keyword in ("allOf", "anyOf", "oneOf"):
            waiting += node.get(keyword, ())
        waiting += (node.get(keyword) for keyword in ("if", "then", "else"))
        waiting += node.get("dependentSchemas", {}).values()
    return found


def _server_of(tool: str, operation: Operation, server: _Servers | None, variables: Mapping[str, str]) -> str:
    if server is None:
        chosen = filled(operation.server, {**operation.server_variables, **variables})
    elif isinstance(server, str):
        chosen = server
    elif operation.server in server:
        chosen = server[operation.server]
    else:
        raise ValueError(f"`server` has no URL for {operation.server!r}, the server of tool {tool!r}.")
    if not chosen:
        raise ValueError(f"The spec of tool {tool!r} names no server: give server='https://…'.")
    if problem := server_problem(chosen):
        raise ValueError(f"The server of tool {tool!r} {problem}: {chosen!r:.200}.")
    return chosen
