"""Reports of progress on their way to a client: growing, in order, and none after the answer."""

import asyncio
import threading

from toolcast.mcp.serving.client_channel import Progress

Sent = list[tuple[float, float | None, str | None]]


def test_reports_from_many_threads_grow_and_the_last_arrives() -> None:
    async def main() -> Sent:
        sent: Sent = []

        async def send(done: float, total: float | None, message: str | None) -> None:
            await asyncio.sleep(0.001)  # a connection is slower than a handler
            sent.append((done, total, message))

        progress = Progress(send)

        def work(start: int) -> None:
            for done in range(start, 4000, 4):
                progress.report(done, 4000, f"{done}")

        threads = [threading.Thread(target=work, args=(start,)) for start in range(4)]
        for thread in threads:
            thread.start()
        await asyncio.gather(*(asyncio.to_thread(thread.join) for thread in threads))
        await progress.flush()
        before = len(sent)
        progress.report(5000, 4000, "too late")
        await asyncio.sleep(0.01)
        assert len(sent) == before
        return sent

    sent = asyncio.run(main())
    assert sent[-1] == (3999, 4000, "3999")
    values = [done for done, _, _ in sent]
    assert values == sorted(set(values))
    assert len(sent) < 4000  # what came faster than it could be sent is skipped


def test_a_connection_that_fails_and_values_that_are_none_do_no_harm() -> None:
    async def main() -> None:
        async def send(_done: float, _total: float | None, _message: str | None) -> None:
            raise OSError("gone")

        progress = Progress(send)
        progress.report(float("nan"), None, "")
        progress.report(1, None, "")
        await progress.flush()
        stopped = Progress(send)
        stopped.report(1, None, "")
        await asyncio.sleep(0)
        stopped.stop()

    asyncio.run(main())


def test_a_report_after_the_loop_has_ended_is_dropped() -> None:
    async def main() -> Progress:
        async def send(_done: float, _total: float | None, _message: str | None) -> None:
            return None

        return Progress(send)

    asyncio.run(main()).report(1, None, "")
