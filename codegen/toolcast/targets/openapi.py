"""The OpenAPI 3.1 document of tools: one operation each, whose body is the arguments.

The target makes it of specs, and the server of an HTTP API of the registry that it serves.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from msgspec import Struct

from ..jsonschema.json_values import JsonMapping, JsonObject, key
from ..jsonschema.keywords import METADATA, map_subschemas, subschemas
from ..jsonschema.pointers import unescape
from .model import SetModel

FOLDER: Final = "/tools/"
"""The path of every operation: this, and the name of the tool."""
ERRORS: Final[Mapping[int, str]] = {
    400: "The arguments are refused.",
    403: "The policy forbids the call.",
    404: "There is no such tool.",
    415: "The body is not JSON.",
    422: "The tool refuses the call, or could not do it.",
    500: "The tool is at fault.",
    503: "Too many calls run, or the server ends.",
    504: "The tool took too long.",
}
"""The meaning of each status of an error."""
_NO_SCHEMA: Final = frozenset(
    {"$defs", "discriminator", "externalDocs", "nullable", "readOnly", "writeOnly", "xml", "x-python"}
)
"""Keywords that JSON Schema gives no meaning, and OpenAPI one; and what is for Python alone."""
_PLAIN: Final = METADATA | {"type", "properties", "additionalProperties", "$defs"}
"""Keywords with which an object may be empty."""
_TEXT: Final = {"type": "string"}
_PROBLEM: Final = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {**_TEXT, "description": "What happened, and what to change."},
        "violations": {
            "description": "What is wrong with the arguments.",
            "type": "array",
            "items": {
                "type": "object",
                "required": ["path", "message"],
                "properties": {"path": _TEXT, "message": _TEXT},
            },
        },
    },
}
_Owner = tuple[str, str]
"""A tool, empty for what several share, and a definition, or "#parameters" or "#result"."""


class Operation(Struct, frozen=True, kw_only=True):
    """One tool, as it is offered. `parameters` and `result` have the definitions that they refer to."""

    name: str
    group: str
    summary: str
    description: str
    deprecated: bool
    parameters: JsonObject
    result: JsonObject | None
    examples: tuple[Any, ...] = ()
    scopes: tuple[str, ...] = ()

    @property
    def roots(self) -> dict[str, JsonObject]:
        """Return the schemas by the name of their root."""
        result = {} if self.result is None else {"result": self.result}
        return {"parameters": self.parameters, **result}


class About(Struct, frozen=True, kw_only=True):
    """A document's words about its server. `server` is its address, empty where the document is served;
    `bearer`: whether requests need a token.
    """

    title: str
    version: str
    server: str = ""
    bearer: bool = False


def more(model: Mapping[str, SetModel], options: JsonMapping) -> JsonObject:
    """Return the document of the tools that a server carries out."""
    same = ("group", "summary", "description", "parameters", "result", "examples", "scopes")
    operations = [
        Operation(
            name=tool.names.wire,
            deprecated=bool(tool.deprecated),
            **{name: getattr(tool, name) for name in same},
        )
        for tool in model["set"].tools
        if not tool.external
    ]
    return {"document": openapi_document(operations, About(**options))}


def openapi_document(operations: Iterable[Operation], about: About) -> JsonObject:
    """Return the OpenAPI 3.1 document of tools, whose names are unique, in their order."""
    tools = sorted(operations, key=lambda tool: tool.name)
    components = _Components(tools)
    secured = about.bearer or any(tool.scopes for tool in tools)
    problem = {"application/json": {"schema": _reference(components.problem)}}
    return _stated(
        openapi="3.1.0",
        info={"title": about.title, "version": about.version},
        servers=[{"url": about.server}] if about.server else [],
        tags=[{"name": group} for group in sorted({tool.group for tool in tools} - {""})],
        paths={f"{FOLDER}{tool.name}": {"post": _operation(tool, components)} for tool in tools},
        components=_stated(
            schemas=dict(sorted(components.schemas.items())),
            responses={f"{status}": {"description": ERRORS[status], "content": problem} for status in ERRORS},
            securitySchemes={"bearer": {"type": "http", "scheme": "bearer"}} if secured else {},
        ),
        security=[{"bearer": []}] if about.bearer else [],
    )


def _stated(**members: Any) -> JsonObject:
    """Return the members that say something."""
    return {name: value for name, value in members.items() if value or name == "paths"}


def _operation(tool: Operation, components: "_Components") -> JsonObject:
    examples = {f"example_{number}": {"value": each} for number, each in enumerate(tool.examples, 1)}
    arguments = _stated(schema=components.root(tool, "parameters"), examples=examples)
    result = {"description": "The text of the result.", "content": {"text/plain": {"schema": _TEXT}}}
    if tool.result is not None:
        content = {"application/json": {"schema": components.root(tool, "result")}}
        result = {"description": "The result.", "content": content}
    required = bool(tool.parameters.keys() - _PLAIN)
    return _stated(
        operationId=tool.name,
        tags=[tool.group] if tool.group else [],
        summary=tool.summary,
        description=tool.description,
        deprecated=tool.deprecated,
        security=[{"bearer": list(tool.scopes)}] if tool.scopes else [],
        requestBody={"required": required, "content": {"application/json": arguments}},
        responses={
            "200": result,
            **{f"{each}": {"$ref": f"#/components/responses/{each}"} for each in ERRORS},
        },
    )


def _reference(component: str) -> JsonObject:
    return {"$ref": f"#/components/schemas/{component}"}


class _Components:
    """The schemas of all tools, each under a name of its own: `edit_parameters`, `edit_result`; a definition
    that is the same wherever its name occurs keeps it, any other has the tool's before it.

    Names differ in more than case and punctuation, of which generators of clients make nothing.
    """

    def __init__(self, tools: Iterable[Operation]) -> None:
        self.schemas: JsonObject = {}
        self._names: dict[_Owner, str] = {}
        self._taken: set[str] = set()
        self.problem = self._name("tool_error")
        self.schemas[self.problem] = _PROBLEM
        definitions = {
            (tool.name, name): schema
            for tool in tools
            for root in tool.roots.values()
            for name, schema in root.get("$defs", {}).items()
        }
        self._shared = _shared(definitions)
        roots = [(tool.name, f"#{root}") for tool in tools for root in tool.roots]
        own = sorted({self._owner(*each) for each in definitions})
        for owner in (*roots, *own):
            self._names[owner] = self._name("_".join(part.removeprefix("#") for part in owner if part))
        for tool in tools:
            for root, schema in tool.roots.items():
                if not _is_reference(schema):
                    self.schemas[self._names[tool.name, f"#{root}"]] = self._moved(schema, tool.name, root)
                for name, definition in schema.get("$defs", {}).items():
                    component = self._names[self._owner(tool.name, name)]
                    if component not in self.schemas:
                        self.schemas[component] = self._moved(definition, tool.name, root)

    def root(self, tool: Operation, root: str) -> JsonObject:
        """Return a reference to the schema of arguments or results."""
        schema = tool.roots[root]
        if _is_reference(schema):
            made: JsonObject = self._moved(schema, tool.name, root)
            return made
        return _reference(self._names[tool.name, f"#{root}"])

    def _owner(self, tool: str, name: str) -> _Owner:
        return ("" if name in self._shared else tool, name)

    def _name(self, text: str) -> str:
        cleaned = re.sub(r"[^A-Za-z0-9_-]+", "_", text)
        base = cleaned if re.match(r"[A-Za-z_]*[A-Za-z]", cleaned) else f"schema_{cleaned}"
        name, number = base, 1
        while (folded := re.sub(r"[^a-z0-9]", "", name.lower())) in self._taken:
            number += 1
            name = f"{base}_{number}"
        self._taken.add(folded)
        return name

    def _moved(self, schema: Any, tool: str, root: str) -> Any:
        """Copy a schema with references to components. Several generators of clients read no boolean in the
        place of a schema, but for `additionalProperties`.
        """
        if not isinstance(schema, dict):
            return {} if schema else {"not": {}}
        kept = {keyword: value for keyword, value in schema.items() if keyword not in _NO_SCHEMA}
        made = map_subschemas(kept, lambda below: self._moved(below, tool, root))
        if isinstance(others := kept.get("additionalProperties"), bool):
            made["additionalProperties"] = others
        if made.get("default", ...) is None and "null" not in made.get("type", "null"):
            del made["default"]  # it stands for absence, and a default of OpenAPI is a value
        if "$ref" in made:
            name = _defined(made["$ref"])
            owner = (tool, f"#{root}") if name is None else self._owner(tool, name)
            made |= _reference(self._names[owner])
        return made


def _is_reference(schema: JsonObject) -> bool:
    return schema.keys() - {"$defs"} == {"$ref"}


def _defined(reference: str) -> str | None:
    """Return the definition that a reference names; None for that to the root."""
    return None if reference == "#" else unescape(reference.removeprefix("#/$defs/"))


def _shared(definitions: Mapping[_Owner, object]) -> set[str]:
    """Return the names under which all tools have the same schema, and so has all that it refers to."""
    forms: dict[str, set[object]] = {}
    needs: dict[str, set[str | None]] = {}
    for (_, name), schema in definitions.items():
        forms.setdefault(name, set()).add(key(schema))
        needs.setdefault(name, set()).update(_references(schema))
    shared = {name for name, found in forms.items() if len(found) == 1}
    while other := {name for name in shared if needs[name] - shared}:
        shared -= other
    return shared


def _references(schema: object) -> set[str | None]:
    found: set[str | None] = set()
    waiting = [schema]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            found |= {_defined(each["$ref"])} if "$ref" in each else set()
            waiting += [below for _, below in subschemas(each)]
    return found
