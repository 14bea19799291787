"""Compares a rendered class with its object of the contract: options, fields, defaults and checks."""

import ast
from itertools import pairwise

from msgspec import UNSET

from ...contract.tree import Enum, Field, Object
from ..structs.module_model import ClassDefinition
from .literal_check import LiteralChecker
from .statements import ModuleText, same_syntax
from .syntax import (
    default_of,
    dotted,
    factory_value,
    is_text,
    text_of,
    value_of,
    wire_of,
)
from .unsound_error import UnsoundError

_POST_INIT = ast.parse("def __post_init__(self) -> None: ...").body[0]


def check_class(
    node: ast.stmt, definition: ClassDefinition, target: Object, literals: LiteralChecker, text: ModuleText
) -> None:
    """Raise UnsoundError unless `node` is `definition`, with the literals of `target`."""
    if not isinstance(node, ast.ClassDef):
        raise UnsoundError(f"line {node.lineno}: {definition.name} should be a class")
    _Class(node, definition, target, literals, text).check()


class _Class:
    def __init__(
        self,
        node: ast.ClassDef,
        definition: ClassDefinition,
        target: Object,
        literals: LiteralChecker,
        text: ModuleText,
    ) -> None:
        self.node, self.definition, self.target, self.literals = node, definition, target, literals
        self.module_text = text
        self.fields = {field.encode_name: field for field in target.fields}

    def check(self) -> None:
        node, definition, target = self.node, self.definition, self.target
        if [dotted(base) for base in node.bases] != ["Struct"] or node.decorator_list:
            raise UnsoundError(f"line {node.lineno}: {node.name} should be a plain Struct")
        if getattr(node, "type_params", None) or any(option.arg is None for option in node.keywords):
            raise UnsoundError(f"line {node.lineno}: unexpected options of {node.name}")
        options = {option.arg: value_of(option.value) for option in node.keywords if option.arg}
        closed = bool(options.pop("forbid_unknown_fields", False))
        rename = options.pop("rename", {})
        tag = (options.pop("tag_field", None), options.pop("tag", None))
        if options != {"frozen": True, "kw_only": True, "omit_defaults": True} or closed != target.closed:
            raise UnsoundError(f"line {node.lineno}: unexpected options of {node.name}")
        body = list(node.body)
        if definition.doc:
            self.check_description(body.pop(0) if is_text(body[0]) else node, target.description)
        last = body[-1] if body else None
        if isinstance(last, ast.FunctionDef):
            self.check_post_init(last)
            body.pop()
        elif definition.checks:
            raise UnsoundError(f"line {node.lineno}: {node.name} lacks its checks")
        wires = dict(rename) if isinstance(rename, dict) else {}
        fields = {**self.fields}
        if tag[0] is not None:
            self.check_tag(tag, fields.pop(str(tag[0]), None))
        found: list[str] = []
        for row, following in pairwise([*body, None]):
            assert row is not None
            if is_text(row) or isinstance(row, ast.Pass):
                continue
            if not isinstance(row, ast.AnnAssign) or not isinstance(row.target, ast.Name):
                raise UnsoundError(f"line {row.lineno}: unexpected {type(row).__name__}")
            if dotted(getattr(row.annotation, "value", row.annotation)) == "ClassVar":
                self.check_constant(row, tag)
                continue
            found.append(row.target.id)
            encode_name = wire_of(row, wires)
            field = fields.get(encode_name)
            if field is not None:
                doc = following if following is not None and is_text(following) else None
                self.check_field(row, field, doc)
            elif target.extra is None or encode_name != definition.fields[-1].name:
                raise UnsoundError(f"line {row.lineno}: {node.name} should have no field {encode_name!r}")
            else:
                self.literals.check_annotation(row.annotation, self.literals.allowed(target.extra))
        if found != [line.name for line in definition.fields] or len(found) != len(fields) + (
            target.extra is not None
        ):
            raise UnsoundError(f"line {node.lineno}: {node.name} has the fields {', '.join(found) or 'none'}")
        self.check_rows([row for row in body if isinstance(row, ast.AnnAssign)])

    def check_rows(self, rows: list[ast.AnnAssign]) -> None:
        """The rows of constants and fields."""
        definition = self.definition
        fields = [
            f"{line.name}: {line.annotation}{' = ' if line.value else ''}{line.value}"
            for line in definition.fields
        ]
        expected = (*definition.constants, *fields)
        if len(rows) != len(expected):
            raise UnsoundError(f"line {self.node.lineno}: {self.node.name} should have {len(expected)} rows")
        for row, source in zip(rows, expected, strict=True):
            self.module_text.require(row, source, self.node.name)

    def check_tag(self, tag: tuple[object, object], field: Field | None) -> None:
        if field is None or not isinstance(field.node, Enum) or repr(field.node.values) != repr((tag[1],)):
            raise UnsoundError(f"line {self.node.lineno}: the tag of {self.node.name} is not the contract's")

    def check_constant(self, row: ast.AnnAssign, tag: tuple[object, object]) -> None:
        assert isinstance(row.target, ast.Name)
        if row.target.id == "__toolcast_extra__" and row.value is not None:
            return
        if row.value is None or repr(value_of(row.value)) != repr(tag[1]):
            raise UnsoundError(f"line {row.lineno}: {row.target.id} is not the tag")

    def check_field(self, row: ast.AnnAssign, field: Field, doc: ast.stmt | None) -> None:
        if field.node.description.strip() or doc is not None:
            self.check_description(row if doc is None else doc, field.node.description)
        self.literals.check_annotation(row.annotation, self.literals.allowed(field.node))
        default = default_of(row)
        if row.value is not None:
            self.literals.check_syntax(row.value)
        if field.required != (default is None):
            expected = "required" if field.required else "optional"
            raise UnsoundError(f"line {row.lineno}: {field.encode_name!r} should be {expected}")
        if default is None or (isinstance(default, ast.Name) and default.id == "UNSET"):
            if default is not None and field.default is not UNSET and field.default is not None:
                raise UnsoundError(f"line {row.lineno}: the default of {field.encode_name!r} is missing")
            return
        wanted = None if field.default is UNSET else field.default
        if repr(factory_value(default)) != repr(wanted):
            raise UnsoundError(
                f"line {row.lineno}: the default of {field.encode_name!r} is not the contract's"
            )

    def check_description(self, row: ast.stmt, expected: str) -> None:
        """A description: its line breaks may differ, so words are compared."""
        found = text_of(row) if is_text(row) else None
        if found is None or found.split() != expected.split():
            raise UnsoundError(f"line {row.lineno}: a description is not the contract's")

    # -- checks ----------------------------------------------------------------------------------

    def check_post_init(self, function: ast.FunctionDef) -> None:
        if function.name != "__post_init__" or not self.definition.checks:
            raise UnsoundError(f"line {function.lineno}: unexpected function {function.name}")
        for part in ("args", "decorator_list", "returns", "type_params"):
            if not same_syntax(getattr(function, part, None), getattr(_POST_INIT, part, None)):
                raise UnsoundError(f"line {function.lineno}: unexpected head of {function.name}")
        for row in function.body:
            if isinstance(row, ast.If):
                self.literals.check_syntax(row.test)
            inner = row.body[0] if isinstance(row, ast.If) and len(row.body) == 1 and not row.orelse else row
            if not isinstance(inner, ast.Expr) or not isinstance(inner.value, ast.Call):
                raise UnsoundError(f"line {row.lineno}: unexpected {type(row).__name__}")
            if dotted(inner.value.func) == "check_properties":
                self.check_property_count(inner.value)
            else:
                self.check_call(inner.value)
        self.module_text.require_body(function.body, self.definition.checks, self.node.name)

    def check_property_count(self, call: ast.Call) -> None:
        self.literals.check_syntax(call)
        target = self.target
        expected = [target.min_size, *([] if target.max_size is None else [target.max_size])]
        if dotted(call.args[0]) != "self" or [value_of(each) for each in call.args[1:]] != expected:
            raise UnsoundError(f"line {call.lineno}: {ast.unparse(call)} is not the contract's")

    def check_call(self, call: ast.Call) -> None:
        self.literals.check_syntax(call)
        encode_name = value_of(call.args[0])
        field = self.fields.get(encode_name) if isinstance(encode_name, str) else None
        if field is None:
            raise UnsoundError(f"line {call.lineno}: a check of the unknown field {encode_name!r}")
        allowed = self.literals.allowed(field.node)
        others = [("multiple_of", each) for each in call.args[2:]]
        others += [(str(option.arg), option.value) for option in call.keywords]
        for name, expression in others:
            value = value_of(expression)
            if isinstance(value, tuple):
                self.literals.check_enum(call, value, allowed)
            elif isinstance(value, str):
                keyword = dotted(call.func).removeprefix("check_")
                if value not in {"format": allowed.formats, "pattern": allowed.patterns}.get(keyword, ()):
                    raise UnsoundError(f"line {call.lineno}: {value!r} is not the contract's {keyword}")
            elif not allowed.has_number(name, repr(value)):
                raise UnsoundError(f"line {call.lineno}: {value!r} is not the contract's")
