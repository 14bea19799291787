"""Facts that later conversations recall, in one SQLite file: whose they are, and which match a query."""

import os
import secrets
import sqlite3
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import timedelta
from math import log
from typing import Any, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Struct
from toolcast.runtime.context import ToolContext
from toolcast.runtime.database import Database, Schema
from toolcast.runtime.errors import RefusalError

from ..full_text import TOKENIZER, indexed_text, query_terms
from ..generated._types.memory_item import MemoryItem, MemoryItemSource
from ..generated.memory.memory_recall import (
    MemoryRecallParams,
    MemoryRecallResult,
    MemoryRecallResultMemoriesItem,
)
from ..generated.memory.memory_store import MemoryStoreParams
from ..timestamps import timestamp_seconds, timestamp_text

_Scope: TypeAlias = Literal["user", "project", "session"]
_SCOPES: tuple[_Scope, ...] = ("user", "project", "session")


class _Owners(Struct, frozen=True, kw_only=True):
    """The user, project and session that a call belongs to.

    Attributes:
        user: id of the user.
        project: id of the project.
        session: id of the session; None where the program has none.
    """

    user: str
    project: str
    session: str | None

    def of(self, scope: _Scope) -> str:
        """Return the owner of memories of a scope. Raises RefusalError: there is no session."""
        if scope == "user":
            return self.user
        if scope == "project":
            return self.project
        if self.session is None:
            raise RefusalError(
                "This program has no sessions to keep memories for. Use scope user or project instead."
            )
        return self.session

    def known(self) -> tuple[tuple[_Scope, str], ...]:
        """Every scope that has an owner, with it."""
        return tuple(
            (scope, self.of(scope)) for scope in _SCOPES if scope != "session" or self.session is not None
        )


def _owners_of(extra: Mapping[str, object], user: str, project: str) -> _Owners:
    """Return the owners of a call.

    Raises TypeError: an id is no text.

    Args:
        extra: `ToolContext.extra`; `user`, `project` and `session` in it are ids.
    """
    ids: dict[str, str | None] = {}
    for name, default in (("user", user), ("project", project), ("session", None)):
        found = extra.get(name, default)
        if found is not None and not isinstance(found, str):
            raise TypeError(f"context.extra[{name!r}] must be a text, not {type(found).__name__}.")
        ids[name] = found
    return _Owners(user=ids["user"] or user, project=ids["project"] or project, session=ids["session"])


def match_scores(matches: Sequence[Collection[int]], total: int) -> Mapping[int, float]:
    """Score texts by the words of a query that they have.

    A word weighs as in BM25, `log(1 + (N - n + 0.5) / (n + 0.5))`: with `n` of the `N` texts that have it.
    How often a text has a word does not count: one of a few sentences that says it twice is no better.

    Returns for each text that has any of the words, the weight of those it has as a share of the weight of
    all: more than 0, and 1 for a text that has all. A text that has more of the words never scores less.

    Args:
        matches: for each word of the query, the numbers of the texts that have it.
        total: how many texts there are.
    """
    weights = [log(1 + (total - len(match) + 0.5) / (len(match) + 0.5)) for match in matches]
    total_weight = sum(weights)
    scores: dict[int, float] = {}
    for match, weight in zip(matches, weights, strict=True):
        for number in match:
            scores[number] = scores.get(number, 0.0) + weight
    return {number: min(1.0, score / total_weight) for number, score in scores.items()}


_SCHEMA: Final = Schema(
    title="The memory",
    application=0x746D656D,  # "tmem"
    version=1,
    tables=(
        """CREATE TABLE memories (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            scope TEXT NOT NULL,
            owner TEXT NOT NULL,
            content TEXT NOT NULL,
            tags TEXT NOT NULL,
            importance INTEGER NOT NULL,
            created REAL NOT NULL,
            changed REAL NOT NULL,
            expires REAL,
            source TEXT
        )""",
        "CREATE INDEX memories_of ON memories (scope, owner)",
        "CREATE INDEX memories_until ON memories (expires)",
        f'CREATE VIRTUAL TABLE words USING fts5 (content, detail = full, tokenize = "{TOKENIZER}")',
    ),
)
_SESSION: Final = 7 * 86400.0
"""Seconds that a memory of a session is kept where nobody ends the session."""
_COLUMNS: Final = "number, id, scope, content, tags, importance, created, expires, source"


class _Row(Struct, frozen=True):
    """A memory as it is stored; `tags` and `source` are JSON, times are seconds."""

    number: int
    id: str
    scope: _Scope
    content: str
    tags: str
    importance: Any
    created: float
    expires: float | None
    source: str | None


