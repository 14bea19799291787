"""The key `http` of a spec, the HTTP request that a tool stands for: its schema, and the other rules.

Every parameter has one place, and a style of that place.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ..http_operation import (
    ARRAYS,
    FORM,
    FRAMING,
    KEY_PLACES,
    MEDIA_TYPE,
    METHODS,
    MULTIPART,
    RESERVED,
    SCHEME_TYPES,
    STYLES,
    TEMPLATE,
    TOKEN,
    filled,
    is_json,
    server_problem,
)
from ..jsonschema.json_values import JsonMapping, JsonObject
from .spec_checker import TEXT, Names, SpecChecker, Words, choices, closed, quoted

_FLAG: Final[JsonObject] = {"type": "boolean"}
_STYLES: Final = sorted({style for styles in STYLES.values() for style in styles})
_PATH_HINT: Final = "write it as OpenAPI does: /repos/{owner}/issues"
_PLACE_HINT: Final = "write `path`, `query`, `header`, `cookie` or `body`, or a mapping with `in` and more"
_SERVER_HINT: Final = "write https://api.example.com/v1, or leave it out and let the program name it"
_MEDIA_TYPE_HINT: Final = "write a media type without parameters, such as application/json"

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
    "path": Words(code="bad-path", wanted="a path that begins with `/`", hint=_PATH_HINT),
    "server": Words(code="bad-server", wanted="a URL with http or https", hint=_SERVER_HINT),
    "body": Words(code="bad-media-type", wanted="a media type", hint=_MEDIA_TYPE_HINT),
    "in": Words(),
    "in.*.in": Words(code="bad-place"),
    "in.*.style": Words(code="bad-style"),
    "in.*.*": Words(),
    "in.*": Words(
        code="bad-place", hint=_PLACE_HINT, names=Names(synonyms={"allowReserved": "allow_reserved"})
    ),
    "encoding.*.*": Words(code="bad-encoding"),
    "encoding.*": Words(
        names=Names(synonyms={"contentType": "content_type", "allowReserved": "allow_reserved"})
    ),
    "arrays": Words(code="bad-style", hint=f"write {choices(ARRAYS)}"),
    "security": Words(hint="write a list of alternatives, such as [{api_key: []}]; [] for none"),
    "security.*.*": Words(wanted="a list of scopes", hint="write [] for none"),
    "schemes.*.*": Words(code="bad-security"),
    "schemes.*": Words(code="bad-security", hint=f"write `type:` {choices(SCHEME_TYPES)}"),
}
"""The words of diagnostics about members of the key."""


def http_schema() -> JsonObject:
    """Make the schema of the key, without the parameters there are, the styles of each place and the
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
                "additionalProperties": TEXT,
            },
            "in": {
                "description": "Where each parameter goes: path, query, header, cookie or body.",
                "type": "object",
                "additionalProperties": {"anyOf": [{"enum": list(STYLES)}, _place_schema()]},
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
                "additionalProperties": _encoding_schema(),
            },
            "arrays": {
                "description": "How items of arrays are named in `deepObject`: a[0], a[], or a again.",
                "enum": list(ARRAYS),
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
                "additionalProperties": _scheme_schema(),
            },
        },
        "examples": _examples(),
    }


def _examples() -> list[JsonObject]:
    """Return values of the key for `keys.EXAMPLE`; each member of the key is in one of them."""
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
            "encoding": {"reason": {"style": "deepObject", "explode": True, "allow_reserved": True}},
            "arrays": "indexed",
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


def _place_schema() -> JsonObject:
    return closed(
        {
            "in": {"enum": list(STYLES), "description": "Which part of the request."},
            "name": {**TEXT, "description": "Its name there. Default: the parameter's."},
            "style": {"enum": _STYLES, "description": "How an array or an object is written."},
            "explode": {**_FLAG, "description": "Whether each item or property is written apart."},
            "allow_reserved": {**_FLAG, "description": "Whether reserved characters stay as they are."},
            "content": {**TEXT, "description": "application/json: the value is one JSON text."},
            "whole": {**_FLAG, "description": "The value is the body, and not a property of it."},
            "binary": {**_FLAG, "description": "The value is base64; its bytes are sent."},
        },
        required=("in",),
    )


