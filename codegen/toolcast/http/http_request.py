"""From a tool's values to its HTTP request, which nothing has been sent of.

Values become text in the styles of OpenAPI's Parameter Object (those of RFC 6570, and three of its own). What
OpenAPI leaves undefined is decided here, and nowhere else: an array or object inside a value is JSON text,
except in `deepObject`, where names go on in brackets and `arrays` of the operation says how items of an array
are named. Null and an empty array or object are nothing, as RFC 6570 says of undefined values.
"""

import binascii
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias
from urllib.parse import quote, unquote_plus

import msgspec
from msgspec import Struct

from ..http_operation import (
    FORM,
    MULTIPART,
    TEMPLATE,
    TOKEN,
    Arrays,
    Operation,
    Place,
    PropertyEncoding,
    Style,
    is_json,
)
from ..jsonschema.json_values import JsonMapping, JsonObject
from ..runtime.errors import RefusalError
from ..runtime.injection import folded_name, set_by_program

_Quote: TypeAlias = Callable[[str], str]
"""Makes a text fit for a place: percent-encoding, or nothing."""
_Pair: TypeAlias = tuple[str, str]

_UNRESERVED: Final = "-._~"
_KEPT: Final = re.compile(r"%[0-9A-Fa-f]{2}|[^%]+|%")
_ALLOWED: Final = _UNRESERVED + ":/?@!$'()*,;="
"""Reserved characters that cannot end a value in a query: `&`, `#`, `+` and brackets can."""
_SEPARATORS: Final = {"form": ",", "cookie": ",", "spaceDelimited": "%20", "pipeDelimited": "%7C"}
_EXPLODED: Final = ("form", "cookie", "deepObject")


def percent_encode(text: str) -> str:
    """Encode a text as UTF-8, with `%XX` for each byte that is no unreserved character of RFC 3986. Raises
    UnicodeEncodeError for lone surrogates.
    """
    return quote(text, safe=_UNRESERVED)


def keep_reserved(text: str) -> str:
    """Encode as `percent_encode`, but keep triplets, and reserved characters that cannot end a value in a
    query. Raises UnicodeEncodeError.
    """
    parts = (found[0] for found in _KEPT.finditer(text))
    return "".join(
        part if len(part) == 3 and part[0] == "%" else quote(part, safe=_ALLOWED) for part in parts
    )


def _as_is(text: str) -> str:
    return text


def _scalar_text(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _is_absent(value: object) -> bool:
    """Return whether RFC 6570 takes a value for undefined: null, and arrays and objects without anything in
    them.
    """
    if isinstance(value, dict):
        return all(item is None for item in value.values())
    if isinstance(value, list):
        return all(item is None for item in value)
    return value is None


def in_path(name: str, value: object, style: Style, explode: bool) -> str:
    """Return a value in a path: `simple`, `label` or `matrix`."""
    if style == "simple":
        return ",".join(_items(value, percent_encode, explode))
    if style == "label":
        dotted = "." if explode or not isinstance(value, list | dict) else ","
        return "." + dotted.join(_items(value, percent_encode, explode))
    key = percent_encode(name)
    if not isinstance(value, list | dict):
        text = percent_encode(_scalar_text(value))
        return f";{key}={text}" if text else f";{key}"
    if not explode:
        return f";{key}={','.join(_items(value, percent_encode, False))}"
    pairs = _exploded(name, value, percent_encode)
    return "".join(
        f";{percent_encode(key)}={text}" if text else f";{percent_encode(key)}" for key, text in pairs
    )


def in_header(value: object, explode: bool) -> str:
    """Return a value in a header: `simple`, and nothing is encoded."""
    return ",".join(_items(value, _as_is, explode))


def _pairs_of(
    name: str, value: object, stated: Place | PropertyEncoding, quoted: _Quote, arrays: Arrays = "repeated"
) -> list[_Pair]:
    """Return the names and values of one parameter in a query, a cookie or a form, in order; none for what is
    absent. `quoted` encodes values, not names.
    """
    style, explode = stated.style or "form", stated.explode
    if _is_absent(value):
        return []
    if not isinstance(value, list | dict):
        return [(name, quoted(_scalar_text(value)))]
    if style == "deepObject":
        return list(_deep(name, value, quoted, arrays))
    if explode or (explode is None and style in _EXPLODED):
        return _exploded(name, value, quoted)
    between = _SEPARATORS[style]
    if quoted is _as_is:
        between = {"%20": " ", "%7C": "|"}.get(between, between)
    return [(name, between.join(_items(value, quoted, False)))]


def joined(pairs: Sequence[_Pair]) -> str:
    """Pairs as a query or form: names are encoded here, values are already."""
    return "&".join(f"{percent_encode(name)}={text}" for name, text in pairs)


def _items(value: Any, quoted: _Quote, explode: bool) -> list[str]:
    if isinstance(value, list):
        return [quoted(_scalar_text(item)) for item in value if item is not None]
    if not isinstance(value, dict):
        return [quoted(_scalar_text(value))]
    present = ((quoted(key), quoted(_scalar_text(item))) for key, item in value.items() if item is not None)
    if explode:
        return [f"{key}={text}" for key, text in present]
    return [text for pair in present for text in pair]


def _exploded(name: str, value: Any, quoted: _Quote) -> list[_Pair]:
    if isinstance(value, list):
        return [(name, quoted(_scalar_text(item))) for item in value if item is not None]
    return [(key, quoted(_scalar_text(item))) for key, item in value.items() if item is not None]


def _deep(name: str, value: object, quoted: _Quote, arrays: Arrays) -> Iterator[_Pair]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _deep(f"{name}[{key}]", item, quoted, arrays)
    elif isinstance(value, list):
        items = [item for item in value if item is not None]
        if arrays == "repeated":
            yield from ((name, quoted(_scalar_text(item))) for item in items)
        elif arrays == "brackets":
            yield from _in_brackets(f"{name}[]", items, quoted)
        else:
            for index, item in enumerate(items):
                yield from _deep(f"{name}[{index}]", item, quoted, arrays)
    elif value is not None:
        yield name, quoted(_scalar_text(value))


def _in_brackets(name: str, items: Sequence[object], quoted: _Quote) -> Iterator[_Pair]:
    """Yield the items of an array as Rack reads them: an object of an array begins where a name comes again.
    So a name that the object before has is written first; without one, the two would be read as one object.
    """
    before: set[str] | None = None
    for item in items:
        if isinstance(item, list):
            raise RefusalError(f"`{name}` cannot hold a list in a list: this API has no form for it.")
        pairs = list(_deep(name, item, quoted, "brackets"))
        if before is not None and isinstance(item, dict) and pairs:
            names = before
            pairs.sort(key=lambda pair: pair[0] not in names)
            if pairs[0][0] not in names:
                raise RefusalError(
                    f"`{name}`: each object needs a member that the object before it has; add one."
                )
        yield from pairs
        if not isinstance(item, dict):
            before = None
        elif pairs:
            before = {key for key, _ in pairs if "[]" not in key.removeprefix(name)}


_LITERAL: Final = "/:@!$&'()*+,;=-._~%"
_CONTROL: Final = re.compile("[\0-\x08\x0a-\x1f\x7f]")
_NO_COOKIE: Final = re.compile('[\0-\x20";\\\\\x7f]')
_ANY_TYPE: Final = "application/octet-stream"
_BRACKETS: Final = re.compile(r"[\[\]]+")
_PATH_NAME: Final = re.compile(r"(?:^|[;,.])([^;,.=]+)=|;([^;,.=]+)")
_Declares: TypeAlias = Callable[[str, str], bool]
"""Whether the schema of a parameter, the first argument, names a member."""


class Part(Struct, frozen=True, kw_only=True):
    """One part of a multipart body.

    Attributes:
        name: name of the property.
        content: its bytes.
        media_type: its media type; "" for text without one.
        filename: name of a file; "" for what is no file.
    """

    name: str
    content: bytes
    media_type: str = ""
    filename: str = ""


class HttpRequest(Struct, frozen=True, kw_only=True):
    """A request without credentials.

    Attributes:
        method: in upper case.
        path: encoded, to be added to the server's URL.
        query: encoded pairs in order; the names are not encoded.
        headers: names and values.
        cookies: names and values, encoded.
        content: the body; None where there is none, and for multipart.
        media_type: the `Content-Type`; "" without a body, and for multipart.
        parts: the parts of a multipart body; None where it is none.
    """

    method: str
    path: str
    query: tuple[_Pair, ...] = ()
    headers: tuple[_Pair, ...] = ()
    cookies: tuple[_Pair, ...] = ()
    content: bytes | None = None
    media_type: str = ""
    parts: tuple[Part, ...] | None = None


def build_request(
    operation: Operation,
    values: JsonMapping,
    injected: Collection[str] = (),
    declares: _Declares | None = None,
) -> HttpRequest:
    """Put every value in its place. `values` are JSON data by parameter, as the contract accepts it;
    properties beyond the parameters are properties of the body. `injected` are the parameters that the
    program fills in; `declares` tells members that a schema names from those that a model names, None
    where none is a model's.

    Raises RefusalError, in words for the model, for a value that cannot be sent.
    """
    try:
        _refuse_taken_names(operation, values, injected, declares)
        return _build(operation, values)
    except UnicodeEncodeError:
        raise RefusalError(
            "The arguments hold text that is no Unicode (lone surrogates); correct it."
        ) from None


def _build(operation: Operation, values: JsonMapping) -> HttpRequest:
    query: list[_Pair] = []
    headers: list[_Pair] = []
    cookies: list[_Pair] = []
    segments: dict[str, str] = {}
    for name, place in operation.places.items():
        if place.location == "path":
            segments[place.name] = _in_path(name, place, values.get(name))
        elif (
            place.location == "body" or name not in values or (_is_absent(values[name]) and not place.content)
        ):
            continue
        elif place.location == "query":
            query += _in_query(place, values[name], operation.arrays)
        elif place.location == "header":
            headers.append((place.name, _in_header(name, place, values[name])))
        else:
            cookies += _in_cookie(name, place, values[name])
    content, media_type, parts = _body(operation, values)
    return HttpRequest(
        method=operation.method.upper(),
        path=_path(operation.path, segments),
        query=tuple(query),
        headers=tuple(headers),
        cookies=tuple(cookies),
        content=content,
        media_type=media_type,
        parts=parts,
    )


def _path(template: str, segments: Mapping[str, str]) -> str:
    """Return the path with its variables replaced. No value can add a `/`, and none may make a way up."""
    pieces = TEMPLATE.split(template)  # text and names in turn
    path = "".join(
        segments[piece] if index % 2 else quote(piece, safe=_LITERAL) for index, piece in enumerate(pieces)
    )
    if any(segment in (".", "..") for segment in path.split("/")):
        raise RefusalError("A parameter of the path must not be `.` or `..`: that would be another path.")
    return path


def _in_path(name: str, place: Place, value: object) -> str:
    if place.content:
        return percent_encode(msgspec.json.encode(value).decode())
    if _is_absent(value) or value == "":
        raise RefusalError(f"`{name}` is part of the path, so it must not be empty.")
    return in_path(place.name, value, place.style or "simple", bool(place.explode))


def _in_query(place: Place, value: object, arrays: Arrays) -> list[_Pair]:
    if place.content:
        return [(place.name, percent_encode(msgspec.json.encode(value).decode()))]
    return _pairs_of(place.name, value, place, _quoted(place), arrays)


def _quoted(stated: Place | PropertyEncoding) -> _Quote:
    return keep_reserved if stated.allow_reserved else percent_encode


def _in_header(name: str, place: Place, value: object) -> str:
    text = msgspec.json.encode(value).decode() if place.content else in_header(value, bool(place.explode))
    if _CONTROL.search(text):
        raise RefusalError(
            f"`{name}` goes into a header, so it must have no line break or control character."
        )
    text.encode()
    return text.strip(" \t")


def _in_cookie(name: str, place: Place, value: object) -> list[_Pair]:
    if place.content:
        return [(place.name, percent_encode(msgspec.json.encode(value).decode()))]
    pairs = _pairs_of(place.name, value, place, _as_is if place.style == "cookie" else percent_encode)
    if any(not TOKEN.fullmatch(key) or _NO_COOKIE.search(text) for key, text in pairs):
        raise RefusalError(f"`{name}` goes into a cookie, so it must have no space, `;`, quote or backslash.")
    return pairs


def _body(operation: Operation, values: JsonMapping) -> tuple[bytes | None, str, tuple[Part, ...] | None]:
    """Bytes, media type and parts of the body."""
    media_type = operation.body
    if not media_type:
        return None, "", None
    inside = {name: place for name, place in operation.places.items() if place.location == "body"}
    whole = next((name for name, place in inside.items() if place.whole), None)
    if whole is None:
        body: Any = {place.name: values[name] for name, place in inside.items() if name in values}
        body |= {name: value for name, value in values.items() if name not in operation.places}
        binary = frozenset(place.name for place in inside.values() if place.binary)
    elif whole not in values:
        return None, "", None
    else:
        body, binary = values[whole], frozenset()
    if is_json(media_type):
        return msgspec.json.encode(body), media_type, None
    if media_type == FORM:
        return joined(list(_form_pairs(operation, _object(whole, body)))).encode(), media_type, None
    if media_type == MULTIPART:
        parts = tuple(_parts(operation, _object(whole, body), binary))
        return (None, "", parts) if parts else (b"", "", None)
    return (*_text_body(str(whole), body, inside[str(whole)].binary, media_type), None)


def _object(whole: str | None, body: Any) -> JsonObject:
    if isinstance(body, dict):
        return body
    raise RefusalError(f"`{whole}` is sent as a form, so it must be an object.")


def _text_body(name: str, body: object, binary: bool, media_type: str) -> tuple[bytes, str]:
    if binary:
        return _decoded(name, body), media_type
    if isinstance(body, list | dict):
        raise RefusalError(f"`{name}` is sent as {media_type}, which only text can be: write it as text.")
    charset = "; charset=utf-8" if media_type.startswith("text/") else ""
    return _scalar_text(body).encode(), f"{media_type}{charset}"


def _decoded(name: str, value: object) -> bytes:
    try:
        if isinstance(value, str):
            return binascii.a2b_base64(value, strict_mode=True)
    except (binascii.Error, ValueError):
        pass
    raise RefusalError(f"`{name}` must be base64: letters, digits, `+`, `/` and `=` only, without spaces.")


def _form_pairs(operation: Operation, body: JsonMapping) -> Iterator[_Pair]:
    """By media type, one pair for each item of an array; by style, where the encoding says one."""
    for name, value in body.items():
        encoding = operation.encoding.get(name)
        if encoding is not None and _is_styled(encoding):
            yield from _pairs_of(name, value, encoding, _quoted(encoding), operation.arrays)
            continue
        for item in value if isinstance(value, list) else [value]:
            if item is not None:
                yield name, percent_encode(_content(item, _media_type(encoding, item))[0].decode())


def _parts(operation: Operation, body: JsonMapping, binary: frozenset[str]) -> Iterator[Part]:
    """One part for each property, and for each item of an array."""
    for name, value in body.items():
        encoding = operation.encoding.get(name)
        if encoding is not None and _is_styled(encoding) and name not in binary:
            for key, text in _pairs_of(name, value, encoding, _as_is, operation.arrays):
                yield Part(name=key, content=text.encode())
            continue
        for item in value if isinstance(value, list) else [value]:
            if item is None:
                continue
            if name in binary:
                media_type = _media_type(encoding, item) or _ANY_TYPE
                yield Part(name=name, content=_decoded(name, item), media_type=media_type, filename=name)
            else:
                content, media_type = _content(item, _media_type(encoding, item))
                yield Part(name=name, content=content, media_type=media_type)


def _is_styled(encoding: PropertyEncoding) -> bool:
    return any(each is not None for each in (encoding.style, encoding.explode, encoding.allow_reserved))


def _media_type(encoding: PropertyEncoding | None, value: object) -> str:
    """Return the media type of a property: the first that is no range; JSON for arrays and objects, or ""."""
    named = [each.strip() for each in encoding.content_type.split(",")] if encoding else []
    default = "application/json" if isinstance(value, list | dict) else ""
    return next((each for each in named if each and "*" not in each), default)


def _content(value: Any, media_type: str) -> tuple[bytes, str]:
    if isinstance(value, list | dict) or is_json(media_type):
        return msgspec.json.encode(value), media_type
    return _scalar_text(value).encode(), media_type


class _Taken(Struct, frozen=True):
    """A name of a parameter, or of a credential, which has the `parameter` ""."""

    place: str
    parameter: str
    name: str
    is_injected: bool = False


def _refuse_taken_names(
    operation: Operation, values: JsonMapping, injected: Collection[str], declares: _Declares | None
) -> None:
    """Refuse names in a model's data that a server may take for that of another parameter or a credential in
    the same place, or for an injected one in any place, where the schema does not name them."""
    sent = [*_names_sent(operation, values)]
    taken = [_Taken(place, name, each, True) for place, name, each in sent if name in injected]
    for name, place in operation.places.items():
        taken.append(_Taken(place.location, name, place.name, name in injected))
    taken += (_Taken(each.location, "", each.name) for each in operation.schemes.values() if each.name)
    known: dict[tuple[str, ...], list[_Taken]] = {}
    for each in taken:
        parts = _bracketed(each.name)
        for key in ((folded_name(each.name),), ("is", *parts), *_beginnings("begins", parts)):
            known.setdefault(key, []).append(each)
    for location, name, member in sent:
        own = operation.places.get(name)
        if name in injected or (own is not None and (own.location, own.name) == (location, member)):
            continue
        parts = _bracketed(member)
        for key in ((folded_name(member),), ("begins", *parts), *_beginnings("is", parts)):
            for each in known.get(key, ()):
                anywhere = each.is_injected and not (name and (not declares or declares(name, member)))
                if each.parameter != (name or None) and (each.place == location or anywhere):
                    raise _taken_name(member, each)


def _bracketed(name: str) -> tuple[str, ...]:
    return tuple(folded_name(part) for part in _BRACKETS.split(name) if part)


def _beginnings(kind: str, parts: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    return ((kind, *parts[:count]) for count in range(1, len(parts) + 1))


def _taken_name(name: str, taken: _Taken) -> RefusalError:
    if taken.is_injected or not taken.parameter:
        return RefusalError(f"{set_by_program(name)}; leave it out.")
    return RefusalError(f"`{name:.100}` is called `{taken.parameter}` here: write it there.")


def _names_sent(operation: Operation, values: JsonMapping) -> Iterator[tuple[str, str, str]]:
    """Yield the names in a request: where, of which parameter, and the name. The parameter is "" for a
    property beyond them.
    """
    for name, place in operation.places.items():
        value = values.get(name)
        if place.location == "body" or place.content or _is_absent(value):
            continue
        if place.location == "query":
            pairs = _in_query(place, value, operation.arrays)
            yield from (("query", name, each) for each in _query_names(pairs))
        elif place.location == "cookie":
            yield from (("cookie", name, key) for key, _ in _in_cookie(name, place, value))
        elif place.location == "path":
            found = _PATH_NAME.findall(_in_path(name, place, value))
            yield from (("member", name, unquote_plus(one or other)) for one, other in found)
        elif isinstance(value, dict) and place.explode:
            yield from (("member", name, key) for key in value)
    inside = {place.name: name for name, place in operation.places.items() if place.location == "body"}
    whole = next((name for name in inside.values() if operation.places[name].whole), "")
    if not operation.body:
        return
    body = (
        values.get(whole) if whole else {key: values[name] for key, name in inside.items() if name in values}
    )
    for key, value in body.items() if isinstance(body, dict) else ():
        for each in _property_names(operation, key, value):
            yield "body", whole or inside[key], each
    for key, value in values.items():
        if key not in operation.places:
            yield from (("body", "", each) for each in _property_names(operation, key, value))


def _property_names(operation: Operation, name: str, value: object) -> list[str]:
    encoding = operation.encoding.get(name)
    if operation.body not in (FORM, MULTIPART) or encoding is None or not _is_styled(encoding):
        return [name]
    return _query_names(_pairs_of(name, value, encoding, _quoted(encoding), operation.arrays))


def _query_names(pairs: list[_Pair]) -> list[str]:
    """Return the names that a reader of a query finds, who may take `;` for `&`."""
    return [unquote_plus(each.partition("=")[0]) for each in re.split("[&;]", joined(pairs)) if each]
