"""JSON Schema as Python types for a stub.

    {"type": "object", "properties": {"page": {"type": "integer", "description": "From 1."}}}
    class Query(TypedDict):
     page: NotRequired[int] # From 1.

Types that need a statement (TypedDicts, recursive types) are classes and aliases before what uses them. What
no type expresses is in the comment, as in `typescript_types`.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ..hidden_characters import hidden_offsets
from ..jsonschema.equality import equal
from ..jsonschema.json_types import distinct_types, inferred, types_stated
from ..jsonschema.json_values import has_type
from ..jsonschema.pointers import escape
from .declared_tool import (
    DeclaredTool,
    FreeNames,
    bounds_of_items,
    code,
    compact_json,
    count_of_items,
    described_parameters,
    joined,
    object_members,
    reference_to,
    returns,
    with_definitions_inlined,
)
from .typescript_types import BESIDE_REFERENCE, MAX_DEPTH, OPEN, TOO_DEEP, type_name

_SCALARS = {"string": "str", "number": "float", "integer": "int", "boolean": "bool", "null": "None"}
_BUILT_IN = frozenset(("list", "dict", "tuple", *_SCALARS.values()))
"""Names of types without an import; a field of that name would hide them in its class."""
_TYPING = ("Any", "Literal", "Never", "NotRequired", "ReadOnly", "TypedDict")
IMPORT = f"from typing_extensions import {', '.join(_TYPING)}"
"""The import of what a declaration may use; `extra_items` of TypedDict is in `typing` since Python 3.15."""
OPEN_CLASS = f"class {OPEN}(TypedDict, extra_items=ReadOnly[Any]): ..."
"""The base of objects that may have any further keys. If those were not read-only, no subclass could require
one."""
RESERVED = frozenset((*keyword.kwlist, *_BUILT_IN, *_TYPING, OPEN))
"""Names that no function and no type of a declaration may have."""
_IDENTIFIER = re.compile(r"(?!__)[A-Za-z_][A-Za-z0-9_]*")


class TypeText(Struct, frozen=True):
    """A type in Python.

    Attributes:
        text: the type, on one line.
        notes: sentences for the comment of what has this type, in their order.
    """

    text: str
    notes: tuple[str, ...] = ()


NEVER = TypeText("Never")
ANY = TypeText("Any")


class Field(Struct, frozen=True):
    """A parameter, or a field of a TypedDict.

    Attributes:
        name: its name.
        required: whether it must be given.
        type: its type.
        default: its default as Python writes it; None where it has none, or none that Python can write here.
        note: its default in words; empty where it has none.
    """

    name: str
    required: bool
    type: TypeText
    default: str | None = None
    note: str = ""


class Types:
    """The types of one module, with the classes and aliases that they need."""

    def __init__(self, free: FreeNames) -> None:
        """`free`: the names of the module; those of classes and aliases are taken from them."""
        self.statements: list[str] = []
        self._free = free
        self._names: dict[str, str] = {}
        self._open = False

    def define(self, definitions: Mapping[str, Any], *, open_objects: bool = False) -> None:
        """Add a statement for each definition; until the next call, references lead to these.

        Args:
            definitions: the `$defs` of a schema.
            open_objects: whether the objects of the schema that do not speak of further keys say that they
                may have any: until the next call, too.
        """
        self._open = open_objects
        references = [reference_to(name) for name in definitions]
        self._names = {one: self._free.take(type_name(one)) for one in references}
        for name, schema in zip(self._names.values(), definitions.values(), strict=True):
            if _has_members(schema) and not isinstance(schema.get("type"), list):
                self._class(name, schema, 0, _described(schema))
            else:
                made = self._type(schema, name, 0)
                self.statements.append(f"{comment(made.notes)}type {name} = {made.text}\n")

    def type_of(self, schema: Any, name: str) -> TypeText:
        """The type of the values that a schema accepts.

        Args:
            schema: a schema of 2020-12, as JSON.
            name: what a class for it is called, if it needs one and the name is free.

        Returns:
            The type, and what its comment has to say.
        """
        return self._type(schema, name, 0)

    def fields(self, schema: Mapping[str, Any], depth: int = 0) -> tuple[list[Field], TypeText | None]:
        """The fields of an object, and the type of the values of its other keys.

        Args:
            schema: the schema of an object.
            depth: how deeply it is nested.

        Returns:
            The fields, and None where there are no other keys.
        """
        properties, required, patterns, others = object_members(schema, is_open=self._open)
        further = self._further(patterns, others, depth)
        made = [
            Field(
                name=name,
                required=name in required,
                type=self._type(one, name, depth + 1),
                default=_default(one),
                note=_default_note(one),
            )
            for name, one in properties.items()
        ]
        return made, further

    def _type(self, schema: Any, name: str, depth: int) -> TypeText:
        if depth > MAX_DEPTH:
            return TypeText("Any", (TOO_DEEP,))
        if schema is False:
            return NEVER
        if not isinstance(schema, Mapping):
            return ANY
        made = self._structure(schema, name, depth)
        return replace(made, notes=(*_described(schema), *made.notes))

    def _structure(self, schema: Mapping[str, Any], name: str, depth: int) -> TypeText:
        if "$ref" in schema:
            rest = {key: value for key, value in schema.items() if key not in BESIDE_REFERENCE}
            notes = (f"Must also match: {compact_json(rest)}.",) if rest else ()
            return TypeText(self._names.get(schema["$ref"], "Any"), notes)
        if "const" in schema or "enum" in schema:
            return self._literals(schema)
        if "type" in schema or inferred(dict(schema)):
            return self._by_type(schema, name, depth)
        for key in ("anyOf", "oneOf"):
            if key in schema:
                return _union([self._type(one, name, depth + 1) for one in schema[key]])
        if "allOf" in schema:  # of a result: parameters have none
            return self._type(schema["allOf"][0], name, depth + 1) if len(schema["allOf"]) == 1 else ANY
        return ANY

    def _literals(self, schema: Mapping[str, Any]) -> TypeText:
        """The values of `const` and `enum` that `type` allows."""
        values = [schema["const"]] if "const" in schema else list(schema["enum"])
        if "const" in schema and "enum" in schema:
            values = [one for one in values if any(equal(one, other) for other in schema["enum"])]
        if "type" in schema:
            values = [one for one in values if has_type(one, types_stated(dict(schema)))]
        values = [int(one) if isinstance(one, float) and one.is_integer() else one for one in values]
        if all(one is None or isinstance(one, (str, int)) for one in values):
            texts = list(dict.fromkeys(literal(one) for one in values if one is not None))
            parts = [f"Literal[{', '.join(texts)}]"] if texts else []
            return TypeText(" | ".join(parts + ["None"] * (None in values)) or "Never")
        kinds = dict.fromkeys(_kind(one) for one in values)
        note = f"Must be one of: {', '.join(map(compact_json, values))}."
        return TypeText(" | ".join(kinds), (note,))

    def _by_type(self, schema: Mapping[str, Any], name: str, depth: int) -> TypeText:
        kinds = types_stated(dict(schema)) if "type" in schema else inferred(dict(schema))
        return _union([self._single(kind, schema, name, depth) for kind in distinct_types(kinds)], flat=True)

    def _single(self, kind: str, schema: Mapping[str, Any], name: str, depth: int) -> TypeText:
        if kind == "array":
            return self._array(schema, name, depth)
        if kind != "object":
            return TypeText(_SCALARS.get(kind, "Any"))
        if _has_members(schema):
            return TypeText(self._class(self._free.take(type_name(f"/{escape(name)}")), schema, depth))
        _, further = self.fields(schema, depth)
        if further is None:
            return TypeText("dict[str, Never]")
        return TypeText(f"dict[str, {further.text}]", _hoisted("Each value", further))

    def _array(self, schema: Mapping[str, Any], name: str, depth: int) -> TypeText:
        (least, most), below = bounds_of_items(schema), schema.get("items", True)
        first = [
            self._type(one, f"{name}_{i}", depth + 1)
            for i, one in enumerate(schema.get("prefixItems", ()), 1)
        ]
        rest = self._type(below, name, depth + 1)
        closed = below is False or (most is not None and most <= len(first))
        notes = [note for i, one in enumerate(first, 1) for note in _hoisted(f"Item {i}", one)]
        if closed and not first:
            return TypeText("list[Never]")
        if first and least >= len(first) and (most is None or most >= len(first)):
            items = [one.text for one in first]
            if not closed:
                items.append(f"*tuple[{rest.text}, ...]")
                beyond = least if least > len(first) else 0
                notes = [count_of_items(beyond, most), *notes, *_hoisted("Each further item", rest)]
            return TypeText(f"tuple[{', '.join(items)}]", tuple(notes))
        if not first:
            return TypeText(f"list[{rest.text}]", (count_of_items(least, most), *_hoisted("Each item", rest)))
        # A tuple of fewer items has no type of its own: the comment has the type of each.
        stated = [f"Item {i}: {one.text}." for i, one in enumerate(first, 1)]
        stated.append("No further items." if closed else f"Further items: {rest.text}.")
        item = _union([*first, *([] if closed else [rest])])
        count = count_of_items(least, most)
        return TypeText(f"list[{item.text}]", (count, *stated, *notes, *_hoisted("Each further item", rest)))

    def _further(self, patterns: Mapping[str, Any], others: Any, depth: int) -> TypeText | None:
        """The type of the values of undeclared keys; None where there are none."""
        if not patterns:
            return None if others is None or others is False else self._type(others, "Value", depth + 1)
        found = [(one, self._type(below, "Value", depth + 1)) for one, below in patterns.items()]
        rest = (
            NEVER if others is False else self._type(True if others is None else others, "Value", depth + 1)
        )
        notes = [
            f"For keys that match {code(pattern)}, {one.text}. {joined(one.notes)}".rstrip()
            for pattern, one in found
        ]
        notes += ["No other keys."] if others is False else rest.notes
        made = _union([replace(one, notes=()) for one in (*(one for _, one in found), rest)])
        return TypeText(made.text, tuple(notes))

    def _class(
        self, name: str, schema: Mapping[str, Any], depth: int, described: tuple[str, ...] = ()
    ) -> str:
        """Add a TypedDict; returns its name. `described` is for its comment."""
        place = len(self.statements)
        fields, further = self.fields(schema, depth)
        inner = self.statements[place:]
        del self.statements[place:]
        base = OPEN if further == ANY else "TypedDict"
        extra = "" if further is None else f", extra_items={further.text}"
        notes = [*described, *(_hoisted("Other keys", further) if further is not None else ())]
        rows = [_field(one) for one in fields]
        if any(not _IDENTIFIER.fullmatch(one.name) or one.name in RESERVED for one in fields):
            items = "".join(
                f" {literal(one.name)}: {text},\n" for one, (_, text) in zip(fields, rows, strict=True)
            )
            notes += [
                f"{literal(one.name)}: {joined(said)}"
                for one, (said, _) in zip(fields, rows, strict=True)
                if joined(said)
            ]
            made = f'{name} = TypedDict("{name}", {{\n{items}}}{extra})\n'
        else:
            lines = zip(fields, rows, strict=True)
            body = "".join(_annotated(f"{one.name}: {text}", said) for one, (said, text) in lines)
            made = f"class {name}({base}{'' if base == OPEN else extra}):\n{_indented(body)}"
        self.statements += [*inner, comment(notes) + made]
        return name


def comment(sentences: Sequence[str]) -> str:
    """Sentences as a comment, which no text can end.

    Args:
        sentences: what to say; empty ones are left out.

    Returns:
        Whole lines, with their line feeds; empty where there is nothing to say.
    """
    text = joined(sentences)
    # A comment of this form would be read by type checkers, also behind a second `#`: `# type: ignore`,
    # `# pyright: basic`. And `# module` begins a module.
    lines = [
        re.sub(r"(^|#)(\s*)(?=(?:type|pyright|mypy|noqa|module)\b)", r"\1\2- ", line.rstrip())
        for line in text.split("\n")
    ]
    return "".join(f"# {line}".rstrip() + "\n" for line in lines) if text else ""


def _annotated(row: str, sentences: Sequence[str]) -> str:
    """A line with a comment: behind it, or above it where the comment has several lines.

    Args:
        row: the line, without a line feed.
        sentences: what the comment says; empty ones are left out.

    Returns:
        Whole lines, with their line feeds.
    """
    above = comment(sentences)
    return f"{row} {above}" if above.count("\n") == 1 else f"{above}{row}\n"


def literal(value: Any) -> str:
    """A JSON scalar as Python writes it, on one line of visible characters."""
    if not isinstance(value, str):
        return repr(value)
    hidden = frozenset(hidden_offsets(value))
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    letters = (
        escapes.get(one) or (_escaped(ord(one)) if i in hidden else one) for i, one in enumerate(value)
    )
    return f'"{"".join(letters)}"'


def _indented(lines: str) -> str:
    """Lines, each indented by one space, which costs no token of its own; empty ones stay empty."""
    return re.sub(r"^(?=.)", " ", lines, flags=re.MULTILINE)


def _escaped(character: int) -> str:
    return f"\\u{character:04x}" if character < 0x10000 else f"\\U{character:08x}"


def _has_members(schema: Any) -> bool:
    """Whether the objects of a schema have declared keys."""
    if not isinstance(schema, Mapping) or not schema.keys().isdisjoint(
        ("$ref", "enum", "const", "anyOf", "oneOf")
    ):
        return False
    return bool(schema.get("properties") or schema.get("required")) and "object" in schema.get(
        "type", "object"
    )


def _described(schema: Mapping[str, Any]) -> tuple[str, ...]:
    description = schema.get("description")
    return (description,) if isinstance(description, str) and description else ()


def _kind(value: Any) -> str:
    if isinstance(value, Mapping):
        return "dict[str, Any]"
    if isinstance(value, list):
        return "list[Any]"
    return "None" if value is None else type(value).__name__


def _default(schema: Any) -> str | None:
    """The default of a schema, where it is a scalar that the schema's type admits."""
    if not isinstance(schema, Mapping) or "default" not in schema:
        return None
    value = schema["default"]
    if isinstance(value, (list, Mapping)) or not _admits(schema, value):
        return None
    return literal(value)


