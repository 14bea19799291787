"""An OpenAPI document → declarations, one for each operation.

Security requirements are no parameters, and are named for the program's own resolver. A `default` is what the
server assumes of an absent value, while a spec's default is sent: a `PATCH` that says nothing of `private`
would say `private: false`. So a default is stated in the description alone.
"""

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

import msgspec
from msgspec import Struct, structs

from ...diagnostics import Diagnostic
from ...http_operation import TEMPLATE, Arrays, filled, server_problem
from ...jsonschema.json_values import JsonMapping, JsonObject
from ...jsonschema.keywords import map_subschemas
from ...permissions import SCOPE
from ...spec.deprecation import described
from ...spec.spec_checker import quoted
from ...spec.tool_spec import Deprecation
from ..declared_tools import Declarations, Declared
from .arguments import body_of, holds_array, object_of, of_parameter, result_of
from .document import (
    MAX_LENGTH,
    MORE,
    OpenApiDocument,
    UnreadableError,
    plain_text,
    read_source,
    resolved,
    shortened,
)
from .operations import EVERYTHING, Operation, Parameter, Selection, names_of, operations, parameters
from .schemas import SchemaConverter

_READING = frozenset({"get", "head", "options", "query"})
_IDEMPOTENT = frozenset({"put", "delete"})
_MAX_TITLE = 100


class OpenApiChoices(Struct, frozen=True, kw_only=True):
    """The wanted operations of a document, whether response schemas become `result`, and how items of arrays
    are named in `deepObject`; None for what is known of the server.
    """

    selection: Selection = EVERYTHING
    results: bool = True
    arrays: Arrays | None = None


NOTHING_CHOSEN = OpenApiChoices()


def read_openapi(source: str, choices: OpenApiChoices = NOTHING_CHOSEN) -> Declarations:
    """Read the operations of a file, or of an address that starts with `http://` or `https://`."""
    document = read_source(source)
    if not isinstance(document, OpenApiDocument):
        return Declarations(tools=(), diagnostics=document)
    return declarations_of(document, choices)


def declarations_of(document: OpenApiDocument, choices: OpenApiChoices = NOTHING_CHOSEN) -> Declarations:
    """Return the operations of a document as declarations. Pure."""
    problems: list[Diagnostic] = []
    found: list[Operation] = []
    for each in operations(document):
        if isinstance(each, UnreadableError):
            problems.append(_diagnostic(document, each))
        else:
            found.append(each)
    if not found and not problems:
        problems.append(_diagnostic(document, _nothing(document)))
    wanted = [pair for pair in zip(found, names_of(found), strict=True) if choices.selection.wants(pair[0])]
    if found and not wanted:
        hint = "see the tags, paths and operation ids of the document"
        error = UnreadableError(("paths",), "openapi-no-operations", "no operation fits the selection", hint)
        problems.append(_diagnostic(document, error))
    tools: list[Declared] = []
    try:
        reader = _Reader(document, choices)
    except UnreadableError as error:
        return Declarations(tools=(), diagnostics=(*problems, _diagnostic(document, error)))
    for operation, name in wanted:
        try:
            tools.append(reader.declared(operation, name))
        except UnreadableError as error:
            label = f"{operation.method.upper()} {operation.template}"
            problems.append(_diagnostic(document, error, label))
    problems += reader.undefined_arrays()
    path = PurePath(document.file)
    inside = path.name if path.is_absolute() else "/".join(part for part in path.parts if part != "..")
    return Declarations(
        tools=tuple(tools),
        diagnostics=tuple(problems),
        kind="openapi",
        label=document.file if document.address else inside,
        present=frozenset(operation.name for operation in found),
    )


def _nothing(document: OpenApiDocument) -> UnreadableError:
    hooks = "webhooks" in document.data
    message = "the document has no operations" + (
        ": `webhooks` are requests that the API sends" if hooks else ""
    )
    return UnreadableError(("paths",), "openapi-no-operations", message, "name a document with `paths`")


