"""Rules for the calls that may run, and the commands that they may start."""

from .approval import Answer, ApprovalRequest, Approver, Shape, TerminalApprover
from .commands import Commands
from .policy import Autonomy, Decision, Policy, RateLimit

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
]
