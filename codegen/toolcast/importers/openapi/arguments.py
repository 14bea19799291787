"""One object of everything that a request takes, and the place of each part on the wire.

A body becomes arguments, an object's properties one by one and anything else as one; a response becomes the
schema of the tool's result.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from msgspec import Struct, structs

from ...contract.reader import merge_all_of
from ...http_operation import FORM, MULTIPART, STYLES, Location, is_json
from ...jsonschema.json_values import JsonMapping, JsonObject, equal
from ...jsonschema.keywords import METADATA, subschemas
from ...spec.parsed_document import Path
from ...spec.spec_checker import quoted
from .document import MAX_LENGTH, MORE, OpenApiDocument, UnreadableError, plain_text, resolved, shortened
from .operations import Operation, Parameter
from .schemas import SchemaConverter

_MAX_EXAMPLES: Final = 3


class _Argument(Struct, frozen=True, kw_only=True):
    """One argument, by its name on the wire; `options` are further members of its entry in `http.in`."""

    name: str
    place: Location
    schema: Any
    required: bool = False
    options: JsonMapping = {}


def of_parameter(parameter: Parameter, converter: SchemaConverter) -> _Argument:
    """Return a Parameter Object as an argument. Raises UnreadableError."""
    data, path = parameter.data, parameter.path
    options: JsonObject = {}
    content = data.get("content")
    if "schema" not in data and isinstance(content, dict) and len(content) == 1:
        media_type, media = next(iter(content.items()))
        if not is_json(media_type):
            message = f"the parameter {quoted(parameter.name)} is text of the type {quoted(media_type)}"
            hint = "state `application/json`, or a `schema` instead of `content`"
            raise UnreadableError((*path, "content"), "openapi-parameter", message, hint)
        media, at = resolved(converter.document.data, media, (*path, "content", media_type))
        schema = converter.convert(media.get("schema", True), (*at, "schema"))
        options["content"] = media_type
    elif "schema" in data:
        schema = converter.convert(data["schema"], (*path, "schema"))
        options.update(_style(parameter))
    else:
        message = f"the parameter {quoted(parameter.name)} has neither `schema` nor one entry of `content`"
        raise UnreadableError(path, "openapi-parameter", message, "add a `schema` to it")
    return _Argument(
        name=parameter.name,
        place=cast("Location", parameter.place),  # `operations.parameters` lets no other pass
        schema=_described(schema, data),
        required=parameter.place == "path" or data.get("required") is True,
        options=options,
    )


def holds_array(argument: _Argument, converter: SchemaConverter) -> bool:
    """Return whether a value of an argument may be, or hold, an array."""
    waiting, seen = [argument.schema], set[str]()
    while waiting:
        node = waiting.pop()
        if not isinstance(node, dict):
            continue
        kind = node.get("type")
        if "array" in (kind if isinstance(kind, list) else [kind]):
            return True
        reference = node.get("$ref")
        if isinstance(reference, str) and reference not in seen:
            seen.add(reference)
            waiting.append(converter.resolve(reference))
        waiting += [item for _, item in subschemas(node)]
    return False


def _style(parameter: Parameter) -> JsonObject:
    data, known = parameter.data, STYLES[parameter.place]
    found: JsonObject = {}
    style = data.get("style", known[0])
    if style not in known:
        message = f"the parameter {quoted(parameter.name)} has the style {quoted(str(style))}"
        hint = f"in {parameter.place}, a style is {' or '.join(known)}"
        raise UnreadableError((*parameter.path, "style"), "openapi-style", message, hint)
    if style != known[0]:
        found["style"] = style
    explode = data.get("explode")
    if isinstance(explode, bool) and style != "deepObject" and explode != (style in ("form", "cookie")):
        found["explode"] = explode
    if parameter.place == "query" and data.get("allowReserved") is True:
        found["allow_reserved"] = True
    return found


def _described(schema: Any, data: Mapping[str, object]) -> object:
    if schema is False:
        return schema
    out: JsonObject = {} if schema is True else dict(schema)
    text = data.get("description")
    if isinstance(text, str) and text.strip():
        out["description"] = shortened(plain_text(text))
    examples = [data["example"]] if "example" in data else _examples(data.get("examples"))
    if examples and "examples" not in out:
        out["examples"] = examples[:_MAX_EXAMPLES]
    if data.get("deprecated") is True:
        out["deprecated"] = True
    return out


def _examples(examples: object) -> list[Any]:
    """Return the values of a map of Example Objects; those that are elsewhere are not fetched."""
    if not isinstance(examples, dict):
        return []
    return [each["value"] for each in examples.values() if isinstance(each, dict) and "value" in each]


def object_of(found: Sequence[_Argument]) -> tuple[JsonObject, JsonObject]:
    """Return the object of all arguments and the spec's `http.in`.

    Arguments of one name get a suffix for their place: `id__path`. The object is closed, since an undeclared
    argument has no place in a request.
    """
    names = _names(found)
    properties: JsonObject = {}
    places: JsonObject = {}
    for name, each in zip(names, found, strict=True):
        properties[name] = each.schema
        renamed = {"name": each.name} if name != each.name and not each.options.get("whole") else {}
        long = {"in": each.place, **renamed, **each.options}
        places[name] = long if len(long) > 1 else each.place
    parameters: JsonObject = {"type": "object", "properties": properties}
    required = [name for name, each in zip(names, found, strict=True) if each.required]
    if required:
        parameters["required"] = required
    return {**parameters, "additionalProperties": False}, places


def _names(found: Sequence[_Argument]) -> list[str]:
    uses: dict[str, int] = {}
    for each in found:
        uses[each.name] = uses.get(each.name, 0) + 1
    taken = {name for name, count in uses.items() if count == 1}
    names: list[str] = []
    for each in found:
        name = each.name
        if uses[name] > 1:
            name = stem = f"{each.name}__{each.place}"
            number = 2
            while name in taken:
                name, number = f"{stem}_{number}", number + 1
            taken.add(name)
        names.append(name)
    return names


_BASE64: Final = "Base64 of the bytes."
"""Stands in the description of each argument that is sent as bytes."""
_SPREAD: Final = METADATA | {"type", "properties", "required", "additionalProperties"}
"""Keywords of an object whose properties can be arguments of their own."""
_ENCODING: Final = {
    "contentType": "content_type", "style": "style", "explode": "explode", "allowReserved": "allow_reserved",
}  # fmt: skip


class _Body(Struct, frozen=True, kw_only=True):
    media_type: str = ""
    arguments: tuple[_Argument, ...] = ()
    encoding: JsonMapping = {}
    left_out: tuple[str, ...] = ()


def body_of(document: OpenApiDocument, operation: Operation, converter: SchemaConverter) -> _Body:
    """Read the body of an operation: JSON, else the first content type that can be sent. Raises
    UnreadableError without any.
    """
    if "requestBody" not in operation.data:
        return _Body()
    data, path = resolved(document.data, operation.data["requestBody"], (*operation.path, "requestBody"))
    content = data.get("content")
    if not isinstance(content, dict) or not content:
        return _Body()
    problems: list[UnreadableError] = []
    listed = [str(each) for each in content]
    for media_type in (
        *(each for each in listed if _may_be_json(each)),
        *(each for each in listed if not _may_be_json(each)),
    ):
        try:
            media, at = resolved(document.data, content[media_type], (*path, "content", media_type))
            return _body(media_type, media, data, at, converter)
        except UnreadableError as error:
            problems.append(error)
    raise problems[0]


def _may_be_json(media_type: str) -> bool:
    bare = _bare(media_type)
    return bare in ("*/*", "application/*") or is_json(bare)


def _bare(media_type: str) -> str:
    return media_type.partition(";")[0].strip().lower()


def _body(
    media_type: str,
    media: Mapping[str, object],
    body: Mapping[str, object],
    path: Path,
    converter: SchemaConverter,
) -> _Body:
    bare = _bare(media_type)
    if bare.startswith("multipart/") and bare != MULTIPART:
        message = f"a body of the content type {quoted(media_type)} cannot be made"
        raise UnreadableError(path, "openapi-body", message, f"state `application/json` or `{MULTIPART}`")
    schema = converter.convert(media["schema"], (*path, "schema")) if "schema" in media else True
    required = body.get("required") is True
    if not required and _is_empty(schema):
        return _Body()
    if _may_be_json(media_type):
        sent = "application/json" if "*" in bare else bare
        spread = _spread(schema, required, converter)
        return _Body(media_type=sent, arguments=spread or (_single(schema, body, required),))
    if bare in (FORM, MULTIPART):
        spread = _spread(schema, required, converter) or (_single(schema, body, required),)
        if not spread[0].options and bare == MULTIPART:
            spread = tuple(_with_bytes(each, converter) for each in spread)
        encoding, left_out = _encoding(media, {each.name for each in spread})
        return _Body(media_type=bare, arguments=spread, encoding=encoding, left_out=left_out)
    flat = _flat(schema, converter)
    if not _is_text(flat):
        message = f"a body of the content type {quoted(media_type)} can be sent only as text or bytes"
        hint = "state `application/json` or a form, or a schema of the type string"
        raise UnreadableError(path, "openapi-body", message, hint)
    text = bare.startswith("text/") or bare.endswith(("xml", "yaml", "javascript", "graphql", "csv"))
    if text and isinstance(flat, dict) and flat.get("format") != "binary":
        sent = "text/plain" if "*" in bare else bare
        return _Body(media_type=sent, arguments=(_single({**flat, "type": "string"}, body, required),))
    sent = "application/octet-stream" if "*" in bare else bare
    return _Body(media_type=sent, arguments=(_single(_bytes(flat), body, required, binary=True),))


def _single(schema: Any, body: Mapping[str, object], required: bool, *, binary: bool = False) -> _Argument:
    schema = _described(schema, {"description": body.get("description")})
    options = {"whole": True}
    if binary:
        schema = _noted(schema)
        options["binary"] = True
    return _Argument(name="body", place="body", schema=schema, required=required, options=options)


def _spread(schema: object, required: bool, converter: SchemaConverter) -> tuple[_Argument, ...]:
    """Return the properties of a body, each as an argument; none where that would change what can be sent.

    So it is an object with declared properties and no other constraint; without required ones, where the body
    may be left out. Only a body of null cannot be sent then.
    """
    flat = _flat(schema, converter)
    if not isinstance(flat, dict) or flat.keys() - _SPREAD:
        return ()
    properties = flat.get("properties")
    names = flat.get("required", [])
    if flat.get("type", "object") != "object" or not isinstance(properties, dict) or not properties:
        return ()
    if flat.get("additionalProperties") not in (None, False) or not set(names) <= properties.keys():
        return ()
    if names and not required:
        return ()
    return tuple(
        _Argument(name=name, place="body", schema=item, required=name in names)
        for name, item in properties.items()
    )


def _is_empty(schema: object) -> bool:
    """Return whether nothing but `{}` can be sent, as generators write of operations without a body."""
    return isinstance(schema, dict) and {
        key: value for key, value in schema.items() if key not in METADATA and value != {}
    } == {"type": "object", "additionalProperties": False}


def _flat(schema: Any, converter: SchemaConverter) -> object:
    """Return a schema with references and `allOf` merged, without null; itself where that is not exact."""
    for _ in range(8):
        branches = schema.get("anyOf") if isinstance(schema, dict) else None
        if (
            isinstance(branches, list)
            and len(branches) == 2
            and {"type": "null"} in branches
            and not schema.keys() - METADATA - {"anyOf"}
        ):
            schema = branches[branches[0] == {"type": "null"}]
        if not isinstance(schema, dict) or not schema.keys() & {"$ref", "allOf"}:
            break
        merged, incomplete = merge_all_of(schema, converter.resolve)
        if incomplete:
            return schema
        schema = merged
    return schema


def _is_text(schema: object) -> bool:
    if not isinstance(schema, dict):
        return schema is True
    if schema.keys() & {"$ref", "allOf", "anyOf", "oneOf", "properties", "items"}:
        return False
    kind = schema.get("type", "string")
    return kind == "string" or (isinstance(kind, list) and "string" in kind)


def _bytes(schema: object) -> JsonObject:
    kept = schema if isinstance(schema, dict) else {}
    texts = {key: kept[key] for key in ("title", "description") if key in kept}
    return {"type": "string", "contentEncoding": "base64", **texts}


def _noted(schema: JsonObject) -> JsonObject:
    text = shortened(str(schema.get("description", "")).rstrip(), MAX_LENGTH - len(_BASE64) - 2)
    stop = "" if not text or text.endswith((".", "!", "?", MORE)) else "."
    return {**schema, "description": f"{text}{stop} {_BASE64}".strip()}


def _with_bytes(argument: _Argument, converter: SchemaConverter) -> _Argument:
    flat = _flat(argument.schema, converter)
    if not isinstance(flat, dict):
        return argument
    items = _flat(flat.get("items"), converter)
    if _is_bytes(flat):
        schema = _bytes(argument.schema if isinstance(argument.schema, dict) else {})
    elif flat.get("type") == "array" and _is_bytes(items):
        schema = {**flat, "items": _bytes(items)}
    else:
        return argument
    return structs.replace(argument, schema=_noted(schema), options={"binary": True})


def _is_bytes(schema: object) -> bool:
    if not isinstance(schema, dict):
        return False
    return schema.get("format") == "binary" or (
        "contentMediaType" in schema and "contentEncoding" not in schema
    )


def _encoding(media: Mapping[str, object], properties: set[str]) -> tuple[JsonObject, tuple[str, ...]]:
    found: JsonObject = {}
    left_out: list[str] = []
    written = media.get("encoding")
    for name, options in written.items() if isinstance(written, dict) else ():
        if not isinstance(options, dict) or name not in properties:
            left_out.append(f"encoding.{name}")
            continue
        kept = {_ENCODING[key]: value for key, value in options.items() if key in _ENCODING}
        if isinstance(kept.get("content_type"), str):
            kept["content_type"] = ", ".join(map(_bare, kept["content_type"].split(",")))
        if kept.get("style", "form") not in STYLES["query"]:
            del kept["style"]
            left_out.append(f"encoding.{name}.style")
        left_out += [f"encoding.{name}.{key}" for key in options if key not in _ENCODING]
        if kept:
            found[name] = kept
    return found, tuple(left_out)


def result_of(document: OpenApiDocument, operation: Operation, converter: SchemaConverter) -> object:
    """Return the schema of the JSON that the operation answers in case of success. Raises UnreadableError.

    Status 200 comes first, then the other 2xx; different schemas are an `anyOf`. None where there is no JSON,
    or an answer is JSON without a schema.
    """
    found: list[object] = []
    listed = operation.data.get("responses")
    if not isinstance(listed, dict):
        return None
    successes = sorted(str(status) for status in listed if str(status)[:1] == "2")
    for status in sorted(successes, key="200".__ne__):
        data, path = resolved(document.data, listed[status], (*operation.path, "responses", status))
        content = data.get("content")
        for media_type, media in content.items() if isinstance(content, dict) else ():
            if not _may_be_json(media_type):
                continue
            media, at = resolved(document.data, media, (*path, "content", media_type))
            if "schema" not in media:
                return None
            schema = converter.convert(media["schema"], (*at, "schema"))
            if not any(equal(schema, other) for other in found):
                found.append(schema)
    if not found:
        return None
    return found[0] if len(found) == 1 else {"anyOf": found}
