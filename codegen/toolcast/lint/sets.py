"""What only the whole set shows: names and descriptions too near to each other. Linear in its size."""

from collections.abc import Iterator, Sequence
from typing import Final

from .finding import Finding
from .linted_tool import Subject
from .words import content, is_dense, name_words

_ENOUGH: Final = 3  # words of meaning that two descriptions must share before being equal means something


def collisions(subjects: Sequence[Subject]) -> Iterator[Finding]:
    """Names that are equal once case and separators are gone, told at all but the first."""
    first: dict[str, str] = {}
    for subject in subjects:
        name = subject.tool.name
        other = first.setdefault("_".join(name_words(name)).replace("_", ""), name)
        if other != name:
            message = f"the name {name!r} differs from {other!r} only by case or separators"
            yield subject.finding(
                "name-collision", message, "give one of them a name of its own", at=("name",)
            )


def duplicates(subjects: Sequence[Subject]) -> Iterator[Finding]:
    """Descriptions that are equal or nearly so, told at all but the first."""
    first: dict[tuple[str, ...], Subject] = {}
    for subject in subjects:
        key = likeness(subject.tool.description)
        if len(key) < _ENOUGH:
            continue
        other = first.setdefault(key, subject)
        if other is subject:
            continue
        same = subject.tool.description.strip() == other.tool.description.strip()
        how = "the same as" if same else "nearly the same as"
        message = f"the description is {how} that of {other.tool.name!r}"
        fix = f"say in both when to use {subject.tool.name!r} and when {other.tool.name!r}"
        yield subject.finding("duplicate-description", message, fix, at=("description",))


def likeness(description: str) -> tuple[str, ...]:
    """Equal for descriptions that differ only by case, order, punctuation, endings and small words."""
    if is_dense(description):
        return tuple(description.split()) * _ENOUGH  # words are not told apart: only equal texts are alike
    return tuple(sorted(set(content(description))))
