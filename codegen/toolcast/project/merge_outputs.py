"""The files about the whole set, merged as sets of tools: what `toolcast merge-driver` does for git.

Lines of two tools that are added at the same place conflict for git, and the tools do not. So each of the
three versions is read as what it is about, that is merged, and written as a build writes it. A version is
understood only if what is read of it makes the same bytes again: a merge is exactly what a build of both
branches leaves, or there is none. Nothing is run that a version says.
"""

import ast
from collections.abc import Mapping
from typing import TypeVar

from msgspec import Struct

from ..typescript.package import CODE, TYPES, IndexEntry, index_file, read_index
from .core.compiled import Options, ToolEntry
from .output.manifest import NAME, Record, parse_manifest, render_manifest

REGISTRY = "registry.py"
MERGED = (NAME, REGISTRY, CODE, TYPES)
"""The files that every tool has a part in."""
MAX_BYTES = 50_000_000
_Value = TypeVar("_Value")


class NotMergedError(Exception):
    """Why there is no merge; for a user."""


class _Registry(Struct, frozen=True):
    """What a registry is about. `tools`: by name."""

    providers: tuple[str, ...]
    tools: Mapping[str, ToolEntry]


def merge_file(name: str, base: bytes, ours: bytes, theirs: bytes) -> bytes:
    """Merge a file about the whole set.

    Args:
        name: one of `MERGED`.
        base: the common ancestor; empty where there is none.
        ours: the version of one branch.
        theirs: the version of the other branch.

    Returns:
        The merged file, as a build of both branches writes it.

    Raises:
        NotMergedError: both branches changed the same thing to something else, or a version is not what this
            toolcast writes.
    """
    if max(len(base), len(ours), len(theirs)) > MAX_BYTES:
        raise NotMergedError("it is too large")
    if name == NAME:
        return _merge_manifests(base, ours, theirs)
    if name == REGISTRY:
        return _merge_registries(base, ours, theirs)
    if name in (CODE, TYPES):
        before = _read_index(name, base) if base else {}
        merged = _merged(before, _read_index(name, ours), _read_index(name, theirs))
        _no_clash(merged)
        return index_file(name, list(merged.values()))
    raise NotMergedError(f"no file about all tools is called {name}")


def _merge_manifests(base: bytes, ours: bytes, theirs: bytes) -> bytes:
    before = _read_manifest(base) if base else {}
    return render_manifest(_merged(before, _read_manifest(ours), _read_manifest(theirs)))


def _read_manifest(content: bytes) -> Mapping[str, Record]:
    """Raises NotMergedError for what `render_manifest` did not write."""
    units = parse_manifest(content).units
    if render_manifest(units) != content:
        raise NotMergedError("a version of it is not what this toolcast writes")
    return units


def _merge_registries(base: bytes, ours: bytes, theirs: bytes) -> bytes:
    one, other = _read_registry(ours), _read_registry(theirs)
    before = _read_registry(base) if base else _Registry(one.providers, {})
    tools = _merged(before.tools, one.tools, other.tools)
    providers = _merged(
        {"providers": before.providers}, {"providers": one.providers}, {"providers": other.providers}
    )
    _no_clash(tools)
    return _write_registry(_Registry(providers["providers"], tools))


def _no_clash(tools: Mapping[str, ToolEntry] | Mapping[str, IndexEntry]) -> None:
    """Raise NotMergedError for two tools of which only one can be there."""
    for what in ("keyword", "module"):
        taken: dict[str, str] = {}
        for name, entry in tools.items():
            if taken.setdefault(getattr(entry, what).casefold(), name) != name:
                raise NotMergedError(f"the tools {taken[getattr(entry, what).casefold()]} and {name} clash")


def _read_index(name: str, content: bytes) -> Mapping[str, IndexEntry]:
    """Raises NotMergedError for what the index cannot be made again from."""
    try:
        return read_index(name, content)
    except ValueError as error:  # it is no UTF-8, too
        raise NotMergedError(str(error)) from error


def _merged(
    base: Mapping[str, _Value], ours: Mapping[str, _Value], theirs: Mapping[str, _Value]
) -> dict[str, _Value]:
    """By name, what one of the two changed, or what none did. Raises NotMergedError."""
    found: dict[str, _Value] = {}
    for name in sorted({**base, **ours, **theirs}):
        before, one, other = base.get(name), ours.get(name), theirs.get(name)
        if one != other and before not in (one, other):
            raise NotMergedError(f"both branches changed {name}")
        chosen = other if one == before else one
        if chosen is not None:
            found[name] = chosen
    return found


def _read_registry(content: bytes) -> _Registry:
    """Raises NotMergedError for what the built-in template did not print."""
    try:
        found = _registry_of(ast.parse(content))
        same = _write_registry(found) == content
    except (SyntaxError, ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
        raise NotMergedError("a version of it cannot be read") from error
    except (RecursionError, MemoryError) as error:
        raise NotMergedError("a version of it is too deep to be read") from error
    if not same:
        raise NotMergedError("a version of it is not what the built-in template of this toolcast prints")
    return found


def _write_registry(registry: _Registry) -> bytes:
    from .core.compiler import compile_package

    entries = list(registry.tools.values())
    return compile_package(entries, (), Options(providers=registry.providers))[REGISTRY]


def _registry_of(tree: ast.Module) -> _Registry:
    values: dict[str, ast.expr | None] = {}
    handlers: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            values[node.target.id] = node.value
        elif isinstance(node, ast.ClassDef) and node.name == "Handlers":
            fields = [each for each in node.body if isinstance(each, ast.AnnAssign)]
            handlers = {ast.unparse(each.target): ast.literal_eval(each.annotation) for each in fields}
    bindings = values["BINDINGS"]
    external = ast.literal_eval(_argument(bindings, "external") or ast.Tuple([]))
    keywords = values["_KEYWORDS"]
    provider = values["Provider"]
    if not isinstance(bindings, ast.Call) or keywords is None:
        raise TypeError("no registry")
    tools = {
        name: _entry(
            name, module, constant, ast.literal_eval(keywords)[name], None if name in external else handlers
        )
        for name, (module, constant) in ast.literal_eval(bindings.args[1]).items()
    }
    providers = ast.literal_eval(provider.slice) if isinstance(provider, ast.Subscript) else ()
    return _Registry((providers,) if isinstance(providers, str) else tuple(providers), tools)


def _argument(call: ast.expr | None, name: str) -> ast.expr | None:
    """The keyword argument of a call; None where it has none of that name."""
    keywords = call.keywords if isinstance(call, ast.Call) else []
    return next((each.value for each in keywords if each.arg == name), None)


def _entry(
    name: str, module: str, constant: str, keyword: str, handlers: Mapping[str, str] | None
) -> ToolEntry:
    """What the registry has of a tool; all else of an entry has no part in it. `handlers` is None for an
    external tool, which has no handler there."""
    handler = "" if handlers is None else handlers[keyword].removesuffix(" | None").rpartition(".")[2]
    return ToolEntry(
        path="",
        name=name,
        group="",
        module=module.removeprefix("."),
        constant=constant,
        keyword=keyword,
        params="",
        handler=handler,
        external=handlers is None,
    )
