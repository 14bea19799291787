"""Which exceptions end a call from outside, and which are a fault of what runs in it."""


def is_from_outside(problem: BaseException) -> bool:
    """Whether an exception must pass through a call: nobody waits for its result, or the program ends.

    That is a cancellation that the running task was asked for (`Task.cancelling`), the interrupt that Python
    itself raises for Ctrl-C, and the closing of a coroutine. Everything else is raised by a handler, a
    precheck, a hook or a resolver: a `CancelledError` of something that it waited for, `SystemExit`, a
    `KeyboardInterrupt` of its own.
    """
    if isinstance(problem, Exception):
        return False
    import asyncio

    if isinstance(problem, asyncio.CancelledError):
        task = asyncio.current_task()
        return task is None or task.cancelling() > 0
    if isinstance(problem, KeyboardInterrupt):
        return _raises_interrupts()
    return isinstance(problem, GeneratorExit)


def _raises_interrupts() -> bool:
    """Whether Ctrl-C raises in this thread. It does not where the program handles the signal: `asyncio.run`
    cancels its main task instead, and servers have handlers of their own."""
    import signal
    import threading

    handled = signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    return threading.current_thread() is threading.main_thread() and not handled
