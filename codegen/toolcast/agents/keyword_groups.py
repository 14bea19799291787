"""The groups of tools that a text asks for, by keywords."""

import re
from collections.abc import Iterable, Mapping

# What continues a word to its left. Scripts without spaces do not count: a keyword may follow any of their
# characters. So a text may match more than it means; that offers a tool too many, never one too few.
_INSIDE = "(?<![0-9a-z_])"


def match_groups(text: str, keywords: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """The groups of which a keyword begins a word of `text`, in the order of `keywords`; case counts for
    nothing: `file` matches "Files", not "profile". Raises ValueError for a blank keyword, or one string in
    the place of several."""
    folded = text.casefold()
    return tuple(group for group, words in keywords.items() if _matches(folded, group, words))


def _matches(folded: str, group: str, words: Iterable[str]) -> bool:
    listed = [words] if isinstance(words, str) else list(words)
    if isinstance(words, str) or not all(word.strip() for word in listed):
        raise ValueError(f"The keywords of group {group!r} must be a list of words, none of them blank.")
    return any(_found(word.strip().casefold(), folded) for word in listed)


def _found(word: str, folded: str) -> bool:
    return re.search(_INSIDE + re.escape(word), folded) is not None
