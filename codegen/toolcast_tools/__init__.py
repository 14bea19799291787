"""Handlers of the reference toolset, for programs to use or to copy from (`toolcast[tools]`).

`toolset` assembles them; a group by itself is imported from its package, such as `toolcast_tools.files`.
"""

from .output_limit import OUTPUT_LIMIT
from .reference_toolset import SHAPES, TIMEOUTS, supervision, toolset

__all__ = ["OUTPUT_LIMIT", "SHAPES", "TIMEOUTS", "supervision", "toolset"]
