"""The spec format itself as a JSON Schema 2020-12, for editors to complete and check specs with."""

from typing import Any

from .fields import COMPOSERS, PERMISSIONS
from .lint_codes import LINT_CODES
from .schema_vocabulary import vocabulary
from .tool_names import NAME

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_TEXT: dict[str, Any] = {"type": "string", "pattern": r"\S"}


def format_schema(known_providers: frozenset[str]) -> dict[str, Any]:
    """A self-contained JSON Schema of one tool spec; `known_providers` become the keys of `providers`.

    It says all that the reader refuses and a schema can say. What it cannot: duplicate keys, names of
    parameters in `secrets`, `runtime_enums` and `empty_is_absent` that do not exist, required ones in the
    last, names that clash between files.
    """
    return {
        "$schema": DIALECT,
        "title": "toolcast tool spec",
        "description": "One tool offered to a language model. The folder of the file is the tool's group.",
        "type": "object",
        "required": ["permission", "secrets"],
        "anyOf": [{"required": ["description"]}, {"required": ["summary"]}],
        "additionalProperties": False,
        "properties": {
            "$schema": {**_TEXT, "description": "Where the editor finds this schema. Ignored otherwise."},
            **_texts(),
            **_policy(),
            "parameters": _parameters(),
            "result": {
                "description": "What the tool returns as data: a typed Struct, and MCP's outputSchema.",
                "type": "object",
                "$ref": "#/$defs/schema",
            },
            "examples": {
                "description": "Calls of the tool. Checked against `parameters` when the spec is compiled.",
                "type": "array",
                "items": {"type": "object"},
                "examples": [[{"file_path": "/a.txt", "old_string": "a", "new_string": "b"}]],
            },
            "annotations": _annotations(),
            "providers": _providers(known_providers),
            "lint": _lint(),
        },
        "$defs": {"schema": vocabulary()},
    }


def _texts() -> dict[str, Any]:
    return {
        "name": {
            "description": "The tool's name. Default: the file's name without its suffix.",
            "type": "string",
            "pattern": f"^{NAME.pattern}$",
            "examples": ["edit", "web_search"],
        },
        "summary": {
            **_TEXT,
            "description": "The brief stub. Default: the first sentence of `description`.",
            "examples": ["Replace one exact string in a file."],
        },
        "description": {
            **_TEXT,
            "description": "What the model reads: what the tool does, when to use it, what it returns.",
            "examples": ["Replaces one exact, unique occurrence of old_string in a file."],
        },
    }


def _policy() -> dict[str, Any]:
    return {
        "permission": {
            "description": "The most that the tool may do. Required: it has no default, on purpose.",
            "enum": list(PERMISSIONS),
        },
        "secrets": {
            "description": "Parameters that may carry <secret_ref:NAME>. Required: [] says none, on purpose.",
            "type": "array",
            "items": {"type": "string", "not": {"const": "TODO"}},
            "uniqueItems": True,
            "examples": [[], ["command", "env"]],
        },
        "empty_is_absent": {
            "description": 'Optional parameters for which "" means that they were left out.',
            "type": "array",
            "items": {"type": "string"},
            "uniqueItems": True,
            "examples": [["cursor"]],
        },
        "runtime_enums": {
            "description": "Parameters whose values are known only when the program runs, and their source.",
            "type": "object",
            "additionalProperties": _TEXT,
            "examples": [{"agent": "agents"}],
        },
    }


def _parameters() -> dict[str, Any]:
    return {
        "description": "JSON Schema of the arguments, an object. Left out: the tool takes no arguments.",
        "type": "object",
        "properties": {"type": {"enum": ["object", ["object"]]}},
        "anyOf": [{"required": [word]} for word in ("type", *COMPOSERS)],
        "$ref": "#/$defs/schema",
        "examples": [{"type": "object", "required": ["path"], "properties": {"path": {"type": "string"}}}],
    }


def _annotations() -> dict[str, Any]:
    return {
        "description": "Hints about behaviour, in MCP's terms.",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "title": {**_TEXT, "description": "A name for people."},
            "destructive": {"type": "boolean", "description": "It may destroy or overwrite."},
            "idempotent": {"type": "boolean", "description": "A second equal call changes nothing more."},
            "open_world": {"type": "boolean", "description": "It reaches beyond a closed set of things."},
        },
    }


def _providers(known: frozenset[str]) -> dict[str, Any]:
    override = {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "strict": {"type": "boolean", "description": "Ask for, or give up, the provider's strict mode."}
        },
    }
    return {
        "description": "Overrides for single providers.",
        "type": "object",
        "additionalProperties": False,
        "properties": dict.fromkeys(sorted(known), override),
    }


def _lint() -> dict[str, Any]:
    return {
        "description": "What `toolcast lint` need not say of this tool.",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "ignore": {
                "description": "Code of a finding, and the reason why it does not apply here.",
                "type": "object",
                "additionalProperties": False,
                "properties": dict.fromkeys(LINT_CODES, _TEXT),
                "examples": [{"vague-description": "the name says it all"}],
            }
        },
    }
