"""The shapes in which tools are declared: MCP, OpenAI, Anthropic, Gemini, Bedrock, plain records.

Published schemas are made fit for the compiler: Gemini's dialect, defaults that do not fit, defects. An
import removes a wrong default, since a typed field cannot hold it; that changes no verdict.
"""

import copy
from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec import Struct

from ..diagnostics import Diagnostic
from ..jsonschema.document import Document, ExternalReference, SchemaLocation, written_subschemas
from ..jsonschema.json_values import JsonObject
from ..jsonschema.keywords import SIZES, subschemas
from ..jsonschema.pointers import join
from ..jsonschema.quarantine import sound_schema
from ..jsonschema.schema_node import LibrarySchemaError, SchemaChange, SchemaError
from ..jsonschema.upgrade import draft_of
from ..jsonschema.validator import Validator
from ..jsonschema.validator_errors import UnsupportedSchema
from ..runtime.grammars import SYNTAXES, GrammarError, TextInput, grammar_of
from ..spec.fields import META_KEY
from ..spec.read_by_schema import is_icon
from ..spec.text_input import text_parameters
from ..spec.tool_spec import Caller, SourceKind, TaskSupport
from .tool_lists import Element

_TYPES = {
    name.upper(): name for name in ("string", "number", "integer", "boolean", "array", "object", "null")
}
_MAPS = frozenset({"properties", "$defs", "defs"})
_LISTS = frozenset({"anyOf", "prefixItems"})
_SCHEMAS = frozenset({"items", "additionalProperties"})


def from_gemini(schema: object) -> object:
    """Return the JSON Schema that a Gemini schema means; a value that is no schema comes back as it is."""
    if not isinstance(schema, dict):
        return schema
    result: JsonObject = {}
    for key, value in schema.items():
        if key in _MAPS and isinstance(value, dict):
            result[key] = {name: from_gemini(child) for name, child in value.items()}
        elif key in _LISTS and isinstance(value, list):
            result[key] = [from_gemini(child) for child in value]
        elif key in _SCHEMAS:
            result[key] = from_gemini(value)
        elif key == "type" and isinstance(value, str):
            result[key] = _TYPES.get(value, value)
        elif key in SIZES and isinstance(value, str) and value.isascii() and value.isdigit():
            result[key] = int(value)
        else:
            result[key] = value
    return _nullable(result) if result.get("nullable") is True else result


def _nullable(schema: JsonObject) -> JsonObject:
    result = {key: value for key, value in schema.items() if key != "nullable"}
    if isinstance(result.get("type"), str):
        result["type"] = [result["type"], "null"]
        if isinstance(result.get("enum"), list) and None not in result["enum"]:
            result["enum"] = [*result["enum"], None]
    elif isinstance(result.get("anyOf"), list):
        result["anyOf"] = [*result["anyOf"], {"type": "null"}]
    else:
        return schema  # nothing to widen; the compiler checks the keyword
    return result


_MAX_DEPTH = 64


def without_wrong_defaults(parameters: object) -> tuple[Any, tuple[tuple[str, Any], ...]]:
    """Return a schema without defaults that it refuses itself, and those: (JSON pointer, default).

    Null stays, since it means absent. A schema that cannot be validated stays, for the compiler to report.
    """
    if not isinstance(parameters, dict):
        return parameters, ()
    try:
        document = Document(parameters)
        wrong = [
            (pointer, schema["default"])
            for pointer, schema in _schemas(parameters, "", 0)
            if schema.get("default") is not None and not _fits(schema, pointer, document)
        ]
    except UnsupportedSchema:
        return parameters, ()
    if not wrong:
        return parameters, ()
    cleaned = copy.deepcopy(parameters)
    for pointer, schema in list(_schemas(cleaned, "", 0)):
        if any(pointer == other for other, _ in wrong):
            del schema["default"]
    return cleaned, tuple(wrong)


def _fits(schema: JsonObject, pointer: str, document: Document) -> bool:
    try:
        validator = Validator(schema, root=document, pointer=pointer, formats=True)
    except UnsupportedSchema:
        return True
    return validator.accepts(validator.settle(schema["default"]))


def _schemas(schema: object, pointer: str, depth: int) -> Iterator[tuple[str, JsonObject]]:
    if not isinstance(schema, dict) or depth > _MAX_DEPTH:
        return
    yield pointer, schema
    for path, item in subschemas(schema):
        yield from _schemas(item, pointer + join(path), depth + 1)


