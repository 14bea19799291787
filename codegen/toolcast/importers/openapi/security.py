"""Security requirements: kept out of the parameters, and named for the program's own resolver."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from ...spec.reader_problems import quoted
from .document import OpenApiDocument
from .operations import Operation, Parameter
from .problem import UnreadableError
from .references import resolved

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
