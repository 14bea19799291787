"""What hooks put around one call."""

from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from .binding import ToolBinding
from .context import ToolContext
from .events import Observer
from .guard import Guard
from .interrupts import is_from_outside


@contextmanager
def surrounded(
    guard: Guard, binding: ToolBinding[Any, Any], context: ToolContext
) -> Generator[tuple[Observer, ...]]:
    """Enter every hook's `around`, and leave them in reverse order; gives who observes this call.

    One that cannot be entered is logged and sees the call by its `on`.
    """
    observers: list[Observer] = []
    entered: list[AbstractContextManager[Any]] = []
    for hook in guard.hooks:
        observer = None
        around = getattr(hook, "around", None)
        if around is not None:
            try:
                manager = around(binding, context)
                observer = manager.__enter__()
                entered.append(manager)
            except BaseException as problem:
                if is_from_outside(problem):
                    raise
                guard.hook_failed("the beginning", binding.name, context.call_id, problem)
        observers.append(hook.on if observer is None else observer)
    try:
        yield tuple(observers)
    finally:
        for manager in reversed(entered):
            try:
                manager.__exit__(None, None, None)
            except BaseException as problem:
                if is_from_outside(problem):
                    raise
                guard.hook_failed("the end", binding.name, context.call_id, problem)
