"""Limits of the tools of the web."""

from msgspec import Struct
from msgspec.structs import asdict

from ..output_limit import OUTPUT_LIMIT


class WebLimits(Struct, frozen=True, kw_only=True):
    """Limits of the tools of the web.

    Attributes:
        body_bytes: bytes of a response that http_request returns, decompressed.
        header_characters: characters of its headers that it returns.
        page_bytes: bytes that a page may have for web_fetch, decompressed.
        redirects: redirects that one call follows.
        fetch_seconds: time in which web_fetch must have the page.
        extraction_seconds: time in which a page must have become readable; half of it as CPU time.
        extraction_bytes: address space of the process that makes it readable.
        extractions: such processes at once; a page waits for one as long as it may take itself.
        content_characters: characters of a page's content at most.
        result_characters: characters of a result of web_fetch as JSON. A part of a page ends where it would
            have more, whatever `max_length` says, so that nothing is cut from it afterwards: set it to the
            `output_limit` of the registry. Addresses and titles leave at least one character of content.
        cached_pages: pages that are kept, for their next parts.
        cached_characters: characters of all of them.
        cached_seconds: time for which a page is kept.
        answer_characters: characters of a page that a model gets with a `prompt`.
        answer_seconds: time in which `answer` must have answered.
        search_seconds: time in which the engine must have searched.
    """

    body_bytes: int = 100_000
    header_characters: int = 16_000
    page_bytes: int = 5_000_000
    redirects: int = 10
    fetch_seconds: float = 30.0
    extraction_seconds: float = 20.0
    extraction_bytes: int = 1_000_000_000
    extractions: int = 4
    content_characters: int = 2_000_000
    result_characters: int = OUTPUT_LIMIT
    cached_pages: int = 16
    cached_characters: int = 8_000_000
    cached_seconds: float = 900.0
    answer_characters: int = 100_000
    answer_seconds: float = 120.0
    search_seconds: float = 30.0

    def __post_init__(self) -> None:
        """Raises ValueError where a limit is not positive."""
        for name, value in asdict(self).items():
            if not value > 0:
                raise ValueError(f"{name} must be positive.")
