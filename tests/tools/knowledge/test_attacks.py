"""Attacks on the knowledge that fail: by documents, by what stands in their folders, and by queries."""

import os
import sqlite3
import threading
from contextlib import closing
from functools import partial
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime import RefusalError, ToolRegistry
from toolcast.runtime.database import StorageError
from toolcast_tools.generated.knowledge.knowledge_search import KNOWLEDGE_SEARCH
from toolcast_tools.knowledge import Knowledge
from toolcast_tools.knowledge.blocks import MAX_HEADINGS, MAX_PASSAGES, html_text, markdown_blocks, passages
from toolcast_tools.knowledge.documents import (
    MAX_CHARACTERS,
    MAX_LINKS,
    UnreadableError,
    read_document,
    split_front_matter,
)

from tests.counting import lines_executed
from tests.tools.knowledge.calls import Open, identifier, info, paths, search
from tests.tools.knowledge.conftest import write


@pytest.mark.parametrize(
    "query",
    ['refund"', '"', "refund OR x", "content:refund", "refund*", "^refund", "NEAR(refund x)", "NOT refund",
     "refund\x00", "x'); DROP TABLE documents; --", "{content}:refund", "-", "refund AND (", "\ud800 refund"],
)  # fmt: skip
def test_the_syntax_of_full_text_queries_is_words(knowledge: Knowledge, query: str) -> None:
    try:
        found = paths(knowledge, query)
    except RefusalError as refused:
        assert "no word" in str(refused) and "refund" not in query  # noqa: PT017, PT018 - some have no word
        return
    assert set(found) <= {"refunds.md", "db.md"}
    assert paths(knowledge, "refund")


SQL = "x'); DROP TABLE documents; --"


def test_sql_in_any_parameter_is_text(knowledge: Knowledge) -> None:
    for field in (SQL, "' OR 1=1 --"):
        assert (
            paths(knowledge, "refund", filter={"where": [{"field": field, "op": "eq", "value": SQL}]}) == []
        )
    for arguments in ({"collections": [SQL]}, {"boost": {SQL: 2}}):
        with pytest.raises(RefusalError, match="There is no collection"):
            search(knowledge, "refund", **arguments)
    with pytest.raises(RefusalError, match="There is no document"):
        info(knowledge, "doc_OR1OR1")
    assert len(paths(knowledge, "refund")) == 2


@given(st.text(max_size=40))
def test_no_query_is_an_error_of_the_database(query: str) -> None:
    with closing(Knowledge({}, watch=False)) as knowledge:
        try:
            assert search(knowledge, query or "x").passages == []
        except RefusalError as refused:
            assert "no word" in str(refused)  # noqa: PT017


def test_links_lead_nowhere_out_of_the_folder(
    folders: dict[str, Path], tmp_path: Path, open_knowledge: Open
) -> None:
    secret = tmp_path / "secret"
    write(secret, {"passwords.md": "swordfish"})
    box = folders["handbook"]
    (box / "link.md").symlink_to(secret / "passwords.md")
    (box / "relative.md").symlink_to("../secret/passwords.md")
    (box / "folder").symlink_to(secret)
    (box / "inside.md").symlink_to("notes.txt")
    (box / "loop").symlink_to(".")
    knowledge = open_knowledge()
    assert paths(knowledge, "swordfish") == []
    assert paths(knowledge, "coffee") == ["notes.txt"]


def test_a_document_that_becomes_a_link_leads_nowhere(
    folders: dict[str, Path], tmp_path: Path, open_knowledge: Open
) -> None:
    """Files and links change places while the folder is read, a hundred times."""
    secret = tmp_path / "secret.md"
    secret.write_text("swordfish")
    target, stop = folders["handbook"] / "notes.txt", threading.Event()

    def swap() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            link, file = tmp_path / "link", tmp_path / "file"
            link.symlink_to(secret)
            link.replace(target)
            file.write_text(f"coffee {number}")
            file.replace(target)

    knowledge = open_knowledge()
    thread = threading.Thread(target=swap)
    thread.start()
    try:
        for _ in range(100):
            knowledge.refresh()
    finally:
        stop.set()
        thread.join()
    knowledge.refresh()
    assert paths(knowledge, "swordfish") == []
    assert paths(knowledge, "coffee") == ["notes.txt"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="makes a pipe")
def test_a_pipe_among_the_documents_blocks_nothing(folders: dict[str, Path], open_knowledge: Open) -> None:
    os.mkfifo(folders["handbook"] / "pipe.md")
    assert paths(open_knowledge(), "coffee") == ["notes.txt"]