def _encoding_schema() -> JsonObject:
    return closed(
        {
            "content_type": {**TEXT, "description": "Its media type.", "examples": ["image/png"]},
            "style": {"enum": list(STYLES["query"]), "description": "As for a parameter in the query."},
            "explode": {**_FLAG, "description": "As for a parameter in the query."},
            "allow_reserved": {**_FLAG, "description": "As for a parameter in the query."},
        }
    )


def _scheme_schema() -> JsonObject:
    return closed(
        {
            "type": {"enum": list(SCHEME_TYPES), "description": "The kind of scheme, in OpenAPI's terms."},
            "in": {"enum": list(KEY_PLACES), "description": "Where a key goes."},
            "name": {**TEXT, "description": "The key's name there."},
            "scheme": {**TEXT, "description": "HTTP's name of the scheme: bearer, basic."},
        },
        required=("type",),
    )


_LONGEST: Final = 2_048


def check_http(checker: SpecChecker, stated: Any, schema: Any, known: frozenset[str] | None) -> None:
    """Check what the schema of the key cannot say. Wrong parts of `stated` are None. `known` are the
    top-level parameters; None where `schema`, that of all parameters, must be resolved first.
    """
    if stated is None:
        return
    if path := stated.get("path"):
        _path(checker, path)
    variables = stated.get("server_variables", {})
    if "server" not in stated and "server_variables" in stated:
        message = "`server_variables` has no meaning without `server`"
        checker.report(("http", "server_variables"), "bad-server", message, "remove it", key=True)
    elif stated.get("server") and variables is not None and None not in variables.values():
        _server(checker, stated["server"], variables)
    if body := stated.get("body"):
        _body(checker, body)
    is_mistyped = "in" not in stated and not stated.keys() <= http_schema()["properties"].keys()
    if (entries := stated.get("in", {})) is not None and not is_mistyped:
        _places(checker, entries, schema, known, stated)
    if stated.get("encoding"):
        _encoding(checker, stated["encoding"], stated)
    written = [*(stated.get("in") or {}).values(), *(stated.get("encoding") or {}).values()]
    if "arrays" in stated and not any(
        isinstance(each, dict) and each.get("style") == "deepObject" for each in written
    ):
        message = "`arrays` is for values of the style `deepObject`, and none has it"
        checker.report(("http", "arrays"), "bad-style", message, "remove it", key=True)
    schemes = stated.get("schemes") or {}
    for name, scheme in schemes.items():
        _scheme(checker, ("http", "schemes", name), scheme or {})
    _security(checker, stated.get("security") or (), schemes)


def _path(checker: SpecChecker, path: str) -> None:
    """Check a path of this server alone: no query, no other host, no way up."""
    rest = TEMPLATE.sub("x", path)
    problem = ""
    if path.startswith("//"):
        problem = "must begin with one `/`"
    elif len(path) > _LONGEST:
        problem = f"is longer than {_LONGEST} characters"
    elif any(sign in rest for sign in "?#\\"):
        problem = "must have no `?`, `#` or `\\`: parameters of the query go into `in`"
    elif "{" in rest or "}" in rest:
        problem = "has a `{` or `}` that is no part of a {name}"
    elif any(not sign.isprintable() or sign.isspace() for sign in path):
        problem = "must have no space and no invisible character; a space is `%20`"
    elif re.search("%(?![0-9A-Fa-f]{2})", rest):
        problem = "has a `%` that begins no escape; the sign itself is `%25`"
    elif any(segment.lower().replace("%2e", ".") in (".", "..") for segment in rest.split("/")):
        problem = "must have no `.` or `..` between slashes"
    if problem:
        checker.report(("http", "path"), "bad-path", f"`path` {problem}", _PATH_HINT)


