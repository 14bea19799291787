"""HTTP operations: tools whose specs say where each parameter goes (`http`), carried out as requests.

Needs httpx, which is imported at the first request: `pip install 'toolcast[http]'`.
"""

from typing import TYPE_CHECKING

from ..lazy_exports import lazy_exports

if TYPE_CHECKING:
    from .client import HttpxMissingError
    from .credentials import Auth, SecurityScheme
    from .handler import HttpHandler, register_http
    from .http_request import HttpRequest, Part
    from .operation import Operation, Place, PropertyEncoding, SchemeFields

__all__ = [
    "Auth",
    "HttpHandler",
    "HttpRequest",
    "HttpxMissingError",
    "Operation",
    "Part",
    "Place",
    "PropertyEncoding",
    "SchemeFields",
    "SecurityScheme",
    "register_http",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "Auth": ".credentials",
        "HttpHandler": ".handler",
        "HttpRequest": ".http_request",
        "HttpxMissingError": ".client",
        "Operation": ".operation",
        "Part": ".http_request",
        "Place": ".operation",
        "PropertyEncoding": ".operation",
        "SchemeFields": ".operation",
        "SecurityScheme": ".credentials",
        "register_http": ".handler",
    },
)