def external_references(schema: object) -> list[tuple[str, str]]:
    """Return the references to other documents that a schema depends on: (JSON pointer, reference)."""
    draft = draft_of(schema)
    try:
        document = Document(schema, draft)
    except UnsupportedSchema:
        return []
    found: dict[str, str] = {}
    waiting = [document.resources[""]]
    reached: set[str] = set()
    while waiting:
        at = waiting.pop()
        if at.pointer in reached or not isinstance(at.schema, dict):
            continue
        reached.add(at.pointer)
        for path, item in written_subschemas(at.schema, draft):
            if path[0] not in ("$defs", "definitions"):
                pointer = at.pointer + join(path)
                waiting.append(SchemaLocation(item, pointer, document.base(pointer)))
        if isinstance(at.schema.get("$ref"), str):
            try:
                waiting.append(document.resolve(at.schema["$ref"], at.base, at.pointer))
            except ExternalReference:
                found[at.pointer] = at.schema["$ref"]
            except UnsupportedSchema:  # left out as a defect
                continue
    return [*found.items()]


def without_bad_defects(schema: object) -> tuple[Any, tuple[SchemaChange, ...]]:
    """Return a schema without its defects and with OpenAPI's `nullable` as a union with null, and the
    changes; one that cannot be read as it is, for the compiler to report.

    Raises LibrarySchemaError for an object of a library of validators.
    """
    if not isinstance(schema, dict):
        return schema, ()
    try:
        sound = sound_schema(schema)
    except LibrarySchemaError:
        raise
    except SchemaError:
        return schema, ()
    changes = tuple(
        change for change in sound.changes if change.keyword == "nullable" or change not in sound.upgrades
    )
    return (sound.schema, changes) if changes else (schema, ())


HINTS = {"destructiveHint": "destructive", "idempotentHint": "idempotent", "openWorldHint": "open_world"}


class Declared(Struct, frozen=True, kw_only=True):
    """One tool as someone else declared it. Schemas are as they were, whether right or wrong.

    Attributes:
        spec_name: name of the spec where the reader chooses one; None where `name` is cleaned for it.
        calls: recorded or documented arguments.
        annotations: in the spec's terms: title, destructive, idempotent, open_world.
        read_only: MCP's `readOnlyHint`.
        left_out: parts of the declaration that a spec cannot hold.
        wrong_defaults: defaults that `parameters`, or with `result` before the pointer the schema of results,
            refused, by JSON pointer; they are left out.
        keeps_defaults: whether results hold members that equal their default.
        by_hand: why no handler can be made of the function, and the call to write; empty where one can.
        scopes, http, input, describe_result: the spec's keys; `parameters` describes the text of `input`,
            too.
        form: the provider whose form it has; empty where several have it.
        providers: the spec's key: the source's wishes for strict mode, and texts of forms that were joined.
        file: file or address as shown in diagnostics; `line` is 0 where it is not known.
        location: the declaration in `file`, such as `tools[3]`.
    """

    name: str
    description: str
    parameters: Any
    spec_name: str | None = None
    result: Any = None
    describe_result: bool = True
    calls: tuple[Any, ...] = ()
    annotations: JsonObject = {}
    read_only: bool | None = None
    deprecated: bool = False
    source: str = ""
    left_out: tuple[str, ...] = ()
    changes: tuple[tuple[str, SchemaChange], ...] = ()
    wrong_defaults: tuple[tuple[str, Any], ...] = ()
    parallel: bool = True
    external: bool = False
    keeps_defaults: bool = False
    by_hand: str = ""
    callers: tuple[Caller, ...] = ()
    defer: bool = False
    stream_arguments: bool | None = None
    blocking: bool = True
    task_support: TaskSupport | None = None
    scopes: tuple[str, ...] = ()
    http: JsonObject | None = None
    input: Any = None
    icons: tuple[Any, ...] = ()
    meta: JsonObject = {}
    form: str = ""
    providers: JsonObject = {}
    file: str = ""
    line: int = 0
    location: str = "the tool"


_OPENAI: Final = ("openai", "openai-responses")


def wishes(strict: object, providers: Sequence[str] = _OPENAI) -> JsonObject:
    """Return the key `providers` that asks for strict mode, or gives it up; empty where neither is stated."""
    return {id: {"strict": strict} for id in providers} if isinstance(strict, bool) else {}


