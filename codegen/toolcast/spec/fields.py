"""The rule of each key of a spec: each function reports problems and returns the usable part of the value."""

from collections.abc import Collection
from typing import Any, Final

from ..jsonschema.unusable_values import library_schema
from ..permissions import PERMISSIONS, Permission
from .reader_problems import quoted
from .spec_checker import SpecChecker, is_todo, is_unwritten, kind_of, nearest
from .tool_spec import Annotations

PERMISSION_HINT: Final = "write `permission:` read, write, execute or network: the most that the tool may do"
SECRETS_HINT: Final = (
    "write `secrets: []` if none may, or list the parameters that may carry <secret_ref:NAME>"
)
NO_PARAMETERS: Final = "this tool has no parameters"
OVERRIDES: Final = ("strict", "examples")
ANNOTATION_SYNONYMS: Final = {
    "destructiveHint": "destructive",
    "idempotentHint": "idempotent",
    "openWorldHint": "open_world",
}
# With one of these at its root, a schema must be resolved before its properties are known.
COMPOSERS: Final = ("$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "not")


def no_parameters() -> dict[str, Any]:
    """The parameters of a spec that states none: a closed object without properties."""
    return {"type": "object", "properties": {}, "additionalProperties": False}


def prose(checker: SpecChecker, key: str, value: Any) -> str | None:
    """A text for the model, written by a person."""
    text = checker.text((key,), value)
    if text is None or not is_unwritten(text):
        return text
    hint = f"write `{key}:` and say what the tool does, when to use it and what it gives back"
    checker.report((key,), "todo", "a person must say what this tool does: the model reads it", hint)
    return None


def permission(checker: SpecChecker, value: Any) -> Permission | None:
    """One of `PERMISSIONS`."""
    path = ("permission",)
    if is_todo(value):
        checker.report(path, "todo", "a person must decide what this tool may do", PERMISSION_HINT)
    elif not isinstance(value, str):
        checker.wrong_type(path, value, "text", PERMISSION_HINT)
    elif value not in PERMISSIONS:
        close = nearest(value, PERMISSIONS)
        hint = f"did you mean `{close}`? {PERMISSION_HINT}" if close else PERMISSION_HINT
        checker.report(path, "bad-permission", f"{quoted(value)} is not a permission", hint)
    else:
        return value
    return None


def parameters(checker: SpecChecker, value: Any) -> dict[str, Any] | None:
    """An object schema: `type: object`, or a reference or composition, which `contract` resolves."""
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


def result(checker: SpecChecker, value: Any) -> dict[str, Any] | None:
    """A schema of what the tool returns."""
    return checker.mapping(("result",), value, _schema_hint(value))


def _schema_hint(value: Any) -> str:
    if isinstance(value, list):
        return "write a JSON Schema: `type: object`, and below `properties:` each name as a key, without `- `"
    return "write a JSON Schema: `type: object`, and below `properties:` a name and its schema per line"


def property_names(schema: Any) -> frozenset[str] | None:
    """The top-level properties of a parameters schema; None where it must be resolved first."""
    if not isinstance(schema, dict) or any(word in schema for word in COMPOSERS):
        return None
    properties = schema.get("properties")
    return frozenset(properties) if isinstance(properties, dict) else None


def check_parameter_name(
    checker: SpecChecker, path: tuple[str | int, ...], name: str, known: frozenset[str] | None
) -> None:
    """Report a name that is none of the parameters `known`; None where they cannot be told."""
    if known is None or name in known:
        return
    hint = checker.suggest(name, known, "the parameters are")[0] if known else NO_PARAMETERS
    key = isinstance(path[-1], str)
    checker.report(
        path, "unknown-parameter", f"{quoted(name)} is not a parameter of this tool", hint, key=key
    )


def _parameter_names(
    checker: SpecChecker, key: str, value: list[Any], known: frozenset[str] | None, hint: str, *,
    required: Collection[Any] = (),
) -> tuple[str, ...]:  # fmt: skip
    """The names in the list at `key`, each once, without those that are no parameter, or `required`."""
    names: dict[str, None] = {}
    for index, name in enumerate(value):
        path = (key, index)
        if not isinstance(name, str):
            message = f"a parameter's name must be text, not {kind_of(name)}"
            checker.report(path, "wrong-type", message, hint)
        elif name in names:
            checker.report(path, "repeated", f"{quoted(name)} is listed twice", "keep one")
        elif name in required:
            message = f"{quoted(name)} is required, so it cannot be left out"
            checker.report(path, "required-parameter", message, "take it out of the list, or of `required`")
        else:
            check_parameter_name(checker, path, name, known)
            names[name] = None
    return tuple(names)


def secrets(checker: SpecChecker, value: Any, known: frozenset[str] | None) -> tuple[str, ...]:
    """Names of top-level parameters, each once."""
    undecided = [each for each in value if is_todo(each)] if isinstance(value, list) else []
    if is_todo(value) or not (known or frozenset()).issuperset(undecided):
        checker.report(
            ("secrets",), "todo", "a person must decide which parameters may carry secrets", SECRETS_HINT
        )
        return ()
    if not isinstance(value, list):
        checker.wrong_type(("secrets",), value, "a list of parameter names", SECRETS_HINT)
        return ()
    return _parameter_names(checker, "secrets", value, known, SECRETS_HINT)


def empty_is_absent(
    checker: SpecChecker, value: Any, schema: Any, known: frozenset[str] | None
) -> tuple[str, ...]:
    """Names of optional top-level parameters, each once; `schema` is that of all parameters."""
    key = "empty_is_absent"
    hint = 'list the optional parameters for which "" means that they were left out'
    if not isinstance(value, list):
        checker.wrong_type((key,), value, "a list of parameter names", hint)
        return ()
    required = schema.get("required") if isinstance(schema, dict) else None
    if known is None and value and isinstance(schema, dict) and any(word in schema for word in COMPOSERS):
        message = "which parameters are optional cannot be told where `parameters` is composed at its root"
        checker.report(
            (key,), "unknown-parameter", message, "write `properties` and `required` there plainly"
        )
        return ()
    names = required if isinstance(required, list) else []
    return _parameter_names(checker, key, value, known, hint, required=names)


def described_by(
    checker: SpecChecker, value: Any, schema: Any, known: frozenset[str] | None, secrets: Collection[str]
) -> str | None:
    """The name of a top-level parameter that holds words for the person who approves a call.

    `schema` is that of all parameters. An approval does not depend on the words, so they must do nothing: the
    parameter is plain text, and carries no secret.
    """
    path = ("described_by",)
    hint = "name the parameter whose text tells a person what the call does"
    name = checker.text(path, value)
    if name is None:
        return None
    if known is None:
        if isinstance(schema, dict) and property_names(schema) is None:
            message = "what a parameter is cannot be told where `parameters` has no plain `properties`"
            checker.report(path, "unknown-parameter", message, "write `properties` there plainly")
        return None
    if name not in known:
        hint = checker.suggest(name, known, "the parameters are")[0] if known else NO_PARAMETERS
        message = f"{quoted(name)} is not a parameter of this tool"
        checker.report(path, "unknown-parameter", message, hint)
    elif not _is_plain_text(schema["properties"][name]):
        message = f"{quoted(name)} is not plain text, so it is more than words for a person"
        checker.report(path, "not-text", message, f"{hint}: `type: string`, without `enum` and `const`")
    elif name in secrets:
        message = f"{quoted(name)} may carry secrets, and an approval would not depend on which"
        checker.report(path, "secret-words", message, "take it out of `secrets`, or name another parameter")
    else:
        return name
    return None


def _is_plain_text(schema: Any) -> bool:
    if not isinstance(schema, dict) or "enum" in schema or "const" in schema:
        return False
    return schema.get("type") in ("string", ["string"], ["string", "null"], ["null", "string"])


def runtime_enums(checker: SpecChecker, value: Any, known: frozenset[str] | None) -> dict[str, str]:
    """Parameter name → the name under which the program supplies its values."""
    entries = checker.mapping(("runtime_enums",), value) or {}
    result: dict[str, str] = {}
    for name, source in entries.items():
        path = ("runtime_enums", name)
        check_parameter_name(checker, path, name, known)
        text = checker.text(path, source)
        if text is not None:
            result[name] = text
    return result


def annotations(checker: SpecChecker, value: Any) -> Annotations:
    """Hints about behaviour; all optional."""
    entries = checker.mapping(("annotations",), value) or {}
    if "readOnlyHint" in entries:
        hint = "leave it out: MCP clients are told by `permission`, true for `read`"
        message = "`readOnlyHint` is not a known key"
        checker.report(("annotations", "readOnlyHint"), "unknown-key", message, hint, key=True)
    stated = {key: each for key, each in entries.items() if key != "readOnlyHint"}
    checker.known_keys(("annotations",), stated, Annotations.__struct_fields__, ANNOTATION_SYNONYMS)
    flags: dict[str, bool] = {}
    for name in ("destructive", "idempotent", "open_world"):
        if name not in entries:
            continue
        if isinstance(entries[name], bool):
            flags[name] = entries[name]
        else:
            checker.wrong_type(
                ("annotations", name), entries[name], "true or false", boolean_hint(entries[name])
            )
    title = checker.text(("annotations", "title"), entries["title"]) if "title" in entries else None
    return Annotations(title=title, **flags)


def providers(checker: SpecChecker, value: Any, known: frozenset[str]) -> dict[str, dict[str, Any]]:
    """Per-provider overrides: `strict`, and whether the provider is sent `examples`."""
    entries = checker.mapping(("providers",), value) or {}
    result: dict[str, dict[str, Any]] = {}
    for name, override in entries.items():
        path = ("providers", name)
        if name not in known:
            hint, _ = checker.suggest(name, known, "known providers are")
            checker.report(
                path, "unknown-provider", f"{quoted(name)} is not a known provider", hint, key=True
            )
        options = checker.mapping(path, override)
        if options is None:
            continue
        checker.known_keys(path, options, OVERRIDES, {})
        for key in OVERRIDES:
            if key in options and not isinstance(options[key], bool):
                checker.wrong_type((*path, key), options[key], "true or false", boolean_hint(options[key]))
        result[name] = options
    return result


def boolean_hint(value: Any) -> str:
    """What to write for true or false."""
    if isinstance(value, str) and value.lower() in ("yes", "on", "y", "no", "off", "n"):
        return "YAML 1.2 reads `yes`, `no`, `on` and `off` as text; write true or false"
    return "write true or false"