class Memory:
    """The handlers `memory_store` and `memory_recall`.

    A memory belongs to a user, a project or a session: the ids in the `extra` of the call's context, else
    those given here. Nobody else finds, replaces or counts it, and scores tell nothing about it. A store that
    has returned survives the end of the process and of the machine. Threads and processes may share the file.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        *,
        user: str = "",
        project: str = "",
        retention: timedelta | None = None,
        max_memories: int = 10_000,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Open the memory, or make it.

        Args:
            path: path of its file, which its owner alone may read; None keeps it in this object.
            user: whose memories those of scope "user" are, unless `context.extra["user"]` says so.
            project: the same for scope "project", and `context.extra["project"]`. Sessions are named by
                `context.extra["session"]` alone.
            retention: time until a new memory is forgotten where the call names none; None for never.
            max_memories: memories of one user, project or session at most.
            clock: seconds since 1970.

        Raises:
            StorageError: the file cannot be used, is damaged, or was written by a newer version.
            ValueError: `retention` or `max_memories` is not positive.
        """
        if max_memories < 1 or (retention is not None and retention <= timedelta(0)):
            raise ValueError("retention and max_memories must be more than 0.")
        self._user = user
        self._project = project
        self._retention = retention
        self._max = max_memories
        self._clock = clock
        self._database = Database(path, _SCHEMA)

    def memory_store(self, params: MemoryStoreParams, context: ToolContext) -> MemoryItem:
        """Remember a statement, or replace one.

        Args:
            params: the statement, and the id of the one that it replaces.
            context: circumstances of the call; `extra` has the ids of user, project and session.

        Returns:
            The memory as it is stored.

        Raises:
            RefusalError: the id names no memory of that scope, the date is past, the memory is full, or the
                file cannot be written.
        """
        now = self._clock()
        owners = _owners_of(context.extra, self._user, self._project)
        owner = owners.of(params.scope)
        expires = self._expiry(params, now)
        with self._database.write() as connection:
            _forget(connection, "expires <= ?", now)
            former = None if params.id is None else _find(connection, params.id, owners)
            if former is None and params.id is not None:
                raise RefusalError(
                    f"There is no memory {params.id}. Find it with memory_recall, or leave out id to add one."
                )
            if former is not None and former.scope != params.scope:
                raise RefusalError(
                    f"Memory {former.id} has scope {former.scope}. Give that scope to replace it, "
                    "or leave out id."
                )
            if former is None:
                _check_count(connection, params.scope, owner, self._max)
            elif params.expires_at is UNSET:
                expires = former.expires
            row = _Row(
                number=_next_number(connection) if former is None else former.number,
                id=f"mem_{secrets.token_hex(8)}" if former is None else former.id,
                scope=params.scope,
                content=params.content,
                tags=msgspec.json.encode(params.tags).decode(),
                importance=params.importance,
                created=now if former is None else former.created,
                expires=expires,
                source=None if params.source is None else msgspec.json.encode(params.source).decode(),
            )
            _put(connection, row, owner, now)
        return _item(row)

    def memory_recall(self, params: MemoryRecallParams, context: ToolContext) -> MemoryRecallResult:
        """Find memories that have words of the query, those that have most of its rare ones first.

        Args:
            params: the query, and which memories are searched.
            context: circumstances of the call; `extra` has the ids of user, project and session.

        Returns:
            At most `params.limit` memories, each with a score from 0 to 1.

        Raises:
            RefusalError: the query has no words, or the file cannot be read.
        """
        terms = query_terms(params.query)
        if not terms:
            raise RefusalError("query has no word to look for. Name what you look for in plain words.")
        owners = _owners_of(context.extra, self._user, self._project)
        now = self._clock()
        with self._database.read() as connection:
            visible: dict[int, tuple[set[str], int, float]] = {}
            for scope in params.scopes:
                visible |= _visible(connection, scope, owners.of(scope), now)
            matches = [_matching(connection, term) & visible.keys() for term in terms]
            # Weights come from what the caller may see: other people's words must not show in scores.
            scores = match_scores(matches, len(visible))
            wanted = set(params.tags)
            found = [
                number
                for number in scores
                if wanted <= visible[number][0] and visible[number][1] >= params.min_importance
            ]
            found.sort(key=lambda number: (-scores[number], -visible[number][1], -visible[number][2], number))
            items = [
                MemoryRecallResultMemoriesItem(item=_item(row), score=round(scores[row.number], 4))
                for row in _rows(connection, found[: params.limit])
            ]
        return MemoryRecallResult(memories=items)

    def end_session(self, session: str) -> int:
        """Forget the memories of a session, for programs; without it, they end 7 days after their store.

        Args:
            session: id of the session, as in `context.extra["session"]`.

        Returns:
            How many there were.

        Raises:
            StorageError: the file cannot be written.
        """
        with self._database.write() as connection:
            return _forget(connection, "scope = 'session' AND owner = ?", session)

    def close(self) -> None:
        """Close the file, once a call that runs has ended. Later calls are refused."""
        self._database.close()

    def _expiry(self, params: MemoryStoreParams, now: float) -> float | None:
        expires: float | None = None
        if isinstance(params.expires_at, str):
            expires = timestamp_seconds(params.expires_at, "expires_at")
            if expires <= now:
                raise RefusalError(
                    f"expires_at {params.expires_at} is past: it is {timestamp_text(now)}. "
                    "Give a later time, or null to keep the memory for good."
                )
        elif params.expires_at is UNSET and self._retention is not None:
            expires = now + self._retention.total_seconds()
        if params.scope == "session":
            return min(now + _SESSION, expires) if expires is not None else now + _SESSION
        return expires


