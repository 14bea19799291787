"""From a response to the text of a page, or to why there is none."""

from http import HTTPStatus
from typing import Final

from ...runtime.errors import RefusalError
from .body_text import media_type, text_of
from .exchange import WebResponse
from .urls import shown

_HTML: Final = ("<!doctype html", "<html", "<head", "<body")


def is_html(response: WebResponse, text: str) -> bool:
    """Whether a response is HTML: by its media type, or where it states none, by how it begins."""
    media = media_type(response.header("content-type"))
    return media.is_html or (not media.name and text.lstrip()[:20].lower().startswith(_HTML))


def page_text(response: WebResponse, limit: int) -> str:
    """The text of a page.

    Args:
        response: the response to its request.
        limit: bytes that were read at most.

    Returns:
        All of its text.

    Raises:
        RefusalError: there is no page, or it is not text.
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
