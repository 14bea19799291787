"""Names of operations that a model can use, unique in their document whatever is selected of it."""

import hashlib
import re
import unicodedata
from collections.abc import Mapping, Sequence

from ..imported_names import MAX_LENGTH, fold
from .operations import Operation


def names_of(found: Sequence[Operation], chosen: Mapping[str, str]) -> list[str]:
    """A tool's name for each operation of a document.

    Args:
        found: all operations of the document, so that a name does not depend on what is selected.
        chosen: names that a person chose, by operation id, or by `GET /path` where there is none.

    Returns:
        Valid names in the order of the operations, no two of them equal to a file system or to Python.
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
    """`stem` with hex digits of the SHA-256 of `origin`."""
    digits = "_" + hashlib.sha256(origin.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return stem[: MAX_LENGTH - len(digits)].rstrip("_-") + digits
