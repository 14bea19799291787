"""Sends a request, bounded in time and size, and makes its answer a result of a tool.

Redirects are followed within one server only.

httpx is imported here, at the first request, and nowhere else.
"""

import asyncio
import codecs
import logging
import re
import zlib
from copy import copy
from email.message import Message
from functools import cache
from http import HTTPStatus
from http.cookiejar import CookieJar
from importlib import import_module
from typing import Any, Final

import msgspec
from msgspec import Struct

from ..hidden_characters import without_hidden
from ..http_operation import is_json
from ..jsonschema.regex_cache import in_one_call
from ..runtime.binding import AnyBinding
from ..runtime.bounded_json import UnreadableJSONError, read_json
from ..runtime.checked_types import decode_hook
from ..runtime.handlers import result_validator
from ..runtime.middleware.secrets.redactor import Redactor
from ..runtime.result import Content, ToolResult
from .credentials import added_credentials
from .http_request import HttpRequest, joined

_REMEDY: Final = "run: pip install 'toolcast[http]' (httpx 0.28 or newer)"
_REDIRECTS: Final = 5
_REDIRECTING: Final = (301, 302, 303, 307, 308)
_LOCATIONS: Final = "toolcast.locations"
_ACCEPT: Final = (b"Accept", b"application/json, */*;q=0.8")
SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS", "QUERY", "TRACE"})
"""Methods that ask for no change."""


class HttpxMissingError(ImportError):
    """httpx is not installed."""


class OversizedError(Exception):
    """An answer with more bytes than are taken."""


class UnreachableError(Exception):
    """No connection, or one that broke. `sent` says whether the server may have got the request."""

    def __init__(self, kind: str, sent: bool) -> None:
        super().__init__(kind)
        self.kind = kind
        self.sent = sent


class HttpAnswer(Struct, frozen=True, kw_only=True):
    """A whole answer. `headers` are by name in lower case, the last of several; `content` is decompressed.
    `location` is where a redirect leads that was not followed, `problem` why nobody can go there, as a
    clause. `credentials` are values that the client added, which nobody may read.
    """

    status: int
    headers: dict[str, str]
    content: bytes
    location: str = ""
    problem: str = ""
    credentials: tuple[str, ...] = ()


def load_httpx() -> Any:
    """Return the library. Raises HttpxMissingError, with the remedy."""
    try:
        return import_module("httpx")
    except ModuleNotFoundError as missing:
        if missing.name != "httpx":
            raise HttpxMissingError(
                f"httpx needs {missing.name}, which is not installed; {_REMEDY}"
            ) from missing
        raise HttpxMissingError(f"httpx is not installed; {_REMEDY}") from missing


@cache
def _ssl_context() -> Any:
    """Certificates are read once: a connection for each call would read them each time."""
    return load_httpx().create_ssl_context()


def _own_client() -> Any:
    """Return a client for one call: nothing of it outlives the event loop, and no cookie reaches another
    call.
    """
    return load_httpx().AsyncClient(verify=_ssl_context())


class _HiddenQuery(Struct, frozen=True):
    """A filter of httpx's own log, which writes URLs: the value of one name in a query is left out."""

    name: str

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite the URLs of a record. Every record passes."""
        url = load_httpx().URL
        if isinstance(record.args, tuple):
            record.args = tuple(self._hidden(each) if isinstance(each, url) else each for each in record.args)
        return True

    def _hidden(self, url: Any) -> Any:
        return url.copy_set_param(self.name, "[redacted]") if self.name in url.params else url


def hide_in_log(name: str) -> None:
    """Keep a key in the query out of httpx's log, which has every URL at level INFO."""
    logging.getLogger("httpx").addFilter(_HiddenQuery(name))  # an equal filter is not added twice


async def send(
    client: Any, server: str, request: HttpRequest, seconds: float, limit: int, jar: CookieJar | None = None
) -> HttpAnswer:
    """Send a request to `server` and read the whole answer, of at most `limit` bytes, within `seconds`; a
    redirect to another server is one. `client` is an `httpx.AsyncClient`, None for one of this call alone;
    `jar` has the cookies that are sent and that answers add to, None for those of the client, and for what
    the answers of this call set.

    Raises TimeoutError, UnreachableError, OversizedError, EncodingError and HttpxMissingError.
    """
    async with asyncio.timeout(seconds):
        if client is not None:
            return await _send(_of_one_call(client, jar), server, request, seconds, limit)
        async with _own_client() as own:
            return await _send(_of_one_call(own, jar), server, request, seconds, limit)


