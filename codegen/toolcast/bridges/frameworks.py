"""The frameworks' own modules, imported when a bridge is.

They come untyped: each is an optional library, and type checks must not depend on what is installed.
"""

from importlib import import_module
from typing import Any


class FrameworkMissingError(ImportError):
    """A bridge's framework, or the release of it that is needed, is not installed."""


def load(module: str, requirement: str) -> Any:
    """A module of a framework. Raises FrameworkMissingError, with the command that installs `requirement`."""
    try:
        return import_module(module)
    except ImportError as missing:
        raise FrameworkMissingError(
            f"{module} cannot be imported ({missing}). Run: pip install '{requirement}'"
        ) from missing
