"""The text of a body: which bodies are text, in which charset, and why a page has none."""

import codecs
import re
from email.message import Message
from http import HTTPStatus
from typing import Final

from msgspec import Struct
from toolcast.http.client import known_charset
from toolcast.runtime.errors import RefusalError

from ..byte_order_marks import byte_order_mark
from .access_rules import shown
from .exchange import WebResponse

_TEXTUAL: Final = re.compile(
    r"text/|.*[+/](json|xml|yaml|x-yaml|javascript|ecmascript|x-javascript|x-ndjson|ndjson|jsonl|graphql|toml|sql|"
    r"x-www-form-urlencoded|xhtml\+xml|x-sh|rtf|x-tex|json-seq|manifest)$"
)
_BINARY: Final = re.compile(r"(image|audio|video|font|model)/|application/(pdf|zip|gzip|x-.*compressed)$")
_DECLARED: Final = re.compile(
    rb"""<meta[^>]{0,300}?charset\s{0,20}=\s{0,20}["']?\s{0,20}([a-z0-9_:.-]{1,40})""", re.I
)
_XML: Final = re.compile(
    rb"""^\s{0,20}<\?xml[^>]{0,200}?encoding\s{0,20}=\s{0,20}["']([a-z0-9_.-]{1,40})""", re.I
)
_HEAD: Final = 4_096
"""Bytes in which a charset is looked for; the HTML standard has 1,024."""
_SAMPLE: Final = 8_192
"""Bytes that a charset is guessed from."""


class MediaType(Struct, frozen=True):
    """A media type.

    Attributes:
        name: type and subtype, in lower case; "" where a response states none.
        charset: the charset that it states; "" for none.
    """

    name: str
    charset: str = ""

    @property
    def is_html(self) -> bool:
        """Return whether it is a page."""
        return self.name in ("text/html", "application/xhtml+xml")


def media_type(value: str) -> MediaType:
    """Read the value of a `Content-Type`.

    Returns its media type; for what is none, "text/plain", as RFC 2045 has it.

    Args:
        value: any text; "" for none.
    """
    if not value.strip():
        return MediaType("")
    message = Message()
    message["Content-Type"] = value.replace("\r", " ").replace("\n", " ")[:500]
    charset = message.get_param("charset", "")
    return MediaType(message.get_content_type(), charset if isinstance(charset, str) else "")


def text_of(content: bytes, media: MediaType, *, whole: bool = True) -> str | None:
    """Return the text of a body, with U+FFFD for bytes that are none; None where the body is not
    text.

    Args:
        whole: False where the body was cut, so that its last character may be a part of one.
    """
    textual = _TEXTUAL.match(media.name) is not None
    if _BINARY.match(media.name) and not textual:
        return None
    charset = _stated(content, media)
    if not charset.startswith("utf-16") and b"\0" in content:
        return None
    if charset:
        return _decode(content, charset)
    if (text := _utf8(content, whole)) is not None:
        return text
    if not textual:
        return None
    return _decode(content, _guessed(content))


def _stated(content: bytes, media: MediaType) -> str:
    """Return the charset that a body states: by its first bytes, its media type, or its head."""
    if marked := byte_order_mark(content)[1]:
        return marked
    found = known_charset(media.charset)
    if found or not _TEXTUAL.match(media.name):
        return found
    declared = _DECLARED.search(content, 0, _HEAD) if media.is_html else _XML.search(content, 0, _HEAD)
    charset = known_charset(declared[1].decode("ascii")) if declared else ""
    return "" if charset.startswith("utf-16") else charset  # what is read as ASCII is none (HTML standard)


def _utf8(content: bytes, whole: bool) -> str | None:
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(content, final=whole)
    except UnicodeDecodeError:
        return None


def _guessed(content: bytes) -> str:
    """Return a charset that fits the bytes, by their frequencies; that of Western Europe where none does."""
    from charset_normalizer import from_bytes

    best = from_bytes(content[:_SAMPLE]).best()
    return (known_charset(best.encoding) if best is not None else "") or "cp1252"


def _decode(content: bytes, charset: str) -> str:
    text = content.decode(charset, "replace")
    return text.removeprefix("\ufeff")


_HTML: Final = ("<!doctype html", "<html", "<head", "<body")


def is_html(response: WebResponse, text: str) -> bool:
    """Return whether a response is HTML: by its media type, or where it states none, by how it begins."""
    media = media_type(response.header("content-type"))
    return media.is_html or (not media.name and text.lstrip()[:20].lower().startswith(_HTML))


def page_text(response: WebResponse, limit: int) -> str:
    """Return all text of a page. Raises RefusalError: there is no page, or it is not text.

    Args:
        limit: bytes that were read at most.
    """
    url, status = shown(response.url), response.status
    if not 200 <= status < 300:
        raise RefusalError(
            f"{url} answered {_phrase(status)}, so there is no page to read. {_advice(status)}"
        )
    if response.full:
        raise RefusalError(
            f"{url} has more than {limit} bytes, or ended too early, so it was not read. Use another page."
        )
    media = media_type(response.header("content-type"))
    text = text_of(response.content, media)
    if text is None:
        raise RefusalError(
            f"{url} is {shown(media.name or 'of an unknown type')} with {len(response.content)} bytes. Only "
            "HTML, text and JSON are read: look for the same content as a page."
        )
    if not text.strip():
        raise RefusalError(f"{url} answered {_phrase(status)} with no content.")
    return text


def _phrase(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def _advice(status: int) -> str:
    if status in (404, 410):
        return "Check the address, or search for the page."
    if status in (401, 403, 407, 451):
        return "It is not open to this program: use another source."
    if status == 429:
        return "Wait before you fetch it again."
    return "Try again later, or use another source."