class _Reader:
    def __init__(self, document: OpenApiDocument, choices: OpenApiChoices) -> None:
        self._document = document
        self._results = choices.results
        self._arrays = choices.arrays
        self._undefined: list[Operation] = []
        self._requests = SchemaConverter(document, "request")
        self._responses = SchemaConverter(document, "response")
        self._definitions: JsonObject = {}  # those of requests, without defaults

    def declared(self, operation: Operation, name: str) -> Declared:
        """Return the declaration of one operation. Raises UnreadableError."""
        document = self._document
        security = _security_of(document, operation)
        stated, without_place = parameters(document, operation)
        arguments = [of_parameter(each, self._requests) for each in stated if not security.covers(each)]
        body = body_of(document, operation, self._requests)
        schema, places = object_of([*arguments, *body.arguments])
        http: JsonObject = {"method": operation.method, "path": operation.request_path}
        http |= _server_of(document, operation)
        http["in"] = places
        if body.media_type:
            http["body"] = body.media_type
        if body.encoding:
            http["encoding"] = dict(body.encoding)
        styles = [each.options.get("style") for each in arguments]
        styles += [body.encoding.get(each.name, {}).get("style") for each in body.arguments]
        deep = zip((*arguments, *body.arguments), styles, strict=True)
        if any(style == "deepObject" and holds_array(each, self._requests) for each, style in deep):
            arrays = self._arrays or _arrays_of(http)
            if arrays is None:
                self._undefined.append(operation)
            else:
                http["arrays"] = arrays
        if security.alternatives:
            http["security"] = [dict(each) for each in security.alternatives]
            http["schemes"] = {key: dict(scheme) for key, scheme in security.schemes.items()}
        result = result_of(document, operation, self._responses) if self._results else None
        description, cut = _description(operation)
        line, _ = document.locate(operation.path, key=True)
        return Declared(
            name=operation.name,
            spec_name=name,
            description=description,
            parameters=self._without_defaults(schema, operation),
            result=None if result is None else _with_definitions(result, self._responses, operation),
            annotations=_annotations(operation),
            read_only=operation.method in _READING,
            deprecated=operation.data.get("deprecated") is True,
            left_out=(*without_place, *body.left_out, *cut),
            scopes=security.scopes,
            http=http,
            file=document.file,
            line=line,
            location=f"{operation.method.upper()} {operation.template}",
        )

    def undefined_arrays(self) -> list[Diagnostic]:
        """Warn of operations with arrays in `deepObject` whose form nothing defines."""
        if not self._undefined:
            return []
        first, others = self._undefined[0], len(self._undefined) - 1
        who = f"{first.method.upper()} {first.template}{f' and {others} more' if others else ''}"
        message = f"{who}: OpenAPI defines no form of arrays in `deepObject`, so their items repeat the name"
        hint = "see how the API's own clients send them: --arrays indexed, brackets or repeated"
        problem = _diagnostic(self._document, UnreadableError(first.path, "openapi-arrays", message, hint))
        return [structs.replace(problem, severity="warning")]

    def _without_defaults(self, schema: JsonObject, operation: Operation) -> JsonObject:
        """Return parameters with their definitions, which are the same objects for all operations."""
        definitions = self._requests.definitions(schema, operation.path)
        for name in definitions.keys() - self._definitions.keys():
            self._definitions[name] = _without_defaults(definitions[name])
        own = {name: self._definitions[name] for name in definitions}
        return {**_without_defaults(schema), **({"$defs": own} if own else {})}


_SERVICES: Final[Mapping[str, Arrays]] = {
    # stripe 16.1.0 (PyPI), stripe/_encode.py: "Always use indexed format for arrays"
    "stripe.com": "indexed",
    # chargebee 3.29.0 (PyPI), chargebee/util.py, `serialize`: the index of an item ends its name
    "chargebee.com": "indexed",
}
"""Names of items of arrays in forms, by domain, as the official client of each service writes them."""


def _arrays_of(http: JsonMapping) -> Arrays | None:
    host = urlsplit(filled(http.get("server", ""), http.get("server_variables", {}))).hostname or ""
    return next((arrays for name, arrays in _SERVICES.items() if f".{host}".endswith(f".{name}")), None)


def _with_definitions(schema: object, converter: SchemaConverter, operation: Operation) -> object:
    definitions = converter.definitions(schema, operation.path)
    return {**schema, "$defs": definitions} if definitions and isinstance(schema, dict) else schema


def _description(operation: Operation) -> tuple[str, tuple[str, ...]]:
    summary, text = (
        plain_text(value) if isinstance(value := operation.data.get(key), str) else ""
        for key in ("summary", "description")
    )
    head = summary if not summary or summary[-1] in ".!?:" else f"{summary}."
    joined = text if text.casefold().startswith(summary.casefold()) and text else f"{head}\n\n{text}".strip()
    deprecated = operation.data.get("deprecated") is True
    limit = MAX_LENGTH - (len(described("", Deprecation())) if deprecated else 0)
    short = shortened(joined, limit)
    return short, () if short == joined else (f"description beyond {limit} characters",)


def _annotations(operation: Operation) -> JsonObject:
    """Return claims that the method makes about the effect of the operation (RFC 9110, section 9.2)."""
    found: JsonObject = {}
    summary = operation.data.get("summary")
    title = plain_text(summary) if isinstance(summary, str) else ""
    if title and len(title) <= _MAX_TITLE and "\n" not in title:
        found["title"] = title
    if operation.method == "delete":
        found["destructive"] = True
    if operation.method in _IDEMPOTENT:
        found["idempotent"] = True
    return {**found, "open_world": True}


