"""Written as the compiler writes."""

from typing import Final

from toolcast.runtime.support import LazyBindings

BINDINGS: Final = LazyBindings(
    __package__ or "",
    {
        "edit": ".files.edit:EDIT",
        "note": ".misc.note:NOTE",
        "shapes": ".misc.shapes:SHAPES",
    },
)
