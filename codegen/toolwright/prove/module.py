"""Before anything is published: does a rendered module say what its contract says, and nothing else?

The module is parsed once. Its statements must be the ones that were meant, made of the few kinds of syntax
that generated code uses; and every literal in it must be the contract's own: wire names, enum members,
defaults, descriptions, tags, patterns, bounds. So no text from a spec can have become code, and none can
have become another text (law L8). `isolate` then runs it and builds its decoder (law L10).
"""

import ast
import re
from collections.abc import Sequence
from itertools import pairwise

from msgspec import UNSET

from ..contract.tree import Choice, Contract, Field, Object
from ..structs.model import ClassDefinition, Definition, Module
from .said import Said, index
from .syntax import (
    alias_values,
    default_of,
    defined_name,
    factory_value,
    lambdas,
    unquoted,
    wire_of,
    word,
)  # fmt: skip
from .vocabulary import PACKAGES, PYTHON, UnsoundError, dotted, is_text, require_vocabulary, text_of, value_of

__all__ = ["UnsoundError", "prove_module"]

_BRANCH = re.compile(r"/(anyOf|oneOf)/[0-9]+")


def prove_module(
    tree: ast.Module, module: Module, contract: Contract, *, tail: Sequence[str] = (), ours: bool = True
) -> None:
    """Raise UnsoundError unless `tree` holds just what `module` defines, with the literals of `contract`.

    `tail` are the names that follow the definitions: a tool's Protocol and its binding. With `ours` false
    an overriding template printed the module, and may have added statements of its own.
    """
    _Proof(tree, module, contract, tail, ours=ours).run()


