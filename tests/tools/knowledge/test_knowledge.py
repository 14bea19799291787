"""Documents are found by their words, within filters, by weight; described; and followed when they change."""

import errno
import os
import sqlite3
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from importlib.abc import MetaPathFinder
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime import RefusalError, ToolRegistry
from toolcast_tools.generated.knowledge.get_document_info import GET_DOCUMENT_INFO
from toolcast_tools.generated.knowledge.knowledge_search import KNOWLEDGE_SEARCH
from toolcast_tools.knowledge import Embedder, Knowledge
from toolcast_tools.knowledge.passage_search import combined, weighted, word_bound

from tests.tools.knowledge.calls import Open, identifier, info, paths, search
from tests.tools.knowledge.conftest import write


def test_passages_are_found_by_their_words(knowledge: Knowledge) -> None:
    found = search(knowledge, "How are refunds approved?")
    first = found.passages[0]
    assert first.text == "A refund is approved by the head of support."
    assert first.metadata is not None
    assert first.metadata == {
        "title": "Refunds", "kind": "policy",
        "created": "2024-03-01T00:00:00Z", "updated": "2025-02-03T09:00:00Z",
        "author": {"name": "Ada Lovelace", "email": "ada@example.com"}, "tags": ["money", "support"],
        "collection": "handbook", "path": "refunds.md", "section": "Refunds",
    }  # fmt: skip
    assert found.matched_by == "keyword"
    assert all(0 <= each.score <= 1 for each in found.passages)


def test_every_format_is_read(knowledge: Knowledge) -> None:
    assert paths(knowledge, "coffee") == ["notes.txt"]
    assert paths(knowledge, "Maschine") == ["page.html"]
    assert paths(
        knowledge, "Keller", filter={"where": [{"field": "language", "op": "eq", "value": "de"}]}
    ) == ["page.html"]
    assert paths(knowledge, "parental") == ["leave/parental.md"]


def test_collections_narrow_the_search(knowledge: Knowledge) -> None:
    assert paths(knowledge, "refund", collections=["incidents"]) == ["db.md"]
    assert set(paths(knowledge, "refund")) == {"refunds.md", "db.md"}
    with pytest.raises(RefusalError, match=r"no collection 'Handbook'\. There are: handbook, incidents"):
        search(knowledge, "refund", collections=["Handbook"])
    with pytest.raises(RefusalError, match="no collection 'x'"):
        search(knowledge, "refund", boost={"x": 2})


def test_a_filter_restricts_the_search(knowledge: Knowledge) -> None:
    by = {
        "all": [
            {"any": [{"where": [{"field": "author.name", "op": "in", "value": ["Ada", "Grace"]}]},
                     {"where": [{"field": "kind", "op": "eq", "value": "policy"}]}]},
            {"not": {"where": [{"field": "archived", "op": "eq", "value": True}]}},
        ]
    }  # fmt: skip
    assert set(paths(knowledge, "outage down refund", filter=by, top_k=50)) == {"web.md", "refunds.md"}
    since = {"where": [{"field": "updated", "op": "lt", "value": "2025-02-04"}]}
    assert paths(knowledge, "refund", filter=since) == ["refunds.md"]
    assert (
        paths(knowledge, "down", filter={"where": [{"field": "collection", "op": "eq", "value": "handbook"}]})
        == []
    )


def test_weights_of_collections_decide(knowledge: Knowledge) -> None:
    for boosted, first in (("handbook", "refunds.md"), ("incidents", "db.md")):
        found = search(knowledge, "refund", boost={boosted: 10, "handbook": 0.01} | {boosted: 10})
        assert (found.passages[0].metadata or {})["path"] == first
        assert all(0 <= each.score <= 1 for each in found.passages)
        assert [each.score for each in found.passages] == sorted(
            (each.score for each in found.passages), reverse=True
        )


def test_the_least_score_and_the_count_bound_the_result(knowledge: Knowledge) -> None:
    everything = search(knowledge, "refund outage database down", top_k=100).passages
    assert len(search(knowledge, "refund outage database down", top_k=2).passages) == 2
    middle = everything[1].score
    best = search(knowledge, "refund outage database down", min_score=middle, top_k=100).passages
    assert [each.score for each in best] == [each.score for each in everything if each.score >= middle]


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0.01, 10), st.floats(0.01, 10))
def test_weights_keep_the_order(one: float, other: float, weight: float, heavier: float) -> None:
    low, high = sorted((one, other))
    light, heavy = sorted((weight, heavier))
    assert 0 <= weighted(low, light) <= weighted(high, light) <= 1
    assert weighted(low, light) <= weighted(low, heavy)
    assert weighted(one, 1.0) == pytest.approx(one)


