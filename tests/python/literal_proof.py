"""Law L8, read from a generated module alone: its literals are those of the spec, its syntax is ours."""

import ast
import math
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from toolcast.jsonschema.ecma import translate
from toolcast.jsonschema.validator_errors import UnsupportedPattern

STATEMENTS = (
    ast.Module, ast.Import, ast.ImportFrom, ast.alias, ast.ClassDef, ast.FunctionDef, ast.arguments, ast.arg,
    ast.AnnAssign, ast.Assign, ast.If, ast.Expr, ast.Pass, ast.keyword, ast.expr_context,
)  # fmt: skip
EXPRESSIONS = (
    ast.Name, ast.Attribute, ast.Constant, ast.Subscript, ast.Tuple, ast.List, ast.Dict, ast.Call, ast.Lambda,
    ast.BinOp, ast.BitOr, ast.UnaryOp, ast.USub, ast.Compare, ast.IsNot,
)  # fmt: skip
CALLS = frozenset(
    {
        "Meta", "ToolBinding", "check_bounds", "check_format", "check_member", "check_multiple_of",
        "check_pattern", "check_properties", "check_unique", "checked", "one_of", "open_object",
        "msgspec.field", "msgspec.convert",
    }
)  # fmt: skip
PACKAGES = ("typing", "msgspec", "toolcast.runtime", "toolcast.runtime.support")
PYTHON = ("msgspec", "datetime", "decimal", "uuid")
NAMES = frozenset(
    {"str", "int", "float", "bool", "list", "dict", "tuple", "self", "params", "context", "__name__"}
)
OWN = re.compile(
    r"A tool\.|Types that tools share\.|Properties beyond the named ones\.|Runs `[\w.-]+`: sync or async\.|"
    r"additional_properties|exact|defaults|(\.\./)*schemas|(\.\./)*contracts/[\w./-]+|/(anyOf|oneOf)/[0-9]+|mapping"
)
"""Texts that a template or the compiler has of its own."""


def faults(module: str, documents: list[Any], words: frozenset[str] = frozenset()) -> list[str]:
    """The places of a module at which it has other syntax than ours, or a literal that is in none of
    `documents`: the spec, its contract, those of its types. `words` are further texts that it may have."""
    tree, known = ast.parse(module), _Known(documents, words)
    return [
        f"line {getattr(node, 'lineno', '?')}: {ast.unparse(node)}"
        for node in (*_foreign_syntax(tree), *_foreign_literals(tree, known))
    ]


