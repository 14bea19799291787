"""Written as the compiler writes: native constraints only, and a typed result."""

from __future__ import annotations

from typing import Annotated, Final, Protocol

from msgspec import Meta, Struct
from toolcast.runtime import Returns, ToolBinding, ToolContext


class EditParams(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    file_path: Annotated[str, Meta(min_length=1)]
    old_string: str
    new_string: str
    replace_all: bool = False
    line: Annotated[int, Meta(ge=1)] | None = None


class EditResult(Struct, frozen=True, kw_only=True):
    replaced: int
    note: str | None = None


class EditHandler(Protocol):
    def __call__(self, params: EditParams, context: ToolContext, /) -> Returns[EditResult]: ...


EDIT: Final[ToolBinding[EditParams, EditResult]] = ToolBinding(
    module=__name__,
    name="edit",
    group="files",
    params=EditParams,
    result=EditResult,
    permission="write",
    secrets=(),
    summary="Replace one exact string in a file.",
    description="Replaces one exact, unique occurrence of old_string in a file.",
    annotations={"title": "Edit file"},
    contract="../contracts/edit.json",
    schemas="../schemas",
    params_form="exact",
)
