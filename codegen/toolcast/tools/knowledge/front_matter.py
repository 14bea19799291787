"""Fields that a Markdown document declares at its head, in YAML between two lines of `---`."""

from typing import Any, Final

from ...spec.reader_problems import Limits
from ...spec.yaml_reader import read_yaml

MAX_CHARACTERS: Final = 16_384
"""Characters of front matter; where there are more, it is text."""
LIMITS: Final = Limits(depth=8, values=500)
"""Nesting and values, with those that aliases repeat."""
_PROBLEM: Final = "front_matter_problem"


def split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    """Separate front matter from the text.

    Args:
        text: a document.

    Returns:
        Its fields, JSON data, and the text after them. Front matter that is no YAML object within the limits
        has no fields but `front_matter_problem`, which says why.
    """
    if not text.startswith("---\n"):
        return {}, text
    end = text.find("\n---", 3, MAX_CHARACTERS)
    after = text.find("\n", end + 1)
    if end < 0 or text[end + 1 : after if after >= 0 else None].rstrip() != "---":
        return {}, text
    body = "" if after < 0 else text[after + 1 :]
    data, _, problems = read_yaml(text[4 : end + 1], LIMITS)
    if problems:
        return {_PROBLEM: f"line {problems[0].line + 1}: {problems[0].message}"[:300]}, body
    if not isinstance(data, dict):
        return ({} if data is None else {_PROBLEM: "It is no object."}), body
    return data, body
