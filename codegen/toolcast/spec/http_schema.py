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
        "description": "The HTTP request that the tool stands for, in OpenAPI's terms.",
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
        "examples": [
            {
                "method": "get",
                "path": "/customers/{customer}/orders",
                "server": "https://api.example.com/v1",
                "in": {
                    "customer": "path",
                    "region": "query",
                    "cursor": "query",
                    "reason": "query",
                    "user_id": "query",
                    "token": {"in": "header", "name": "X-Token"},
                },
            }
        ],
    }


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
            "type": {"enum": list(SCHEME_TYPES)},
            "in": {"enum": ["header", "query", "cookie"], "description": "Where a key goes."},
            "name": {**_NAME, "description": "The key's name there."},
            "scheme": {**_NAME, "description": "HTTP's name of the scheme: bearer, basic."},
        },
    }
