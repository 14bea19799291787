"""Every literal of an annotation or a marker is one that the contract has there."""

import ast
import re

from ...contract.tree import Contract, Node
from .allowed import AllowedLiterals, nodes_by_pointer
from .allowed_syntax import require_allowed_syntax
from .syntax import dotted, marker_types, unquoted, value_of
from .unsound_error import UnsoundError

_BRANCH = re.compile(r"/(anyOf|oneOf)/[0-9]+")


class LiteralChecker:
    """Compares the literals of a module's expressions with a contract; `names` are those that it may use."""

    def __init__(self, contract: Contract, names: frozenset[str]) -> None:
        self.nodes = nodes_by_pointer(contract)
        self.names = names
        self._definitions = contract.definitions

    def allowed(self, node: Node) -> AllowedLiterals:
        """The literals that the annotation of a node may hold."""
        return AllowedLiterals(node, self._definitions)

    def check_syntax(self, expression: ast.expr) -> None:
        """Raise UnsoundError unless an expression is of the few kinds, and of known names."""
        require_allowed_syntax(expression, self.names)

    def check_annotation(self, expression: ast.expr, allowed: AllowedLiterals) -> None:
        """Compare every literal of an annotation or marker with the contract; a quoted annotation is looked
        into. Raises UnsoundError for one that is not the contract's."""
        self.check_syntax(expression)
        queue: list[ast.expr] = [expression]
        while queue:
            node = queue.pop()
            if isinstance(node, ast.Name):
                continue
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                self.check_annotation(unquoted(node), allowed)
            elif isinstance(node, ast.Subscript) and dotted(node.value) == "Literal":
                members = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
                self.check_enum(node, tuple(value_of(item) for item in members), allowed)
            elif isinstance(node, ast.Call) and dotted(node.func) == "Meta":
                self._check_meta(node, allowed)
            elif isinstance(node, ast.Call):
                self._check_marker(node)
                queue += marker_types(node)
            elif isinstance(node, ast.Constant):
                if node.value is not None:
                    raise UnsoundError(f"line {node.lineno}: unexpected literal {node.value!r}")
            elif isinstance(node, ast.Subscript):
                queue += (node.value, node.slice)
            elif isinstance(node, ast.BinOp):
                queue += (node.left, node.right)
            else:
                queue += [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]

    def check_enum(self, node: ast.AST, values: tuple[object, ...], allowed: AllowedLiterals) -> None:
        """Raise UnsoundError unless values are all members of one enum of the contract."""
        if repr(values) not in allowed.choices:
            raise UnsoundError(f"line {getattr(node, 'lineno', 0)}: {values!r} is no enum of the contract")

    def _check_meta(self, node: ast.Call, allowed: AllowedLiterals) -> None:
        for option in node.keywords:
            value = value_of(option.value)
            if option.arg == "pattern":
                equal = value in allowed.patterns
            else:
                name = str(option.arg)
                number = repr(value)
                equal = number in allowed.sizes if "length" in name else allowed.has_number(name, number)
            if not equal:
                raise UnsoundError(f"line {node.lineno}: {option.arg}={value!r} is not the contract's")

    def _check_marker(self, node: ast.Call) -> None:
        """`checked(__name__, "file.json#pointer", …)` and its like."""
        reference = value_of(node.args[1])
        if not isinstance(reference, str) or reference.partition("#")[2] not in self.nodes:
            raise UnsoundError(f"line {node.lineno}: {reference!r} is no node of the contract")
        for argument in node.args[2:]:
            if isinstance(argument, ast.Tuple) and not _BRANCH.fullmatch(str(value_of(argument.elts[0]))):
                raise UnsoundError(f"line {node.lineno}: unexpected branch {ast.unparse(argument.elts[0])}")
