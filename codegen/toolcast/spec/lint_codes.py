"""The codes that `lint.ignore` of a spec may name. What each means, `toolcast lint --list` says."""

from typing import Final

LINT_CODES: Final = (
    "advised-name-length",
    "advised-optional",
    "advised-unions",
    "depth",
    "description-length",
    "destructive-read",
    "duplicate-description",
    "enum-values",
    "flag-argument",
    "hidden-character",
    "hidden-text",
    "long-enum",
    "lossy",
    "missing-description",
    "name-collision",
    "name-length",
    "name-pattern",
    "not-strict",
    "properties",
    "property-name",
    "rejected",
    "required-at-least",
    "secret-parameter",
    "string-chars",
    "vague-description",
    "vague-parameter",
)
"""Findings about one tool, sorted. Those about the whole set are no single spec's to ignore."""
