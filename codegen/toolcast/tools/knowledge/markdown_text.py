"""Markdown and plain text to headings and paragraphs, line by line."""

import re
from typing import Final

from .blocks import Block

_URL: Final = re.compile(r"https?://[^\s<>()\[\]{}\"'`|\\^]{1,2000}")
_HEADING: Final = re.compile(r" {0,3}(#{1,6})(?:[ \t]|$)")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_UNDERLINE: Final = re.compile(r" {0,3}(=+|-+)[ \t]*$")


def markdown_blocks(text: str) -> list[Block]:
    """Read Markdown.

    Args:
        text: the document, without front matter.

    Returns:
        Its headings and paragraphs; marks within them stay as they are. A fenced block is one paragraph.
    """
    blocks: list[Block] = []
    lines: list[str] = []
    fence = ""

    def end() -> None:
        paragraph = "\n".join(lines).strip("\n")
        if paragraph.strip():
            blocks.append(Block(paragraph))
        lines.clear()

    for line in text.split("\n"):
        if fence:
            lines.append(line)
            if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                end()
                fence = ""
        elif match := _FENCE.match(line):
            end()
            fence = match[1]
            lines.append(line)
        elif match := _HEADING.match(line):
            end()
            title = line.strip().lstrip("#").rstrip().rstrip("#").strip()
            if title:
                blocks.append(Block(title, len(match[1])))
        elif len(lines) == 1 and _UNDERLINE.match(line):
            title = lines.pop().strip()
            blocks.append(Block(title, 1 if "=" in line else 2))
        elif line.strip():
            lines.append(line.rstrip())
        else:
            end()
    end()
    return blocks


def text_blocks(text: str) -> list[Block]:
    """Read plain text: paragraphs between empty lines.

    Args:
        text: the document.

    Returns:
        Its paragraphs.
    """
    return [Block(part.strip("\n")) for part in re.split(r"\n[ \t]*\n", text) if part.strip()]


def links_in(text: str) -> list[str]:
    """The addresses of http and https in a text.

    Args:
        text: the document.

    Returns:
        Each address once, in their order.
    """
    return list(dict.fromkeys(match.rstrip(".,;:!?*_") for match in _URL.findall(text)))
