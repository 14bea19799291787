"""`$ref` inside one OpenAPI document. Nothing outside of it is ever read."""

from typing import Any, Final
from urllib.parse import unquote

from ...jsonschema.pointers import child
from ...jsonschema.pointers import split as split_pointer
from ...spec.parsed_document import Path
from ...spec.reader_problems import quoted
from .problem import UnreadableError

MAX_CHAIN: Final = 32
"""Most references that lead from one to the next."""
_BUNDLE = "bundle the document first, for example with `npx @redocly/cli bundle`"


def target(root: dict[str, Any], reference: Any, path: Path) -> tuple[Any, Path]:
    """What a `$ref` names, and its path.

    Args:
        root: the document.
        reference: the value of `$ref`.
        path: path of the object that has it, for the error.

    Returns:
        The value, and its path in the document.

    Raises:
        UnreadableError: it is no reference inside of the document, or leads nowhere.
    """
    at = (*path, "$ref")
    if not isinstance(reference, str):
        raise UnreadableError(at, "openapi-reference", "`$ref` must be text", "write `#/components/…`")
    own = root.get("$self")  # the document's own address, since 3.2
    if isinstance(own, str) and own and reference.startswith(f"{own}#"):
        reference = reference.removeprefix(own)
    if not reference.startswith("#/"):
        message = f"the reference {quoted(reference)} leads out of the document, and is not followed"
        raise UnreadableError(at, "openapi-external-reference", message, _BUNDLE)
    found: Any = root
    steps: list[str | int] = []
    for segment in split_pointer(unquoted(reference)):
        steps.append(int(segment) if isinstance(found, list) and segment.isdecimal() else segment)
        try:
            found = child(found, segment)
        except LookupError:
            message = f"the reference {quoted(reference)} leads nowhere: there is no {quoted(segment)}"
            raise UnreadableError(
                at, "openapi-reference", message, "correct it, or add what it names"
            ) from None
    return found, tuple(steps)


def unquoted(reference: str) -> str:
    """A reference without percent-encoding, which a fragment may have (RFC 3986, section 3.5)."""
    return unquote(reference) if "%" in reference else reference


def resolved(root: dict[str, Any], value: Any, path: Path) -> tuple[dict[str, Any], Path]:
    """An object, or what its chain of references names: parameters, bodies, responses, path items.

    Args:
        root: the document.
        value: the object.
        path: its path.

    Returns:
        An object without `$ref`, and its path. `summary` and `description` beside a `$ref` win.

    Raises:
        UnreadableError: a reference is wrong, the chain has no end, or there is no object.
    """
    beside: dict[str, Any] = {}
    for _ in range(MAX_CHAIN):
        if not isinstance(value, dict):
            message = f"an object must stand here, not {quoted(str(value))}"
            raise UnreadableError(path, "openapi-shape", message, "correct the document")
        if "$ref" not in value:
            return ({**value, **beside} if beside else value), path
        beside = {
            **{key: value[key] for key in ("summary", "description") if isinstance(value.get(key), str)},
            **beside,
        }
        value, path = target(root, value["$ref"], path)
    message = f"references lead from one to the next without an end, or more than {MAX_CHAIN} times"
    raise UnreadableError(path, "openapi-reference", message, "correct the document")