def _of_one_call(client: Any, jar: CookieJar | None) -> Any:
    """Return a client with the connections and settings of another one, and cookies of its own: those of one
    call are not sent with another, nor with one that runs at the same time. Where answers redirect, it
    lets nobody read `Location`: httpx raises errors of several kinds for what is no URL.
    """
    own = copy(client)
    own.cookies = client.cookies if jar is None else jar
    hooks = client.event_hooks
    own.event_hooks = {**hooks, "response": [*hooks["response"], _take_locations]}
    return own


async def _take_locations(response: Any) -> None:
    if response.status_code in _REDIRECTING:
        response.extensions[_LOCATIONS] = response.headers.get_list("location")
        response.headers.pop("location", None)


async def _send(client: Any, server: str, request: HttpRequest, seconds: float, limit: int) -> HttpAnswer:
    httpx = load_httpx()
    query = f"?{joined(request.query)}" if request.query else ""
    url = httpx.URL(f"{server.rstrip('/')}{request.path}{query}")
    method, content, parts = request.method, request.content, request.parts
    # A client of the program may want something else.
    accept = [_ACCEPT] if client.headers.get("accept", "*/*") == "*/*" else []
    credentials = dict.fromkeys(client.params.values())
    for _ in range(_REDIRECTS + 1):
        built = client.build_request(
            method,
            url,
            headers=_headers(request, content is not None) + accept,
            content=content,
            files=None if parts is None else [_file(part) for part in parts],
            timeout=seconds,
        )
        try:
            response = await client.send(built, stream=True, follow_redirects=False)
            try:
                answer = await _read(response, limit)
            finally:
                await response.aclose()
        except (httpx.ReadTimeout, httpx.WriteTimeout):
            raise TimeoutError from None
        except httpx.HTTPError as problem:
            sent = not isinstance(problem, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout))
            # Its text may hold the URL with a key in it.
            raise UnreachableError(type(problem).__name__, sent) from None
        credentials |= dict.fromkeys(added_credentials(response.request.headers.multi_items(), request))
        answer = msgspec.structs.replace(answer, credentials=tuple(credentials))
        locations = response.extensions.get(_LOCATIONS)
        if not locations:
            return answer
        target, reason = _target(httpx, url, locations)
        preserved = answer.status in (307, 308)
        followed = preserved or method in SAFE_METHODS or answer.status == 303
        if reason or not followed or not _same_origin(url, target):
            return msgspec.structs.replace(answer, location=str(target), problem=reason)
        url = target
        if answer.status == 303 and method != "HEAD":
            method, content, parts = "GET", None, None
    raise UnreachableError("TooManyRedirects", True)


def _headers(request: HttpRequest, has_content: bool) -> list[tuple[bytes, bytes]]:
    headers = [(name.encode(), value.encode()) for name, value in request.headers]
    headers.append((b"Accept-Encoding", ACCEPTED.encode()))  # no other one can be read within a limit
    if has_content and request.media_type:
        headers.append((b"Content-Type", request.media_type.encode()))
    if request.cookies:
        headers.append((b"Cookie", "; ".join(f"{name}={value}" for name, value in request.cookies).encode()))
    return headers


def _file(part: Any) -> tuple[str, tuple[str | None, bytes, str | None]]:
    return part.name, (part.filename or None, part.content, part.media_type or None)


async def _read(response: Any, limit: int) -> HttpAnswer:
    """Read no more than `limit` bytes, and nothing of a redirect. Raises OversizedError and EncodingError."""
    headers = {name.lower(): value for name, value in response.headers.items()}
    plain = HttpAnswer(status=response.status_code, headers=headers, content=b"")
    if response.extensions.get(_LOCATIONS):
        return plain
    body = Decompressor(headers.get("content-encoding", ""), limit)
    if response.is_stream_consumed:  # a hook or transport of the program's has read and decoded it
        content = await response.aread()
        if len(content) > limit:
            raise OversizedError
        return msgspec.structs.replace(plain, content=content)
    async for piece in response.aiter_raw():
        body.feed(piece)
        if body.full:
            raise OversizedError
    if not body.complete:
        raise EncodingError("it ends before its encoding does")
    return msgspec.structs.replace(plain, content=body.content)


