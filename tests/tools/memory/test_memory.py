"""What is stored is recalled: by words in any script, by its tags, importance and owner, until it expires."""

from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime import RefusalError
from toolcast_tools.generated.memory.memory_recall import MemoryRecallParams
from toolcast_tools.generated.memory.memory_store import MemoryStoreSource
from toolcast_tools.memory import Memory
from toolcast_tools.memory.memory import match_scores

from tests.tools.memory.calls import Clock, context, recall, scores, store


def test_a_statement_is_recalled_by_its_words(memory: Memory) -> None:
    store(memory, "The user prefers metric units.")
    store(memory, "Releases of Heron are cut on Tuesdays.")
    assert recall(memory, "Which units does the user prefer?") == [
        "The user prefers metric units.",
    ]
    assert recall(memory, "when is a RELEASE of heron cut") == ["Releases of Heron are cut on Tuesdays."]
    assert recall(memory, "colour") == []


@pytest.mark.parametrize(
    ("content", "query"),
    [
        ("用户喜欢公制单位。", "单位"),
        ("用户喜欢公制单位。", "喜"),
        ("ユーザーはコーヒーが好きです", "コーヒー"),
        ("사용자는 커피를 좋아한다", "사용자"),
        ("ผู้ใช้ชอบกาแฟ", "กาแฟ"),
        ("उपयोगकर्ता हिन्दी बोलता है", "हिन्दी"),
        ("Der Benutzer mag Café", "cafe"),
        ("Der Benutzer wohnt in der Hauptstraße", "Hauptstraße"),
        ("ＦＵＬＬ width", "full"),
        ("ﬁne ligature", "fine"),
        ("Пользователь живёт в Москве", "МОСКВЕ"),
        ("host db-2.example.com", "db-2"),
        ("snake_case_name", "snake_case_name"),
    ],
)
def test_any_script_is_found(memory: Memory, content: str, query: str) -> None:
    store(memory, content)
    store(memory, "something else entirely")
    assert recall(memory, query) == [content]


def test_neighbours_of_a_script_without_spaces_are_a_word_and_others_are_not(memory: Memory) -> None:
    store(memory, "公司位于单元楼")
    assert recall(memory, "单位") == []


def test_words_like_the_count_where_there_are_no_others(memory: Memory) -> None:
    store(memory, "To be or not to be.")
    store(memory, "The tea.")
    assert recall(memory, "the tea to be") == ["The tea."]
    assert recall(memory, "to be") == ["To be or not to be."]


def test_rare_words_decide(memory: Memory) -> None:
    for number in range(20):
        store(memory, f"The project has rule {number} on tests.")
    store(memory, "The database moved to db-2.")
    assert recall(memory, "the rule of the database", limit=1) == ["The database moved to db-2."]


def test_scores_are_shares(memory: Memory) -> None:
    store(memory, "alpha beta gamma")
    store(memory, "alpha beta")
    store(memory, "alpha")
    found = scores(memory, "alpha beta gamma")
    assert found["alpha beta gamma"] == 1
    assert 1 > found["alpha beta"] > found["alpha"] > 0


@given(
    st.lists(st.frozensets(st.integers(0, 20), max_size=21), min_size=1, max_size=8),
    st.integers(21, 50),
)
def test_a_text_with_more_of_the_words_never_scores_less(matches: list[frozenset[int]], total: int) -> None:
    found = match_scores(matches, total)
    assert found.keys() == set().union(*matches)
    assert all(0 < score <= 1 for score in found.values())
    for one in found:
        for other in found:
            words = [
                {number for number, match in enumerate(matches) if text in match} for text in (one, other)
            ]
            if words[0] <= words[1]:
                assert found[one] <= found[other] + 1e-9
    for text in found:
        if all(text in match for match in matches):
            assert found[text] == pytest.approx(1)


