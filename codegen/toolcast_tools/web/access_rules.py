"""Rules for addresses that requests may go to, and how addresses are read and shown.

Public addresses are those of the IANA registries of special-purpose addresses for IPv4 and IPv6 (RFC 6890; as
of 2026-11), stricter where an address leads to another one: NAT64 is judged by the IPv4 address in it, 6to4
and Teredo are refused. The table stands here: the answer of `ipaddress.is_global` differs from one Python to
the next.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, Literal, TypeAlias
from urllib.parse import quote

import httpx
from msgspec import Struct
from toolcast.hidden_characters import escape_hidden
from toolcast.runtime.errors import RefusalError

Address: TypeAlias = IPv4Address | IPv6Address
_Network: TypeAlias = IPv4Network | IPv6Network

_UNICAST: Final = IPv6Network("2000::/3")
"""All that IANA has given out for use between networks; whatever is beyond is special."""
_TRANSLATED: Final = IPv6Network("64:ff9b::/96")
"""NAT64 (RFC 6052): the last 32 bits are an IPv4 address, to which a gateway translates."""
_SPECIAL: Final[tuple[tuple[_Network, str], ...]] = tuple(
    (ip_network(network), what)
    for network, what in (
        ("0.0.0.0/8", "this machine or network"),
        ("10.0.0.0/8", "a private network"),
        ("100.64.0.0/10", "shared between a carrier and its customers"),
        ("127.0.0.0/8", "this machine"),
        ("168.63.129.16/32", "a service of the cloud's host"),  # Azure: public by number, not by reach
        ("169.254.0.0/16", "this link, where clouds keep credentials"),
        ("172.16.0.0/12", "a private network"),
        ("192.0.0.0/24", "for protocols"),
        ("192.0.2.0/24", "for documentation"),
        ("192.88.99.0/24", "for 6to4 relays"),
        ("192.168.0.0/16", "a private network"),
        ("198.18.0.0/15", "for benchmarks"),
        ("198.51.100.0/24", "for documentation"),
        ("203.0.113.0/24", "for documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved or broadcast"),
        ("::1/128", "this machine"),
        ("::/128", "this machine or network"),
        ("2001::/23", "for protocols, Teredo among them"),
        ("2001:db8::/32", "for documentation"),
        ("2002::/16", "6to4, which leads to an IPv4 address"),
        ("3fff::/20", "for documentation"),
        ("fc00::/7", "a private network"),
        ("fe80::/10", "this link"),
        ("ff00::/8", "multicast"),
    )
)


def parse_address(text: str) -> Address:
    """Read an address.

    Returns the address that packets go to: IPv4 for an IPv4 address that is written as IPv6
    (`::ffff:127.0.0.1`). Raises ValueError: the text is no address.

    Args:
        text: IPv4 in four decimal numbers, or IPv6.
    """
    address = ip_address(text)
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


@lru_cache(maxsize=64)
def _networks(texts: tuple[str, ...]) -> tuple[_Network, ...]:
    """Return the networks of their texts. Raises ValueError for what is none, or has bits below its
    prefix.
    """
    return tuple(ip_network(text) for text in texts)


def special_use(address: Address) -> str:
    """Return the purpose of an address that is not public; "" for a public one."""
    if isinstance(address, IPv6Address) and address in _TRANSLATED:
        inner = IPv4Address(int(address) & 0xFFFFFFFF)
        use = special_use(inner)
        return f"{use}, by way of NAT64 to {inner}" if use else ""
    use = next((what for network, what in _SPECIAL if address in network), "")
    if not use and isinstance(address, IPv6Address) and address not in _UNICAST:
        return "not for traffic between networks"
    return use


def refusal(address: Address, allowed: Sequence[_Network], denied: Sequence[_Network]) -> str:
    """Return why a request must not go to an address; "" where it may. The words follow the address: "…
    is this machine".

    Args:
        address: where to.
        allowed: networks that may be asked although they are not public.
        denied: networks that must not be asked although they are public; they win over `allowed`.
    """
    if any(address in network for network in denied):
        return "is in a network that the program denies"
    if any(address in network for network in allowed):
        return ""
    use = special_use(address)
    return f"is not public ({use})" if use else ""


_Scheme: TypeAlias = Literal["http", "https"]
_SCHEMES: Final[tuple[_Scheme, ...]] = ("https", "http")

_LABEL: Final = r"[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?"
_NAME: Final = re.compile(rf"(?:{_LABEL}\.)*{_LABEL}")
_OTHER_PROTOCOLS: Final = frozenset({
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
    103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512,
    513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995,
    1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669,
    6679, 6697, 10080,
})  # fmt: skip
"""Ports where another protocol would read the request as its own: "bad port" of the Fetch standard, 2.9."""


def is_name(host: str) -> bool:
    """Return whether a host is a name of ASCII letters, digits, `-` and `_`, in lower case."""
    return (
        len(host) <= 253
        and all(len(label) <= 63 for label in host.split("."))
        and bool(_NAME.fullmatch(host))
    )


class AccessRules(Struct, frozen=True, kw_only=True):
    """The hosts and addresses that requests may reach, redirected ones included.

    A host is a name in lower case, in its `xn--` form where it has one, or an address. `*.example.com` stands
    for every name below `example.com`, and not for `example.com`.

    Attributes:
        schemes: schemes of URLs.
        allow_hosts: the only hosts that may be asked; empty for any.
        deny_hosts: hosts that must not be asked; they win over `allow_hosts`. The same server may have
            another name: what must not be reached is denied by address.
        ports: the only ports; empty for any but those of other protocols (mail, SSH, …).
        allow_addresses: networks (`127.0.0.0/8`) that may be asked although their addresses are not public:
            those of this machine, of private networks, of a cloud's metadata.
        deny_addresses: networks that must not be asked although they are public; they win over
            `allow_addresses`.
    """

    schemes: tuple[_Scheme, ...] = _SCHEMES
    allow_hosts: tuple[str, ...] = ()
    deny_hosts: tuple[str, ...] = ()
    ports: tuple[int, ...] = ()
    allow_addresses: tuple[str, ...] = ()
    deny_addresses: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raise ValueError for what is no scheme, host, port or network."""
        if not self.schemes or not {*self.schemes} <= {*_SCHEMES}:
            raise ValueError(f"schemes must be of {', '.join(_SCHEMES)}, and at least one.")
        for host in (*self.allow_hosts, *self.deny_hosts):
            if not is_name(host.removeprefix("*.")) and not _is_address(host):
                raise ValueError(
                    f"{host!r} is no host: write a name in lower case (xn--… where it has other letters), "
                    "*.name for the names below it, or an address."
                )
        if not all(0 < port < 65536 for port in self.ports):
            raise ValueError("ports must be from 1 to 65535.")
        _networks(self.allow_addresses)
        _networks(self.deny_addresses)

    def refuse_host(self, host: str) -> str:
        """Return why a host must not be asked; "" where it may.

        Args:
            host: name or address, as `read_url` has it.

        Returns:
            What to say of the host.
        """
        if any(_covers(rule, host) for rule in self.deny_hosts):
            return "is a host that the program denies"
        if self.allow_hosts and not any(_covers(rule, host) for rule in self.allow_hosts):
            return f"is not one of the hosts that the program allows ({', '.join(self.allow_hosts[:20])})"
        return ""

    def refuse_port(self, port: int) -> str:
        """Return why a port must not be asked; "" where it may.

        Args:
            port: its number.

        Returns:
            What to say of the port.
        """
        if self.ports:
            allowed = ", ".join(map(str, self.ports))
            return (
                "" if port in self.ports else f"is not one of the ports that the program allows ({allowed})"
            )
        return "is a port of another protocol" if port in _OTHER_PROTOCOLS else ""

    def allowed_networks(self) -> tuple[_Network, ...]:
        """Read `allow_addresses`.

        Returns:
            Its networks.
        """
        return _networks(self.allow_addresses)

    def denied_networks(self) -> tuple[_Network, ...]:
        """Read `deny_addresses`.

        Returns:
            Its networks.
        """
        return _networks(self.deny_addresses)


