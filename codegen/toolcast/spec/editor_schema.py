"""The spec format itself as a JSON Schema 2020-12, for editors to complete and check specs with."""

from typing import Any, Final

import msgspec

from ..jsonschema.mcp_headers import HEADER_NAME, KEYWORD
from ..runtime.grammars import SYNTAXES
from ..runtime.hidden_parameters import PATH
from ..runtime.permissions import PERMISSIONS
from .deprecation import ISO_DATE, MAX_VERSION, NO_VERSION, VERSION
from .fields import CALLERS, COMPOSERS, DEFAULTS, TASK_SUPPORT
from .http_schema import http_schema
from .imported_fields import ICON_SOURCE, META_KEY, SOURCE_KINDS, THEMES
from .schema_vocabulary import vocabulary
from .spec_checker import UNWRITTEN
from .suppressions import CODES, DATE, RULE, Command
from .text_input import OF_PARAMETERS
from .tool_names import NAME

DIALECT = "https://json-schema.org/draft/2020-12/schema"

EXAMPLE: Final[dict[str, Any]] = {
    "description": "Lists the orders of a customer, newest first.",
    "permission": "read",
    "secrets": [],
    "parameters": {
        "type": "object",
        "required": ["customer"],
        "additionalProperties": False,
        "properties": {
            "customer": {"type": "string", "minLength": 1, "description": "Name or number of the customer."},
            "region": {"type": "string", "description": "Orders of one region only."},
            "cursor": {"type": "string", "description": "Where to go on: next_cursor of an earlier result."},
            "token": {"type": "string", "description": "Access to the orders of another account."},
            "reason": {"type": "string", "description": "Why the orders are needed, for who approves it."},
            "user_id": {"type": "integer", "description": "Who asks."},
        },
    },
}
"""A spec to which the example of each key can be added; `input` stands in place of its parameters."""

_TEXT: dict[str, Any] = {"type": "string", "pattern": r"\S"}
_PROSE: dict[str, Any] = {**_TEXT, "not": {"pattern": f"^{UNWRITTEN}"}}


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
    return {
        "$schema": DIALECT,
        "title": "toolcast tool spec",
        "description": "One tool offered to a language model. The folder of the file is the tool's group.",
        "examples": [EXAMPLE],
        "type": "object",
        "required": ["permission", "secrets"],
        "anyOf": [{"required": ["description"]}, {"required": ["summary"]}],
        "not": {"required": ["external", "http"], "properties": {"external": {"const": True}}},
        "dependentSchemas": {"input": {"properties": dict.fromkeys(OF_PARAMETERS, False)}},
        "additionalProperties": False,
        "properties": {
            "$schema": {
                **_TEXT,
                "description": "Where the editor finds this schema. Ignored otherwise.",
                "examples": ["../.toolcast.schema.json"],
            },
            **_texts(),
            **_policy(),
            "parameters": _parameters(),
            "input": _input(),
            "result": {
                "description": "What the tool returns as data: a typed Struct, and MCP's outputSchema.",
                "type": "object",
                "$ref": "#/$defs/schema",
                "examples": [
                    {
                        "type": "object",
                        "required": ["orders"],
                        "properties": {"orders": {"type": "array", "items": {"type": "string"}}},
                    }
                ],
            },
            "defaults": {
                "description": "Whether results hold members that equal their default. Default: they do, "
                "unless the receiving side sees the schema of results.",
                "enum": list(DEFAULTS),
                "examples": ["omit"],
            },
            **_handlers(),
            **_requests(),
            "examples": {
                "description": "Calls of the tool. Checked against `parameters` when the spec is compiled.",
                "type": "array",
                "items": {"type": "object"},
                "examples": [[{"customer": "Ada Lovelace"}, {"customer": "4711", "region": "north"}]],
            },
            "annotations": _annotations(),
            "http": http_schema(),
            "providers": _providers(known_providers),
            **{command: _ignored(command, known) for command, known in CODES.items()},
            **_shown(),
            "deprecated": _deprecated(),
            "source": _source(),
        },
        "$defs": {"schema": vocabulary()},
    }


def format_text(known_providers: frozenset[str]) -> str:
    """The text of the file that editors read: `format_schema` as JSON."""
    return msgspec.json.format(msgspec.json.encode(format_schema(known_providers)), indent=2).decode() + "\n"


def _texts() -> dict[str, Any]:
    return {
        "name": {
            "description": "The tool's name. Default: the file's name without its suffix.",
            "type": "string",
            "pattern": f"^{NAME.pattern}$",
            "examples": ["list_orders"],
        },
        "summary": {
            **_PROSE,
            "description": "What brief lists of tools show. Default: the first sentence of `description`.",
            "examples": ["List the orders of a customer."],
        },
        "description": {
            **_PROSE,
            "description": "What the model reads: what the tool does, when to use it, what it returns.",
            "examples": [EXAMPLE["description"]],
        },
    }