class _Proof:
    def __init__(
        self, tree: ast.Module, module: Module, contract: Contract, tail: Sequence[str], *, ours: bool
    ) -> None:
        self.tree, self.contract, self.tail, self.ours = tree, contract, tail, ours
        self.meant = (*module.definitions, *module.late_definitions)
        self.brought = {name for _, names in (*module.imports, *module.late_imports) for name in names}
        self.nodes = index(contract)
        self.names: frozenset[str] = frozenset()

    def run(self) -> None:
        body = self.tree.body
        statements = [
            node for node in body if not isinstance(node, ast.Import | ast.ImportFrom) and not is_text(node)
        ]
        imported = self.imports([node for node in body if isinstance(node, ast.Import | ast.ImportFrom)])
        meant = [definition.name for definition in self.meant]
        self.names = frozenset({*imported, *meant, *self.tail})
        found = {name: node for node in statements if (name := defined_name(node))}
        if self.ours:
            names = [defined_name(node) or f"a statement in line {node.lineno}" for node in statements]
            if names != [*meant, *self.tail]:
                raise UnsoundError(
                    f"it defines {', '.join(names)}; meant were {', '.join([*meant, *self.tail])}"
                )
        for definition in self.meant:
            if definition.name not in found:
                raise UnsoundError(f"it does not define {definition.name}")
            self.definition(found[definition.name], definition)
        for name in self.tail:
            if name not in found:
                raise UnsoundError(f"it does not define {name}")
            if self.ours:
                self.ending(found[name])
            elif isinstance(node := found[name], ast.AnnAssign) and node.value is not None:
                require_vocabulary(node.value, self.names)

    def imports(self, statements: list[ast.Import | ast.ImportFrom]) -> set[str]:
        names: set[str] = set()
        for node in statements:
            names |= {alias.asname or alias.name for alias in node.names}
            known = isinstance(node, ast.ImportFrom) and (node.module in PACKAGES or node.level > 0)
            whole = isinstance(node, ast.Import) and [a.name for a in node.names if a.asname is None]
            known |= whole == ["msgspec"] or (bool(whole) and set(whole or ()) <= PYTHON)
            if self.ours and not known:
                raise UnsoundError(f"line {node.lineno}: unexpected import")
        if missing := self.brought - names:
            raise UnsoundError(f"it does not import {', '.join(sorted(missing))}")
        return names

    def ending(self, node: ast.stmt) -> None:
        """The Protocol and the binding: shapes here, values in `isolate`, where the binding exists."""
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            require_vocabulary(node.annotation, self.names)
            require_vocabulary(node.value, self.names)
        elif isinstance(node, ast.ClassDef):
            self.protocol(node)
        else:
            raise UnsoundError(f"line {node.lineno}: unexpected {type(node).__name__}")

    def protocol(self, node: ast.ClassDef) -> None:
        call = node.body[-1]
        shape = [type(item) for item in node.body] == [ast.Expr, ast.FunctionDef] and is_text(node.body[0])
        plain = [dotted(base) for base in node.bases] == ["Protocol"] and not node.keywords
        if not shape or not plain or node.decorator_list or not isinstance(call, ast.FunctionDef):
            raise UnsoundError(f"line {node.lineno}: unexpected statements in {node.name}")
        given = call.args
        other = (given.args, given.vararg, given.kwonlyargs, given.kwarg, given.defaults, call.decorator_list)
        if call.name != "__call__" or any(other) or len(call.body) != 1 or not _is_ellipsis(call.body[0]):
            raise UnsoundError(f"line {call.lineno}: unexpected function {call.name}")
        for annotation in (call.returns, *[argument.annotation for argument in given.posonlyargs[1:]]):
            if annotation is None:
                raise UnsoundError(f"line {call.lineno}: an annotation is missing")
            require_vocabulary(annotation, self.names)

    # -- definitions --------------------------------------------------------------------------

    def definition(self, node: ast.stmt, definition: Definition) -> None:
        targets = self.nodes.get(definition.pointer, [])
        if not targets:
            raise UnsoundError(f"{definition.name} has no place in the contract")
        if isinstance(definition, ClassDefinition):
            target = next((each for each in targets if isinstance(each, Object)), None)
            if not isinstance(node, ast.ClassDef) or target is None:
                raise UnsoundError(f"line {node.lineno}: {definition.name} should be a class")
            self.struct(node, definition, target)
            return
        said = Said(targets[0], self.contract.definitions)
        for value in alias_values(node, definition):
            self.annotation(value, said)

    def struct(self, node: ast.ClassDef, definition: ClassDefinition, target: Object) -> None:
        if [dotted(base) for base in node.bases] != ["Struct"] or node.decorator_list:
            raise UnsoundError(f"line {node.lineno}: {node.name} should be a plain Struct")
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
            self.checks(last, target, definition)
            body.pop()
        wires = dict(rename) if isinstance(rename, dict) else {}
        fields = {field.wire: field for field in target.fields}
        if tag[0] is not None:
            self.tag(node, tag, fields.pop(str(tag[0]), None))
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
                self.annotation(row.annotation, Said(target.extra, self.contract.definitions))
        if found != [line.name for line in definition.fields] or len(found) != len(fields) + (
            target.extra is not None
        ):
            raise UnsoundError(f"line {node.lineno}: {node.name} has the fields {', '.join(found) or 'none'}")

    def tag(self, node: ast.ClassDef, tag: tuple[object, object], field: Field | None) -> None:
        if field is None or not isinstance(field.node, Choice) or repr(field.node.values) != repr((tag[1],)):
            raise UnsoundError(f"line {node.lineno}: the tag of {node.name} is not the contract's")

    def constant(self, row: ast.AnnAssign, tag: tuple[object, object]) -> None:
        assert isinstance(row.target, ast.Name)
        if row.target.id == "__toolwright_extra__" and row.value is not None:
            return
        if row.value is None or repr(value_of(row.value)) != repr(tag[1]):
            raise UnsoundError(f"line {row.lineno}: {row.target.id} is not the tag")

    def field(self, row: ast.AnnAssign, field: Field, said: ast.stmt | None) -> None:
        if field.node.description.strip() or said is not None:
            self.text(row if said is None else said, field.node.description)
        self.annotation(row.annotation, Said(field.node, self.contract.definitions))
        default = default_of(row)
        if row.value is not None:
            require_vocabulary(row.value, self.names)
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
        if not is_text(row) or text_of(row).split() != meant.split():
            raise UnsoundError(f"line {row.lineno}: a description is not the contract's")

    # -- literals -----------------------------------------------------------------------------

    def annotation(self, expression: ast.expr, said: Said) -> None:
        """Every literal of an annotation or marker; a quoted annotation is looked into."""
        require_vocabulary(expression, self.names)
        queue: list[ast.expr] = [expression]
        while queue:
            node = queue.pop()
            if isinstance(node, ast.Name):
                continue
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                self.annotation(unquoted(node), said)
            elif isinstance(node, ast.Subscript) and dotted(node.value) == "Literal":
                members = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
                self.member(node, tuple(value_of(item) for item in members), said)
            elif isinstance(node, ast.Call) and dotted(node.func) == "Meta":
                self.meta(node, said)
            elif isinstance(node, ast.Call):
                self.marker(node)
                queue += lambdas(node)
            elif isinstance(node, ast.Constant) and node.value is not None:
                raise UnsoundError(f"line {node.lineno}: unexpected literal {node.value!r}")
            else:
                queue += [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]

    def member(self, node: ast.AST, values: tuple[object, ...], said: Said) -> None:
        if repr(values) not in said.choices:
            raise UnsoundError(f"line {getattr(node, 'lineno', 0)}: {values!r} is no enum of the contract")

    def meta(self, node: ast.Call, said: Said) -> None:
        for option in node.keywords:
            value = value_of(option.value)
            if option.arg == "pattern":
                right = value in said.patterns
            else:
                name = str(option.arg)
                right = repr(value) in said.sizes if "length" in name else said.has_number(name, repr(value))
            if not right:
                raise UnsoundError(f"line {node.lineno}: {option.arg}={value!r} is not the contract's")

    def marker(self, node: ast.Call) -> None:
        """`checked(__name__, "file.json#pointer", …)` and its like."""
        reference = value_of(node.args[1])
        if not isinstance(reference, str) or reference.partition("#")[2] not in self.nodes:
            raise UnsoundError(f"line {node.lineno}: {reference!r} leads nowhere in the contract")
        for argument in node.args[2:]:
            if isinstance(argument, ast.Tuple) and not _BRANCH.fullmatch(str(value_of(argument.elts[0]))):
                raise UnsoundError(f"line {node.lineno}: unexpected branch {ast.unparse(argument.elts[0])}")

    def checks(self, function: ast.FunctionDef, target: Object, definition: ClassDefinition) -> None:
        fields = {field.wire: field for field in target.fields}
        if function.name != "__post_init__" or not definition.checks:
            raise UnsoundError(f"line {function.lineno}: unexpected function {function.name}")
        for row in function.body:
            require_vocabulary(row.test, self.names) if isinstance(row, ast.If) else None
            inner = row.body[0] if isinstance(row, ast.If) and len(row.body) == 1 and not row.orelse else row
            if not isinstance(inner, ast.Expr) or not isinstance(inner.value, ast.Call):
                raise UnsoundError(f"line {row.lineno}: unexpected {type(row).__name__}")
            if dotted(inner.value.func) == "check_properties":
                self.count(inner.value, target)
            else:
                self.check(inner.value, fields)

    def count(self, call: ast.Call, target: Object) -> None:
        require_vocabulary(call, self.names)
        meant = [target.min_size, *([] if target.max_size is None else [target.max_size])]
        if dotted(call.args[0]) != "self" or [value_of(each) for each in call.args[1:]] != meant:
            raise UnsoundError(f"line {call.lineno}: {ast.unparse(call)} is not the contract's")

    def check(self, call: ast.Call, fields: dict[str, Field]) -> None:
        require_vocabulary(call, self.names)
        wire = value_of(call.args[0])
        field = fields.get(wire) if isinstance(wire, str) else None
        if field is None:
            raise UnsoundError(f"line {call.lineno}: a check of the unknown field {wire!r}")
        said = Said(field.node, self.contract.definitions)
        others = [("multiple_of", each) for each in call.args[2:]]
        others += [(str(option.arg), option.value) for option in call.keywords]
        for name, expression in others:
            value = value_of(expression)
            if isinstance(value, tuple):
                self.member(call, value, said)
            elif isinstance(value, str):
                word = dotted(call.func).removeprefix("check_")
                if value not in {"format": said.formats, "pattern": said.patterns}.get(word, ()):
                    raise UnsoundError(f"line {call.lineno}: {value!r} is not the contract's {word}")
            elif not said.has_number(name, repr(value)):
                raise UnsoundError(f"line {call.lineno}: {value!r} is not the contract's")


def without_tail(tree: ast.Module) -> ast.Module:
    """A proven module of ours, less what has no part in decoding: the Protocol, and the binding's type.

    Both take longer to run than all the rest, and `prove_module` leaves no room in them for anything to fail.
    """
    *body, protocol, binding = tree.body
    assert isinstance(protocol, ast.ClassDef)
    assert isinstance(binding, ast.AnnAssign)
    assert binding.value is not None
    assigned = ast.copy_location(ast.Assign([binding.target], binding.value), binding)
    return ast.Module([*body, assigned], [])


def _is_ellipsis(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and node.value.value is ...
