"""Names of tools for the operations of an OpenAPI document.

They are unique in their document whatever is selected of it, or come from a file in which a person renames
them: old name → new name.
"""

import hashlib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path

from ...diagnostics import Diagnostic
from ...spec.parsed_document import diagnose
from ...spec.read_file import SourceDocument, read_document
from ...spec.reader_problems import quoted
from ...spec.tool_names import NAME, NAME_RULE
from ..declared_tools import Declarations
from ..imported_names import MAX_LENGTH, fold
from ..spec_text import dump
from .operations import Operation


def names_of(found: Sequence[Operation], chosen: Mapping[str, str]) -> list[str]:
    """Return a tool's name for each of all operations of a document, no two equal to a file system or Python.

    `chosen` are a person's names, by operation id, or by `GET /path` where there is none.
    """
    short = [_without_route(each) for each in found]
    plain = [_cleaned(each.name) for each in found]
    taken = {fold(name) for name in chosen.values()}
    uses: dict[str, int] = {}
    for each, name in zip(found, short, strict=True):
        if each.name not in chosen:
            uses[fold(name)] = uses.get(fold(name), 0) + 1
    names: list[str] = []
    for each, first, second in zip(found, short, plain, strict=True):
        if each.name in chosen:
            names.append(chosen[each.name])
            continue
        candidates = [first] if uses[fold(first)] == 1 else []
        candidates += [second, _marked(first, f"{each.method} {each.template}")]
        name = next((c for c in candidates if fold(c) not in taken), candidates[-1])
        taken.add(fold(name))
        names.append(name)
    return names


def _without_route(operation: Operation) -> str:
    """The function's name of an id that FastAPI makes: function, path and method, joined by `_`."""
    name = operation.operation_id
    if name is None:
        return _cleaned(f"{operation.method} {operation.template}")
    route = re.sub(r"\W", "_", f"{operation.template}_{operation.method}")
    function = name.removesuffix(route)
    return _cleaned(function) if function.strip("_") else _cleaned(name)


def _cleaned(name: str) -> str:
    """`name` if a spec allows it, else its words with `_` between them. Case stays."""
    if re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name) and len(name) <= MAX_LENGTH:
        return name
    ascii_only = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    cleaned = re.sub(r"[^A-Za-z0-9]+", "_", ascii_only).strip("_")
    named = bool(re.match(r"[A-Za-z]", cleaned))
    if not named:
        cleaned = f"call_{cleaned}".rstrip("_")
    lossy = not named and ascii_only != name  # little or nothing of the name is left
    return _marked(cleaned, name) if lossy or len(cleaned) > MAX_LENGTH else cleaned


def _marked(stem: str, origin: str) -> str:
    digits = "_" + hashlib.sha256(origin.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return stem[: MAX_LENGTH - len(digits)].rstrip("_-") + digits


def read_names(file: Path) -> tuple[dict[str, str], tuple[Diagnostic, ...]]:
    """Read a file of names: names of tools by operation id (`GET /path` where there is none)."""
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
    """Return the YAML text of a file of names, with the present name of each tool."""
    names: Mapping[str, str] = {tool.name: tool.spec_name or tool.name for tool in declarations.tools}
    return (
        "# Operation → name of its tool. Rename the right side; see `toolcast import openapi --names`.\n"
        + (dump(names))
    )
