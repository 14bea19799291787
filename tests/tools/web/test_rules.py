"""Rules of hosts and ports, and URLs as they are read."""

from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.jsonschema.formats import is_uri
from toolcast.runtime import RefusalError
from toolcast_tools.web import AccessRules
from toolcast_tools.web.access_rules import as_uri, check_url, read_url

LABELS = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?", fullmatch=True)
NAMES = st.lists(LABELS, min_size=1, max_size=4).map(".".join)


@given(st.text(max_size=60) | st.from_regex(r"https?://[^\s]{0,60}", fullmatch=True))
def test_a_url_that_is_read_is_a_uri_and_leads_where_it_is_checked(text: str) -> None:
    try:
        url = read_url(text)
    except RefusalError:
        return
    assert is_uri(as_uri(url)), as_uri(url)
    again = read_url(as_uri(url))
    assert (again.scheme, again.host, again.port) == (url.scheme, url.host, url.port)
    assert url.scheme in ("http", "https")
    assert not url.userinfo
    assert url.host
    assert url.host == httpx.URL(f"http://{url.netloc.decode()}/").host


@given(NAMES, NAMES)
def test_a_star_stands_for_names_below(one: str, other: str) -> None:
    rules = AccessRules(allow_hosts=(f"*.{one}",))
    assert rules.refuse_host(f"{other}.{one}") == ""
    assert rules.refuse_host(one) != ""
    assert rules.refuse_host(f"{other}{one}") != ""
    assert rules.refuse_host(f"{one}.{other}") != "" or f"{one}.{other}".endswith(f".{one}")


def test_denied_hosts_win() -> None:
    rules = AccessRules(allow_hosts=("*.example.com",), deny_hosts=("bad.example.com",))
    assert [bool(rules.refuse_host(f"{name}.example.com")) for name in ("good", "bad", "x.bad")] == [
        False,
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("rules", "url", "words"),
    [
        (AccessRules(schemes=("https",)), "http://example.com/", "https only"),
        (AccessRules(ports=(443,)), "https://example.com:8443/", "8443 is not one of the ports"),
        (AccessRules(ports=(443,)), "http://example.com/", "80 is not one of the ports"),
        (AccessRules(), "http://example.com:25/", "25 is a port of another protocol"),
        (AccessRules(allow_hosts=("example.com",)), "https://example.org/", "example.org is not one of"),
        (AccessRules(deny_hosts=("example.org",)), "https://EXAMPLE.org./", "example.org is a host"),
    ],
)
def test_a_rule_says_what_it_forbids(rules: AccessRules, url: str, words: str) -> None:
    with pytest.raises(RefusalError) as refused:
        check_url(read_url(url), rules)
    assert words in str(refused.value)


@pytest.mark.parametrize(
    "options",
    [
        {"schemes": ()},
        {"schemes": ("ftp",)},
        {"allow_hosts": ("Example.com",)},
        {"allow_hosts": ("https://example.com",)},
        {"deny_hosts": ("bücher.example",)},
        {"ports": (0,)},
        {"allow_addresses": ("10.0.0.1/8",)},
        {"deny_addresses": ("localhost",)},
    ],
)
def test_a_rule_that_could_not_hold_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        AccessRules(**options)
