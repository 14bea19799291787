"""Read specs: text → `ToolSpec` with positions. Depends on PyYAML (only for YAML files) and msgspec."""

from .discover import Discovery as Discovery
from .discover import discover as discover
from .format_schema import format_schema as format_schema
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
from .names import check_names as check_names
from .names import check_types as check_types
from .read import SourceDocument as SourceDocument
from .read import parse_document as parse_document
from .read import read_document as read_document
from .tool import read_tool as read_tool
