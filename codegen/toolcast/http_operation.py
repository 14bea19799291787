"""The HTTP request that a tool stands for: where each parameter goes, how it is written, who may call.

It is the `http` key of a spec. Places, styles and security are those of OpenAPI 3.0 to 3.2, under the same
names.
"""

import re
from collections.abc import Mapping
from typing import Final, Literal, TypeAlias, get_args
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from .jsonschema.json_values import JsonMapping, JsonObject

Location: TypeAlias = Literal["path", "query", "header", "cookie", "body"]
Style: TypeAlias = Literal[
    "simple", "label", "matrix", "form", "spaceDelimited", "pipeDelimited", "deepObject", "cookie"
]
Arrays: TypeAlias = Literal["indexed", "brackets", "repeated"]

METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
"""The methods that OpenAPI has fields for; `query` since 3.2."""

STYLES: Final[Mapping[str, tuple[Style, ...]]] = {
    "path": ("simple", "label", "matrix"),
    "query": ("form", "spaceDelimited", "pipeDelimited", "deepObject"),
    "header": ("simple",),
    "cookie": ("form", "cookie"),
    "body": (),
}
"""The styles of each place; the first is its default."""

ARRAYS: Final[tuple[Arrays, ...]] = get_args(Arrays)
"""Names of an array's items in `deepObject`, of which OpenAPI says nothing: `a[0]`, `a[]`, or `a` again."""

SCHEME_TYPES: Final = ("apiKey", "http", "oauth2", "openIdConnect", "mutualTLS")
"""The kinds of security schemes."""

KEY_PLACES: Final = ("header", "query", "cookie")
"""Where a scheme of the type `apiKey` has its key."""

FORM: Final = "application/x-www-form-urlencoded"
MULTIPART: Final = "multipart/form-data"

TOKEN: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,256}")
"""A token of RFC 9110: the names of headers and cookies."""
MEDIA_TYPE: Final = re.compile(r"[A-Za-z0-9][\w.+-]{0,126}/[A-Za-z0-9][\w.+-]{0,126}", re.ASCII)
"""A media type without parameters (RFC 6838)."""
TEMPLATE: Final = re.compile(r"\{([^{}/?#]{1,256})\}")
"""A variable of a path or a server."""

FRAMING: Final = frozenset(
    {
        "connection", "content-length", "expect", "host", "keep-alive", "proxy-authenticate",
        "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    }
)  # fmt: skip
"""Headers that say where a message goes and where it ends: no document and no argument sets them."""
RESERVED: Final = FRAMING | {"accept", "authorization", "content-type", "cookie"}
"""Headers that no parameter sets; OpenAPI says so of `Accept`, `Authorization` and `Content-Type`."""


class Place(Struct, frozen=True, kw_only=True, rename={"location": "in"}, forbid_unknown_fields=True):
    """The place of one parameter.

    Attributes:
        location: "path", "query", "header", "cookie" or "body"; `in` in a spec.
        name: its name there; "" for the parameter's own name.
        style: how an array or an object is written; None for the place's default.
        explode: whether each item or property is written apart; None for the style's default.
        allow_reserved: whether reserved characters stay as they are, in a query.
        content: media type of a value that is written as one text; "" for a style.
        whole: whether the value is the body itself, and not one of its properties.
        binary: whether the value is base64, and what it stands for is sent.
    """

    location: Location
    name: str = ""
    style: Style | None = None
    explode: bool | None = None
    allow_reserved: bool = False
    content: str = ""
    whole: bool = False
    binary: bool = False


class PropertyEncoding(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The encoding of one property of a form or multipart body: OpenAPI's Encoding Object.

    Attributes:
        content_type: its media type, or several, parted by commas; "" for the default of its type.
        style: as for a parameter in the query; None where it is written by its media type.
        explode: as for a parameter in the query.
        allow_reserved: as for a parameter in the query.
    """

    content_type: str = ""
    style: Style | None = None
    explode: bool | None = None
    allow_reserved: bool | None = None


class SchemeFields(Struct, frozen=True, kw_only=True, rename={"location": "in"}, forbid_unknown_fields=True):
    """A security scheme as a spec writes it.

    Attributes:
        type: "apiKey", "http", "oauth2", "openIdConnect" or "mutualTLS".
        location: where a key goes: "header", "query" or "cookie"; `in` in a spec.
        name: the key's name there.
        scheme: the name of an HTTP scheme, such as `bearer` or `basic`.
    """

    type: str
    location: str = ""
    name: str = ""
    scheme: str = ""


class Operation(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One HTTP operation.

    Attributes:
        method: in lower case.
        path: with a `{name}` for each parameter in it.
        server: the URL that the path is added to; "" where the program has to name it.
        server_variables: the default of each `{name}` in `server`.
        places: where each parameter goes, by its name.
        body: media type of the body; "" for none.
        encoding: how properties of a form or multipart body are written, by their names there.
        arrays: how items of arrays are named in the style `deepObject`.
        security: alternatives; each has scopes by scheme. Empty for none.
        schemes: those that `security` names.
    """

    method: str
    path: str
    server: str = ""
    server_variables: Mapping[str, str] = {}
    places: Mapping[str, Place] = {}
    body: str = ""
    encoding: Mapping[str, PropertyEncoding] = {}
    arrays: Arrays = "repeated"
    security: tuple[Mapping[str, tuple[str, ...]], ...] = ()
    schemes: Mapping[str, SchemeFields] = {}


def read_operation(http: JsonMapping) -> Operation:
    """Read the `http` key of a checked spec, as bindings hold it; each place has its name. Raises ValueError
    for any other mapping.
    """
    plain = dict(http)
    places: JsonObject = {}
    for name, place in dict(plain.pop("in", {})).items():
        written = {"in": place} if isinstance(place, str) else dict(place)
        places[name] = {"name": name, **written}
    return msgspec.convert({**plain, "places": places}, Operation)


def is_json(media_type: str) -> bool:
    """Return whether a media type is JSON: `application/json`, or a type with the suffix `+json`."""
    plain = media_type.partition(";")[0].strip().lower()
    return plain in ("application/json", "text/json") or plain.endswith("+json")


_LONGEST: Final = 2_048


def filled(server: str, values: Mapping[str, str]) -> str:
    """Return a server with its variables replaced; those without a value stay."""
    return TEMPLATE.sub(lambda found: values.get(found[1], found[0]), server)


def server_problem(server: str) -> str:
    """Return why a URL is no server of an API; "" where it is one."""
    try:
        parts = urlsplit(server)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "is no URL"
    if len(server) > _LONGEST:
        return f"is longer than {_LONGEST} characters"
    if parts.scheme not in ("http", "https") or not host:
        return "must be an absolute URL with http or https"
    if any(not sign.isprintable() or sign.isspace() or sign in "{}\\" for sign in server):
        return "must have no space, brace or invisible character"
    if "@" in parts.netloc:
        return "must hold no user and no password"
    if "?" in server or "#" in server:
        return "must have no query and no fragment"
    return ""
