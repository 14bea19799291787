"""Formats, beside jsonschema-rs. Where the two differ, the standard says who is right."""

import random
import re
from collections.abc import Callable
from contextlib import nullcontext

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.jsonschema.formats import FORMATS, GLANCES
from toolcast.runtime.support import check_format

from tests.counting import grows_linearly

SEEDS = {
    "date-time": ("2020-01-01T00:00:00Z", "1990-12-31T23:59:60Z", "1998-12-31T15:59:60.123-08:00"),
    "date": ("2020-02-29", "2021-02-29", "1900-02-29", "2000-02-29", "2020-13-01", "0000-01-01"),
    "time": ("23:59:60Z", "00:00:00+00:00", "12:00:00.123456789Z", "08:30:06-23:59", "24:00:00Z"),
    "duration": ("P1Y2M3DT4H5M6S", "P1W", "PT1S", "P1YT1S", "P", "PT", "P1Y2D", "P0D"),
    "email": ("a@b.c", '"a b"@c.de', "a@[127.0.0.1]", "a@[IPv6:::1]", "te~st@e.com", "a..b@c.d"),
    "hostname": ("a.b", "xn--4gbwdl.xn--wgbh1c", "a-b.c", "-a", "a" * 63 + ".b", "1.2", "a.", "ab--c"),
    "ipv4": ("1.2.3.4", "01.2.3.4", "256.1.1.1", "1.2.3"),
    "ipv6": ("::1", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "1::2::3", "fe80::1%eth0", "1:2:3:4:5:6:1.2.3.4"),
    "uri": (
        "http://a.b/c?d#e",
        "urn:a:b",
        "http://[::1]:80/",
        "file:///a",
        "http://a/%zz",
        "http://u:p@h:1/",
    ),
    "uri-reference": ("/a", "a", "//a/b", "#x", "?q", "", "a:b", "./a:b", "1:a", "http://[::1"),
    "uuid": ("2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2EB8AA08-AA98-11EA-B4AA-73B441D16380"),
    "json-pointer": ("", "/a", "/a~0b", "/~", "/~2", "a", "/a//b"),
    "regex": ("a+", "(", "[a-z]", r"\d", r"\Z", "(?<n>a)", "(?=a)", "a{1,2}", r"\p{L}", "[b-a]", "*"),
}


def theirs_is_wrong(name: str, text: str, ours: bool) -> bool:
    """The differences that the standards settle for us, and the one that docs/reference/arguments.md owns
    up to."""
    if name in ("date", "time", "date-time"):
        # RFC 3339 wants digits; jsonschema-rs takes signs and dots among them.
        return not ours and not re.fullmatch(
            r"(\d{4}-\d\d-\d\d)?[Tt]?(\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d))?", text, re.ASCII
        )
    if name in ("hostname", "email"):
        return ours and "xn--" in text.lower()  # RFC 5891's tables of characters are not consulted
    if name == "regex":
        # ECMA-262, B.1.2: without the flag `u`, a lone brace or closing bracket is a character, any
        # character may be escaped, and a look-ahead may be repeated.
        return ours and bool(re.search(r"[{}\]]|\\[^\x00-\x7f]|\(\?=.*\)[*+?]", text))
    return False


def mutated(rng: random.Random, name: str) -> str:
    alphabet = "".join(SEEDS[name]) + "0:-.é٣\n"
    chars = list(rng.choice(SEEDS[name]))
    for _ in range(rng.randint(0, 3)):
        start = rng.randint(0, len(chars))
        chars[start : start + rng.randint(0, 1)] = rng.choice(alphabet) * rng.randint(0, 1)
    return "".join(chars)


@given(st.sampled_from(sorted(FORMATS)), st.integers(0, 10**9))
def test_verdicts_are_those_of_jsonschema_rs(name: str, seed: int) -> None:
    oracle = jsonschema_rs.Draft202012Validator({"format": name}, validate_formats=True)
    rng = random.Random(seed)
    for _ in range(50):
        text = mutated(rng, name)
        ours = FORMATS[name](text)
        assert ours == oracle.is_valid(text) or theirs_is_wrong(name, text, ours), (name, text)
        with nullcontext() if ours else pytest.raises(ValueError, match=f"x must be a valid {name}, got"):
            check_format("x", text, name)


def test_every_format_has_good_and_bad_texts() -> None:
    assert set(SEEDS) == set(FORMATS)
    rng = random.Random(0)
    for name, test in FORMATS.items():
        assert {test(mutated(rng, name)) for _ in range(300)} == {True, False}, name


def test_other_types_and_other_names_pass() -> None:
    check_format("x", 5, "date")
    check_format("x", None, "date")
    check_format("x", "anything", "iri")


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_long_texts_cost_no_more_than_their_length(name: str) -> None:
    for unit in ("a", "1", ":", "/", "(", "a.", "a@", "%20", " ", "1:", "P1Y", "(a+)+"):

        def work(size: int, unit: str = unit) -> Callable[[], object]:
            text = unit * (200 * size // len(unit))
            return lambda: FORMATS[name](text)

        assert grows_linearly(work), unit


def test_a_glance_at_dates_knows_the_months() -> None:
    glance = GLANCES["date-time"].compiled()
    for month in range(14):
        for day in range(33):
            text = f"2027-{month:02}-{day:02}T00:00:00Z"
            assert bool(glance(text)) == FORMATS["date"](text[:10]) == FORMATS["date-time"](text)
    assert not glance("2028-02-29T00:00:00Z")  # for the long way to say
    assert FORMATS["date-time"]("2028-02-29T00:00:00Z")


_ADDRESS = st.text(st.sampled_from("az09-._~!$&'()*+,;=/?:@#%[]\n é\\\"<"), max_size=12)


@given(st.sampled_from(["http://", "https://", "http:/", "ftp://"]), _ADDRESS)
def test_a_glance_at_addresses_takes_no_bad_one(start: str, rest: str) -> None:
    text = start + rest
    good = jsonschema_rs.is_valid({"format": "uri"}, text, validate_formats=True)
    if GLANCES["uri"].compiled()(text):
        assert good
    for _ in range(2):  # the first call of a name goes another way
        with nullcontext() if FORMATS["uri"](text) else pytest.raises(ValueError, match="valid uri"):
            check_format("it", text, "uri")
