"""Names of functions, namespaces and types, safe in a language and unique; the head of declarations."""

from __future__ import annotations

import keyword
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Literal

Language = Literal["typescript", "python"]
"""`"typescript"` or `"python"`. In definitions, in decoding and in `generated/`, it stands in the place of a
provider's id."""
OPEN = "Open"
"""The type of objects that may have any further keys, which a declaration's head declares."""
OPEN_ALIAS = f"type {OPEN} = {{ [key: string]: unknown }};"
OPEN_CLASS = f"class {OPEN}(TypedDict, extra_items=ReadOnly[Any]): ..."
"""If the further keys were not read-only, no subclass could require one."""
INTEGER_ALIAS = "type integer = number;"
_TYPING = ("Any", "Literal", "Never", "NotRequired", "ReadOnly", "TypedDict")
IMPORT = f"from typing_extensions import {', '.join(_TYPING)}"
"""The import of a declaration in Python; `extra_items` of TypedDict is in `typing` since Python 3.15."""
PYTHON_RESERVED = frozenset(
    (*keyword.kwlist, "list", "dict", "tuple", "str", "float", "int", "bool", *_TYPING, OPEN)
)
"""Names that no function, no type and no field of a class in Python may have; a field that is called as a
built-in type would hide it in its class."""
GLOBAL_TYPES = frozenset(
    ("Array", "Object", "Promise", "Record", "String", "Number", "Boolean", "Function", OPEN)
)
"""Types of TypeScript that a declaration uses, or whose name would deceive."""
_GLOBAL_NAMES = tomllib.loads(
    files("toolcast.runtime.declaration_text").joinpath("global_names.toml").read_text("utf-8")
)
ECMASCRIPT, _HOSTS, PYTHON, PYTHON_MODULES = (
    frozenset(_GLOBAL_NAMES[key].split()) for key in ("ecmascript", "hosts", "builtins", "modules")
)
CLIENT = frozenset(("ToolError", "describe", "listTools", "list_tools", "tools"))
"""Names that the clients in `runtime/code/clients` put beside the tools."""


class FreeNames:
    """The names of a namespace, each taken once. Taking n names takes time linear in n, whatever they are."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        """Take the names that are in use."""
        self._taken = set(taken)
        self._numbers: dict[str, int] = {}  # all smaller ones are taken

    def take(self, name: str, separator: str = "") -> str:
        """Take a name, or where it is in use, the one with the smallest number from 2, after `separator`."""
        made = name
        if made in self._taken:
            stem = f"{name}{separator}"
            number = self._numbers.get(stem, 2)
            while (made := f"{stem}{number}") in self._taken:
                number += 1
            self._numbers[stem] = number + 1
        self._taken.add(made)
        return made


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
_TOP = {"typescript": CLIENT | ECMASCRIPT | _HOSTS, "python": CLIENT | PYTHON | PYTHON_MODULES}
# A namespace is a proxy in JavaScript, of which `await` asks for a function of this name.
_THEN = "then"


def function_names(tools: Mapping[str, str], language: Language) -> dict[str, str]:
    """Name the functions of tools, the same for the same tools.

    Groups are namespaces. Characters that a name cannot have are `_`. A name has a suffix where it is taken
    or means something else in the language, at the top also to programs in it. Names that need no change are
    given first, so that no other tool takes them.

    Args:
        tools: the group of each tool, such as `files` or `crm/contacts`; empty for a tool without one.
        language: the language of the functions.

    Returns:
        The name of each tool by the qualified name of its function, such as `files.edit`.
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
    """The qualified name of the namespace of each group, and of the groups above it."""
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


def free_names(functions: Iterable[str], language: Language) -> FreeNames:
    """Give the names that the types of a namespace with these functions may have."""
    return FreeNames((*functions, *GLOBAL_TYPES, *(PYTHON_RESERVED if language == "python" else ECMASCRIPT)))


def type_name(suggested: str) -> str:
    """Make an identifier that begins with a capital letter."""
    words = re.findall(r"[A-Za-z0-9]+", suggested)
    plain = "".join(word[0].upper() + word[1:] for word in words) or "Value"
    return plain if plain[0].isalpha() else f"T{plain}"
