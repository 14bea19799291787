"""Checks what the schemas of keys of a spec cannot say; the schemas of `icons`, `meta` and `source`."""

import re
from collections.abc import Collection, Mapping
from typing import Any, Final, get_args

from ..jsonschema.json_values import JsonObject
from ..jsonschema.unusable_values import library_schema
from .spec_checker import TEXT, Names, SpecChecker, Words, closed, is_todo, is_unwritten, quoted
from .tool_spec import SourceKind

PERMISSION_HINT: Final = "write `permission:` read, write, execute or network: the most that the tool may do"
SECRETS_HINT: Final = (
    "write `secrets: []` if none may, or list the parameters that may carry <secret_ref:NAME>"
)
_NO_PARAMETERS: Final = "this tool has no parameters"
# With one of these at its root, a schema must be resolved before its properties are known.
COMPOSERS: Final = ("$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "not")

SOURCE_KINDS: Final[tuple[SourceKind, ...]] = get_args(SourceKind)
SOURCE_SCHEMA: Final = closed(
    {
        "kind": {"enum": list(SOURCE_KINDS), "description": "The kind of source."},
        "name": {**TEXT, "description": "The source's own name of the tool."},
        "from": {**TEXT, "description": "Which source of that kind."},
    },
    {"kind": "openapi", "name": "listOrders", "from": "openapi.json"},
    required=("kind", "name", "from"),
)


def _any_case(word: str) -> str:
    """Return a pattern for a word in letters of any case, which editors read as `re` does."""
    return "".join(f"[{each}{each.upper()}]" for each in word)


_ICON_SOURCE: Final = re.compile(
    f"^(?:{_any_case('http')}{_any_case('s')}?://|{_any_case('data')}:{_any_case('image')}/)"
)
"""Addresses of icons; MCP warns of others, such as `javascript:`. Schemes (RFC 3986, 3.1) and types of media
(RFC 6838, 4.2) are the same in capitals."""
_LABEL = "[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
META_KEY: Final = re.compile(
    rf"^(?:{_LABEL}(?:[.]{_LABEL})*/)?(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?$"
)
"""Keys of MCP's `_meta`: "a series of labels separated by dots (.), followed by a slash (/)" or nothing, and
a name (MCP 2026-07-28, basic, General fields). For `fullmatch`."""
META_WORDS: Final = {
    "": Words(
        names=Names(
            code="bad-meta-key",
            wanted="a key of MCP's `_meta`",
            hint="write letters, digits, `-`, `_` and `.`, beginning and ending with a letter or "
            "digit, and before that a domain of yours, turned around, and a slash, such as "
            "`com.example/team`",
        )
    )
}
META_SCHEMA: Final[JsonObject] = {
    "type": "object",
    "propertyNames": {"pattern": META_KEY.pattern},
    "examples": [{"com.example/team": "orders"}],
}
_RESERVED_LABELS: Final = frozenset(("modelcontextprotocol", "mcp"))
_RESERVED_NAMES: Final = frozenset(("traceparent", "tracestate", "baggage"))
_ICON: Final = closed(
    {
        "src": {"type": "string", "pattern": _ICON_SOURCE.pattern, "description": "Address of the image."},
        "mimeType": {**TEXT, "description": "Such as image/png."},
        "sizes": {"type": "array", "items": TEXT, "description": "Such as 48x48, or any."},
        "theme": {"enum": ["light", "dark"], "description": "The background that it is drawn for."},
    },
    required=("src",),
)
ICONS_WORDS: Final = {
    "": Words(hint="write `- ` before each icon"),
    "*.src": Words(wanted="an address of an icon", hint="begin it with https:// or data:image/"),
    "*.sizes": Words(hint="write a list, such as `[48x48]`"),
    "*.sizes.*": Words(),
    "*.*": Words(),
    "*": Words(
        hint="write `src:` and the address of the image",
        names=Names(synonyms={"mime_type": "mimeType"}),
    ),
}
ICONS_SCHEMA: Final[JsonObject] = {
    "type": "array",
    "items": _ICON,
    "examples": [
        [
            {"src": "https://example.com/orders.svg", "mimeType": "image/svg+xml"},
            {"src": "https://example.com/dark.png", "sizes": ["48x48"], "theme": "dark"},
        ]
    ],
}


def no_parameters() -> JsonObject:
    """Return the parameters of a spec that states none: a closed object without properties."""
    return {"type": "object", "properties": {}, "additionalProperties": False}


def prose(checker: SpecChecker, key: str, value: object) -> str | None:
    """Read a text for the model, written by a person."""
    text = checker.text((key,), value)
    if text is None or not is_unwritten(text):
        return text
    hint = f"write `{key}:` and say what the tool does, when to use it and what it gives back"
    checker.report((key,), "todo", "a person must say what this tool does: the model reads it", hint)
    return None


def parameters(checker: SpecChecker, value: object) -> JsonObject | None:
    """Read an object schema: `type: object`, or a reference or composition, which `contract` resolves."""
    schema = checker.mapping(("parameters",), value, _schema_hint(value))
    if schema is None:
        return None
    found = library_schema(schema, root=True)
    if found is not None:
        if found.schema is None:  # which the contract refuses
            return schema
        schema = found.schema
    if "type" in schema:
        if schema["type"] not in ("object", ["object"]):
            message = "the `type` of `parameters` must be `object`: arguments always arrive by name"
            checker.report(("parameters", "type"), "not-an-object", message, "write `type: object`")
    elif not any(word in schema for word in COMPOSERS):
        checker.report(
            ("parameters",), "not-an-object", "`parameters` lacks its `type`", "add `type: object`"
        )
    return schema


def result(checker: SpecChecker, value: object) -> JsonObject | None:
    """Read a schema of what the tool returns."""
    return checker.mapping(("result",), value, _schema_hint(value))


def _schema_hint(value: object) -> str:
    if isinstance(value, list):
        return "write a JSON Schema: `type: object`, and below `properties:` each name as a key, without `- `"
    return "write a JSON Schema: `type: object`, and below `properties:` a name and its schema per line"


def property_names(schema: object) -> frozenset[str] | None:
    """Return the top-level properties of a schema of parameters; None where it must be resolved first."""
    if not isinstance(schema, dict) or any(word in schema for word in COMPOSERS):
        return None
    properties = schema.get("properties")
    return frozenset(properties) if isinstance(properties, dict) else None


def check_parameter_name(
    checker: SpecChecker, path: tuple[str | int, ...], name: str, known: frozenset[str] | None
) -> None:
    """Report a name that is none of the parameters `known`; nothing where these are None."""
    if known is None or name in known:
        return
    hint = checker.suggest(name, known, "the parameters are")[0] if known else _NO_PARAMETERS
    message = f"{quoted(name)} is not a parameter of this tool"
    checker.report(path, "unknown-parameter", message, hint, key=path[-1] == name)


def _parameter_names(
    checker: SpecChecker, key: str, stated: list[str | None], known: frozenset[str] | None, *,
    required: Collection[object] = (),
) -> tuple[str, ...]:  # fmt: skip
    """Return the names in the list at `key`, without those that are no parameter, or `required`."""
    names: list[str] = []
    for index, name in enumerate(stated):
        path = (key, index)
        if name is None:
            continue
        if name in required:
            message = f"{quoted(name)} is required, so it cannot be left out"
            checker.report(path, "required-parameter", message, "take it out of the list, or of `required`")
        else:
            check_parameter_name(checker, path, name, known)
            names.append(name)
    return tuple(names)


def undecided_secrets(checker: SpecChecker, value: object, known: frozenset[str] | None) -> bool:
    """Report secrets that an importer left for a person to decide; return whether there are any."""
    undecided = [each for each in value if is_todo(each)] if isinstance(value, list) else []
    if not is_todo(value) and (known or frozenset()).issuperset(undecided):
        return False
    message = "a person must decide which parameters may carry secrets"
    checker.report(("secrets",), "todo", message, SECRETS_HINT)
    return True


def secrets(checker: SpecChecker, stated: list[str | None], known: frozenset[str] | None) -> tuple[str, ...]:
    """Return the names of parameters that may carry secrets."""
    return _parameter_names(checker, "secrets", stated, known)


def empty_is_absent(
    checker: SpecChecker, stated: list[str | None], schema: object, known: frozenset[str] | None
) -> tuple[str, ...]:
    """Return the names of optional parameters; `schema` is that of all parameters."""
    key = "empty_is_absent"
    required = schema.get("required") if isinstance(schema, dict) else None
    if known is None and stated and isinstance(schema, dict) and any(word in schema for word in COMPOSERS):
        message = "which parameters are optional cannot be told where `parameters` is composed at its root"
        checker.report(
            (key,), "unknown-parameter", message, "write `properties` and `required` there plainly"
        )
        return ()
    names = required if isinstance(required, list) else []
    return _parameter_names(checker, key, stated, known, required=names)


def described_by(
    checker: SpecChecker, name: str, schema: Any, known: frozenset[str] | None, secrets: Collection[str]
) -> str | None:
    """Return the name of the parameter with words for the person who approves a call. An approval does not
    depend on these words, so the parameter is plain text and carries no secret. `schema` is that of all
    parameters.
    """
    path = ("described_by",)
    hint = "name the parameter whose text tells a person what the call does"
    if known is None:
        if isinstance(schema, dict) and property_names(schema) is None:
            message = "what a parameter is cannot be told where `parameters` has no plain `properties`"
            checker.report(path, "unknown-parameter", message, "write `properties` there plainly")
        return None
    if name not in known:
        check_parameter_name(checker, path, name, known)
    elif not _is_plain_text(schema["properties"][name]):
        message = f"{quoted(name)} is not plain text, so it is more than words for a person"
        checker.report(path, "not-text", message, f"{hint}: `type: string`, without `enum` and `const`")
    elif name in secrets:
        message = f"{quoted(name)} may carry secrets, and an approval would not depend on which"
        checker.report(path, "secret-words", message, "take it out of `secrets`, or name another parameter")
    else:
        return name
    return None


def _is_plain_text(schema: object) -> bool:
    if not isinstance(schema, dict) or "enum" in schema or "const" in schema:
        return False
    return schema.get("type") in ("string", ["string"], ["string", "null"], ["null", "string"])


def check_providers(checker: SpecChecker, stated: Mapping[str, object], known: frozenset[str]) -> None:
    """Report overrides for providers that are not `known`."""
    for name in (name for name in stated if name not in known):
        hint, _ = checker.suggest(name, known, "known providers are")
        message = f"{quoted(name)} is not a known provider"
        checker.report(("providers", name), "unknown-provider", message, hint, key=True)


def is_reserved_meta_key(key: str) -> bool:
    """Return whether MCP keeps a key of `_meta` for itself. Reserved are prefixes with `modelcontextprotocol`
    or `mcp` as their second label (2025-11-25 on) or as one before the last (earlier), and the names of
    trace contexts (2026-07-28, SEP-414).
    """
    prefix, slash, _ = key.rpartition("/")
    if not slash:
        return key in _RESERVED_NAMES
    labels = prefix.lower().split(".")
    return not _RESERVED_LABELS.isdisjoint((*labels[:-1], *labels[1:2]))
