"""The files of a collection, read where they changed."""

import hashlib
import os
from collections.abc import Callable
from typing import Final

from ...runtime.errors import RefusalError
from ...runtime.log_records import ERROR, WARNING, log
from ...runtime.unicode_text import is_encodable
from ...runtime.workspace import Entry, Workspace
from .documents import UnreadableError, is_readable, read_document, skip_reason
from .index import FileState, Index

_COARSE: Final = 2.0
"""Seconds within which a file system may give two changes one time."""


class CollectionReader:
    """Brings an index up to date with folders."""

    def __init__(
        self, index: Index, max_bytes: int, clock: Callable[[], float], check_wanted: Callable[[], None]
    ) -> None:
        """Make a reader.

        Args:
            index: what it writes to.
            max_bytes: bytes of a file; larger ones are skipped.
            clock: seconds since 1970.
            check_wanted: called before each file; raises RefusalError where nobody waits any more.
        """
        self._index = index
        self._max_bytes = max_bytes
        self._clock = clock
        self._check_wanted = check_wanted

    def refresh(self, name: str, folder: Workspace) -> int:
        """Read what changed in the folder of a collection, and forget what is gone.

        Args:
            name: name of the collection.
            folder: its folder.

        Returns:
            How many files have another content than before, or are gone.

        Raises:
            RefusalError: the folder or the index cannot be used, or `check_wanted` raised it.
        """
        known = self._index.files(name)
        changes = 0
        seen: set[str] = set()
        for entry in folder.walk(skip=_is_passed_over):
            self._check_wanted()
            if entry.kind != "file" or not (is_readable(entry.path) or skip_reason(entry.path)):
                continue
            seen.add(entry.path)
            former = known.get(entry.path)
            if former is None or not self._is_current(former, entry):
                changes += self._read(name, entry, former)
        for path in known.keys() - seen:
            self._index.remove(name, path)
        return changes + len(known.keys() - seen)

    def _is_current(self, former: FileState, entry: Entry) -> bool:
        """Whether a file needs no reading. The digest of one that is too large says for which limit."""
        over = _over(self._max_bytes) if entry.size > self._max_bytes else ""
        return (
            (former.size, former.modified) == (entry.size, entry.modified)
            and entry.modified < former.checked - _COARSE
            and (former.digest == over or (not over and not former.digest.startswith(_over(""))))
        )

    def _read(self, collection: str, entry: Entry, former: FileState | None) -> int:
        """Read one file. 1 where its content is another than before."""
        checked = self._clock()
        reason = skip_reason(entry.path)
        digest = reason or ""
        data = b""
        try:
            with entry.open() as file:
                status = os.fstat(file.fileno())
                if not reason:
                    data = file.read(self._max_bytes + 1)
        except (RefusalError, OSError) as problem:
            log(WARNING, "A document was not read.", event="document_unreadable", problem=problem)
            return 0
        if len(data) > self._max_bytes:
            reason, digest = f"It has more than {self._max_bytes} bytes.", _over(self._max_bytes)
        elif not reason:
            digest = hashlib.sha256(data).hexdigest()
        changed = former is None or former.digest != digest
        document = None
        if changed and not reason:
            try:
                document = read_document(entry.path, data, status.st_mtime)
            except UnreadableError as problem:
                reason = str(problem)
            except Exception as problem:  # one document must not take the others with it
                reason = "It could not be read."
                log(ERROR, "A document could not be read.", event="document_unreadable", problem=problem)
        state = FileState(
            path=entry.path,
            size=status.st_size,
            modified=status.st_mtime,
            checked=checked,
            digest=digest,
            skipped=reason,
        )
        if changed:
            self._index.put(collection, state, document)
        else:
            self._index.touch(collection, state)
        return int(changed)


def _is_passed_over(name: str) -> bool:
    """Hidden names, and names that are no Unicode, which no result could show."""
    return name.startswith(".") or not is_encodable(name)


def _over(limit: int | str) -> str:
    return f"more than {limit}"
