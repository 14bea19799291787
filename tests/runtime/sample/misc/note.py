"""Written as the compiler writes: an open object at the root, and a constraint no decoder knows."""

from __future__ import annotations

from typing import Any, ClassVar, Final, Protocol

from msgspec import Struct
from toolcast.runtime import Returns, ToolBinding, ToolContext
from toolcast.runtime.support import open_object


class NoteParams(Struct, frozen=True, kw_only=True):
    __toolcast_extra__: ClassVar[str] = "extra"

    text: str | None = None
    extra: dict[str, Any] = {}


class NoteHandler(Protocol):
    def __call__(self, params: NoteParams, context: ToolContext, /) -> Returns[str | None]: ...


NOTE: Final[ToolBinding[NoteParams, str | None]] = ToolBinding(
    module=__name__,
    name="note",
    group="misc",
    params=NoteParams,
    wire=open_object(__name__, "../contracts/note.json#/parameters", NoteParams, "extra", Any),
    exact=False,
    permission="write",
    secrets=(),
    summary="Note anything.",
    description="Notes anything.",
    contract="../contracts/note.json",
    schemas="../schemas",
)
