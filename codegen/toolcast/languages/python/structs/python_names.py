"""Wire names to Python names: always valid, never shadowing, unique in their scope, the same on every run."""

import keyword
import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Final

_IMPORTED: Final = frozenset(
    {
        "Annotated", "Any", "ClassVar", "Final", "Literal", "Protocol", "TYPE_CHECKING", "TypeAlias",
        "Meta", "Struct", "UNSET", "UnsetType", "msgspec",
        "Returns", "ToolBinding", "ToolContext", "ToolResult", "checked", "one_of", "open_object",
        "check_bounds", "check_format", "check_member", "check_multiple_of", "check_pattern",
        "check_properties", "check_unique", "decode_hook",
    }
)  # fmt: skip
"""Names that generated modules import; nothing generated may be called like one."""

_BUILTIN: Final = frozenset({"str", "int", "float", "bool", "list", "dict", "tuple", "object", "type"})
"""Builtins that annotations or class bodies use. `type` may name a field, never a class."""

_IN_CLASS_BODY: Final = frozenset(
    {"Annotated", "Any", "ClassVar", "Literal", "Meta", "UNSET", "UnsetType", "msgspec", "self"}
) | (_BUILTIN - {"type", "object"})
"""Names that a class body reads; a field called like one would hide it from the fields after it."""


_WORD: Final = re.compile(r"[^\W_]+")
_FILLERS: Final[dict[int, str]] = dict.fromkeys((0x115F, 0x1160), " ")
"""Invisible letters of Python identifiers; NFKC turns similar ones into these."""


def words(text: str) -> list[str]:
    """Split a name of any style into words: `get-user_ID` → get, user, ID."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).translate(_FILLERS))


def _camel(text: str) -> str:
    """Make a class name: `multi_edit` → `MultiEdit`. Empty when `text` has no letter or digit."""
    return "".join([word[:1].upper() + word[1:] for word in words(text)])


def class_name(*parts: str) -> str:
    """Make a valid class name of several names."""
    name = unicodedata.normalize("NFKC", "".join(_camel(part) for part in parts))
    name = name if name.isidentifier() else re.sub(r"\W", "", "T" + name)
    taken = keyword.iskeyword(name) or name in _IMPORTED or name in _BUILTIN
    return name + "_" if taken else name


def identifier(text: str, fallback: str = "field") -> str:
    """Make a valid, public identifier: `class` → `class_`, `2fa` → `field_2fa`, `a-b` → `a_b`."""
    name = unicodedata.normalize("NFKC", text).translate(_FILLERS)
    name = re.sub(r"\W", "_", name).lstrip("_")
    name = name if name.strip("_") else fallback
    if not name.isidentifier():
        name = f"{fallback}_{name}"
        name = name if name.isidentifier() else fallback
    name = unicodedata.normalize("NFKC", name)
    return name + "_" if keyword.iskeyword(name) else name


def field_names(wires: Iterable[str], taken: Iterable[str] = ()) -> Mapping[str, str]:
    """Name a Python field for each wire name, unique among them. A wire name that already is its own Python
    name keeps it; others get `_2`, `_3`, … in the order given.
    """
    order = list(wires)
    reserved = _IN_CLASS_BODY | set(taken)
    wanted = {wire: identifier(wire) for wire in order}
    wanted = {wire: name + "_" if name in reserved else name for wire, name in wanted.items()}
    names = {wire: wire for wire in order if wanted[wire] == wire}
    used = set(names)
    for wire in order:
        if wire not in names:
            names[wire] = unique(wanted[wire], used)
    return names


def unique(name: str, used: set[str]) -> str:
    """Return a name, or the first of `name_2`, `name_3`, … that is not used, and add it to those used."""
    candidate, count = name, 1
    while candidate in used:
        count += 1
        candidate = f"{name}_{count}"
    used.add(candidate)
    return candidate


def module_name(tool: str) -> str:
    """Name the module of a tool: `file-read` → `file_read`."""
    return identifier(tool, "tool")


def constant_name(tool: str) -> str:
    """Name the binding of a tool: `fileRead` → `FILE_READ`."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", tool)
    name = identifier(spaced, "tool").upper()
    return name + "_" if name in _IMPORTED else name


def keyword_of(tool: str) -> str:
    """The parameter of `register_all` for a tool: `file-read` → `file_read`."""
    return identifier(tool, "tool")
