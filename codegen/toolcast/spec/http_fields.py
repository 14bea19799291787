"""The rules of the key `http`: the HTTP request that a tool stands for."""

import re
from collections.abc import Mapping
from typing import Any, Final

from ..http.operation import (
    FORM,
    FRAMING,
    MEDIA_TYPE,
    METHODS,
    MULTIPART,
    SCHEME_TYPES,
    STYLES,
    TEMPLATE,
    TOKEN,
    filled,
    server_problem,
)
from .http_places import places, shown
from .reader_problems import quoted
from .spec_checker import SpecChecker, choices, nearest

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
        message = f"{shown(options['style'])} is no style of a property"
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
            message = f"{shown(kind)} is no type of a scheme" if "type" in scheme else "`type` is missing"
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
