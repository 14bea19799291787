"""Bodies of requests as arguments (an object's properties one by one, anything else as one), and of responses
as the schema of a tool's result.
"""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct, structs

from ...contract.reader import merge_all_of
from ...http.operation import FORM, MULTIPART, STYLES, is_json
from ...jsonschema.equality import equal
from ...jsonschema.keywords import METADATA
from ...spec.parsed_document import Path
from ...spec.reader_problems import quoted
from .arguments import Argument, described
from .document import OpenApiDocument, UnreadableError, resolved
from .operations import Operation
from .plain_text import MORE
from .schemas import SchemaConverter

BASE64: Final = "Base64 of the bytes."
"""Stands in the description of each argument that is sent as bytes."""
_SPREAD: Final = METADATA | {"type", "properties", "required", "additionalProperties"}
"""Keywords of an object whose properties can be arguments of their own."""
_ENCODING: Final = {
    "contentType": "content_type", "style": "style", "explode": "explode", "allowReserved": "allow_reserved",
}  # fmt: skip


class Body(Struct, frozen=True, kw_only=True):
    """What an operation takes as a body.

    Attributes:
        media_type: the content type that is sent; empty without a body.
        arguments: its arguments.
        encoding: the spec's `http.encoding`.
        left_out: what a spec cannot hold.
    """

    media_type: str = ""
    arguments: tuple[Argument, ...] = ()
    encoding: Mapping[str, Any] = {}
    left_out: tuple[str, ...] = ()


def body_of(document: OpenApiDocument, operation: Operation, converter: SchemaConverter) -> Body:
    """The body of an operation, in the content type that suits best.

    JSON is preferred, then the others in the document's order: forms, text, bytes.

    Raises:
        UnreadableError: no content type of the body can be written.
    """
    if "requestBody" not in operation.data:
        return Body()
    data, path = resolved(document.data, operation.data["requestBody"], (*operation.path, "requestBody"))
    content = data.get("content")
    if not isinstance(content, dict) or not content:
        return Body()
    problems: list[UnreadableError] = []
    listed = [str(each) for each in content]
    for media_type in (
        *(each for each in listed if may_be_json(each)),
        *(each for each in listed if not may_be_json(each)),
    ):
        try:
            media, at = resolved(document.data, content[media_type], (*path, "content", media_type))
            return _body(media_type, media, data, at, converter)
        except UnreadableError as error:
            problems.append(error)
    raise problems[0]


def may_be_json(media_type: str) -> bool:
    """Whether a content type, also with wildcards, can be JSON."""
    bare = _bare(media_type)
    return bare in ("*/*", "application/*") or is_json(bare)


def _bare(media_type: str) -> str:
    return media_type.partition(";")[0].strip().lower()


def _body(
    media_type: str,
    media: Mapping[str, Any],
    body: Mapping[str, Any],
    path: Path,
    converter: SchemaConverter,
) -> Body:
    bare = _bare(media_type)
    if bare.startswith("multipart/") and bare != MULTIPART:
        message = f"a body of the content type {quoted(media_type)} cannot be made"
        raise UnreadableError(path, "openapi-body", message, f"state `application/json` or `{MULTIPART}`")
    schema = converter.convert(media["schema"], (*path, "schema")) if "schema" in media else True
    required = body.get("required") is True
    if may_be_json(media_type):
        sent = "application/json" if "*" in bare else bare
        spread = _spread(schema, required, converter)
        return Body(media_type=sent, arguments=spread or (_single(schema, body, required),))
    if bare in (FORM, MULTIPART):
        spread = _spread(schema, required, converter) or (_single(schema, body, required),)
        if not spread[0].options and bare == MULTIPART:
            spread = tuple(_with_bytes(each, converter) for each in spread)
        encoding, left_out = _encoding(media, {each.name for each in spread})
        return Body(media_type=bare, arguments=spread, encoding=encoding, left_out=left_out)
    flat = _flat(schema, converter)
    if not _is_text(flat):
        message = f"a body of the content type {quoted(media_type)} can be sent only as text or bytes"
        hint = "state `application/json` or a form, or a schema of the type string"
        raise UnreadableError(path, "openapi-body", message, hint)
    text = bare.startswith("text/") or bare.endswith(("xml", "yaml", "javascript", "graphql", "csv"))
    if text and isinstance(flat, dict) and flat.get("format") != "binary":
        sent = "text/plain" if "*" in bare else bare
        return Body(media_type=sent, arguments=(_single({**flat, "type": "string"}, body, required),))
    sent = "application/octet-stream" if "*" in bare else bare
    return Body(media_type=sent, arguments=(_single(_bytes(flat), body, required, binary=True),))


