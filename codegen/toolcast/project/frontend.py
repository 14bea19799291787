"""The stages that a build calls, as one value: tests put a small front end in its place."""

from collections.abc import Callable, Iterable

from msgspec import Struct

from ..diagnostics import Diagnostic
from ..spec.discovery import Discovery, discover
from ..spec.load import load_tool, load_type
from ..spec.model import Document, ToolSpec
from ..spec.tool_names import Entry, Locate, check_names, check_types
from .core.compiled import Compiled
from .core.compiler import compile_package, compile_tool, compile_type

Problems = tuple[Diagnostic, ...]


class Frontend(Struct, frozen=True, kw_only=True):
    """Functions that can be pickled by name, because workers receive them; their arguments are those of
    `FRONTEND`."""

    discover: Callable[..., Discovery]
    load_tool: Callable[..., tuple[ToolSpec | None, Problems]]
    load_type: Callable[..., tuple[Document | None, Problems]]
    check_names: Callable[[Iterable[Entry], Iterable[str], str, Locate], Problems]
    compile_tool: Callable[..., Compiled]
    compile_type: Callable[..., Compiled]
    compile_package: Callable[..., dict[str, bytes]]


def _check_names(entries: Iterable[Entry], types: Iterable[str], shown_root: str, locate: Locate) -> Problems:
    clashes = check_names(entries, shown_root=shown_root, locate=locate)
    return (*clashes, *check_types(types, shown_root=shown_root))


FRONTEND = Frontend(
    discover=discover,
    load_tool=load_tool,
    load_type=load_type,
    check_names=_check_names,
    compile_tool=compile_tool,
    compile_type=compile_type,
    compile_package=compile_package,
)
"""What `toolcast generate` builds with."""
