"""Make the model of a tool from its spec and contract."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import UNSET
from msgspec.structs import replace

from ..contract.build import Built
from ..contract.tree import (
    Array,
    Boolean,
    Enum,
    Field,
    Map,
    Node,
    Nothing,
    Null,
    Number,
    Object,
    Reference,
    String,
    Tuple,
    Union,
)
from ..jsonschema.json_values import JsonMapping
from ..spec.deprecation import notice, shown_description, shown_summary
from ..spec.tool_spec import ToolSpec
from .model import VERSION, Kind, Names, ObjectType, Property, SetModel, ToolModel, Type


def tool_model(
    tool: ToolSpec, built: Built, module: str, binding: str, definitions: JsonMapping
) -> ToolModel:
    """Make the model of a tool from its spec and contract, which has no errors."""
    assert built.contract is not None
    types = _Types(built.contract.definitions)
    roots = built.contract.roots
    params = types.reference(roots["parameters"], "Params", hidden=frozenset(tool.inject))
    returns = types.reference(roots["result"], "Result") if "result" in roots else None
    result = built.normal.standalone("result") if "result" in roots else None
    return ToolModel(
        model=VERSION,
        names=names_of(tool.name),
        group=tool.group,
        spec=tool.path,
        title=tool.annotations.title or tool.name,
        summary=shown_summary(tool),
        description=shown_description(tool),
        deprecated="" if tool.deprecated is None else notice(tool.deprecated),
        permission=tool.permission,
        secrets=tool.secrets,
        scopes=tool.scopes,
        annotations=tool.hints,
        read_only=tool.permission == "read",
        parameters=built.normal.offered(tool.inject),
        result=result if isinstance(result, dict) else None if result is None else {},
        takes_text=tool.input is not None,
        injected=tool.inject,
        external=tool.external,
        examples=tool.examples,
        params=params.name,
        arguments=next((each.properties for each in types.made if each.name == params.name), ()),
        returns=returns,
        types=tuple(types.made),
        enums=tuple(types.enums.values()),
        icons=tool.icons,
        meta=tool.meta,
        module=module,
        binding=binding,
        definitions=definitions,
    )


def set_model(tools: Iterable[ToolModel]) -> SetModel:
    """Put tools together, sorted by name."""
    ordered = tuple(sorted(tools, key=lambda each: each.names.wire))
    return SetModel(model=VERSION, tools=ordered, groups=tuple(sorted({each.group for each in ordered})))


_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|[0-9]+|[^\W_]+")


def names_of(text: str, taken: set[str] | None = None) -> Names:
    """Write a name in several styles. With `taken`, names in pascal case that are used already, a number is
    added to one of those.
    """
    words = _WORD.findall(unicodedata.normalize("NFKC", text)) or ["value"]
    if not words[0][:1].isalpha():
        words = ["n", *words]
    words = [word.lower() for word in words]
    if taken is not None:
        number, first = 1, words
        while _pascal(words) in taken:  # `a_12` and `a_1_2` are one there, and differ in snake case
            number += 1
            words = [*first, str(number)]
        taken.add(_pascal(words))
    pascal = _pascal(words)
    return Names(
        wire=text,
        pascal=pascal,
        camel=words[0] + _pascal(words[1:]),
        snake="_".join(words),
        constant="_".join(words).upper(),
    )


def _pascal(words: Iterable[str]) -> str:
    return "".join(word[:1].upper() + word[1:] for word in words)


_SCALARS: Final[Mapping[type[Node], Kind]] = {Boolean: "boolean", Null: "null", Nothing: "nothing"}


class _Types:
    """Names the objects and the enums of one contract; `made` has the objects, inner ones first."""

    def __init__(self, definitions: Mapping[str, Node]) -> None:
        self._definitions = definitions
        self._named: dict[str, str] = {}  # pointer of an object → its name
        self._taken: set[str] = set()
        self._open: set[str] = set()  # definitions that are being followed
        self.made: list[ObjectType] = []
        self.enums: dict[str, Type] = {}  # by pointer

    def reference(self, node: Node, name: str, hidden: frozenset[str] = frozenset()) -> Type:
        """Return the type of a node; `name` is that of a new object, `hidden` are properties left out."""
        match node:
            case Object():
                return Type(kind="object", name=self._object(node, name, hidden))
            case Reference():
                return self._definition(node)
            case String():
                return Type(kind="string", format=node.format or "")
            case Number():
                return Type(kind="integer" if node.integer else "number")
            case Enum():
                return self._enum(node, name)
            case Array():
                return Type(kind="array", element=self.reference(node.items, f"{name}_item"))
            case Map():
                return Type(kind="map", element=self.reference(node.values, f"{name}_value"))
            case Tuple():
                branches = (self.reference(each, f"{name}_{at}") for at, each in enumerate(node.items, 1))
                return Type(kind="tuple", branches=tuple(branches))
            case Union():
                return self._union(node, name)
            case _:
                return Type(kind=_SCALARS.get(type(node), "any"))

    def _enum(self, node: Enum, name: str) -> Type:
        if not all(isinstance(each, str) for each in node.values):
            return Type(kind="enum", members=node.values)
        if node.pointer not in self.enums:
            taken: set[str] = set()
            own = names_of(name, self._taken).pascal
            names = tuple(names_of(each, taken) for each in node.values)
            self.enums[node.pointer] = Type(kind="enum", name=own, members=node.values, names=names)
        return self.enums[node.pointer]

    def _union(self, node: Union, name: str) -> Type:
        kept = [each for each in node.branches if not isinstance(each, Null)]
        nullable = len(kept) < len(node.branches)
        if len(kept) == 1:
            only = self.reference(kept[0], name)
            return replace(only, nullable=nullable or only.nullable)
        branches = (self.reference(each, f"{name}_{at}") for at, each in enumerate(kept, 1))
        return Type(kind="union", branches=tuple(branches), nullable=nullable)

    def _definition(self, node: Reference) -> Type:
        if node.name not in self._definitions:
            name = self._named.get(f"/{node.root}")  # of the arguments or results themselves
            return Type(kind="any") if name is None else Type(kind="object", name=name)
        if node.name in self._open and not isinstance(self._definitions[node.name], Object):
            return Type(kind="any")  # a type that is nothing but itself, in several steps
        self._open.add(node.name)
        found = self.reference(self._definitions[node.name], node.name)
        self._open.discard(node.name)
        return found

    def _object(self, node: Object, name: str, hidden: frozenset[str]) -> str:
        if node.pointer in self._named:
            return self._named[node.pointer]
        own = names_of(name, self._taken).pascal
        self._named[node.pointer] = own
        taken: set[str] = set()
        shown = [field for field in node.fields if field.encode_name not in hidden]
        properties = tuple(self._property(field, own, taken) for field in shown)
        extra = None if node.extra is None else self.reference(node.extra, f"{own}_extra")
        self.made.append(
            ObjectType(
                name=own,
                description=node.description,
                properties=properties,
                extra=extra,
                closed=node.closed,
            )
        )
        return own

    def _property(self, field: Field, owner: str, taken: set[str]) -> Property:
        kind = self.reference(field.node, f"{owner}_{field.encode_name}")
        return Property(
            names=names_of(field.encode_name, taken),
            description=field.node.description,
            type=replace(kind, nullable=kind.nullable or field.nullable),
            required=field.required,
            has_default=field.default is not UNSET,
            default=None if field.default is UNSET else field.default,
        )
