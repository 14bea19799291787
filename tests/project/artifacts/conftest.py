"""Projects that share a cache."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import toolcast.project.state.fingerprint as fingerprint_module
from toolcast.config import Config

from tests.project.artifacts.server import Server, serving
from tests.project.fake import project

SPECS = {
    "a.yaml": "loss: pattern\nloss: maximum",
    "b/c.yaml": "uses: _types/t.yaml\n2",
    "b/odd.yaml": "odd\nname: strange",
    "_types/t.yaml": "t",
}

Checkout = Callable[..., Config]


@pytest.fixture(autouse=True)
def own_generator(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A generator whose source nobody edits meanwhile; no cache from outside."""
    source = tmp_path_factory.mktemp("generator")
    (source / "made_up.py").write_text("1\n")
    monkeypatch.setattr(fingerprint_module, "PACKAGE", source)
    monkeypatch.setattr(fingerprint_module, "templates_dir", lambda: source)
    for name in ("TOOLCAST_CACHE", "TOOLCAST_CACHE_AUTH", "TOOLCAST_CACHE_WRITE"):
        monkeypatch.delenv(name, raising=False)
    return source


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """Make a checkout of one project; `cache` is a folder or a URL."""

    def make(name: str, cache: str | Path, specs: dict[str, str] | None = None, more: str = "") -> Config:
        return project(tmp_path / name, specs or SPECS, f"cache = '{cache}'\n{more}")

    return make
