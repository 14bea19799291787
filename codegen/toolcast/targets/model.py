"""The model of a tool that the templates of targets read: frozen, and JSON (`toolcast show TOOL --model`).

`VERSION` grows where a name goes or changes its meaning; a new name leaves it as it is.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal

from msgspec import Struct

from ..jsonschema.json_values import JsonMapping, JsonObject

VERSION: Final = 1

Kind = Literal[
    "string", "integer", "number", "boolean", "null", "enum", "array", "tuple", "map", "object", "union",
    "any", "nothing",
]  # fmt: skip


class Names(Struct, frozen=True, kw_only=True):
    """One name in the styles of languages, each with a letter first.

    Attributes:
        wire: the name itself.
        pascal: the name as `PlaceOrder`.
        camel: the name as `placeOrder`.
        snake: the name as `place_order`.
        constant: the name as `PLACE_ORDER`.
    """

    wire: str
    pascal: str
    camel: str
    snake: str
    constant: str


class Type(Struct, frozen=True, kw_only=True):
    """The type of a value, as far as types of most languages go.

    Attributes:
        kind: the kind of its values; `object` is a named type of the tool.
        name: the name of the object type, or of an enum whose members are texts; empty for other kinds.
        nullable: whether null is a value, too.
        element: the type of the items of an array, or of the values of a map.
        branches: the types of the items of a tuple, or of the branches of a union.
        members: the values of an enum.
        names: the names of its members, where those are texts; unique among them.
        format: the format of a string.
    """

    kind: Kind
    name: str = ""
    nullable: bool = False
    element: "Type | None" = None
    branches: tuple["Type", ...] = ()
    members: tuple[Any, ...] = ()
    names: tuple[Names, ...] = ()
    format: str = ""


class Property(Struct, frozen=True, kw_only=True):
    """One property of an object type.

    Attributes:
        names: its name; each style is unique among the properties of the type.
        description: its description; empty without one.
        type: the type of its values.
        required: whether it is never absent.
        has_default: whether the contract states a default.
        default: that default; null without one.
    """

    names: Names
    description: str
    type: Type
    required: bool
    has_default: bool = False
    default: Any = None


class ObjectType(Struct, frozen=True, kw_only=True):
    """One object of a contract, under a name that is unique among those of the tool.

    Attributes:
        name: its name, as `PlaceOrder`.
        description: its description; empty without one.
        properties: its declared properties, in the order of the contract.
        extra: the type of properties that are not declared; None where they are refused or not kept.
        closed: whether properties that are not declared are refused.
    """

    name: str
    description: str
    properties: tuple[Property, ...]
    extra: Type | None = None
    closed: bool = False


class ToolModel(Struct, frozen=True, kw_only=True):
    """One tool.

    Attributes:
        model: the version of the model.
        names: its name in several styles.
        group: the folder of its spec below the specs root, with slashes; empty at the root.
        spec: the path of its spec below the specs root.
        title: its title; its name where none is stated.
        summary: its first sentence, after the notice of a deprecation.
        description: its description, after the notice of a deprecation.
        deprecated: the notice of its deprecation; empty for others.
        permission: read, write, execute or network.
        secrets: the parameters that may carry a reference to a secret.
        scopes: OAuth scopes that its callers must have.
        annotations: the hints about its behaviour that are stated, in MCP's names.
        read_only: whether its permission is read.
        parameters: the JSON Schema of its arguments as models are offered them, with its definitions.
        result: the JSON Schema of its results; null without one.
        takes_text: whether a call has one text instead of arguments.
        injected: parameters that the program fills in, and from where.
        external: whether it has no handler.
        examples: arguments of example calls.
        params: the name of the type of its arguments.
        arguments: the properties of that type.
        returns: the type of its results; null without one.
        types: the object types of arguments and results, inner ones first.
        enums: the enums there whose members are texts.
        icons: its icons, as MCP has them.
        meta: what MCP calls `_meta`.
        module: the dotted Python module below the output package.
        binding: the name of the binding in that module.
        definitions: the tool object of each configured provider; empty in the tools of a set.
    """

    model: int
    names: Names
    group: str
    spec: str
    title: str
    summary: str
    description: str
    deprecated: str
    permission: str
    secrets: tuple[str, ...]
    scopes: tuple[str, ...]
    annotations: JsonObject
    read_only: bool
    parameters: JsonObject
    result: JsonObject | None
    takes_text: bool
    injected: Mapping[str, str]
    external: bool
    examples: tuple[Any, ...]
    params: str
    arguments: tuple[Property, ...]
    returns: Type | None
    types: tuple[ObjectType, ...]
    enums: tuple[Type, ...]
    icons: tuple[JsonObject, ...]
    meta: JsonObject
    module: str
    binding: str
    definitions: JsonMapping = {}


class GroupModel(Struct, frozen=True, kw_only=True):
    """The tools of one group, by name; `name` is empty at the root."""

    name: str
    tools: tuple[ToolModel, ...]


class SetModel(Struct, frozen=True, kw_only=True):
    """All tools of a project that compile.

    Attributes:
        model: the version of the model.
        tools: the tools, by name.
        groups: their groups, sorted.
    """

    model: int
    tools: tuple[ToolModel, ...]
    groups: tuple[str, ...]


class TargetError(Exception):
    """An output of a target that cannot be made; `hint` says what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint
