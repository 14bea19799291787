"""The table of the keys of a spec.

Made from it are the schema of the format (`editor_schema`), the checks of specs (`read_by_schema`), the
arguments of bindings, the placeholders of provider envelopes, the ledger of specs, rules of `diff`, and the
reference page of keys.
"""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final

from msgspec import Struct

from ..jsonschema.json_values import JsonObject
from ..permissions import PERMISSIONS, SCOPE
from ..runtime.hidden_parameters import PATH
from ..runtime.mcp_headers import HEADER_NAME, KEYWORD
from .deprecation import DEPRECATED_SCHEMA, DEPRECATED_WORDS
from .fields import (
    COMPOSERS,
    ICONS_SCHEMA,
    ICONS_WORDS,
    META_SCHEMA,
    META_WORDS,
    PERMISSION_HINT,
    SECRETS_HINT,
    SOURCE_SCHEMA,
)
from .http_key import HTTP_WORDS, http_schema
from .spec_checker import TEXT, UNWRITTEN, Names, Words, closed
from .suppressions import Command, suppressions_schema, suppressions_words
from .text_input import INPUT_SCHEMA, INPUT_WORDS
from .tool_names import NAME
from .tool_spec import CALLERS, DEFAULTS, TASK_SUPPORT


class _FlagRule(Struct, frozen=True):
    """The report of `diff` on something that is asked for now, or no more."""

    id: str
    asked: str  # the message where the new state asks for it
    dropped: str  # the message where the old state did


class Key(Struct, frozen=True, kw_only=True):
    """One key of a spec.

    Attributes:
        name: the key.
        text: one or more sentences about it, for editors and the reference page.
        schema: JSON Schema of its value, with examples.
        default: words for what holds where the key is left out; empty: nothing holds.
        required: whether every spec has it.
        page: where the documentation explains it at length, from docs/reference.
        synonyms: names that other formats have for it.
        plain: whether its schema says all that its value must be; others have a reader in `spec_reader`.
        words: what diagnostics say beside `code` and `hint`, by a pattern of the path of members, as
            `fnmatch` reads it; the empty path is the key. The first that fits counts.
        field: the field of `ToolSpec` that has the value; empty for the name of the key.
        code: the code of the diagnostic of a value that the key cannot have.
        hint: what to write.
        bound: whether bindings have the value, as a field of the same name, or of the name `field`.
        carriers: the placeholders in envelopes of providers that carry the value.
        asks: values, or members of a list, that ask for something; empty: any does.
        unsent: why a provider without a place for it is not sent it, as the end of a sentence; empty where
            nothing more is known.
        rule: the rule of `diff` about a plain key whose values ask for something or do not.
        audience: the audience of `diff` to whom a change that shows in definitions is reported by a rule of
            its own; empty where those who read definitions see it there.
    """

    name: str
    text: str
    schema: JsonObject
    default: str = ""
    required: bool = False
    page: str = ""
    synonyms: tuple[str, ...] = ()
    plain: bool = False
    field: str = ""
    code: str = "bad-value"
    hint: str = ""
    words: Mapping[str, Words] = {}
    bound: bool = False
    carriers: tuple[str, ...] = ()
    asks: tuple[Any, ...] = ()
    unsent: str = ""
    rule: _FlagRule | None = None
    audience: str = ""

    @property
    def described(self) -> JsonObject:
        """Return the schema with its description, for editors."""
        text = f"{self.text} Default: {self.default}." if self.default else self.text
        return {"description": text, **self.schema}

    def value_in(self, tool: object) -> object:
        return getattr(tool, self.field or self.name)

    def words_at(self, path: Sequence[str | int]) -> Words:
        """Return the words for the member at a path below the key."""
        shown = ".".join(map(str, path))
        found = (words for at, words in self.words.items() if fnmatchcase(shown, at))
        return next(found, Words(hint=self.hint))

    def asks_for(self, value: object) -> bool:
        """Return whether a value asks for something that does not happen anyway."""
        if value is None or value == () or value == {}:
            return False
        members = value if isinstance(value, tuple) else (value,)
        return not self.asks or any(each in self.asks for each in members)


_PROSE: Final[JsonObject] = {**TEXT, "not": {"pattern": f"^{UNWRITTEN}"}}


def _flag(example: bool) -> JsonObject:
    return {"type": "boolean", "examples": [example]}


def _names(*examples: list[str], **items: object) -> JsonObject:
    return {
        "type": "array",
        "items": {"type": "string", **items},
        "uniqueItems": True,
        "examples": list(examples),
    }


EXAMPLE: Final[JsonObject] = {
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

_HEADER: Final = {
    "type": "string",
    "pattern": f"^{HEADER_NAME.pattern}$",
    "description": "The header into which HTTP clients of MCP copy the argument: Mcp-Param-<this>.",
}
_OVERRIDE: Final = closed(
    {
        "strict": {"type": "boolean", "description": "Ask for, or give up, the provider's strict mode."},
        "examples": {"type": "boolean", "description": "Whether the provider is sent `examples`."},
        "description": {**_PROSE, "description": "What its models read in place of `description`."},
        "parameters": {
            "type": "object",
            "additionalProperties": _PROSE,
            "description": "Descriptions of single parameters for its models, by path: `filters[].since`.",
        },
    }
)
_EMPTY_HINT: Final = 'list the optional parameters for which "" means that they were left out'
_INJECT_HINT: Final = (
    "write `context.NAME`, as in `context.user_id`: NAME is a key of the `extra` of a call's context"
)
_TEXT_HINT: Final = (
    "list paths of members, such as `items[].id`, each behind `- `, or write a template below `text: |`"
)


def _ignored(command: Command, *examples: JsonObject) -> Key:
    return Key(
        name=command,
        text=f"What `toolcast {command}` need not report of this tool.",
        schema=suppressions_schema(command, *examples),
        page="specs.md#suppressions",
        field=f"{command}_ignore",
        words=suppressions_words(command),
    )


_KEYS: Final = (
    Key(
        name="$schema",
        text="Where the editor finds this schema. Ignored otherwise.",
        schema={**TEXT, "examples": ["../.toolcast.schema.json"]},
    ),
    Key(
        name="name",
        text="The tool's name.",
        default="the file's name without its suffix",
        schema={"type": "string", "pattern": f"^{NAME.pattern}$", "examples": ["list_orders"]},
    ),
    Key(
        name="summary",
        text="What brief lists of tools show.",
        default="the first sentence of `description`",
        schema={**_PROSE, "examples": ["List the orders of a customer."]},
    ),
    Key(
        name="description",
        text="What the model reads: what the tool does, when to use it, what it returns.",
        schema={**_PROSE, "examples": [EXAMPLE["description"]]},
    ),
    Key(
        name="permission",
        text="The most that the tool may do. Required: it has no default, on purpose.",
        required=True,
        code="bad-permission",
        hint=PERMISSION_HINT,
        schema={"enum": list(PERMISSIONS), "examples": ["read"]},
        audience="trust",
    ),
    Key(
        name="secrets",
        text="Parameters that may carry <secret_ref:NAME>. Required: [] says none, on purpose.",
        required=True,
        hint=SECRETS_HINT,
        words={"": Words(wanted="a list of parameter names", hint=SECRETS_HINT)},
        page="runtime.md#secrets",
        schema=_names(["token"], [], **{"not": {"const": "TODO"}}),
    ),
    Key(
        name="scopes",
        text="OAuth scopes that whoever calls the tool must have, all of them.",
        default="none",
        page="specs.md#scopes-of-the-caller",
        schema=_names(["orders:read"], pattern=f"^{SCOPE.pattern}$"),
        plain=True,
        code="bad-scope",
        words={
            "": Words(hint="write `- ` before each scope; leave the key out for none"),
            "*": Words(
                wanted="a scope (RFC 6749, 3.3)",
                hint="write one word without blanks, quotes and backslashes, such as `orders:read`",
            ),
        },
        bound=True,
        audience="calls",
    ),
    Key(
        name="parameters",
        text="JSON Schema of the arguments, an object. Left out: the tool takes no arguments.",
        synonyms=("inputSchema", "input_schema", "arguments"),
        page="specs.md#parameters",
        schema={
            "type": "object",
            "properties": {
                "type": {"enum": ["object", ["object"]]},
                "properties": {"additionalProperties": {"properties": {KEYWORD: _HEADER}}},
            },
            "anyOf": [{"required": [word]} for word in ("type", *COMPOSERS)],
            "$ref": "#/$defs/schema",
            "examples": [EXAMPLE["parameters"]],
        },
    ),
    Key(
        name="input",
        text="In place of `parameters`: the argument is one text, free or of a grammar.",
        page="specs.md#one-text",
        code="bad-input",
        words=INPUT_WORDS,
        schema=INPUT_SCHEMA,
    ),
    Key(
        name="result",
        text="What the tool returns as data: a typed Struct, and MCP's outputSchema.",
        synonyms=("outputSchema", "output_schema", "returns"),
        schema={
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
    ),
    Key(
        name="describe_result",
        text="Whether definitions hold the schema of `result`. Programs have the typed result either way.",
        default="true",
        schema=_flag(False),
        plain=True,
    ),
    Key(
        name="defaults",
        text="Whether results hold members that equal their default.",
        default="they do, unless the receiving side sees the schema of results",
        schema={"enum": list(DEFAULTS), "examples": ["omit"]},
        plain=True,
        code="bad-defaults",
        hint="write `include` for results with members that equal their default, `omit` for results without",
        bound=True,
    ),
    Key(
        name="text",
        text="The text of typed results for models: paths of the members to keep, or a template. MCP's "
        "structured content is not affected.",
        default="the whole result, as compact JSON",
        page="specs.md#texts-of-results",
        schema={
            **TEXT,
            "type": ["string", "array"],
            "items": TEXT,
            "minItems": 1,
            "uniqueItems": True,
            "examples": [["orders[]"], "- {orders[]}"],
        },
        plain=True,
        code="bad-text",
        words={
            "": Words(wanted="a list of paths, or a template", hint=_TEXT_HINT),
            "*": Words(hint=_TEXT_HINT),
        },
        bound=True,
    ),
    Key(
        name="parallel",
        text="Whether a call may run beside the other calls of an answer.",
        default="true",
        page="specs.md#how-calls-run",
        schema=_flag(False),
        plain=True,
        bound=True,
    ),
    Key(
        name="external",
        text="Whether calls are carried out outside of the program, which has no handler for them. Not "
        "beside `http`.",
        default="false",
        page="specs.md#how-calls-run",
        schema=_flag(True),
        plain=True,
        bound=True,
    ),
    Key(
        name="callers",
        text="Who may call the tool: `model`, `code` (programs that a model writes) or both.",
        default="what the provider does; code may",
        synonyms=("allowed_callers",),
        page="specs.md#who-calls-a-tool",
        schema={
            "type": "array",
            "items": {"enum": list(CALLERS)},
            "minItems": 1,
            "uniqueItems": True,
            "examples": [["model", "code"], ["code"]],
        },
        plain=True,
        code="bad-caller",
        hint="list `model`, `code` (programs that a model writes) or both; leave the key out for the default",
        bound=True,
        carriers=("$callers",),
        asks=("code",),
        audience="calls",
    ),
    Key(
        name="defer",
        text="Whether the model reads the tool only once it searched for it.",
        default="false",
        synonyms=("defer_loading",),
        page="specs.md#who-calls-a-tool",
        schema=_flag(True),
        plain=True,
        bound=True,
        carriers=("$defer",),
        asks=(True,),
        unsent="the provider loads no tools on demand; a `Disclosure` shows such tools in part",
        rule=_FlagRule(
            "loading-changed",
            "models read the tool once they have searched for it",
            "models read the tool at once",
        ),
    ),
    Key(
        name="stream_arguments",
        text="Whether arguments are streamed as the model writes them, before they are JSON that was "
        "checked.",
        default="what the provider does",
        synonyms=("eager_input_streaming",),
        page="specs.md#who-calls-a-tool",
        schema=_flag(True),
        plain=True,
        bound=True,
        carriers=("$stream_arguments",),
        asks=(True,),
        rule=_FlagRule(
            "arguments-streamed",
            "arguments are streamed unchecked now",
            "arguments are no longer streamed unchecked",
        ),
        audience="code",
    ),
    Key(
        name="blocking",
        text="Whether the model waits for results before it goes on.",
        default="it does",
        synonyms=("behavior",),
        page="specs.md#who-calls-a-tool",
        schema=_flag(False),
        plain=True,
        bound=True,
        carriers=("$behavior", "$async"),
        asks=(False,),
        rule=_FlagRule(
            "results-timing",
            "the model goes on before it has the result now",
            "the model waits for the result now",
        ),
        audience="results",
    ),
    Key(
        name="execution",
        text="How clients of MCP carry out calls.",
        page="specs.md#who-calls-a-tool",
        schema=closed(
            {
                "task_support": {
                    "enum": list(TASK_SUPPORT),
                    "description": "Whether a call may, or must, be a task. Default: forbidden.",
                }
            },
            {"task_support": "optional"},
        ),
        plain=True,
        bound=True,
        field="task_support",
        code="bad-task-support",
        carriers=("$task_support",),
        asks=("optional", "required"),
        audience="results",
    ),
    Key(
        name="examples",
        text="Calls of the tool. Checked against `parameters` when the spec is compiled.",
        page="specs.md#examples-for-providers",
        plain=True,
        hint="write `- ` before each example, and its arguments as `name: value`; `{}` for none",
        schema={
            "type": "array",
            "items": {"type": "object"},
            "examples": [[{"customer": "Ada Lovelace"}, {"customer": "4711", "region": "north"}]],
        },
    ),
    Key(
        name="annotations",
        text="Hints about behaviour, in MCP's terms.",
        schema=closed(
            {
                "title": {**TEXT, "description": "A name for people."},
                "destructive": {"type": "boolean", "description": "It may destroy or overwrite."},
                "idempotent": {"type": "boolean", "description": "A second equal call changes nothing more."},
                "open_world": {
                    "type": "boolean",
                    "description": "It reaches beyond a closed set of things.",
                },
            },
            {"title": "List orders", "destructive": False, "idempotent": True, "open_world": False},
        ),
        plain=True,
        words={
            "": Words(
                names=Names(
                    synonyms={
                        "destructiveHint": "destructive",
                        "idempotentHint": "idempotent",
                        "openWorldHint": "open_world",
                    },
                    refused={
                        "readOnlyHint": "leave it out: MCP clients are told by `permission`, true for `read`"
                    },
                )
            )
        },
        audience="trust",
    ),
    Key(
        name="runtime_enums",
        text="Parameters whose values are known only when the program runs, and their source.",
        schema={"type": "object", "additionalProperties": TEXT, "examples": [{"region": "regions"}]},
    ),
    Key(
        name="empty_is_absent",
        text='Optional parameters for which "" means that they were left out.',
        schema=_names(["cursor"]),
        hint=_EMPTY_HINT,
        words={"": Words(wanted="a list of parameter names", hint=_EMPTY_HINT)},
    ),
    Key(
        name="described_by",
        text="The parameter with words for the person who approves a call. An approval does not depend "
        "on it.",
        page="specs.md#words-for-the-approver",
        schema={**TEXT, "examples": ["reason"]},
    ),
    Key(
        name="inject",
        text="Parameters that the program fills in, and where each value is in a call's context. Models "
        "neither see nor set them.",
        page="specs.md#what-the-program-fills-in",
        code="bad-path",
        words={
            "": Words(hint="write a line per parameter: `user_id: context.user_id`"),
            "*": Words(wanted="a path to a value of the program", hint=_INJECT_HINT),
        },
        schema={
            "type": "object",
            "additionalProperties": {"type": "string", "pattern": f"^{PATH.pattern}$"},
            "examples": [{"user_id": "context.user_id"}],
        },
    ),
    Key(
        name="http",
        text="The HTTP request that the tool stands for, in OpenAPI's terms.",
        page="http.md",
        schema=http_schema(),
        words=HTTP_WORDS,
    ),
    Key(
        name="providers",
        text="Overrides for single providers: strict mode, examples, and texts that only their models read.",
        schema={"type": "object", "additionalProperties": _OVERRIDE},
        page="specs.md#texts-for-one-provider",
        words=dict.fromkeys(
            ("*.description", "*.parameters.*"),
            Words(code="todo", wanted="a text for models", hint="write what the provider's models read"),
        ),
        audience="provider",
    ),
    _ignored(
        "lint",
        {"vague-description": "the name says it all"},
        {"not-strict": {"reason": "the next version closes the object", "until": "2027-03-01"}},
    ),
    _ignored(
        "verify",
        {"few-instances": "the pattern is known from the server"},
        {"second-opinion": {"reason": "the next version has another pattern", "until": "2027-03-01"}},
    ),
    _ignored("diff", {"tool-removed": {"reason": "nobody calls it", "until": "2027-03-01"}}),
    Key(
        name="icons",
        text="Images that stand for the tool, for MCP.",
        carriers=("$icons",),
        plain=True,
        code="bad-icon",
        words=ICONS_WORDS,
        schema=ICONS_SCHEMA,
    ),
    Key(
        name="meta",
        text="Data for programs: MCP's `_meta`.",
        synonyms=("_meta",),
        carriers=("$meta",),
        plain=True,
        words=META_WORDS,
        schema=META_SCHEMA,
    ),
    Key(
        name="deprecated",
        text="That the tool is to be used no more. Models read it before the description.",
        page="specs.md#deprecated-tools",
        code="bad-deprecated",
        words=DEPRECATED_WORDS,
        schema=DEPRECATED_SCHEMA,
        audience="model",
    ),
    Key(
        name="source",
        text="What the spec was imported from; `toolcast import` finds it again by this.",
        page="importing.md",
        plain=True,
        code="bad-source",
        hint="import again, or take `source` out",
        schema=SOURCE_SCHEMA,
    ),
)

KEYS: Final[dict[str, Key]] = {key.name: key for key in _KEYS}
"""All keys by name, in the order of the reference page."""

SYNONYMS: Final[dict[str, str]] = {other: key.name for key in _KEYS for other in key.synonyms}
"""Names of other formats, each with the key that is meant."""

SENT: Final = tuple(key for key in _KEYS if key.carriers)
"""The keys that providers are sent as a value of their own."""
