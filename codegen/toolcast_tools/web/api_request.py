"""From the parameters of `http_request` to a request, and from the response to its result."""

import re
from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import urlencode

import httpx
import msgspec
from toolcast.hidden_characters import escape_hidden
from toolcast.runtime.errors import RefusalError

from ..generated.web.http_request import (
    HttpRequestBodyForm,
    HttpRequestBodyJson,
    HttpRequestBodyText,
    HttpRequestParams,
    HttpRequestResult,
)
from .access_rules import as_uri, read_url, shown
from .body_text import MediaType, media_type, text_of
from .exchange import WebRequest, WebResponse

_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_OF_THE_CONNECTION: Final = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "keep-alive", "upgrade", "te", "trailer"}
    | {"expect", "accept-encoding", "http2-settings", "via"}
)
"""Headers for the address, end and encoding of a request (RFC 9112, 9.6), which the program sets."""
_HEADER: Final = 4_000
"""Characters of one header of a response that are shown."""


def build_request(params: HttpRequestParams) -> WebRequest:
    """Make the request that a model asks for. Nothing is sent.

    Raises RefusalError: a value cannot be sent, in words for the model.

    Args:
        params: parameters of the tool.
    """
    try:
        url = _with_query(read_url(params.url), params.query or {})
        content, kind = _body(params.body)
        if content is not None and params.method in ("GET", "HEAD"):
            raise RefusalError(f"{params.method} takes no body: leave it out, or use another method.")
        headers = tuple(_headers(params.headers))
        names = {name.lower() for name, _ in headers}
        if kind and "content-type" not in names:
            headers = (*headers, ("Content-Type", _checked("content_type", kind)))
        return WebRequest(method=params.method, url=url, headers=headers, content=content)
    except UnicodeEncodeError:
        raise RefusalError(
            "The arguments hold text that is no Unicode (lone surrogates); correct it."
        ) from None


def _with_query(url: httpx.URL, query: Mapping[str, str | int | float | bool | list[str]]) -> httpx.URL:
    """Return the URL with pairs after those that it has, which stay as they are."""
    if not query:
        return url
    pairs = [
        (name, ("false", "true")[each] if isinstance(each, bool) else str(each))
        for name, value in query.items()
        for each in (value if isinstance(value, list) else [value])
    ]
    return url.copy_with(query=b"&".join(filter(None, [url.query, urlencode(pairs).encode()])))


def _headers(headers: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, value in headers.items():
        if not _TOKEN.fullmatch(name):
            raise RefusalError(f"{name[:60]!r} is no name of a header: write letters, digits and `-`.")
        if name.lower() in _OF_THE_CONNECTION or name.lower().startswith("proxy-"):
            raise RefusalError(f"The header {name} is set by the program; leave it out.")
        yield name, _checked(name, value)


def _checked(name: str, value: str) -> str:
    """Return a value that stays one header. Its text is in no message: it may hold a secret."""
    if _CONTROL.search(value):
        raise RefusalError(f"The value of {name} has a line break or a control character; leave it out.")
    value.encode()
    return value.strip(" \t")


def _body(
    body: HttpRequestBodyJson | HttpRequestBodyForm | HttpRequestBodyText | None,
) -> tuple[bytes | None, str]:
    """Return the bytes of a body, None for none, and its media type."""
    match body:
        case None:
            return None, ""
        case HttpRequestBodyJson():
            return msgspec.json.encode(body.value), "application/json"
        case HttpRequestBodyForm():
            return urlencode(body.fields).encode(), "application/x-www-form-urlencoded"
        case HttpRequestBodyText():
            kind = body.content_type
            stated = "charset" in kind.lower() or not kind.startswith("text/")
            return body.text.encode(), kind if stated else f"{kind}; charset=utf-8"


def to_result(response: WebResponse, header_characters: int) -> HttpRequestResult:
    """Make the result of a response.

    Returns status, address, headers and body; a binary body is described.

    Args:
        header_characters: characters of all its headers that are shown.
    """
    media = media_type(response.header("content-type"))
    body = text_of(response.content, media, whole=not response.full) if response.content else None
    headers, cut = _shown_headers(response.headers, header_characters)
    withheld = ", ".join(dict.fromkeys(response.withheld))
    notes = [
        _described(response, media) if body is None and response.content else "",
        f"The redirect was not followed: {response.unfollowed}." if response.unfollowed else "",
        f"Not sent to the origin that it redirected to: {withheld}." if withheld else "",
        "Not all headers are shown." if cut else "",
    ]
    return HttpRequestResult(
        status=response.status,
        url=as_uri(response.url),
        headers=headers,
        body=body,
        truncated=response.full,
        note=" ".join(filter(None, notes)) or None,
    )


def _described(response: WebResponse, media: MediaType) -> str:
    size = f"{'more than ' if response.full else ''}{len(response.content)} bytes"
    return f"The body is binary, {size} of {shown(media.name or 'an unknown type')}, and is not shown."


def _shown_headers(headers: tuple[tuple[str, str], ...], characters: int) -> tuple[dict[str, str], bool]:
    """Return the headers by name, within bounds, and whether some are missing or cut. Values of one name are
    joined as RFC 9110, 5.3, has it; cookies, which hold commas, by line.
    """
    found: dict[str, str] = {}
    left, cut = characters, False
    for name, value in headers:
        text = escape_hidden(value)
        cut = cut or len(text) > _HEADER
        text = text[:_HEADER]
        left -= len(name) + len(text)
        if left < 0:
            return found, True
        between = "\n" if name == "set-cookie" else ", "
        found[name] = f"{found[name]}{between}{text}" if name in found else text
    return found, cut