def _foreign_syntax(tree: ast.Module) -> Iterator[Any]:
    names = {*NAMES}
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {each.asname or each.name for each in node.names}
        elif isinstance(node, ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    yield from (node for node in ast.walk(tree) if not _is_ours(node, names))


def _is_ours(node: ast.AST, names: set[str]) -> bool:
    match node:
        case ast.Expr():
            return isinstance(node.value, (ast.Constant, ast.Call))
        case ast.Import():
            return all(each.name in PYTHON and each.asname is None for each in node.names)
        case ast.ImportFrom():
            return node.level > 0 or node.module in PACKAGES
        case ast.FunctionDef():
            return node.name in ("__call__", "__post_init__")
        case ast.Call():
            return ast.unparse(node.func) in CALLS
        case ast.Name():
            return node.id in names
        case _:
            return isinstance(node, (*STATEMENTS, *EXPRESSIONS))


def _foreign_literals(tree: ast.Module, known: "_Known") -> Iterator[Any]:
    seen: set[ast.AST] = set()
    known.names |= {
        node.target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    for node in ast.walk(tree):
        annotation = getattr(node, "annotation", None)
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias":
            annotation = node.value
        plain = annotation is not None and not any(
            isinstance(each, ast.Call) for each in ast.walk(annotation)
        )
        for part in ast.walk(annotation) if annotation is not None else ():
            if isinstance(part, ast.Subscript) and ast.unparse(part.value) == "Literal":
                seen |= set(ast.walk(part.slice))
                if not known.members([ast.literal_eval(each) for each in _items(part.slice)]):
                    yield part
            elif plain and part not in seen and isinstance(getattr(part, "value", None), str):
                seen.add(part)  # a quoted annotation
                yield from _foreign_literals(ast.parse(f"_: {ast.literal_eval(part)}"), known)
        if isinstance(node, ast.AnnAssign) and node.value is not None and not known.default(node):
            yield node
    yield from (
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node not in seen and not known.literal(node.value)
    )


def _items(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple) else [node]


class _Known:
    """The literals of a spec."""

    def __init__(self, documents: list[Any], words: frozenset[str]) -> None:
        self.documents, self.names = documents, {*words}
        self.texts: set[str] = set()
        self.numbers: set[float] = {0, 1}
        self.lists: list[list[str]] = []
        self.defaults: dict[str, list[str]] = {}
        for document in documents:
            self._read(document)

    def _read(self, value: Any) -> None:
        if isinstance(value, dict):
            for key, each in value.items():
                self._read(key)
                self._read(each)
                if key == "pattern" and isinstance(each, str):
                    with suppress(UnsupportedPattern):  # a value that is called "pattern"
                        self.texts.add(translate(each))
                if key.startswith("exclusive") and isinstance(each, (int, float)):
                    self.numbers |= {math.floor(each) + 1, math.ceil(each) - 1}
                if key == "const":
                    self.lists.append([repr(each)])
                if isinstance(each, dict) and "default" in each:
                    self.defaults.setdefault(key, []).append(repr(each["default"]))
        elif isinstance(value, list):
            self.lists.append([repr(each) for each in value])
            self.numbers.add(len(value))
            for each in value:
                self._read(each)
        elif isinstance(value, str):
            self.texts |= {
                value,
                *(" ".join(each.split()) for each in (value, *value.strip().splitlines()[:1])),
            }
        elif isinstance(value, (int, float)):
            self.numbers |= {value, *_whole(value)}

    def literal(self, value: Any) -> bool:
        if isinstance(value, str):
            return value in self.texts | self.names or bool(OWN.fullmatch(value)) or self._prose(value)
        return value is None or value is ... or abs(value) in {abs(each) for each in self.numbers}

    def _prose(self, value: str) -> bool:
        if "#/" in value and OWN.fullmatch(value.partition("#")[0]):
            return any(_resolves(each, value.partition("#/")[2]) for each in self.documents)
        text = " ".join(value.split())
        heads = [f"{name}: " for name in self.names if name and text.startswith(f"{name}: ")]
        for part in (text, *(text.removeprefix(head) for head in heads)):
            # The summary of a tool without one is the first sentence or line of its description.
            if part in self.texts or (part[-1:] == "." and any(each.startswith(part) for each in self.texts)):
                return True
        return False

    def members(self, values: list[Any]) -> bool:
        """Whether values stand in one list of the spec, in their order."""
        wanted = [repr(each) for each in values]
        return any([each for each in listed if each in wanted] == wanted for listed in self.lists)

    def default(self, row: ast.AnnAssign) -> bool:
        """Whether the default of a field is one that the spec has for its name on the wire."""
        options = {each.arg: each.value for each in getattr(row.value, "keywords", ())}
        value = options.get("default", row.value)
        name = options["name"].value if "name" in options else ast.unparse(row.target)  # type: ignore[attr-defined]
        if not isinstance(value, ast.Constant) or value.value is None or name not in self.defaults:
            return True
        return repr(value.value) in self.defaults[name]


def _whole(value: float) -> set[int]:
    return {math.floor(value), math.ceil(value)} if abs(value) < 2**1000 else set()


def _resolves(document: Any, pointer: str) -> bool:
    for part in pointer.split("/"):
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(document, list) and key.isdecimal() and int(key) < len(document):
            document = document[int(key)]
        elif isinstance(document, dict) and key in document:
            document = document[key]
        else:
            return False
    return True