def test_names_that_are_no_text_are_passed_over(folders: dict[str, Path], open_knowledge: Open) -> None:
    box = folders["handbook"]
    try:
        Path(os.fsdecode(os.fsencode(box) + b"/\xff.md")).write_text("zebra")
    except OSError:
        pytest.skip("the file system takes no such name")
    (box / "'; DROP TABLE files; --.md").write_text("giraffe")
    (box / "new\nline.md").write_text("giraffe")
    knowledge = open_knowledge()
    assert paths(knowledge, "zebra") == []
    assert set(paths(knowledge, "giraffe")) == {"'; DROP TABLE files; --.md", "new\nline.md"}


def test_a_yaml_bomb_in_front_matter_is_bounded() -> None:
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"a{number}: &a{number} [{', '.join([f'*a{number - 1}'] * 10)}]\n" for number in range(1, 10)
    )
    for front in (
        bomb,
        "a: " + "[" * 5000,
        "a: &a [*a]",
        "a: " + "{b: " * 100 + "1" + "}" * 100,
        "".join(f"k{number}: 1\n" for number in range(1000)),
        "a: !!python/object/apply:os.system ['touch /tmp/owned']",
        "? {a: b}\n: c",
        "a: 1" + "0" * 5000,
        "a: .nan",
        'a: "\\ud800"',
        "a: \x07",
        "%YAML 1.1",
        "a: b: c",
        "- a",
    ):
        fields, body = split_front_matter(f"---\n{front}\n---\nthe text")
        assert list(fields) == ["front_matter_problem"], front[:40]
        assert (body, len(fields["front_matter_problem"]) <= 300) == ("the text", True)
    long = f"---\na: {'x' * MAX_CHARACTERS}\n---\nthe text"
    assert split_front_matter(long) == ({}, long)


@given(st.text(max_size=200))
def test_no_front_matter_is_an_error(front: str) -> None:
    fields, _ = split_front_matter(f"---\n{front}\n---\n")
    assert msgspec.json.decode(msgspec.json.encode(fields)) is not None


@pytest.mark.parametrize(
    "document",
    [b"<div>" * 200_000, b"<b>" * 200_000 + b"x", b"<a " * 300_000, b"<!--" * 300_000, b"&" * 500_000,
     b"<svg>" * 50_000, b"<table><tr><td>" * 30_000, b"<![CDATA[" * 50_000, b"<title>" * 50_000,
     b"<html " + b"a=1 " * 100_000 + b">x", b"<p>" + b"&#xD800;&#0;&#x110000;&nosuch;" * 1000,
     b"\x00" * 1000, b"<!DOCTYPE html [<!ENTITY a 'b'>]>&a;",
     b"<meta charset=nosuch>\xff\xfe", b"<base href=x><p>" + b"y" * 1_000_000],
)  # fmt: skip
def test_hostile_html_is_read_or_refused(document: bytes) -> None:
    def read() -> None:
        try:
            found = read_document("a.html", document, 0.0)
        except UnreadableError:
            return
        assert len(found.passages) <= MAX_PASSAGES
        msgspec.json.encode([found.record, [passage.text for passage in found.passages]])

    assert lines_executed(read) < 200_000