def _admits(schema: Any, value: Any) -> bool:
    """Whether the Python type of a schema admits a scalar."""
    if (
        not isinstance(schema, Mapping)
        or "$ref" in schema
        or (isinstance(value, float) and value.is_integer())
    ):
        return False
    if "const" in schema or "enum" in schema:
        return any(equal(value, one) for one in schema.get("enum", [schema.get("const")]))
    if "type" in schema:
        return has_type(value, types_stated(dict(schema)))
    return any(_admits(one, value) for one in schema.get("anyOf", ()))


def _default_note(schema: Any) -> str:
    if not isinstance(schema, Mapping) or schema.get("default") is None:
        return ""
    return f"Default: {compact_json(schema['default'])}."


def _field(field: Field) -> tuple[tuple[str, ...], str]:
    """What the comment of a field says, and its type."""
    notes = (*field.type.notes, field.note)
    return notes, field.type.text if field.required else f"NotRequired[{field.type.text}]"


def _hoisted(owner: str, made: TypeText) -> tuple[str, ...]:
    """The notes of a part, for the comment of the whole."""
    said = joined(made.notes)
    return (f"{owner}: {said}",) if said else ()


def _union(branches: Sequence[TypeText], *, flat: bool = False) -> TypeText:
    """Alternatives; `flat`: their notes need not say to which of them they belong."""
    if any(one.text == "Any" and not one.notes for one in branches):
        return ANY
    unique = list({(one.text, one.notes): one for one in branches if one.text != "Never"}.values())
    if len(unique) < 2:
        return unique[0] if unique else NEVER
    text = " | ".join(dict.fromkeys(one.text for one in unique))
    others = [one for one in unique if one.text != "None"]
    if flat or len(others) == 1:
        return TypeText(text, tuple(note for one in unique for note in one.notes))
    return TypeText(text, tuple(note for one in unique for note in _hoisted(one.text, one)))


