"""The address at which an operation is called."""

import re
from typing import Any
from urllib.parse import urljoin, urlsplit

from .document import OpenApiDocument
from .operations import Operation


def server_of(document: OpenApiDocument, operation: Operation) -> str | None:
    """The first server of the operation, of its path, or of the document; variables have their defaults.

    Args:
        document: the document.
        operation: the operation.

    Returns:
        An absolute address without a slash at its end; None where the document states none, so that the
        program names it. A relative one starts where the document was downloaded from.
    """
    for owner in (operation.data, operation.item, document.data):
        listed = owner.get("servers")
        if isinstance(listed, list) and listed and isinstance(listed[0], dict):
            return _address(listed[0], document.address)
    return _address({"url": "/"}, document.address) if document.address else None


def _address(server: dict[str, Any], base: str) -> str | None:
    url = server.get("url")
    if not isinstance(url, str):
        return None
    variables = server.get("variables")
    known = variables if isinstance(variables, dict) else {}

    def default(found: re.Match[str]) -> str:
        variable = known.get(found.group(1))
        value = variable.get("default") if isinstance(variable, dict) else None
        return str(value) if isinstance(value, str | int | float) else found.group(0)

    address = re.sub(r"\{([^{}]{1,200})\}", default, url)
    try:
        address = urljoin(base, address) if base else address
        parts = urlsplit(address)
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.netloc or "{" in address:
        return None
    return address.rstrip("/")