def _is_address(host: str) -> bool:
    try:
        return str(parse_address(host)) == host
    except ValueError:
        return False


def _covers(rule: str, host: str) -> bool:
    if rule.startswith("*."):
        return host.endswith(rule[1:]) and len(host) > len(rule) - 1
    return host == rule


_REFUSED: Final = re.compile(r"[\x00-\x1f\x7f\\]")
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")
_PERCENT: Final = re.compile("%(?![0-9A-Fa-f]{2})")
_SHOWN: Final = 200
_PORTS: Final = {"http": 80, "https": 443}


def shown(url: "str | httpx.URL") -> str:
    """Return a URL for a message: bounded, without characters that nobody sees."""
    text = escape_hidden(str(url))
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def as_uri(url: httpx.URL) -> str:
    """Return a URL as RFC 3986 has it, as results must be; requests have some characters that it lacks."""
    path = quote(_PERCENT.sub("%25", url.raw_path.decode("ascii")), safe="/?:@!$&'()*+,;=%-._~")
    return f"{url.scheme}://{url.netloc.decode('ascii')}{path}"


def read_url(text: str, base: httpx.URL | None = None) -> httpx.URL:
    """Read a URL, strictly: what two programs could read as two hosts is refused.

    Returns the URL without its fragment, with the host in lower case and without a dot at its end. Raises
    RefusalError: it is no URL of http or https; it has a backslash, a control character, a user name or
    password, or a host that is neither a name nor an address in its usual form.

    Args:
        text: a URL; with `base`, a reference.
        base: the URL that the reference is relative to.
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
    if url.scheme not in _PORTS:
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
    """Return the host, as it is asked for. Raises ValueError for what is none."""
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

    Raises RefusalError: a rule forbids it.

    Args:
        url: as `read_url` returned it, or of another origin.
    """
    if url.scheme not in rules.schemes:
        raise RefusalError(
            f"{shown(url)} was not asked: the program allows {' and '.join(rules.schemes)} only."
        )
    host = url.host.removesuffix(".")
    if problem := rules.refuse_host(host):
        raise RefusalError(f"{shown(url)} was not asked: {shown(host)} {problem}.")
    port = _PORTS[url.scheme] if url.port is None else url.port
    if problem := rules.refuse_port(port):
        raise RefusalError(f"{shown(url)} was not asked: {port} {problem}.")


def same_origin(one: httpx.URL, other: httpx.URL) -> bool:
    """Return whether two URLs have the same scheme, host and port."""
    return _origin(one) == _origin(other)


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, _PORTS.get(url.scheme) if url.port is None else url.port
