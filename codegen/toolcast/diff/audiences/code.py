"""For code against the generated Python: handlers read parameters and make results, callers the other way.

A field that is only read may hold fewer types than before, one that is only written more. Handlers and
callers together do both with parameters and with results, so each class is looked at both ways.
"""

from collections.abc import Iterator

from ...jsonschema.pointers import escape
from ...project.core.tool_entry import names_of
from ...python.structs.module_model import AliasDefinition, ClassDefinition, FieldLine
from ...python.structs.python_names import class_name
from ...spec.tool_spec import ToolSpec
from ..change import Change
from ..emitted_types import Comparison, Emitted, Name, Type, emitted, encoded_names
from ..pairs import Context, Pair
from ..rules import RULES
from ..short_texts import cut
from .ended_tools import removal

_LONGEST = 120  # characters of a type


def code(pair: Pair, context: Context) -> tuple[Change, ...]:
    """What no longer type-checks of code that was written against a tool's generated Python.

    Args:
        pair: the tool in both states.
        context: the states. A list of tools is nothing that code was generated from.

    Returns:
        The changes.
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
        message = f"the module `{'.'.join(names_of(pair.old.tool.name, pair.old.tool.group).module)}` is gone"
        return (pair.change(rule, message, old=True),)
    moved = (*_moved(pair), *_execution(pair.old.tool, pair.new.tool, pair))
    if pair.old.built is pair.new.built and not moved:
        return ()
    old, new = emitted(pair.old), emitted(pair.new)
    return (*moved, *_Code(pair, old, new).changes())


def _moved(pair: Pair) -> Iterator[Change]:
    assert pair.old is not None
    assert pair.new is not None
    before, after = (names_of(each.tool.name, each.tool.group) for each in (pair.old, pair.new))
    if before == after:
        return
    names = [f"`{'.'.join(each.module)}` with `{each.constant}`" for each in (before, after)]
    message = f"the module was {names[0]}, and is {names[1]}"
    at = ("name",) if pair.old.tool.name != pair.new.tool.name else ()
    yield pair.change("module-moved", message, at=at or None)


def _execution(old: ToolSpec, new: ToolSpec, pair: Pair) -> Iterator[Change]:
    """Whether there is a handler, and what runs beside it."""
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
    """Compares the modules of one tool."""

    def __init__(self, pair: Pair, old: Emitted, new: Emitted) -> None:
        self.pair = pair
        self.old = old
        self.new = new
        self.renamed = {name: self._name_now(name) for name in old.definitions}
        self.types = Comparison(old, new, self.renamed)

    def _name_now(self, name: Name) -> Name:
        """What the definition is called where only its tool was renamed or moved."""
        module, own = name
        if module != self.old.names.module:
            return name
        if self.pair.renamed_from and self.pair.new is not None:
            before, after = class_name(self.pair.renamed_from), class_name(self.pair.new.tool.name)
            if own.startswith(before):
                own = after + own[len(before) :]
        return self.new.names.module, own

    def changes(self) -> Iterator[Change]:
        """The changes of every class, and of what a handler returns."""
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
        names = (encoded_names(old), encoded_names(new))
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
        """What a handler returns; its module has a name for it, or it returns text or nothing."""
        old, new = (_returned(each) for each in (self.old, self.new))
        name = (old.module, self.old.roots.result)
        if name in self.renamed and self.renamed[name] not in self.new.definitions:
            return  # its type is gone
        if not self.types.writes(old, new):
            pointer = "/result" if self.new.roots.result != "None" else ""
            message = f"a handler returned {old.text}, which is not among what it may return now"
            yield self.pair.change("result-type", message, pointer=pointer)


def _returned(emitted: Emitted) -> Type:
    """What a handler may return of its own types; besides, it may return text."""
    name = emitted.roots.result
    return Type(emitted.names.module, "str | None" if name == "None" else f"{name} | str")


def _is_required(line: FieldLine) -> bool:
    if not line.value:
        return True
    return line.value.startswith("msgspec.field(") and "default" not in line.value.partition("name=")[0]


def _place(definition: ClassDefinition, name: str) -> str:
    """The contract's place of a field; of its class where it stands for no single property."""
    return f"{definition.pointer}/properties/{escape(name)}"
