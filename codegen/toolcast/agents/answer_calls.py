"""The calls of one answer while they are carried out."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from ..runtime.context import Framework
from ..runtime.result import ToolResult
from ..runtime.view import ToolView
from .answers import ReadAnswer
from .record import CallRecord
from .run_side_by_side import groups, runs_alone
from .run_state import PendingAnswer, StateError, WaitingCall
from .waiting import INTERRUPTED, Deferred, Settled, approval, is_repeatable


class Batch(NamedTuple):
    """Calls that are carried out together, by their positions; `framework` is what was decided of them."""

    indexes: tuple[int, ...] = ()
    framework: Framework | None = None


class AnswerCalls:
    """Which calls of an answer have results, wait, or were begun.

    `elsewhere` are the results that came from outside, by position.
    """

    def __init__(self, answer: ReadAnswer, pending: PendingAnswer, settled: Settled, tools: ToolView) -> None:
        """Raises StateError where the answer is not the one that `pending` describes."""
        count = len(answer.calls)
        self.answer = answer
        self._tools = tools
        self._response = pending.response
        self._found: list[ToolResult | None] = [*(pending.results or [None] * count)]
        self._waiting = {call.index: call for call in pending.waiting}
        self._begun: set[int] = set()
        self._done: set[int] = set()  # those of batches that ended
        self._approved: dict[int, WaitingCall] = {}  # those of the batch that was begun last
        if len(self._found) != count or not self._fits(pending):
            before = len(self._found)
            had = "other calls" if before == count else f"{before} calls, not {count},"
            raise StateError(
                f"The answer in the state of the run had {had} when it was stored: resume it with the format "
                "and the text format that it began with."
            )
        self.elsewhere = {**settled.results, **self._interrupted(pending)}
        for index, result in self.elsewhere.items():
            self._found[index] = result
            self._waiting.pop(index, None)
        self._settled = settled
        alone = [runs_alone(tools, self._name(call)) for call in answer.calls]
        self._groups = [*groups(range(count), alone.__getitem__)]

    def _fits(self, pending: PendingAnswer) -> bool:
        """Whether the calls of the answer are those of which `pending` says something."""
        calls = self.answer.calls
        if not {*self._waiting, *pending.begun} <= {*range(len(calls))}:
            return False
        names = ((self._tools.resolve(getattr(calls[i], "name", "")), i) for i in self._waiting)
        return all(name in (None, self._waiting[i].name) for name, i in names)

    def _interrupted(self, pending: PendingAnswer) -> dict[int, ToolResult]:
        """Results of calls that were begun by a process that ended, and must not run twice."""
        names = {index: self._name(self.answer.calls[index]) for index in pending.begun}
        return {
            index: ToolResult.failed(INTERRUPTED.format(name))
            for index, name in names.items()
            if not is_repeatable(self._tools, name)
        }

    def batches(self) -> Iterator[Batch]:
        """The calls that are to be carried out, one batch after another; each is made when those before it
        have ended. At least one, so that every answer passes through the same steps.

        Where a call waits that runs alone, or after which one runs alone, the calls after it are not begun.
        """
        none = True
        for group in self._groups:
            for batch in self._batches_of(group):
                none = False
                yield batch
            if any(index in self._waiting for index in group):
                break
        if none:
            yield Batch()

    def _batches_of(self, group: Sequence[int]) -> list[Batch]:
        """Of calls that run side by side: those that nobody has to decide, and those that were approved."""
        free = tuple(index for index in group if self._found[index] is None and index not in self._waiting)
        batches = [Batch(free)] if free else []
        approved: dict[tuple[Literal["yes", "always"], str], list[int]] = {}
        for verdict in ("yes", "always"):
            for index in group:
                if index in self._waiting and self._settled.approved.get(index) == verdict:
                    approved.setdefault((verdict, self._waiting[index].injected), []).append(index)
        return batches + [Batch(tuple(chosen), approval(*each)) for each, chosen in approved.items()]

    def begin(self, batch: Batch) -> list[Any]:
        """The calls of a batch, which are begun now."""
        self._begun.update(batch.indexes)
        self._approved = {
            index: self._waiting.pop(index) for index in batch.indexes if index in self._waiting
        }
        return [self.answer.calls[index] for index in batch.indexes]

    def end(self, batch: Batch, results: Sequence[ToolResult], round: int) -> None:
        """Take the results of a batch; a deferred call waits."""
        for index, result in zip(batch.indexes, results, strict=True):
            self._take(index, result, round)
        self._begun.difference_update(batch.indexes)
        self._done.update(batch.indexes)

    def recover(
        self, ended: Sequence[CallRecord], was_cancelled: Callable[[CallRecord], bool], round: int
    ) -> None:
        """Take what is known of a batch that was interrupted: the results of calls that ended, and calls that
        were deferred. Calls that never began are as before: they wait still, where they waited."""
        done, interrupted, unknown = {*self._done}, set[int](), False
        for call in (call for call in ended if call.executed):
            # Equal calls are told apart by their order: those of batches that ended came first.
            known = (*sorted(done), *sorted(self._begun))
            index = next((index for index in known if self._is(self.answer.calls[index], call)), None)
            if index is None:
                unknown = True
            elif index in done:
                done.discard(index)
            elif was_cancelled(call):
                interrupted.add(index)
                self._begun.discard(index)
            else:
                self._take(index, call.result, round)
                self._begun.discard(index)
        if not unknown:
            self._waiting.update((index, self._approved[index]) for index in self._begun & {*self._approved})
            self._begun.clear()
        self._begun |= interrupted

    def _take(self, index: int, result: ToolResult, round: int) -> None:
        if isinstance(result, Deferred):
            self._waiting[index] = result.waiting(round, index)
        else:
            self._found[index] = result

    @property
    def results(self) -> list[ToolResult]:
        """The results, where no call waits."""
        return [result for result in self._found if result is not None]

    def pending(self) -> PendingAnswer:
        """The answer as it stands."""
        return PendingAnswer(
            response=self._response,
            results=tuple(self._found),
            waiting=tuple(self._waiting[index] for index in sorted(self._waiting)),
            begun=tuple(sorted(self._begun)),
        )

    @property
    def waits(self) -> bool:
        """Whether a call waits."""
        return bool(self._waiting)

    def records(self) -> list[CallRecord]:
        """The calls that were answered elsewhere."""
        return [
            CallRecord(
                id=str(getattr(self.answer.calls[index], "id", "")),
                name=self._name(self.answer.calls[index]),
                arguments=getattr(self.answer.calls[index], "arguments", None),
                result=result,
                seconds=0.0,
                executed=False,
            )
            for index, result in self.elsewhere.items()
        ]

    def _name(self, call: Any) -> str:
        """The name of a call's tool, as records have it; adapters of a program's own may have other calls."""
        name = str(getattr(call, "name", ""))
        return self._tools.resolve(name) or name

    def _is(self, call: Any, record: CallRecord) -> bool:
        """Whether a record is of this call, or of one that is the same in all."""
        if self._name(call) != record.name or getattr(call, "arguments", None) != record.arguments:
            return False
        return bool(getattr(call, "id", "") == record.id)
