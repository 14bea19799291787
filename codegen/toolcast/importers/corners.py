"""Published schemas that the compiler would refuse as a whole, for what one corner of them says."""

from typing import Any

from ..providers import LedgerEntry, SchemaError
from ..providers.quarantine import quarantined_source, standing_alone
from ..providers.upgraded_schema import source_of


def without_bad_corners(schema: Any) -> tuple[Any, tuple[LedgerEntry, ...]]:
    """The schema without its bad corners and with OpenAPI's `nullable` as a union with null; and what became
    of each.

    The very same object where there is none. A schema that cannot be read is left as it is, for the compiler
    to say why.
    """
    if not isinstance(schema, dict):
        return schema, ()
    try:
        source = source_of(schema)
        cleaned = quarantined_source(source)
    except (SchemaError, RecursionError):
        return schema, ()
    changes = tuple(
        entry
        for place, entry in cleaned.entries.items()
        if entry.keyword == "nullable" or place not in source.entries
    )
    return (standing_alone(cleaned), changes) if changes else (schema, ())
