"""Download one document over HTTP: bounded in size and time, without a library of its own."""

import time
import urllib.error
import urllib.request
from http.client import HTTPMessage
from typing import IO, Final
from urllib.parse import urlsplit, urlunsplit

from msgspec import Struct

SECONDS: Final = 60.0
_IDLE_SECONDS: Final = 15.0
_PIECE: Final = 65_536


class DownloadError(Exception):
    """The address cannot be read; the message completes "cannot be downloaded: …"."""


class Downloaded(Struct, frozen=True):
    """What an address answered, and the address after redirects."""

    content: bytes
    address: str


def without_credentials(address: str) -> str:
    """`address` without user, password, query and fragment: fit for diagnostics, specs and lock files."""
    parts = urlsplit(address)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def download(address: str, limit: int) -> Downloaded:
    """Read an address with GET.

    Args:
        address: starts with `http://` or `https://`; redirects are followed to such addresses only.
        limit: most bytes of the answer.

    Returns:
        At most `limit` bytes, and the address that gave them.

    Raises:
        DownloadError: the address is malformed, has a user or password, cannot be reached, answers with an
            error, more than `limit` bytes, or too slowly.
    """
    if "@" in urlsplit(address).netloc:
        raise DownloadError("no user and password are sent")
    until = time.monotonic() + SECONDS
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        _Redirects(),
    ):
        opener.add_handler(handler)
    try:
        request = urllib.request.Request(
            address, headers={"Accept": "application/json, application/yaml, */*", "User-Agent": "toolcast"}
        )
        with opener.open(request, timeout=_IDLE_SECONDS) as answer:
            content = bytearray()
            while piece := answer.read(_PIECE):
                content += piece
                if len(content) > limit:
                    raise DownloadError(f"it is larger than {limit // 2**20} MiB")
                if time.monotonic() > until:
                    raise DownloadError(f"it takes longer than {SECONDS:.0f} seconds")
            return Downloaded(bytes(content), answer.geturl())
    except urllib.error.HTTPError as error:
        raise DownloadError(f"the server answers {error.code} {error.reason!s:.80}".rstrip()) from None
    except urllib.error.URLError as error:
        raise DownloadError(f"{error.reason!s:.200}") from None
    except (OSError, ValueError, EOFError) as error:
        raise DownloadError(f"{str(error) or type(error).__name__:.200}") from None


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects to HTTP only, and never from HTTPS to HTTP."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        scheme = urlsplit(newurl).scheme.lower()
        if scheme not in ("http", "https") or (req.type == "https" and scheme == "http"):
            shown = without_credentials(newurl)
            raise DownloadError(f"it redirects to another kind of address, {shown:.100}")
        return super().redirect_request(req, fp, code, msg, headers, newurl)
