"""HTTP operations: tools whose specs say where each parameter goes (`http`), carried out as requests.

Needs httpx, which is imported at the first request: `pip install 'toolcast[http]'`.
"""

from ..http_operation import Operation, Place, PropertyEncoding, SchemeFields
from .client import HttpxMissingError
from .credentials import Auth, SecurityScheme
from .handler import HttpHandler, register_http
from .http_request import HttpRequest, Part

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
