"""The sample tools of `tests/runtime`."""

from tests.runtime.conftest import edit, note, shapes

__all__ = ["edit", "note", "shapes"]
