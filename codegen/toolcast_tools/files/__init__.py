"""Handlers of the tools for files: file_read, file_write, edit, multi_edit, glob and grep."""

from .files import Files

__all__ = ["Files"]
