"""The normal form of a spec with errors, for the checks that remain: what is wrong there accepts any value.

A schema that accepts more than its author means must not make another one accept less, or its diagnostics
would be false. So what accepts less where a schema below accepts more is left out, or loosened.
"""

from collections.abc import Collection, Mapping
from typing import Any, Final

from msgspec.structs import replace

from ..jsonschema.subschemas import map_subschemas
from ..spec.parsed_document import Document, Path
from .normal_form import NormalForm

_LEFT_OUT: Final = frozenset(
    {"not", "if", "then", "else", "maxContains", "unevaluatedItems", "unevaluatedProperties"}
)
"""Keywords that refuse a value because another schema accepts it, or a part of it."""


def lenient_form(normal: NormalForm, circular: Collection[str]) -> NormalForm:
    """Loosen a normal form in which defects were left out.

    Args:
        normal: the normal form.
        circular: definitions that refer only to themselves; they accept any value.

    Returns:
        A normal form that accepts all that the author of the spec can mean.
    """
    origins = dict(normal.origins)

    def loosened(schema: Any) -> Any:
        if not isinstance(schema, dict):
            return schema
        made = map_subschemas({k: v for k, v in schema.items() if k not in _LEFT_OUT}, loosened)
        if "oneOf" in made:
            branches = made.pop("oneOf")
            made.setdefault("anyOf", branches)
        _copy_origin(origins, schema, made)
        return made

    return replace(
        normal,
        roots={name: loosened(schema) for name, schema in normal.roots.items()},
        defs={name: True if name in circular else loosened(schema) for name, schema in normal.defs.items()},
        origins=origins,
    )


def _copy_origin(
    origins: dict[int, tuple[Document, Path]], schema: Mapping[str, Any], made: Mapping[str, Any]
) -> None:
    if id(schema) in origins:
        origins[id(made)] = origins[id(schema)]