def _single(schema: Any, body: Mapping[str, Any], required: bool, *, binary: bool = False) -> Argument:
    """The body as one argument."""
    schema = described(schema, {"description": body.get("description")})
    options = {"whole": True}
    if binary:
        schema = _noted(schema)
        options["binary"] = True
    return Argument(name="body", place="body", schema=schema, required=required, options=options)


def _spread(schema: Any, required: bool, converter: SchemaConverter) -> tuple[Argument, ...]:
    """The properties of a body, each as an argument; none where that would change what can be sent.

    That is: an object with declared properties and nothing else that constrains it, and, where the body may
    be left out, without required ones. A body of null is the one thing that cannot be sent then.
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
        Argument(name=name, place="body", schema=item, required=name in names)
        for name, item in properties.items()
    )


def _flat(schema: Any, converter: SchemaConverter) -> Any:
    """A schema with its references and `allOf` merged; itself where that is not exact. Without null."""
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


def _is_text(schema: Any) -> bool:
    """Whether a schema accepts text, or anything."""
    if not isinstance(schema, dict):
        return schema is True
    if schema.keys() & {"$ref", "allOf", "anyOf", "oneOf", "properties", "items"}:
        return False
    kind = schema.get("type", "string")
    return kind == "string" or (isinstance(kind, list) and "string" in kind)


def _bytes(schema: Any) -> dict[str, Any]:
    """The schema of text that is the base64 of bytes."""
    kept = schema if isinstance(schema, dict) else {}
    texts = {key: kept[key] for key in ("title", "description") if key in kept}
    return {"type": "string", "contentEncoding": "base64", **texts}


def _noted(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of an argument that is sent as bytes, and says so."""
    text = str(schema.get("description", "")).rstrip()
    stop = "" if not text or text.endswith((".", "!", "?", MORE)) else "."
    return {**schema, "description": f"{text}{stop} {BASE64}".strip()}


def _with_bytes(argument: Argument, converter: SchemaConverter) -> Argument:
    """An argument of a multipart body: bytes, or a list of bytes, become base64."""
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


def _is_bytes(schema: Any) -> bool:
    """`format: binary` of 3.0, or a media type without an encoding of 3.1."""
    if not isinstance(schema, dict):
        return False
    return schema.get("format") == "binary" or (
        "contentMediaType" in schema and "contentEncoding" not in schema
    )


def _encoding(media: Mapping[str, Any], properties: set[str]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The spec's `http.encoding`, and what it cannot hold."""
    found: dict[str, Any] = {}
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


def result_of(document: OpenApiDocument, operation: Operation, converter: SchemaConverter) -> Any:
    """The schema of the JSON that the operation answers in case of success.

    Answers with status 200 come first, then the other 2xx in order; several different ones are an `anyOf`.
    None where there is no JSON, or only some of the answers are JSON with a schema.

    Raises:
        UnreadableError: a response or its schema cannot be read.
    """
    found: list[Any] = []
    listed = operation.data.get("responses")
    if not isinstance(listed, dict):
        return None
    successes = sorted(str(status) for status in listed if str(status)[:1] == "2")
    for status in sorted(successes, key="200".__ne__):
        data, path = resolved(document.data, listed[status], (*operation.path, "responses", status))
        content = data.get("content")
        for media_type, media in content.items() if isinstance(content, dict) else ():
            if not may_be_json(media_type):
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