def _server(checker: SpecChecker, server: str, defaults: Mapping[str, str]) -> None:
    named = set(TEMPLATE.findall(server))
    for name in sorted(named - set(defaults)):
        hint = "add it to `server_variables`, with its default"
        checker.report(("http", "server"), "bad-server", f"{{{name}}} has no default", hint)
    for name in sorted(set(defaults) - named):
        where = ("http", "server_variables", name)
        checker.report(where, "bad-server", f"`server` has no {{{name}}}", "remove it", key=True)
    if named == set(defaults) and (problem := server_problem(filled(server, defaults))):
        checker.report(("http", "server"), "bad-server", f"`server` {problem}", _SERVER_HINT)


def _body(checker: SpecChecker, body: str) -> None:
    if not MEDIA_TYPE.fullmatch(body):
        problem = "is not a media type"
    elif body != body.lower():
        problem = "must be in lower case"
    elif body.startswith("multipart/") and body != MULTIPART:
        problem = "bodies cannot be made"
    else:
        return
    checker.report(("http", "body"), "bad-media-type", f"{quoted(body)} {problem}", _MEDIA_TYPE_HINT)


def _encoding(checker: SpecChecker, entries: JsonMapping, http: JsonMapping) -> None:
    if "body" not in http or http["body"] not in (FORM, MULTIPART, None):
        message = f"`encoding` is for bodies of {FORM} and {MULTIPART}"
        checker.report(("http", "encoding"), "bad-encoding", message, "remove it", key=True)
        return
    properties = _body_properties(http.get("in"))
    for name, options in entries.items():
        path = ("http", "encoding", name)
        if properties is not None and name not in properties:
            hint, _ = checker.suggest(name, properties, "its properties are")
            message = f"the body has no property {quoted(name)}"
            checker.report(path, "bad-encoding", message, hint, key=True)
        text = (options or {}).get("content_type") or "*/*"
        types = [each.strip().replace("/*", "/x") for each in text.split(",")]
        if not all(each == "*/x" or MEDIA_TYPE.fullmatch(each) for each in types):
            message = f"{quoted(text)} is no list of media types"
            checker.report((*path, "content_type"), "bad-encoding", message, "write one, such as image/png")


def _body_properties(entries: JsonMapping | None) -> frozenset[str] | None:
    """Return the names of a body's properties; None where one parameter is the body, or places are wrong."""
    found: set[str] = set()
    for name, place in (entries or {}).items():
        long = {"in": place} if isinstance(place, str) else place
        if long is None or (long.get("in") == "body" and long.get("whole")):
            return None
        if long.get("in") == "body":
            found.add(long.get("name") or name)
    return frozenset(found)


def _scheme(checker: SpecChecker, path: tuple[str, ...], scheme: JsonMapping) -> None:
    kind, name = scheme.get("type"), scheme.get("name")
    if kind == "http" and not TOKEN.fullmatch(scheme.get("scheme") or ""):
        hint = "write `scheme: bearer`, `scheme: basic` or another of HTTP's"
        checker.report((*path, "scheme"), "bad-security", "`scheme` must be HTTP's name of it", hint)
    if kind != "apiKey":
        return
    place = scheme.get("in")
    if "in" not in scheme:
        checker.report((*path, "in"), "bad-security", "`in` must be a place", f"write {choices(KEY_PLACES)}")
    if "name" not in scheme:
        checker.report((*path, "name"), "bad-security", "`name` must be the key's name there", "write it")
    elif name and place in ("header", "cookie") and not TOKEN.fullmatch(name):
        checker.report((*path, "name"), "bad-security", f"{quoted(name)} is no name of a {place}")
    elif name and place == "header" and name.lower() in FRAMING:
        checker.report((*path, "name"), "bad-security", f"no key goes into the header {quoted(name)}")


def _security(checker: SpecChecker, alternatives: Sequence[Any], schemes: JsonMapping) -> None:
    for index, alternative in enumerate(alternatives):
        for name in alternative or ():
            if name not in schemes:
                hint = (
                    checker.suggest(name, list(schemes), "the schemes are")[0] if schemes else "add it there"
                )
                where = ("http", "security", index, name)
                checker.report(where, "bad-security", f"`schemes` has no {quoted(name)}", hint, key=True)


_BODY_ONLY: Final = ("whole", "binary")
_NOT_BODY: Final = ("style", "explode", "allow_reserved", "content")
_LONGEST_NAME: Final = 256
_MOST_NAMED: Final = 20