@given(st.lists(st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=12), min_size=1, max_size=12))
def test_no_text_scores_more_than_the_bound(texts: list[list[str]]) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE VIRTUAL TABLE words USING fts5 (content)")
        connection.executemany("INSERT INTO words VALUES (?)", [(" ".join(text),) for text in texts])
        terms = ["a", "b", "z"]
        counts = [sum(term in text for text in texts) for term in terms]
        bound = word_bound(counts, len(texts))
        rows = connection.execute("SELECT bm25(words, 3.0) FROM words WHERE words MATCH ?", ("a OR b OR z",))
        assert all(0 < -rank < bound for (rank,) in rows)


def test_words_and_meaning_count_the_same() -> None:
    assert combined({1: 1.0, 2: 0.5}, {2: 0.5, 3: 1.0}) == {1: 0.5, 2: 0.5, 3: 0.5}


SUBJECTS = ["refund money euros", "database server outage down", "leave months", "coffee tea kaffee"]


def by_subject(texts: Sequence[str]) -> list[list[float]]:
    return [
        [0.01 + sum(word in text.lower() for word in subject.split()) for subject in SUBJECTS]
        for text in texts
    ]


def test_meaning_needs_an_embedder(knowledge: Knowledge, open_knowledge: Open) -> None:
    with pytest.raises(RefusalError, match="cannot be searched by meaning"):
        search(knowledge, "money", mode="semantic")
    able = open_knowledge(embedder=Embedder(name="subjects", embed=by_subject))
    found = search(able, "money", mode="semantic", top_k=2)
    assert found.matched_by == "semantic"
    assert (found.passages[0].metadata or {})["path"] in ("refunds.md", "db.md")
    assert paths(able, "euros", mode="keyword") == ["refunds.md"]
    both = search(able, "approved money", top_k=1)
    assert both.matched_by == "hybrid"
    assert both.passages[0].text == "A refund is approved by the head of support."
    assert search(able, "???").matched_by == "hybrid"


def test_vectors_are_made_once_and_anew_for_another_embedder(open_knowledge: Open, tmp_path: Path) -> None:
    texts: list[str] = []

    def embed(given: Sequence[str]) -> list[list[float]]:
        texts.extend(given)
        return by_subject(given)

    index = tmp_path / "index"
    for name, expected in (("a", True), ("a", False), ("b", True)):
        texts.clear()
        knowledge = open_knowledge(index=index, embedder=Embedder(name=name, embed=embed))
        search(knowledge, "money", mode="semantic")
        assert (len(texts) > 1) == expected
        knowledge.close()


@pytest.mark.parametrize("made", [[], [[1.0], [1.0]], [[0.0, 0.0]], [[float("nan")]], ["x"], None, [[]]])
def test_an_embedder_that_fails_leaves_the_search_by_words(open_knowledge: Open, made: object) -> None:
    knowledge = open_knowledge(embedder=Embedder(name="broken", embed=lambda texts: made))  # type: ignore[arg-type, return-value]  # noqa: ARG005
    with pytest.raises(RefusalError, match="cannot be searched by meaning now"):
        search(knowledge, "refund")
    assert set(paths(knowledge, "refund", mode="keyword")) == {"refunds.md", "db.md"}


def test_a_document_is_described(knowledge: Knowledge) -> None:
    document = identifier(knowledge, "refunds.md", "refund")
    found = info(knowledge, document, include=["outline", "versions", "links"], outline_depth=2)
    assert (found.title, found.kind, found.created, found.updated) == (
        "Refunds", "policy", "2024-03-01T00:00:00Z", "2025-02-03T09:00:00Z",
    )  # fmt: skip
    assert found.author is not None
    assert (found.author.name, found.author.email) == ("Ada Lovelace", "ada@example.com")
    assert found.outline is not None
    (top,) = found.outline
    assert (top.title, [each.title for each in top.sections]) == ("Refunds", ["Limits"])
    assert top.sections[0].sections == []
    deep = info(knowledge, document, include=["outline"], outline_depth=3).outline
    assert deep is not None
    assert [each.title for each in deep[0].sections[0].sections] == ["Exceptions"]
    assert found.versions == [1]
    assert found.links == ["https://example.com/limits"]
    assert info(knowledge, document).outline is None
    with pytest.raises(RefusalError, match="There is no document doc_123456"):
        info(knowledge, "doc_123456")
    with pytest.raises(RefusalError, match=r"no version 2 of .* There are: 1"):
        info(knowledge, document, version=2)


