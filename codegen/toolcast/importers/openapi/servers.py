"""Where requests of an OpenAPI document go, what they are authorised with, and what the server assumes.

Security requirements are kept out of the parameters, and named for the program's own resolver. A `default` in
an OpenAPI document is what the server assumes of a value that is not sent. In a spec it is the value that the
call has then, and a request states it: a `PATCH` that says nothing of `private` would say `private: false`.
So the schema keeps it in its description alone.
"""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urljoin

import msgspec
from msgspec import Struct

from ...http.operation import TEMPLATE, filled, server_problem
from ...jsonschema.subschemas import map_subschemas
from ...spec.reader_problems import quoted
from .document import OpenApiDocument, UnreadableError, resolved
from .operations import Operation, Parameter
from .plain_text import MAX_LENGTH, MORE


def server_of(document: OpenApiDocument, operation: Operation) -> dict[str, Any]:
    """The first server of the operation, of its path, or of the document.

    Args:
        document: the document.
        operation: the operation.

    Returns:
        The spec's `http.server` and `http.server_variables`; nothing where the document states no absolute
        address, so that the program names it. A relative one starts where the document was downloaded from.
    """
    for owner in (operation.data, operation.item, document.data):
        listed = owner.get("servers")
        if isinstance(listed, list) and listed and isinstance(listed[0], dict):
            return _server(listed[0], document.address)
    return _server({"url": "/"}, document.address) if document.address else {}


def _server(server: dict[str, Any], base: str) -> dict[str, Any]:
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


def without_defaults(schema: Any) -> Any:
    """A schema whose defaults are said in descriptions, at every depth.

    Args:
        schema: the schema, which is not changed.

    Returns:
        A copy without `default`.
    """
    if not isinstance(schema, dict):
        return schema
    out = map_subschemas(schema, without_defaults)
    if "default" in out:
        text = msgspec.json.encode(out.pop("default")).decode()
        told = out.get("description", "")
        if isinstance(told, str) and len(text) <= _LONGEST and not _says(told, text):
            stop = "" if not told or told.endswith((".", "!", "?", ":", MORE)) else "."
            sentence = f"{told}{stop} Default: `{text}`.".strip()
            out["description"] = sentence if len(sentence) <= MAX_LENGTH else told
    return out


def _says(description: str, text: str) -> bool:
    """Whether a description has the default already."""
    return "default" in description.lower() and text.strip('"').lower() in description.lower()


_KEPT: Final = ("type", "in", "name", "scheme")
"""What a request needs to know of a scheme; how credentials are obtained is the program's."""


class Security(Struct, frozen=True, kw_only=True):
    """The alternatives of an operation, and the Security Scheme Objects that they name."""

    alternatives: tuple[Mapping[str, Any], ...]
    schemes: Mapping[str, Mapping[str, Any]]

    def covers(self, parameter: Parameter) -> bool:
        """Whether a parameter is the place of an API key."""
        return any(
            scheme.get("type") == "apiKey"
            and scheme.get("in") == parameter.place
            and _same_name(scheme.get("name"), parameter)
            for scheme in self.schemes.values()
        )


def _same_name(name: Any, parameter: Parameter) -> bool:
    if parameter.place == "header" and isinstance(name, str):
        return name.lower() == parameter.name.lower()
    return bool(name == parameter.name)


def security_of(document: OpenApiDocument, operation: Operation) -> Security:
    """What an operation requires; the document's requirements where it states none.

    Raises:
        UnreadableError: `security` is malformed, or names a scheme that the document does not have.
    """
    own = "security" in operation.data
    stated: Any = (operation.data if own else document.data).get("security", [])
    path = (*operation.path, "security") if own else ("security",)
    components = document.data.get("components")
    found: Any = components.get("securitySchemes") if isinstance(components, dict) else None
    known: dict[str, Any] = found if isinstance(found, dict) else {}
    alternatives: list[Mapping[str, Any]] = []
    schemes: dict[str, Mapping[str, Any]] = {}
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
    return Security(alternatives=tuple(alternatives), schemes=schemes)
