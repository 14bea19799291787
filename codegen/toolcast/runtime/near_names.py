"""Names that may be meant by one that nothing has."""

from collections.abc import Collection
from difflib import get_close_matches
from heapq import nlargest
from itertools import pairwise
from typing import Final

_COMPARED: Final = 24
"""Names that are compared letter by letter, which costs ten times as much as to choose them."""


def near_names(name: str, names: Collection[str], most: int = 3) -> list[str]:
    """Find the names that are most like another one.

    Of many names, those are compared that share most letters and pairs of letters with it.

    Args:
        name: what was written. A caller bounds its length.
        names: all names.
        most: how many are wanted at most.

    Returns:
        The names, the nearest first; empty where none is near.
    """
    own = _parts(name)

    def shared(other: str) -> float:
        parts = _parts(other)
        return len(own & parts) / (len(own) + len(parts) or 1)

    likely = names if len(names) <= _COMPARED else nlargest(_COMPARED, names, key=shared)
    return get_close_matches(name, likely, n=most)


def _parts(name: str) -> set[object]:
    """The letters of a name and the pairs of neighbours."""
    return {*name, *pairwise(name)}
