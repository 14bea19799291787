"""The index of documents: one SQLite database, made from the files and made anew from them at any time."""

import hashlib
import os
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct
from toolcast.runtime.database import Database, Schema
from toolcast.runtime.errors import RefusalError
from toolcast.runtime.log_records import ERROR, WARNING, log
from toolcast.runtime.unicode_text import is_encodable

from ..full_text import TOKENIZER, indexed_text
from ..workspace import Entry, Workspace
from .blocks import Heading
from .documents import Document, UnreadableError, is_readable, read_document, skip_reason

_MAX_VERSIONS: Final = 20
"""Versions of one document whose fields are kept."""
_SCHEMA: Final = Schema(
    title="The index of documents",
    application=0x746B6E77,  # "tknw"
    version=1,
    tables=(
        """CREATE TABLE files (
            collection TEXT NOT NULL,
            path TEXT NOT NULL,
            size INTEGER NOT NULL,
            modified REAL NOT NULL,
            checked REAL NOT NULL,
            digest TEXT NOT NULL,
            skipped TEXT,
            PRIMARY KEY (collection, path)
        )""",
        """CREATE TABLE documents (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            collection TEXT NOT NULL,
            version INTEGER NOT NULL,
            record TEXT NOT NULL
        )""",
        "CREATE INDEX documents_of ON documents (collection)",
        """CREATE TABLE versions (
            document INTEGER NOT NULL REFERENCES documents (number) ON DELETE CASCADE,
            version INTEGER NOT NULL,
            info TEXT NOT NULL,
            PRIMARY KEY (document, version)
        )""",
        """CREATE TABLE passages (
            number INTEGER PRIMARY KEY,
            document INTEGER NOT NULL REFERENCES documents (number) ON DELETE CASCADE,
            section TEXT NOT NULL,
            content TEXT NOT NULL,
            vector BLOB,
            embedder TEXT
        )""",
        "CREATE INDEX passages_of ON passages (document)",
        f'CREATE VIRTUAL TABLE words USING fts5 (title, section, content, tokenize = "{TOKENIZER}")',
    ),
)


class _FileState(Struct, frozen=True, kw_only=True):
    """A file as it was when it was last read. Times are seconds since 1970.

    Attributes:
        modified: when it had changed.
        checked: when it was read.
        digest: SHA-256 of its bytes.
        skipped: why it is no document; None for a document.
    """

    path: str
    size: int
    modified: float
    checked: float
    digest: str
    skipped: str | None


class _Info(Struct, frozen=True, kw_only=True):
    """One version of a document, without its text."""

    record: dict[str, Any]
    headings: list[Heading]
    links: list[str]


class Index:
    """Documents, their versions and passages."""

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        # What a power failure takes back is read from the files again.
        self.database = Database(path, _SCHEMA, durable=False)

    def files(self, collection: str) -> dict[str, _FileState]:
        """Return the files of a collection as they were when they were read."""
        statement = "SELECT path, size, modified, checked, digest, skipped FROM files WHERE collection = ?"
        with self.database.read() as connection:
            rows = connection.execute(statement, (collection,)).fetchall()
        return {
            row[0]: _FileState(
                path=row[0], size=row[1], modified=row[2], checked=row[3], digest=row[4], skipped=row[5]
            )
            for row in rows
        }

    def put(self, collection: str, state: _FileState, document: Document | None) -> None:
        """Store what a file says now: a new version, where its bytes are others than before.

        Args:
            document: its content; None where it is skipped.
        """
        identifier = document_id(collection, state.path)
        with self.database.write() as connection:
            former = connection.execute(
                "SELECT digest FROM files WHERE collection = ? AND path = ?", (collection, state.path)
            ).fetchone()
            connection.execute(
                "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    collection,
                    state.path,
                    state.size,
                    state.modified,
                    state.checked,
                    state.digest,
                    state.skipped,
                ),
            )
            if document is None:
                _remove(connection, identifier)
            elif former is None or former[0] != state.digest or _number(connection, identifier) is None:
                record = {**document.record, "collection": collection, "path": state.path}
                _put_document(connection, identifier, record, document)

    def touch(self, collection: str, state: _FileState) -> None:
        """Record that a file was read, and has the content that it had."""
        statement = "UPDATE files SET size = ?, modified = ?, checked = ? WHERE collection = ? AND path = ?"
        columns = (state.size, state.modified, state.checked, collection, state.path)
        with self.database.write() as connection:
            connection.execute(statement, columns)

    def remove(self, collection: str, path: str) -> None:
        """Forget a file and its document."""
        with self.database.write() as connection:
            connection.execute("DELETE FROM files WHERE collection = ? AND path = ?", (collection, path))
            _remove(connection, document_id(collection, path))

    def keep_collections(self, names: Iterable[str]) -> None:
        """Forget the documents of every other collection."""
        with self.database.read() as connection:
            known = {name for (name,) in connection.execute("SELECT DISTINCT collection FROM files")}
        if not (others := known - {*names}):
            return
        with self.database.write() as connection:
            for name in others:
                connection.execute("DELETE FROM files WHERE collection = ?", (name,))
                statement = "SELECT id FROM documents WHERE collection = ?"
                for (identifier,) in connection.execute(statement, (name,)).fetchall():
                    _remove(connection, identifier)

    def skipped(self) -> dict[tuple[str, str], str]:
        """Return why files are no documents, by collection and path."""
        statement = "SELECT collection, path, skipped FROM files WHERE skipped IS NOT NULL"
        with self.database.read() as connection:
            return {(collection, path): reason for collection, path, reason in connection.execute(statement)}

    def versions(self, identifier: str) -> dict[int, _Info]:
        """Return the versions of a document that are kept, by number; none for an id that does not exist."""
        statement = (
            "SELECT versions.version, info FROM versions JOIN documents ON number = document WHERE id = ? "
            "ORDER BY versions.version"
        )
        with self.database.read() as connection:
            return {
                version: msgspec.json.decode(info, type=_Info)
                for version, info in connection.execute(statement, (identifier,))
            }

    def without_vector(self, embedder: str, limit: int) -> list[tuple[int, str]]:
        """Passages that have no vector of an embedder: numbers and texts."""
        statement = (
            "SELECT passages.number, section || char(10) || content FROM passages "
            "WHERE embedder IS NOT ? ORDER BY passages.number LIMIT ?"
        )
        with self.database.read() as connection:
            return connection.execute(statement, (embedder, limit)).fetchall()

    def put_vectors(self, embedder: str, vectors: Sequence[tuple[int, bytes]]) -> None:
        """Store vectors of passages."""
        rows = [(vector, embedder, number) for number, vector in vectors]
        with self.database.write() as connection:
            connection.executemany("UPDATE passages SET vector = ?, embedder = ? WHERE number = ?", rows)

    def close(self) -> None:
        """Close the file."""
        self.database.close()


