"""The processes of one run: they compile, and later they publish what they have compiled.

A run of few specs has none. The outcome is the same, in the same order.
"""

import contextlib
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import TYPE_CHECKING

from ..diagnostics import Diagnostic
from ..spec.model import Document
from .hand import Packed, become_hand, make_files, pack_writes, publish_piece, run_chunk, unpack_outcomes
from .output.content import Files, Make, at_once, held_files
from .output.plan import Write
from .output.share import Done, carry_out, divide
from .spill import Room, Spill
from .workers import Outcome, Shop, Task, load_types, processors, run_all, safe_path, shown

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor
    from threading import Thread

MANY = 24
"""From this number of specs on, starting processes pays."""
MANY_WITH_MODELS = 8
"""The same when other model families are asked for: each takes longer than all the rest."""
_SEVERAL = 2
_PIECE = 1024
"""So many files to write are handed to a worker at once."""


class Crew:
    """Does the work of one run. Its processes start with the first that is worth it, and `end` ends them."""

    def __init__(self, shop: Shop, room: Room, jobs: int | None) -> None:
        """`jobs` None means one per processor."""
        self._shop, self._room, self._jobs = shop, room, jobs or processors()
        self._pool: ProcessPoolExecutor | None = None
        self._leaving: Thread | None = None
        self._safe = contextlib.ExitStack()  # open while there are processes
        self._types: dict[str, Document] | None = None
        self._spill: Spill | None = None

    def compile(
        self,
        tasks: Sequence[Task],
        progress: Callable[[int, int], None],
        before: Callable[[Task], None] = lambda _task: None,
    ) -> list[Outcome]:
        """One outcome for each of `tasks`, in their order. `progress` is told (done, total).

        `before` is called with each task before it is begun, while others are at work; perhaps twice.
        A task that raises, or kills its process, becomes a diagnostic. Raises OSError if there is no room for
        what is made.
        """
        many = len(tasks) >= (MANY_WITH_MODELS if self._shop.options.models else MANY)
        count = min(self._jobs, max(1, len(tasks) // 4))
        if many and count >= _SEVERAL:
            return self._in_processes(tasks, count, progress, before)
        if many and self._spill is None:
            self._spill = Spill(self._room.folder)
        if self._types is None:
            self._types = load_types(self._shop)
        done: list[Outcome] = []
        for task in tasks:
            before(task)
            done += run_all(self._shop, self._types, [task], self._spill)
            progress(len(done), len(tasks))
        return done

    def begin(self, make: Make) -> Callable[[], Files]:
        """Begin to make files in another process, if there are any; what is returned waits for them.

        `make` must be picklable.
        """
        if self._pool is None:
            return at_once(make)
        from concurrent.futures.process import BrokenProcessPool

        try:
            future = self._pool.submit(make_files, make)
        except BrokenProcessPool:
            return at_once(make)

        def wait() -> Files:
            try:
                return future.result()
            except BrokenProcessPool:  # it may have been the process, and not what it made
                return at_once(make)()

        return wait

    def publish(self, root: str, writes: Sequence[Write]) -> Iterator[tuple[Sequence[Write], Done]]:
        """Carry out `writes` below `root`, in pieces; what became of each.

        A share is handed out piece by piece, so that nobody holds much of it; after a piece that was stopped
        the rest of its share is left. What a process that dies leaves undone is done here.
        """
        if self._pool is None:
            yield writes, carry_out(root, writes)
            return
        from concurrent.futures import FIRST_COMPLETED, wait
        from concurrent.futures.process import BrokenProcessPool

        left = [_pieces(share) for share in divide(writes, self._jobs)]
        begun: dict[Future[Done], int] = {}
        undone = list(range(len(left)))  # shares whose next piece is to be handed out
        while undone or begun:
            try:
                while undone:
                    rows = pack_writes(left[undone[-1]][0])
                    future = self._pool.submit(publish_piece, root, self._room.folder, undone[-1], rows)
                    begun[future] = undone.pop()
                for future in wait(begun, return_when=FIRST_COMPLETED).done:
                    done, number = _done(future), begun.pop(future)
                    piece = left[number].pop(0)
                    if done.error is not None:
                        left[number].clear()
                    if left[number]:
                        undone.append(number)
                    yield piece, done
            except BrokenProcessPool:
                break
        if not any(left):
            return
        self.end()  # and so none of them writes any more
        for share in left:
            for piece in share:
                done = carry_out(root, piece, again=True)
                yield piece, done
                if done.error is not None:
                    break

    def dismiss(self) -> None:
        """There is no more to do: the processes begin to end, and `end` waits for them."""
        if self._pool is None:
            return
        import threading

        self._leaving = threading.Thread(target=self._pool.shutdown)
        self._leaving.start()
        self._pool = None

    def end(self) -> None:
        """End all processes. What they have stored stays."""
        if self._leaving is not None:
            self._leaving.join()
            self._leaving = None
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None
        if self._spill is not None:
            self._spill.close()
            self._spill = None
        self._safe.close()

    def _start(self, count: int) -> "ProcessPoolExecutor":
        from concurrent.futures import ProcessPoolExecutor

        self._safe.enter_context(safe_path())
        return ProcessPoolExecutor(count, initializer=become_hand, initargs=(self._shop, self._room.folder))

    def _in_processes(
        self,
        tasks: Sequence[Task],
        count: int,
        progress: Callable[[int, int], None],
        before: Callable[[Task], None],
    ) -> list[Outcome]:
        from concurrent.futures import as_completed
        from concurrent.futures.process import BrokenProcessPool

        if self._pool is None:
            with contextlib.suppress(Exception):  # the tasks tell what is missing
                self._shop.frontend.prepare()
            self._pool = self._start(count)
        chunks = _chunks(tasks, count)
        outcomes: dict[int, list[Outcome]] = {}
        numbers: dict[Future[Packed], int] = {}
        done, broken = 0, False
        try:
            for number, chunk in enumerate(chunks):
                for task in chunk:
                    before(task)
                numbers[self._pool.submit(run_chunk, chunk)] = number
        except BrokenProcessPool:  # one may die while others are being handed out
            broken = True
        for future in as_completed(numbers):
            number = numbers.pop(future)
            try:
                outcomes[number] = unpack_outcomes(future.result())
            except BrokenProcessPool:
                broken = True
                continue
            done += len(chunks[number])
            progress(done, len(tasks))
        if broken:
            self.end()
        for number, chunk in enumerate(chunks):
            if number not in outcomes:  # a process died: each of these alone, to learn which spec does it
                for task in chunk:
                    before(task)
                outcomes[number] = self._one_by_one(chunk)
        return [outcome for number in range(len(chunks)) for outcome in outcomes[number]]

    def _one_by_one(self, tasks: Sequence[Task]) -> list[Outcome]:
        """Compile tasks of which one kills its process: halves are tried until it stands alone."""
        from concurrent.futures.process import BrokenProcessPool

        try:
            with self._start(1) as pool:
                return unpack_outcomes(pool.submit(run_chunk, tasks).result())
        except BrokenProcessPool:
            if len(tasks) > 1:
                middle = len(tasks) // 2
                return [*self._one_by_one(tasks[:middle]), *self._one_by_one(tasks[middle:])]
        problem = Diagnostic(
            file=shown(self._shop, tasks[0].path),
            code="worker-crash",
            message="the process that compiled this file died",
            hint="it may need more memory than there is; otherwise please report it with the spec",
        )
        return [Outcome(path=tasks[0].path, files=held_files({}), diagnostics=(problem,), uses=())]


@contextlib.contextmanager
def crew(shop: Shop, room: Room, jobs: int | None) -> Generator[Crew]:
    """A crew for one run; at its end no process is left."""
    made = Crew(shop, room, jobs)
    try:
        yield made
    finally:
        made.end()


def _chunks(tasks: Sequence[Task], count: int) -> list[Sequence[Task]]:
    """Smaller ones towards the end, so that no process waits for another for long."""
    chunks: list[Sequence[Task]] = []
    start = 0
    while start < len(tasks):
        size = max(1, min(16, (len(tasks) - start) // (count * 4)))
        chunks.append(tasks[start : start + size])
        start += size
    return chunks


def _pieces(share: Sequence[Write]) -> list[Sequence[Write]]:
    return [share[start : start + _PIECE] for start in range(0, len(share), _PIECE)]


def _done(future: "Future[Done]") -> Done:
    """What became of a piece. Raises BrokenProcessPool."""
    try:
        return future.result()
    except OSError as error:  # before the first of its files: there is no room for the lock
        return Done(error=error)
