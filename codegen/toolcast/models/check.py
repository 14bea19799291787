"""Nothing but definitions: the wall between what the library wrote and what runs or is published.

A module of models imports from a few modules, binds names, and calls a few constructors. Whatever else
stands in it came from a schema's text and is refused before it can run (L8). Then the module is built once,
so that a model that cannot be imported is refused here and not in the user's program (L10).
"""

import ast
import re
import sys
import warnings
from types import ModuleType

from .plain import ModelError

_STANDARD = {
    "__future__": {"annotations"},
    "builtins": None,  # re-bound types, where a field is called `str`
    "dataclasses": {"dataclass", "field"},
    "enum": {"Enum", "IntEnum", "StrEnum"},
    "re": {"compile"},
    "typing": None,
    "typing_extensions": None,
}
_PYDANTIC = {**_STANDARD, "pydantic": None, "decimal": {"Decimal"}}
_ALLOWED = {"pydantic": _PYDANTIC, "dataclass": _STANDARD, "typeddict": _STANDARD}
_TYPES = frozenset({"str", "int", "float", "bool", "list", "dict", "set", "tuple", "object", "type", "bytes"})
_CALLED = frozenset(
    {
        *("ConfigDict", "Field", "Discriminator", "Tag", "StringConstraints", "TypeAliasType", "TypedDict"),
        *("dataclass", "field", "compile", "Decimal"),
    }
)
_TYPE_TEXT = re.compile(r"[\w\[\], |]*")
_METHODS = frozenset({"model_rebuild", "model_validate"})
_STATEMENTS = (ast.ImportFrom, ast.ClassDef, ast.Assign, ast.AnnAssign, ast.Expr, ast.Pass)


def check_module(text: str, family: str, class_name: str) -> None:
    """Raises ModelError unless `text` defines models, `class_name` among them, and can be imported."""
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ModelError(f"the generated module does not parse: {error}") from None
    imported = _imports(module, family)
    classes = {node.name for node in module.body if isinstance(node, ast.ClassDef)}
    defined = classes | _bound(module)
    for node in ast.walk(module):
        if isinstance(node, ast.stmt) and not isinstance(node, _STATEMENTS):
            raise ModelError(f"the generated module has a {type(node).__name__} statement")
        if isinstance(node, ast.Call):
            _check_call(node, imported, classes)
        if isinstance(node, ast.AnnAssign):
            _check_annotation(node.annotation, imported)
        if isinstance(node, ast.ClassDef):
            _check_decorators(node, imported)
        if isinstance(node, ast.Attribute) and node.attr not in _METHODS:
            raise ModelError(f"the generated module uses the attribute {node.attr!r}")
    if class_name not in defined:
        raise ModelError(f"the generated module has no {class_name}, but {', '.join(sorted(defined)[:10])}")
    _build(text)


def _imports(module: ast.Module, family: str) -> dict[str, str]:
    """Local name → imported name, all of them allowed."""
    found: dict[str, str] = {}
    allowed = _ALLOWED[family]
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom):
            source = node.module or ""
            names = allowed.get(source, frozenset[str]())
            for alias in node.names:
                permitted = source in allowed and (names is None or alias.name in names)
                if node.level or not permitted or (source == "builtins" and alias.name not in _TYPES):
                    raise ModelError(f"the generated module imports {alias.name} from {source or '.'}")
                found[alias.asname or alias.name] = alias.name
    return found


def _bound(module: ast.Module) -> set[str]:
    targets = [target for node in module.body if isinstance(node, ast.Assign) for target in node.targets]
    targets += [node.target for node in module.body if isinstance(node, ast.AnnAssign)]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _check_call(node: ast.Call, imported: dict[str, str], classes: set[str]) -> None:
    function = node.func
    if isinstance(function, ast.Name) and (imported.get(function.id) in _CALLED or function.id in classes):
        return  # a constructor, or a default made of another model
    owner = function.value if isinstance(function, ast.Attribute) and function.attr in _METHODS else None
    if isinstance(owner, ast.Name) and owner.id in classes:
        return
    raise ModelError(f"the generated module calls {ast.unparse(function)[:100]}")


def _check_decorators(node: ast.ClassDef, imported: dict[str, str]) -> None:
    for item in node.decorator_list:  # a call is checked where it stands
        plain = isinstance(item, ast.Name) and imported.get(item.id) == "dataclass"
        if not plain and not isinstance(item, ast.Call):
            raise ModelError(f"the generated module decorates with {ast.unparse(item)[:100]}")


def _check_annotation(node: ast.AST, imported: dict[str, str]) -> None:
    """A string in an annotation is evaluated by whoever reads it: it may only be a type."""
    text = node.value if isinstance(node, ast.Constant) else None
    if isinstance(text, str) and not _TYPE_TEXT.fullmatch(text):
        raise ModelError(f"the generated module has the annotation {text[:100]!r}")
    generic = node.value if isinstance(node, ast.Subscript) else None
    literal = isinstance(generic, ast.Name) and imported.get(generic.id) == "Literal"
    if literal or isinstance(node, ast.Call):
        return  # what stands inside are values, and so are the arguments of Field
    for child in ast.iter_child_nodes(node):
        _check_annotation(child, imported)


def _build(text: str) -> None:
    """Run the definitions once, in a module of their own that is gone afterwards."""
    module = ModuleType("")
    module.__name__ = f"_toolcast_models_{id(module)}"
    sys.modules[module.__name__] = module  # where dataclasses and pydantic look annotations up
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(text, module.__name__, "exec", dont_inherit=True), module.__dict__)
    except (
        Exception
    ) as error:  # whatever building a class raises: a pattern no engine knows, a clash of names
        raise ModelError(f"the generated module cannot be imported: {_last_line(error)}") from None
    finally:
        del sys.modules[module.__name__]


def _last_line(error: Exception) -> str:
    lines = str(error).strip().splitlines() or [""]
    return f"{type(error).__name__}: {lines[-1].strip()[:300]}"
