"""The calls of one answer while they are carried out."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

from ..runtime.context import Framework
from ..runtime.result import ToolResult
from ..runtime.view import ToolView
from .answers import ReadAnswer
from .record import CallRecord
from .run_side_by_side import groups, runs_alone
from .run_state import PendingAnswer, StateError
from .waiting import INTERRUPTED, Deferred, Settled, approval, is_repeatable


class Batch(NamedTuple):
    """Calls that are carried out together, by their positions; `framework` is what was decided of them."""

    indexes: tuple[int, ...] = ()
    framework: Framework | None = None


class AnswerCalls:
    """An answer's calls: with results, waiting or begun. `elsewhere` are results from outside."""

    def __init__(
        self, answer: ReadAnswer, pending: PendingAnswer, settled: Settled, tools: ToolView, round: int
    ) -> None:
        """Raise StateError where the answer is not the one that `pending` describes."""
        count = len(answer.calls)
        self.answer = answer
        self._tools = tools
        self.response = pending.response
        self._found: list[ToolResult | None] = [*(pending.results or [None] * count)]
        self._waiting = {call.index: call for call in pending.waiting}
        self._begun = {*pending.begun}
        self._unsure = {*pending.begun}  # begun by an earlier process, and not again since
        self._open: list[int] = []  # of the batch that is carried out: not claimed yet
        self._unknown: set[int] = set()  # of that batch: without a result
        self._counted: set[int] = set()  # by the budget, in this process
        self._round = round
        if len(self._found) != count or not self._fits(pending):
            before = len(self._found)
            had = "other calls" if before == count else f"{before} calls, not {count},"
            raise StateError(
                f"The answer in the state of the run had {had} when it was stored: resume it with the format "
                "and the text format that it began with."
            )
        interrupted = {index for index in self._begun if not self._is_repeatable(index)}
        outcomes = {**settled.results, **dict.fromkeys(interrupted, ToolResult.failed(""))}
        self.elsewhere = {index: self.told((index,), result) for index, result in outcomes.items()}
        for index, result in self.elsewhere.items():
            self._take(index, result)
        self._settled = settled
        alone = [runs_alone(tools, self._name(call)) for call in answer.calls]
        self._groups = [*groups(range(count), alone.__getitem__)]

    def _fits(self, pending: PendingAnswer) -> bool:
        """Tell whether the answer has the calls of which `pending` says something."""
        calls = self.answer.calls
        if not {*self._waiting, *pending.begun} <= {*range(len(calls))}:
            return False
        names = ((self._tools.resolve(getattr(calls[i], "name", "")), i) for i in self._waiting)
        return all(name in (None, self._waiting[i].name) for name, i in names)

    def batches(self) -> Iterator[Batch]:
        """Give the calls to carry out, each batch when those before it have ended; at least one batch.

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
        """Divide calls that run side by side into those that nobody has to decide, and those approved."""
        free = tuple(index for index in group if self._found[index] is None and index not in self._waiting)
        batches = [Batch(free)] if free else []
        approved: dict[tuple[Literal["yes", "always"], str], list[int]] = {}
        for verdict in ("yes", "always"):
            for index in group:
                if index in self._waiting and self._settled.approved.get(index) == verdict:
                    approved.setdefault((verdict, self._waiting[index].injected), []).append(index)
        return batches + [Batch(tuple(chosen), approval(*each)) for each, chosen in approved.items()]

    def start(self, batch: Batch) -> list[Any]:
        self._open = [*batch.indexes]
        self._unknown = {*batch.indexes}
        return [self.answer.calls[index] for index in batch.indexes]

    def claim(self, id: str, name: str, arguments: object, counted: bool) -> tuple[int, ...]:
        """Return the position of a call of the batch, equal calls in order; several where it cannot be told
        from others.
        """
        calls = self.answer.calls
        named = [i for i in self._open if self._name(calls[i]) == name and getattr(calls[i], "id", "") == id]
        equal = [i for i in named if getattr(calls[i], "arguments", None) == arguments]
        if not equal and len(named) != 1:
            return tuple(named or self._open)
        index = (equal or named)[0]
        self._open.remove(index)
        if counted:
            self._counted.add(index)
        return (index,)

    @contextmanager
    def beginning(self, places: tuple[int, ...]) -> Generator[None]:
        """Note calls that begin; no longer where storing that raises."""
        begun, unsure, waiting = {*self._begun}, {*self._unsure}, {**self._waiting}
        self._begun.update(places)
        self._unsure.difference_update(places)
        for index in places:
            self._waiting.pop(index, None)
        try:
            yield
        except BaseException:  # a cancellation, or a state that is not stored
            for index in places:
                _restore(self._begun, begun, index)
                _restore(self._unsure, unsure, index)
                if index in waiting:
                    self._waiting[index] = waiting[index]
            raise

    def told(self, places: tuple[int, ...], result: ToolResult) -> ToolResult:
        """Return the result of a call; a warning for one that an earlier process began and that fails before
        it begins again.
        """
        if result.success or not places or not self._unsure.issuperset(places):
            return result
        return ToolResult.failed(INTERRUPTED.format(self._name(self.answer.calls[places[0]])))

    def take(self, places: tuple[int, ...], result: ToolResult) -> bool:
        """Take a result while the batch goes on; True where it must be stored: the call waits for what its
        handler began, or must not run again.
        """
        if len(places) != 1:
            return False
        [index] = places
        began = index in self._begun - self._unsure
        self._take(index, result)
        lasting = isinstance(result, Deferred) or not self._is_repeatable(index)
        return began and lasting and bool(self._unknown)

    def end(self, batch: Batch, results: Sequence[ToolResult]) -> None:
        """Take the results of a batch; a deferred call waits."""
        for index, result in zip(batch.indexes, results, strict=True):
            self._take(index, result)

    def _take(self, index: int, result: ToolResult) -> None:
        self._unknown.discard(index)
        if isinstance(result, Deferred):
            self._waiting[index] = result.waiting(self._round, index)
            if index in self._unsure:
                return
        else:
            self._found[index] = result
            self._waiting.pop(index, None)
            self._unsure.discard(index)
        self._begun.discard(index)

    @property
    def uncertain(self) -> int:
        """Number of counted calls that another process would carry out, and count, again."""
        return sum(
            self._found[index] is None
            and index not in self._waiting
            and (index not in self._begun or self._is_repeatable(index))
            for index in self._counted
        )

    def _is_repeatable(self, index: int) -> bool:
        return is_repeatable(self._tools, self._name(self.answer.calls[index]))

    @property
    def results(self) -> list[ToolResult]:
        return [result for result in self._found if result is not None]

    def pending(self) -> PendingAnswer:
        return PendingAnswer(
            response=self.response,
            results=tuple(self._found),
            waiting=tuple(self._waiting[index] for index in sorted(self._waiting)),
            begun=tuple(sorted(self._begun)),
        )

    @property
    def waits(self) -> bool:
        return bool(self._waiting)

    def records(self) -> list[CallRecord]:
        """Return records of the calls that were answered elsewhere."""
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
        """Return the name of a call's tool, as records have it; an adapter may have calls without one."""
        name = str(getattr(call, "name", ""))
        return self._tools.resolve(name) or name


def _restore(places: set[int], before: set[int], index: int) -> None:
    (places.add if index in before else places.discard)(index)
