"""Files that list tools → their elements, each with its line where that is known."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from ..diagnostics import Diagnostic
from ..jsonschema.json_values import JsonObject

_MAX_BYTES = 256 * 1024 * 1024
_LISTS = ("tools", "functions", "functionDeclarations", "function_declarations")


class Element(Struct, frozen=True, kw_only=True):
    """One raw element of a list of tools. `line` is 0 where only the file is known."""

    file: str
    line: int
    location: str  # "tools[3]", for messages
    data: Any
    gemini: bool = False  # from functionDeclarations: its `parameters` are in Gemini's dialect


class JsonDocument(Struct, frozen=True, kw_only=True):
    """One JSON document of a file; `line` is its line in JSON lines, else 0."""

    file: str
    line: int
    data: Any


def read_elements(files: Sequence[Path]) -> tuple[list[Element], list[Diagnostic]]:
    """Read every tool-like element of `files`, in order, and what could not be read."""
    documents, problems = read_documents(files)
    elements: list[Element] = []
    for document in documents:
        found, bad = _spread(document.data, document.file, document.line)
        elements += found
        problems += bad
    return elements, problems


def read_documents(files: Sequence[Path]) -> tuple[list[JsonDocument], list[Diagnostic]]:
    """Read the JSON documents of `files`, in order, and what could not be read."""
    documents: list[JsonDocument] = []
    problems: list[Diagnostic] = []
    for path in files:
        shown = path.as_posix()
        try:
            if path.stat().st_size > _MAX_BYTES:
                raise ValueError(f"is larger than {_MAX_BYTES // 2**20} MiB")
            text = path.read_bytes().decode("utf-8-sig")
        except (OSError, ValueError) as error:
            message = f"cannot be read: {_reason(error)}"
            problems.append(Diagnostic(file=shown, code="import-unreadable", message=message))
            continue
        found, bad = parse_documents(text, shown, lines=path.suffix in (".jsonl", ".ndjson"))
        documents += found
        problems += bad
    return documents, problems


def parse_documents(text: str, file: str, *, lines: bool) -> tuple[list[JsonDocument], list[Diagnostic]]:
    """Parse one JSON document, or one per line: with `lines`, or where the text goes on after the first."""
    if not lines:
        try:
            return [JsonDocument(file=file, line=0, data=_parse(text))], []
        except (ValueError, RecursionError) as error:
            goes_on = getattr(error, "msg", "") == "Extra data" and _is_json(text.lstrip().split("\n", 1)[0])
            if not goes_on:
                return [], [_syntax(file, getattr(error, "lineno", 0), error)]
    documents: list[JsonDocument] = []
    problems: list[Diagnostic] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                documents.append(JsonDocument(file=file, line=number, data=_parse(line)))
            except (ValueError, RecursionError) as error:
                problems.append(_syntax(file, number, error))
    return documents, problems


def _is_json(line: str) -> bool:
    """Return whether a text is JSON, also such that is refused."""
    try:
        _parse(line)
    except (ValueError, RecursionError) as error:
        return not isinstance(error, json.JSONDecodeError)
    return True


def _parse(text: str) -> object:
    return json.loads(text, object_pairs_hook=_object, parse_constant=_constant, parse_float=_float)


def _object(pairs: list[tuple[str, object]]) -> JsonObject:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        double = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"object has the key {json.dumps(double)} twice")
    return found


def _constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _float(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"number {text[:40]} is too large for a double")
    return value


def _spread(data: object, file: str, line: int) -> tuple[list[Element], list[Diagnostic]]:
    """Return the elements of one document; a lone object with a name is a list of one."""
    elements = list(_items(data, file, line))
    if elements:
        return elements, []
    if data == [] or (isinstance(data, dict) and _listed(data) == []):
        return [], []
    problem = Diagnostic(
        file=file,
        line=line,
        code="import-no-tools",
        message="holds no list of tools",
        hint='expected a JSON array, JSON lines, or {"tools": […]} as tools/list answers',
    )
    return [], [problem]


def _items(data: object, file: str, line: int) -> Iterator[Element]:
    if (
        isinstance(data, dict)
        and isinstance(data.get("result"), dict)
        and _listed(data["result"]) is not None
    ):
        data = data["result"]
    if isinstance(data, dict):
        listed = _listed(data)
        if listed is None and _is_tool(data):
            yield Element(file=file, line=line, location="the tool", data=data)
        gemini = listed is not None and not isinstance(data.get("tools", data.get("functions")), list)
        data = listed
    else:
        gemini = False
    if not isinstance(data, list):
        return
    for index, item in enumerate(data):
        for position, tool in enumerate(members := _namespace(item)):
            yield Element(file=file, line=line, location=f"tools[{index}].tools[{position}]", data=tool)
        if members:
            continue
        inner = _listed(item) if isinstance(item, dict) and not _is_tool(item) else None
        if inner is None:
            yield Element(file=file, line=line, location=f"tools[{index}]", data=item, gemini=gemini)
            continue
        for position, declaration in enumerate(inner):
            location = f"tools[{index}][{position}]"
            yield Element(file=file, line=line, location=location, data=declaration, gemini=True)


def _namespace(item: object) -> list[object]:
    """Return the tools of a namespace of OpenAI's Responses API; `[]` for anything else."""
    listed = item.get("tools") if isinstance(item, dict) and item.get("type") == "namespace" else None
    return listed if isinstance(listed, list) else []


def _is_tool(data: JsonObject) -> bool:
    return "name" in data or "function" in data or "toolSpec" in data


def _listed(data: JsonObject) -> list[object] | None:
    return next((data[key] for key in _LISTS if isinstance(data.get(key), list)), None)


def _syntax(file: str, line: int, error: BaseException) -> Diagnostic:
    column, reason = 0, _reason(error)
    if isinstance(error, json.JSONDecodeError):
        column, reason = error.colno, error.msg
    return Diagnostic(
        file=file, line=line, column=column, code="import-syntax", message=f"is not JSON: {reason}"
    )


def _reason(error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return str(error)
