"""Files inside one folder, and none outside of it, for handlers."""

from .path_errors import PathError, path_errors
from .workspace import Workspace, WorkspaceError

__all__ = ["PathError", "Workspace", "WorkspaceError", "path_errors"]