def _policy() -> dict[str, Any]:
    return {
        "permission": {
            "description": "The most that the tool may do. Required: it has no default, on purpose.",
            "enum": list(PERMISSIONS),
            "examples": ["read"],
        },
        "secrets": {
            "description": "Parameters that may carry <secret_ref:NAME>. Required: [] says none, on purpose.",
            "type": "array",
            "items": {"type": "string", "not": {"const": "TODO"}},
            "uniqueItems": True,
            "examples": [["token"], []],
        },
        "empty_is_absent": {
            "description": 'Optional parameters for which "" means that they were left out.',
            "type": "array",
            "items": {"type": "string"},
            "uniqueItems": True,
            "examples": [["cursor"]],
        },
        "described_by": {
            **_TEXT,
            "description": "The parameter with words for the person who approves a call. An approval does "
            "not depend on it.",
            "examples": ["reason"],
        },
        "inject": {
            "description": "Parameters that the program fills in, and where each value is in a call's "
            "context. Models neither see nor set them.",
            "type": "object",
            "additionalProperties": {"type": "string", "pattern": f"^{PATH.pattern}$"},
            "examples": [{"user_id": "context.user_id"}],
        },
        "runtime_enums": {
            "description": "Parameters whose values are known only when the program runs, and their source.",
            "type": "object",
            "additionalProperties": _TEXT,
            "examples": [{"region": "regions"}],
        },
    }


def _handlers() -> dict[str, Any]:
    return {
        "parallel": {
            "description": "Whether a call may run beside the other calls of an answer. Default: true.",
            "type": "boolean",
            "examples": [False],
        },
        "external": {
            "description": "Whether calls are carried out outside of the program, which has no handler for "
            "them. Default: false. Not beside `http`.",
            "type": "boolean",
            "examples": [True],
        },
    }


def _requests() -> dict[str, Any]:
    return {
        "callers": {
            "description": "Who may call the tool: `model`, `code` (programs that a model writes) or both. "
            "Default: what the provider does; code may.",
            "type": "array",
            "items": {"enum": list(CALLERS)},
            "minItems": 1,
            "uniqueItems": True,
            "examples": [["model", "code"], ["code"]],
        },
        "defer": {
            "description": "Whether the model reads the tool only once it searched for it. Default: false.",
            "type": "boolean",
            "examples": [True],
        },
        "stream_arguments": {
            "description": "Whether arguments are streamed as the model writes them, before they are JSON "
            "that was checked. Default: what the provider does.",
            "type": "boolean",
            "examples": [True],
        },
        "blocking": {
            "description": "Whether the model waits for results before it goes on. Default: it does.",
            "type": "boolean",
            "examples": [False],
        },
        "execution": {
            "description": "How clients of MCP carry out calls.",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "task_support": {
                    "enum": list(TASK_SUPPORT),
                    "description": "Whether a call may, or must, be a task. Default: forbidden.",
                }
            },
            "examples": [{"task_support": "optional"}],
        },
    }


def _parameters() -> dict[str, Any]:
    header = {
        "type": "string",
        "pattern": f"^{HEADER_NAME.pattern}$",
        "description": "The header into which HTTP clients of MCP copy the argument: Mcp-Param-<this>.",
    }
    return {
        "description": "JSON Schema of the arguments, an object. Left out: the tool takes no arguments.",
        "type": "object",
        "properties": {
            "type": {"enum": ["object", ["object"]]},
            "properties": {"additionalProperties": {"properties": {KEYWORD: header}}},
        },
        "anyOf": [{"required": [word]} for word in ("type", *COMPOSERS)],
        "$ref": "#/$defs/schema",
        "examples": [EXAMPLE["parameters"]],
    }


def _input() -> dict[str, Any]:
    grammar = {
        "type": "object",
        "required": ["grammar", "definition"],
        "additionalProperties": False,
        "properties": {
            "grammar": {"enum": list(SYNTAXES), "description": "The syntax of the definition."},
            "definition": {
                **_TEXT,
                "description": "The grammar in Lark's syntax, or a regular expression in Rust's.",
            },
        },
    }
    return {
        "description": "In place of `parameters`: the argument is one text, free or of a grammar.",
        "anyOf": [{"const": "text"}, grammar],
        "examples": ["text", {"grammar": "regex", "definition": "[0-9]{4}-[0-9]{2}"}],
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
        "examples": [
            {"title": "List orders", "destructive": False, "idempotent": True, "open_world": False},
        ],
    }


