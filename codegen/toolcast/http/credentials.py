"""Credentials of requests: the program's own resolver gives the value that a security scheme asks for."""

import base64
import binascii
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from inspect import isawaitable
from typing import Final, TypeAlias

import msgspec
from msgspec import Struct

from ..http_operation import Operation, SchemeFields
from ..runtime.errors import RefusalError
from ..runtime.middleware.secrets.redactor import SHORTEST, Redactor, is_too_short
from .http_request import HttpRequest, percent_encode

_CONTROL: Final = re.compile("[\0-\x1f\x7f\ud800-\udfff]")
_PUBLIC: Final = frozenset(
    {"accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "connection"}
    | {"content-length", "content-type", "date", "expect", "host", "if-match", "if-modified-since"}
    | {"if-none-match", "if-unmodified-since", "origin", "pragma", "range", "referer", "te"}
    | {"transfer-encoding", "upgrade", "user-agent"}
)
"""Headers of RFC 9110 that hold no credential; any other one that a client adds may."""


class SecurityScheme(Struct, frozen=True, kw_only=True):
    """A security scheme of one operation, as the resolver is asked for it.

    Attributes:
        key: its name in `schemes`.
        type: "apiKey", "http", "oauth2", "openIdConnect" or "mutualTLS".
        scheme: HTTP's name of it where `type` is "http": `bearer`, `basic`.
        scopes: what the operation needs.
        server: URL of the server that gets the value.
        tool: name of the tool.
    """

    key: str
    type: str
    scheme: str
    scopes: tuple[str, ...]
    server: str
    tool: str


Auth: TypeAlias = Callable[[SecurityScheme], str | Awaitable[str | None] | None]
"""A key, a token, or `user:password` for the scheme `basic`; None where the program has none. Called in the
event loop before every request; slow ones are async."""


class Credentials(Struct, frozen=True, kw_only=True):
    """The additions to a request beside its parameters, and the values that nobody may read."""

    headers: Mapping[str, str] = {}
    query: Mapping[str, str] = {}
    cookies: Mapping[str, str] = {}
    values: tuple[str, ...] = ()


async def resolve_credentials(operation: Operation, auth: Auth, server: str, tool: str) -> Credentials:
    """Ask the program's resolver for the values of the first alternative that it has all values of; none
    where the operation needs none.

    Raises RefusalError where it has the values of no alternative, or one that is too short to be kept out of
    results; ValueError, without the value, for one with a control character.
    """
    known: dict[tuple[str, tuple[str, ...]], str | None] = {}
    for alternative in operation.security:
        found: list[tuple[str, SchemeFields, str]] = []
        for key, scopes in alternative.items():
            if (key, scopes) not in known:
                fields = operation.schemes[key]
                asked = SecurityScheme(
                    key=key, type=fields.type, scheme=fields.scheme, scopes=scopes, server=server, tool=tool
                )
                value = auth(asked)
                known[key, scopes] = await value if isawaitable(value) else value
            value = known[key, scopes]
            if value is None:
                break
            found.append((key, operation.schemes[key], _checked(key, value)))
        else:
            return _combined(found)
    if not operation.security:
        return Credentials()
    names = sorted({key for alternative in operation.security for key in alternative})
    raise RefusalError(
        f"This needs credentials that the program does not have ({', '.join(names)}), so nothing was sent. "
        "No argument can change that: go on without this tool, or tell the user."
    )


def _checked(key: str, value: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"auth must return text or None for {key!r}, not {type(value).__name__}.")
    if _CONTROL.search(value):
        raise ValueError(f"The value for {key!r} holds a control character, such as a line break at its end.")
    return value


def _combined(found: list[tuple[str, SchemeFields, str]]) -> Credentials:
    headers: dict[str, str] = {}
    query: dict[str, str] = {}
    cookies: dict[str, str] = {}
    values: list[str] = []
    for key, fields, value in found:
        if fields.type == "mutualTLS":  # the client's own certificate
            continue
        basic = fields.type == "http" and fields.scheme.lower() == "basic"
        if is_too_short(_secret_part(value) if basic else value):
            raise RefusalError(
                f"The program's value for {key!r} cannot be used: it has fewer than {SHORTEST} characters "
                "and could not be kept out of results. Tell the user to set a longer one."
            )
        if fields.location == "cookie" and ";" in value:
            raise ValueError(f"The value of the cookie {fields.name!r} holds `;`, which would end it.")
        if fields.type == "apiKey":
            values.append(value)
            {"header": headers, "query": query, "cookie": cookies}[fields.location][fields.name] = value
            continue
        if basic:
            value = base64.b64encode(value.encode()).decode()
        name = fields.scheme if fields.type == "http" else "Bearer"
        headers["Authorization"] = f"{name.capitalize() if name.islower() else name} {value}"
        values += _authorization_values(headers["Authorization"])
    return Credentials(headers=headers, query=query, cookies=cookies, values=tuple(values))


def _secret_part(user_and_password: str) -> str:
    """Return the password; the user where there is none, as some APIs take a key."""
    user, _, password = user_and_password.partition(":")
    return password or user


def _authorization_values(header: str) -> Iterator[str]:
    """Yield the parts of an `Authorization` that nobody may read; of `basic` also what they stand for."""
    scheme, _, value = header.partition(" ")
    yield value or scheme
    if scheme.lower() == "basic":
        try:
            decoded = base64.b64decode(value, validate=True).decode()
        except (binascii.Error, ValueError):
            return
        yield from (decoded, _secret_part(decoded))


def added_credentials(headers: Iterable[tuple[str, str]], request: HttpRequest) -> Iterator[str]:
    """Return, in parts, the values of all headers as sent that the client added to `request` and that may
    hold a credential.
    """
    own = {name.lower() for name, _ in request.headers} | ({"cookie"} if request.cookies else set())
    for name, value in headers:
        lower = name.lower()
        if lower in own or lower in _PUBLIC:
            continue
        if lower == "cookie":
            yield from (pair.partition("=")[2] for pair in value.split("; "))
        elif lower.endswith("authorization"):
            yield from _authorization_values(value)
        else:
            yield value


def redactor_of(values: Iterable[str]) -> Redactor:
    """Return the redactor of credentials. One that is too short to be searched is left."""
    redactor = Redactor()
    for value in values:
        if not is_too_short(value):
            redactor.add("credential", value)
    return redactor


def with_credentials(request: HttpRequest, credentials: Credentials) -> HttpRequest:
    """Return the request with credentials; they win over parameters of the same name."""
    names = {name.lower() for name in credentials.headers}
    headers = [pair for pair in request.headers if pair[0].lower() not in names]
    query = [pair for pair in request.query if pair[0] not in credentials.query]
    cookies = [pair for pair in request.cookies if pair[0] not in credentials.cookies]
    query += [(name, percent_encode(value)) for name, value in credentials.query.items()]
    return msgspec.structs.replace(
        request,
        headers=(*headers, *credentials.headers.items()),
        query=tuple(query),
        cookies=(*cookies, *credentials.cookies.items()),
    )