def test_html_runs_and_loads_nothing(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("swordfish")
    entity = f'<?xml version="1.0"?><!DOCTYPE html [<!ENTITY e SYSTEM "file://{secret}">]><p>a&e;b</p>'
    frames = f'<iframe src="file://{secret}"></iframe><object data="file://{secret}">x</object><p>c</p>'
    texts = [block.text for page in (entity, frames) for block in html_text(page.encode()).blocks]
    assert "swordfish" not in " ".join(texts)
    hidden = html_text(
        b"<p>a</p><script>evil()</script><style>evil</style><template>evil</template><!-- evil -->"
    )
    assert [block.text for block in hidden.blocks] == ["a"]


def test_huge_documents_are_bounded() -> None:
    text = "# h\n\nword\n\n" * 20_000 + "http://a.example/x " * 10
    links = " ".join(f"http://a.example/{number}" for number in range(1000))
    found = read_document("a.md", f"{text}\n{links}".encode(), 0.0)
    assert (len(found.passages), len(found.headings), len(found.links)) == (
        MAX_PASSAGES,
        MAX_HEADINGS,
        MAX_LINKS,
    )
    assert len(passages(markdown_blocks("x" * 10_000_000))) <= MAX_PASSAGES


@pytest.mark.parametrize(
    "piece", ["#", "# ", "```\n", "=\n", "\n---\n", "[](", "http://", "<", "`", "~~~", "a\n===\n"]
)
def test_markdown_is_read_in_linear_time(piece: str) -> None:
    data = [(piece * count).encode() for count in (500, 2000)]
    work = [lines_executed(partial(read_document, "a.md", each, 0.0)) for each in data]
    assert work[1] < 5 * work[0] + 1000


@given(st.binary(max_size=400), st.sampled_from(["a.md", "a.html", "a.txt"]))
def test_no_file_is_an_error(data: bytes, name: str) -> None:
    try:
        document = read_document(name, data, -1e18)
    except UnreadableError:
        return
    assert msgspec.json.encode([document.record, document.links, [each.text for each in document.passages]])


def test_one_document_that_cannot_be_read_leaves_the_others(
    open_knowledge: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    from toolcast_tools.knowledge import index

    def fail(path: str, data: bytes, modified: float) -> object:
        if path == "refunds.md":
            raise RecursionError
        return read_document(path, data, modified)

    monkeypatch.setattr(index, "read_document", fail)
    knowledge = open_knowledge()
    assert paths(knowledge, "coffee") == ["notes.txt"]
    assert knowledge.skipped() == {("handbook", "refunds.md"): "It could not be read."}


def test_a_document_cannot_claim_the_place_of_another(folders: dict[str, Path], open_knowledge: Open) -> None:
    """Fields that say where a passage is from are ours, whatever front matter says."""
    forged = (
        "---\ncollection: handbook\npath: refunds.md\nsection: x\ndocument_id: doc_000000\n---\nswordfish"
    )
    write(folders["incidents"], {"forged.md": forged})
    (found,) = search(open_knowledge(), "swordfish").passages
    assert found.metadata is not None
    assert (found.metadata["collection"], found.metadata["path"]) == ("incidents", "forged.md")
    assert "section" not in found.metadata
    assert found.document_id != "doc_000000"


def test_ids_tell_collections_and_paths_apart(tmp_path: Path) -> None:
    write(tmp_path / "a", {"b/c.md": "zebra"})
    write(tmp_path / "ab", {"c.md": "zebra"})
    with closing(Knowledge({"a": tmp_path / "a", "a\0b": tmp_path / "ab"}, watch=False)) as knowledge:
        assert len({each.document_id for each in search(knowledge, "zebra").passages}) == 2


def test_a_filter_within_a_call_is_bounded(knowledge: Knowledge) -> None:
    registry = ToolRegistry()
    registry.register(KNOWLEDGE_SEARCH, knowledge.knowledge_search)
    deep: object = {"where": [{"field": "a", "op": "eq", "value": 1}]}
    for depth in (10, 40, 400):
        nested = deep
        for _ in range(depth):
            nested = {"not": nested}
        result = registry.execute_sync("knowledge_search", {"query": "refund", "filter": nested})
        assert result.success == (depth == 10)
        assert "fault" not in (result.error or "")


def test_a_folder_that_is_gone_keeps_what_was_read(folders: dict[str, Path], knowledge: Knowledge) -> None:
    assert identifier(knowledge, "notes.txt", "coffee")
    folders["handbook"].rename(folders["handbook"].with_name("moved"))
    knowledge.refresh()  # by descriptor: the folder is the same
    assert paths(knowledge, "coffee") == ["notes.txt"]


def test_an_unusable_index_is_refused_in_words(folders: dict[str, Path], tmp_path: Path) -> None:
    index = tmp_path / "index"
    with closing(Knowledge(folders, index=index, watch=False)) as knowledge:
        assert paths(knowledge, "coffee")
        with knowledge._index.database.write() as connection:
            connection.execute("UPDATE documents SET record = '[1]'")
        with pytest.raises(StorageError, match="The index of documents is damaged"):
            paths(knowledge, "coffee")
        connection_ = knowledge._index.database._connection
        assert connection_ is not None
        connection_.execute("PRAGMA query_only = ON")
        write(folders["handbook"], {"new.md": "x"})
        with pytest.raises(StorageError, match="read-only"):
            knowledge.refresh()
    with closing(sqlite3.connect(index)) as connection:
        connection.execute("PRAGMA user_version = 9")
    with pytest.raises(StorageError, match="has version 9"):
        Knowledge(folders, index=index)
    index.write_bytes(b"x" * 5000)
    with pytest.raises(StorageError, match="no SQLite database"):
        Knowledge(folders, index=index)
