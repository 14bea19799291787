"""Attacks on the memory that fail."""

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime import RefusalError, ToolRegistry
from toolcast.runtime.database import StorageError
from toolcast_tools.full_text import MAX_TERMS, TOKENIZER, indexed_text, query_terms
from toolcast_tools.generated.memory.memory_recall import MEMORY_RECALL
from toolcast_tools.generated.memory.memory_store import MEMORY_STORE
from toolcast_tools.memory import Memory

from tests.tools.memory.calls import Clock, context, recall, scores, store

SYNTAX = [
    'tea"', '"', '""', "tea OR 1", "content:tea", "tea*", "^tea", "NEAR(tea, 2)", "- tea", "tea AND",
    "NOT tea", "tea'; DROP TABLE memories; --", "{content}: tea", "tea\x00", "(tea", "tea)", "+tea +",
    "tea\\", "%tea_", "rank:tea",
]  # fmt: skip


@pytest.mark.parametrize("query", SYNTAX)
def test_the_syntax_of_full_text_queries_is_words(memory: Memory, query: str) -> None:
    store(memory, "likes tea")
    store(memory, "likes coffee")
    if not query_terms(query):
        return
    assert recall(memory, query) == ["likes tea"]


@given(st.text(min_size=1, max_size=60))
def test_no_query_is_an_error_of_the_database(query: str) -> None:
    memory = Memory(None, clock=Clock())
    store(memory, "tea")
    with suppress(RefusalError):
        assert set(recall(memory, query)) <= {"tea"}
    memory.close()


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_word_of_a_text_finds_the_text(before: str, after: str) -> None:
    """What FTS5 takes for a word is one for queries, too: a letter or digit of ASCII between any others."""
    connection = sqlite3.connect(":memory:")
    connection.execute(f'CREATE VIRTUAL TABLE words USING fts5 (content, tokenize = "{TOKENIZER}")')
    connection.execute(
        "INSERT INTO words VALUES (?)", (indexed_text(f"{before} needle {after}").replace("\ud800", ""),)
    )
    (found,) = connection.execute(
        "SELECT count(*) FROM words WHERE words MATCH ?", query_terms("Needles")
    ).fetchone()
    assert found == 1
    connection.close()


SQL = "x'); DROP TABLE memories; --"


def test_sql_in_any_parameter_is_text(memory: Memory) -> None:
    within = context(user=SQL, project=SQL, session=SQL)
    for scope in ("user", "project", "session"):
        item = store(memory, f"tea {SQL}", within, tags=[SQL], scope=scope)
        assert item.content == f"tea {SQL}"
    assert len(recall(memory, SQL, within, tags=[SQL], scopes=["user", "project", "session"])) == 3
    assert recall(memory, "tea", context(user="' OR '1'='1")) == []
    assert memory.end_session("' OR '1'='1") == 0
    assert memory.end_session(SQL) == 1


def test_scores_tell_nothing_about_memories_of_others(memory: Memory) -> None:
    mine, others = context(user="mallory"), context(user="ada")
    store(memory, "pregnant tea", mine)
    store(memory, "tea", mine)
    before = scores(memory, "pregnant tea divorce", mine)
    for number in range(30):
        store(memory, f"pregnant divorce {number}", others)
    assert scores(memory, "pregnant tea divorce", mine) == before


def test_an_id_of_another_user_is_as_unknown_as_one_that_does_not_exist(memory: Memory) -> None:
    hers = store(memory, "secret", context(user="ada"))
    texts = []
    for identifier in (hers.id, "mem_0123456789abcdef"):
        with pytest.raises(RefusalError) as refused:
            store(memory, "x", context(user="mallory"), id=identifier)
        texts.append(str(refused.value).replace(identifier, "ID"))
    assert texts[0] == texts[1]
    assert recall(memory, "secret", context(user="ada")) == ["secret"]


def test_huge_contents_and_queries_are_refused_or_bounded(memory: Memory) -> None:
    registry = ToolRegistry()
    registry.register(MEMORY_STORE, memory.memory_store)
    registry.register(MEMORY_RECALL, memory.memory_recall)

    def call(tool: str, arguments: dict[str, Any]) -> bool:
        return registry.execute_sync(tool, arguments).success

    assert not call("memory_store", {"content": "x" * 4001})
    assert not call("memory_store", {"content": "x", "tags": [f"t{number}" for number in range(11)]})
    assert not call("memory_recall", {"query": "x" * 1001})
    assert call("memory_store", {"content": "字" * 4000})
    assert call("memory_store", {"content": "\U0001f600" * 4000})
    assert call("memory_recall", {"query": "字" * 1000})
    assert call("memory_recall", {"query": " ".join(f"w{number}" for number in range(250))[:1000]})
    assert len(query_terms(" ".join(f"w{number}" for number in range(1000)))) == MAX_TERMS
    assert call("memory_recall", {"query": "ﷺ" * 1000})  # 18 letters each under NFKC


