"""The rules of the key `http`, the HTTP request that a tool stands for.

Every parameter has one place, and a style of that place.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from ..http.operation import (
    FORM,
    FRAMING,
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
from .reader_problems import quoted
from .spec_checker import SpecChecker, choices, kind_of, nearest

HTTP_KEYS: Final = (
    "method",
    "path",
    "server",
    "server_variables",
    "in",
    "body",
    "encoding",
    "security",
    "schemes",
)
ENCODING_KEYS: Final = ("content_type", "style", "explode", "allow_reserved")
SCHEME_KEYS: Final = ("type", "in", "name", "scheme")
KEY_PLACES: Final = ("header", "query", "cookie")
_SYNONYMS: Final = {
    "requestBody": "body",
    "parameters": "in",
    "servers": "server",
    "securitySchemes": "schemes",
}
_LONGEST: Final = 2_048
_METHOD_HINT: Final = f"write {choices(METHODS)}"
_PATH_HINT: Final = "write it as OpenAPI does: /repos/{owner}/issues"
_SERVER_HINT: Final = "write https://api.example.com/v1, or leave it out and let the program name it"


def http(
    checker: SpecChecker, value: Any, schema: Any, known: frozenset[str] | None
) -> dict[str, Any] | None:
    """Check the key `http`.

    Args:
        checker: gets every problem.
        value: the value of the key.
        schema: that of all parameters.
        known: the top-level parameters; None where the schema must be resolved first.

    Returns:
        The mapping as written; None where it is none.
    """
    entries = checker.mapping(("http",), value)
    if entries is None:
        return None
    suggested = checker.known_keys(("http",), entries, HTTP_KEYS, _SYNONYMS)
    for key, hint in (("method", _METHOD_HINT), ("path", _PATH_HINT)):
        if key not in entries and key not in suggested:
            checker.report(("http",), "missing-key", f"`{key}` is missing", hint)
    if "method" in entries:
        _method(checker, entries["method"])
    if "path" in entries:
        _path(checker, entries["path"])
    if "server" in entries:
        _server(checker, entries["server"], entries.get("server_variables", {}))
    elif "server_variables" in entries:
        message = "`server_variables` has no meaning without `server`"
        checker.report(("http", "server_variables"), "bad-server", message, "remove it", key=True)
    if "body" in entries:
        _body(checker, entries["body"])
    if "in" not in suggested:
        places(checker, entries.get("in", {}), schema, known, entries)
    if "encoding" in entries:
        _encoding(checker, entries["encoding"], entries)
    schemes = _schemes(checker, entries["schemes"]) if "schemes" in entries else {}
    if "security" in entries:
        _security(checker, entries["security"], schemes)
    return entries


def _method(checker: SpecChecker, value: Any) -> None:
    method = checker.text(("http", "method"), value)
    if method is not None and method not in METHODS:
        close = nearest(method, METHODS)
        hint = f"did you mean `{close}`? {_METHOD_HINT}" if close else _METHOD_HINT
        checker.report(("http", "method"), "bad-method", f"{quoted(method)} is no method", hint)


def _path(checker: SpecChecker, value: Any) -> None:
    """A path of this server alone: no query, no other host, no way up."""
    path = checker.text(("http", "path"), value)
    if path is None:
        return
    rest = TEMPLATE.sub("x", path)
    problem = ""
    if not path.startswith("/") or path.startswith("//"):
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


def _server(checker: SpecChecker, value: Any, variables: Any) -> None:
    server = checker.text(("http", "server"), value)
    defaults = checker.mapping(("http", "server_variables"), variables)
    if server is None or defaults is None:
        return
    for name, default in defaults.items():
        if checker.text(("http", "server_variables", name), default) is None:
            return
    named = set(TEMPLATE.findall(server))
    for name in sorted(named - set(defaults)):
        hint = "add it to `server_variables`, with its default"
        checker.report(("http", "server"), "bad-server", f"{{{name}}} has no default", hint)
    for name in sorted(set(defaults) - named):
        where = ("http", "server_variables", name)
        checker.report(where, "bad-server", f"`server` has no {{{name}}}", "remove it", key=True)
    if named == set(defaults) and (problem := server_problem(filled(server, defaults))):
        checker.report(("http", "server"), "bad-server", f"`server` {problem}", _SERVER_HINT)


def _body(checker: SpecChecker, value: Any) -> None:
    body = checker.text(("http", "body"), value)
    if body is None:
        return
    hint = "write a media type without parameters, such as application/json"
    if not MEDIA_TYPE.fullmatch(body):
        checker.report(("http", "body"), "bad-media-type", f"{quoted(body)} is no media type", hint)
    elif body != body.lower():
        checker.report(("http", "body"), "bad-media-type", f"{quoted(body)} must be in lower case", hint)
    elif body.startswith("multipart/") and body != MULTIPART:
        checker.report(("http", "body"), "bad-media-type", f"{quoted(body)} bodies cannot be made", hint)


def _encoding(checker: SpecChecker, value: Any, http: Mapping[str, Any]) -> None:
    entries = checker.mapping(("http", "encoding"), value) or {}
    if entries and http.get("body") not in (FORM, MULTIPART):
        message = f"`encoding` is for bodies of {FORM} and {MULTIPART}"
        checker.report(("http", "encoding"), "bad-encoding", message, "remove it", key=True)
        return
    properties = _body_properties(http.get("in"))
    for name, written in entries.items():
        path = ("http", "encoding", name)
        if properties is not None and name not in properties:
            hint, _ = checker.suggest(name, properties, "its properties are")
            message = f"the body has no property {quoted(name)}"
            checker.report(path, "bad-encoding", message, hint, key=True)
        options = checker.mapping(path, written)
        if options is None:
            continue
        checker.known_keys(
            path, options, ENCODING_KEYS, {"contentType": "content_type", "allowReserved": "allow_reserved"}
        )
        _encoding_options(checker, path, options)


def _encoding_options(checker: SpecChecker, path: tuple[str, ...], options: Mapping[str, Any]) -> None:
    if "content_type" in options and (text := checker.text((*path, "content_type"), options["content_type"])):
        types = [each.strip() for each in text.split(",")]
        if not all(each == "*/*" or MEDIA_TYPE.fullmatch(each.replace("/*", "/x")) for each in types):
            message = f"{quoted(text)} is no list of media types"
            checker.report((*path, "content_type"), "bad-encoding", message, "write one, such as image/png")
    if "style" in options and options["style"] not in STYLES["query"]:
        hint = f"write {choices(STYLES['query'])}"
        message = f"{_shown(options['style'])} is no style of a property"
        checker.report((*path, "style"), "bad-encoding", message, hint)
    for flag in ("explode", "allow_reserved"):
        if flag in options and not isinstance(options[flag], bool):
            checker.wrong_type((*path, flag), options[flag], "true or false")


def _body_properties(entries: Any) -> frozenset[str] | None:
    """The names of a body's properties; None where one parameter is the body, or places are not sound."""
    found: set[str] = set()
    for name, place in entries.items() if isinstance(entries, dict) else ():
        long = place if isinstance(place, dict) else {"in": place}
        if long.get("in") == "body":
            if long.get("whole"):
                return None
            found.add(str(long.get("name", name)))
    return frozenset(found)