def test_equal_matches_are_ordered_by_importance_and_then_the_latest(memory: Memory, clock: Clock) -> None:
    store(memory, "tea in spring", importance=2)
    clock.now += 1
    store(memory, "tea in summer", importance=2)
    clock.now += 1
    store(memory, "tea in autumn", importance=5)
    clock.now += 1
    store(memory, "tea in winter", importance=1)
    assert recall(memory, "tea") == ["tea in autumn", "tea in summer", "tea in spring", "tea in winter"]
    assert recall(memory, "tea", limit=2) == ["tea in autumn", "tea in summer"]
    assert recall(memory, "tea", min_importance=3) == ["tea in autumn"]


def test_tags_narrow_the_search_and_are_found_as_words(memory: Memory) -> None:
    store(memory, "Use tabs.", tags=["style", "python"])
    store(memory, "Use spaces.", tags=["style"])
    assert recall(memory, "use", tags=["style", "python"]) == ["Use tabs."]
    assert recall(memory, "use", tags=["style"]) == ["Use tabs.", "Use spaces."]
    assert recall(memory, "use", tags=["sty"]) == []
    assert recall(memory, "python") == ["Use tabs."]


def test_what_was_stored_comes_back_whole(memory: Memory) -> None:
    source = MemoryStoreSource(kind="document", reference="/docs/a.md", quote='"quoted"\n')
    item = store(
        memory, "a\x00b 'quoted' \U0001f600", tags=["x"], importance=4, scope="project", source=source
    )
    (found,) = memory.memory_recall(
        MemoryRecallParams(query="quoted", scopes=["project"]), context()
    ).memories
    assert found.item == item
    assert item.content == "a\x00b 'quoted' \U0001f600"
    assert (item.scope, item.importance, item.tags) == ("project", 4, ["x"])
    assert item.source is not None
    assert (item.source.kind, item.source.reference, item.source.quote) == (
        "document", "/docs/a.md", '"quoted"\n',
    )  # fmt: skip
    assert item.created_at == "2027-01-15T08:00:00Z"


def test_a_replaced_memory_keeps_its_id_its_birth_and_its_date(memory: Memory, clock: Clock) -> None:
    first = store(memory, "The database is on db-1.", expires_at="2028-01-01T00:00:00+01:00")
    assert first.expires_at == "2027-12-31T23:00:00Z"
    clock.now += 60
    second = store(memory, "The database is on db-2.", id=first.id)
    assert (second.id, second.created_at, second.expires_at) == (first.id, first.created_at, first.expires_at)
    assert recall(memory, "database") == ["The database is on db-2."]
    assert recall(memory, "1") == []
    third = store(memory, "The database is on db-3.", id=first.id, expires_at=None)
    assert third.expires_at is None


def test_only_a_memory_that_is_there_is_replaced(memory: Memory) -> None:
    with pytest.raises(RefusalError, match="no memory mem_00000000"):
        store(memory, "x", id="mem_00000000")
    mine = store(memory, "y", scope="project")
    with pytest.raises(RefusalError, match="has scope project"):
        store(memory, "z", id=mine.id)
    assert recall(memory, "y z", scopes=["project", "user"]) == ["y"]


def test_a_memory_is_forgotten_at_its_time(memory: Memory, clock: Clock) -> None:
    store(memory, "until noon", expires_at="2027-01-15T08:00:10Z")
    clock.now += 9.5
    assert recall(memory, "noon") == ["until noon"]
    clock.now += 0.5
    assert recall(memory, "noon") == []
    store(memory, "later")
    with memory._database.read() as connection:
        assert connection.execute("SELECT count(*) FROM memories").fetchone() == (1,)
        assert connection.execute("SELECT count(*) FROM words").fetchone() == (1,)


def test_a_past_or_impossible_date_is_refused(memory: Memory) -> None:
    with pytest.raises(RefusalError, match="is past: it is 2027-01-15T08:00:00Z"):
        store(memory, "x", expires_at="2026-01-01T00:00:00Z")
    with pytest.raises(RefusalError, match="years 1 to 9999"):
        store(memory, "x", expires_at="9999-12-31T23:59:60Z")
    with pytest.raises(RefusalError, match="years 1 to 9999"):
        store(memory, "x", expires_at="9999-12-31T23:59:59-23:00")
    assert store(memory, "x", expires_at="2027-06-30t23:59:60z").expires_at == "2027-07-01T00:00:00Z"


