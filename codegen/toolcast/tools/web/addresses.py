"""Which addresses of the network are public, so that a request that a model wrote may go there.

After the IANA registries of special-purpose addresses for IPv4 and IPv6 (RFC 6890; as of 2026-11), stricter
where an address leads to another one: NAT64 is judged by the IPv4 address in it, 6to4 and Teredo are refused.
The table stands here: the answer of `ipaddress.is_global` differs from one Python to the next.
"""

from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, TypeAlias

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network

_UNICAST: Final = IPv6Network("2000::/3")
"""All that IANA has given out for use between networks; whatever is beyond is special."""
_TRANSLATED: Final = IPv6Network("64:ff9b::/96")
"""NAT64 (RFC 6052): the last 32 bits are an IPv4 address, to which a gateway translates."""
_SPECIAL: Final[tuple[tuple[Network, str], ...]] = tuple(
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

    Args:
        text: IPv4 in four decimal numbers, or IPv6.

    Returns:
        The address that packets go to: IPv4 for an IPv4 address that is written as IPv6 (`::ffff:127.0.0.1`).

    Raises:
        ValueError: the text is no address.
    """
    address = ip_address(text)
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


@lru_cache(maxsize=64)
def networks(texts: tuple[str, ...]) -> tuple[Network, ...]:
    """The networks of their texts. Raises ValueError for what is none, or has bits below its prefix."""
    return tuple(ip_network(text) for text in texts)


def special_use(address: Address) -> str:
    """What an address is for, where it is not public; "" where it is."""
    if isinstance(address, IPv6Address) and address in _TRANSLATED:
        inner = IPv4Address(int(address) & 0xFFFFFFFF)
        use = special_use(inner)
        return f"{use}, by way of NAT64 to {inner}" if use else ""
    use = next((what for network, what in _SPECIAL if address in network), "")
    if not use and isinstance(address, IPv6Address) and address not in _UNICAST:
        return "not for traffic between networks"
    return use


def refusal(address: Address, allowed: Sequence[Network], denied: Sequence[Network]) -> str:
    """Why a request must not go to an address; "" where it may.

    Args:
        address: where to.
        allowed: networks that may be asked although they are not public.
        denied: networks that must not be asked although they are public; they win over `allowed`.

    Returns:
        What to say of the address: "… is this machine".
    """
    if any(address in network for network in denied):
        return "is in a network that the program denies"
    if any(address in network for network in allowed):
        return ""
    use = special_use(address)
    return f"is not public ({use})" if use else ""
