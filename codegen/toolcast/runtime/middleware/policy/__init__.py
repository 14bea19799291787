"""Which calls may run, which files they may touch, which commands they may start."""

from .approval import Answer, ApprovalRequest, Approver, Shape
from .commands import Commands
from .path_errors import PathError, path_errors
from .policy import Autonomy, Decision, Policy, RateLimit
from .terminal import TerminalApprover
from .workspace import Workspace, WorkspaceError

__all__ = [
    "Answer",
    "ApprovalRequest",
    "Approver",
    "Autonomy",
    "Commands",
    "Decision",
    "PathError",
    "Policy",
    "RateLimit",
    "Shape",
    "TerminalApprover",
    "Workspace",
    "WorkspaceError",
    "path_errors",
]
