"""What a function returns, as the result of a binding."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from ..binding import ToolBinding
from ..checked_types import trusted_hook
from ..result import ToolResult
from .compare import Place, json_types
from .conversions import outgoing
from .signature import EMPTY, Signature
from .type_schemas import schemas_of


def result_maker(
    binding: ToolBinding[Any, Any], signature: Signature, document: Mapping[str, Any]
) -> Callable[[Any], Any]:
    """What makes the binding's result of a returned value. `document` is the contract.

    A value that does not fit is passed on as plain data: `check_results` says what is wrong with it, as it
    does for every handler.
    """
    wanted = binding.result
    if wanted is None:
        return lambda value: value if isinstance(value, (str, ToolResult)) else outgoing(value)
    wraps = _wraps(Place(document["result"], document), signature)

    def make(value: Any) -> Any:
        if isinstance(value, ToolResult) or (isinstance(wanted, type) and type(value) is wanted):
            return value
        if wraps:
            return _wrapped(outgoing(value), wanted)
        if value is None or isinstance(value, str):
            return value
        return _typed(outgoing(value), wanted)

    return make


def _typed(data: Any, wanted: Any) -> Any:
    try:
        return msgspec.convert(data, wanted, dec_hook=trusted_hook)
    except ValueError:
        return data


def _wrapped(data: Any, wanted: Any) -> Any:
    """The object that the contract wants, with the text of the value itself, as FastMCP sends it.

    Not where that text is an object of its own: whoever reads data out of texts would take it for the one
    that the contract wants.
    """
    made = _typed({"result": data}, wanted)
    if data is None:
        return ToolResult.ok("", made)
    try:
        text = data if isinstance(data, str) else msgspec.json.encode(data).decode()
    except UnicodeEncodeError:
        return made  # lone surrogates, which are replaced where results are encoded
    return made if text.lstrip()[:1] == "{" else ToolResult.ok(text, made)


def _wraps(result: Place, signature: Signature) -> bool:
    """Whether the contract wants `{"result": …}` of a function that may return no object: FastMCP and the MCP
    SDK declare such results, as a tool's data had to be an object."""
    schema = result.target().schema
    if not isinstance(schema, dict) or list(schema.get("properties", ())) != ["result"]:
        return False
    if signature.returns is EMPTY:
        return False
    found = schemas_of({"result": signature.returns}, "serialization")
    place = Place(found.schemas.get("result", True), found.document)
    return json_types(place) not in (frozenset(("object",)), json_types(Place(True, {})))
