"""Objects as Structs: their fields, defaults, checks and options."""

from typing import Any

from msgspec import UNSET, structs

from ....contract.tree import Enum, Field, Node, Null, Object, String, Union, nodes
from ....jsonschema.ecma import translate
from .builder import Builder, NameParts
from .module_model import AliasDefinition, ClassDefinition, Expression, FieldLine
from .python_names import field_names, unique
from .source_literals import LINE_LENGTH, deferred, docstring, literal, paragraph, text

INDENT = "    "
FACTORY = "msgspec.field(default_factory=lambda"
"""Start of the source of a default that is made anew each time, and that msgspec therefore writes."""


def object_type(builder: Builder, node: Object, file: str, name_parts: NameParts) -> Expression:
    """Return the type of an object that is no definition: a Struct named by `name_parts`."""
    return _define_class(builder, node, file, builder.new_name(file, *name_parts))


def define_object(builder: Builder, node: Object, file: str, name: str, alias: str) -> Expression:
    """Return the type of a definition that is an object. It is written later, so it may refer to itself, and
    chains may be long.

    A Struct that is not exact gets a marker, called `alias` or `Checked<name>`, which others use. A tagged
    Struct has none: its union uses it so, and every other use has a marker of its own.
    """
    bare = Expression(text=name, kinds=frozenset({f"struct:{name}"}), uses=frozenset({name}))
    if node.pointer in builder.tags or (not node.residue and node.extra is None):
        builder.pending.append(lambda: _define_class(builder, node, file, name))
        return structs.replace(bare, exact=node.pointer not in builder.tags)
    alias = alias or builder.new_name(file, "Checked", name)

    def write() -> None:
        expression = _define_class(builder, node, file, name)
        builder.define(
            file,
            AliasDefinition(
                name=alias,
                text=name,
                marker=expression.marker,
                doc=node.description,
                uses=frozenset({name}),
                pointer=node.pointer,
            ),
        )

    builder.pending.append(write)
    return Expression(text=alias, kinds=frozenset({"custom"}), uses=frozenset({alias}))


def declare_root_class(builder: Builder, node: Object, root: str, name: str) -> None:
    """Set the type of a root's Struct, before anything may refer to it."""
    inner = builder.new_name("", "Checked", name) if node.residue or node.extra is not None else name
    kinds = frozenset({"custom" if inner != name else f"struct:{name}"})
    builder.declare_root(root, Expression(text=inner, kinds=kinds, uses=frozenset({inner})))


def write_root(builder: Builder, node: Object, root: str, name: str) -> Expression:
    """Define the Struct of a root. The marker of its type is empty where the Struct alone is exact."""
    inner = builder.root_type(root).text
    expression = _define_class(builder, node, "", name)
    builder.write_pending()
    if inner != name:
        marker, uses = expression.marker, frozenset({name})
        alias = AliasDefinition(name=inner, text=name, marker=marker, doc="", uses=uses, pointer=node.pointer)
        builder.define("", alias)
        return structs.replace(expression, text=inner)
    return expression


def _define_class(builder: Builder, node: Object, file: str, name: str) -> Expression:
    """Define a Struct and return its type, with a marker where it is not exact."""
    tag = builder.tags.get(node.pointer)
    fields = [field for field in node.fields if tag is None or field.encode_name != tag.field]
    base = name.removesuffix("Params")
    typed = [(field, _field_type(builder, field, file, base)) for field in fields]
    names = dict(field_names([f.encode_name for f in node.fields], builder.type_names(file)))
    rows = [_field_line(field, kind, names[field.encode_name]) for field, kind in typed]
    checks = [c for field, kind in typed for c in _field_checks(field, kind, names[field.encode_name])]
    if node.min_size or node.max_size is not None:
        most = "" if node.max_size is None else f", {node.max_size}"
        checks.append(f"check_properties(self, {node.min_size}{most})")
    uses = {use for _, kind in typed for use in kind.uses}
    constants: list[str] = []
    options = ["frozen=True", "kw_only=True", "omit_defaults=True"]
    if node.closed:
        options.append("forbid_unknown_fields=True")
    if tag is not None:
        options += [f"tag_field={text(tag.field)}", f"tag={literal(tag.value)}"]
        constants.append(
            f"{names[tag.field]}: ClassVar[Literal[{literal(tag.value)}]] = {literal(tag.value)}"
        )
    if "" in names and (tag is None or tag.field != ""):
        options.append(f'rename={{{text(names[""])}: ""}}')
    marker = f"checked({builder.node_arguments(file, node.pointer)}, lambda: {name})"
    if node.extra is not None:
        values = builder.checked_type_of(node.extra, file, name, "Value")
        extra = unique("additional_properties", set(names.values()))
        constants.append(f'__toolcast_extra__: ClassVar[str] = "{extra}"')
        rows.append(
            FieldLine(
                name=extra,
                annotation=f"dict[str, {values.text}]",
                value="{}",
                doc='"""Properties beyond the named ones."""',
                uses=values.uses,
                pointer=node.extra.pointer,
            )
        )
        uses |= values.uses
        arguments = builder.node_arguments(file, node.pointer)
        marker = f'open_object({arguments}, lambda: {name}, "{extra}", {deferred(values.text)})'
    builder.define(
        file,
        ClassDefinition(
            name=name,
            options=tuple(options),
            doc=docstring(node.description, INDENT),
            constants=tuple(constants),
            fields=tuple(rows),
            checks=tuple(checks),
            uses=frozenset(uses),
            pointer=node.pointer,
        ),
    )
    exact = not node.residue and node.extra is None and tag is None
    kinds = frozenset({f"struct:{name}"})
    return Expression(
        text=name, kinds=kinds, exact=exact, marker="" if exact else marker, uses=frozenset({name})
    )