_TEXT = TypeText("str")
"""The type of a result without a schema."""
WIDTH = 96
"""Characters of the longest signature on one line."""


def declare_function(tool: DeclaredTool, free: FreeNames) -> str:
    """Declare a tool.

    Args:
        tool: the tool.
        free: the names of its module; those of its classes are taken from them.

    Returns:
        Lines of a stub: the classes and aliases that the tool needs, and its function.
    """
    types = Types(free)
    parameters = with_definitions_inlined(tool.parameters)
    types.define(parameters.get("$defs", {}), open_objects=True)
    fields, further = types.fields(parameters) if parameters else ([], None)
    returned = _TEXT
    if tool.result is not None:
        result = with_definitions_inlined(tool.result) if isinstance(tool.result, Mapping) else tool.result
        types.define(result.get("$defs", {}) if isinstance(result, Mapping) else {})
        returned = types.type_of(result, f"{tool.function}_result")
    text = joined((tool.description, *described_parameters(parameters), *returns(returned.notes)))
    head = f"async def {tool.function}({_parameters(fields, further)}) -> {returned.text}:"
    body = f"\n{_indented(_docstring(text))}" if text else " ...\n"
    return "\n".join([*types.statements, head + body])


def _parameters(fields: list[Field], further: TypeText | None) -> str:
    """The parameters between the parentheses of a function."""
    rows = [(_parameter(one), _notes(one)) for one in sorted(fields, key=lambda one: not one.required)]
    if further is not None:
        others = "others"
        while any(one.name == others for one in fields):
            others += "_"
        rows.append((f"**{others}: {further.text}", further.notes))
    line = ", ".join(row for row, _ in rows)
    if not any(comment(notes) for _, notes in rows) and len(line) <= WIDTH:
        return f"*, {line}" if fields else line
    body = "".join(_annotated(f"{row},", notes) for row, notes in rows)
    return "\n" + _indented(f"*,\n{body}" if fields else body)


def _parameter(field: Field) -> str:
    if field.required:
        return f"{field.name}: {field.type.text}"
    return f"{field.name}: {field.type.text} = {'...' if field.default is None else field.default}"


def _notes(field: Field) -> tuple[str, ...]:
    """The comment of a parameter; a default that the signature has is not repeated."""
    stated = not field.required and field.default is not None
    return field.type.notes if stated else (*field.type.notes, field.note)


def _docstring(text: str) -> str:
    escaped = re.sub(r'"(?=""|\Z)', r"\"", text.replace("\\", "\\\\"))
    return f'"""{escaped}"""\n' if "\n" not in escaped else f'"""{escaped}\n"""\n'
