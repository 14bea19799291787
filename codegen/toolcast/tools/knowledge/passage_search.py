"""Passages that answer a query, from the index."""

import heapq
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from ..generated._types.filter import Filter
from ..generated.knowledge.knowledge_search import KnowledgeSearchResultPassagesItem
from .embedder import similarity, unpack
from .filters import matches
from .index import Index
from .ranking import combined, weighted, word_bound

_Described = tuple[str, str, dict[str, Any]]
"""A document's id, collection and fields."""


class PassageSearch(Struct, frozen=True, kw_only=True):
    """What is looked for, and where.

    Attributes:
        collections: names of the collections.
        filter: which documents; None for all. It was checked.
        boost: weights by collection.
        terms: words, as phrases of FTS5; empty for a search by meaning alone.
        query: the vector of the query, as it is stored.
        embedder: whose vectors are compared; None for a search by words alone.
    """

    collections: Sequence[str]
    filter: Filter | None
    boost: Mapping[str, float]
    terms: Sequence[str]
    query: bytes
    embedder: str | None


def best_passages(
    index: Index, search: PassageSearch, min_score: float, count: int
) -> list[KnowledgeSearchResultPassagesItem]:
    """Find the best passages.

    Args:
        index: the documents.
        search: what is looked for.
        min_score: the least score, from 0 to 1.
        count: passages at most.

    Returns:
        The passages, the best first; equal ones in the order in which they were indexed.

    Raises:
        StorageError: the index cannot be read.
    """
    with index.database.read() as connection:
        documents = _documents(connection, search.collections, search.filter)
        owners = _owners(connection, documents)
        scores = {
            number: weighted(score, search.boost.get(documents[owners[number]][1], 1.0))
            for number, score in _scores(connection, search, owners).items()
        }
        best = heapq.nsmallest(
            count,
            (number for number, score in scores.items() if score >= min_score),
            key=lambda number: (-scores[number], number),
        )
        return [_passage(connection, number, scores[number], documents[owners[number]]) for number in best]


def _scores(
    connection: sqlite3.Connection, search: PassageSearch, owners: Mapping[int, int]
) -> Mapping[int, float]:
    words = _word_scores(connection, search.terms, owners) if search.terms else None
    if search.embedder is None:
        return words or {}
    meaning = _meaning_scores(connection, search.query, search.embedder, owners)
    return meaning if words is None else combined(words, meaning)


def _documents(
    connection: sqlite3.Connection, collections: Sequence[str], wanted: Filter | None
) -> dict[int, _Described]:
    statement = "SELECT number, id, collection, record FROM documents WHERE collection = ?"
    found = {
        number: (identifier, collection, msgspec.json.decode(record, type=dict[str, Any]))
        for name in collections
        for number, identifier, collection, record in connection.execute(statement, (name,))
    }
    if wanted is None:
        return found
    return {number: each for number, each in found.items() if matches(wanted, each[2])}


def _owners(connection: sqlite3.Connection, documents: Mapping[int, object]) -> dict[int, int]:
    """The document of each passage of these documents."""
    rows = connection.execute("SELECT number, document FROM passages")
    return {number: document for number, document in rows if document in documents}


def _word_scores(
    connection: sqlite3.Connection, terms: Sequence[str], owners: Mapping[int, int]
) -> dict[int, float]:
    (total,) = connection.execute("SELECT count(*) FROM passages").fetchone()
    one = "SELECT count(*) FROM words WHERE words MATCH ?"
    bound = word_bound([connection.execute(one, (term,)).fetchone()[0] for term in terms], total)
    rows = connection.execute(
        "SELECT rowid, bm25(words, 2.0, 1.5, 1.0) FROM words WHERE words MATCH ?", (" OR ".join(terms),)
    )
    return {number: min(1.0, max(0.0, -rank / bound)) for number, rank in rows if number in owners}


def _meaning_scores(
    connection: sqlite3.Connection, query: bytes, embedder: str, owners: Mapping[int, int]
) -> dict[int, float]:
    numbers = unpack(query)
    rows = connection.execute("SELECT number, vector FROM passages WHERE embedder = ?", (embedder,))
    return {number: similarity(numbers, vector) for number, vector in rows if number in owners}


def _passage(
    connection: sqlite3.Connection, number: int, score: float, document: _Described
) -> KnowledgeSearchResultPassagesItem:
    statement = "SELECT section, content FROM passages WHERE number = ?"
    section, content = connection.execute(statement, (number,)).fetchone()
    identifier, _, record = document
    return KnowledgeSearchResultPassagesItem(
        document_id=identifier,
        text=content,
        score=round(score, 4),
        metadata={**record, "section": section} if section else record,
    )