def _places(
    checker: SpecChecker,
    entries: JsonMapping,
    schema: Any,
    known: frozenset[str] | None,
    http: JsonMapping,
) -> None:
    if known is None:
        message = "which parameters there are cannot be told where `parameters` is composed at its root"
        checker.report(("http", "in"), "unknown-parameter", message, "write `properties` there plainly")
        return
    found = {name: place for name in entries if (place := _place(checker, name, entries[name], known))}
    if missing := sorted(known - set(entries)):
        names = ", ".join(quoted(name) for name in missing[:_MOST_NAMED])
        more = f" and {len(missing) - _MOST_NAMED} more" if len(missing) > _MOST_NAMED else ""
        message = f"parameters have no place in the request: {names}{more}"
        checker.report(("http", "in"), "missing-place", message, f"add them to `in`; for each {_PLACE_HINT}")
    _check_targets(checker, found)
    if isinstance(path := http.get("path"), str):
        _check_path(checker, found, schema, set(TEMPLATE.findall(path)))
    _check_body(checker, found, schema, http.get("body"))


def _place(checker: SpecChecker, name: str, value: Any, known: frozenset[str]) -> JsonObject | None:
    """Return the place of one parameter in its long form, with its name; None with a report."""
    path = ("http", "in", name)
    if name not in known:
        hint = checker.suggest(name, known, "the parameters are")[0] if known else "this tool has none"
        message = f"{quoted(name)} is not a parameter of this tool"
        checker.report(path, "unknown-parameter", message, hint, key=True)
        return None
    written = {"in": value} if isinstance(value, str) else value
    if written is None or (location := written.get("in")) is None:
        return None
    reports = len(checker.found)
    _check_style(checker, path, written, location)
    for key in _NOT_BODY if location == "body" else _BODY_ONLY:
        if key in written:
            message = f"`{key}` has no meaning for {quoted(name)} in the {location}"
            hint = "how properties of a body are written is `http.encoding`" if location == "body" else ""
            checker.report((*path, key), "bad-place", message, hint or "remove it", key=True)
    _check_name(checker, path, written, location)
    return (
        {"name": name, **written} if len(checker.found) == reports and None not in written.values() else None
    )


def _check_style(
    checker: SpecChecker, path: tuple[str | int, ...], written: JsonMapping, location: str
) -> None:
    if location == "body":
        return
    allowed = STYLES[location]
    style = written.get("style") or allowed[0]
    if style not in allowed:
        message = f"{quoted(style)} is no style of a parameter in the {location}"
        checker.report((*path, "style"), "bad-style", message, f"write {choices(allowed)}, or leave it out")
    if style == "deepObject" and written.get("explode") is False:
        message = "`deepObject` always writes each property apart"
        checker.report((*path, "explode"), "bad-style", message, "remove `explode`")
    if "allow_reserved" in written and location != "query":
        message = "`allow_reserved` is for parameters in the query"
        checker.report((*path, "allow_reserved"), "bad-style", message, "remove it", key=True)
    if content := written.get("content"):
        if not is_json(content):
            message = "a parameter's `content` must be a media type of JSON"
            checker.report((*path, "content"), "bad-style", message, "write application/json, or a style")
        for key in ("style", "explode", "allow_reserved"):
            if key in written:
                message = f"`{key}` has no meaning beside `content`: the value is one text"
                checker.report((*path, key), "bad-style", message, "remove one of the two", key=True)


def _check_name(
    checker: SpecChecker, path: tuple[str | int, ...], written: JsonMapping, location: str
) -> None:
    """Check the name in the request: a token in headers and cookies, and no header that no parameter sets."""
    where: tuple[str | int, ...] = (*path, "name") if "name" in written else path
    name = written.get("name", path[-1])
    if name is None:
        return
    if "name" in written and written.get("whole") is True:
        checker.report(where, "bad-place", "the body itself has no name", "remove `name`", key=True)
    elif len(name) > _LONGEST_NAME:
        checker.report(where, "bad-place", f"the name is longer than {_LONGEST_NAME} characters")
    elif location in ("header", "cookie") and not TOKEN.fullmatch(name):
        message = f"{quoted(name)} is no name of a {location}"
        checker.report(where, "bad-place", message, "write letters, digits, `-` and `_`")
    elif location == "header" and name.lower() in RESERVED:
        hint = "leave the parameter out: the program, the body or the connection decides what it holds"
        checker.report(where, "bad-place", f"no parameter sets the header {quoted(name)}", hint)


