"""Short forms for reading text in tests."""

from pathlib import Path
from typing import Any

from toolcast.diagnostics import Diagnostic
from toolcast.spec.read_file import Kind, SourceDocument, parse_document
from toolcast.spec.spec_reader import read_tool
from toolcast.spec.tool_spec import ToolSpec

PROVIDERS = frozenset({"openai", "openai-responses", "anthropic", "gemini", "mcp"})


def read(text: str | bytes, kind: Kind = "yaml") -> SourceDocument:
    """The document in `text`; fails on diagnostics."""
    result = parse_document(text.encode() if isinstance(text, str) else text, "s", kind)
    assert isinstance(result, SourceDocument), result
    return result


def refuse(text: str | bytes, kind: Kind = "yaml") -> tuple[Diagnostic, ...]:
    """The diagnostics for `text`; fails where there are none."""
    result = parse_document(text.encode() if isinstance(text, str) else text, "s", kind)
    assert isinstance(result, tuple), result.data
    assert result
    return result


def places(found: tuple[Diagnostic, ...]) -> list[tuple[str, int, int]]:
    """Code, line and column of each."""
    return [(each.code, each.line, each.column) for each in found]


def tool(
    text: str, path: str = "files/edit.yaml", kind: Kind = "yaml"
) -> tuple[ToolSpec | None, tuple[Diagnostic, ...]]:
    spec, found, _ = read_tool(read(text, kind), path, PROVIDERS)
    return spec, found


def write(root: Path, files: dict[str, Any]) -> Path:
    for path, content in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    return root
