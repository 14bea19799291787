"""The formats that can be asserted; every other name is an annotation."""

import re
from collections.abc import Callable

from .ecma import translate
from .validator_errors import UnsupportedPattern


class _Expression:
    """A regular expression that is compiled when it is first needed: most programs use one or two."""

    def __init__(self, source: str, flags: int = 0) -> None:
        self._source = source
        self._flags = flags
        self.fullmatch: Callable[[str], re.Match[str] | None] = self._first

    def _first(self, text: str) -> re.Match[str] | None:
        return self.compiled()(text)

    def compiled(self) -> Callable[[str], re.Match[str] | None]:
        """The compiled expression's own `fullmatch`."""
        self.fullmatch = re.compile(self._source, self._flags).fullmatch
        return self.fullmatch


_DATE = r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)"
_TIME = r"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)(?:\.\d+)?"
_ZONE = r"(?:[Zz]|(?P<sign>[+-])(?P<zh>\d\d):(?P<zm>\d\d))"
_date = _Expression(_DATE, re.ASCII)
_time = _Expression(_TIME + _ZONE, re.ASCII)
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def _is_date(text: str) -> bool:
    """RFC 3339 full-date."""
    match = _date.fullmatch(text)
    if not match:
        return False
    year, month, day = int(match["year"]), int(match["month"]), int(match["day"])
    if not 1 <= month <= 12 or not 1 <= day <= _DAYS[month - 1]:
        return False
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return (month, day) != (2, 29) or leap


def _is_time(text: str) -> bool:
    """RFC 3339 full-time; a leap second only at 23:59:60 UTC."""
    match = _time.fullmatch(text)
    if not match:
        return False
    hour, minute, second = int(match["hour"]), int(match["minute"]), int(match["second"])
    zone_hour, zone_minute = int(match["zh"] or 0), int(match["zm"] or 0)
    if hour > 23 or minute > 59 or second > 60 or zone_hour > 23 or zone_minute > 59:
        return False
    offset = (zone_hour * 60 + zone_minute) * (-1 if match["sign"] == "-" else 1)
    return second < 60 or (hour * 60 + minute - offset) % 1440 == 1439


_common = _Expression(
    r"\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)"
    r"|02-(?:0[1-9]|1\d|2[0-8]))[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?"
    r"(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)",
    re.ASCII,
)
"""Times that are good in any year, and no leap seconds."""


def _is_date_time(text: str) -> bool:
    """RFC 3339 date-time."""
    if _common.fullmatch(text):
        return True
    return len(text) > 11 and text[10] in "Tt" and _is_date(text[:10]) and _is_time(text[11:])


_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_hostname = _Expression(rf"{_LABEL}(?:\.{_LABEL})*")


def _is_hostname(text: str) -> bool:
    """RFC 1123; an A-label must decode as punycode, but the tables of IDNA are not consulted."""
    if len(text) > 253 or not _hostname.fullmatch(text):
        return False
    for label in text.lower().split("."):
        if label.startswith("xn--"):
            try:
                decoded = label[4:].encode().decode("punycode")
            except UnicodeError:
                return False
            if decoded.isascii():
                return False
        elif label[2:4] == "--":
            return False
    return True


_BYTE = r"(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_ipv4 = _Expression(rf"{_BYTE}(?:\.{_BYTE}){{3}}")
_group = _Expression(r"[0-9A-Fa-f]{1,4}")


def _is_ipv4(text: str) -> bool:
    """Dotted decimal, without leading zeros."""
    return _ipv4.fullmatch(text) is not None


def _is_ipv6(text: str) -> bool:
    """RFC 4291, without a zone."""
    head, double, tail = text.partition("::")
    parts = (head.split(":") if head else []) + (tail.split(":") if tail else [])
    if parts and _ipv4.fullmatch(parts[-1]) and text.endswith(parts[-1]):
        parts[-1:] = ["0", "0"]
    if not all(_group.fullmatch(part) for part in parts):
        return False
    return len(parts) <= 7 if double else len(parts) == 8


_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_local = _Expression(rf'{_ATOM}(?:\.{_ATOM})*|"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\[\x20-\x7e])*"')


def is_email(text: str) -> bool:
    """RFC 5321 Mailbox."""
    local, at, domain = text.rpartition("@")
    if not at or len(local) > 64 or not _local.fullmatch(local):
        return False
    if domain.startswith("[") and domain.endswith("]"):
        inner = domain[1:-1]
        return _is_ipv6(inner[5:]) if inner[:5].lower() == "ipv6:" else _is_ipv4(inner)
    return _is_hostname(domain)


