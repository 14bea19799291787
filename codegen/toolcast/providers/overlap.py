"""Schemas that may take a value instead of the one that is walked, found once somebody asks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .json_paths import Path

Stated = tuple[tuple[Any, Path], ...]
"""Schemas, and where they stand."""


class Overlap:
    """What a value may be taken for. `kind in overlap`: whether any of them takes that JSON type."""

    __slots__ = ("_find", "_found", "_kinds", "_types")

    def __init__(
        self,
        find: Callable[[], Stated],
        kinds: Callable[[Stated], frozenset[str]],
    ) -> None:
        """`find` gives the schemas, `kinds` their JSON types; each is asked once at most."""
        self._find = find
        self._kinds = kinds
        self._found: Stated | None = None
        self._types: frozenset[str] | None = None

    @property
    def schemas(self) -> Stated:
        """All of them."""
        if self._found is None:
            self._found = self._find()
        return self._found

    def __contains__(self, kind: object) -> bool:
        if self._types is None:
            self._types = self._kinds(self.schemas)
        return kind in self._types
