"""Every literal of an annotation or a marker is one that the contract has there."""

import ast
import re

from ..contract.tree import Contract, Node
from .said import Said, index
from .syntax import lambdas, unquoted
from .vocabulary import UnsoundError, dotted, require_vocabulary, value_of

_BRANCH = re.compile(r"/(anyOf|oneOf)/[0-9]+")


class Literals:
    """What a contract lets a module's expressions say; `names` are those that it may use."""

    def __init__(self, contract: Contract, names: frozenset[str]) -> None:
        self.nodes = index(contract)
        self.names = names
        self._definitions = contract.definitions

    def of(self, node: Node) -> Said:
        """What may be said of a node."""
        return Said(node, self._definitions)

    def vocabulary(self, expression: ast.expr) -> None:
        """Raise UnsoundError unless an expression is of the few kinds, and of known names."""
        require_vocabulary(expression, self.names)

    def annotation(self, expression: ast.expr, said: Said) -> None:
        """Every literal of an annotation or marker; a quoted annotation is looked into."""
        self.vocabulary(expression)
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
                self._meta(node, said)
            elif isinstance(node, ast.Call):
                self._marker(node)
                queue += lambdas(node)
            elif isinstance(node, ast.Constant):
                if node.value is not None:
                    raise UnsoundError(f"line {node.lineno}: unexpected literal {node.value!r}")
            elif isinstance(node, ast.Subscript):
                queue += (node.value, node.slice)
            elif isinstance(node, ast.BinOp):
                queue += (node.left, node.right)
            else:
                queue += [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]

    def member(self, node: ast.AST, values: tuple[object, ...], said: Said) -> None:
        """The members of one enum."""
        if repr(values) not in said.choices:
            raise UnsoundError(f"line {getattr(node, 'lineno', 0)}: {values!r} is no enum of the contract")

    def _meta(self, node: ast.Call, said: Said) -> None:
        for option in node.keywords:
            value = value_of(option.value)
            if option.arg == "pattern":
                right = value in said.patterns
            else:
                name = str(option.arg)
                right = repr(value) in said.sizes if "length" in name else said.has_number(name, repr(value))
            if not right:
                raise UnsoundError(f"line {node.lineno}: {option.arg}={value!r} is not the contract's")

    def _marker(self, node: ast.Call) -> None:
        """`checked(__name__, "file.json#pointer", …)` and its like."""
        reference = value_of(node.args[1])
        if not isinstance(reference, str) or reference.partition("#")[2] not in self.nodes:
            raise UnsoundError(f"line {node.lineno}: {reference!r} leads nowhere in the contract")
        for argument in node.args[2:]:
            if isinstance(argument, ast.Tuple) and not _BRANCH.fullmatch(str(value_of(argument.elts[0]))):
                raise UnsoundError(f"line {node.lineno}: unexpected branch {ast.unparse(argument.elts[0])}")
