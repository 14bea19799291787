"""Handlers of the tools for files: file_read, file_write, edit, multi_edit, glob and grep."""

from .files import Files
from .line_search import Re2MissingError

__all__ = ["Files", "Re2MissingError"]
