"""Running a model with tools: the loop, disclosure, delegation, native and text calls. msgspec only.

Parts are imported at first use: a program that only dispatches needs no loop.
"""

from typing import TYPE_CHECKING

from ..lazy_exports import lazy_exports

if TYPE_CHECKING:
    from .delegation import delegate
    from .disclosure import Disclosure
    from .loop import run_tools
    from .record import Budget, Record

__all__ = ["Budget", "Disclosure", "Record", "delegate", "run_tools"]

__getattr__ = lazy_exports(
    __name__,
    {
        "Budget": ".record",
        "Disclosure": ".disclosure",
        "Record": ".record",
        "delegate": ".delegation",
        "run_tools": ".loop",
    },
)