def test_versions_count_contents(folders: dict[str, Path], open_knowledge: Open, tmp_path: Path) -> None:
    index = tmp_path / "index"
    knowledge = open_knowledge(index=index)
    document = identifier(knowledge, "web.md", "server")
    for number in range(2, 25):
        (folders["incidents"] / "web.md").write_text(f"# Outage {number}\n\nserver {'x' * number}")
        if number == 12:  # also seen at the start of another process
            knowledge.close()
            knowledge = open_knowledge(index=index)
        assert knowledge.refresh() == 1
        assert knowledge.refresh() == 0
    found = info(knowledge, document, include=["versions"])
    assert found.versions == list(range(5, 25))
    assert found.title == "Outage 24"
    assert info(knowledge, document, version=7).title == "Outage 7"
    assert paths(knowledge, "xxxxxxx") == []
    assert paths(knowledge, "x" * 24) == ["web.md"]


def test_changes_of_all_kinds_are_seen(folders: dict[str, Path], knowledge: Knowledge) -> None:
    box = folders["handbook"]
    before = identifier(knowledge, "notes.txt", "coffee")
    write(box, {"new/deep/a.md": "zebra"})
    assert knowledge.refresh() == 1
    assert paths(knowledge, "zebra") == ["new/deep/a.md"]
    (box / "new").rename(box / "renamed")
    assert knowledge.refresh() == 2
    assert paths(knowledge, "zebra") == ["renamed/deep/a.md"]
    (box / "renamed/deep/a.md").unlink()
    assert knowledge.refresh() == 1
    assert paths(knowledge, "zebra") == []
    # The same size, and a time in the past.
    status = (box / "notes.txt").stat()
    (box / "notes.txt").write_text((box / "notes.txt").read_text().replace("coffee", "cocoa!"))
    os.utime(box / "notes.txt", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert knowledge.refresh() == 1
    assert identifier(knowledge, "notes.txt", "cocoa") == before
    os.utime(box / "notes.txt")
    assert knowledge.refresh() == 0


def test_unchanged_files_are_not_read(folders: dict[str, Path], tmp_path: Path) -> None:
    index = tmp_path / "index"
    later = time.time() + 60
    for _ in range(2):
        knowledge = Knowledge(folders, index=index, watch=False, clock=lambda: later)
        knowledge.refresh()
        knowledge.close()
    for folder in folders.values():
        for path in folder.rglob("*"):
            if path.is_file():
                status = path.stat()
                path.write_bytes(b"\xff" * status.st_size)  # unreadable, if it were read
                os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    knowledge = Knowledge(folders, index=index, watch=False, clock=lambda: later)
    assert knowledge.refresh() == 0
    assert paths(knowledge, "coffee") == ["notes.txt"]
    knowledge.close()


def test_two_programs_share_an_index(folders: dict[str, Path], tmp_path: Path) -> None:
    index = tmp_path / "index"
    programs = [Knowledge(folders, index=index, watch=False) for _ in range(2)]
    with ThreadPoolExecutor(4) as pool:
        for number in range(4):
            write(folders["handbook"], {"notes.txt": f"coffee {number}", f"new{number}.md": f"zebra{number}"})
            for changes in [pool.submit(program.refresh) for program in programs * 2]:
                changes.result()
            for program in programs:
                assert paths(program, f"zebra{number}") == [f"new{number}.md"]
    document = identifier(programs[0], "notes.txt", "coffee")
    assert info(programs[1], document, include=["versions"]).versions == [1, 2, 3, 4]
    for program in programs:
        program.close()


def test_a_collection_that_is_gone_is_forgotten(folders: dict[str, Path], tmp_path: Path) -> None:
    index = tmp_path / "index"
    with closing(Knowledge(folders, index=index, watch=False)) as knowledge:
        assert len(paths(knowledge, "refund")) == 2
    with closing(Knowledge({"handbook": folders["handbook"]}, index=index, watch=False)) as knowledge:
        assert paths(knowledge, "refund") == ["refunds.md"]
        with knowledge._index.database.read() as connection:
            tables = ("documents", "files", "passages", "words", "versions")
            counts = [connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables]
        assert counts[0] == counts[1] == counts[4] == 4
        assert counts[2] == counts[3]


def test_what_is_not_read_is_listed(folders: dict[str, Path], open_knowledge: Open) -> None:
    box = folders["handbook"]
    (box / "a.pdf").write_bytes(b"%PDF")
    (box / "b.md").write_bytes(b"\xff\xfe\xff")
    (box / "c.txt").write_bytes(b"a\0b")
    (box / "d.html").write_bytes(b"")
    (box / "e.txt").write_bytes(b"word " * 1000)
    (box / "f.bin").write_bytes(b"word")
    (box / ".hidden.md").write_text("word")
    (box / ".git").mkdir()
    (box / ".git" / "x.md").write_text("word")
    (box / "utf16.txt").write_text("sechzehn", "utf-16")
    knowledge = open_knowledge(max_bytes=4000)
    assert paths(knowledge, "word") == []
    assert paths(knowledge, "sechzehn") == ["utf16.txt"]
    assert {path: reason for (_, path), reason in knowledge.skipped().items()} == {
        "a.pdf": "pdf files are not read",
        "b.md": "It is no text in UTF-8.",
        "c.txt": "It is no text: it has zero bytes.",
        "d.html": "It is not read as HTML: ParserError.",
        "e.txt": "It has more than 4000 bytes.",
    }
    (box / "c.txt").write_text("mended")
    knowledge.refresh()
    assert paths(knowledge, "mended") == ["c.txt"]


def test_a_larger_limit_reads_what_was_skipped(folders: dict[str, Path], tmp_path: Path) -> None:
    index = tmp_path / "index"
    later = time.time() + 60
    (folders["handbook"] / "e.txt").write_bytes(b"word " * 1000)
    for limit, expected in ((4000, []), (5000, ["e.txt"]), (4000, [])):
        with closing(
            Knowledge(folders, index=index, watch=False, max_bytes=limit, clock=lambda: later)
        ) as opened:
            assert paths(opened, "word") == expected


def test_the_watch_follows_changes(folders: dict[str, Path]) -> None:
    # The index lies in a watched folder: its own changes cause no others.
    knowledge = Knowledge(folders, index=folders["handbook"] / "index")
    assert paths(knowledge, "zebra") == []
    write(folders["handbook"], {"deep/new.md": "zebra"})
    deadline = time.monotonic() + 60
    while paths(knowledge, "zebra") != ["deep/new.md"]:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    (folders["handbook"] / "deep/new.md").unlink()
    while paths(knowledge, "zebra"):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    watcher = knowledge._watcher
    assert watcher is not None
    knowledge.close()
    knowledge.close()
    assert not watcher.is_alive()
    with pytest.raises(RefusalError, match="is closed"):
        paths(knowledge, "zebra")


def test_a_watch_that_cannot_begin_is_begun_by_the_next_call(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    class NoDescriptor(MetaPathFinder):
        def find_spec(self, name: str, *_: object) -> None:
            if name == "watchfiles":
                raise OSError(errno.EMFILE, "Too many open files", "/a/path/of/the/program")

    knowledge = Knowledge(folders)
    with monkeypatch.context() as patch:
        for name in [each for each in sys.modules if each.partition(".")[0] == "watchfiles"]:
            patch.delitem(sys.modules, name)
        patch.setattr(sys, "meta_path", [NoDescriptor(), *sys.meta_path])
        with pytest.raises(RefusalError, match="cannot be followed") as refused:
            paths(knowledge, "coffee")
    assert "Too many open files" in str(refused.value)
    assert "/a/path" not in str(refused.value)
    assert paths(knowledge, "zebra") == []
    write(folders["handbook"], {"new.md": "zebra"})
    deadline = time.monotonic() + 60
    while paths(knowledge, "zebra") != ["new.md"]:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    knowledge.close()


def test_results_fit_the_contracts(knowledge: Knowledge) -> None:
    registry = ToolRegistry()
    registry.register(KNOWLEDGE_SEARCH, knowledge.knowledge_search)
    registry.register(GET_DOCUMENT_INFO, knowledge.get_document_info)
    found = registry.execute_sync("knowledge_search", {"query": "refund outage coffee leave"})
    assert found.success, found
    for passage in found.data["passages"] if isinstance(found.data, dict) else found.data.passages:
        document = passage["document_id"] if isinstance(passage, dict) else passage.document_id
        include = ["outline", "versions", "links"]
        result = registry.execute_sync("get_document_info", {"document_id": document, "include": include})
        assert result.success, result


def test_a_query_without_words_is_refused(knowledge: Knowledge) -> None:
    with pytest.raises(RefusalError, match="no word to look for"):
        search(knowledge, "???")


def test_a_folder_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is no folder"):
        Knowledge({"a": tmp_path / "missing"})
    with pytest.raises(ValueError, match="at least 1"):
        Knowledge({}, max_bytes=0)
    with closing(Knowledge({})) as empty, pytest.raises(RefusalError, match="There are: none"):
        search(empty, "x", collections=["a"])
