"""For code against the generated Python: handlers read parameters and make results, callers the other way.

A field that is only read may hold fewer types than before, one that is only written more. Handlers and
callers together do both with parameters and with results, so each class is looked at both ways. A type is an
annotation as it is emitted, with its module. It is parsed, never evaluated. Tools that end are removed after
notice, or without.
"""

import ast
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct
from packaging.version import InvalidVersion, Version

from ....console import cut
from ....jsonschema.pointers import escape
from ....languages.python.bindings.render_module import ToolNames
from ....languages.python.structs.module import Roots, module_path, tool_module, type_modules
from ....languages.python.structs.module_model import (
    AliasDefinition,
    ClassDefinition,
    Definition,
    FieldLine,
    Module,
)
from ....languages.python.structs.python_names import class_name
from ....project.core.compiler import tool_names
from ....spec.deprecation import notice, removal_date
from ....spec.tool_spec import Deprecation, ToolSpec
from ..pairs import Context, Pair, PairSide
from ..places import words_changed
from ..rules import RULES, Change


def deprecation(pair: Pair, context: Context) -> tuple[Change, ...]:
    """Return the changes of the notice about a tool's end; of a tool that was removed, one change."""
    if pair.new is None:
        return (removal(pair, context),)
    before = None if pair.old is None else pair.old.tool.deprecated
    after = pair.new.tool.deprecated
    if pair.old is None or before == after:
        return ()
    return tuple(_notice(pair, before, after))


def removal(pair: Pair, context: Context) -> Change:
    """Judge the removal of a tool by the announcement of its notice."""
    assert pair.old is not None
    deprecation = pair.old.tool.deprecated
    name, version = pair.name, context.version
    if deprecation is None:
        message = f"the tool {name} was removed, and was not deprecated before"
        hint = "take it back with `deprecated: {use: …, remove_after: …}`, and remove it later"
        return pair.change("tool-removed", message, old=True, hint=hint)
    if deprecation.remove_after is None:
        message = f"the tool {name} was removed; it was deprecated, and no time was stated"
        return pair.change("tool-removed-unchecked", message, old=True)
    end = deprecation.remove_after
    day = removal_date(deprecation)
    if day is not None:
        passed: bool | None = context.today > day
    else:
        passed = _is_beyond(version, end)
    if passed is None:
        why = "no version of the project is stated" if version is None else f"{version!r} cannot be compared"
        message = f"the tool {name} was removed; whether {end} has passed is not checked: {why}"
        return pair.change("tool-removed-unchecked", message, old=True)
    if passed:
        message = f"the deprecated tool {name} was removed, after {end} as announced"
        return pair.change("tool-removed-in-time", message, old=True)
    message = f"the tool {name} was removed; it was announced to stay until {end}"
    return pair.change("tool-removed-early", message, old=True, hint=f"take it back until {end} has passed")


def _is_beyond(version: str | None, end: str) -> bool | None:
    """Return whether a version is later than the last one with the tool; None where that cannot be said."""
    try:
        return None if version is None else Version(version) > Version(end)
    except InvalidVersion:
        return None


def _notice(pair: Pair, before: Deprecation | None, after: Deprecation | None) -> Iterator[Change]:
    if after is None:
        yield pair.change(
            "deprecation-changed", "the tool is no longer deprecated", at=("deprecated",), old=True
        )
        return
    if before is None:
        yield pair.change("deprecated", notice(after), at=("deprecated",))
        return
    if _is_sooner(before.remove_after, after.remove_after):
        message = (
            f"the tool was to stay until {before.remove_after}, and is to stay until {after.remove_after}"
        )
        yield pair.change("removal-sooner", message, at=("deprecated", "remove_after"))
    message = f"the notice of deprecation: {words_changed(notice(before), notice(after))}"
    yield pair.change("deprecation-changed", message, at=("deprecated",))


def _is_sooner(before: str | None, after: str | None) -> bool:
    """Return whether an announced time moved towards the present. A first announcement is no such move."""
    if before is None or after is None or before == after:
        return False
    days = [removal_date(Deprecation(remove_after=each)) for each in (before, after)]
    if days[0] is not None and days[1] is not None:
        return days[1] < days[0]
    if days[0] is not None or days[1] is not None:
        return True
    return _is_beyond(before, after) is not False


_Dotted = tuple[str, ...]
"""A module's path below the output package."""
Name = tuple[_Dotted, str]
"""A definition: the module that holds it, and its name there."""


class Type(Struct, frozen=True):
    """An annotation, and the module whose names it uses."""

    module: _Dotted
    text: str


