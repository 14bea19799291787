"""How often the tools of a run asked for another call."""

from collections.abc import Mapping

import msgspec

from ..runtime.context import Framework, ToolContext
from ..runtime.result import ToolResult
from ..runtime.retry_hint import RetryHint

_COUNTING = Framework()


class Attempts:
    """Counts the calls that handlers asked for again, by tool, until one succeeds.

    Calls of one answer are one attempt: the model made them before it read a hint.
    """

    def __init__(self, counts: Mapping[str, int]) -> None:
        self._counts = {**counts}  # of the answers that ended
        self._asked: set[str] = set()  # tools that asked for another call, of this answer
        self._succeeded: set[str] = set()

    def begin(self, tool: str, context: ToolContext) -> ToolContext:
        """The context of a call of `tool` that begins, with the number of the attempt."""
        framework = context.framework or _COUNTING
        counted = msgspec.structs.replace(framework, attempt=self._counts.get(tool, 0) + 1)
        return msgspec.structs.replace(context, framework=counted)

    def end(self, tool: str, result: ToolResult) -> None:
        """Take note of a call that ended."""
        if result.success:
            self._succeeded.add(tool)
        elif isinstance(result.data, RetryHint) and result.data.tool == tool:
            self._asked.add(tool)

    @property
    def counts(self) -> dict[str, int]:
        """The attempts in all answers so far, by tool."""
        kept = {tool: n for tool, n in self._counts.items() if tool not in self._succeeded - self._asked}
        return {**kept, **{tool: kept.get(tool, 0) + 1 for tool in self._asked}}

    def end_answer(self) -> None:
        """Count the calls of an answer."""
        self._counts = self.counts
        self._asked.clear()
        self._succeeded.clear()
