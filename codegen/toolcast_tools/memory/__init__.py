"""Remembered facts: the handlers of `memory_store` and `memory_recall`."""

from .memory import Memory

__all__ = ["Memory"]