class EmittedCode(Struct, frozen=True, kw_only=True):
    """The modules of a tool's code: its own, and those of the shared types that it uses."""

    names: ToolNames
    roots: Roots
    definitions: Mapping[Name, Definition]
    imported: Mapping[Name, Name]  # a name in a module → the definition that it stands for

    def home(self, module: _Dotted, name: str) -> Name:
        """Return the definition that a name in a module stands for."""
        return self.imported.get((module, name), (module, name))


def emitted(side: PairSide) -> EmittedCode:
    """Render the modules of a tool in one state."""
    built, names = side.built, tool_names(side.tool)
    module, roots = tool_module(built, name=side.tool.name, module=names.module)
    modules: dict[_Dotted, Module] = {names.module: module}
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
    return EmittedCode(names=names, roots=roots, definitions=definitions, imported=imported)


def _absolute(module: _Dotted, relative: str) -> _Dotted:
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


class _Comparison:
    def __init__(self, old: EmittedCode, new: EmittedCode, renamed: Mapping[Name, Name]) -> None:
        """Map classes of the old state to those that stand for them now by `renamed`."""
        self._sides = {"old": old, "new": new}
        self._renamed = renamed
        self._known: dict[tuple[str, Type, Type], bool] = {}

    def reads(self, old: Type, new: Type) -> bool:
        """Return whether code that takes a value for `old` may be handed one of `new`."""
        return self._within("new", new, "old", old)

    def writes(self, old: Type, new: Type) -> bool:
        """Return whether code that hands over a value of `old` may do so where `new` is wanted."""
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
        self, module: _Dotted, node: ast.Subscript, waiting: list[tuple[_Dotted, ast.expr]]
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


def _encoded_names(definition: ClassDefinition) -> dict[str, str]:
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


_LONGEST = 120  # characters of a type


def code(pair: Pair, context: Context) -> tuple[Change, ...]:
    """Return the changes by which code against a tool's generated Python no longer type-checks; none of a
    list of tools.
    """
    if context.old.listed or context.new.listed:
        return ()
    if pair.old is None:
        if pair.new is not None and pair.new.tool.external:
            return ()
        return (pair.change("handler-needed", "the tool is new: `register_all` wants a handler for it"),)
    if pair.new is None:
        in_time = RULES[removal(pair, context).rule].level != "error"
        rule = "module-removed-in-time" if in_time else "module-removed"
        message = f"the module `{'.'.join(tool_names(pair.old.tool).module)}` is gone"
        return (pair.change(rule, message, old=True),)
    moved = (*_moved(pair), *_execution(pair.old.tool, pair.new.tool, pair))
    if pair.old.built is pair.new.built and not moved:
        return ()
    old, new = emitted(pair.old), emitted(pair.new)
    return (*moved, *_Code(pair, old, new).changes())


def _moved(pair: Pair) -> Iterator[Change]:
    assert pair.old is not None
    assert pair.new is not None
    before, after = (tool_names(each.tool) for each in (pair.old, pair.new))
    if before == after:
        return
    names = [f"`{'.'.join(each.module)}` with `{each.constant}`" for each in (before, after)]
    message = f"the module was {names[0]}, and is {names[1]}"
    at = ("name",) if pair.old.tool.name != pair.new.tool.name else ()
    yield pair.change("module-moved", message, at=at or None)


def _execution(old: ToolSpec, new: ToolSpec, pair: Pair) -> Iterator[Change]:
    if old.external and not new.external:
        message = "the tool is no longer external: `register_all` wants a handler for it"
        yield pair.change(
            "handler-required", message, at=("external",), old="external" not in new.document.data
        )
    elif new.external and not old.external:
        message = "the tool is external now: `register_all` takes no handler for it"
        yield pair.change("handler-refused", message, at=("external",))
    if new.external:
        return
    if new.parallel and not old.parallel:
        message = "its calls ran alone, and may run beside the other calls of an answer now"
        yield pair.change("calls-overlap", message, at=("parallel",), old="parallel" not in new.document.data)
    elif old.parallel and not new.parallel:
        yield pair.change("calls-alone", "its calls run alone now", at=("parallel",))


