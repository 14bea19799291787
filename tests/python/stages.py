"""One spec, through the stages up to its module's text."""

import ast
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module, invalidate_caches
from pathlib import Path
from types import ModuleType
from typing import Any

from toolcast.contract.build import build_tool
from toolcast.languages.python.bindings.render_module import tool_text
from toolcast.languages.python.bindings.templates import Templates
from toolcast.languages.python.structs.module import tool_module
from toolcast.project.core.compiled import Compiled, Options
from toolcast.project.core.compiler import compile_package, compile_tool, tool_names
from toolcast.spec.load import load_tool
from toolcast.spec.tool_spec import ToolSpec

OPTIONS = Options(providers=("mcp",))
TEMPLATES = Templates()


def spec(folder: Path, text: str, name: str = "tool.json") -> ToolSpec:
    """The tool that `text` describes. Fails on any problem."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(text.encode())
    tool, problems = load_tool(folder, name, shown_root="specs", known_providers=frozenset({"mcp"}))
    assert tool is not None, problems
    return tool


def tool(folder: Path, parameters: dict[str, Any], **more: Any) -> ToolSpec:
    head = {"description": "A tool.", "permission": "read", "secrets": []}
    return spec(folder, json.dumps({**head, "parameters": parameters, **more}))


def compiled(tool: ToolSpec) -> Compiled:
    outcome = compile_tool(tool, {}, OPTIONS)
    assert outcome.files, outcome.diagnostics
    return outcome


def rendered(tool: ToolSpec) -> str:
    """The module as the template prints it, before anything shapes it."""
    built = build_tool(tool, {})
    assert built.contract is not None, built.diagnostics
    names = tool_names(tool)
    module, roots = tool_module(built, name=tool.name, module=names.module)
    return tool_text(tool, names, module, roots, TEMPLATES)


def python(outcome: Compiled) -> str:
    assert outcome.entry is not None
    return outcome.files[outcome.entry.module.replace(".", "/") + ".py"].decode()


class _Blank(ast.NodeTransformer):
    """Literals without their text; a quoted annotation counts as what it quotes."""

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        return ast.Constant(value="") if isinstance(node.value, str) else node


def skeleton(source: str) -> str:
    """The structure of a module: its syntax tree with every string blank."""
    return ast.dump(_Blank().visit(ast.parse(source)))


@contextmanager
def package(files: dict[str, bytes], folder: Path, name: str) -> Iterator[ModuleType]:
    """Write a generated package and import its registry; forget it afterwards."""
    root = folder / name
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    sys.path.insert(0, str(folder))
    invalidate_caches()
    try:
        yield import_module(f"{name}.registry")
    finally:
        sys.path.remove(str(folder))
        for module in [m for m in sys.modules if m == name or m.startswith(name + ".")]:
            del sys.modules[module]


def whole(outcome: Compiled) -> dict[str, bytes]:
    """The files of a package with this one tool."""
    assert outcome.entry is not None
    folders = ["", *({outcome.entry.group} - {""})]
    entries = [outcome.entry]
    return {
        **outcome.files,
        **compile_package(entries, folders, OPTIONS),
    }
