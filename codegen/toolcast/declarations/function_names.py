"""Names of functions and namespaces for tools, safe in a language and unique."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from .free_names import FreeNames
from .global_names import CLIENT, ECMASCRIPT, HOSTS, PYTHON, PYTHON_MODULES
from .language import Language
from .python_types import RESERVED as PYTHON_RESERVED

# ECMA-262, 12.7.2 (reserved words, also those of strict mode and of modules), and what TypeScript refuses as
# the name of a namespace or of a function: names of its basic types.
_RESERVED_TYPESCRIPT = frozenset(
    " ".join(
        (
            "arguments await break case catch class const continue debugger default delete do else enum eval",
            "export extends false finally for function if implements import in instanceof interface let new",
            "null package private protected public return static super switch this throw true try typeof",
            "undefined var void while with yield globalThis any bigint boolean integer never number object",
            "string symbol unknown",
        )
    ).split()
)
_TOP = {"typescript": CLIENT | ECMASCRIPT | HOSTS, "python": CLIENT | PYTHON | PYTHON_MODULES}
# A namespace is a proxy in JavaScript, of which `await` asks for a function of this name.
_THEN = "then"


def function_names(tools: Mapping[str, str], language: Language) -> dict[str, str]:
    """Name the functions of tools.

    Args:
        tools: the group of each tool, such as `files` or `crm/contacts`; empty for a tool without one.
        language: the language of the functions.

    Returns:
        The name of each tool by the qualified name of its function, such as `files.edit`: groups are
        namespaces. Characters that a name cannot have are `_`; a name that means something else in the
        language, at the top also to programs in it, or is taken, has a suffix: names that need no change are
        given first, so that no other tool takes them. The same tools have the same names.
    """
    free: defaultdict[str, FreeNames] = defaultdict(FreeNames)
    namespaces = _namespaces(tools.values(), language, free)
    found: dict[str, str] = {}
    for tool in sorted(tools, key=_exact_first):
        namespace = namespaces[tools[tool]] if tools[tool] else ""
        name = free[namespace].take(_safe(tool, language, top=not namespace), "_")
        found[f"{namespace}.{name}" if namespace else name] = tool
    return dict(sorted(found.items(), key=lambda item: (item[0].rpartition(".")[0], item[0])))


def _namespaces(
    groups: Iterable[str], language: Language, free: defaultdict[str, FreeNames]
) -> dict[str, str]:
    """The qualified name of the namespace of each group, and of the groups above it; their names are taken
    from those that are free in the namespace around them."""
    found: dict[str, str] = {}
    listed = (group.split("/") for group in set(groups) - {""})
    for parts in sorted(listed, key=lambda parts: [*map(_exact_first, parts)]):
        for length in range(1, len(parts) + 1):
            here, above = "/".join(parts[:length]), "/".join(parts[: length - 1])
            if here not in found:
                outer = found[above] if above else ""
                name = free[outer].take(_safe(parts[length - 1], language, top=not above), "_")
                found[here] = f"{outer}.{name}" if outer else name
    return found


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]", "_", name)


def _exact_first(name: str) -> tuple[bool, str]:
    return _plain(name) != name, name


def _safe(name: str, language: Language, *, top: bool) -> str:
    plain = _plain(name)
    if not plain or plain[0].isdigit() or plain.startswith("__"):
        plain = f"t{plain}" if plain[:1] == "_" else f"t_{plain}"
    reserved = PYTHON_RESERVED if language == "python" else _RESERVED_TYPESCRIPT | {_THEN}
    return f"{plain}_" if plain in reserved or (top and plain in _TOP[language]) else plain
