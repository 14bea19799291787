"""Running a model with tools: the loop, disclosure, delegation, native and text calls. msgspec only.

Parts are imported when asked for: a program that only dispatches needs no loop.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .delegation import delegate
    from .disclosure import Disclosure
    from .loop import run_tools
    from .record import Budget, Record

__all__ = ["Budget", "Disclosure", "Record", "delegate", "run_tools"]

_MODULES = {
    "Budget": "record",
    "Disclosure": "disclosure",
    "Record": "record",
    "delegate": "delegation",
    "run_tools": "loop",
}


def __getattr__(name: str) -> Any:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{module}", __name__), name)