def test_half_a_surrogate_pair_is_refused_in_words(memory: Memory) -> None:
    with pytest.raises(RefusalError, match="surrogate"):
        store(memory, "\ud800")
    assert store(memory, "after")


def fill(memory: Memory, stored: list[str]) -> None:
    for number in range(100):
        content = f"kept {number} " + "word " * 700
        store(memory, content)
        stored.append(content)


def test_a_full_disk_is_a_refusal_and_changes_nothing(memory: Memory) -> None:
    store(memory, "kept")
    with memory._database.read() as connection:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
    assert memory._database._connection is not None
    memory._database._connection.execute(f"PRAGMA max_page_count = {pages}")
    stored = ["kept"]
    with pytest.raises(StorageError, match=r"no space left\. Tell the user; nothing was changed"):
        fill(memory, stored)
    assert sorted(recall(memory, "kept", limit=100)) == sorted(stored)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everything")
def test_a_read_only_file_is_refused_when_it_is_opened(file: Path) -> None:
    Memory(file).close()
    file.chmod(0o400)
    with pytest.raises(StorageError, match="read-only"):
        Memory(file)


def test_a_file_that_becomes_read_only_is_a_refusal(memory: Memory) -> None:
    store(memory, "kept")
    assert memory._database._connection is not None
    memory._database._connection.execute("PRAGMA query_only = ON")
    with pytest.raises(StorageError, match="read-only"):
        store(memory, "x")
    assert recall(memory, "kept") == ["kept"]


def test_a_missing_folder_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot be opened: No such file or directory"):
        Memory(tmp_path / "missing" / "m.sqlite")
    with pytest.raises(StorageError, match="cannot be opened"):
        Memory(tmp_path)


def test_what_is_no_database_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "m"
    file.write_bytes(b"no database at all, but long enough to have a header of SQLite" * 100)
    before = file.read_bytes()
    with pytest.raises(StorageError, match="is no SQLite database"):
        Memory(file)
    assert file.read_bytes() == before


def test_a_database_of_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "m"
    connection = sqlite3.connect(file)
    connection.execute("CREATE TABLE memories (number)")
    connection.close()
    with pytest.raises(StorageError, match="a database of something else"):
        Memory(file)
    connection = sqlite3.connect(file)
    assert connection.execute("SELECT name FROM sqlite_schema").fetchall() == [("memories",)]
    connection.close()


def test_a_row_that_holds_something_else_is_refused_in_words(memory: Memory) -> None:
    store(memory, "tea", tags=["x"])
    with memory._database.write() as connection:
        connection.execute("UPDATE memories SET tags = 'no JSON'")
    with pytest.raises(StorageError, match="is damaged"):
        recall(memory, "tea")


def test_a_newer_version_is_refused(memory: Memory, file: Path) -> None:
    memory.close()
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA user_version = 2")
    connection.close()
    with pytest.raises(StorageError, match="has version 2, and this program knows version 1"):
        Memory(file)


def use(file: Path) -> None:
    with closing(Memory(file)) as memory:
        for number in range(40):
            recall(memory, f"statement word {number}", limit=100)
            store(memory, "another")


@pytest.mark.parametrize("seed", range(8))
def test_a_damaged_file_is_refused_in_words(file: Path, seed: int) -> None:
    memory = Memory(file)
    for number in range(40):
        store(memory, f"statement {number} " + "word " * 300)
    memory.close()
    data = bytearray(file.read_bytes())
    for page in range(1 + seed % 3, len(data) // 4096, 1 + seed // 3):
        data[page * 4096 : page * 4096 + 2048] = bytes([seed * 31 % 256]) * 2048
    file.write_bytes(data)
    with pytest.raises(StorageError, match=r"is damaged|is no SQLite database|something else"):
        use(file)


def test_a_writer_that_holds_the_file_is_waited_for_and_then_refused(memory: Memory, file: Path) -> None:
    holder = sqlite3.connect(file, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    assert memory._database._connection is not None
    memory._database._connection.execute("PRAGMA busy_timeout = 50")
    with pytest.raises(StorageError, match="in use by another program"):
        store(memory, "x")
    assert recall(memory, "x") == []
    holder.execute("ROLLBACK")
    assert store(memory, "x")
    holder.close()


def test_a_statement_that_computes_for_too_long_is_stopped(memory: Memory) -> None:
    memory._database._seconds = 0.0
    with pytest.raises(StorageError, match="took too long"), memory._database.read() as connection:
        connection.execute(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
        )
