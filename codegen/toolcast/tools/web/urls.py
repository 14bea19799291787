"""Addresses of pages as models and servers write them, read once, by the parser of the client that sends."""

import re
from typing import Final
from urllib.parse import quote

import httpx

from ...hidden_characters import escape_hidden
from ...runtime.errors import RefusalError
from .access_rules import AccessRules, is_name
from .addresses import parse_address

_REFUSED: Final = re.compile(r"[\x00-\x1f\x7f\\]")
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")
_PERCENT: Final = re.compile("%(?![0-9A-Fa-f]{2})")
_SHOWN: Final = 200
PORTS: Final = {"http": 80, "https": 443}


def shown(url: "str | httpx.URL") -> str:
    """A URL for a message: bounded, without characters that nobody sees."""
    text = escape_hidden(str(url))
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def as_uri(url: httpx.URL) -> str:
    """A URL as RFC 3986 has it, as results must be; requests have some characters that it lacks."""
    path = quote(_PERCENT.sub("%25", url.raw_path.decode("ascii")), safe="/?:@!$&'()*+,;=%-._~")
    return f"{url.scheme}://{url.netloc.decode('ascii')}{path}"


def read_url(text: str, base: httpx.URL | None = None) -> httpx.URL:
    """Read a URL, strictly: what two programs could read as two hosts is refused.

    Args:
        text: a URL; with `base`, a reference.
        base: the URL that the reference is relative to.

    Returns:
        The URL without its fragment, with the host in lower case and without a dot at its end.

    Raises:
        RefusalError: it is no URL of http or https; it has a backslash, a control character, a user name or
            password, or a host that is neither a name nor an address in its usual form.
    """
    if _REFUSED.search(text):
        raise RefusalError(f"{shown(text)} has a backslash or a control character: percent-encode it.")
    try:
        url = httpx.URL(text) if base is None else base.join(text)
        # Encoding names and joining have errors of their own: UnicodeError, ValueError.
        url = url.copy_with(fragment=None, host=_plain_host(url))
    except (httpx.InvalidURL, ValueError, TypeError):
        raise RefusalError(
            f"{shown(text)} is no address of the web: write https://, a host name or an address in its usual "
            "form, and a path."
        ) from None
    if url.scheme not in PORTS:
        raise RefusalError(f"{shown(text)} is no http:// or https:// address, and no other kind is fetched.")
    if url.userinfo:
        raise RefusalError(
            f"{shown(url.copy_with(userinfo=None))} was written with a user name before `@`. Leave it out; "
            "credentials go into a header."
        )
    if url.port is not None and not 0 < url.port < 65536:
        raise RefusalError(f"{shown(text)} has no port from 1 to 65535 after its host.")
    return url


def _plain_host(url: httpx.URL) -> str:
    """The host, as it is asked for. Raises ValueError for what is none."""
    host = url.raw_host.decode("ascii")
    if ":" in host:
        if "%" in host:  # a zone: an interface of this machine
            raise ValueError(host)
        return str(parse_address(host))
    host = host.removesuffix(".")
    if not is_name(host):
        raise ValueError(host)
    if _NUMBER.fullmatch(
        host.rpartition(".")[2]
    ):  # 2130706433, 127.1, 0x7f.1: what they mean depends on the C library
        return str(parse_address(host))
    return host


def check_url(url: httpx.URL, rules: AccessRules) -> None:
    """Hold a URL to the rules, but for the addresses of its host.

    Args:
        url: as `read_url` returned it, or of another origin.
        rules: the program's rules.

    Raises:
        RefusalError: a rule forbids it.
    """
    if url.scheme not in rules.schemes:
        raise RefusalError(
            f"{shown(url)} was not asked: the program allows {' and '.join(rules.schemes)} only."
        )
    host = url.host.removesuffix(".")
    if problem := rules.refuse_host(host):
        raise RefusalError(f"{shown(url)} was not asked: {shown(host)} {problem}.")
    port = PORTS[url.scheme] if url.port is None else url.port
    if problem := rules.refuse_port(port):
        raise RefusalError(f"{shown(url)} was not asked: {port} {problem}.")


def same_origin(one: httpx.URL, other: httpx.URL) -> bool:
    """Whether two URLs have the same scheme, host and port."""
    return _origin(one) == _origin(other)


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, PORTS.get(url.scheme) if url.port is None else url.port
