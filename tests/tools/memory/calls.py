"""Calls of the two tools, as tests write them."""

from typing import Any

from toolcast.runtime import ToolContext
from toolcast_tools.generated._types.memory_item import MemoryItem
from toolcast_tools.generated.memory.memory_recall import MemoryRecallParams
from toolcast_tools.generated.memory.memory_store import MemoryStoreParams
from toolcast_tools.memory import Memory


class Clock:
    """A clock that a test sets: seconds since 1970."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


def context(**extra: Any) -> ToolContext:
    return ToolContext(extra=extra)


def store(memory: Memory, content: str, within: ToolContext | None = None, **arguments: Any) -> MemoryItem:
    return memory.memory_store(MemoryStoreParams(content=content, **arguments), within or context())


def recall(memory: Memory, query: str, within: ToolContext | None = None, **arguments: Any) -> list[str]:
    found = memory.memory_recall(MemoryRecallParams(query=query, **arguments), within or context())
    return [each.item.content for each in found.memories]


def scores(memory: Memory, query: str, within: ToolContext | None = None) -> dict[str, float]:
    found = memory.memory_recall(MemoryRecallParams(query=query, limit=100), within or context())
    return {each.item.content: each.score for each in found.memories}
