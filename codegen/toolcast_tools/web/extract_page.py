"""The program that makes a page readable, in a process of its own with limits (`readable_page`).

It reads a `Job` as one line of JSON and then the page, and writes an `Extract` as JSON.
"""

import sys
from typing import Any

import msgspec
from msgspec import Struct

from ..python_process import limit_process

NOT_INSTALLED = 3
"""The exit code where a library is missing."""
_NESTING = 4_000
"""Calls within calls: pages nest deeper than programs."""


class ExtractionJob(Struct, frozen=True, kw_only=True):
    """A page to extract, and its limits.

    Attributes:
        url: address of the page, for its links.
        form: "markdown" or "text".
        seconds: CPU time, rounded up.
        memory: bytes of address space.
        characters: characters of the content at most.
    """

    url: str
    form: str
    seconds: int
    memory: int
    characters: int


class Extract(Struct, frozen=True, kw_only=True):
    """The extracted page.

    Attributes:
        title: title of the page; None where it has none.
        content: what there is to read.
    """

    title: str | None
    content: str


def main() -> None:
    """Read a job, and write its extract."""
    job = msgspec.json.decode(sys.stdin.buffer.readline(), type=ExtractionJob)
    limit_process(RLIMIT_CPU=job.seconds, RLIMIT_AS=job.memory, RLIMIT_FSIZE=0)
    page = sys.stdin.buffer.read().decode("utf-8", "replace")
    try:
        sys.stdout.buffer.write(msgspec.json.encode(_extract(page, job)))
    except ImportError:
        sys.exit(NOT_INSTALLED)


def _extract(page: str, job: ExtractionJob) -> Extract:
    """Make a page readable: its main content; all of its text where none is found.

    Args:
        page: HTML.
        job: what is to be made of it.

    Returns:
        Title and content.
    """
    from trafilatura import extract as main_content
    from trafilatura import html2txt
    from trafilatura.utils import load_html

    sys.setrecursionlimit(_NESTING)
    tree: Any = load_html(page)
    if tree is None:  # no page of HTML to the library: a fragment, or only text
        tree = load_html(f"<html><body><div>{page}</div></body></html>")
    if tree is None:
        return Extract(title=None, content="")
    title = " ".join((tree.findtext(".//title") or "").split())
    try:
        content = main_content(
            tree,
            url=job.url,
            output_format="markdown" if job.form == "markdown" else "txt",
            include_links=job.form == "markdown",
            include_formatting=job.form == "markdown",
            include_comments=False,
            deduplicate=False,
            with_metadata=False,
        )
    except RecursionError:
        content = None
    text = content or str(html2txt(tree))
    return Extract(title=title[:1_000] or None, content=text[: job.characters])
