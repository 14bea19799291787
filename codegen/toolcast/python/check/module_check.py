"""Compares a rendered module with its contract, before anything is published.

The module is parsed once. Its statements must be the expected ones, row by row, of the kinds of syntax that
generated code consists of; and every literal in it must be the contract's: wire names, enum members,
defaults, descriptions, tags, patterns, bounds. So no text from a spec can have become code, and none can have
become another text (law L8). `isolate` then runs the module and builds its decoder (law L10).
"""

import ast
from collections.abc import Sequence

from ...contract.tree import Contract, Object
from ..structs.module_model import ClassDefinition, Definition, Module
from .allowed_syntax import PACKAGES, PYTHON, require_allowed_syntax
from .class_check import check_class
from .literal_check import LiteralChecker
from .statements import ModuleText
from .syntax import alias_values, defined_name, is_text
from .tail import check_tail
from .unsound_error import UnsoundError


def check_module(
    tree: ast.Module,
    module: Module,
    contract: Contract,
    *,
    python: bytes,
    tail: Sequence[str] = (),
    ours: bool = True,
) -> None:
    """Raise UnsoundError unless `tree`, the syntax of `python`, holds just what `module` defines, with the
    literals of `contract`.

    `tail` are the names that follow the definitions: a tool's Protocol and its binding. With `ours` false
    an overriding template printed the module, and may have added statements of its own.
    """
    _ModuleCheck(tree, module, contract, tail, text=ModuleText(python), ours=ours).run()


class _ModuleCheck:
    def __init__(
        self,
        tree: ast.Module,
        module: Module,
        contract: Contract,
        tail: Sequence[str],
        *,
        text: ModuleText,
        ours: bool,
    ) -> None:
        self.tree, self.contract, self.tail, self.text, self.ours = tree, contract, tail, text, ours
        self.expected = (*module.definitions, *module.late_definitions)
        self.imported = {name for _, names in (*module.imports, *module.late_imports) for name in names}

    def run(self) -> None:
        body = self.tree.body
        imports = [node for node in body if isinstance(node, (ast.Import, ast.ImportFrom))]
        statements = [node for node in body if node not in imports and not is_text(node)]
        imported = self.check_imports(imports)
        expected = [definition.name for definition in self.expected]
        names = frozenset({*imported, *expected, *self.tail})
        literals = LiteralChecker(self.contract, names)
        found = {name: node for node in statements if (name := defined_name(node))}
        if self.ours:
            order = [defined_name(node) or f"a statement in line {node.lineno}" for node in statements]
            if order != [*expected, *self.tail]:
                raise UnsoundError(
                    f"it defines {', '.join(order)}; expected were {', '.join([*expected, *self.tail])}"
                )
        for definition in self.expected:
            if definition.name not in found:
                raise UnsoundError(f"it does not define {definition.name}")
            self.check_definition(found[definition.name], definition, literals)
        for name in self.tail:
            if name not in found:
                raise UnsoundError(f"it does not define {name}")
            if self.ours:
                check_tail(found[name], names)
            elif isinstance(node := found[name], ast.AnnAssign) and node.value is not None:
                require_allowed_syntax(node.value, names)

    def check_imports(self, statements: list[ast.Import | ast.ImportFrom]) -> set[str]:
        names: set[str] = set()
        for node in statements:
            names |= {alias.asname or alias.name for alias in node.names}
            known = isinstance(node, ast.ImportFrom) and (node.module in PACKAGES or node.level > 0)
            whole = isinstance(node, ast.Import) and [alias.name for alias in node.names]
            known |= whole == ["msgspec"] or (bool(whole) and set(whole or ()) <= PYTHON)
            renamed = any(alias.asname is not None for alias in node.names)
            if self.ours and (renamed or not known):
                raise UnsoundError(f"line {node.lineno}: unexpected import")
        if missing := self.imported - names:
            raise UnsoundError(f"it does not import {', '.join(sorted(missing))}")
        return names

    def check_definition(self, node: ast.stmt, definition: Definition, literals: LiteralChecker) -> None:
        targets = literals.nodes.get(definition.pointer, [])
        if not targets:
            raise UnsoundError(f"{definition.name} is not in the contract")
        if isinstance(definition, ClassDefinition):
            target = next((each for each in targets if isinstance(each, Object)), None)
            if target is None:
                raise UnsoundError(f"line {node.lineno}: {definition.name} should be a class")
            check_class(node, definition, target, literals, self.text)
            return
        allowed = literals.allowed(targets[0])
        for row, value in alias_values(node, definition):
            literals.check_annotation(value, allowed)
            if isinstance(row, ast.Assign):
                expected = f"{definition.name} = {definition.marker}"
            else:
                expected = f"{definition.name}: TypeAlias = {definition.text}"
            self.text.require(row, expected, definition.name)
