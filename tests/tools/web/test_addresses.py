"""Public addresses, against Python's own table and facts of the IANA registries."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from toolcast_tools.web.access_rules import AccessRules, parse_address, refusal, special_use

# "Globally Reachable: False" or "N/A", from iana.org/assignments/iana-ipv4-special-registry and
# iana-ipv6-special-registry; multicast from ipv4-multicast-addresses and RFC 4291.
NOT_GLOBAL = tuple(
    map(
        ip_network,
        (
            *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
            *("192.0.0.0/29", "192.0.0.8/32", "192.0.0.170/31", "192.0.2.0/24", "192.168.0.0/16"),
            *("198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4", "255.255.255.255/32"),
            *("224.0.0.0/4", "192.88.99.0/24"),
            *("::1/128", "::/128", "::ffff:0:0/96", "64:ff9b:1::/48", "100::/64", "2001:2::/48"),
            *("2001:db8::/32", "2001::/32", "2001:10::/28", "2002::/16", "3fff::/20", "5f00::/16"),
            *("fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8"),
        ),
    )
)
# What is refused although the registries, or Python, call it global.
STRICTER = tuple(
    map(
        ip_network,
        (
            *("168.63.129.16/32", "192.0.0.0/24", "192.88.99.0/24", "224.0.0.0/4"),
            *("64:ff9b::/96", "2001::/23", "2002::/16", "ff00::/8"),
        ),
    )
)
PUBLIC = ("1.1.1.1", "8.8.8.8", "93.184.215.14", "2606:4700:4700::1111", "2a00:1450:4001:830::200e")


def near(networks: tuple[Any, ...]) -> st.SearchStrategy[Any]:
    """Addresses in networks, and those just beyond."""
    inside = st.sampled_from(networks).flatmap(lambda network: st.ip_addresses(network=network))
    edges = [
        each
        for network in networks
        for each in (int(network[0]) - 1, int(network[0]), int(network[-1]), int(network[-1]) + 1)
    ]
    six = [IPv6Address(each) for each in edges if 0 <= each < 2**128]
    four = [IPv4Address(each) for each in edges if 0 <= each < 2**32]
    return inside | st.sampled_from(six) | st.sampled_from(four)


ADDRESSES = st.ip_addresses() | near(NOT_GLOBAL) | near(STRICTER)


@given(ADDRESSES)
@example(ip_address("64:ff9b::7f00:1"))
def test_an_address_that_is_let_through_is_global(address: Any) -> None:
    if special_use(address):
        return
    assert address.is_global
    assert not address.is_multicast
    assert not any(address in network for network in NOT_GLOBAL)


@given(ADDRESSES)
def test_an_address_that_is_refused_is_not_global_or_leads_elsewhere(address: Any) -> None:
    if not special_use(address):
        return
    unallocated = address.version == 6 and address not in ip_network("2000::/3")
    listed = any(
        address in network for network in (*NOT_GLOBAL, *STRICTER)
    )  # some are newer than this Python
    assert not address.is_global or unallocated or listed


@given(st.ip_addresses(v=4))
def test_an_ipv4_address_within_ipv6_is_judged_as_ipv4(address: IPv4Address) -> None:
    assert parse_address(f"::ffff:{address}") == address
    assert bool(special_use(ip_address(f"64:ff9b::{address}"))) == bool(special_use(address))
    assert special_use(IPv6Address((0x2002 << 112) | (int(address) << 80)))
    assert special_use(ip_address(f"::{address}"))


@pytest.mark.parametrize("text", PUBLIC)
def test_known_servers_are_public(text: str) -> None:
    assert special_use(parse_address(text)) == ""


def test_networks_are_allowed_and_denied_by_the_program() -> None:
    rules = AccessRules(allow_addresses=("10.1.0.0/16",), deny_addresses=("10.1.2.0/24", "8.8.8.0/24"))
    allowed, denied = rules.allowed_networks(), rules.denied_networks()
    results = {
        text: refusal(ip_address(text), allowed, denied) == ""
        for text in ("10.1.1.1", "10.1.2.3", "10.2.0.1", "8.8.8.8", "8.8.4.4")
    }
    assert results == {
        "10.1.1.1": True, "10.1.2.3": False, "10.2.0.1": False, "8.8.8.8": False, "8.8.4.4": True,
    }  # fmt: skip
