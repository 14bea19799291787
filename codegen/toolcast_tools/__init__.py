"""Handlers of the reference toolset, for programs to use or to copy from (`toolcast[tools]`).

`toolset` assembles them; a group by itself is imported from its package, such as `toolcast_tools.files`.
"""

from typing import TYPE_CHECKING

from toolcast.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from .output_limit import OUTPUT_LIMIT
    from .reference_toolset import SHAPES, TIMEOUTS, supervision, toolset

__all__ = ["OUTPUT_LIMIT", "SHAPES", "TIMEOUTS", "supervision", "toolset"]

__getattr__ = lazy_exports(
    __name__, {**dict.fromkeys(__all__, ".reference_toolset"), "OUTPUT_LIMIT": ".output_limit"}
)