class Declarations(Struct, frozen=True, kw_only=True):
    """The tools that one source declares, in order, and problems of the others.

    `label` tells sources of one kind apart: stable, without secrets or paths, since specs state it. `present`
    are the names of all its tools, None where not known: then a tool is gone only if there was no error.
    """

    tools: tuple[Declared, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    kind: SourceKind = "tools"
    label: str = ""
    present: frozenset[str] | None = None


_FORMS: Final = {
    "input_schema": "anthropic",
    "toolSpec": "bedrock",
    "inputSchema": "mcp",
    "function": "openai",
}
"""The provider whose form has a key; without the key, the type `function` is that of OpenAI Responses."""
_TOOL_TYPES: Final = (None, "function", "custom")
"""The `type` of a tool object that a program defines; others are the provider's own tools."""


class ShapeError(ValueError):
    """An element that declares no tool; the message completes "tools[3] …"."""


def read_shape(element: Element) -> Declared:
    """Read a declaration of any shape. Raises ShapeError."""
    data = element.data
    if not isinstance(data, dict):
        raise ShapeError("is not an object")
    custom = ("custom",) if data.get("type") == "custom" else ()
    wrappers = ("function", "toolSpec", *custom)
    wrapper = next((key for key in wrappers if isinstance(data.get(key), dict)), None)
    outer = [key for key in data if key not in (wrapper, "type", "strict")] if wrapper else []
    body: JsonObject = data[wrapper] if wrapper else data
    reader = _Reader(body, outer)
    name, kind = reader.take("name"), reader.take("type")
    if not isinstance(name, str) or not name:
        raise ShapeError("has no name" if kind in _TOOL_TYPES else _built_in(kind))
    if element.gemini and "parametersJsonSchema" not in body:
        parameters = from_gemini(reader.take("parameters"))
        result = from_gemini(reader.take("response"))
    else:
        parameters = reader.take("parameters", "inputSchema", "input_schema", "parametersJsonSchema")
        result = reader.take("outputSchema", "output_schema")
    if result is None:
        result = _output_of(reader.take("responseJsonSchema"))
    odd = [] if isinstance(result, dict | bool | None) else ["outputSchema"]
    result = None if odd else result
    if wrapper == "toolSpec" and isinstance(parameters, dict) and set(parameters) == {"json"}:
        parameters = parameters["json"]
    form = next((_FORMS[key] for key in (wrapper, *body) if key in _FORMS), "")
    form = "gemini" if element.gemini else form or ("openai-responses" if kind == "function" else "")
    if parameters is None and kind not in _TOOL_TYPES:
        raise ShapeError(_built_in(kind))
    text: object = None
    odd_format: list[str] = []
    if parameters is None and "custom" in (wrapper, kind):  # Anthropic's custom tools have a schema
        text, odd_format = _text_input(reader.take("format"))
        parameters = text_parameters(TextInput())
    description = reader.take("description")
    calls = reader.take("calls", "input_examples")
    hints = reader.take("annotations")
    title = reader.take("title")
    source = reader.take("source")
    annotations, read_only, unknown = _annotations(hints, title)
    odd += [] if isinstance(description, str | None) else ["description"]
    odd += [] if isinstance(title, str | None) else ["title"]
    icons, odd_icons = _icons(reader.take("icons"))
    meta, odd_meta = _meta(reader.take("_meta"))
    callers, other_callers = _callers(reader.take("allowed_callers"))
    deferred, streamed = reader.take("defer_loading"), reader.take("eager_input_streaming")
    parallel, behavior = reader.take("async"), reader.take("behavior")
    task_support = _task_support(reader.take("execution"))
    strict = reader.take("strict")
    if strict is None and isinstance(data.get("strict"), bool):
        strict = data["strict"]  # beside `function`
    return Declared(
        name=name,
        description=description if isinstance(description, str) else "",
        parameters={"type": "object", "properties": {}} if parameters is None else parameters,
        result=result,
        calls=tuple(calls) if isinstance(calls, list) else (),
        annotations=annotations,
        read_only=read_only,
        source=source if isinstance(source, str) else "",
        left_out=(*reader.rest(), *unknown, *odd, *odd_icons, *odd_meta, *other_callers, *odd_format),
        input=text,
        callers=callers,
        defer=deferred is True,
        stream_arguments=streamed if isinstance(streamed, bool) else None,
        blocking=not (parallel is True or behavior == "NON_BLOCKING"),
        task_support=task_support,
        icons=icons,
        meta=meta,
        form=form,
        providers=wishes(strict, ("anthropic",) if form == "anthropic" else _OPENAI),
        file=element.file,
        line=element.line,
        location=element.location,
    )


def _built_in(kind: object) -> str:
    return f"is a built-in tool of its provider ({str(kind)[:60]}), which has no schema"


class _Reader:
    def __init__(self, body: JsonObject, outer: list[str]) -> None:
        self._left = dict(body)
        self._outer = outer

    def take(self, *keys: str) -> object:
        """Take the first of `keys` that is there and not null; the others stay."""
        for key in keys:
            if self._left.get(key) is not None:
                return self._left.pop(key)
        return None

    def rest(self) -> list[str]:
        return [*self._outer, *(key for key, value in self._left.items() if value is not None)]


def _icons(value: object) -> tuple[tuple[object, ...], list[str]]:
    listed = value if isinstance(value, list) else [] if value is None else [value]
    odd = [f"icons[{index}]" for index, icon in enumerate(listed) if not is_icon(icon)]
    return tuple(icon for icon in listed if is_icon(icon)), odd


def _meta(value: object) -> tuple[JsonObject, list[str]]:
    """Return the part of MCP's `_meta` that a spec may hold, and the other keys."""
    entries = value if isinstance(value, dict) else {}
    odd = [f"_meta.{key}" for key in entries if META_KEY.fullmatch(key) is None]
    odd += [] if isinstance(value, dict | None) else ["_meta"]
    return {key: item for key, item in entries.items() if META_KEY.fullmatch(key) is not None}, odd


def _output_of(response: Any) -> object:
    """Return the schema of `output` where a Gemini response has `output` beside `error`."""
    properties = response.get("properties") if isinstance(response, dict) else None
    if not isinstance(properties, dict) or properties.keys() != {"output", "error"}:
        return response
    if response.keys() - {"type", "properties", "$defs"} or not isinstance(properties["output"], dict):
        return response
    return {**properties["output"], **({"$defs": response["$defs"]} if "$defs" in response else {})}


def _text_input(format: Any) -> tuple[object, list[str]]:
    """Return the format of OpenAI's custom tool as the spec's key `input`, and parts no spec can have."""
    kind = format.get("type") if isinstance(format, dict) else None
    if format is None or kind == "text":
        return "text", []
    grammar = format.get("grammar", format) if kind == "grammar" else None
    stated = grammar if isinstance(grammar, dict) else {}
    syntax, definition = stated.get("syntax"), stated.get("definition")
    if syntax not in SYNTAXES or not isinstance(definition, str):
        return "text", ["format"]
    try:
        grammar_of(syntax, definition)
    except GrammarError:
        return "text", ["format"]
    except ImportError:  # `generate` says what to install, and checks it then
        pass
    return {"grammar": syntax, "definition": definition}, []


def _callers(value: object) -> tuple[tuple[Caller, ...], list[str]]:
    """Return `allowed_callers` of Anthropic and OpenAI in the spec's terms, and places of unknown ones."""
    found: dict[Caller, None] = {}
    odd: list[str] = []
    for index, each in enumerate(value if isinstance(value, list) else []):
        if each == "direct":
            found["model"] = None
        elif each == "programmatic" or (isinstance(each, str) and each.startswith("code_execution_")):
            found["code"] = None
        else:
            odd.append(f"allowed_callers[{index}]")
    return tuple(found), odd


def _task_support(execution: object) -> TaskSupport | None:
    stated = execution.get("taskSupport") if isinstance(execution, dict) else None
    return stated if stated in ("optional", "required") else None


def _annotations(hints: object, title: object) -> tuple[JsonObject, bool | None, list[str]]:
    """Return MCP's hints in the spec's terms, `readOnlyHint`, and the keys that have no place."""
    unknown = [] if isinstance(hints, dict | None) else ["annotations"]
    hints = hints if isinstance(hints, dict) else {}
    found: JsonObject = {}
    if isinstance(title, str) and title:
        found["title"] = title
    for key, value in hints.items():
        if key == "title" and isinstance(value, str):
            found.setdefault("title", value)
        elif key in HINTS and isinstance(value, bool):
            found[HINTS[key]] = value
        elif not (key == "readOnlyHint" and isinstance(value, bool)):
            unknown.append(f"annotations.{key}")
    read_only = hints.get("readOnlyHint")
    return found, read_only if isinstance(read_only, bool) else None, unknown
