"""Compile tools into a folder, each with one union. A program, for the compiler builds each decoder."""

import json
import sys
from pathlib import Path
from typing import Any

import jsonschema_rs
from toolcast.project.core.compiled import Options
from toolcast.project.core.compiler import compile_tool

from ..fuzz.judge import tool_of
from .constructs import unions, values

CASES = "cases"
"""The folder of what each tool is to accept and refuse."""


def write(folder: Path, number: int, parameters: Any) -> bool:
    """Write the module of a tool, and its cases; whether it compiles: some unions accept no value twice."""
    compiled = compile_tool(tool_of(parameters), {}, Options(providers=()))
    if compiled.entry is None:
        return False
    package = folder / f"tool_{number}"
    for path, data in compiled.files.items():
        (package / path).parent.mkdir(parents=True, exist_ok=True)
        (package / path).write_bytes(data)
    judge = jsonschema_rs.validator_for({"$schema": _DRAFT, **parameters}, validate_formats=True)
    cases = [(json.dumps(value), judge.is_valid(value)) for value in values(parameters)]
    (folder / CASES).mkdir(exist_ok=True)
    (folder / CASES / f"{number}.json").write_text(json.dumps(cases), encoding="utf-8")
    return True


_DRAFT = "https://json-schema.org/draft/2020-12/schema"


def main(folder: str, size: str, step: str, forms: str, start: str) -> None:
    """What `unions` makes. Says each number before it is compiled, from `start` on."""
    for number, (_, parameters) in enumerate(unions(int(size), int(step), forms.split(","))):
        if number >= int(start):
            print(number, flush=True)
            write(Path(folder), number, parameters)
    print("done", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
