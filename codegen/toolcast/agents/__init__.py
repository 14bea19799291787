"""Running a model with tools: the loop, disclosure, delegation, native and text calls. msgspec only.

Parts are imported at first use: a program that only dispatches needs no loop.
"""

from typing import TYPE_CHECKING

from ..lazy_exports import lazy_exports

if TYPE_CHECKING:
    from .delegation import delegate
    from .disclosure import Disclosure
    from .loop import resume, run_tools, stream_resume, stream_tools
    from .model_calls import ModelRequest, in_thread
    from .options import RunOptions
    from .record import Record, record_of
    from .run_state import ClaimedError, RunState, StateError, WaitingCall
    from .usage import Budget, Prices, Usage

__all__ = [
    "Budget",
    "ClaimedError",
    "Disclosure",
    "ModelRequest",
    "Prices",
    "Record",
    "RunOptions",
    "RunState",
    "StateError",
    "Usage",
    "WaitingCall",
    "delegate",
    "in_thread",
    "record_of",
    "resume",
    "run_tools",
    "stream_resume",
    "stream_tools",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "Budget": ".usage",
        "ClaimedError": ".run_state",
        "Disclosure": ".disclosure",
        "ModelRequest": ".model_calls",
        "Prices": ".usage",
        "Record": ".record",
        "RunOptions": ".options",
        "RunState": ".run_state",
        "StateError": ".run_state",
        "Usage": ".usage",
        "WaitingCall": ".run_state",
        "delegate": ".delegation",
        "in_thread": ".model_calls",
        "record_of": ".record",
        "resume": ".loop",
        "run_tools": ".loop",
        "stream_resume": ".loop",
        "stream_tools": ".loop",
    },
)