_PCT = r"%[0-9A-Fa-f]{2}"
_UNRESERVED = r"\-A-Za-z0-9._~!$&'()*+,;="
_SEGMENT = rf"(?:[{_UNRESERVED}:@]|{_PCT})*"
_TAIL = rf"(?:\?(?:[{_UNRESERVED}:@/?]|{_PCT})*)?(?:\#(?:[{_UNRESERVED}:@/?]|{_PCT})*)?"
_AUTHORITY = (
    rf"//(?:(?:[{_UNRESERVED}:]|{_PCT})*@)?(?P<host>\[[^\]]*\]|(?:[{_UNRESERVED}]|{_PCT})*)(?::[0-9]*)?"
)
_SCHEME = r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):"
_NONEMPTY = _SEGMENT[:-1] + "+"
_ROOTED = rf"{_AUTHORITY}(?:/{_SEGMENT})*|/(?:{_NONEMPTY}(?:/{_SEGMENT})*)?"
_uri = _Expression(rf"{_SCHEME}(?:{_ROOTED}|{_NONEMPTY}(?:/{_SEGMENT})*|){_TAIL}")
_relative = _Expression(rf"(?:{_ROOTED}|(?:[{_UNRESERVED}@]|{_PCT})+(?:/{_SEGMENT})*|){_TAIL}")
_future = _Expression(rf"[vV][0-9A-Fa-f]+\.[{_UNRESERVED}:]+")


_plain = _Expression(r"https?://[A-Za-z0-9._~!$&'()*+,;=/?-]*")
"""Most addresses there are, known to be good at a glance: without a colon or an `@`, all up to the first
slash or question mark is a name, and whatever follows may stand in a path and in a query. One set of
characters and no group is what `re` is fastest at."""

_web = _Expression(
    r"https?://[A-Za-z0-9.-]+(?::[0-9]*)?(?:/[A-Za-z0-9_.~!$&'()*+,;=:@/-]*)?"
    r"(?:\?[A-Za-z0-9_.~!$&'()*+,;=:@/?-]*)?"
)
"""Those with a port, or a colon further on."""


def is_uri(text: str) -> bool:
    """RFC 3986 URI, with a scheme."""
    if _plain.fullmatch(text) or _web.fullmatch(text):
        return True
    return _host_is_good(_uri.fullmatch(text))


def _is_uri_reference(text: str) -> bool:
    """RFC 3986 URI or relative reference."""
    return is_uri(text) or _host_is_good(_relative.fullmatch(text))


def _host_is_good(match: re.Match[str] | None) -> bool:
    if match is None:
        return False
    host = match["host"]
    if not host or not host.startswith("["):
        return True
    return _is_ipv6(host[1:-1]) or _future.fullmatch(host[1:-1]) is not None


_MAX_REGEX = 20_000
"""Longest text that `_is_regex` reads, in characters: reading is linear, but slow enough to block."""


def _is_regex(text: str) -> bool:
    """An ECMA-262 regular expression (Annex B: a lone brace is a character) of at most `_MAX_REGEX`
    characters, whether or not `re` can run it.
    """
    if len(text) > _MAX_REGEX:
        return False
    try:
        translate(text)
    except UnsupportedPattern as problem:
        return problem.valid
    return True


_duration = _Expression(
    r"P(?:\d+W|(?=\d|T\d)(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?"
    r"(?:T(?=\d)(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)",
    re.ASCII,
)
_uuid = _Expression(r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}")
_pointer = _Expression(r"(?:/(?:[^~/]|~[01])*)*")

FORMATS: dict[str, Callable[[str], bool]] = {
    "date-time": _is_date_time,
    "date": _is_date,
    "time": _is_time,
    "duration": lambda text: _duration.fullmatch(text) is not None,
    "email": is_email,
    "hostname": _is_hostname,
    "ipv4": _is_ipv4,
    "ipv6": _is_ipv6,
    "uri": is_uri,
    "uri-reference": _is_uri_reference,
    "uuid": lambda text: _uuid.fullmatch(text) is not None,
    "regex": _is_regex,
    "json-pointer": lambda text: _pointer.fullmatch(text) is not None,
}

GLANCES: dict[str, _Expression] = {"date-time": _common, "uri": _plain}
"""Expressions that match no invalid text, and most of what is valid, for the formats above that need more
than one look."""