def _schemes(checker: SpecChecker, value: Any) -> dict[str, Any]:
    entries = checker.mapping(("http", "schemes"), value) or {}
    for name, written in entries.items():
        path = ("http", "schemes", name)
        scheme = checker.mapping(path, written)
        if scheme is None:
            continue
        checker.known_keys(path, scheme, SCHEME_KEYS, {})
        kind = scheme.get("type")
        if kind not in SCHEME_TYPES:
            hint = f"write `type:` {choices(SCHEME_TYPES)}"
            message = f"{_shown(kind)} is no type of a scheme" if "type" in scheme else "`type` is missing"
            checker.report((*path, "type"), "bad-security", message, hint)
        elif kind == "apiKey":
            _key_scheme(checker, path, scheme)
        elif kind == "http":
            named = scheme.get("scheme")
            if not isinstance(named, str) or not TOKEN.fullmatch(named):
                hint = "write `scheme: bearer`, `scheme: basic` or another of HTTP's"
                checker.report((*path, "scheme"), "bad-security", "`scheme` must be HTTP's name of it", hint)
    return entries


def _key_scheme(checker: SpecChecker, path: tuple[str, ...], scheme: Mapping[str, Any]) -> None:
    place, name = scheme.get("in"), scheme.get("name")
    if place not in KEY_PLACES:
        checker.report((*path, "in"), "bad-security", "`in` must be a place", f"write {choices(KEY_PLACES)}")
    if not isinstance(name, str) or not name.strip():
        checker.report((*path, "name"), "bad-security", "`name` must be the key's name there", "write it")
    elif place in ("header", "cookie") and not TOKEN.fullmatch(name):
        checker.report((*path, "name"), "bad-security", f"{quoted(name)} is no name of a {place}")
    elif place == "header" and name.lower() in FRAMING:
        checker.report((*path, "name"), "bad-security", f"no key goes into the header {quoted(name)}")


