"""The web, for tools: HTTP requests within rules, readable pages, a search engine (`toolcast[tools]`).

Requests go to public addresses, unless the program allows others: `AccessRules` says what may be reached, and
`CheckedTransport` gives any `httpx.AsyncClient` the same protection.
"""

from ..libraries import missing

try:
    from .access_rules import AccessRules
    from .exchange import BlockedAddressError, CheckedTransport, system_resolve
    from .pages import Answer, PageQuestion
    from .search_engines import Brave, SearchEngine, SearchQuery, SearchResult, SearXng
    from .web import Web, WebLimits
except ModuleNotFoundError as problem:
    if (problem.name or "").partition(".")[0] not in ("httpx", "httpcore", "anyio"):
        raise
    raise missing(__name__, problem.name or "httpx") from problem

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
