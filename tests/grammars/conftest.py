"""The engines that grammars are asked of."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import llguidance
import pytest

from tests.grammars import llama_engine, xgrammar_engine
from tests.grammars.engine import Engine


@pytest.fixture(scope="session")
def engine() -> Engine:
    return Engine(llguidance)


@pytest.fixture(scope="session")
def engines(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The engines that are installed, by the syntax of their grammars: llguidance always, the others after
    `make engines`."""
    found: dict[str, Any] = {"llguidance": engine}
    folder: Path = tmp_path_factory.mktemp("llama")
    for name, load in (
        ("xgrammar", lambda: xgrammar_engine.XEngine(xgrammar_engine.load())),
        ("gbnf", lambda: llama_engine.load(folder)),
    ):
        with suppress(ImportError):
            found[name] = load()
    if "xgrammar" in found:
        found["xgrammar-tag"] = found["xgrammar"]
    return found
