"""A spec with misspelt keys as its author means them, so that what is below them can be checked."""

from collections.abc import Mapping
from typing import Any

from .keys import KEYS, SYNONYMS
from .parsed_document import Document, Path
from .spec_checker import SpecChecker


class CorrectedDocument:
    """A document in which top-level keys have other names. Positions are those in the file."""

    __slots__ = ("_data", "_document", "_written")

    def __init__(self, document: Document, written: Mapping[str, str]) -> None:
        """`written`: the new name of a key → the name in the document."""
        renamed = {key: name for name, key in written.items()}
        self._document = document
        self._written = written
        data: dict[str, Any] = document.data
        self._data = {renamed.get(key) or key: value for key, value in data.items()}

    @property
    def file(self) -> str:
        """Posix path as shown in diagnostics."""
        return self._document.file

    @property
    def data(self) -> dict[str, Any]:
        """Plain JSON values."""
        return self._data

    def locate(self, path: Path, *, key: bool = False) -> tuple[int, int]:
        """Line and column (from 1) of the value at `path`, or of its key; the nearest parent if absent."""
        first = (self._written.get(str(path[0]), path[0]),) if path else ()
        return self._document.locate((*first, *path[1:]), key=key)


def corrected(document: Document) -> Document:
    """Give each misspelt top-level key the name that its diagnostic suggests, unless that is there, too.

    Args:
        document: a spec, which is a mapping.

    Returns:
        A document with the names that are meant; the same document where no key is misspelt.
    """
    suggested = SpecChecker(document).known_keys((), document.data, KEYS, SYNONYMS)
    written = {name: key for name, key in suggested.items() if name not in document.data}
    return CorrectedDocument(document, written) if written else document
