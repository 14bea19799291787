"""The key `http` in the JSON Schema of specs, for editors."""

from typing import Any, Final

from ..http.operation import METHODS, SCHEME_TYPES, STYLES

_NAME: Final[dict[str, Any]] = {"type": "string", "pattern": r"\S"}
_FLAG: Final[dict[str, Any]] = {"type": "boolean"}
_STYLES: Final = sorted({style for styles in STYLES.values() for style in styles})


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
                "pattern": "^https?://",
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
            "in": {"enum": ["header", "query", "cookie"], "description": "Where a key goes."},
            "name": {**_NAME, "description": "The key's name there."},
            "scheme": {**_NAME, "description": "HTTP's name of the scheme: bearer, basic."},
        },
    }
