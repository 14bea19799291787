"""The key `http`: its JSON Schema, and what diagnostics say of its members."""

from typing import Any, Final

from ..http.operation import KEY_PLACES, METHODS, SCHEME_TYPES, STYLES
from .spec_checker import Names, Words, choices

_NAME: Final[dict[str, Any]] = {"type": "string", "pattern": r"\S"}
_FLAG: Final[dict[str, Any]] = {"type": "boolean"}
_STYLES: Final = sorted({style for styles in STYLES.values() for style in styles})


PATH_HINT: Final = "write it as OpenAPI does: /repos/{owner}/issues"
PLACE_HINT: Final = "write `path`, `query`, `header`, `cookie` or `body`, or a mapping with `in` and more"
SERVER_HINT: Final = "write https://api.example.com/v1, or leave it out and let the program name it"
MEDIA_TYPE_HINT: Final = "write a media type without parameters, such as application/json"

HTTP_WORDS: Final[dict[str, Words]] = {
    "": Words(
        names=Names(
            synonyms={
                "requestBody": "body",
                "parameters": "in",
                "servers": "server",
                "securitySchemes": "schemes",
            }
        )
    ),
    "method": Words(code="bad-method", hint=f"write {choices(METHODS)}"),
    "path": Words(code="bad-path", wanted="a path that begins with `/`", hint=PATH_HINT),
    "server": Words(code="bad-server", wanted="a URL with http or https", hint=SERVER_HINT),
    "body": Words(code="bad-media-type", wanted="a media type", hint=MEDIA_TYPE_HINT),
    "in": Words(),
    "in.*.style": Words(code="bad-style"),
    "in.*.*": Words(),
    "in.*": Words(
        code="bad-place", hint=PLACE_HINT, names=Names(synonyms={"allowReserved": "allow_reserved"})
    ),
    "encoding.*.*": Words(code="bad-encoding"),
    "encoding.*": Words(
        names=Names(synonyms={"contentType": "content_type", "allowReserved": "allow_reserved"})
    ),
    "security": Words(hint="write a list of alternatives, such as [{api_key: []}]; [] for none"),
    "security.*.*": Words(wanted="a list of scopes", hint="write [] for none"),
    "schemes.*.*": Words(code="bad-security"),
    "schemes.*": Words(code="bad-security", hint=f"write `type:` {choices(SCHEME_TYPES)}"),
}
"""What diagnostics say of members of the key."""


def http_schema() -> dict[str, Any]:
    """Make the schema of the key.

    Returns:
        A new schema. It leaves to the reader: which parameters there are, which styles a place has, the
        characters of names and URLs.
    """
    return {
        "type": "object",
        "required": ["method", "path"],
        "additionalProperties": False,
        "properties": {
            "method": {"description": "The method.", "enum": list(METHODS)},
            "path": {
                "description": "The path, with a {name} for each parameter in it.",
                "type": "string",
                "pattern": "^/",
                "examples": ["/repos/{owner}/{repo}/issues"],
            },
            "server": {
                "description": "The URL that the path is added to. Left out: the program names it.",
                "type": "string",
                "pattern": r"^(?:[Hh][Tt][Tt][Pp][Ss]?://|\{)",  # or a variable, such as {scheme}
                "examples": ["https://api.example.com/v1"],
            },
            "server_variables": {
                "description": "The default of each {name} in `server`.",
                "type": "object",
                "additionalProperties": _NAME,
            },
            "in": {
                "description": "Where each parameter goes: path, query, header, cookie or body.",
                "type": "object",
                "additionalProperties": {"anyOf": [{"enum": list(STYLES)}, _place()]},
            },
            "body": {
                "description": "The media type of the body.",
                "type": "string",
                "pattern": "/",
                "examples": ["application/json", "multipart/form-data"],
            },
            "encoding": {
                "description": "How properties of a form or multipart body are written.",
                "type": "object",
                "additionalProperties": _encoding(),
            },
            "security": {
                "description": "Alternatives, each with the schemes that it needs; [] for none.",
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": {"type": "array", "items": {"type": "string"}},
                },
                "examples": [[{"api_key": []}]],
            },
            "schemes": {
                "description": "The schemes that `security` names.",
                "type": "object",
                "additionalProperties": _scheme(),
            },
        },
        "examples": _examples(),
    }