def _target(httpx: Any, url: Any, locations: list[str]) -> tuple[object, str]:
    location = locations[0]
    if len(locations) > 1:
        return location, "states several addresses"
    try:
        target = url.join(location)
    except (httpx.InvalidURL, ValueError):
        return location, "states what is no URL"
    if target.scheme not in ("http", "https") or not target.host or "%" in target.host:
        return location, "states no address of http or https"
    if target.port is not None and not 0 < target.port < 65_536:
        return location, "states no port"
    return (location, "states a user") if target.userinfo else (target, "")


def _same_origin(one: Any, other: Any) -> bool:
    return bool((one.scheme, one.host, one.port) == (other.scheme, other.host, other.port))


_WORDS: Final = 2_000
"""Characters of an API's own message that reach the model."""
_READ: Final = 64_000
"""Bytes of an error that are looked at."""
_CUT: Final = 16_000
"""Characters at the end of what was cut that are not shown: they may be a part of a credential."""
_CHARSETS: Final = frozenset(
    {"utf-8", "utf-16", "utf-16-le", "utf-16-be", "koi8-r", "koi8-u", "mac-roman", "cp866", "cp874", "cp949"}
    | {"gb2312", "gbk", "gb18030", "big5", "euc_jp", "iso2022_jp", "shift_jis", "cp932", "euc_kr"}
    | {f"cp{number}" for number in range(1250, 1259)}
    | {f"iso8859-{number}" for number in range(2, 17) if number != 12}
)
"""Charsets of the web (Encoding standard) by the names of Python, which also has codecs that are none."""
_TEXT: Final = re.compile(r"text/|application/(xml|javascript|yaml|x-yaml|x-ndjson|graphql)$|.*\+(xml|yaml)$")
_TAGS: Final = re.compile(r"^\s*<(!doctype|html)", re.IGNORECASE)


def to_result(
    binding: AnyBinding, host: str, method: str, answer: HttpAnswer, redactor: Redactor
) -> ToolResult:
    """Make a result of an answer: a success for a status below 400. JSON is `data`, typed where it fits the
    contract of results; text is `output`; all else is content. `host` and `method` are for messages;
    `redactor` keeps the values of credentials out.
    """
    # What is cut or chosen by is searched first: half a value would not be found any more.
    answer = msgspec.structs.replace(
        answer, headers=redactor.value(answer.headers), location=redactor.text(answer.location)
    )
    is_data = answer.status < 400 and not answer.location and is_json(_media_type(answer)[0])
    if is_data and answer.content:
        return _json(binding, host, answer.content, redactor)
    result: ToolResult = redactor.value(_result(host, method, answer, redactor))
    return result


def _result(host: str, method: str, answer: HttpAnswer, redactor: Redactor) -> ToolResult:
    if answer.status >= 400:
        return ToolResult.failed(_failure(host, method, answer, redactor))
    if answer.location:
        return _unfollowed(host, method, answer)
    if not answer.content:
        return ToolResult.ok(f"{host} answered {_status(answer.status)}, with no content.")
    media_type, charset = _media_type(answer)
    if _TEXT.match(media_type):
        text = _decoded(answer.content, charset)
        if text is None:
            return ToolResult.failed(f"{host} answered {_UNREAD}{_effect(method)}")
        return ToolResult.ok(text)
    kind = media_type.partition("/")[0]
    words = f"{host} answered with {len(answer.content)} bytes of {media_type}."
    if kind == "image":
        return ToolResult.ok(words, content=(Content.image(answer.content, media_type),))
    if kind == "audio":
        return ToolResult.ok(words, content=(Content.audio(answer.content, media_type),))
    name = _filename(answer, redactor)
    return ToolResult.ok(words, content=(Content.file(answer.content, media_type, name),))


