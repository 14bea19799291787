"""Contracts of tools as an import makes them, without files."""

from typing import Any

from msgspec import Struct
from toolcast.contract.build import Built, build_tool
from toolcast.importers.declared_tools import Declarations, ShapeError, read_shape
from toolcast.importers.import_tools import specs_of
from toolcast.importers.tool_lists import Element
from toolcast.spec.parsed_document import Path
from toolcast.spec.spec_reader import read_tool


class Data(Struct, frozen=True):
    """A document that stands in no file."""

    data: Any
    file: str = "tool.yaml"

    def locate(self, path: Path, *, key: bool = False) -> tuple[int, int]:  # noqa: ARG002  # as Document has it
        """Every place is the first."""
        return 1, 1


def built_spec(data: dict[str, Any]) -> Built | None:
    """The contract of a spec; None where it has errors."""
    spec, _, _ = read_tool(Data(data), "tool.yaml", frozenset())
    if spec is None:
        return None
    built = build_tool(spec, {})
    return built if built.contract is not None else None


def built_schema(parameters: dict[str, Any], result: Any = None) -> Built | None:
    """The contract of a tool with these parameters; None where it has errors."""
    data = {"name": "tool", "description": "A tool.", "permission": "read", "secrets": []}
    return built_spec({**data, "parameters": parameters, **({} if result is None else {"result": result})})


def built_tool(tool: dict[str, Any]) -> Built | None:
    """The contract of a tool of a `tools/list` answer, as `toolcast import tools` makes it."""
    try:
        declared = read_shape(Element(file="tools.json", line=0, location="tools[0]", data=tool))
    except ShapeError:
        return None
    drafts = specs_of(Declarations(tools=(declared,), label="tools.json")).drafts
    if not drafts:
        return None
    needed = {"permission": "read", "secrets": []}
    kept = {key: value for key, value in drafts[0].data.items() if key not in ("examples", "http", "source")}
    return built_spec({**needed, **kept})
