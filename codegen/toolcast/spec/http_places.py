"""The rules of `http.in`: every parameter has one place, and a style that this place has."""

from collections.abc import Mapping
from typing import Any, Final

from ..http.operation import FORM, MULTIPART, RESERVED, STYLES, TEMPLATE, TOKEN, is_json
from .reader_problems import quoted
from .spec_checker import SpecChecker, choices, kind_of

PLACE_KEYS: Final = ("in", "name", "style", "explode", "allow_reserved", "content", "whole", "binary")
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
    checker.known_keys(path, written, PLACE_KEYS, {"allowReserved": "allow_reserved"})
    location = written.get("in")
    if not isinstance(location, str) or location not in STYLES:
        message = f"{shown(location)} is no place of a request" if "in" in written else "`in` is missing"
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
        message = f"{shown(style)} is no style of a parameter in the {location}"
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


def shown(value: Any) -> str:
    """A value that is not allowed, for a message."""
    return quoted(value) if isinstance(value, str) else kind_of(value)
