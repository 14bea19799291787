"""Providers that load tools by themselves: all definitions are sent in full, marked for that."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct


class Native(Struct, frozen=True, kw_only=True):
    """How a provider defers tools: `member` goes into each deferred tool object, `tools` come first."""

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


def native_for(provider: str, native: "bool | Native | None", *, levels: bool = False) -> Native | None:
    """The chosen entry: True requires the table's entry, None takes it where there is one, False never.

    Args:
        provider: id of the provider.
        native: what the program asked for.
        levels: whether it named levels: a provider that loads tools gets all of them in full, so None is
            False then.

    Raises:
        ValueError: it is demanded beside levels, or for a provider that has no entry.
    """
    if native is None or native is False:
        return None if native is False or levels else NATIVE.get(provider)
    if levels:
        raise ValueError(
            "A provider that loads tools by itself gets all of them in full, so a level has no effect. Leave "
            "out native for stubs, or level and levels."
        )
    found = NATIVE.get(provider) if native is True else native
    if found is None:
        raise ValueError(
            f"{provider!r} is not known to load tools by itself (known: {', '.join(NATIVE)}). "
            "Pass native=Native(…) with what it wants, or leave it out."
        )
    return found


def deferred(definition: bytes, native: Native) -> bytes:
    """A tool object that its provider loads when it is found."""
    return msgspec.json.encode({**msgspec.json.decode(definition), **native.member})
