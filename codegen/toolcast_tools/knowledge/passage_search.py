"""Passages that answer a query, from the index: scored by words, by meaning, or by both."""

import heapq
import math
import sqlite3
from array import array
from collections.abc import Callable, Mapping, Sequence
from math import isfinite, sqrt
from operator import mul
from typing import Any, Final

import msgspec
from msgspec import Struct
from toolcast.runtime.errors import RefusalError
from toolcast.runtime.log_records import ERROR, log

from ..generated._types.filter import Filter
from ..generated.knowledge.knowledge_search import KnowledgeSearchResultPassagesItem
from .filters import matches
from .index import Index

BATCH: Final = 64
"""Texts that are embedded at once."""


class Embedder(Struct, frozen=True, kw_only=True):
    """A model that makes vectors of texts.

    Attributes:
        name: name of the model. Vectors of another name are made anew.
        embed: makes one vector for each text, all of one length, near each other where the meaning is. It is
            called in worker threads, with 64 texts at most, and may block.
    """

    name: str
    embed: Callable[[Sequence[str]], Sequence[Sequence[float]]]


def vectors(embedder: Embedder, texts: Sequence[str]) -> list[bytes]:
    """Vectors of texts, as they are stored: of length 1, in 32-bit floats.

    Returns one vector for each text. Raises RefusalError: the embedder raised an `Exception`, or returned no
    such vectors.

    Args:
        embedder: what makes them.
        texts: the texts, at most `BATCH`.
    """
    try:
        found = [_stored(vector) for vector in embedder.embed(texts)]
        if len(found) != len(texts) or len({len(vector) for vector in found}) > 1:
            raise ValueError(f"{len(texts)} texts have {len(found)} vectors, or vectors of several lengths.")
    except Exception as problem:  # the embedder's
        log(ERROR, "The embedder %s failed.", embedder.name, event="embedder_failed", problem=problem)
        raise RefusalError(
            "The documents cannot be searched by meaning now: what makes vectors of texts failed. "
            "Use mode keyword, or tell the user."
        ) from problem
    return found


def _similarity(one: Sequence[float], other: bytes) -> float:
    """Return the similarity of two vectors of length 1: their cosine, from 0 on; 0 where they differ in
    length.
    """
    unpacked = _unpack(other)
    return min(1.0, max(0.0, sum(map(mul, one, unpacked)))) if len(one) == len(unpacked) else 0.0


def _unpack(stored: bytes) -> "array[float]":
    """Return the numbers of a stored vector."""
    numbers = array("f")
    numbers.frombytes(stored[: len(stored) // 4 * 4])
    return numbers


def _stored(vector: Sequence[float]) -> bytes:
    length = sqrt(sum(value * value for value in vector))
    if not (isfinite(length) and length > 0):
        raise ValueError("A vector has no direction.")
    return array("f", [value / length for value in vector]).tobytes()


_K1: Final = 1.2
"""Of FTS5's bm25: however often a text has a word, it counts less than `1 + _K1` times its weight."""
_LEAST: Final = 1e-6
"""The least weight of a word in FTS5's bm25."""


def word_bound(counts: Sequence[int], total: int) -> float:
    """Return an upper bound of FTS5's bm25 for any text: the sum of the words' weights, times 2.2; more than
    0.

    Args:
        counts: for each word of the query, how many texts have it.
        total: how many texts there are.
    """
    weights = (math.log((total - count + 0.5) / (count + 0.5)) for count in counts)
    return sum(max(_LEAST, weight) for weight in weights) * (1 + _K1)


def combined(words: Mapping[int, float], meaning: Mapping[int, float]) -> dict[int, float]:
    """Scores by words and by meaning as one: their mean.

    Args:
        words: scores by words; a passage without one has 0.
    """
    return {number: (words.get(number, 0.0) + meaning.get(number, 0.0)) / 2 for number in {*words, *meaning}}


def weighted(score: float, weight: float) -> float:
    """Return a score with the weight of its collection: `1 - (1 - score) ** weight`: from 0 to 1, and in the
    order of the scores and of the weights.

    Args:
        score: from 0 to 1.
        weight: more than 0; 1 is neutral.
    """
    return 1.0 - float((1.0 - score) ** weight)


_Described = tuple[str, str, dict[str, Any]]
"""A document's id, collection and fields."""


class PassageSearch(Struct, frozen=True, kw_only=True):
    """A search for passages.

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

    Returns the passages, the best first; equal ones in the order in which they were indexed. Raises
    StorageError: the index cannot be read.

    Args:
        search: what is looked for.
        min_score: the least score, from 0 to 1.
        count: passages at most.
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
    """Return the document of each passage of these documents."""
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
    numbers = _unpack(query)
    rows = connection.execute("SELECT number, vector FROM passages WHERE embedder = ?", (embedder,))
    return {number: _similarity(numbers, vector) for number, vector in rows if number in owners}


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
