"""How often the tools of a run asked for another call."""

from collections.abc import Mapping

import msgspec

from ..runtime.context import Framework, ToolContext
from ..runtime.result import ToolResult
from ..runtime.retry_hint import RetryHint

_COUNTING = Framework()


class Attempts:
    """Counts the calls that handlers asked for again, by tool, until one succeeds.

    Calls of one answer are one attempt: the model made them before it read a hint. `counts` are the attempts
    in all answers so far.
    """

    def __init__(self, counts: Mapping[str, int]) -> None:
        self.counts = {**counts}
        self._asked: set[str] = set()  # tools that asked for another call, of this answer
        self._succeeded: set[str] = set()

    def begin(self, tool: str, context: ToolContext) -> ToolContext:
        """The context of a call of `tool` that begins, with the number of the attempt."""
        framework = context.framework or _COUNTING
        counted = msgspec.structs.replace(framework, attempt=self.counts.get(tool, 0) + 1)
        return msgspec.structs.replace(context, framework=counted)

    def end(self, tool: str, result: ToolResult) -> None:
        """Take note of a call that ended."""
        if result.success:
            self._succeeded.add(tool)
        elif isinstance(result.data, RetryHint) and result.data.tool == tool:
            self._asked.add(tool)

    def end_answer(self) -> None:
        """Count the calls of an answer."""
        for tool in self._asked:
            self.counts[tool] = self.counts.get(tool, 0) + 1
        for tool in self._succeeded - self._asked:
            self.counts.pop(tool, None)
        self._asked.clear()
        self._succeeded.clear()
