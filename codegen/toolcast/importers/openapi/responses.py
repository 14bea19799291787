"""What an operation answers, as the schema of a tool's result."""

from typing import Any

from ...jsonschema.equality import equal
from .bodies import may_be_json
from .document import OpenApiDocument
from .operations import Operation
from .references import resolved
from .schemas import SchemaConverter


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