def _find(connection: sqlite3.Connection, identifier: str, owners: _Owners) -> _Row | None:
    """Return the memory of that id, if it belongs to who calls."""
    known = set(owners.known())
    statement = f"SELECT {_COLUMNS}, owner FROM memories WHERE id = ?"
    for *columns, owner in connection.execute(statement, (identifier,)):
        row = _Row(*columns)
        if (row.scope, owner) in known:
            return row
    return None


def _check_count(connection: sqlite3.Connection, scope: _Scope, owner: str, limit: int) -> None:
    statement = "SELECT count(*) FROM memories WHERE scope = ? AND owner = ?"
    (count,) = connection.execute(statement, (scope, owner)).fetchone()
    if count >= limit:
        raise RefusalError(
            f"The memory of this {scope} is full: it has {count} statements. Replace one of them by its id."
        )


def _next_number(connection: sqlite3.Connection) -> int:
    (number,) = connection.execute("SELECT coalesce(max(number), 0) + 1 FROM memories").fetchone()
    return int(number)


def _put(connection: sqlite3.Connection, row: _Row, owner: str, now: float) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO memories VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            row.number,
            row.id,
            row.scope,
            owner,
            row.content,
            row.tags,
            row.importance,
            row.created,
            now,
            row.expires,
            row.source,
        ),
    )
    words = indexed_text(f"{row.content} {' '.join(msgspec.json.decode(row.tags))}")
    connection.execute("DELETE FROM words WHERE rowid = ?", (row.number,))
    connection.execute("INSERT INTO words (rowid, content) VALUES (?, ?)", (row.number, words))


def _forget(connection: sqlite3.Connection, condition: str, value: float | str) -> int:
    """Remove the memories that meet a condition of this module, which has one place for a value."""
    numbers = connection.execute(f"SELECT number FROM memories WHERE {condition}", (value,)).fetchall()
    connection.executemany("DELETE FROM words WHERE rowid = ?", numbers)
    connection.executemany("DELETE FROM memories WHERE number = ?", numbers)
    return len(numbers)


def _visible(
    connection: sqlite3.Connection, scope: _Scope, owner: str, now: float
) -> dict[int, tuple[set[str], int, float]]:
    """Tags, importance and last change of an owner's memories, by number."""
    statement = (
        "SELECT number, tags, importance, changed FROM memories "
        "WHERE scope = ? AND owner = ? AND (expires IS NULL OR expires > ?)"
    )
    return {
        number: (set(msgspec.json.decode(tags)), importance, changed)
        for number, tags, importance, changed in connection.execute(statement, (scope, owner, now))
    }


def _matching(connection: sqlite3.Connection, term: str) -> set[int]:
    statement = "SELECT rowid FROM words WHERE words MATCH ?"
    return {number for (number,) in connection.execute(statement, (term,))}


def _rows(connection: sqlite3.Connection, numbers: Sequence[int]) -> list[_Row]:
    statement = f"SELECT {_COLUMNS} FROM memories WHERE number = ?"
    return [_Row(*connection.execute(statement, (number,)).fetchone()) for number in numbers]


def _item(row: _Row) -> MemoryItem:
    return MemoryItem(
        id=row.id,
        content=row.content,
        scope=row.scope,
        tags=msgspec.json.decode(row.tags, type=list[str]),
        importance=row.importance,
        created_at=timestamp_text(row.created),
        expires_at=None if row.expires is None else timestamp_text(row.expires),
        source=None if row.source is None else msgspec.json.decode(row.source, type=MemoryItemSource),
    )