def document_id(collection: str, path: str) -> str:
    """Return the id of a document, the same as long as its collection and path are: `doc_` and 24 hexadecimal
    digits.

    Args:
        collection: name of the collection.
        path: path in it.
    """
    name = f"{collection}\0{path}".encode("utf-8", "surrogateescape")
    return f"doc_{hashlib.sha256(name).hexdigest()[:24]}"


def _number(connection: sqlite3.Connection, identifier: str) -> tuple[int, int] | None:
    """Number and version of a document."""
    statement = "SELECT number, version FROM documents WHERE id = ?"
    return connection.execute(statement, (identifier,)).fetchone()  # type: ignore[no-any-return]


def _put_document(
    connection: sqlite3.Connection, identifier: str, record: dict[str, Any], document: Document
) -> None:
    former = _number(connection, identifier)
    version = 1 if former is None else former[1] + 1
    columns = (identifier, record["collection"], version, msgspec.json.encode(record).decode())
    if former is None:
        statement = "INSERT INTO documents (id, collection, version, record) VALUES (?, ?, ?, ?)"
        number = int(connection.execute(statement, columns).lastrowid or 0)
    else:
        number = former[0]
        statement = "UPDATE documents SET id = ?, collection = ?, version = ?, record = ? WHERE number = ?"
        connection.execute(statement, (*columns, number))
    info = _Info(record=record, headings=document.headings, links=document.links)
    connection.execute(
        "INSERT INTO versions VALUES (?, ?, ?)", (number, version, msgspec.json.encode(info).decode())
    )
    connection.execute(
        "DELETE FROM versions WHERE document = ? AND version <= ?", (number, version - _MAX_VERSIONS)
    )
    _remove_passages(connection, number)
    title = indexed_text(record["title"])
    for passage in document.passages:
        statement = "INSERT INTO passages (document, section, content) VALUES (?, ?, ?)"
        rowid = connection.execute(statement, (number, passage.section, passage.text)).lastrowid
        connection.execute(
            "INSERT INTO words (rowid, title, section, content) VALUES (?, ?, ?, ?)",
            (rowid, title, indexed_text(passage.section), indexed_text(passage.text)),
        )


def _remove(connection: sqlite3.Connection, identifier: str) -> None:
    found = _number(connection, identifier)
    if found is not None:
        _remove_passages(connection, found[0])
        connection.execute("DELETE FROM documents WHERE number = ?", (found[0],))


def _remove_passages(connection: sqlite3.Connection, document: int) -> None:
    numbers = "SELECT number FROM passages WHERE document = ?"
    connection.execute(f"DELETE FROM words WHERE rowid IN ({numbers})", (document,))
    connection.execute("DELETE FROM passages WHERE document = ?", (document,))


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

        Returns how many files have another content than before, or are gone. Raises RefusalError: the folder
        or the index cannot be used, or `check_wanted` raised it.

        Args:
            name: name of the collection.
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

    def _is_current(self, former: _FileState, entry: Entry) -> bool:
        """Return whether a file needs no reading. The digest of one that is too large says for which
        limit.
        """
        over = _over(self._max_bytes) if entry.size > self._max_bytes else ""
        return (
            (former.size, former.modified) == (entry.size, entry.modified)
            and entry.modified < former.checked - _COARSE
            and (former.digest == over or (not over and not former.digest.startswith(_over(""))))
        )

    def _read(self, collection: str, entry: Entry, former: _FileState | None) -> int:
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
        state = _FileState(
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
