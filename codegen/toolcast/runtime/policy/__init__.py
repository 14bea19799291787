"""Which calls may run, which files they may touch, which commands they may start."""

from .approval import Answer, ApprovalRequest, Approver
from .commands import Commands
from .policy import Autonomy, Decision, Policy
from .rate import RateLimit
from .shapes import Shape
from .terminal import TerminalApprover
from .workspace import Workspace

__all__ = [
    "Answer",
    "ApprovalRequest",
    "Approver",
    "Autonomy",
    "Commands",
    "Decision",
    "Policy",
    "RateLimit",
    "Shape",
    "TerminalApprover",
    "Workspace",
]
