"""Calls of the tools as programs make them."""

from typing import Any

import msgspec
from toolcast.runtime import ToolContext
from toolcast_tools.files import Files
from toolcast_tools.generated._types.text_edit import TextEdit
from toolcast_tools.generated.files.edit import EditParams, EditResult
from toolcast_tools.generated.files.file_read import FileReadParams, FileReadResult
from toolcast_tools.generated.files.file_write import FileWriteParams, FileWriteResult
from toolcast_tools.generated.files.glob import GlobParams, GlobResult
from toolcast_tools.generated.files.grep import GrepParams, GrepResult
from toolcast_tools.generated.files.multi_edit import MultiEditParams, MultiEditResult

NO_CONTEXT = ToolContext()


def read(files: Files, path: str, **arguments: Any) -> FileReadResult:
    return files.file_read(FileReadParams(file_path=path, **arguments), NO_CONTEXT)


def write(files: Files, path: str, content: str, **arguments: Any) -> FileWriteResult:
    return files.file_write(FileWriteParams(file_path=path, content=content, **arguments), NO_CONTEXT)


def edit(files: Files, path: str, old: str, new: str, **arguments: Any) -> EditResult:
    return files.edit(EditParams(file_path=path, old_string=old, new_string=new, **arguments), NO_CONTEXT)


def multi_edit(
    files: Files, path: str, *edits: tuple[str, str, bool], dry_run: bool = False
) -> MultiEditResult:
    wanted = [
        TextEdit(old_string=old, new_string=new, replace_all=everywhere) for old, new, everywhere in edits
    ]
    return files.multi_edit(MultiEditParams(file_path=path, edits=wanted, dry_run=dry_run), NO_CONTEXT)


def glob(files: Files, pattern: str, **arguments: Any) -> GlobResult:
    return files.glob(GlobParams(pattern=pattern, **arguments), NO_CONTEXT)


def grep(files: Files, pattern: str, **arguments: Any) -> GrepResult:
    return files.grep(msgspec.convert({"pattern": pattern, **arguments}, GrepParams), NO_CONTEXT)
