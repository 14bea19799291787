"""The types that generated modules state, compared as a type checker compares them.

A type is an annotation as it is emitted, with the module that it stands in. It is parsed, never evaluated.
"""

import ast
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from ..project.core.tool_entry import names_of
from ..python.bindings.render_module import ToolNames
from ..python.structs.module import Roots, module_path, tool_module, type_modules
from ..python.structs.module_model import AliasDefinition, ClassDefinition, Definition, Module
from .pairs import Side

Dotted = tuple[str, ...]
"""A module's path below the output package."""
Name = tuple[Dotted, str]
"""A definition: the module that holds it, and its name there."""


class Type(Struct, frozen=True):
    """An annotation, and the module whose names it uses."""

    module: Dotted
    text: str


class Emitted(Struct, frozen=True, kw_only=True):
    """The modules that a tool's code consists of: its own, and those of the shared types that it uses."""

    names: ToolNames
    roots: Roots
    definitions: Mapping[Name, Definition]
    imported: Mapping[Name, Name]  # a name in a module → the definition that it stands for

    def home(self, module: Dotted, name: str) -> Name:
        """The definition that a name in a module stands for."""
        return self.imported.get((module, name), (module, name))


def emitted(side: Side) -> Emitted:
    """The modules of a tool in one state, as they are rendered."""
    built, names = side.built, names_of(side.tool.name, side.tool.group)
    module, roots = tool_module(built, name=side.tool.name, module=names.module)
    modules: dict[Dotted, Module] = {names.module: module}
    for file, each in type_modules(built, built.normal.uses).items():
        modules[module_path(file)] = each
    definitions: dict[Name, Definition] = {}
    imported: dict[Name, Name] = {}
    for dotted, each in modules.items():
        for definition in (*each.definitions, *each.late_definitions):
            definitions[dotted, definition.name] = definition
        for relative, taken in (*each.imports, *each.late_imports):
            home = _absolute(dotted, relative)
            imported.update({(dotted, name): (home, name) for name in taken})
    return Emitted(names=names, roots=roots, definitions=definitions, imported=imported)


def _absolute(module: Dotted, relative: str) -> Dotted:
    """The module that `..a.b` means in `module`."""
    rest = relative.lstrip(".")
    above = len(relative) - len(rest)
    return (*module[: len(module) - above], *filter(None, rest.split(".")))


class _Member(Struct, frozen=True):
    """One type of a union: a word for its kind, what identifies it, and the types inside."""

    kind: str
    value: object = None
    inside: tuple[Type, ...] = ()


_ANY: Final = _Member("Any")
_WIDER: Final[Mapping[str, frozenset[str]]] = {
    "bool": frozenset({"int", "float"}),
    "int": frozenset({"float"}),
}
"""Types that a type checker takes the first for: float takes int, by promotion."""
_INVARIANT: Final = ("list", "dict")


class Comparison:
    """Compares types of one state with types of the other."""

    def __init__(self, old: Emitted, new: Emitted, renamed: Mapping[Name, Name]) -> None:
        """`renamed` maps classes of the old state to those that stand for them now."""
        self._sides = {"old": old, "new": new}
        self._renamed = renamed
        self._known: dict[tuple[str, Type, Type], bool] = {}

    def reads(self, old: Type, new: Type) -> bool:
        """Whether code that takes a value for `old` may be handed one of `new`."""
        return self._within("new", new, "old", old)

    def writes(self, old: Type, new: Type) -> bool:
        """Whether code that hands over a value of `old` may do so where `new` is wanted."""
        return self._within("old", old, "new", new)

    def _within(self, side: str, one: Type, other_side: str, other: Type) -> bool:
        key = (side, one, other)
        if key in self._known:  # also while it is being decided: a type that contains itself
            return self._known[key]
        self._known[key] = True
        before = len(self._known)
        wanted = list(self._members(other_side, other))
        same = {each for each in wanted if each.kind != "class" and not each.inside}
        others = [each for each in wanted if each.kind != "Literal"]  # a Literal fits its equal alone
        found = _ANY in same or all(
            each == _ANY or each in same or any(self._fits(side, each, other_side, rest) for rest in others)
            for each in self._members(side, one)
        )
        if not found:
            for late in list(self._known)[before:]:  # what was decided while this was assumed
                if self._known[late]:
                    del self._known[late]
            self._known[key] = False
        return found

    def _fits(self, side: str, one: _Member, other_side: str, other: _Member) -> bool:
        if one.kind == "Literal":
            kind = type(one.value).__name__
            return other.kind == kind or other.kind in _WIDER.get(kind, ())
        if one.kind != other.kind:
            return other.kind in _WIDER.get(one.kind, ())
        if one.kind == "class":
            return self._now(side, one.value) == self._now(other_side, other.value)
        if one.value != other.value or type(one.value) is not type(other.value):
            return False
        if len(one.inside) != len(other.inside):
            return False
        return all(
            self._within(side, below, other_side, wanted)
            and (one.kind not in _INVARIANT or self._within(other_side, wanted, side, below))
            for below, wanted in zip(one.inside, other.inside, strict=True)
        )

    def _now(self, side: str, name: object) -> object:
        return self._renamed.get(name, name) if side == "old" else name  # type: ignore[call-overload]

    def _members(self, side: str, of: Type) -> Iterator[_Member]:
        """The types of a union; an alias is what it stands for."""
        waiting = [(of.module, ast.parse(of.text, mode="eval").body)]
        visited: set[Name] = set()
        while waiting:
            module, node = waiting.pop()
            if isinstance(node, ast.BinOp):
                waiting += [(module, node.right), (module, node.left)]
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):  # a forward reference
                waiting.append((module, ast.parse(node.value, mode="eval").body))
            elif isinstance(node, ast.Subscript):
                yield from self._subscript(module, node, waiting)
            elif isinstance(node, ast.Name):
                home = self._sides[side].home(module, node.id)
                definition = self._sides[side].definitions.get(home)
                if isinstance(definition, AliasDefinition):
                    if home not in visited:
                        visited.add(home)
                        waiting.append((home[0], ast.parse(definition.text, mode="eval").body))
                elif definition is not None:
                    yield _Member("class", home)
                else:
                    yield _Member(node.id)
            else:  # None, and names of other modules such as datetime.datetime
                yield _Member(ast.unparse(node))

    def _subscript(
        self, module: Dotted, node: ast.Subscript, waiting: list[tuple[Dotted, ast.expr]]
    ) -> Iterator[_Member]:
        kind = ast.unparse(node.value)
        inside = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if kind == "Annotated":
            waiting.append((module, inside[0]))
        elif kind == "Literal":
            for value in inside:
                yield _Member("Literal", ast.literal_eval(value))
        else:
            yield _Member(kind, len(inside), tuple(Type(module, ast.unparse(each)) for each in inside))


def is_alias(definition: Definition | None) -> bool:
    """Whether a definition is a name for a type, and no class."""
    return isinstance(definition, AliasDefinition)


def encoded_names(definition: ClassDefinition) -> dict[str, str]:
    """The Python name of each field → its name in JSON."""
    found: dict[str, str] = {}
    for line in definition.fields:
        found[line.name] = line.name
        if line.value.startswith("msgspec.field("):
            call = ast.parse(line.value, mode="eval").body
            assert isinstance(call, ast.Call)
            for keyword in call.keywords:
                if keyword.arg == "name" and isinstance(keyword.value, ast.Constant):
                    found[line.name] = str(keyword.value.value)
    return found