def _security(checker: SpecChecker, value: Any, schemes: Mapping[str, Any]) -> None:
    if not isinstance(value, list):
        hint = "write a list of alternatives, such as [{api_key: []}]; [] for none"
        checker.wrong_type(("http", "security"), value, "a list", hint)
        return
    for index, written in enumerate(value):
        path = ("http", "security", index)
        if not isinstance(written, dict):
            checker.report(path, "wrong-type", "an alternative must be a mapping of schemes to scopes")
            continue
        for name, scopes in written.items():
            if name not in schemes:
                hint = (
                    checker.suggest(name, list(schemes), "the schemes are")[0] if schemes else "add it there"
                )
                message = f"`schemes` has no {quoted(name)}"
                checker.report((*path, name), "bad-security", message, hint, key=True)
            if not isinstance(scopes, list) or not all(isinstance(scope, str) for scope in scopes):
                checker.wrong_type((*path, name), scopes, "a list of scopes", "write [] for none")


_PLACE_KEYS: Final = ("in", "name", "style", "explode", "allow_reserved", "content", "whole", "binary")
_FLAGS: Final = ("explode", "allow_reserved", "whole", "binary")
_HINT: Final = "write `path`, `query`, `header`, `cookie` or `body`, or a mapping with `in` and more"
_BODY_ONLY: Final = ("whole", "binary")
_NOT_BODY: Final = ("style", "explode", "allow_reserved", "content")
_LONGEST_NAME: Final = 256
_MOST_NAMED: Final = 20


def places(
    checker: SpecChecker, value: Any, schema: Any, known: frozenset[str] | None, http: Mapping[str, Any]
) -> None:
    """Check `http.in`.

    Args:
        checker: gets every problem.
        value: the mapping as written; {} where there is none.
        schema: that of all parameters.
        known: the top-level parameters; None where the schema must be resolved first.
        http: the whole key.
    """
    entries = checker.mapping(("http", "in"), value)
    if entries is None:
        return
    if known is None:
        message = "which parameters there are cannot be told where `parameters` is composed at its root"
        checker.report(("http", "in"), "unknown-parameter", message, "write `properties` there plainly")
        return
    found = {name: place for name in entries if (place := _place(checker, name, entries[name], known))}
    if missing := sorted(known - set(entries)):
        names = ", ".join(quoted(name) for name in missing[:_MOST_NAMED])
        more = f" and {len(missing) - _MOST_NAMED} more" if len(missing) > _MOST_NAMED else ""
        message = f"parameters have no place in the request: {names}{more}"
        checker.report(("http", "in"), "missing-place", message, f"add them to `in`; for each {_HINT}")
    _check_targets(checker, found)
    if isinstance(path := http.get("path"), str):
        _check_path(checker, found, schema, set(TEMPLATE.findall(path)))
    _check_body(checker, found, schema, http.get("body"))


def _place(checker: SpecChecker, name: str, value: Any, known: frozenset[str]) -> dict[str, Any] | None:
    """The place of one parameter in its long form, with its name; None with a report."""
    path = ("http", "in", name)
    if name not in known:
        hint = checker.suggest(name, known, "the parameters are")[0] if known else "this tool has none"
        message = f"{quoted(name)} is not a parameter of this tool"
        checker.report(path, "unknown-parameter", message, hint, key=True)
        return None
    if not isinstance(value, str | dict):
        checker.wrong_type(path, value, "a place or a mapping", _HINT)
        return None
    written = {"in": value} if isinstance(value, str) else value
    where = path if isinstance(value, str) else (*path, "in")
    reports = len(checker.found)
    checker.known_keys(path, written, _PLACE_KEYS, {"allowReserved": "allow_reserved"})
    location = written.get("in")
    if not isinstance(location, str) or location not in STYLES:
        message = f"{_shown(location)} is no place of a request" if "in" in written else "`in` is missing"
        checker.report(where, "bad-place", message, _HINT)
        return None
    for flag in _FLAGS:
        if flag in written and not isinstance(written[flag], bool):
            checker.wrong_type((*path, flag), written[flag], "true or false")
    _check_style(checker, path, written, location)
    for key in _NOT_BODY if location == "body" else _BODY_ONLY:
        if key in written:
            message = f"`{key}` has no meaning for {quoted(name)} in the {location}"
            hint = "how properties of a body are written is `http.encoding`" if location == "body" else ""
            checker.report((*path, key), "bad-place", message, hint or "remove it", key=True)
    _check_name(checker, path, written, location)
    return {"name": name, **written} if len(checker.found) == reports else None


def _check_style(
    checker: SpecChecker, path: tuple[str | int, ...], written: Mapping[str, Any], location: str
) -> None:
    if location == "body":
        return
    allowed = STYLES[location]
    style = written.get("style", allowed[0])
    if style not in allowed:
        message = f"{_shown(style)} is no style of a parameter in the {location}"
        checker.report((*path, "style"), "bad-style", message, f"write {choices(allowed)}, or leave it out")
    if style == "deepObject" and written.get("explode") is False:
        message = "`deepObject` always writes each property apart"
        checker.report((*path, "explode"), "bad-style", message, "remove `explode`")
    if "allow_reserved" in written and location != "query":
        message = "`allow_reserved` is for parameters in the query"
        checker.report((*path, "allow_reserved"), "bad-style", message, "remove it", key=True)
    if "content" in written:
        content = written["content"]
        if not isinstance(content, str) or not is_json(content):
            message = "a parameter's `content` must be a media type of JSON"
            checker.report((*path, "content"), "bad-style", message, "write application/json, or a style")
        for key in ("style", "explode", "allow_reserved"):
            if key in written:
                message = f"`{key}` has no meaning beside `content`: the value is one text"
                checker.report((*path, key), "bad-style", message, "remove one of the two", key=True)


def _check_name(
    checker: SpecChecker, path: tuple[str | int, ...], written: Mapping[str, Any], location: str
) -> None:
    """The name in the request: of headers and cookies a token, and no header that is not a parameter's."""
    where: tuple[str | int, ...] = (*path, "name") if "name" in written else path
    name = checker.text(where, written["name"]) if "name" in written else str(path[-1])
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


def _check_targets(checker: SpecChecker, found: Mapping[str, Mapping[str, Any]]) -> None:
    """No two parameters go to one place."""
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
    checker: SpecChecker, found: Mapping[str, Mapping[str, Any]], schema: Any, variables: set[str]
) -> None:
    """The variables of the path are the parameters in it, all of them required."""
    required = schema.get("required", ()) if isinstance(schema, dict) else ()
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


def _check_body(checker: SpecChecker, found: Mapping[str, Mapping[str, Any]], schema: Any, body: Any) -> None:
    """A body has a media type, and is one parameter or an object of several."""
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


def _shown(value: Any) -> str:
    """A value that is not allowed, for a message."""
    return quoted(value) if isinstance(value, str) else kind_of(value)