def _check_targets(checker: SpecChecker, found: Mapping[str, JsonMapping]) -> None:
    """Report two parameters with one place."""
    taken: dict[tuple[str, str], str] = {}
    for name, place in found.items():
        label = place["name"].lower() if place["in"] == "header" else place["name"]
        other = taken.setdefault((place["in"], label), name)
        if other != name and not place.get("whole"):
            message = (
                f"{quoted(other)} and {quoted(name)} have one place, {quoted(label)} in the {place['in']}"
            )
            checker.report(("http", "in", name), "repeated", message, "give one of them another name there")


def _check_path(
    checker: SpecChecker, found: Mapping[str, Mapping[str, object]], schema: object, variables: set[str]
) -> None:
    """Check that the variables of the path are the parameters in it, all of them required."""
    stated = schema.get("required") if isinstance(schema, dict) else None
    required = stated if isinstance(stated, list) else ()
    properties = schema.get("properties", {}) if isinstance(schema, dict) else {}
    for name, place in found.items():
        if place["in"] != "path":
            continue
        if place["name"] not in variables:
            message = f"`http.path` has no {{{place['name']}}} for {quoted(name)}"
            checker.report(("http", "in", name), "bad-place", message, "add it to the path, or say its name")
        defaults = properties.get(name)
        if name not in required and not (isinstance(defaults, dict) and "default" in defaults):
            message = f"{quoted(name)} is part of the path, so it cannot be left out"
            checker.report(("http", "in", name), "bad-place", message, "add it to `required` of `parameters`")
    for variable in sorted(variables - {place["name"] for place in found.values() if place["in"] == "path"}):
        hint = "add its parameter to `in`, with the place `path`"
        checker.report(("http", "path"), "missing-place", f"no parameter fills {{{variable}}}", hint)


def _check_body(
    checker: SpecChecker, found: Mapping[str, Mapping[str, object]], schema: object, body: object
) -> None:
    """Check that a body has a media type, and is one parameter or an object of several."""
    inside = {name: place for name, place in found.items() if place["in"] == "body"}
    whole = [name for name, place in inside.items() if place.get("whole") is True]
    if inside and body is None:
        hint = "add `body: application/json`, or the media type that the API takes"
        checker.report(("http",), "missing-key", "parameters are in the body, and `body` is missing", hint)
    if body is not None and not inside:
        message = "`body` names a media type, and no parameter is in the body"
        checker.report(("http", "body"), "bad-place", message, "remove it, or place a parameter there")
    if whole and len(inside) > 1:
        message = f"{quoted(whole[0])} is the body itself, so no other parameter can be in it"
        checker.report(
            ("http", "in", whole[0]), "bad-place", message, "place them elsewhere, or drop `whole`"
        )
    if not isinstance(body, str):
        return
    if inside and not whole and not (is_json(body) or body in (FORM, MULTIPART)):
        message = f"a body of {quoted(body)} has no properties"
        checker.report(("http", "body"), "bad-place", message, "make one parameter the body: `whole: true`")
    for name, place in inside.items():
        if place.get("binary") is True and (is_json(body) or body == FORM):
            message = f"{quoted(name)} is not sent as bytes: {quoted(body)} is text, so base64 stays as it is"
            checker.report(("http", "in", name, "binary"), "bad-place", message, "remove `binary`", key=True)
    open_object = isinstance(schema, dict) and schema.get("additionalProperties", False) is not False
    if open_object and (whole or not inside):
        message = "further properties that `parameters` allows have no place in the request"
        hint = "write `additionalProperties: false`; they can only be properties of a body"
        checker.report(("parameters", "additionalProperties"), "missing-place", message, hint)