def _providers(known: frozenset[str]) -> dict[str, Any]:
    override = {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "strict": {"type": "boolean", "description": "Ask for, or give up, the provider's strict mode."},
            "examples": {"type": "boolean", "description": "Whether the provider is sent `examples`."},
        },
    }
    return {
        "description": "Overrides for single providers.",
        "type": "object",
        "additionalProperties": False,
        "properties": dict.fromkeys(sorted(known), override),
        "examples": [{each: {"strict": False, "examples": True}} for each in sorted(known & {"openai"})],
    }


def _ignored(command: Command, known: tuple[str, ...] | None) -> dict[str, Any]:
    """The key of one command: `known` are the codes that it may name; None for any."""
    mapping = {
        "type": "object",
        "required": ["reason", "until"] if command == "diff" else ["reason"],
        "additionalProperties": False,
        "properties": {
            "reason": {**_TEXT, "description": "Why it does not apply."},
            "until": {
                "type": "string",
                "pattern": f"^{DATE.pattern}$",
                "format": "date",
                "description": "The last day on which it is suppressed.",
            },
        },
    }
    entry = mapping if command == "diff" else {"anyOf": [_TEXT, mapping]}
    ignore: dict[str, Any] = {
        "description": "The code, and the reason why it does not apply here.",
        "type": "object",
        "additionalProperties": False if known else entry,
    }
    if known:
        ignore["properties"] = dict.fromkeys(known, entry)
    else:
        ignore["propertyNames"] = {"pattern": f"^{RULE.pattern}$"}
    return {
        "description": f"What `toolcast {command}` need not report of this tool.",
        "type": "object",
        "additionalProperties": False,
        "properties": {"ignore": {**ignore, "examples": _IGNORED[command]}},
        "examples": [{"ignore": each} for each in _IGNORED[command]],
    }


_IGNORED: Final[dict[Command, list[Any]]] = {
    "lint": [
        {"vague-description": "the name says it all"},
        {"not-strict": {"reason": "the next version closes the object", "until": "2027-03-01"}},
    ],
    "verify": [
        {"few-instances": "the pattern is known from the server"},
        {"second-opinion": {"reason": "the next version has another pattern", "until": "2027-03-01"}},
    ],
    "diff": [{"tool-removed": {"reason": "nobody calls it", "until": "2027-03-01"}}],
}


def _shown() -> dict[str, Any]:
    icon = {
        "type": "object",
        "required": ["src"],
        "additionalProperties": False,
        "properties": {
            "src": {"type": "string", "pattern": ICON_SOURCE.pattern, "description": "Address of the image."},
            "mimeType": {**_TEXT, "description": "Such as image/png."},
            "sizes": {"type": "array", "items": _TEXT, "description": "Such as 48x48, or any."},
            "theme": {"enum": list(THEMES), "description": "The background that it is drawn for."},
        },
    }
    return {
        "icons": {
            "type": "array",
            "items": icon,
            "description": "Images that stand for the tool, for MCP.",
            "examples": [
                [
                    {"src": "https://example.com/orders.svg", "mimeType": "image/svg+xml"},
                    {"src": "https://example.com/dark.png", "sizes": ["48x48"], "theme": "dark"},
                ]
            ],
        },
        "meta": {
            "type": "object",
            "propertyNames": {"pattern": META_KEY.pattern},
            "description": "Data for programs: MCP's `_meta`.",
            "examples": [{"com.example/team": "orders"}],
        },
    }


def _deprecated() -> dict[str, Any]:
    return {
        "description": "That the tool is to be used no more. Models read it before the description.",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "since": {**_TEXT, "description": "The version or the date of the deprecation."},
            "use": {**_TEXT, "description": "The name of the tool to use instead, or a text."},
            "remove_after": {
                "type": "string",
                "maxLength": MAX_VERSION,
                "pattern": rf"^\s*(?:{ISO_DATE}|(?!{NO_VERSION}\s*$){VERSION})\s*$",
                "description": "The last day, or the last version, that still has the tool.",
            },
        },
        "examples": [{"since": "2.1", "use": "find_orders", "remove_after": "2027-03-01"}],
    }


def _source() -> dict[str, Any]:
    return {
        "description": "What the spec was imported from; `toolcast import` finds it again by this.",
        "type": "object",
        "required": ["kind", "name", "from"],
        "additionalProperties": False,
        "properties": {
            "kind": {"enum": list(SOURCE_KINDS), "description": "The kind of source."},
            "name": {**_TEXT, "description": "The source's own name of the tool."},
            "from": {**_TEXT, "description": "Which source of that kind."},
        },
        "examples": [{"kind": "openapi", "name": "listOrders", "from": "openapi.json"}],
    }
