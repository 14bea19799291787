"""JSON Schema as TypeScript types.

    {"type": "object", "properties": {"page": {"type": "integer", "description": "From 1."}}}
    {
      /** From 1. Integer. */
      page?: number;
    }

A type accepts every value that the schema accepts. Keywords that constrain values (bounds, patterns) are for
the caller to put into descriptions, as the walk under the profile `typescript` does. What stays in its output
and has no type (counts of items, patterns of keys, integers) is stated in the comment here.

A type checker refuses keys that a type does not declare in a literal, and nowhere else. Where `Scope.open` is
set, objects that may have further keys say so: those with `additionalProperties: true`, and those that do not
speak of them. Without it the latter are read as they are written in TypeScript, which suits values that are
received.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from ..jsonschema.equality import equal
from ..jsonschema.json_types import distinct_types, inferred, types_stated
from ..jsonschema.json_values import has_type
from ..jsonschema.pointers import unescape
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

Comments = Literal["doc", "line"]
"""`/** … */`, which editors show; or `// …`, which takes fewer tokens."""
Integer = Literal["number", "integer"]
"""The type of integers; `integer` is for the caller to declare, as `INTEGER_ALIAS`."""
INTEGER_ALIAS = "type integer = number;"
OPEN = "Open"
OPEN_ALIAS = f"type {OPEN} = {{ [key: string]: unknown }};"
"""What `Scope.open` is for the caller to declare."""
WIDTH = 96
"""Characters of the longest object or union on one line."""
MAX_DEPTH = 96
"""Deepest nesting of schemas, which is also that of the walk; below it, any value is accepted."""
TOO_DEEP = "Nested too deeply to be declared."
IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
SCALARS = {"string": "string", "number": "number", "boolean": "boolean", "null": "null"}
INTEGER = "Integer."
BESIDE_REFERENCE = frozenset(
    ("$ref", "$defs", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly")
)
"""What may stand beside a reference without being a constraint."""


class Scope(Struct, frozen=True):
    """What holds for all types of one declaration.

    Attributes:
        names: names of types by the reference that leads to them, such as `#/$defs/Address`; `#` is the root.
        comments: how descriptions are written.
        integer: the type of integers; where it is `number`, the comment says that it is one.
        open: whether objects that may have any further keys are intersections with `OPEN`, also those that do
            not speak of further keys.
    """

    names: Mapping[str, str] = {}
    comments: Comments = "doc"
    integer: Integer = "number"
    open: bool = False


class TypeText(Struct, frozen=True):
    """A type in TypeScript.

    Attributes:
        text: the type; lines after the first are indented as below a line without indentation. One that
            begins with a line feed has each alternative on a line of its own.
        alternatives: whether it is a union or an intersection, which needs parentheses inside other types.
        members: whether it is one object in braces, which an interface may have.
        notes: sentences for the comment of what has this type, in their order.
    """

    text: str
    alternatives: bool = False
    members: bool = False
    notes: tuple[str, ...] = ()


NEVER = TypeText("never")
UNKNOWN = TypeText("unknown")


def type_of(schema: Any, scope: Scope) -> TypeText:
    """The type of the values that a schema accepts.

    Args:
        schema: a schema of 2020-12, as JSON. References lead to `scope.names`; others accept any value.
        scope: the names of definitions, and the form of comments.

    Returns:
        The type, and what its comment has to say.
    """
    return _type(schema, scope, 0)


def type_declaration(name: str, schema: Any, scope: Scope) -> str:
    """A named type: an interface for an object, else an alias.

    Args:
        name: the name; an identifier.
        schema: its schema.
        scope: the names of definitions, and the form of comments.

    Returns:
        The declaration with its comment, without a line feed at the end.
    """
    made = type_of(schema, scope)
    start = comment(made.notes, scope.comments)
    if made.members:
        return f"{start}interface {name} {made.text}"
    return start + followed(f"type {name} =", made) + ";"


def followed(start: str, made: TypeText) -> str:
    """Text and a type after it, on the same line or on lines of its own."""
    return f"{start}{made.text}" if made.text.startswith("\n") else f"{start} {made.text}"


def comment(sentences: Sequence[str], comments: Comments) -> str:
    """Sentences as a comment, which no text can end.

    Args:
        sentences: what to say; empty ones are left out.
        comments: the form.

    Returns:
        Whole lines, with their line feeds; empty where there is nothing to say.
    """
    text = joined(sentences)
    if not text:
        return ""
    # `@ts-ignore` at the start of a line is a directive to the compiler.
    lines = [re.sub(r"^([\s/*]*)@", r"\1\\@", line.rstrip()) for line in text.split("\n")]
    if comments == "line":
        return "".join(f"// {line}".rstrip() + "\n" for line in lines)
    lines = [line.replace("*/", "*\\/") for line in lines]
    if len(lines) == 1:
        return f"/** {lines[0]} */\n"
    return "/**\n" + "".join(f" * {line}".rstrip() + "\n" for line in lines) + " */\n"


def annotated(row: str, sentences: Sequence[str], comments: Comments) -> str:
    """Text with a comment: above it, or, where both take one line and the form is `//`, behind it.

    Args:
        row: the text, without a line feed at the end.
        sentences: what the comment says; empty ones are left out.
        comments: the form.

    Returns:
        Whole lines, with their line feeds.
    """
    above = comment(sentences, comments)
    if comments == "line" and above.count("\n") == 1 and "\n" not in row:
        return f"{row} {above}"
    return f"{above}{row}\n"


def property_name(name: str) -> str:
    """The name of a property as it is written in a type.

    Args:
        name: any text.

    Returns:
        An identifier, or a string literal. `__proto__` is computed: in an object literal, the plain name
        would set the prototype.
    """
    if name == "__proto__":
        return '["__proto__"]'
    return name if IDENTIFIER.fullmatch(name) else literal(name)


def literal(value: Any) -> str:
    """A JSON value as a literal type.

    Args:
        value: a JSON value.

    Returns:
        One line; characters that a reader does not see are escaped.
    """
    if isinstance(value, str):
        return compact_json(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, Mapping):
        members = ", ".join(f"{property_name(str(key))}: {literal(item)}" for key, item in value.items())
        return f"{{ {members} }}" if members else "Record<string, never>"
    return f"[{', '.join(map(literal, value))}]"


def type_names(references: Iterable[str], taken: Iterable[str] = ()) -> dict[str, str]:
    """Names of types for references to definitions.

    Args:
        references: references such as `#/$defs/postal-address`.
        taken: names that are in use.

    Returns:
        For each reference an identifier that begins with a capital letter; those that would be equal are
        numbered in their order.
    """
    names = FreeNames((*taken, *GLOBAL_TYPES))
    return {reference: names.take(type_name(reference)) for reference in dict.fromkeys(references)}


def type_name(reference: str) -> str:
    """The name that a reference suggests: an identifier that begins with a capital letter."""
    words = re.findall(r"[A-Za-z0-9]+", unescape(reference.rpartition("/")[2]))
    plain = "".join(word[0].upper() + word[1:] for word in words) or "Value"
    return plain if plain[0].isalpha() else f"T{plain}"


GLOBAL_TYPES = frozenset(
    ("Array", "Object", "Promise", "Record", "String", "Number", "Boolean", "Function", OPEN)
)
"""Types of TypeScript that a declaration uses, or whose name would deceive."""


def _type(schema: Any, scope: Scope, depth: int) -> TypeText:
    if depth > MAX_DEPTH:
        return TypeText("unknown", notes=(TOO_DEEP,))
    if schema is False:
        return NEVER
    if not isinstance(schema, Mapping):
        return UNKNOWN
    description = schema.get("description")
    own = (description,) if isinstance(description, str) and description else ()
    made = _structure(schema, scope, depth)
    return replace(made, notes=(*own, *made.notes))


def _structure(schema: Mapping[str, Any], scope: Scope, depth: int) -> TypeText:
    """The type of a schema without its description."""
    if "$ref" in schema:
        rest = {key: value for key, value in schema.items() if key not in BESIDE_REFERENCE}
        notes = (f"Must also match: {compact_json(rest)}.",) if rest else ()
        return TypeText(scope.names.get(schema["$ref"], "unknown"), notes=notes)
    if "const" in schema or "enum" in schema:
        return _literals(schema)
    parts = [_by_type(schema, scope, depth)] if "type" in schema or inferred(dict(schema)) else []
    for key in ("anyOf", "oneOf"):
        if key in schema:
            parts.append(_union([_type(one, scope, depth + 1) for one in schema[key]], scope))
    parts += [_type(one, scope, depth + 1) for one in schema.get("allOf", ())]
    return _intersection(parts)


def _literals(schema: Mapping[str, Any]) -> TypeText:
    """The values of `const` and `enum` that `type` allows."""
    values = [schema["const"]] if "const" in schema else list(schema["enum"])
    if "const" in schema and "enum" in schema:
        values = [one for one in values if any(equal(one, other) for other in schema["enum"])]
    if "type" in schema:
        values = [one for one in values if has_type(one, types_stated(dict(schema)))]
    texts = list(dict.fromkeys(map(literal, values)))
    return TypeText(" | ".join(texts) or "never", len(texts) > 1)


def _by_type(schema: Mapping[str, Any], scope: Scope, depth: int) -> TypeText:
    """The type by `type`, or by the keywords that apply to one."""
    kinds = types_stated(dict(schema)) if "type" in schema else inferred(dict(schema))
    made = [_single(kind, schema, scope, depth) for kind in distinct_types(kinds)]
    if len(made) == 1:
        return made[0]
    notes = tuple(note for one in made for note in one.notes)
    if "integer" in kinds and "number" not in kinds:
        notes = tuple("Numbers are integers." if note == INTEGER else note for note in notes)
    return TypeText(" | ".join(one.text for one in made) or "never", True, notes=notes)


def _single(kind: str, schema: Mapping[str, Any], scope: Scope, depth: int) -> TypeText:
    if kind == "array":
        return _array(schema, scope, depth)
    if kind == "object":
        return _object(schema, scope, depth)
    if kind == "integer":
        return TypeText(scope.integer, notes=(INTEGER,) if scope.integer == "number" else ())
    return TypeText(SCALARS.get(kind, "unknown"))


def _array(schema: Mapping[str, Any], scope: Scope, depth: int) -> TypeText:
    (least, most), below = bounds_of_items(schema), schema.get("items", True)
    first = [_type(one, scope, depth + 1) for one in schema.get("prefixItems", ())]
    rest = _type(below, scope, depth + 1)
    closed = below is False or (most is not None and most <= len(first))
    beyond = least if least > len(first) or not first else 0
    notes = [count_of_items(beyond, None if closed else most)]
    for i, one in enumerate(first, 1):
        notes += _hoisted(f"Item {i}", one)
    if not first and not closed:
        return TypeText(f"{_operand(rest)}[]", notes=(*notes, *_hoisted("Each item", rest)))
    items = [
        one.text if i < least else f"{_operand(one)}?"
        for i, one in enumerate(first[: len(first) if most is None else most])
    ]
    if not closed:
        items.append(f"...{_operand(rest)}[]")
        notes += _hoisted("Each further item", rest)
    return TypeText(f"[{', '.join(items)}]", notes=tuple(notes))


def _object(schema: Mapping[str, Any], scope: Scope, depth: int) -> TypeText:
    properties, required, patterns, others = object_members(schema, is_open=scope.open)
    further = _further(patterns, others, scope, depth)
    if not properties:
        return TypeText("Record<string, never>") if further is None else _record(further, scope)
    made = [(name, _type(one, scope, depth + 1)) for name, one in properties.items()]
    members = [
        (followed(property_name(name) + (":" if name in required else "?:"), one) + ";", one.notes)
        for name, one in made
    ]
    open_to_any = scope.open and further == UNKNOWN
    if further is not None and not open_to_any:
        # An index signature applies to the declared properties, too: its own type stands in the comment.
        known = "" if further.text == "unknown" or patterns else f"{' '.join(further.text.split())}. "
        said = (f"Other keys: {known}{joined(further.notes)}".rstrip(),) if known or further.notes else ()
        members.append(("[key: string]: unknown;", said))
    line = " ".join(row for row, _ in members).removesuffix(";")
    if "\n" not in line and not any(notes for _, notes in members) and len(line) <= WIDTH:
        braces = f"{{ {line} }}"
    else:
        rows = "".join(annotated(row, notes, scope.comments) for row, notes in members)
        braces = "{\n" + indented(rows) + "}"
    return TypeText(f"{OPEN} & {braces}", True) if open_to_any else TypeText(braces, members=True)


def _record(further: TypeText, scope: Scope) -> TypeText:
    """An object that declares no property."""
    # `type Tree = Record<string, Tree>` would refer to itself in a way that TypeScript refuses.
    notes = _hoisted("Each value", further)
    if set(re.findall(r"\w+", further.text)).isdisjoint(scope.names.values()):
        return TypeText(f"Record<string, {further.text}>", notes=notes)
    return TypeText(f"{{ {followed('[key: string]:', further)} }}", notes=notes)


def _further(patterns: Mapping[str, Any], others: Any, scope: Scope, depth: int) -> TypeText | None:
    """The type of the values of undeclared keys; None where there are none."""
    if not patterns:
        return None if others is None or others is False else _type(others, scope, depth + 1)
    found = [(one, _type(below, scope, depth + 1)) for one, below in patterns.items()]
    rest = NEVER if others is False else _type(True if others is None else others, scope, depth + 1)
    notes = [
        f"For keys that match {code(pattern)}, {' '.join(one.text.split())}. {joined(one.notes)}".rstrip()
        for pattern, one in found
    ]
    notes += ["No other keys."] if others is False else rest.notes
    made = _union([replace(one, notes=()) for one in (*(one for _, one in found), rest)], scope)
    return replace(made, notes=tuple(notes))


def _hoisted(owner: str, made: TypeText) -> tuple[str, ...]:
    """The notes of a part, for the comment of the whole."""
    said = joined(made.notes)
    return (f"{owner}: {said}",) if said else ()


def _operand(made: TypeText) -> str:
    end = "\n" if made.text.startswith("\n") else ""
    return f"({made.text}{end})" if made.alternatives else made.text


def _alternative(made: TypeText) -> str:
    return _operand(made) if made.text.startswith("\n") else made.text


def indented(lines: str) -> str:
    """Lines, each indented by one level; empty ones stay empty."""
    return re.sub(r"^(?=.)", "  ", lines, flags=re.MULTILINE)


def _union(branches: Sequence[TypeText], scope: Scope) -> TypeText:
    """Alternatives; each on a line of its own where several have something to say."""
    if any(one.text == "unknown" and not one.notes for one in branches):
        return UNKNOWN
    unique = list({(one.text, one.notes): one for one in branches if one.text != "never"}.values())
    if len(unique) < 2:
        return unique[0] if unique else NEVER
    others = [one for one in unique if one.text != "null"]
    if len(others) == 1 or not any(one.notes for one in unique):
        texts = dict.fromkeys(_alternative(one) for one in unique)
        return TypeText(" | ".join(texts), True, notes=tuple(note for one in unique for note in one.notes))
    rows = (indented(f"{comment(one.notes, scope.comments)}| {_alternative(one)}") for one in unique)
    return TypeText("\n" + "\n".join(rows), True)


def _intersection(parts: Sequence[TypeText]) -> TypeText:
    if len(parts) < 2:
        return parts[0] if parts else UNKNOWN
    texts = dict.fromkeys(_operand(one) for one in parts if one.text != "unknown")
    notes = tuple(note for one in parts for note in one.notes)
    return TypeText(" & ".join(texts) or "unknown", len(texts) > 1, notes=notes)


TEXT = "string"
"""The type of a result without a schema."""


def declare_function(tool: DeclaredTool, free: FreeNames, comments: Comments = "line") -> str:
    """Declare a tool.

    Args:
        tool: the tool.
        free: the names of its namespace; those of its types are taken from them.
        comments: how descriptions are written.

    Returns:
        Lines of an ambient namespace: the named types of the tool, and its function.
    """
    parameters = with_definitions_inlined(tool.parameters)
    result = tool.result
    if isinstance(result, Mapping):
        result = with_definitions_inlined(result)
    types: list[str] = []
    scopes: list[Scope] = []
    for schema, open_objects in ((parameters, True), (result, False)):
        definitions: Mapping[str, Any] = schema.get("$defs", {}) if isinstance(schema, Mapping) else {}
        names = {one: free.take(type_name(one)) for one in map(reference_to, definitions)}
        scope = Scope(names=names, comments=comments, integer="integer", open=open_objects)
        types += [
            type_declaration(name, one, scope)
            for name, one in zip(names.values(), definitions.values(), strict=True)
        ]
        scopes.append(scope)
    made = type_of({key: value for key, value in parameters.items() if key != "description"}, scopes[0])
    notes = (tool.description, *described_parameters(parameters), *made.notes)
    arguments = ""
    if made.text != "Record<string, never>":
        arguments = followed("args?:" if _may_be_empty(parameters) else "args:", made)
    returned = TypeText(TEXT) if result is None else type_of(result, scopes[1])
    notes += returns(returned.notes)
    start = "declare function" if tool.top else "function"
    function = f"{comment(notes, comments)}{start} {tool.function}({arguments}): Promise<{returned.text}>;"
    return "\n".join([*types, function]) + "\n"


def _may_be_empty(parameters: Any) -> bool:
    """Whether an object without keys may fit."""
    if not isinstance(parameters, Mapping) or "$ref" in parameters or parameters.get("required"):
        return False
    return "anyOf" not in parameters or any(map(_may_be_empty, parameters["anyOf"]))
