"""What requests may reach: schemes, hosts, ports, addresses."""

import re
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from .addresses import Network, networks, parse_address

Scheme: TypeAlias = Literal["http", "https"]
SCHEMES: Final[tuple[Scheme, ...]] = ("https", "http")

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
    """Whether a host is a name of ASCII letters, digits, `-` and `_`, in lower case."""
    return (
        len(host) <= 253
        and all(len(label) <= 63 for label in host.split("."))
        and bool(_NAME.fullmatch(host))
    )


class AccessRules(Struct, frozen=True, kw_only=True):
    """What requests may reach. They hold for every request, those that follow a redirect included.

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

    schemes: tuple[Scheme, ...] = SCHEMES
    allow_hosts: tuple[str, ...] = ()
    deny_hosts: tuple[str, ...] = ()
    ports: tuple[int, ...] = ()
    allow_addresses: tuple[str, ...] = ()
    deny_addresses: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raises ValueError for what is no scheme, host, port or network."""
        if not self.schemes or not {*self.schemes} <= {*SCHEMES}:
            raise ValueError(f"schemes must be of {', '.join(SCHEMES)}, and at least one.")
        for host in (*self.allow_hosts, *self.deny_hosts):
            if not is_name(host.removeprefix("*.")) and not _is_address(host):
                raise ValueError(
                    f"{host!r} is no host: write a name in lower case (xn--… where it has other letters), "
                    "*.name for the names below it, or an address."
                )
        if not all(0 < port < 65536 for port in self.ports):
            raise ValueError("ports must be from 1 to 65535.")
        networks(self.allow_addresses)
        networks(self.deny_addresses)

    def refuse_host(self, host: str) -> str:
        """Why a host must not be asked; "" where it may.

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
        """Why a port must not be asked; "" where it may.

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

    def allowed_networks(self) -> tuple[Network, ...]:
        """Read `allow_addresses`.

        Returns:
            Its networks.
        """
        return networks(self.allow_addresses)

    def denied_networks(self) -> tuple[Network, ...]:
        """Read `deny_addresses`.

        Returns:
            Its networks.
        """
        return networks(self.deny_addresses)


def _is_address(host: str) -> bool:
    try:
        return str(parse_address(host)) == host
    except ValueError:
        return False


def _covers(rule: str, host: str) -> bool:
    if rule.startswith("*."):
        return host.endswith(rule[1:]) and len(host) > len(rule) - 1
    return host == rule
