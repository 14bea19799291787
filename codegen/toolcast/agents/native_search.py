"""Providers that search and load deferred tools themselves, as data."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct


class Native(Struct, frozen=True, kw_only=True):
    """How a provider defers tools: `member` goes into each deferred tool object, `tools` stand before all."""

    member: Mapping[str, Any]
    tools: tuple[Mapping[str, Any], ...] = ()


NATIVE: Mapping[str, Native] = {
    # platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool: a deferred tool stays out of the
    # prefix and is appended to the conversation once it was found; at least one tool must not be deferred,
    # and the search tool counts. The other one, tool_search_tool_regex_20251119, takes patterns.
    "anthropic": Native(
        member={"defer_loading": True},
        tools=({"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"},),
    ),
    # developers.openai.com/api/docs/guides/tools-tool-search: gpt-5.4 and later; found tools are put at the
    # end of the context, so the cache holds.
    "openai-responses": Native(member={"defer_loading": True}, tools=({"type": "tool_search"},)),
}
"""By provider. What is not here has neither, or not for tools of a request."""


def native_for(provider: str, native: "bool | Native | None") -> Native | None:
    """What was asked for: True demands the table's entry, None takes it where there is one, False never.

    Raises ValueError where it is demanded and there is none.
    """
    if isinstance(native, Native):
        return native
    found = None if native is False else NATIVE.get(provider)
    if native is True and found is None:
        raise ValueError(
            f"{provider!r} is not known to load tools by itself (known: {', '.join(NATIVE)}). "
            "Pass native=Native(…) with what it wants, or leave it out."
        )
    return found


def deferred(definition: bytes, native: Native) -> bytes:
    """A tool object that its provider loads when it is found."""
    return msgspec.json.encode({**msgspec.json.decode(definition), **native.member})
