"""Files of a collection as documents: their kind, fields, headings, links and passages."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any, Final

from msgspec import Struct
from toolcast.jsonschema.formats import is_email, is_uri
from toolcast.spec.spec_checker import Limits
from toolcast.spec.yaml_reader import read_yaml

from ..byte_order_marks import byte_order_mark
from ..timestamps import timestamp_text
from .blocks import (
    Block,
    Heading,
    Passage,
    headings,
    html_text,
    links_in,
    markdown_blocks,
    passages,
    text_blocks,
)
from .filters import instant

MAX_CHARACTERS: Final = 16_384
"""Characters of front matter; where there are more, it is text."""
_LIMITS: Final = Limits(depth=8, values=500)
"""Nesting and values, with those that aliases repeat."""
_PROBLEM: Final = "front_matter_problem"


def split_front_matter(text: str) -> tuple[dict[str, object], str]:
    """Separate front matter from the text.

    Returns its fields, JSON data, and the text after them. Front matter that is no YAML object within the
    limits has no fields but `front_matter_problem`, which says why.
    """
    if not text.startswith("---\n"):
        return {}, text
    end = text.find("\n---", 3, MAX_CHARACTERS)
    after = text.find("\n", end + 1)
    if end < 0 or text[end + 1 : after if after >= 0 else None].rstrip() != "---":
        return {}, text
    body = "" if after < 0 else text[after + 1 :]
    data, _, problems = read_yaml(text[4 : end + 1], _LIMITS)
    if problems:
        return {_PROBLEM: f"line {problems[0].line + 1}: {problems[0].message}"[:300]}, body
    if not isinstance(data, dict):
        return ({} if data is None else {_PROBLEM: "It is no object."}), body
    return data, body


MAX_LINKS: Final = 200
"""Addresses that are kept of one document."""
_TITLE: Final = 300
_LAST: Final = 253_402_300_799.0
"""The end of the year 9999; files may claim any time."""
_AUTHOR: Final = re.compile(r"(?P<name>[^<>]{1,200}?)\s*<(?P<email>[^<>\s]{1,200})>")
# Names that front matter has for what documents have fields for.
_ALIASES: Final = {
    "created": ("created", "date", "published"),
    "updated": ("updated", "modified", "lastmod", "last_modified"),
    "language": ("language", "lang"),
    "kind": ("kind", "type"),
}


_OURS: Final = frozenset(("collection", "path", "section", "document_id", "page", "score"))
"""Fields that say where a passage is from; no document may set them."""


class UnreadableError(Exception):
    """A file that is no document; the text states why."""


class Document(Struct, frozen=True, kw_only=True):
    """The content of a file.

    Attributes:
        record: its fields, for filters and results: title, kind, language, author, created, updated, and what
            it declares of itself.
        headings: for its outline.
        links: addresses in it.
        passages: its text, in parts.
    """

    record: dict[str, Any]
    headings: list[Heading]
    links: list[str]
    passages: list[Passage]


class _Content(Struct, frozen=True):
    kind: str
    blocks: list[Block]
    links: list[str]
    fields: Mapping[str, Any]


def read_document(path: str, data: bytes, modified: float) -> Document:
    """Read a file.

    Raises UnreadableError: the file is no text in UTF-8, or no HTML.

    Args:
        path: its name, whose ending says what it is.
        modified: when it last changed, in seconds since 1970: `created` and `updated` where it does not say.
    """
    content = _READERS[_suffix(path)](data)
    found = headings(content.blocks)
    fields = {name: value for name, value in content.fields.items() if name not in _OURS}
    values = {
        name: next((fields.pop(alias) for alias in aliases if alias in fields), None)
        for name, aliases in _ALIASES.items()
    }
    title = fields.pop("title", None)
    if not isinstance(title, str) or not title.strip():
        title = next((each.title for each in found if each.level == 1), PurePosixPath(path).stem)
    record = {
        **fields,
        "title": title.strip()[:_TITLE],
        "kind": _text(values["kind"]) or content.kind,
        "created": _time(values["created"], modified),
        "updated": _time(values["updated"], modified),
    }
    if language := _text(values["language"]):
        record["language"] = language
    record.pop("author", None)
    if author := _author(fields.get("author")):
        record["author"] = author
    return Document(
        record=record,
        headings=found,
        links=[link for link in content.links if is_uri(link)][:MAX_LINKS],
        passages=passages(content.blocks) or [Passage("", record["title"])],
    )


def _suffix(path: str) -> str:
    """Return the ending of a name, in lower case."""
    return PurePosixPath(path).suffix.lower()


def is_readable(path: str) -> bool:
    """Return whether files of that ending are read."""
    return _suffix(path) in _READERS


def skip_reason(path: str) -> str | None:
    """Return why files of an ending that documents have are not read; None for other endings."""
    ending = _suffix(path)
    return f"{ending[1:]} files are not read" if ending in _OTHER_DOCUMENTS else None


def _markdown(data: bytes) -> _Content:
    fields, body = split_front_matter(_decoded(data))
    return _Content("page", markdown_blocks(body), links_in(body), fields)


def _plain(data: bytes) -> _Content:
    text = _decoded(data)
    return _Content("text", text_blocks(text), links_in(text), {})


def _html(data: bytes) -> _Content:
    try:
        found = html_text(data)
    except ValueError as problem:
        raise UnreadableError(str(problem)) from problem
    return _Content("page", found.blocks, found.links, found.fields)


_READERS: Final[dict[str, Callable[[bytes], _Content]]] = {
    ".md": _markdown,
    ".markdown": _markdown,
    ".mdx": _markdown,
    ".txt": _plain,
    ".rst": _plain,
    ".adoc": _plain,
    ".html": _html,
    ".htm": _html,
    ".xhtml": _html,
}
_OTHER_DOCUMENTS: Final = frozenset(
    (".pdf", ".doc", ".docx", ".odt", ".rtf", ".epub", ".ppt", ".pptx", ".odp", ".xls", ".xlsx", ".ods")
)


def _decoded(data: bytes) -> str:
    mark, encoding = byte_order_mark(data)
    try:
        text = data[len(mark) :].decode(encoding or "utf-8")
    except UnicodeDecodeError as problem:
        raise UnreadableError("It is no text in UTF-8.") from problem
    if "\0" in text:
        raise UnreadableError("It is no text: it has zero bytes.")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _text(value: object) -> str:
    return value.strip()[:100] if isinstance(value, str) else ""


def _time(value: object, modified: float) -> str:
    """Return a date-time: that which a document declares, or when its file changed."""
    found = instant(value.strip()) if isinstance(value, str) else None
    if found is None:
        return timestamp_text(min(max(modified, 0.0), _LAST))
    if isinstance(found, datetime):
        return timestamp_text(found.timestamp())
    return f"{found.isoformat()}T00:00:00Z"


def _author(value: object) -> dict[str, str]:
    """Name and address of an author: "Ada", "Ada <ada@example.com>", or an object that has them."""
    if isinstance(value, list) and value:
        value = value[0]
    if isinstance(value, str):
        match = _AUTHOR.fullmatch(value.strip())
        value = match.groupdict() if match else {"name": value}
    if not isinstance(value, Mapping):
        return {}
    name, email = _text(value.get("name")), _text(value.get("email"))
    if not name:
        return {}
    return {"name": name, "email": email} if is_email(email) else {"name": name}
