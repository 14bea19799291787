"""Written as the compiler writes."""

from collections.abc import Mapping
from typing import Any, Final

from toolcast.runtime import ToolBinding
from toolcast.runtime.support import LazyBindings

BINDINGS: Final[Mapping[str, ToolBinding[Any, Any]]] = LazyBindings(
    __package__ or "",
    {
        "edit": (".files.edit", "EDIT"),
        "note": (".misc.note", "NOTE"),
        "shapes": (".misc.shapes", "SHAPES"),
    },
)
