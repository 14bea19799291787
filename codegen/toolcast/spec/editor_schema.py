"""The spec format itself as a JSON Schema 2020-12, for editors to complete and check specs with."""

from typing import Any

import msgspec

from .keys import EXAMPLE, KEYS
from .schema_vocabulary import vocabulary
from .text_input import OF_PARAMETERS

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def format_schema(known_providers: frozenset[str]) -> dict[str, Any]:
    """Make the JSON Schema of a spec, for editors.

    Args:
        known_providers: ids of the providers that `providers` may name.

    Returns:
        A self-contained schema. It refuses what the reader refuses, except what a schema cannot state:
        duplicate keys; names in `secrets`, `runtime_enums`, `empty_is_absent`, `described_by`, `inject` and
        `http` that are no parameters, those in `inject` that another key names, required ones in
        `empty_is_absent`, others than text in `described_by`; which place has which style; names that clash
        between files; whether a grammar can be read.
    """
    properties = {name: key.described for name, key in KEYS.items()}
    properties["providers"] = _of_providers(properties["providers"], known_providers)
    return {
        "$schema": DIALECT,
        "title": "toolcast tool spec",
        "description": "One tool offered to a language model. The folder of the file is the tool's group.",
        "examples": [EXAMPLE],
        "type": "object",
        "required": [name for name, key in KEYS.items() if key.required],
        "anyOf": [{"required": ["description"]}, {"required": ["summary"]}],
        "not": {"required": ["external", "http"], "properties": {"external": {"const": True}}},
        "dependentSchemas": {"input": {"properties": dict.fromkeys(OF_PARAMETERS, False)}},
        "additionalProperties": False,
        "properties": properties,
        "$defs": {"schema": vocabulary()},
    }


def format_text(known_providers: frozenset[str]) -> str:
    """The text of the file that editors read: `format_schema` as JSON."""
    return msgspec.json.format(msgspec.json.encode(format_schema(known_providers)), indent=2).decode() + "\n"


def _of_providers(schema: dict[str, Any], known: frozenset[str]) -> dict[str, Any]:
    """The schema of `providers` with the names that it may have."""
    return {
        **schema,
        "additionalProperties": False,
        "properties": dict.fromkeys(sorted(known), schema["additionalProperties"]),
        "examples": [{each: {"strict": False, "examples": True}} for each in sorted(known & {"openai"})],
    }