def _examples() -> list[dict[str, Any]]:
    """Values of the key for `keys.EXAMPLE`; each key inside of it is in one of them."""
    server = "https://api.example.com/v1"
    token = {"in": "header", "name": "X-Token"}
    return [
        {
            "method": "get",
            "path": "/customers/{customer}/orders",
            "server": server,
            "in": {
                "customer": "path",
                "region": "query",
                "cursor": "query",
                "reason": "query",
                "user_id": "query",
                "token": token,
            },
        },
        {
            "method": "post",
            "path": "/customers/{customer}/orders/search",
            "server": "https://{area}.example.com/v1",
            "server_variables": {"area": "eu"},
            "in": {
                "customer": "path",
                "region": {
                    "in": "query",
                    "name": "regions",
                    "style": "form",
                    "explode": False,
                    "allow_reserved": True,
                },
                "cursor": {"in": "query", "content": "application/json"},
                "token": token,
                "reason": "body",
                "user_id": "body",
            },
            "body": "application/x-www-form-urlencoded",
            "encoding": {"reason": {"style": "form", "explode": True, "allow_reserved": True}},
            "security": [{"key": []}, {"login": []}],
            "schemes": {
                "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
                "login": {"type": "http", "scheme": "bearer"},
            },
        },
        {
            "method": "post",
            "path": "/customers/{customer}/notes",
            "server": server,
            "in": {
                "customer": "path",
                "region": "body",
                "cursor": "body",
                "reason": "body",
                "user_id": "body",
                "token": token,
            },
            "body": "multipart/form-data",
            "encoding": {"reason": {"content_type": "text/markdown"}},
        },
        {
            "method": "put",
            "path": "/customers/{customer}/photo",
            "server": server,
            "in": {
                "customer": "path",
                "region": "query",
                "cursor": "query",
                "reason": {"in": "body", "whole": True, "binary": True},
                "user_id": "query",
                "token": token,
            },
            "body": "image/png",
        },
    ]


def _place() -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["in"],
        "additionalProperties": False,
        "properties": {
            "in": {"enum": list(STYLES), "description": "Which part of the request."},
            "name": {**_NAME, "description": "Its name there. Default: the parameter's."},
            "style": {"enum": _STYLES, "description": "How an array or an object is written."},
            "explode": {**_FLAG, "description": "Whether each item or property is written apart."},
            "allow_reserved": {**_FLAG, "description": "Whether reserved characters stay as they are."},
            "content": {**_NAME, "description": "application/json: the value is one JSON text."},
            "whole": {**_FLAG, "description": "The value is the body, and not a property of it."},
            "binary": {**_FLAG, "description": "The value is base64; its bytes are sent."},
        },
    }


def _encoding() -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "content_type": {**_NAME, "description": "Its media type.", "examples": ["image/png"]},
            "style": {"enum": list(STYLES["query"]), "description": "As for a parameter in the query."},
            "explode": {**_FLAG, "description": "As for a parameter in the query."},
            "allow_reserved": {**_FLAG, "description": "As for a parameter in the query."},
        },
    }


def _scheme() -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["type"],
        "additionalProperties": False,
        "properties": {
            "type": {"enum": list(SCHEME_TYPES), "description": "The kind of scheme, in OpenAPI's terms."},
            "in": {"enum": list(KEY_PLACES), "description": "Where a key goes."},
            "name": {**_NAME, "description": "The key's name there."},
            "scheme": {**_NAME, "description": "HTTP's name of the scheme: bearer, basic."},
        },
    }
