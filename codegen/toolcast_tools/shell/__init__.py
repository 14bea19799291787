"""Commands in the workspace's folder: `bash` and `bash_process`."""

from .environment import INHERITED
from .shell import Shell

__all__ = ["INHERITED", "Shell"]
