"""The address at which an operation is called."""

from typing import Any
from urllib.parse import urljoin

from ...http.operation import TEMPLATE, filled, server_problem
from .document import OpenApiDocument
from .operations import Operation


def server_of(document: OpenApiDocument, operation: Operation) -> dict[str, Any]:
    """The first server of the operation, of its path, or of the document.

    Args:
        document: the document.
        operation: the operation.

    Returns:
        The spec's `http.server` and `http.server_variables`; nothing where the document states no absolute
        address, so that the program names it. A relative one starts where the document was downloaded from.
    """
    for owner in (operation.data, operation.item, document.data):
        listed = owner.get("servers")
        if isinstance(listed, list) and listed and isinstance(listed[0], dict):
            return _server(listed[0], document.address)
    return _server({"url": "/"}, document.address) if document.address else {}


def _server(server: dict[str, Any], base: str) -> dict[str, Any]:
    url = server.get("url")
    if not isinstance(url, str):
        return {}
    try:
        address = (urljoin(base, url) if base else url).rstrip("/")
    except ValueError:
        return {}
    stated = server.get("variables")
    defaults: dict[str, str] = {}
    for name in TEMPLATE.findall(address):
        variable = stated.get(name) if isinstance(stated, dict) else None
        default = variable.get("default") if isinstance(variable, dict) else None
        if isinstance(default, str | int | float) and str(default):
            defaults[name] = str(default)
    if server_problem(filled(address, defaults)):
        return {}
    return {"server": address, **({"server_variables": defaults} if defaults else {})}
