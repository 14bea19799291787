"""Names of functions and namespaces for tools, safe in a language and unique."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ..runtime.definitions import Language
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
# What programs find at the top in browsers, Node.js and Deno: a tool must not take its name.
_GLOBALS = frozenset(
    " ".join(
        (
            "alert atob blur btoa caches clearInterval clearTimeout close closed confirm console crypto",
            "document event exports external fetch find focus frames global history indexedDB isFinite isNaN",
            "length location module moveTo name navigator open origin parent parseFloat parseInt performance",
            "print process prompt queueMicrotask require scheduler screen scroll self setInterval setTimeout",
            "status stop structuredClone tools top window",
        )
    ).split()
)


def function_names(tools: Mapping[str, str], language: Language) -> dict[str, str]:
    """Name the functions of tools.

    Args:
        tools: the group of each tool, such as `files` or `crm/contacts`; empty for a tool without one.
        language: the language of the functions.

    Returns:
        The name of each tool by the qualified name of its function, such as `files.edit`: groups are
        namespaces. Characters that a name cannot have are `_`; a name that means something else in the
        language, or is taken, has a suffix. The same tools have the same names.
    """
    namespaces = _namespaces(tools.values(), language)
    taken: dict[str, set[str]] = {}
    for path in namespaces.values():
        above, _, own = path.rpartition(".")
        taken.setdefault(above, set()).add(own)
    found: dict[str, str] = {}
    for tool in sorted(tools):
        namespace = namespaces[tools[tool]] if tools[tool] else ""
        used = taken.setdefault(namespace, set())
        name = _free(_safe(tool, language, top=not namespace), used)
        used.add(name)
        found[f"{namespace}.{name}" if namespace else name] = tool
    return dict(sorted(found.items(), key=lambda item: (item[0].rpartition(".")[0], item[0])))


def _namespaces(groups: Iterable[str], language: Language) -> dict[str, str]:
    """The qualified name of the namespace of each group, and of the groups above it."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for group in sorted(set(groups) - {""}):
        parts = group.split("/")
        for length in range(1, len(parts) + 1):
            here, above = "/".join(parts[:length]), "/".join(parts[: length - 1])
            if here not in found:
                prefix = f"{found[above]}." if above else ""
                name = _safe(parts[length - 1], language, top=not above)
                found[here] = prefix + _free(name, {one.removeprefix(prefix) for one in taken})
                taken.add(found[here])
    return found


def _safe(name: str, language: Language, *, top: bool) -> str:
    plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
    if not plain or plain[0].isdigit() or plain.startswith("__"):
        plain = f"t{plain}" if plain[:1] == "_" else f"t_{plain}"
    if language == "python":
        reserved = plain in PYTHON_RESERVED
    else:
        reserved = plain in _RESERVED_TYPESCRIPT or (top and plain in _GLOBALS)
    return f"{plain}_" if reserved else plain


def _free(name: str, taken: set[str]) -> str:
    made, number = name, 2
    while made in taken:
        made, number = f"{name}_{number}", number + 1
    return made
