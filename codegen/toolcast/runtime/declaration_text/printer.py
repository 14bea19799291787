"""Types and functions as a language writes them: one printer, with the syntax of TypeScript and of Python.

    {"type": "object", "properties": {"page": {"type": "integer", "description": "From 1."}}}
    {                                       class Query(TypedDict):
      /** From 1. Integer. */                page: NotRequired[int] # From 1.
      page?: number;
    }

What no type expresses (counts of items, patterns of keys, in TypeScript integers) is in the comment.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from textwrap import dedent
from typing import ClassVar, Literal

from msgspec import UNSET, Struct
from msgspec.structs import replace

from ...hidden_characters import hidden_offsets, without_hidden
from ...jsonschema.json_values import equal, has_type
from .names import OPEN, PYTHON_RESERVED, FreeNames, type_name
from .schema_types import (
    Anything,
    Array,
    Field,
    Intersection,
    Literals,
    Nothing,
    Object,
    Reference,
    Scalar,
    Type,
    Union,
    compact_json,
    read_type,
    reference_to,
)

_WIDTH = 96
"""Characters of the longest object or signature on one line."""


class TypeText(Struct, frozen=True):
    """A type in a language.

    Attributes:
        text: the type. One that begins with a line feed has each alternative on a line of its own.
        notes: sentences for the comment of what has this type, in their order.
        alternatives: whether it is a union or an intersection, which needs parentheses inside other types.
        members: whether it is one object in braces, which an interface may have.
    """

    text: str
    notes: tuple[str, ...] = ()
    alternatives: bool = False
    members: bool = False


class Printer(ABC):
    """The types of one namespace, with the statements that they need.

    Attributes:
        any, never, null, string: how the language writes these types.
        indent: one level of indentation.
        gap: what stands between two statements.
        comment_beside: whether a comment of one line stands behind what it is about, else above.
    """

    any: ClassVar[str]
    never: ClassVar[str]
    null: ClassVar[str]
    string: ClassVar[str]
    indent: ClassVar[str]
    gap: ClassVar[str]
    comment_beside: bool = True

    def __init__(self, free: FreeNames | None = None, names: Mapping[str, str] | None = None) -> None:
        """`free` are the names that types may take, `names` those of types by reference; other references
        lead to any value."""
        self.statements: list[str] = []
        self._free = FreeNames() if free is None else free
        self._names = {} if names is None else names

    def define(self, definitions: Mapping[str, object], *, is_open: bool) -> None:
        """Add a statement for each of `$defs`; until the next call, references lead to these."""
        self._names = {reference_to(name): self._free.take(type_name(name)) for name in definitions}
        for name, schema in zip(self._names.values(), definitions.values(), strict=True):
            self._define(name, read_type(schema, name, is_open=is_open))

    def type(self, of: Type) -> TypeText:
        """Write a type."""
        made = self._type(of)
        return replace(made, notes=(*of.notes, *made.notes)) if of.notes else made

    @abstractmethod
    def comment(self, sentences: Iterable[str]) -> str:
        """Write sentences as a comment, which no text can end: whole lines, or nothing."""

    @abstractmethod
    def parameters(self, of: Type) -> TypeText:
        """Write what stands between the parentheses of a function; the notes are about it as a whole."""

    @abstractmethod
    def function(self, name: str, parameters: str, result: str, said: Sequence[str]) -> str:
        """Write a function with its comment."""

    @abstractmethod
    def _define(self, name: str, of: Type) -> None: ...

    @abstractmethod
    def _literals(self, values: Sequence[object]) -> TypeText: ...

    @abstractmethod
    def _scalar(self, kind: str) -> TypeText: ...

    @abstractmethod
    def _array(self, of: Array) -> TypeText: ...

    @abstractmethod
    def _object(self, of: Object) -> TypeText: ...

    @abstractmethod
    def _intersection(self, of: Intersection) -> TypeText: ...

    def _type(self, of: Type) -> TypeText:
        """A type without its own notes."""
        match of:
            case Nothing():
                return TypeText(self.never)
            case Reference():
                return TypeText(self._names.get(of.reference, self.any))
            case Literals():
                return self._literals(of.values)
            case Scalar():
                return self._scalar(of.kind)
            case Array():
                return self._array(of)
            case Object():
                return self._object(of)
            case Union():
                return self._union([self.type(one) for one in of.branches], by_kind=of.by_kind)
            case Intersection():
                return self._intersection(of)
            case _:
                return TypeText(self.any)

    def _union(self, branches: Sequence[TypeText], *, by_kind: bool = False) -> TypeText:
        if any(one.text == self.any and not one.notes for one in branches):
            return TypeText(self.any)
        unique = list({(one.text, one.notes): one for one in branches if one.text != self.never}.values())
        if len(unique) < 2:
            return unique[0] if unique else TypeText(self.never)
        notes = tuple(note for one in unique for note in one.notes)
        if notes and not by_kind and len([one for one in unique if one.text != self.null]) != 1:
            return self._described_union(unique)
        texts = dict.fromkeys(_parenthesized(one) if "\n" in one.text[:1] else one.text for one in unique)
        return TypeText(" | ".join(texts), notes, alternatives=True)

    @abstractmethod
    def _described_union(self, branches: Sequence[TypeText]) -> TypeText:
        """Alternatives of which several have something to say."""

    def _further(self, of: Object) -> TypeText | None:
        """The type of the values of undeclared keys; None where there are none."""
        if not of.patterns:
            return None if of.others is None else self.type(of.others)
        found = [(pattern, self.type(one)) for pattern, one in of.patterns.items()]
        rest = TypeText(self.never) if of.others is None else self.type(of.others)
        notes = [
            f"For keys that match {_code(pattern)}, {_on_one_line(one.text)}. {joined(one.notes)}".rstrip()
            for pattern, one in found
        ]
        notes += ["No other keys."] if of.others is None else rest.notes
        made = self._union([replace(one, notes=()) for one in (*(one for _, one in found), rest)])
        return replace(made, notes=tuple(notes))

    def _annotated(self, row: str, sentences: Iterable[str]) -> str:
        """Text without a line feed at its end, with a comment beside or above it: whole lines."""
        above = self.comment(sentences)
        if self.comment_beside and above.count("\n") == 1 and "\n" not in row:
            return f"{row} {above}"
        return f"{above}{row}\n"

    def _indented(self, lines: str) -> str:
        return re.sub(r"^(?=.)", self.indent, lines, flags=re.MULTILINE)


class TypeScript(Printer):
    """TypeScript: types that stand where they are used, and functions with one object of arguments.

    A type checker refuses keys that a type does not declare in a literal, and nowhere else. So objects that
    may have any further keys are intersections with `Open` where the schema was read as open; that type is
    for the caller to declare, as `OPEN_ALIAS`.
    """

    any, never, null, string = "unknown", "never", "null", "string"
    indent, gap = "  ", ""

    def __init__(
        self,
        free: FreeNames | None = None,
        names: Mapping[str, str] | None = None,
        *,
        comments: Literal["doc", "line"] = "doc",
        integer: Literal["number", "integer"] = "number",
        top: bool = False,
    ) -> None:
        """Take how types are written. `comments`: `/** … */`, which editors show; or `// …`, which takes
        fewer tokens. `integer`: the type of integers; `number` has a note that it is one, and the caller
        declares `integer`, as `INTEGER_ALIAS`. `top`: functions stand outside of a namespace.
        """
        super().__init__(free, names)
        self.comment_beside = comments == "line"
        self._integer = integer
        self._top = top

    def comment(self, sentences: Iterable[str]) -> str:
        text = joined(sentences)
        if not text:
            return ""
        # `@ts-ignore` at the start of a line is a directive to the compiler.
        lines = [re.sub(r"^([\s/*]*)@", r"\1\\@", line.rstrip()) for line in text.split("\n")]
        if self.comment_beside:
            return "".join(f"// {line}".rstrip() + "\n" for line in lines)
        lines = [line.replace("*/", "*\\/") for line in lines]
        if len(lines) == 1:
            return f"/** {lines[0]} */\n"
        return "/**\n" + "".join(f" * {line}".rstrip() + "\n" for line in lines) + " */\n"

    def declaration(self, name: str, of: Type, start: str = "") -> str:
        """Declare a named type, after `start` (`export `): an interface for an object, else an alias."""
        made = self.type(of)
        body = f"interface {name} {made.text}" if made.members else _after(f"type {name} =", made) + ";"
        return f"{self.comment(made.notes)}{start}{body}\n"

    def parameters(self, of: Type) -> TypeText:
        made = self.type(of)
        text = "" if made.text == _NO_KEYS else _after("args?:" if _may_be_empty(of) else "args:", made)
        return TypeText(text, made.notes)

    def function(self, name: str, parameters: str, result: str, said: Sequence[str]) -> str:
        start = "declare " if self._top else ""
        return f"{self.comment(said)}{start}function {name}({parameters}): Promise<{result}>;\n"

    def _define(self, name: str, of: Type) -> None:
        self.statements.append(self.declaration(name, of))

    def _literals(self, values: Sequence[object]) -> TypeText:
        texts = list(dict.fromkeys(map(typescript_literal, values)))
        return TypeText(" | ".join(texts) or "never", alternatives=len(texts) > 1)

    def _scalar(self, kind: str) -> TypeText:
        if kind == "integer":
            return TypeText(self._integer, (_INTEGER,) if self._integer == "number" else ())
        return TypeText(kind)

    def _array(self, of: Array) -> TypeText:
        first, rest = [self.type(one) for one in of.first], None if of.rest is None else self.type(of.rest)
        beyond = of.least if of.least > len(first) or not first else 0
        notes = [_count_of_items(beyond, None if rest is None else of.most)]
        if rest is not None and not first:
            return TypeText(f"{_parenthesized(rest)}[]", (*notes, *_hoisted("Each item", rest)))
        items = [
            one.text if number < of.least else f"{_parenthesized(one)}?"
            for number, one in enumerate(first[: of.most])
        ]
        notes += [note for number, one in enumerate(first, 1) for note in _hoisted(f"Item {number}", one)]
        if rest is not None:
            items.append(f"...{_parenthesized(rest)}[]")
            notes += _hoisted("Each further item", rest)
        return TypeText(f"[{', '.join(items)}]", tuple(notes))

    def _object(self, of: Object) -> TypeText:
        further = self._further(of)
        if not of.fields:
            return TypeText(_NO_KEYS) if further is None else self._record(further)
        members: list[tuple[str, tuple[str, ...]]] = []
        for field in of.fields:
            made = self.type(field.type)
            start = typescript_key(field.name) + (":" if field.required else "?:")
            members.append((_after(start, made) + ";", made.notes))
        open_to_any = of.is_open and further == TypeText(self.any)
        if further is not None and not open_to_any:
            # An index signature applies to the declared properties, too: its own type stands in the comment.
            known = "" if further.text == self.any or of.patterns else f"{_on_one_line(further.text)}. "
            said = (f"Other keys: {known}{joined(further.notes)}".rstrip(),)
            members.append(("[key: string]: unknown;", said if known or further.notes else ()))
        line = " ".join(row for row, _ in members).removesuffix(";")
        if "\n" not in line and not any(notes for _, notes in members) and len(line) <= _WIDTH:
            braces = f"{{ {line} }}"
        else:
            braces = "{\n" + self._indented("".join(self._annotated(*member) for member in members)) + "}"
        made = TypeText(braces, members=True)
        return TypeText(f"{OPEN} & {braces}", alternatives=True) if open_to_any else made

    def _record(self, further: TypeText) -> TypeText:
        # `type Tree = Record<string, Tree>` would refer to itself in a way that TypeScript refuses.
        notes = _hoisted("Each value", further)
        if set(re.findall(r"\w+", further.text)).isdisjoint(self._names.values()):
            return TypeText(f"Record<string, {further.text}>", notes)
        return TypeText(f"{{ {_after('[key: string]:', further)} }}", notes)

    def _union(self, branches: Sequence[TypeText], *, by_kind: bool = False) -> TypeText:
        made = super()._union(branches, by_kind=by_kind)
        if not by_kind:
            return made
        notes = ("Numbers are integers." if note == _INTEGER else note for note in made.notes)
        return replace(made, notes=tuple(notes))

    def _described_union(self, branches: Sequence[TypeText]) -> TypeText:
        texts = (_parenthesized(one) if one.text.startswith("\n") else one.text for one in branches)
        rows = (
            self._indented(f"{self.comment(one.notes)}| {text}")
            for one, text in zip(branches, texts, strict=True)
        )
        return TypeText("\n" + "\n".join(rows), alternatives=True)

    def _intersection(self, of: Intersection) -> TypeText:
        parts = [self.type(one) for one in of.parts]
        texts = dict.fromkeys(_parenthesized(one) for one in parts if one.text != self.any)
        notes = tuple(note for one in parts for note in one.notes)
        return TypeText(" & ".join(texts) or self.any, notes, alternatives=len(texts) > 1)


_NO_KEYS = "Record<string, never>"
_INTEGER = "Integer."
_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")


def typescript_key(name: str) -> str:
    """Write the key of an object type. `__proto__` is computed: the plain name would set the prototype."""
    if name == "__proto__":
        return '["__proto__"]'
    return name if _IDENTIFIER.fullmatch(name) else compact_json(name)


def typescript_literal(value: object) -> str:
    """Write a JSON value as a literal type on one line of visible characters."""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else str(value)
    if isinstance(value, Mapping):
        members = ", ".join(
            f"{typescript_key(str(key))}: {typescript_literal(item)}" for key, item in value.items()
        )
        return f"{{ {members} }}" if members else _NO_KEYS
    if isinstance(value, list):
        return f"[{', '.join(map(typescript_literal, value))}]"
    return compact_json(value)


def _after(start: str, made: TypeText) -> str:
    return f"{start}{made.text}" if made.text.startswith("\n") else f"{start} {made.text}"


def _parenthesized(made: TypeText) -> str:
    end = "\n" if made.text.startswith("\n") else ""
    return f"({made.text}{end})" if made.alternatives else made.text


def _may_be_empty(of: Type) -> bool:
    match of:
        case Object():
            return not any(field.required for field in of.fields)
        case Union():
            return any(map(_may_be_empty, of.branches))
        case Intersection():
            return all(map(_may_be_empty, of.parts))
        case _:
            return isinstance(of, Anything)


class Python(Printer):
    """Python: types on one line, below the classes and aliases that they use; keyword arguments."""

    any, never, null, string = "Any", "Never", "None", "str"
    indent, gap = " ", "\n"  # a blank costs no token of its own

    def comment(self, sentences: Iterable[str]) -> str:
        text = joined(sentences)
        # A comment of this form would be read by type checkers, also behind a second `#`: `# type: ignore`,
        # `# pyright: basic`. And `# module` begins a module.
        lines = [
            re.sub(r"(^|#)(\s*)(?=(?:type|pyright|mypy|noqa|module)\b)", r"\1\2- ", line.rstrip())
            for line in text.split("\n")
        ]
        return "".join(f"# {line}".rstrip() + "\n" for line in lines) if text else ""

    def parameters(self, of: Type) -> TypeText:
        made = of if isinstance(of, Object) else Object(others=Anything())
        further = self._further(made)
        fields = [(field, self.type(field.type)) for field in made.fields]
        rows = [_parameter(*one) for one in sorted(fields, key=lambda one: not one[0].required)]
        if further is not None:
            others = "others"
            while any(field.name == others for field in made.fields):
                others += "_"
            rows.append((f"**{others}: {further.text}", further.notes))
        line = ", ".join(row for row, _ in rows)
        if not any(self.comment(notes) for _, notes in rows) and len(line) <= _WIDTH:
            return TypeText(f"*, {line}" if fields else line, of.notes)
        body = "".join(self._annotated(f"{row},", notes) for row, notes in rows)
        return TypeText("\n" + self._indented(f"*,\n{body}" if fields else body), of.notes)

    def function(self, name: str, parameters: str, result: str, said: Sequence[str]) -> str:
        text = joined(said)
        body = f"\n{self._indented(_docstring(text))}" if text else " ...\n"
        return f"async def {name}({parameters}) -> {result}:{body}"

    def _define(self, name: str, of: Type) -> None:
        if isinstance(of, Intersection):
            of = replace(of.parts[0], notes=(*of.notes, *of.parts[0].notes))
        if isinstance(of, Object) and of.fields:
            self._class(name, of, of.notes)
        else:
            made = self.type(of)
            self.statements.append(f"{self.comment(made.notes)}type {name} = {made.text}\n")

    def _literals(self, values: Sequence[object]) -> TypeText:
        if all(one is None or isinstance(one, (str, int)) for one in values):
            texts = list(dict.fromkeys(python_literal(one) for one in values if one is not None))
            parts = [f"Literal[{', '.join(texts)}]"] if texts else []
            return TypeText(" | ".join(parts + ["None"] * (None in values)) or "Never")
        kinds: dict[type, str] = {dict: "dict[str, Any]", list: "list[Any]", type(None): "None"}
        names = dict.fromkeys(kinds.get(type(one)) or type(one).__name__ for one in values)
        return TypeText(" | ".join(names), (f"Must be one of: {', '.join(map(compact_json, values))}.",))

    def _scalar(self, kind: str) -> TypeText:
        return TypeText(_SCALARS[kind])

    def _array(self, of: Array) -> TypeText:
        first, rest = [self.type(one) for one in of.first], None if of.rest is None else self.type(of.rest)
        notes = [note for number, one in enumerate(first, 1) for note in _hoisted(f"Item {number}", one)]
        if not first:
            if rest is None:
                return TypeText("list[Never]")
            count = _count_of_items(of.least, of.most)
            return TypeText(f"list[{rest.text}]", (count, *_hoisted("Each item", rest)))
        further = [] if rest is None else [*_hoisted("Each further item", rest)]
        if of.least >= len(first) and (of.most is None or of.most >= len(first)):
            items = [one.text for one in first]
            if rest is not None:
                items.append(f"*tuple[{rest.text}, ...]")
                notes = [_count_of_items(of.least if of.least > len(first) else 0, of.most), *notes]
            return TypeText(f"tuple[{', '.join(items)}]", (*notes, *further))
        # A tuple of fewer items has no type of its own: the comment has the type of each.
        stated = [f"Item {number}: {one.text}." for number, one in enumerate(first, 1)]
        stated.append("No further items." if rest is None else f"Further items: {rest.text}.")
        item = self._union(first if rest is None else [*first, rest])
        count = _count_of_items(of.least, of.most)
        return TypeText(f"list[{item.text}]", (count, *stated, *notes, *further))

    def _object(self, of: Object) -> TypeText:
        if of.fields:
            name = self._free.take(type_name(of.name))
            self._class(name, of)
            return TypeText(name)
        further = self._further(of) or TypeText(self.never)
        return TypeText(f"dict[str, {further.text}]", _hoisted("Each value", further))

    def _described_union(self, branches: Sequence[TypeText]) -> TypeText:
        text = " | ".join(dict.fromkeys(one.text for one in branches))
        return TypeText(text, tuple(note for one in branches for note in _hoisted(one.text, one)))

    def _intersection(self, of: Intersection) -> TypeText:
        return self.type(of.parts[0])  # there is no syntax for more; each part admits every value

    def _class(self, name: str, of: Object, described: tuple[str, ...] = ()) -> None:
        """Add a TypedDict, after the classes that it needs; `described` is for its comment."""
        further = self._further(of)
        base = OPEN if further == TypeText(self.any) else "TypedDict"
        extra = "" if further is None else f", extra_items={further.text}"
        notes = [*described, *(() if further is None else _hoisted("Other keys", further))]
        rows: list[tuple[str, str, tuple[str, ...]]] = []
        for field in of.fields:
            made = self.type(field.type)
            text = made.text if field.required else f"NotRequired[{made.text}]"
            rows.append((field.name, text, (*made.notes, _default_note(field))))
        if all(_PYTHON_NAME.fullmatch(key) and key not in PYTHON_RESERVED for key, _, _ in rows):
            body = "".join(self._annotated(f"{key}: {text}", said) for key, text, said in rows)
            made_class = f"class {name}({base}{'' if base == OPEN else extra}):\n{self._indented(body)}"
        else:
            notes += [f"{python_literal(key)}: {joined(said)}" for key, _, said in rows if joined(said)]
            items = "".join(f" {python_literal(key)}: {text},\n" for key, text, _ in rows)
            made_class = f'{name} = TypedDict("{name}", {{\n{items}}}{extra})\n'
        self.statements.append(self.comment(notes) + made_class)


_SCALARS = {"string": "str", "number": "float", "integer": "int", "boolean": "bool", "null": "None"}
_PYTHON_NAME = re.compile(r"(?!__)[A-Za-z_][A-Za-z0-9_]*")


def python_literal(value: object) -> str:
    """Write a JSON scalar on one line of visible characters."""
    if not isinstance(value, str):
        return repr(value)
    hidden = frozenset(hidden_offsets(value))
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    letters = (
        escapes.get(one) or (_escaped(ord(one)) if i in hidden else one) for i, one in enumerate(value)
    )
    return f'"{"".join(letters)}"'


def _escaped(character: int) -> str:
    return f"\\u{character:04x}" if character < 0x10000 else f"\\U{character:08x}"


def _parameter(field: Field, made: TypeText) -> tuple[str, tuple[str, ...]]:
    """A parameter and its notes, which do not repeat a default that the signature has."""
    if field.required:
        return f"{field.name}: {made.text}", (*made.notes, _default_note(field))
    if _has_default(field.type, field.default):
        return f"{field.name}: {made.text} = {python_literal(field.default)}", made.notes
    return f"{field.name}: {made.text} = ...", (*made.notes, _default_note(field))


def _has_default(of: Type, default: object) -> bool:
    """Tell whether a default is a scalar that the type states."""
    if default is UNSET or (isinstance(default, float) and default.is_integer()):
        return False
    match of:
        case Literals():
            return not isinstance(default, (list, Mapping)) and any(equal(default, one) for one in of.values)
        case Scalar():
            return has_type(default, [of.kind])
        case Union():
            return any(_has_default(one, default) for one in of.branches)
        case _:
            return False


def _default_note(field: Field) -> str:
    return "" if field.default in (UNSET, None) else f"Default: {compact_json(field.default)}."


def _docstring(text: str) -> str:
    escaped = re.sub(r'"(?=""|\Z)', r"\"", text.replace("\\", "\\\\"))
    return f'"""{escaped}"""\n' if "\n" not in escaped else f'"""{escaped}\n"""\n'


_ENDS = (".", "!", "?", ":", ";", "。", "！", "？", "…")


def joined(sentences: Iterable[str]) -> str:
    """Join sentences, each once, to one text without characters that a reader of source code does not see.
    The lines after the first have no indentation in common.
    """
    text = ""
    for sentence in dict.fromkeys(sentences):
        if not sentence or _stands_in(sentence, text):
            continue
        if text:
            text = text.rstrip()
            text += ("" if text.endswith(_ENDS) else ".") + ("\n" if "\n" in text else " ")
        text += sentence
    first, feed, rest = without_hidden(text.replace("\r\n", "\n").replace("\r", "\n")).strip().partition("\n")
    return first + feed + dedent(rest)


def _stands_in(sentence: str, text: str) -> bool:
    """Tell whether a sentence stands in a text, not as the beginning or the end of other words: `Default: 1.`
    is not said by `Default: 1.5`.
    """
    place = text.find(sentence)
    while place >= 0:
        end = place + len(sentence)
        if not f"{text[max(place - 1, 0) : place]}{text[end : end + 1]}".strip():
            return True
        place = text.find(sentence, end)
    return False


def _hoisted(owner: str, made: TypeText) -> tuple[str, ...]:
    """The notes of a part, for the comment of the whole."""
    said = joined(made.notes)
    return (f"{owner}: {said}",) if said else ()


def _count_of_items(least: int, most: int | None) -> str:
    """`Must have 1 to 3 items.`; empty where any number will do."""
    if most is None:
        words = f"at least {least}" if least else ""
    else:
        words = f"exactly {most}" if least == most else f"{least} to {most}" if least else f"at most {most}"
    return f"Must have {words} item{'' if words.endswith(' 1') else 's'}." if words else ""


def _code(pattern: str) -> str:
    plain = pattern.isprintable() and "`" not in pattern
    return f"`{pattern}`" if plain else compact_json(pattern)


def _on_one_line(text: str) -> str:
    return " ".join(text.split()) if "\n" in text else text
