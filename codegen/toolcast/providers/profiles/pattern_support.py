"""Which regular expressions a provider's engine gives the meaning that JSON Schema gives them."""

from __future__ import annotations

from ...jsonschema.pattern_features import compiles, features
from .dialect import Dialect


def supported_pattern(dialect: Dialect, pattern: str) -> bool:
    """Whether the dialect's engine gives a pattern the same meaning."""
    if not limited(dialect):
        return True
    if dialect.patterns == "python" and not compiles(pattern):
        return False
    used = features(pattern)
    if (
        (used.lookaround and not dialect.lookaround)
        or (used.word_boundary and not dialect.word_boundary)
        or (used.backreferences and not dialect.backreferences)
        or (used.unicode_classes and not dialect.unicode_classes)
    ):
        return False
    return dialect.patterns != "anchored" or used.whole


def limited(dialect: Dialect) -> bool:
    """Whether some pattern is out of the dialect's reach."""
    knows_all = (
        dialect.lookaround and dialect.word_boundary and dialect.backreferences and dialect.unicode_classes
    )
    return dialect.patterns != "any" or not knows_all
