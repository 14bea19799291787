"""Before anything is published: does a rendered module say what its contract says, and nothing else?

The module is parsed once. Its statements must be the ones that were meant, row by row, made of the few kinds
of syntax that generated code uses; and every literal in it must be the contract's own: wire names, enum
members, defaults, descriptions, tags, patterns, bounds. So no text from a spec can have become code, and none
can have become another text (law L8). `isolate` then runs it and builds its decoder (law L10).
"""

import ast
from collections.abc import Sequence

from ..contract.tree import Contract, Object
from ..structs.model import ClassDefinition, Definition, Module
from .classes import prove_class
from .ending import prove_ending
from .literals import Literals
from .meant import Printed
from .syntax import alias_values, defined_name
from .vocabulary import PACKAGES, PYTHON, UnsoundError, is_text, require_vocabulary

__all__ = ["UnsoundError", "prove_module"]


def prove_module(
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
    _Proof(tree, module, contract, tail, printed=Printed(python), ours=ours).run()


class _Proof:
    def __init__(
        self,
        tree: ast.Module,
        module: Module,
        contract: Contract,
        tail: Sequence[str],
        *,
        printed: Printed,
        ours: bool,
    ) -> None:
        self.tree, self.contract, self.tail, self.printed, self.ours = tree, contract, tail, printed, ours
        self.meant = (*module.definitions, *module.late_definitions)
        self.brought = {name for _, names in (*module.imports, *module.late_imports) for name in names}

    def run(self) -> None:
        body = self.tree.body
        statements = [
            node for node in body if not isinstance(node, (ast.Import, ast.ImportFrom)) and not is_text(node)
        ]
        imported = self.imports([node for node in body if isinstance(node, (ast.Import, ast.ImportFrom))])
        meant = [definition.name for definition in self.meant]
        names = frozenset({*imported, *meant, *self.tail})
        literals = Literals(self.contract, names)
        found = {name: node for node in statements if (name := defined_name(node))}
        if self.ours:
            order = [defined_name(node) or f"a statement in line {node.lineno}" for node in statements]
            if order != [*meant, *self.tail]:
                raise UnsoundError(
                    f"it defines {', '.join(order)}; meant were {', '.join([*meant, *self.tail])}"
                )
        for definition in self.meant:
            if definition.name not in found:
                raise UnsoundError(f"it does not define {definition.name}")
            self.definition(found[definition.name], definition, literals)
        for name in self.tail:
            if name not in found:
                raise UnsoundError(f"it does not define {name}")
            if self.ours:
                prove_ending(found[name], names)
            elif isinstance(node := found[name], ast.AnnAssign) and node.value is not None:
                require_vocabulary(node.value, names)

    def imports(self, statements: list[ast.Import | ast.ImportFrom]) -> set[str]:
        names: set[str] = set()
        for node in statements:
            names |= {alias.asname or alias.name for alias in node.names}
            known = isinstance(node, ast.ImportFrom) and (node.module in PACKAGES or node.level > 0)
            whole = isinstance(node, ast.Import) and [alias.name for alias in node.names]
            known |= whole == ["msgspec"] or (bool(whole) and set(whole or ()) <= PYTHON)
            renamed = any(alias.asname is not None for alias in node.names)
            if self.ours and (renamed or not known):
                raise UnsoundError(f"line {node.lineno}: unexpected import")
        if missing := self.brought - names:
            raise UnsoundError(f"it does not import {', '.join(sorted(missing))}")
        return names

    def definition(self, node: ast.stmt, definition: Definition, literals: Literals) -> None:
        targets = literals.nodes.get(definition.pointer, [])
        if not targets:
            raise UnsoundError(f"{definition.name} has no place in the contract")
        if isinstance(definition, ClassDefinition):
            target = next((each for each in targets if isinstance(each, Object)), None)
            if target is None:
                raise UnsoundError(f"line {node.lineno}: {definition.name} should be a class")
            prove_class(node, definition, target, literals, self.printed)
            return
        said = literals.of(targets[0])
        for row, value in alias_values(node, definition):
            literals.annotation(value, said)
            if isinstance(row, ast.Assign):
                meant = f"{definition.name} = {definition.marker}"
            else:
                meant = f"{definition.name}: TypeAlias = {definition.text}"
            self.printed.require(row, meant, definition.name)