def _field_type(builder: Builder, field: Field, file: str, base: str) -> Expression:
    """The type of a field, which may carry checks; one that is not exact even so gets a marker."""
    # msgspec does not validate a default that is used; a check would.
    node, pattern = _without_pattern(field.node) if field.default is UNSET else (field.node, None)
    expression = builder.type_of(node, file, base, field.encode_name)
    if pattern:
        check = f"check_pattern({{label}}, {{value}}, {text(translate(pattern))})"
        expression = structs.replace(expression, checks=(check, *expression.checks))
    if expression.exact:
        return expression
    return builder.checked_type(expression, field.node, file, base, field.encode_name)


def _without_pattern(node: Node) -> tuple[Node, str | None]:
    """A string (or null) without its pattern, and that pattern, for a check of the field. In a Meta it takes
    twice the time: msgspec looks up by name, for each value, what to search with.
    """
    if isinstance(node, String):
        if node.pattern is None or node.residue or node.python is not None:
            return node, None
        return structs.replace(node, pattern=None), node.pattern
    if isinstance(node, Union) and not node.residue and len(node.branches) == 2:
        strings = [b for b in node.branches if isinstance(b, String)]
        if len(strings) == 1 and any(isinstance(b, Null) and not b.residue for b in node.branches):
            bare, pattern = _without_pattern(strings[0])
            branches = tuple(bare if b is strings[0] else b for b in node.branches)
            return structs.replace(node, branches=branches), pattern
    return node, None


def _field_line(field: Field, kind: Expression, name: str) -> FieldLine:
    """A field: None is absence where null is refused, else UNSET is."""
    annotation, default = kind.text, ""
    if not field.required:
        if field.default is not UNSET and (field.default is not None or field.nullable):
            typed = any(isinstance(node, String) and node.python for node in nodes(field.node))
            default = _default(field.default, kind, typed=typed)
            default = _fitting(default, field.default, len(f"{INDENT}{name}: {annotation} = "))
        elif field.nullable:
            annotation, default = f"{annotation} | UnsetType", "UNSET"
        else:
            annotation, default = f"{annotation} | None", "None"
    if name != field.encode_name and field.encode_name != "":
        encode_name = f"name={text(field.encode_name)}"
        if "\n" in default:  # a long text, as black has it
            default = paragraph(str(field.default), 2 * len(INDENT) + len("default="), 2 * len(INDENT))
            rows = f"{INDENT * 2}default={default},\n{INDENT * 2}{encode_name},\n"
            default = f"msgspec.field(\n{rows}{INDENT})"
        elif default.startswith("msgspec.field("):
            default = default[:-1] + f", {encode_name})"
        else:
            default = f"msgspec.field({f'default={default}, ' if default else ''}{encode_name})"
    doc = docstring(field.node.description, INDENT)
    return FieldLine(
        name=name, annotation=annotation, value=default, doc=doc, uses=kind.uses, pointer=field.pointer
    )


def _field_checks(field: Field, kind: Expression, name: str) -> list[str]:
    """Lines of `__post_init__`; None is not checked where it stands for absence or is allowed."""
    value = f"self.{name}"
    absent = not field.required and (field.default is UNSET or field.default is None)
    allows_none = "none" in kind.kinds and not isinstance(field.node, Enum)
    rows: list[str] = []
    for check in kind.checks:
        # Only the first: a pattern may have braces of its own.
        call = check.replace("{label}, {value}", f"{text(field.encode_name)}, {value}", 1)
        guarded = absent or allows_none or (not field.required and field.nullable)
        rows += [f"if {value} is not None:", f"{INDENT}{call}"] if guarded else [call]
    return rows


def _fitting(default: str, value: Any, before: int) -> str:
    """A default that stands `before` columns into its line, in the form on which black and ruff agree."""
    if before + len(default) <= LINE_LENGTH:
        return default
    if default in ("[]", "{}"):
        return f"msgspec.field(default_factory={'list' if default == '[]' else 'dict'})"
    return paragraph(value, before, len(INDENT)) if default == text(str(value)) else default


def _default(value: object, expression: Expression, *, typed: bool) -> str:
    """The source of a default: a mutable one is made anew each time; typed ones are converted, and so is a
    text (`typed`) that another Python type holds.
    """
    if not isinstance(value, list | dict):
        if value is None or not typed:
            return literal(value)
        converted = f"msgspec.convert({literal(value)}, {expression.text}, dec_hook=decode_hook)"
        return f"{FACTORY}: {converted})"
    containers = expression.kinds <= {"list", "dict", "any", "none"} and "tuple[" not in expression.text
    plain = containers and not expression.uses
    if not value and containers:
        return literal(value)  # msgspec copies an empty one
    if plain:
        return f"{FACTORY}: {literal(value)})"
    converted = f"msgspec.convert({literal(value)}, {expression.text}, dec_hook=decode_hook)"
    return f"{FACTORY}: {converted})"
