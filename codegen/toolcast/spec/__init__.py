"""Read specs: text → `ToolSpec` with positions. Depends on PyYAML (only for YAML files) and msgspec.

Names are loaded on first use: most packages need only the types of `spec.model`, not the readers.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from .discovery import Discovery as Discovery
    from .discovery import discover as discover
    from .editor_schema import format_schema as format_schema
    from .load import load_library as load_library
    from .load import load_tool as load_tool
    from .load import load_type as load_type
    from .load import name_place as name_place
    from .model import Annotations as Annotations
    from .model import Document as Document
    from .model import Library as Library
    from .model import Path as Path
    from .model import Permission as Permission
    from .model import ToolSpec as ToolSpec
    from .model import diagnose as diagnose
    from .read_file import SourceDocument as SourceDocument
    from .read_file import parse_document as parse_document
    from .read_file import read_document as read_document
    from .tool_names import check_names as check_names
    from .tool_names import check_types as check_types
    from .tool_spec import read_tool as read_tool

# No public name may equal a module's: importing the module would put it in the name's place.
_HOMES: Final = {
    "discovery": ("Discovery", "discover"),
    "editor_schema": ("format_schema",),
    "load": ("load_library", "load_tool", "load_type", "name_place"),
    "model": ("Annotations", "Document", "Library", "Path", "Permission", "ToolSpec", "diagnose"),
    "tool_names": ("check_names", "check_types"),
    "read_file": ("SourceDocument", "parse_document", "read_document"),
    "tool_spec": ("read_tool",),
}
_MODULES: Final = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{module}", __name__), name)
    globals()[name] = value  # the next use costs nothing
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
