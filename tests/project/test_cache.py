"""The ledger is made in pieces; the cache is loaded as it was saved."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.project.core import compiled as compiled_module
from toolcast.project.core.compiled import NO_LOSSES, ToolEntry, ledger_file, losses_text, pretty
from toolcast.project.state.cache import Cache, Unit, load_cache, save_cache
from toolcast.providers import LedgerEntry


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
        patch.setattr(compiled_module, "_BATCH", 2)
        assert ledger_file(losses) == pretty(whole)


@pytest.mark.parametrize("count", range(3))
def test_a_cache_is_loaded_as_it_was_saved(tmp_path: Path, count: int) -> None:
    units = {f"u{n}": Unit(fingerprint="f", outputs={f"{n}": "d"}) for n in range(count)}
    cache = Cache(units=units, sources={"a": "b"}, setting={"c": "d"})
    save_cache(tmp_path, cache)
    assert load_cache(tmp_path) == cache
