"""A rendered class is the Struct of one object of the contract: its options, fields, defaults and checks."""

import ast
from itertools import pairwise

from msgspec import UNSET

from ..contract.tree import Choice, Field, Object
from ..structs.model import ClassDefinition
from .literals import Literals
from .meant import Printed, same
from .syntax import default_of, factory_value, wire_of, word
from .vocabulary import UnsoundError, dotted, is_text, text_of, value_of

_POST_INIT = ast.parse("def __post_init__(self) -> None: ...").body[0]


def prove_class(
    node: ast.stmt, definition: ClassDefinition, target: Object, literals: Literals, printed: Printed
) -> None:
    """Raise UnsoundError unless `node` defines `definition` with what the contract says of `target`."""
    if not isinstance(node, ast.ClassDef):
        raise UnsoundError(f"line {node.lineno}: {definition.name} should be a class")
    _Class(node, definition, target, literals, printed).prove()


class _Class:
    def __init__(
        self,
        node: ast.ClassDef,
        definition: ClassDefinition,
        target: Object,
        literals: Literals,
        printed: Printed,
    ) -> None:
        self.node, self.definition, self.target, self.literals = node, definition, target, literals
        self.printed = printed
        self.fields = {field.wire: field for field in target.fields}

    def prove(self) -> None:
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
            self.text(body.pop(0) if is_text(body[0]) else node, target.description)
        last = body[-1] if body else None
        if isinstance(last, ast.FunctionDef):
            self.checks(last)
            body.pop()
        elif definition.checks:
            raise UnsoundError(f"line {node.lineno}: {node.name} has lost its checks")
        wires = dict(rename) if isinstance(rename, dict) else {}
        fields = {**self.fields}
        if tag[0] is not None:
            self.tag(tag, fields.pop(str(tag[0]), None))
        found: list[str] = []
        for row, following in pairwise([*body, None]):
            assert row is not None
            if is_text(row) or isinstance(row, ast.Pass):
                continue
            if not isinstance(row, ast.AnnAssign) or not isinstance(row.target, ast.Name):
                raise UnsoundError(f"line {row.lineno}: unexpected {type(row).__name__}")
            if dotted(getattr(row.annotation, "value", row.annotation)) == "ClassVar":
                self.constant(row, tag)
                continue
            found.append(row.target.id)
            wire = wire_of(row, wires)
            field = fields.get(wire)
            if field is not None:
                said = following if following is not None and is_text(following) else None
                self.field(row, field, said)
            elif target.extra is None or wire != definition.fields[-1].name:
                raise UnsoundError(f"line {row.lineno}: {node.name} should have no field {wire!r}")
            else:
                self.literals.annotation(row.annotation, self.literals.of(target.extra))
        if found != [line.name for line in definition.fields] or len(found) != len(fields) + (
            target.extra is not None
        ):
            raise UnsoundError(f"line {node.lineno}: {node.name} has the fields {', '.join(found) or 'none'}")
        self.rows([row for row in body if isinstance(row, ast.AnnAssign)])

    def rows(self, rows: list[ast.AnnAssign]) -> None:
        """Constants and fields, as they were meant."""
        definition = self.definition
        fields = [
            f"{line.name}: {line.annotation}{' = ' if line.value else ''}{line.value}"
            for line in definition.fields
        ]
        meant = (*definition.constants, *fields)
        if len(rows) != len(meant):
            raise UnsoundError(f"line {self.node.lineno}: {self.node.name} should have {len(meant)} rows")
        for row, source in zip(rows, meant, strict=True):
            self.printed.require(row, source, self.node.name)

    def tag(self, tag: tuple[object, object], field: Field | None) -> None:
        if field is None or not isinstance(field.node, Choice) or repr(field.node.values) != repr((tag[1],)):
            raise UnsoundError(f"line {self.node.lineno}: the tag of {self.node.name} is not the contract's")

    def constant(self, row: ast.AnnAssign, tag: tuple[object, object]) -> None:
        assert isinstance(row.target, ast.Name)
        if row.target.id == "__toolcast_extra__" and row.value is not None:
            return
        if row.value is None or repr(value_of(row.value)) != repr(tag[1]):
            raise UnsoundError(f"line {row.lineno}: {row.target.id} is not the tag")

    def field(self, row: ast.AnnAssign, field: Field, said: ast.stmt | None) -> None:
        if field.node.description.strip() or said is not None:
            self.text(row if said is None else said, field.node.description)
        self.literals.annotation(row.annotation, self.literals.of(field.node))
        default = default_of(row)
        if row.value is not None:
            self.literals.vocabulary(row.value)
        if field.required != (default is None):
            raise UnsoundError(f"line {row.lineno}: {field.wire!r} should be {word(field.required)}")
        if default is None or (isinstance(default, ast.Name) and default.id == "UNSET"):
            if default is not None and field.default is not UNSET and field.default is not None:
                raise UnsoundError(f"line {row.lineno}: the default of {field.wire!r} is missing")
            return
        wanted = None if field.default is UNSET else field.default
        if repr(factory_value(default)) != repr(wanted):
            raise UnsoundError(f"line {row.lineno}: the default of {field.wire!r} is not the contract's")

    def text(self, row: ast.stmt, meant: str) -> None:
        """A description: printed in lines of its own, so only words are compared."""
        said = text_of(row) if is_text(row) else None
        if said is None or (said != meant and said.split() != meant.split()):
            raise UnsoundError(f"line {row.lineno}: a description is not the contract's")

    # -- checks ----------------------------------------------------------------------------------

    def checks(self, function: ast.FunctionDef) -> None:
        if function.name != "__post_init__" or not self.definition.checks:
            raise UnsoundError(f"line {function.lineno}: unexpected function {function.name}")
        for part in ("args", "decorator_list", "returns", "type_params"):
            if not same(getattr(function, part, None), getattr(_POST_INIT, part, None)):
                raise UnsoundError(f"line {function.lineno}: unexpected head of {function.name}")
        for row in function.body:
            if isinstance(row, ast.If):
                self.literals.vocabulary(row.test)
            inner = row.body[0] if isinstance(row, ast.If) and len(row.body) == 1 and not row.orelse else row
            if not isinstance(inner, ast.Expr) or not isinstance(inner.value, ast.Call):
                raise UnsoundError(f"line {row.lineno}: unexpected {type(row).__name__}")
            if dotted(inner.value.func) == "check_properties":
                self.count(inner.value)
            else:
                self.check(inner.value)
        self.printed.require_body(function.body, self.definition.checks, self.node.name)

    def count(self, call: ast.Call) -> None:
        self.literals.vocabulary(call)
        target = self.target
        meant = [target.min_size, *([] if target.max_size is None else [target.max_size])]
        if dotted(call.args[0]) != "self" or [value_of(each) for each in call.args[1:]] != meant:
            raise UnsoundError(f"line {call.lineno}: {ast.unparse(call)} is not the contract's")

    def check(self, call: ast.Call) -> None:
        self.literals.vocabulary(call)
        wire = value_of(call.args[0])
        field = self.fields.get(wire) if isinstance(wire, str) else None
        if field is None:
            raise UnsoundError(f"line {call.lineno}: a check of the unknown field {wire!r}")
        said = self.literals.of(field.node)
        others = [("multiple_of", each) for each in call.args[2:]]
        others += [(str(option.arg), option.value) for option in call.keywords]
        for name, expression in others:
            value = value_of(expression)
            if isinstance(value, tuple):
                self.literals.member(call, value, said)
            elif isinstance(value, str):
                word = dotted(call.func).removeprefix("check_")
                if value not in {"format": said.formats, "pattern": said.patterns}.get(word, ()):
                    raise UnsoundError(f"line {call.lineno}: {value!r} is not the contract's {word}")
            elif not said.has_number(name, repr(value)):
                raise UnsoundError(f"line {call.lineno}: {value!r} is not the contract's")
