"""Code that touches all that a generated module offers, and mypy's verdict on it in another state."""

import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from toolcast.analysis.diff.audiences.code import EmittedCode, emitted
from toolcast.analysis.diff.pairs import PairSide
from toolcast.languages.python.structs.module_model import AliasDefinition, ClassDefinition

from tests.diff.audience_pairs import side
from tests.python.compiled import compile_files

HEAD = """\
import datetime
import decimal
import uuid
from typing import Annotated, Any, Literal

from msgspec import Meta, UnsetType
from toolcast.runtime import ToolContext, ToolRegistry, ToolResult
"""
_WORD = re.compile(r"\b[A-Za-z_]\w*\b")
_LITERAL = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')""")


class State:
    """The specs of one state: of one tool, at a path, with the shared types that it uses."""

    def __init__(
        self, tool: Mapping[str, Any], path: str = "find.json", types: Mapping[str, Any] | None = None
    ) -> None:
        self.tool = tool
        self.path = path
        self.types = types or {}
        self.side = side(tool, path, self.types)

    def write(self, folder: Path) -> None:
        files, _, _ = compile_files({self.path: self.tool}, self.types)
        for path, data in files.items():
            if path.endswith(".py"):
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_bytes(data)


def of_side(side: PairSide | None) -> State:
    assert side is not None
    return State(side.tool.document.data, side.tool.path.rpartition("/")[2])


def touching(state: State, package: str) -> str:
    """A module that reads and writes every field of every class, and registers a handler."""
    code = emitted(state.side)
    lines = [HEAD]
    classes = {name: each for name, each in code.definitions.items() if isinstance(each, ClassDefinition)}
    for module, name in classes:
        lines.append(f"from {package}.{'.'.join(module)} import {name}")
    own = ".".join(code.names.module)
    lines.append(f"from {package}.{own} import {code.names.constant}, {code.names.handler}")
    for number, ((module, name), each) in enumerate(classes.items()):
        lines += _class(number, name, each, lambda text, module=module: _expanded(code, module, text))  # type: ignore[misc]
    result = code.roots.result
    returned = "str | None" if result == "None" else _expanded(code, code.names.module, result)
    lines += [
        f"def run(params: {code.roots.params}, context: ToolContext) -> {returned} | ToolResult:",
        "    raise NotImplementedError",
        f"handler: {code.names.handler} = run",
        f"ToolRegistry().register({code.names.constant}, run)",
        f"decoded: {code.roots.params} = {code.names.constant}.decode(b'')",
    ]
    return "\n".join(lines) + "\n"


def _class(number: int, name: str, each: ClassDefinition, expanded: Any) -> list[str]:
    lines = [f"def read_{number}(value: {name}) -> None:", "    pass"]
    for index, line in enumerate(each.fields):
        lines.append(f"    field_{index}: {expanded(line.annotation)} = value.{line.name}")
    arguments = "".join(f", {line.name}: {expanded(line.annotation)}" for line in each.fields)
    passed = ", ".join(f"{line.name}={line.name}" for line in each.fields)
    required = [line for line in each.fields if not _has_default(line.value)]
    least = ", ".join(f"{line.name}={line.name}" for line in required)
    lines += [f"def write_{number}({arguments.lstrip(', ')}) -> {name}:", f"    return {name}({passed})"]
    lines += [f"def least_{number}({arguments.lstrip(', ')}) -> {name}:", f"    return {name}({least})"]
    return lines


def _has_default(value: str) -> bool:
    return bool(value) and not re.match(r"msgspec\.field\(name=", value)


def _expanded(code: EmittedCode, module: tuple[str, ...], text: str) -> str:
    """An annotation in which aliases are what they stand for: the code was written against the old ones."""
    if text[:1] in "\"'":
        text = text[1:-1]
    parts = _LITERAL.split(text)
    for index in range(0, len(parts), 2):
        parts[index] = _WORD.sub(lambda word: _spelt(code, module, word[0]), parts[index])
    return "".join(parts)


def _spelt(code: EmittedCode, module: tuple[str, ...], name: str) -> str:
    home = code.home(module, name)
    definition = code.definitions.get(home)
    return (
        f"({_expanded(code, home[0], definition.text)})" if isinstance(definition, AliasDefinition) else name
    )


def type_checked(folder: Path, pairs: Sequence[tuple[State, State]]) -> list[list[str]]:
    """What mypy finds, for each pair, in code that was written against the old state, in the new one.

    The same code is checked against the old state, too: there it has to be right.
    """
    for number, (old, new) in enumerate(pairs):
        for name, state in ((f"same{number}", old), (f"other{number}", new)):
            state.write(folder / name)
            (folder / f"use_{name}.py").write_text(touching(old, name), encoding="utf-8")
    config = folder / "mypy.ini"
    settings = f"[mypy]\nstrict = True\nmypy_path = {folder}\ncache_dir = {folder}/cache\n"
    config.write_text(settings, encoding="utf-8")
    files = map(str, sorted(folder.glob("use_*.py")))
    command = [sys.executable, "-m", "mypy", "--config-file", str(config), *files]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found: dict[str, list[str]] = {}
    for line in done.stdout.splitlines():
        file, _, message = line.partition(":")
        if ": error:" in message:
            found.setdefault(Path(file).stem, []).append(message)
    for number in range(len(pairs)):
        assert f"use_same{number}" not in found, (pairs[number][0].tool, found[f"use_same{number}"])
    return [found.get(f"use_other{number}", []) for number in range(len(pairs))]
