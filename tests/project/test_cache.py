"""The cache is loaded as it was saved."""

from pathlib import Path

import pytest
from toolcast.project.state.cache import Cache, Unit, load_cache, save_cache


@pytest.mark.parametrize("count", range(3))
def test_a_cache_is_loaded_as_it_was_saved(tmp_path: Path, count: int) -> None:
    units = {f"u{n}": Unit(fingerprint="f", outputs={f"{n}": "d"}) for n in range(count)}
    cache = Cache(units=units, sources={"a": "b"}, kit="c")
    save_cache(tmp_path, cache)
    assert load_cache(tmp_path) == cache
