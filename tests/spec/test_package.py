"""The room's front door."""

import ast
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest
import toolcast.spec as package


def test_every_public_name_is_there() -> None:
    """What type checkers see and what is loaded on demand are the same names."""
    source = Path(str(package.__file__)).read_text(encoding="utf-8")
    imported = {
        (node.module, alias.name)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and node.level
        for alias in node.names
    }
    assert imported == {(module, name) for name, module in package._MODULES.items()}
    for _, name in imported:
        assert getattr(package, name) is not None
        assert name in dir(package)


def test_no_public_name_is_hidden_by_a_module() -> None:
    modules = {found.name for found in pkgutil.iter_modules(package.__path__)}
    assert not modules & set(package._MODULES)


def test_unknown_name() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        _ = package.nothing


def test_types_load_no_reader() -> None:
    program = (
        "import sys, toolcast.spec.model\n"
        "loaded = {name for name in sys.modules if name.startswith('toolcast.spec.')}\n"
        "assert loaded == {'toolcast.spec.model'}, loaded\n"
    )
    source = Path(__file__).parents[2] / "codegen"
    subprocess.run([sys.executable, "-c", program], check=True, env={**os.environ, "PYTHONPATH": str(source)})
