"""Importing the runtime is cheap, and importing a package of tools imports none of them."""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.helpers import python

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("asyncio", "logging", "dataclasses", "concurrent.futures", "importlib.resources", "json", "pathlib")


def test_nothing_heavy_nothing_foreign_and_nothing_of_the_compiler() -> None:
    code = (
        "import sys, msgspec; before = set(sys.modules); import toolcast.runtime; "
        "print(*set(sys.modules) - before)"
    )
    loaded = set(python(code).split())
    assert not set(HEAVY) & loaded
    assert {name.partition(".")[0] for name in loaded} - set(sys.stdlib_module_names) == {"toolcast"}
    ours = {name for name in loaded if name.startswith("toolcast.")}
    assert {name.split(".")[1] for name in ours} == {
        "jsonschema", "lazy_exports", "output_layout", "permissions", "runtime", "version",
    }  # fmt: skip
    assert not {name for name in ours if "wire" in name}


def test_bindings_are_imported_when_asked_for() -> None:
    code = (
        "import sys; from tests.runtime.sample.registry import BINDINGS as b\n"
        "import_of = 'tests.runtime.sample.{}'.format\n"
        "tools = lambda: [m for m in ('files.edit', 'misc.note') if import_of(m) in sys.modules]; "
        "print(list(b), len(b), 'edit' in b, 'gone' in b, tools()); b['edit']; print(tools())"
    )
    first, second = python(code).splitlines()
    assert first == "['edit', 'note', 'shapes'] 3 True False []"
    assert second == "['files.edit']"


def test_an_unknown_binding_is_a_key_error() -> None:
    from tests.runtime.sample.registry import BINDINGS

    with pytest.raises(KeyError):
        BINDINGS["gone"]
    assert BINDINGS["edit"] is BINDINGS["edit"]
    assert sorted(binding.name for binding in BINDINGS.values()) == sorted(BINDINGS)


def test_what_stands_around_calls_is_imported_when_asked_for() -> None:
    code = (
        "import sys, asyncio; from toolcast.runtime import ToolRegistry as R; "
        "from tests.runtime.sample.files.edit import EDIT\n"
        "loaded = lambda: [n for n in ('secrets', 'policy') "
        "if f'toolcast.runtime.middleware.{n}' in sys.modules]\n"
        "r = R(); r.register(EDIT, lambda params, context: 'ok')\n"
        "asyncio.run(r.execute('edit', {})); print(loaded()); R(secrets=lambda name: name); print(loaded())\n"
        "from toolcast.runtime.middleware import policy, secrets\n"
        "print(sorted({m.partition('.')[0] for m in sys.modules} - set(sys.stdlib_module_names)))"
    )
    lines = python(code).splitlines()
    # msgspec tries typing_extensions itself, where it happens to be installed.
    assert lines[:2] == ["[]", "['secrets']"]
    foreign = set(ast.literal_eval(lines[2])) - {"tests", "toolcast", "msgspec", "typing_extensions"}
    assert not {name for name in foreign if not name.startswith("_")}


def test_no_module_imports_itself() -> None:
    """No circle, not even by an import in a function or one for type checkers."""
    root = ROOT / "codegen" / "toolcast" / "runtime"
    files = {".".join(file.relative_to(root).with_suffix("").parts): file for file in root.rglob("*.py")}
    needs = {name: _needed(name, file) & files.keys() - {name} for name, file in files.items()}
    assert "middleware.guard" in needs["executor"]
    # What a package offers is for others: the package's own modules do not import it.
    del needs["__init__"]
    tuple(TopologicalSorter(needs).static_order())


def test_no_package_imports_one_that_imports_it() -> None:
    """Imports follow the way of one spec and never go back, not even by an import in a function."""
    root = ROOT / "codegen" / "toolcast"
    needs: dict[str, set[str]] = {}
    for file in root.rglob("*.py"):
        name = ".".join(file.relative_to(root).with_suffix("").parts)
        package = name.partition(".")[0]
        below = {each.partition(".")[0] for each in _needed(name, file)}
        # A registry writes grammars with its tools' contracts, which come after it.
        after = {"text_formats"} if name == "runtime.view" else set()
        needs.setdefault(package, set()).update(below - after)
    assert "jsonschema" in needs["runtime"]
    del needs["__init__"], needs["__main__"]
    tuple(TopologicalSorter({name: above - {name} for name, above in needs.items()}).static_order())


@cache
def _relative_imports(file: Path) -> tuple[ast.ImportFrom, ...]:
    found = _statements(ast.parse(file.read_text("utf-8")))
    return tuple(node for node in found if isinstance(node, ast.ImportFrom) and node.level)


def _statements(node: Any) -> Iterator[ast.stmt]:
    """The statements below a node. Expressions, most of a tree, have none."""
    for part in ("body", "orelse", "finalbody", "handlers", "cases"):
        for inner in getattr(node, part, ()):
            if isinstance(inner, ast.stmt):
                yield inner
            yield from _statements(inner)


def _needed(name: str, file: Path) -> set[str]:
    package = name.split(".")[:-1]
    found: set[str] = set()
    for node in _relative_imports(file):
        if node.level <= len(package) + 1:
            above = package[: len(package) - node.level + 1]
            module = [*above, *(node.module.split(".") if node.module else [])]
            if node.module:
                found.update(".".join(module + tail) for tail in ([], ["__init__"]))
            found.update(".".join([*module, alias.name]) for alias in node.names)
    return found
