"""The messages of violations: a language model can correct its call from them alone."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_MAX_LISTED = 20
_WIDTH = 60
_KINDS = {
    "integer": "an integer",
    "number": "a number",
    "string": "a string",
    "boolean": "a boolean",
    "null": "null",
    "array": "an array",
    "object": "an object",
}


def member(path: str, name: str) -> str:
    """Return the path of a property: `path.name`, or `path["name"]` where the name is no identifier."""
    return f"{path}.{name}" if name.isidentifier() else f"{path}[{_json_text(name)}]"


def _json_text(value: object) -> str:
    import json  # not when the runtime is imported

    return json.dumps(value, ensure_ascii=False)


def label(path: str) -> str:
    """Return how messages refer to a value: its path in backticks; `the value` for the root."""
    if path == "$":
        return "the value"
    return f"`{path[2:] if path.startswith('$.') else path}`"


def show(value: object) -> str:
    """Return a value for a message: scalars as JSON, shortened; containers by kind and size."""
    if isinstance(value, dict):
        return "an object" if value else "an empty object"
    if isinstance(value, (list, tuple)):
        return f"an array of {count(len(value), 'item')}" if value else "an empty array"
    return literal(value)


def literal(value: Any) -> str:
    """Return a value as JSON, cut after some 60 characters; its type where it is no JSON."""
    if isinstance(value, int) and value.bit_length() > 200:
        return f"an integer of {value.bit_length()} bits"
    if isinstance(value, str) and len(value) > _WIDTH:
        return _json_text(value[:_WIDTH])[:-1] + '…"'
    try:
        text = _json_text(value)
    except (TypeError, ValueError, RecursionError):  # not JSON, a huge integer, or very deep
        return f"a value of type {type(value).__name__}"
    return text if len(text) <= 2 * _WIDTH else text[: 2 * _WIDTH] + "…"


def got(value: Any) -> str:
    """`got` and the value; a string where none is expected is named as one."""
    return f"got a string {show(value)}" if isinstance(value, str) else f"got {show(value)}"


def count(number: int, noun: str) -> str:
    """`1 item`, `2 items`, `3 properties`."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun[:-1]}ies" if noun.endswith("y") else f"{number} {noun}s"


def listed(values: Sequence[object]) -> str:
    """`1, 2, 3`, shortened past 20 members."""
    text = ", ".join(literal(value) for value in values[:_MAX_LISTED]) or "no value at all"
    return f"{text}, … ({len(values)} in all)" if len(values) > _MAX_LISTED else text


def names(known: Iterable[str]) -> str:
    """Property names in backticks, shortened past 20."""
    every = sorted(known)
    text = ", ".join(f"`{name}`" for name in every[:_MAX_LISTED])
    return f"{text}, … ({len(every)} in all)" if len(every) > _MAX_LISTED else text


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name most like `name`, if any is like it."""
    from difflib import get_close_matches  # imported only for a violation

    folded = {other.lower().replace("-", "_"): other for other in sorted(known)}
    wanted = name[:200].lower().replace("-", "_")
    found = get_close_matches(wanted, list(folded)[:1000], n=1, cutoff=0.6)
    if found:
        return folded[found[0]]
    near = [other for fold, other in folded.items() if len(fold) > 2 and (fold in wanted or wanted in fold)]
    return near[0] if near and wanted else None


def describe(schema: object) -> str:
    """Describe the values of a schema in a few words: `an integer >= 1`, `one of "a", "b"`, `an object`."""
    if not isinstance(schema, Mapping):
        return "any value" if schema else "nothing"
    if "const" in schema:
        return literal(schema["const"])
    if isinstance(schema.get("enum"), (list, tuple)):
        return f"one of {listed(schema['enum'])}"
    wanted = schema.get("type")
    kinds = [wanted] if isinstance(wanted, str) else list(wanted or ())
    if not kinds and ("properties" in schema or "required" in schema):
        kinds = ["object"]
    if not kinds and any(keyword in schema for keyword in ("minimum", "maximum", "multipleOf")):
        kinds = ["number"]
    text = " or ".join(_KINDS.get(kind, str(kind)) for kind in kinds)
    if not {"integer", "number"}.isdisjoint(kinds):
        text += _bounds(schema)
    if not text:
        return f"of another form ({schema['description']})" if _has_description(schema) else "of another form"
    return text


def _bounds(schema: Mapping[str, object]) -> str:
    signs = (("minimum", ">="), ("exclusiveMinimum", ">"), ("maximum", "<="), ("exclusiveMaximum", "<"))
    parts = [f"{sign} {literal(schema[keyword])}" for keyword, sign in signs if keyword in schema]
    if "multipleOf" in schema:
        parts.append(f"{'' if parts else 'that is '}a multiple of {literal(schema['multipleOf'])}")
    return " " + " and ".join(parts) if parts else ""


def _has_description(schema: Mapping[str, object]) -> bool:
    return isinstance(schema.get("description"), str) and bool(schema["description"])


def hint(schema: Any) -> str:
    """Return ` (string: Absolute path of the file.)` for a missing property; "" where nothing is known."""
    if not isinstance(schema, Mapping):
        return ""
    wanted = schema.get("type")
    if "const" in schema or "enum" in schema:
        kind = describe(schema)
    elif wanted:
        kind = " or ".join([wanted] if isinstance(wanted, str) else wanted)
    else:
        kind = ""
    description = " ".join(schema["description"].split()) if _has_description(schema) else ""
    if len(description) > 200:
        description = description[:200].rsplit(" ", 1)[0] + " …"
    both = ": ".join(part for part in (kind, description) if part)
    return f" ({both})" if both else ""
