"""The types of a Struct's fields, as forms and arguments in text have them."""

from typing import Any

from msgspec import inspect


def choices_of(kind: inspect.Type) -> tuple[str, ...] | None:
    """The texts that a type allows, an enum's in its order; None for what is no choice of texts."""
    kind = stated_type(kind)[0]
    if isinstance(kind, inspect.LiteralType):
        values: tuple[Any, ...] = tuple(kind.values)
    elif isinstance(kind, inspect.EnumType):
        values = tuple(member.value for member in kind.cls)
    else:
        return None
    return values if all(isinstance(value, str) for value in values) else None


def stated_type(kind: inspect.Type) -> tuple[inspect.Type, dict[str, Any]]:
    """A type without its metadata and without None, and the JSON Schema keywords that it states."""
    stated: dict[str, Any] = {}
    while True:
        if isinstance(kind, inspect.Metadata):
            stated = {**(kind.extra_json_schema or {}), **stated}
            kind = kind.type
        elif isinstance(kind, inspect.UnionType):
            others = [each for each in kind.types if not isinstance(each, inspect.NoneType)]
            if len(others) != 1:
                return kind, stated
            kind = others[0]
        else:
            return kind, stated