def test_the_retention_is_for_new_memories_without_a_date(file: Path, clock: Clock) -> None:
    memory = Memory(file, retention=timedelta(days=1), clock=clock)
    assert store(memory, "a").expires_at == "2027-01-16T08:00:00Z"
    kept = store(memory, "b", expires_at=None)
    assert kept.expires_at is None
    assert store(memory, "c", id=kept.id).expires_at is None
    memory.close()


def test_owners_are_apart(memory: Memory) -> None:
    ada, grace = context(user="ada", project="p", session="s1"), context(user="grace", project="p")
    hers = store(memory, "likes tea, user", ada)
    store(memory, "likes tea, project", ada, scope="project")
    store(memory, "likes tea, session", ada, scope="session")
    everywhere = ["user", "project", "session"]
    assert len(recall(memory, "tea", ada, scopes=everywhere)) == 3
    assert recall(memory, "tea", grace) == ["likes tea, project"]
    assert recall(memory, "tea") == []
    with pytest.raises(RefusalError, match="There is no memory"):
        store(memory, "hates tea", grace, id=hers.id)
    assert recall(memory, "tea", ada, scopes=["user"]) == ["likes tea, user"]


def test_memories_of_a_session_end_with_it(memory: Memory, clock: Clock) -> None:
    one, other = context(session="1"), context(session="2")
    store(memory, "tea", one, scope="session")
    kept = store(memory, "coffee", other, scope="session", expires_at=None)
    assert kept.expires_at == "2027-01-22T08:00:00Z"
    assert memory.end_session("1") == 1
    assert recall(memory, "tea coffee", one, scopes=["session"]) == []
    assert recall(memory, "tea coffee", other, scopes=["session"]) == ["coffee"]
    clock.now += 7 * 86400
    assert recall(memory, "coffee", other, scopes=["session"]) == []
    for call in (store, recall):
        with pytest.raises(RefusalError, match="no sessions"):
            call(memory, "tea", **({"scope": "session"} if call is store else {"scopes": ["session"]}))


def test_a_full_memory_asks_to_replace(file: Path, clock: Clock) -> None:
    memory = Memory(file, max_memories=2, clock=clock)
    first = store(memory, "a")
    store(memory, "b", expires_at="2027-01-15T08:00:10Z")
    with pytest.raises(RefusalError, match="full: it has 2 statements"):
        store(memory, "c")
    store(memory, "c", id=first.id)
    store(memory, "another owner's", context(user="ada"))
    clock.now += 60
    store(memory, "d")
    memory.close()


def test_a_query_without_words_is_refused(memory: Memory) -> None:
    for query in ("???", '""', "\u0301", "* - ^"):
        with pytest.raises(RefusalError, match="no word to look for"):
            recall(memory, query)


def test_a_closed_memory_refuses_and_closes_twice(memory: Memory) -> None:
    memory.close()
    memory.close()
    with pytest.raises(RefusalError, match="The memory is closed"):
        store(memory, "x")


def test_bad_options_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="more than 0"):
        Memory(tmp_path / "m", max_memories=0)
    with pytest.raises(ValueError, match="more than 0"):
        Memory(tmp_path / "m", retention=timedelta(0))


def test_an_owner_that_is_no_text_is_a_fault_of_the_program(memory: Memory) -> None:
    with pytest.raises(TypeError, match="must be a text"):
        store(memory, "x", context(user=7))


@given(st.lists(st.tuples(st.text("xyz ", min_size=1, max_size=8), st.booleans()), max_size=12))
def test_recall_finds_what_a_list_of_the_statements_has(steps: list[tuple[str, bool]]) -> None:
    memory = Memory(None, clock=Clock())
    model: dict[str, str] = {}
    for content, replaces in steps:
        identifier = sorted(model)[0] if replaces and model else None
        item = store(memory, content, **({} if identifier is None else {"id": identifier}))
        model[item.id] = content
    for query in ("x", "y", "xy", "xyz x"):
        expected = [text for text in model.values() if set(text.split()) & set(query.split())]
        assert sorted(recall(memory, query, limit=100)) == sorted(expected)
    memory.close()