def _diagnostic(document: OpenApiDocument, error: UnreadableError, label: str = "") -> Diagnostic:
    line, column = document.locate(error.path)
    return Diagnostic(
        file=document.file,
        line=line,
        column=column,
        code=error.code,
        message=f"{label}: {error.message}" if label else error.message,
        hint=error.hint,
    )


def _server_of(document: OpenApiDocument, operation: Operation) -> JsonObject:
    """Return the first server of the operation, its path, or the document; none without an address."""
    for owner in (operation.data, operation.item, document.data):
        listed = owner.get("servers")
        if isinstance(listed, list) and listed and isinstance(listed[0], dict):
            return _server(listed[0], document.address)
    return _server({"url": "/"}, document.address) if document.address else {}


def _server(server: JsonObject, base: str) -> JsonObject:
    url = server.get("url")
    if not isinstance(url, str):
        return {}
    try:
        address = (urljoin(base, url) if base else url).rstrip("/")
    except ValueError:
        return {}
    stated = server.get("variables")
    defaults: dict[str, str] = {}
    for name in TEMPLATE.findall(address):
        variable = stated.get(name) if isinstance(stated, dict) else None
        default = variable.get("default") if isinstance(variable, dict) else None
        if isinstance(default, str | int | float) and str(default):
            defaults[name] = str(default)
    if server_problem(filled(address, defaults)):
        return {}
    return {"server": address, **({"server_variables": defaults} if defaults else {})}


_LONGEST: Final = 100
"""Characters of a default that is worth saying."""


def _without_defaults(schema: object) -> Any:
    """Return a copy of a schema with the defaults stated in descriptions, at every depth."""
    if not isinstance(schema, dict):
        return schema
    out = map_subschemas(schema, _without_defaults)
    if "default" in out:
        text = msgspec.json.encode(out.pop("default")).decode()
        told = out.get("description", "")
        lower = told.lower() if isinstance(told, str) else ""
        is_stated = "default" in lower and text.strip('"').lower() in lower
        if isinstance(told, str) and len(text) <= _LONGEST and not is_stated:
            stop = "" if not told or told.endswith((".", "!", "?", ":", MORE)) else "."
            sentence = f"{told}{stop} Default: `{text}`.".strip()
            out["description"] = sentence if len(sentence) <= MAX_LENGTH else told
    return out


_KEPT: Final = ("type", "in", "name", "scheme")
"""Parts of a scheme that a request needs; how credentials are obtained is the program's."""


class _Security(Struct, frozen=True, kw_only=True):
    alternatives: tuple[Mapping[str, object], ...]
    schemes: Mapping[str, JsonMapping]

    @property
    def scopes(self) -> tuple[str, ...]:
        """Return the scopes that each alternative needs, in order; none where alternatives need others."""
        needed = [[each for listed in one.values() for each in _texts(listed)] for one in self.alternatives]
        first = tuple(dict.fromkeys(needed[0])) if needed else ()
        same = all(set(each) == set(first) for each in needed)
        return first if same and all(map(SCOPE.fullmatch, first)) else ()

    def covers(self, parameter: Parameter) -> bool:
        fold = str.lower if parameter.place == "header" else str
        return any(
            scheme.get("type") == "apiKey"
            and scheme.get("in") == parameter.place
            and isinstance(scheme.get("name"), str)
            and fold(scheme["name"]) == fold(parameter.name)
            for scheme in self.schemes.values()
        )


def _texts(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _security_of(document: OpenApiDocument, operation: Operation) -> _Security:
    """Return an operation's requirements; the document's where it states none. Raises UnreadableError."""
    own = "security" in operation.data
    stated: object = (operation.data if own else document.data).get("security", [])
    path = (*operation.path, "security") if own else ("security",)
    components = document.data.get("components")
    found: object = components.get("securitySchemes") if isinstance(components, dict) else None
    known: JsonObject = found if isinstance(found, dict) else {}
    alternatives: list[Mapping[str, object]] = []
    schemes: dict[str, Mapping[str, object]] = {}
    if not isinstance(stated, list):
        raise UnreadableError(path, "openapi-shape", "`security` must be a list", "correct the document")
    for i, alternative in enumerate(stated):
        if not isinstance(alternative, dict):
            message = "a security requirement must be an object"
            raise UnreadableError((*path, i), "openapi-shape", message, "correct the document")
        for name in map(str, alternative):
            if name not in known:
                message = f"the security scheme {quoted(name)} is not in `components.securitySchemes`"
                hint = "add it there, or correct its name"
                raise UnreadableError((*path, i, name), "openapi-security", message, hint)
            scheme, _ = resolved(document.data, known[name], ("components", "securitySchemes", name))
            schemes[name] = {key: scheme[key] for key in _KEPT if key in scheme}
        alternatives.append(alternative)
    return _Security(alternatives=tuple(alternatives), schemes=schemes)
