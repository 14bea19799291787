"""Lists of tools, as MCP servers answer and providers take them → one spec text per tool."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from ..diagnostics import Diagnostic
from ..spec.model import Permission
from .defaults import without_wrong_defaults
from .load import Element, read_elements
from .names import unique
from .shapes import Declared, ShapeError, read_shape
from .spec_text import spec_text
from .yaml_text import UnwritableError, check_writable


class Imported(Struct, frozen=True, kw_only=True):
    """What an import made: texts by posix path below the specs root, problems, and names that changed."""

    specs: Mapping[str, str]
    diagnostics: tuple[Diagnostic, ...]
    renamed: tuple[tuple[str, str], ...]  # (original, name in the spec), in input order


def import_tools(
    files: Sequence[Path],
    *,
    permission: Permission | None = None,
    secrets: Sequence[str] | None = None,
    group: str = "",
    examples: int = 3,
) -> Imported:
    """Turn lists of tools into specs. Reads `files`, writes nothing.

    `permission` and `secrets` decide for all tools; without them MCP's hints decide where they state it,
    and a TODO line that does not compile stands where nothing does. `secrets` names parameters: each tool
    gets those that it has, `[]` means none. `group` is the folder below the specs root. Schemas are taken
    as they are: whether they are right is for the compiler to say. Only a default that does not fit its own
    schema is left out, with a warning and a comment in the spec. At most `examples` recorded calls that
    the schema accepts become examples.
    """
    elements, problems = read_elements(files)
    declared: list[tuple[Element, Declared]] = []
    for element in elements:
        try:
            check_writable(element.data)
            declared.append((element, read_shape(element)))
        except (ShapeError, UnwritableError) as error:
            code = "import-shape" if isinstance(error, ShapeError) else "import-unwritable"
            problems.append(
                Diagnostic(
                    file=element.file, line=element.line, code=code, message=f"{element.place} {_verb(error)}"
                )
            )
    for element, tool in declared:
        problems += _warnings(element, tool)
    names = unique([tool.name for _, tool in declared])
    specs = {
        f"{group}/{name}.yaml" if group else f"{name}.yaml": spec_text(
            tool, name, permission=permission, secrets=secrets, examples=examples
        )
        for (_, tool), name in zip(declared, names, strict=True)
    }
    renamed = tuple(
        (tool.name, name) for (_, tool), name in zip(declared, names, strict=True) if tool.name != name
    )
    return Imported(specs=specs, diagnostics=tuple(problems), renamed=renamed)


def _warnings(element: Element, tool: Declared) -> list[Diagnostic]:
    _, wrong = without_wrong_defaults(tool.parameters)
    return [
        Diagnostic(
            file=element.file,
            line=element.line,
            severity="warning",
            code="import-default",
            message=f"{element.place} has a default that does not fit its own schema: "
            + (pointer or "that of the parameters themselves"),
            hint="it is left out of the spec; state the right one there",
        )
        for pointer, _ in wrong
    ]


def _verb(error: Exception) -> str:
    return str(error) if isinstance(error, ShapeError) else f"cannot be written as YAML: {error}"
