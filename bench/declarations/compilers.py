"""What `tsc --strict` and pyright say of declarations and of calls."""

from __future__ import annotations

import json
import keyword
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from toolcast.runtime.declaration_text.names import Language
from toolcast.runtime.declarations import declare, function_names

from ..declared_view import DeclaredView
from .real_tools import Call, Tool, python_names
from .token_counts import TOOLS

_OPTIONS = ("--strict", "--noEmit", "--pretty", "false", "--lib", "es2022")
_SETTINGS = {
    "typeCheckingMode": "strict",
    "pythonVersion": "3.13",
    "reportMissingModuleSource": False,
    "reportUnusedImport": False,
    "reportUnknownArgumentType": False,
    "reportUnknownMemberType": False,
}
_SECONDS = 900
"""After which a compiler counts as hung."""


def judged(calls: Sequence[Call], tools: Sequence[Tool], language: Language, folder: Path) -> dict[int, str]:
    """Compile declarations and calls; the first message about each refused call, by its index.

    Raises ValueError where the declarations themselves are refused.
    """
    view = DeclaredView([one.binding for one in tools])
    functions = {tool: name for name, tool in function_names(view, language).items()}
    text = declare(view, language)
    if language == "typescript":
        return _tsc(calls, text, functions, folder)
    return _pyright(calls, text, functions, folder)


def _tsc(calls: Sequence[Call], text: str, functions: Mapping[str, str], folder: Path) -> dict[int, str]:
    (folder / "tools.d.ts").write_text(text, encoding="utf-8")
    lines = []
    for call in calls:
        empty = not call.arguments
        function = functions[call.tool.name]
        lines.append(f"{function}({'' if empty and _takes_none(call.tool) else json.dumps(call.arguments)});")
    (folder / "calls.ts").write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = subprocess.run(
        [str(TOOLS / ".bin" / "tsc"), *_OPTIONS, "tools.d.ts", "calls.ts"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    found: dict[int, str] = {}
    for line in done.stdout.splitlines():
        match = re.match(r"(\S+)\((\d+),\d+\): error (.*)", line)
        if match and match[1] == "calls.ts":
            found.setdefault(int(match[2]) - 1, match[3])
        elif match:
            raise ValueError(f"tsc refuses a declaration: {line}")
    return found


def _takes_none(tool: Tool) -> bool:
    schema = tool.normalized["typescript"].schema
    return not schema.get("properties") and schema.get("additionalProperties") is False


def _pyright(calls: Sequence[Call], text: str, functions: Mapping[str, str], folder: Path) -> dict[int, str]:
    head, *modules = re.split(r"^# module ", text, flags=re.MULTILINE)
    names = []
    for module in modules:
        name, _, body = module.partition("\n")
        (folder / f"{name}.pyi").write_text(head + body, encoding="utf-8")
        names.append(name)
    lines = [f"import {name}" for name in names]
    places: dict[int, int] = {}
    for index, call in enumerate(calls):
        # Declared are ASCII identifiers; any other key is as good as one that is not declared.
        arguments = {
            name if _is_plain(name) else f"undeclared_{i}": value
            for i, (name, value) in enumerate(_renamed(call.arguments, python_names(call.tool)).items())
        }
        written = ", ".join(f"{name}={_python(value)}" for name, value in arguments.items())
        lines.append(f"async def call_{index}() -> None: await {functions[call.tool.name]}({written})")
        places[len(lines)] = index
    (folder / "calls.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "pyrightconfig.json").write_text(json.dumps(_SETTINGS), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, "-p", str(folder)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    found: dict[int, str] = {}
    for problem in json.loads(done.stdout)["generalDiagnostics"]:
        line = problem["range"]["start"]["line"] + 1
        if problem["severity"] != "error":
            continue
        if Path(problem["file"]).name != "calls.py" or line not in places:
            raise ValueError(f"pyright refuses a declaration: {problem['file']}:{line}: {problem['message']}")
        found.setdefault(places[line], problem["message"].replace("\n", " "))
    return found


def _is_plain(name: str) -> bool:
    return name.isascii() and name.isidentifier() and not keyword.iskeyword(name)


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {names.get(key, key): _renamed(item, names) for key, item in value.items()}
    return [_renamed(item, names) for item in value] if isinstance(value, list) else value


def _python(value: Any) -> str:
    """A JSON value as Python writes it; an integer in floating point is an integer."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {_python(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_python, value)) + "]"
    return repr(int(value) if isinstance(value, float) and value.is_integer() else value)
