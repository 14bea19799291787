"""Names of tools, groups and types: those that are allowed, and those that clash."""

import keyword
import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from ..diagnostics import Diagnostic
from ..output_layout import CONTRACTS, MODELS, REGISTRY, SCHEMAS, WIRE_FORMS
from .spec_checker import quoted
from .type_folders import PACKAGE, TYPES, is_outside, type_place

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
"""A tool's name; matched whole. The strictest of what the providers allow."""

_NAME_RULE = "use 1 to 64 letters, digits, `_` and `-`, with a letter or `_` first"

_RESERVED = frozenset({REGISTRY.removesuffix(".py"), SCHEMAS, CONTRACTS, MODELS, WIRE_FORMS, TYPES})
"""Names that the output folder uses itself at its top level."""

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_UNSAFE = re.compile(r"[^A-Za-z0-9_]")

Entry = tuple[str, str, str]
"""A tool's path below the specs root, its name and its group."""

Locate = Callable[[str], tuple[int, int]]


def name_hint(name: str) -> str:
    """Return the rule for a name that breaks it, with its length or a name near to it that keeps the rule."""
    if len(name) > 64:
        return f"{_NAME_RULE}; it has {len(name)}"
    near = re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_")
    return f"did you mean {quoted(near)}? {_NAME_RULE}" if NAME.fullmatch(near) else _NAME_RULE


def module_key(name: str) -> str:
    """Return the key of a module: two names with one key become the same file on some file system."""
    return _UNSAFE.sub("_", name).lower()


def group_of(path: str) -> str:
    """Return the group of the spec at `path`: its folder, "" at the root."""
    return path.rpartition("/")[0]


def package_problem(folder: str) -> str | None:
    """Return why `folder` cannot be a Python package once each `-` is a `_`; None if it can."""
    name = folder.replace("-", "_")
    if not _IDENTIFIER.fullmatch(name):
        return f"{quoted(folder)} cannot be a Python package"
    if keyword.iskeyword(name):
        return f"{quoted(folder)} is a Python keyword and cannot be a package"
    return None


def group_problem(group: str) -> str | None:
    """Return why a group (posix path of its folder) cannot hold tools or become nested packages; None if it
    can.
    """
    if not group:
        return None
    parts = group.split("/")
    if module_key(parts[0]) in _RESERVED:
        return f"the folder {quoted(parts[0])} is reserved for generated files"
    hidden = next((part for part in parts if part.startswith("_")), None)
    if hidden is not None:
        return f"the folder {quoted(hidden)} would be passed over: no tool is looked for below a `_`"
    return next(filter(None, map(package_problem, parts)), None)


def module_problem(name: str, group: str) -> str | None:
    """Return why a tool cannot have a module of its name; None if it can."""
    key = module_key(name)
    if key in ("__init__", "__main__") or (not group and key in _RESERVED):
        return f"the name {quoted(name)} is reserved for a generated file in this folder"
    return None


def check_names(
    entries: Iterable[Entry], *, shown_root: str, locate: Locate | None = None
) -> tuple[Diagnostic, ...]:
    """Find names that clash within a set of tools: equal names (but for case), names that become one module,
    groups that become one package, and a module where a group's package is.

    `entries` are path, name and group of each tool. `locate` gives line and column of a name; without it a
    diagnostic is about the whole file. Of several tools with one name or module, none is preferred: a new
    spec must not take the name of another one. Of folders that become one package the first (by sorted order)
    keeps its name, and so does a folder that a tool's module would replace.
    """
    ordered = sorted(entries)
    packages, respelled = _packages(ordered)
    names: defaultdict[str, list[Entry]] = defaultdict(list)
    modules: defaultdict[tuple[str, ...], list[Entry]] = defaultdict(list)
    for entry in ordered:
        names[entry[1].lower()].append(entry)
        modules[_module_key(entry)].append(entry)
    found: list[Diagnostic] = []

    def report(code: str, message: str, hint: str) -> None:
        line, column = locate(path) if locate else (0, 0)
        file = shown(shown_root, path)
        problem = Diagnostic(file=file, line=line, column=column, code=code, message=message, hint=hint)
        found.append(problem)

    for entry in ordered:
        path, name, _ = entry
        if path in respelled:
            report("group-clash", *respelled[path])
        if same := _other(entry, names[name.lower()]):
            how = "is" if same[1] == name else f"differs only by case from {quoted(same[1])}, which is"
            message = f"the tool name {quoted(name)} {how} also that of {shown(shown_root, same[0])}"
            hint = "give one of the two another `name`"
            report("duplicate-name", message, hint)
        elif module := _other(entry, modules[_module_key(entry)]):
            message = (
                f"the tool names {quoted(name)} and {quoted(module[1])} become the same Python module;"
                f" the other is in {shown(shown_root, module[0])}"
            )
            hint = "rename one of the two, or move it to another folder"
            report("module-clash", message, hint)
        elif (key := _module_key(entry)) in packages:
            folder = quoted(packages[key])
            message = f"the tool {quoted(name)} and the folder {folder} become the same Python module"
            hint = "rename the tool, or move it into that folder"
            report("module-clash", message, hint)
    return tuple(sorted(found))


def _module_key(entry: Entry) -> tuple[str, ...]:
    return (*_package_key(entry[2]), module_key(entry[1]))


def _other(entry: Entry, group: Sequence[Entry]) -> Entry | None:
    """Return the first of `group` that is not `entry`."""
    return next((each for each in group[:2] if each is not entry), None)


def check_types(paths: Iterable[str], *, shown_root: str) -> tuple[Diagnostic, ...]:
    """Report shared type files that would become one module, each later path (by sorted order) with the
    first.
    """
    found: list[Diagnostic] = []
    first_paths: dict[tuple[str, ...], str] = {}
    for path in sorted(paths):
        first = first_paths.setdefault(_package_key((type_place(path) or path).rpartition(".")[0]), path)
        if first != path:
            message = f"this file and {shown(shown_root, first)} become the same Python module"
            found.append(
                Diagnostic(
                    file=shown(shown_root, path),
                    code="module-clash",
                    message=message,
                    hint="rename one of the two",
                )
            )
    return tuple(found)


def shown(shown_root: str, path: str) -> str:
    """Return the path of a file in diagnostics: below `shown_root`, or as it is for a file of an installed
    package.
    """
    if is_outside(path):
        return path if path.startswith(PACKAGE) else posixpath.normpath(f"{shown_root or '.'}/{path}")
    return path if shown_root in ("", ".") else f"{shown_root.rstrip('/')}/{path}"


def _package_key(group: str) -> tuple[str, ...]:
    return tuple(map(module_key, group.split("/"))) if group else ()


def _packages(
    ordered: list[Entry],
) -> tuple[dict[tuple[str, ...], str], dict[str, tuple[str, str]]]:
    """Return every package with the folder that first has it; and by path, message and hint for other
    spellings.
    """
    packages: dict[tuple[str, ...], str] = {}
    spelled: set[str] = set()
    respelled: dict[str, tuple[str, str]] = {}
    for path, _, group in ordered:
        parts = group.split("/") if group else []
        for depth in range(1, len(parts) + 1):
            folder = "/".join(parts[:depth])
            if folder in spelled:
                continue
            spelled.add(folder)
            first = packages.setdefault(_package_key(folder), folder)
            if first.rpartition("/")[2] != parts[depth - 1]:
                message = f"the folders {quoted(first)} and {quoted(folder)} become the same Python package"
                respelled[path] = (message, "rename one of the two folders")
    return packages, respelled