def _unfollowed(host: str, method: str, answer: HttpAnswer) -> ToolResult:
    location = without_hidden(answer.location)[:_WORDS]
    line = f"{host} answered {_status(answer.status)}: it "
    if answer.problem:
        return ToolResult.failed(
            f"{line}redirects, but {answer.problem}, so nothing else was asked: {location}\nThis is a fault "
            f"of the server; do not repeat the call unchanged.{_effect(method)}"
        )
    return ToolResult.ok(f"{line}refers to another server, which was not asked: {location}")


def _json(binding: AnyBinding, host: str, content: bytes, redactor: Redactor) -> ToolResult:
    try:
        data = read_json(content)
        text = msgspec.json.format(content, indent=-1).decode()
    except UnreadableJSONError:
        return ToolResult.failed(
            f"{host} answered with what it calls JSON and is none. This is a fault of the API; do not repeat "
            "the call unchanged more than once."
        )
    if redactor.text(text) != text:
        data = redactor.value(data)
        # Of the data: a mark in the place of a number would be no JSON.
        text = redactor.text(msgspec.json.encode(data).decode())
    return ToolResult.ok(text, _typed(binding, data))


@in_one_call
def _typed(binding: AnyBinding, data: Any) -> Any:
    """Return the data as the result's type where the contract accepts it; else as it came. `check_results` of
    the registry makes a failure of what does not fit.
    """
    if binding.result is None:
        return data
    validator = result_validator(binding)
    settled = validator.settle(data)
    if not validator.accepts(settled):
        return data
    try:
        return msgspec.json.decode(msgspec.json.encode(settled), type=binding.result, dec_hook=decode_hook)
    except (msgspec.MsgspecError, RecursionError):
        return data


def _media_type(answer: HttpAnswer) -> tuple[str, str]:
    """Return the media type and the charset of an answer; bytes where it says none that could be one."""
    message = Message()
    message["Content-Type"] = answer.headers.get("content-type", "application/octet-stream")
    media_type, charset = message.get_content_type(), message.get_content_charset("utf-8")
    try:
        Content.file(b"", media_type)
    except ValueError:
        media_type = "application/octet-stream"
    return media_type, charset


_UNREAD: Final = "in a charset that is not read: the web does not have it."


def known_charset(label: str) -> str:
    """Python's name of a charset; "" for one that the web does not have."""
    if len(label) > 40 or not label.isascii():
        return ""
    try:
        name = codecs.lookup(label.strip()).name
    except (LookupError, ValueError):
        return ""
    if name in ("ascii", "iso8859-1"):
        return "cp1252"  # as the Encoding standard has it
    return name if name in _CHARSETS else ""


def _decoded(content: bytes, charset: str) -> str | None:
    known = known_charset(charset)
    return content.decode(known, "replace").removeprefix("\ufeff") if known else None


def _filename(answer: HttpAnswer, redactor: Redactor) -> str:
    """Return the file name that an answer has, without folders; "" for none."""
    message = Message()
    message["Content-Disposition"] = answer.headers.get("content-disposition", "")
    name = redactor.text(message.get_filename("") or "")
    plain = without_hidden(name.replace("\\", "/").rpartition("/")[2])[:100]
    return "" if plain in (".", "..") else "".join(sign for sign in plain if sign.isprintable())


