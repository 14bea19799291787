"""The web, for tools: HTTP requests within rules, readable pages, a search engine (`toolcast[tools]`).

Requests go to public addresses, unless the program allows others: `AccessRules` says what may be reached, and
`CheckedTransport` gives any `httpx.AsyncClient` the same protection.
"""

from typing import TYPE_CHECKING, Any

from toolcast.lazy_exports import lazy_exports

from ..libraries import missing

if TYPE_CHECKING:
    from .access_rules import AccessRules
    from .exchange import BlockedAddressError, CheckedTransport, system_resolve
    from .pages import Answer, PageQuestion
    from .search_engines import Brave, SearchEngine, SearchQuery, SearchResult, SearXng
    from .web import Web, WebLimits

__all__ = [
    "AccessRules",
    "Answer",
    "BlockedAddressError",
    "Brave",
    "CheckedTransport",
    "PageQuestion",
    "SearXng",
    "SearchEngine",
    "SearchQuery",
    "SearchResult",
    "Web",
    "WebLimits",
    "system_resolve",
]

_load = lazy_exports(
    __name__,
    {
        "AccessRules": ".access_rules",
        "Answer": ".pages",
        "BlockedAddressError": ".exchange",
        "Brave": ".search_engines",
        "CheckedTransport": ".exchange",
        "SearchResult": ".search_engines",
        "PageQuestion": ".pages",
        "SearXng": ".search_engines",
        "SearchEngine": ".search_engines",
        "SearchQuery": ".search_engines",
        "Web": ".web",
        "WebLimits": ".web",
        "system_resolve": ".exchange",
    },
)


def __getattr__(name: str) -> Any:
    try:
        return _load(name)
    except ModuleNotFoundError as problem:
        if (problem.name or "").partition(".")[0] not in ("httpx", "httpcore", "anyio"):
            raise
        raise missing(__name__, problem.name or "httpx") from problem
