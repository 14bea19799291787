"""How much work a call is, counted: the same on every machine, however busy it is."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def lines_executed(work: Callable[[], object]) -> int:
    """The number of lines of Python that `work` executes in this thread."""
    count = 0

    def trace(_: FrameType, event: str, __: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    previous = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(previous)
    return count


def grows_linearly(make: Callable[[int], Callable[[], object]]) -> bool:
    """Whether work of four times the size executes at most some six times as many lines.

    What is quadratic executes sixteen times as many. `make` gives the work of a size.
    """
    # What is imported or made at first use is no part of the work. A size of its own: results may be cached.
    make(2)()
    return lines_executed(make(4)) < 6 * lines_executed(make(1)) + 500
