"""What classes say of their fields: in docstrings, and in strings below fields.

Neither msgspec nor pydantic reads these: their schemas have a class's docstring in one piece.
"""

import ast
import inspect
import itertools
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any, get_args, get_origin, get_type_hints

from .docstrings import DocText, read_docstring

_LIBRARIES = ("builtins", "enum", "msgspec", "pydantic", "typing", "typing_extensions")
"""Whose base classes state no parameters."""
_MAX_CLASSES = 1_000
_FIELDS = ("__struct_fields__", "__dataclass_fields__", "__pydantic_fields__", "__total__")
"""Attributes of classes that have fields."""


def read_class(cls: type) -> DocText:
    """What a class says of itself, and of its fields by the names that they have in JSON."""
    document = read_docstring(_own_doc(cls))
    texts = {**document.parameters, **_texts_below_fields(cls)}
    names = _json_names(cls)
    return DocText(
        text=document.text, parameters={names.get(name, name): text for name, text in texts.items()}
    )


def with_field_texts(schema: Mapping[str, Any], document: DocText) -> dict[str, Any]:
    """The schema of an object with descriptions of those properties that have none."""
    texts = document.parameters
    properties = {
        name: {**each, "description": texts[name]}
        if name in texts and isinstance(each, dict) and "description" not in each
        else each
        for name, each in schema.get("properties", {}).items()
    }
    return {**schema, "properties": properties} if properties else dict(schema)


def described_definitions(
    definitions: Mapping[str, Any], annotations: Iterable[Any]
) -> dict[str, dict[str, Any]]:
    """Definitions of the classes that occur in `annotations`, with what those say of their fields."""
    classes = _classes(annotations)
    return {
        name: _described(schema, classes.get(schema.get("title"))) for name, schema in definitions.items()
    }


def _described(schema: dict[str, Any], cls: type | None) -> dict[str, Any]:
    if cls is None:
        return schema
    document = read_class(cls)
    made = with_field_texts(schema, document)
    stated = made.get("description")
    if isinstance(stated, str) and inspect.cleandoc(stated) == inspect.cleandoc(_own_doc(cls) or ""):
        made["description"] = document.text  # without the sections, and not indented
    return made


def _classes(annotations: Iterable[Any]) -> dict[Any, type | None]:
    """Classes with fields by their names, at any depth; None for a name that several have."""
    found: dict[Any, type | None] = {}
    waiting, seen = list(annotations), set[int]()
    while waiting and len(found) < _MAX_CLASSES:
        annotation = waiting.pop()
        if id(annotation) in seen:
            continue
        seen.add(id(annotation))
        waiting += get_args(annotation)
        kind = get_origin(annotation) or annotation
        if not isinstance(kind, type) or not any(hasattr(kind, name) for name in _FIELDS):
            continue
        found[kind.__name__] = kind if found.get(kind.__name__, kind) is kind else None
        try:
            waiting += get_type_hints(kind, include_extras=True).values()
        except Exception:  # the program's own code; what matters was refused with its schema
            continue
    return found


def _json_names(cls: type) -> dict[str, str]:
    """The names of fields that have another one in JSON."""
    fields, encoded = getattr(cls, "__struct_fields__", ()), getattr(cls, "__struct_encode_fields__", ())
    names: dict[str, str] = dict(zip(fields, encoded, strict=True))
    models: Any = getattr(cls, "__pydantic_fields__", {})
    for name, field in models.items():
        alias = getattr(field, "validation_alias", None) or getattr(field, "alias", None)
        if isinstance(alias, str):
            names[name] = alias
    return names


def _own_doc(cls: type) -> str | None:
    """The docstring that the class was written with; dataclasses are given one that repeats the fields."""
    text = vars(cls).get("__doc__")
    if not isinstance(text, str) or text.startswith(f"{cls.__name__}("):
        return None
    return text


def _texts_below_fields(cls: type) -> dict[str, str]:
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        if base.__module__.partition(".")[0] in _LIBRARIES:
            continue
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(base)))
        except (OSError, TypeError, ValueError, SyntaxError, RecursionError):
            continue  # built in, or made at run time
        body = tree.body[0].body if tree.body and isinstance(tree.body[0], ast.ClassDef) else []
        for field, text in itertools.pairwise(body):
            if (
                isinstance(field, ast.AnnAssign)
                and isinstance(field.target, ast.Name)
                and isinstance(text, ast.Expr)
                and isinstance(text.value, ast.Constant)
                and isinstance(text.value.value, str)
            ):
                found[field.target.id] = " ".join(text.value.value.split())
    return found
