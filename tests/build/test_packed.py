"""What is kept packed, or made in pieces, against the plain way to do it."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from toolcast.build.core import compile as compile_module
from toolcast.build.core.compile import NO_LOSSES, ToolEntry, compile_ledger, losses_text, pretty
from toolcast.build.hand import pack_outcomes, unpack_outcomes
from toolcast.build.output.content import Files, held_files
from toolcast.build.spill import Spill
from toolcast.build.state import cache as cache_module
from toolcast.build.state.cache import Cache, Unit, load_cache, save_cache
from toolcast.build.workers import Outcome
from toolcast.diagnostics import Diagnostic
from toolcast.providers import LedgerEntry

FILES = st.dictionaries(st.text("ab/é", min_size=1), st.binary(max_size=9), max_size=4)


def entry(name: str, ledger: str) -> ToolEntry:
    return ToolEntry(
        path=f"{name}.yaml",
        name=name,
        group="",
        module=name,
        constant=name,
        keyword=name,
        params="P",
        handler="H",
        ledger=ledger,
    )


def loss(reason: str) -> LedgerEntry:
    return LedgerEntry(path="/a", keyword="not", action="dropped", severity="lost", reason=reason)


ENTRIES = st.dictionaries(
    st.text("abé", min_size=1),
    st.one_of(st.just(NO_LOSSES), st.text(max_size=5).map(lambda text: losses_text({"x": (loss(text),)}))),
    max_size=7,
).map(lambda made: [entry(name, ledger) for name, ledger in made.items()])


@given(ENTRIES)
def test_the_ledger_is_what_it_would_be_in_one_piece(entries: list[ToolEntry]) -> None:
    whole = {
        each.name: msgspec.Raw(each.ledger.encode())
        for each in sorted(entries, key=lambda each: each.name)
        if each.ledger != NO_LOSSES
    }
    losses = [(each.name, each.ledger) for each in entries]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compile_module, "_BATCH", 2)
        assert compile_ledger(losses) == {"ledger.json": pretty(whole)}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(FILES, max_size=3))
def test_stored_files_hold_what_they_were_given(tmp_path: Path, several: list[dict[str, bytes]]) -> None:
    folder = tmp_path / str(sum(1 for _ in tmp_path.iterdir()))
    folder.mkdir()
    spill = Spill(str(folder))
    kept: list[Files] = [spill.keep(files) for files in several]
    spill.close()
    for files, stored in zip(several, kept, strict=True):
        assert stored.contents() == held_files(files).contents()
        assert list(stored.contents()) == list(files)
        for content, held in zip(stored.contents().values(), files.values(), strict=True):
            assert (content.read(), content.size) == (held, len(held))


TEXT = st.text(st.characters(), max_size=5)  # halves of characters, too
OUTCOMES = st.builds(
    Outcome,
    path=TEXT,
    files=FILES.map(held_files),
    diagnostics=st.lists(st.builds(Diagnostic, file=TEXT, code=TEXT, message=TEXT), max_size=2).map(tuple),
    uses=st.lists(TEXT, max_size=2).map(tuple),
    entry=st.one_of(st.none(), st.builds(entry, TEXT, TEXT)),
)


@given(st.lists(OUTCOMES, max_size=3))
def test_outcomes_arrive_as_they_were_sent(outcomes: list[Outcome]) -> None:
    assert unpack_outcomes(pack_outcomes(outcomes)) == outcomes


@pytest.mark.parametrize("count", range(6))
def test_a_cache_is_loaded_as_it_was_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    monkeypatch.setattr(cache_module, "_BATCH", 2)
    units = {f'u{n}"units":{{}}': Unit(fingerprint="f", outputs={f"{n}": "d"}) for n in range(count)}
    cache = Cache(units=units, sources={"a": '"units":{}'}, manifest="m")
    save_cache(tmp_path, cache)
    assert load_cache(tmp_path) == cache
    assert (tmp_path / "cache.json").read_bytes() == msgspec.json.encode(cache)
