"""Values as text, in the styles of OpenAPI's Parameter Object (those of RFC 6570, and three of its own).

What OpenAPI leaves undefined is decided here, and nowhere else: an array or object inside a value is JSON
text, except in `deepObject`, where names go on in brackets and the items of an array repeat their name. Null
and an empty array or object are nothing, as RFC 6570 says of undefined values.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeAlias
from urllib.parse import quote

import msgspec

from .operation import Style

Quote: TypeAlias = Callable[[str], str]
"""Makes a text fit for a place: percent-encoding, or nothing."""
Pair: TypeAlias = tuple[str, str]

_UNRESERVED: Final = "-._~"
_KEPT: Final = re.compile(r"%[0-9A-Fa-f]{2}|[^%]+|%")
_ALLOWED: Final = _UNRESERVED + ":/?@!$'()*,;="
"""Reserved characters that cannot end a value in a query: `&`, `#`, `+` and brackets can."""
_SEPARATORS: Final = {"form": ",", "cookie": ",", "spaceDelimited": "%20", "pipeDelimited": "%7C"}
_EXPLODED: Final = ("form", "cookie", "deepObject")


def percent_encode(text: str) -> str:
    """Encode a text as UTF-8, with `%XX` for each byte that is no unreserved character of RFC 3986.

    Args:
        text: any text.

    Returns:
        Letters, digits, `-`, `.`, `_`, `~` and triplets.

    Raises:
        UnicodeEncodeError: the text holds lone surrogates.
    """
    return quote(text, safe=_UNRESERVED)


def keep_reserved(text: str) -> str:
    """As `percent_encode`, and triplets and reserved characters stay, if they cannot end a value in a query.

    Args:
        text: any text.

    Returns:
        The text of a value.

    Raises:
        UnicodeEncodeError: the text holds lone surrogates.
    """
    parts = (found[0] for found in _KEPT.finditer(text))
    return "".join(
        part if len(part) == 3 and part[0] == "%" else quote(part, safe=_ALLOWED) for part in parts
    )


def as_is(text: str) -> str:
    """The text itself."""
    return text


def scalar_text(value: Any) -> str:
    """The text of one value: strings as they are, all else as JSON."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def is_absent(value: Any) -> bool:
    """Whether RFC 6570 takes a value for undefined: null, and arrays and objects without anything in them."""
    if isinstance(value, dict):
        return all(item is None for item in value.values())
    if isinstance(value, list):
        return all(item is None for item in value)
    return value is None


def in_path(name: str, value: Any, style: Style, explode: bool) -> str:
    """A value in a path: `simple`, `label` or `matrix`."""
    if style == "simple":
        return ",".join(_items(value, percent_encode, explode))
    if style == "label":
        dotted = "." if explode or not isinstance(value, list | dict) else ","
        return "." + dotted.join(_items(value, percent_encode, explode))
    key = percent_encode(name)
    if not isinstance(value, list | dict):
        text = percent_encode(scalar_text(value))
        return f";{key}={text}" if text else f";{key}"
    if not explode:
        return f";{key}={','.join(_items(value, percent_encode, False))}"
    pairs = _exploded(name, value, percent_encode)
    return "".join(
        f";{percent_encode(key)}={text}" if text else f";{percent_encode(key)}" for key, text in pairs
    )


def in_header(value: Any, explode: bool) -> str:
    """A value in a header: `simple`, and nothing is encoded."""
    return ",".join(_items(value, as_is, explode))


def pairs_of(name: str, value: Any, style: Style, explode: bool | None, quoted: Quote) -> list[Pair]:
    """The names and values of one parameter in a query, a cookie or a form.

    Args:
        name: its name there.
        value: JSON data.
        style: `form`, `cookie`, `spaceDelimited`, `pipeDelimited` or `deepObject`.
        explode: None for the style's default.
        quoted: encodes the values; names are not encoded.

    Returns:
        The pairs, in order; none for what is absent.
    """
    if is_absent(value):
        return []
    if not isinstance(value, list | dict):
        return [(name, quoted(scalar_text(value)))]
    if style == "deepObject":
        return list(_deep(name, value, quoted))
    if explode or (explode is None and style in _EXPLODED):
        return _exploded(name, value, quoted)
    between = _SEPARATORS[style]
    if quoted is as_is:
        between = {"%20": " ", "%7C": "|"}.get(between, between)
    return [(name, between.join(_items(value, quoted, False)))]


def joined(pairs: Sequence[Pair]) -> str:
    """Pairs as a query or form: names are encoded here, values are already."""
    return "&".join(f"{percent_encode(name)}={text}" for name, text in pairs)


def _items(value: Any, quoted: Quote, explode: bool) -> list[str]:
    """The texts of a value that are parted by the style's separator."""
    if isinstance(value, list):
        return [quoted(scalar_text(item)) for item in value if item is not None]
    if not isinstance(value, dict):
        return [quoted(scalar_text(value))]
    present = ((quoted(key), quoted(scalar_text(item))) for key, item in value.items() if item is not None)
    if explode:
        return [f"{key}={text}" for key, text in present]
    return [text for pair in present for text in pair]


def _exploded(name: str, value: Any, quoted: Quote) -> list[Pair]:
    if isinstance(value, list):
        return [(name, quoted(scalar_text(item))) for item in value if item is not None]
    return [(key, quoted(scalar_text(item))) for key, item in value.items() if item is not None]


def _deep(name: str, value: Any, quoted: Quote) -> Iterator[Pair]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _deep(f"{name}[{key}]", item, quoted)
    elif isinstance(value, list):
        for item in value:
            if item is not None:
                yield name, quoted(scalar_text(item))
    elif value is not None:
        yield name, quoted(scalar_text(value))
