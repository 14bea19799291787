"""Names that are free in a namespace."""

from __future__ import annotations

from collections.abc import Iterable


class FreeNames:
    """The names of a namespace: each is taken once. Taking n names takes time in proportion to n, whatever
    they are."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        """`taken`: names that are in use."""
        self._taken = set(taken)
        self._numbers: dict[str, int] = {}  # all smaller ones are taken

    def take(self, name: str, separator: str = "") -> str:
        """Take a name, or where it is in use, one with a number.

        Args:
            name: the name.
            separator: what stands before a number.

        Returns:
            The name itself, or with the smallest number from 2 with which it is free.
        """
        made = name
        if made in self._taken:
            stem = f"{name}{separator}"
            number = self._numbers.get(stem, 2)
            while (made := f"{stem}{number}") in self._taken:
                number += 1
            self._numbers[stem] = number + 1
        self._taken.add(made)
        return made