class _Code:
    def __init__(self, pair: Pair, old: EmittedCode, new: EmittedCode) -> None:
        self.pair = pair
        self.old = old
        self.new = new
        self.renamed = {name: self._name_now(name) for name in old.definitions}
        self.types = _Comparison(old, new, self.renamed)

    def _name_now(self, name: Name) -> Name:
        """Return the name of a definition after its tool alone was renamed or moved."""
        module, own = name
        if module != self.old.names.module:
            return name
        if self.pair.renamed_from and self.pair.new is not None:
            before, after = class_name(self.pair.renamed_from), class_name(self.pair.new.tool.name)
            if own.startswith(before):
                own = after + own[len(before) :]
        return self.new.names.module, own

    def changes(self) -> Iterator[Change]:
        for name, definition in self.old.definitions.items():
            now = self.new.definitions.get(self.renamed[name])
            if isinstance(definition, AliasDefinition):
                if now is None and name == (self.old.names.module, self.old.roots.result):
                    yield self._gone(name, definition, "type")
            elif not isinstance(now, ClassDefinition):
                yield self._gone(name, definition, "class")
            else:
                yield from self._fields(name, definition, now)
        yield from self._result()

    def _gone(self, name: Name, definition: ClassDefinition | AliasDefinition, kind: str) -> Change:
        home = ".".join(name[0])
        elsewhere = [".".join(each[0]) for each in self.new.definitions if each[1] == self.renamed[name][1]]
        message = f"the {kind} `{name[1]}` of `{home}` is gone"
        if self.renamed[name] in self.new.definitions:
            message = f"`{name[1]}` of `{home}` is no class any more"
        elif elsewhere:
            message = f"the {kind} `{name[1]}` of `{home}` is in `{elsewhere[0]}` now"
        return self.pair.change("class-removed", message, pointer=definition.pointer, old=True)

    def _fields(self, name: Name, old: ClassDefinition, new: ClassDefinition) -> Iterator[Change]:
        before, after = ({line.name: line for line in each.fields} for each in (old, new))
        names = (_encoded_names(old), _encoded_names(new))
        renamed = self.pair.renamed_parameters if name[1] == self.old.roots.params else {}
        later = {former: now for now, former in renamed.items()}
        module = self.renamed[name][0]
        for field, line in before.items():
            if field not in after:
                message = f"the field `{field}` of `{name[1]}` is gone"
                if names[0][field] in later:
                    message += f"; its parameter is called `{later[names[0][field]]}` now"
                place = _place(old, names[0][field])
                yield self.pair.change("field-removed", message, pointer=place, old=True)
                continue
            place = _place(new, names[1][field])
            if line.uses or line.annotation != after[field].annotation:
                yield from self._types(
                    f"`{field}` of `{name[1]}`",
                    Type(name[0], line.annotation),
                    Type(module, after[field].annotation),
                    place,
                )
            if line.value and _is_required(after[field]) and not _is_required(line):
                message = f"the field `{field}` of `{name[1]}` has no default any more"
                yield self.pair.change("field-required", message, pointer=place)
        for field, line in after.items():
            if field not in before and _is_required(line):
                message = f"the field `{field}` of `{name[1]}` is new, and has no default"
                yield self.pair.change("field-required", message, pointer=_place(new, names[1][field]))

    def _types(self, what: str, old: Type, new: Type, pointer: str) -> Iterator[Change]:
        was = f"was {cut(old.text, _LONGEST)} and is {cut(new.text, _LONGEST)}"
        if old.text == new.text:
            was = f"is {cut(old.text, _LONGEST)}, and that is another type now"
        if not self.types.reads(old, new):
            message = f"{what} {was}: what reads it may meet further values"
            yield self.pair.change("field-read-type", message, pointer=pointer)
        if not self.types.writes(old, new):
            message = f"{what} {was}: what passes it may pass others"
            yield self.pair.change("field-written-type", message, pointer=pointer)

    def _result(self) -> Iterator[Change]:
        """Yield the change of a handler's result; its module has a name for it, or it is text or nothing."""
        old, new = (_returned(each) for each in (self.old, self.new))
        name = (old.module, self.old.roots.result)
        if name in self.renamed and self.renamed[name] not in self.new.definitions:
            return  # its type is gone
        if not self.types.writes(old, new):
            pointer = "/result" if self.new.roots.result != "None" else ""
            message = f"a handler returned {old.text}, which is not among what it may return now"
            yield self.pair.change("result-type", message, pointer=pointer)


def _returned(emitted: EmittedCode) -> Type:
    """Return the types of a handler's own that it may return; besides, it may return text."""
    name = emitted.roots.result
    return Type(emitted.names.module, "str | None" if name == "None" else f"{name} | str")


def _is_required(line: FieldLine) -> bool:
    if not line.value:
        return True
    return line.value.startswith("msgspec.field(") and "default" not in line.value.partition("name=")[0]


def _place(definition: ClassDefinition, name: str) -> str:
    """Return the contract's place of a field; of its class where it stands for no single property."""
    return f"{definition.pointer}/properties/{escape(name)}"
