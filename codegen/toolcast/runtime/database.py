"""SQLite files: opened durably, shared by threads and processes, their errors as refusals."""

import os
import sqlite3
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Final

from msgspec import DecodeError, Struct

from .errors import RefusalError
from .workers import abandoned

_BUSY_SECONDS: Final = 10.0
"""How long a statement waits for another process that writes."""
_STEPS: Final = 10_000
"""Instructions of SQLite's machine between two looks at the clock."""
_opening = threading.Lock()

_REASONS: Final[dict[int, str]] = {
    sqlite3.SQLITE_FULL: "cannot be written: there is no space left. Tell the user; nothing was changed.",
    sqlite3.SQLITE_READONLY: "cannot be written: it is read-only. Tell the user; nothing was changed.",
    sqlite3.SQLITE_PERM: "cannot be used: permission is denied. Tell the user.",
    sqlite3.SQLITE_AUTH: "cannot be used: permission is denied. Tell the user.",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened: its folder is missing, or access is denied. Tell the user.",
    sqlite3.SQLITE_IOERR: "cannot be read or written: the disk reports an error. Tell the user.",
    sqlite3.SQLITE_CORRUPT: "is damaged. Tell the user: it has to be restored from a copy, or removed.",
    sqlite3.SQLITE_NOTADB: "is no SQLite database. Tell the user: another file has to be configured.",
    sqlite3.SQLITE_BUSY: "is in use by another program for too long. Try again in a moment.",
    sqlite3.SQLITE_LOCKED: "is in use for too long. Try again in a moment.",
    sqlite3.SQLITE_INTERRUPT: "took too long to answer. Ask for less.",
    sqlite3.SQLITE_TOOBIG: "cannot hold so large a value. Give a shorter one.",
    sqlite3.SQLITE_NOMEM: "could not be used: memory is short. Tell the user.",
}


class StorageError(RefusalError):
    """A database that cannot be opened or used; the text states why, and names no path."""


class Schema(Struct, frozen=True, kw_only=True):
    """The content of a database.

    Attributes:
        title: what it holds, in a few words that begin a sentence: "The memory".
        application: the number that marks files of this kind (`PRAGMA application_id`).
        version: version of the tables (`PRAGMA user_version`), from 1.
        tables: the statements that make them.
    """

    title: str
    application: int
    version: int
    tables: tuple[str, ...]


class Database:
    """One SQLite database, used by one thread at a time, and by any number of processes.

    Committed transactions survive the end of the process, and of the machine unless `durable` is False
    (`synchronous=FULL` or `NORMAL`, WAL). It is not for use in a process that was forked since.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        schema: Schema,
        *,
        durable: bool = True,
        seconds: float = 30.0,
        exclusive: bool = False,
    ) -> None:
        """Open a database, or make it. Its file is readable by its owner only.

        Args:
            path: path of the file; None for a database in memory, which ends with the object.
            schema: what is in it.
            durable: whether a transaction is on the disk when it is committed; else a power failure may take
                back the last ones, and damages nothing.
            seconds: seconds that one transaction may compute.
            exclusive: whether no other process may use the file meanwhile.

        Raises:
            StorageError: the file cannot be opened or written, is damaged, holds something else, or was
                written by a newer version.
        """
        self._schema = schema
        self._durable = durable
        self._seconds = seconds
        self._exclusive = exclusive
        self._lock = threading.RLock()
        self._deadline = 0.0
        self._connection: sqlite3.Connection | None = None
        with self._errors(), _opening:
            if path is not None:
                _make_private(Path(path))
            self._connection = sqlite3.connect(
                ":memory:" if path is None else Path(path).absolute(),  # "" and ":memory:" are names, too
                timeout=_BUSY_SECONDS,
                isolation_level=None,  # transactions are begun here, and nowhere else
                check_same_thread=False,  # the lock is ours
            )
        try:
            with self._errors():
                self._set_up(self._connection)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file, once a transaction that runs has ended. Later uses are refused."""
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    @contextmanager
    def read(self) -> Generator[sqlite3.Connection]:
        """One state of the database. Yields the connection, in a transaction that reads. Raises StorageError:
        the database cannot be read.
        """
        with self._transaction("BEGIN") as connection:
            yield connection

    @contextmanager
    def write(self) -> Generator[sqlite3.Connection]:
        """A transaction that is committed at the end of the `with` block, or has no effect. Yields the
        connection. No other process writes meanwhile. Raises StorageError: the database cannot be written.
        """
        with self._transaction("BEGIN IMMEDIATE") as connection:
            yield connection

    @contextmanager
    def _transaction(self, begin: str) -> Generator[sqlite3.Connection]:
        with self._lock, self._errors():
            connection = self._connection
            if connection is None:
                raise StorageError(f"{self._schema.title} is closed. Go on without it.")
            self._deadline = monotonic() + self._seconds
            connection.execute(begin)
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                # SQLite has rolled back by itself after some errors, and cannot after others.
                with suppress(sqlite3.Error):
                    connection.rollback()
                raise

    def _set_up(self, connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA trusted_schema = OFF")
        _use_wal(connection)
        connection.execute(f"PRAGMA synchronous = {'FULL' if self._durable else 'NORMAL'}")
        connection.execute("PRAGMA foreign_keys = ON")
        if self._exclusive:  # from the transaction below on; the system gives it back when the process ends
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.set_progress_handler(self._is_over, _STEPS)
        schema = self._schema
        with self.write():
            application = connection.execute("PRAGMA application_id").fetchone()[0]
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            if (application, version, tables) == (0, 0, 0):
                for statement in schema.tables:
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {schema.application}")
                connection.execute(f"PRAGMA user_version = {schema.version}")
            elif application != schema.application:
                raise StorageError(
                    f"{schema.title} cannot use this file: it is a database of something else. "
                    "Tell the user: another file has to be configured."
                )
            elif version != schema.version:
                raise StorageError(
                    f"{schema.title} has version {version}, and this program knows version {schema.version}. "
                    "Tell the user: the program has to be updated, or another file configured."
                )

    def _is_over(self) -> int:
        return int(monotonic() > self._deadline or abandoned())

    @contextmanager
    def _errors(self) -> Generator[None]:
        """Turn what SQLite and the operating system refuse into refusals."""
        title = self._schema.title
        try:
            yield
        except sqlite3.Error as problem:
            code = getattr(problem, "sqlite_errorcode", None)
            reason = _REASONS.get((code or 0) & 0xFF)
            if "no such module: fts5" in str(problem):
                reason = "needs SQLite with FTS5, which this Python lacks. Tell the user."
            if reason is None:
                raise
            raise StorageError(f"{title} {reason}") from problem
        except DecodeError as problem:  # of what a row holds
            raise StorageError(f"{title} {_REASONS[sqlite3.SQLITE_CORRUPT]}") from problem
        except UnicodeEncodeError as problem:
            raise StorageError(
                f"{title} holds no text with half of a surrogate pair. Write the character out."
            ) from problem
        except OSError as problem:
            reason = problem.strerror or "the system refuses its file"
            raise StorageError(f"{title} cannot be opened: {reason}. Tell the user.") from problem


def _make_private(path: Path) -> None:
    """Make a file that is not there yet, for its owner alone; SQLite gives its companions the same mode.

    A file that is there is left alone: closing it would release the locks of this process on it.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switch to a write-ahead log. SQLite does not wait by itself for another process that does the same."""
    end = monotonic() + _BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as problem:
            if problem.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or monotonic() > end:
                raise
        sleep(0.01)
