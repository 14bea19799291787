"""Files inside one folder, and none outside of it, for handlers."""

from .path_errors import PathError, PathStatus, WorkspaceError, path_errors
from .tree_walk import Entry
from .workspace import Workspace

__all__ = ["Entry", "PathError", "PathStatus", "Workspace", "WorkspaceError", "path_errors"]
