"""A saved list of tools, as MCP servers answer and providers take them, as `State`."""

from pathlib import Path as FilePath
from typing import Any

from msgspec import Struct

from ..config import show
from ..diagnostics import Diagnostic
from ..importers.import_tools import read_tools, specs_of
from ..importers.spec_text import permission_of
from ..spec.parsed_document import Path
from ..spec.spec_reader import read_tool
from ..spec.tool_spec import ToolSpec
from .spec_files import unreadable
from .states import State


class ListedTool(Struct, frozen=True, kw_only=True):
    """One tool of a list as the `Document` of a spec. Of its position, the line is known in JSON lines."""

    file: str
    data: Any
    line: int = 0

    def locate(self, path: Path, *, key: bool = False) -> tuple[int, int]:
        """Line of the tool, 0 where it is not known; and column 0."""
        del path, key
        return self.line, 0


def read_listed(file: FilePath, known_providers: frozenset[str]) -> State:
    """Read a file that lists tools.

    Args:
        file: JSON or JSON lines, as `toolcast import tools` reads them.
        known_providers: ids of the providers that a spec may name.

    Returns:
        The state; tools that cannot be read are among its diagnostics.

    Raises:
        UnreadableStateError: the file lists no tools.
    """
    shown_file = show(file.absolute())
    declared = read_tools([file])
    imported = specs_of(declared)
    if not imported.drafts and declared.diagnostics:
        problem = declared.diagnostics[0]
        raise unreadable(shown_file, problem.code, problem.message, problem.hint)
    by_name = {tool.name: tool for tool in declared.tools}
    problems = [
        Diagnostic(
            file=shown_file,
            line=each.line,
            severity=each.severity,
            code=each.code,
            message=each.message,
            hint="" if each.severity == "warning" else each.hint,
        )
        for each in imported.diagnostics
    ]
    tools: dict[str, ToolSpec] = {}
    refused = {tool.name for tool in declared.tools} - {draft.original for draft in imported.drafts}
    for draft in imported.drafts:
        origin = by_name[draft.original]
        permission = permission_of(origin) or "write"
        data = {**draft.data, "permission": permission, "secrets": []}
        document = ListedTool(file=shown_file, data=data, line=origin.line)
        spec, wrong, _ = read_tool(document, draft.path, known_providers)
        problems += wrong
        if spec is not None:
            tools[spec.name] = spec
        else:
            refused.add(draft.data["name"])
    return State(
        label=shown_file,
        tools=tools,
        types={},
        refused=frozenset(refused),
        diagnostics=tuple(sorted({*problems})),
        listed=True,
    )
