"""Files that list tools → their elements, one by one, each with the line it stands on where that is known."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from ..diagnostics import Diagnostic
from ..spec.json_reader import parse_json
from ..spec.reader_problems import Limits, Problem

MAX_BYTES = 256 * 1024 * 1024
LIMITS: Final = Limits(depth=200, values=2_000_000, lone_surrogates=True)
"""What a JSON document of others may hold."""
_LISTS = ("tools", "functions", "functionDeclarations", "function_declarations")


class Element(Struct, frozen=True, kw_only=True):
    """One raw element of a list of tools. `line` is 0 where only the file is known."""

    file: str
    line: int
    location: str  # "tools[3]", for messages
    data: Any
    gemini: bool = False  # from functionDeclarations: its `parameters` are in Gemini's dialect


class Document(Struct, frozen=True, kw_only=True):
    """One JSON document of a file; `line` is its line in JSON lines, else 0."""

    file: str
    line: int
    data: Any


def read_elements(files: Sequence[Path]) -> tuple[list[Element], list[Diagnostic]]:
    """Every tool-like element of `files`, in order, and what could not be read."""
    documents, problems = read_documents(files)
    elements: list[Element] = []
    for document in documents:
        found, bad = _spread(document.data, document.file, document.line)
        elements += found
        problems += bad
    return elements, problems


def read_documents(files: Sequence[Path]) -> tuple[list[Document], list[Diagnostic]]:
    """The JSON documents of `files`, in order, and what could not be read."""
    documents: list[Document] = []
    problems: list[Diagnostic] = []
    for path in files:
        shown = path.as_posix()
        try:
            if path.stat().st_size > MAX_BYTES:
                raise ValueError(f"is larger than {MAX_BYTES // 2**20} MiB")
            text = path.read_bytes().decode("utf-8-sig")
        except (OSError, ValueError) as error:
            reason = isinstance(error, OSError) and error.strerror
            message = f"cannot be read: {reason or error}"
            problems.append(Diagnostic(file=shown, code="import-unreadable", message=message))
            continue
        found, bad = parse_documents(text, shown, lines=path.suffix in (".jsonl", ".ndjson"))
        documents += found
        problems += bad
    return documents, problems


def parse_documents(text: str, file: str, *, lines: bool) -> tuple[list[Document], list[Diagnostic]]:
    """One JSON document, or one per line: with `lines`, or where the text continues after the first."""
    if not lines:
        data, found = parse_json(text, LIMITS)
        if not found:
            return [Document(file=file, line=0, data=data)], []
        first, _, rest = text.lstrip().partition("\n")
        if not rest.strip() or not _is_json(first):
            return [], [_syntax(file, problem.line, problem) for problem in found]
    documents: list[Document] = []
    problems: list[Diagnostic] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        data, found = parse_json(line, LIMITS)
        problems += [_syntax(file, number, problem) for problem in found]
        if not found:
            documents.append(Document(file=file, line=number, data=data))
    return documents, problems


def _is_json(line: str) -> bool:
    """Whether a line is JSON, though what it holds may be refused."""
    _, found = parse_json(line, LIMITS)
    return all(problem.code not in ("syntax", "empty-document") for problem in found)


def _spread(data: Any, file: str, line: int) -> tuple[list[Element], list[Diagnostic]]:
    """Find the list of tools in one document; a lone object with a name is a list of one."""
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


def _items(data: Any, file: str, line: int) -> Iterator[Element]:
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


def _namespace(item: Any) -> list[Any]:
    """The tools of a namespace of OpenAI's Responses API, which groups them; `[]` for anything else."""
    listed = item.get("tools") if isinstance(item, dict) and item.get("type") == "namespace" else None
    return listed if isinstance(listed, list) else []


def _is_tool(data: dict[str, Any]) -> bool:
    return "name" in data or "function" in data or "toolSpec" in data


def _listed(data: dict[str, Any]) -> list[Any] | None:
    return next((data[key] for key in _LISTS if isinstance(data.get(key), list)), None)


def _syntax(file: str, line: int, problem: Problem) -> Diagnostic:
    message = f"is not JSON that can be read: {problem.message}"
    return Diagnostic(
        file=file, line=line, column=problem.column, code="import-syntax", message=message, hint=problem.hint
    )