def _status(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def _failure(host: str, method: str, answer: HttpAnswer, redactor: Redactor) -> str:
    status = answer.status
    words = _message(answer, redactor)
    line = f"{host} answered {_status(status)}{': ' + words if words else '.'}"
    return f"{line}\n{_advice(status, method, answer)}"


def _message(answer: HttpAnswer, redactor: Redactor) -> str:
    """Return the API's own message, bounded; nothing of a page of HTML."""
    media_type, charset = _media_type(answer)
    if not (is_json(media_type) or media_type.startswith("text/")):
        return ""
    text = _decoded(answer.content[:_READ], charset)
    if text is None:
        return _UNREAD
    if _TAGS.match(text):
        return ""
    text = redactor.text(" ".join(text.split()))
    text = without_hidden(text if len(answer.content) <= _READ else text[:-_CUT])
    return text if len(text) <= _WORDS else f"{text[:_WORDS]}…"


def _effect(method: str) -> str:
    return "" if method in SAFE_METHODS else " The call may have taken effect: look before you call it again."


def _advice(status: int, method: str, answer: HttpAnswer) -> str:
    if status in (400, 409, 412, 415, 422):
        return "Correct the arguments before you call it again."
    if status == 401:
        return "The program's credentials are missing or not valid. No argument changes that: tell the user."
    if status == 403:
        return "The program's credentials do not allow this. No argument changes that: tell the user."
    if status in (404, 410):
        return "Look whether the names and ids in the arguments exist, and may be seen."
    if status == 429 or (status == 503 and "retry-after" in answer.headers):
        after = without_hidden(answer.headers.get("retry-after", "")).strip()[:60]
        wait = f"Wait {after} seconds" if after.isdecimal() else f"Wait until {after}" if after else "Wait"
        return f"{wait} before you call it again."
    if status >= 500 and method in SAFE_METHODS:
        return "This is a fault of the server; do not repeat the call unchanged more than once."
    if status >= 500:
        return f"This is a fault of the server.{_effect(method)}"
    return "Change the arguments, or go on without this call."


ACCEPTED: Final = "gzip, deflate"
"""The value of `Accept-Encoding`."""
_OVERHEAD: Final = 65_536
"""Bytes that an encoded body may have beyond its limit of decoded ones: it may expand to nothing."""


class EncodingError(Exception):
    """A body in an encoding that was not asked for, or that is not what it says."""


class Decompressor:
    """Reads the pieces of one body, and keeps at most `limit` bytes of what they expand to."""

    def __init__(self, encoding: str, limit: int) -> None:
        """Start a body of which `limit` bytes are kept. Raises EncodingError for a `Content-Encoding` that
        was not asked for.
        """
        names = [
            name for each in encoding.lower().split(",") if (name := each.strip()) not in ("", "identity")
        ]
        if len(names) > 1 or not {*names} <= {"gzip", "x-gzip", "deflate"}:
            # Without the names: a server writes what it likes there.
            raise EncodingError(f"its encoding was not asked for, which was {ACCEPTED}")
        self._kind = names[0] if names else ""
        self._decoder = zlib.decompressobj(zlib.MAX_WBITS | 16) if self._kind.endswith("gzip") else None
        self._head = b""
        self._begun = False
        self._left = limit
        self._encoded_left = limit + _OVERHEAD
        self.pieces: list[bytes] = []
        self.full = False

    def feed(self, piece: bytes) -> None:
        """Take the next piece; `full` is set where there is more than `limit` bytes, or far more encoded.
        Raises EncodingError for bytes that are not in the encoding.
        """
        if self.full or not piece:
            return
        data = self._expand(piece) if self._kind else piece
        self._encoded_left -= len(piece)
        self.full = len(data) > self._left or self._encoded_left < 0
        data = data[: self._left]
        self._left -= len(data)
        self.pieces.append(data)

    @property
    def complete(self) -> bool:
        """Return whether the body ended where its encoding ends; one without a byte has none."""
        if self.full or not self._kind:
            return not self.full
        return not self._head if self._decoder is None else self._decoder.eof or not self._begun

    @property
    def content(self) -> bytes:
        """Return what was kept."""
        return b"".join(self.pieces)

    def _expand(self, piece: bytes) -> bytes:
        """At most one byte more than is left. What follows the end of the encoded data is ignored."""
        self._begun = True
        if self._decoder is None:
            self._head += piece
            if len(self._head) < 2:
                return b""
            piece, self._head = self._head, b""
            self._decoder = zlib.decompressobj(zlib.MAX_WBITS if _is_zlib(piece) else -zlib.MAX_WBITS)
        if self._decoder.eof:
            return b""
        try:
            return self._decoder.decompress(piece, self._left + 1)
        except zlib.error as problem:
            raise EncodingError(f"it is no {self._kind} ({problem})") from None


def _is_zlib(head: bytes) -> bool:
    """Return whether data begins as RFC 1950 has it: "deflate" is zlib (RFC 9110, 8.4.1.2), and some servers
    send it without its head.
    """
    return head[0] & 0x0F == 8 and int.from_bytes(head[:2], "big") % 31 == 0
