"""The file in which a person renames the tools of a document: old name → new name, in YAML or JSON."""

from collections.abc import Mapping
from pathlib import Path

from ...diagnostics import Diagnostic
from ...spec.parsed_document import diagnose
from ...spec.read_file import SourceDocument, read_document
from ...spec.reader_problems import quoted
from ...spec.tool_names import NAME, NAME_RULE
from ..declared_tools import Declarations
from ..imported_names import fold
from ..spec_text import dump


def read_names(file: Path) -> tuple[dict[str, str], tuple[Diagnostic, ...]]:
    """Read a file of names.

    Args:
        file: the file: a mapping of operation ids (`GET /path` where there is none) to names of tools.

    Returns:
        The names, empty with an error; and the diagnostics of every problem.
    """
    document = read_document(file, file.as_posix())
    if not isinstance(document, SourceDocument):
        return {}, document
    if not isinstance(document.data, dict):
        message = "a file of names must hold a mapping"
        return {}, (diagnose(document, (), "wrong-type", message, "write `operationId: tool_name` lines"),)
    problems: list[Diagnostic] = []
    taken: dict[str, str] = {}
    for key, name in document.data.items():
        if not isinstance(name, str) or not NAME.fullmatch(name):
            message = f"the tool name {quoted(str(name))} is not allowed"
            problems.append(diagnose(document, (key,), "bad-name", message, NAME_RULE))
        elif (other := taken.setdefault(fold(name), key)) != key:
            message = f"{quoted(other)} and {quoted(key)} get one name, {quoted(name)}"
            problems.append(diagnose(document, (key,), "repeated", message, "rename one of them"))
    return ({} if problems else dict(document.data)), tuple(problems)


def names_text(declarations: Declarations) -> str:
    """The text of a file of names, with the present name of each tool.

    Args:
        declarations: what a document declares.

    Returns:
        YAML: old name → present name.
    """
    names: Mapping[str, str] = {tool.name: tool.spec_name or tool.name for tool in declarations.tools}
    return (
        "# Operation → name of its tool. Rename the right side; see `toolcast import openapi --names`.\n"
        + (dump(names))
    )
