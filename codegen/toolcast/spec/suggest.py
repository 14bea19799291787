"""Suggestions for misspelt words."""

from collections.abc import Collection, Mapping

_LONGEST = 64  # comparing longer words costs time and helps nobody


def nearest(word: str, known: Collection[str], synonyms: Mapping[str, str] | None = None) -> str | None:
    """The one of `known` that is closest to `word`, or its entry in `synonyms`; None if nothing is close."""
    if synonyms and word in synonyms:
        return synonyms[word]
    if len(word) > _LONGEST:
        return None
    from difflib import get_close_matches  # loaded only where something is wrong

    lowered = {each.lower(): each for each in sorted(known, reverse=True) if len(each) <= _LONGEST}
    close = get_close_matches(word.lower(), lowered, n=1, cutoff=0.6)
    return lowered[close[0]] if close else None


def choices(known: Collection[str]) -> str:
    """`a`, `b` or `c`: all of `known`, sorted, for a hint; at most twenty."""
    words = [f"`{each}`" for each in sorted(known)]
    if len(words) > 20:
        words = [*words[:19], f"{len(words) - 19} more"]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}" if words else "nothing"
