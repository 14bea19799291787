"""One object of everything that a request takes, and where each part of it goes on the wire."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from msgspec import Struct

from ...http.operation import STYLES, Location, is_json
from ...spec.reader_problems import quoted
from .document import UnreadableError, resolved
from .operations import Parameter
from .plain_text import plain_text, shortened
from .schemas import SchemaConverter

_MAX_EXAMPLES: Final = 3


class Argument(Struct, frozen=True, kw_only=True):
    """One argument of a tool.

    Attributes:
        name: its name on the wire.
        place: where it goes.
        schema: its JSON Schema.
        required: whether it must be there.
        options: what the spec's `http.in` states beside place and name, such as the style.
    """

    name: str
    place: Location
    schema: Any
    required: bool = False
    options: Mapping[str, Any] = {}


def of_parameter(parameter: Parameter, converter: SchemaConverter) -> Argument:
    """A Parameter Object as an argument.

    Raises:
        UnreadableError: it has neither schema nor content, or a style that its place does not have.
    """
    data, path = parameter.data, parameter.path
    options: dict[str, Any] = {}
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
    return Argument(
        name=parameter.name,
        place=cast("Location", parameter.place),  # `operations.parameters` lets no other pass
        schema=described(schema, data),
        required=parameter.place == "path" or data.get("required") is True,
        options=options,
    )


def _style(parameter: Parameter) -> dict[str, Any]:
    """What differs from the defaults of the parameter's place."""
    data, known = parameter.data, STYLES[parameter.place]
    found: dict[str, Any] = {}
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


def described(schema: Any, data: Mapping[str, Any]) -> Any:
    """A schema with the description and examples of the object that it belongs to."""
    if schema is False:
        return schema
    out: dict[str, Any] = {} if schema is True else dict(schema)
    text = data.get("description")
    if isinstance(text, str) and text.strip():
        out["description"] = shortened(plain_text(text))
    examples = [data["example"]] if "example" in data else _examples(data.get("examples"))
    if examples and "examples" not in out:
        out["examples"] = examples[:_MAX_EXAMPLES]
    if data.get("deprecated") is True:
        out["deprecated"] = True
    return out


def _examples(examples: Any) -> list[Any]:
    """The values of a map of Example Objects; those that are elsewhere are not fetched."""
    if not isinstance(examples, dict):
        return []
    return [each["value"] for each in examples.values() if isinstance(each, dict) and "value" in each]


def object_of(found: Sequence[Argument]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The object of all arguments and the spec's `http.in`.

    Arguments of one name are told apart by a suffix for their place: `id__path`, `id__body`. The object is
    closed: an argument that is not declared has no place in a request.
    """
    names = _names(found)
    properties: dict[str, Any] = {}
    places: dict[str, Any] = {}
    for name, each in zip(names, found, strict=True):
        properties[name] = each.schema
        renamed = {"name": each.name} if name != each.name and not each.options.get("whole") else {}
        long = {"in": each.place, **renamed, **each.options}
        places[name] = long if len(long) > 1 else each.place
    parameters: dict[str, Any] = {"type": "object", "properties": properties}
    required = [name for name, each in zip(names, found, strict=True) if each.required]
    if required:
        parameters["required"] = required
    return {**parameters, "additionalProperties": False}, places


def _names(found: Sequence[Argument]) -> list[str]:
    """A name for each argument: its own where it is the only one of that name."""
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
