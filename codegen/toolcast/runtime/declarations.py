"""The tools of a view as declarations in TypeScript or Python, for code that a model writes.

A group is a namespace (in Python a module), a tool is a function in it. Tools whose spec lets only the model
call them are left out, and external ones; those that are deferred are named, and declared in full by
`describe`.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Protocol

import msgspec
from msgspec import Struct

from ..jsonschema.json_values import JsonObject
from .binding import AnyBinding, Level
from .declaration_text import declare_tool
from .declaration_text.names import IMPORT, INTEGER_ALIAS, OPEN_ALIAS, OPEN_CLASS, Language, free_names
from .declaration_text.names import function_names as names_of_functions
from .definitions import is_language
from .snapshot import Snapshot


class HasTools(Protocol):
    """A registry, or a selection of its tools."""

    def snapshot(self) -> Snapshot:
        """Return the tools as they are now."""
        ...


class Namespace(Struct, frozen=True):
    """A namespace of functions.

    Attributes:
        name: its qualified name, such as `crm.contacts`; empty at the top.
        functions: the tools by the names of their functions, sorted, without those of namespaces below.
    """

    name: str
    functions: Mapping[str, str]


def function_names(view: HasTools, language: Language) -> dict[str, str]:
    """Return the name of each tool that code may call, by the qualified name of its function, such as
    `files.edit`.

    Args:
        view: the tools.
        language: "typescript" or "python".

    Raises:
        ValueError: the language is neither "typescript" nor "python".
    """
    if not is_language(language):
        raise ValueError(f"There are declarations in typescript and python, not in {language!r}.")
    return names_of_functions({name: one.group for name, one in _callable(view).items()}, language)


def list_namespaces(view: HasTools, language: Language) -> tuple[Namespace, ...]:
    """Return the namespaces that have functions of their own, sorted by name.

    Args:
        view: the tools.
        language: "typescript" or "python".

    Raises:
        ValueError: the language is neither "typescript" nor "python".
    """
    found: dict[str, dict[str, str]] = {}
    for qualified, tool in function_names(view, language).items():
        namespace, _, name = qualified.rpartition(".")
        found.setdefault(namespace, {})[name] = tool
    return tuple(Namespace(name, functions) for name, functions in sorted(found.items()))


def declare(
    view: HasTools, language: Language, level: Level = "full", *, deferred: Collection[str] = ()
) -> str:
    """Return the declarations of the tools of a view: the same text for the same tools, empty without tools.

    Args:
        view: the tools.
        language: "typescript" or "python".
        level: "full", or "brief" for summaries and types without descriptions.
        deferred: namespaces whose functions are named only, like tools whose spec defers them.

    Raises:
        UnknownProviderError: nothing was generated for the language.
        ValueError: the language is neither "typescript" nor "python".
    """
    bindings = _callable(view)
    parts: list[str] = []
    for namespace in list_namespaces(view, language):
        later = {
            function
            for function, tool in namespace.functions.items()
            if bindings[tool].defer or _is_in(namespace.name, deferred)
        }
        if later and len(later) == len(namespace.functions) and namespace.name:
            parts.append(_deferred_namespace(namespace, language))
        else:
            parts.append(_declared(namespace, bindings, language, level, later))
    return _whole(parts, language)


def describe(view: HasTools, language: Language, name: str) -> str | None:
    """Return the declarations of one namespace with those below it, or one function; deferred ones, too. None
    if nothing has that name.

    Args:
        view: the tools.
        language: "typescript" or "python".
        name: qualified name of the namespace or the function; empty for all.

    Raises:
        UnknownProviderError: nothing was generated for the language.
        ValueError: the language is neither "typescript" nor "python".
    """
    bindings = _callable(view)
    chosen: list[Namespace] = []
    for namespace in list_namespaces(view, language):
        if not name or _is_in(namespace.name, (name,)):
            chosen.append(namespace)
        for function, tool in namespace.functions.items():
            if name == (f"{namespace.name}.{function}" if namespace.name else function):
                chosen.append(Namespace(namespace.name, {function: tool}))
    if not chosen:
        return None
    return _whole([_declared(one, bindings, language, "full", frozenset()) for one in chosen], language)


def _callable(view: HasTools) -> dict[str, AnyBinding]:
    found = {name: entry.binding for name, entry in view.snapshot().entries.items()}
    return {name: one for name, one in found.items() if is_callable(one)}


def is_callable(binding: AnyBinding) -> bool:
    """Tell whether code may call a tool: not if its spec leaves code out, nor an external tool, whose result
    no code waits for."""
    return not binding.external and binding.allows_caller("code")


def _is_in(namespace: str, outer: Iterable[str]) -> bool:
    return any(namespace == one or namespace.startswith(f"{one}.") for one in outer)


def _declared(
    namespace: Namespace,
    bindings: Mapping[str, AnyBinding],
    language: Language,
    level: Level,
    later: Collection[str],
) -> str:
    free = free_names(namespace.functions, language)
    texts: list[str] = []
    for function, tool in namespace.functions.items():
        if function in later:
            continue
        definition: JsonObject = msgspec.json.decode(bindings[tool].definition(language, level))
        texts.append(declare_tool(definition, language, function, free, top=not namespace.name))
    if later:
        mark = "//" if language == "typescript" else "#"
        names = ", ".join(one for one in namespace.functions if one in later)
        texts.append(f'{mark} not declared yet, describe("{namespace.name}") does: {names}\n')
    body = "\n".join(texts)
    if not namespace.name:
        return body
    if language == "python":
        return f"# module {namespace.name}\n\n{body}"
    return f"declare namespace {namespace.name} {{\n{body}}}\n"


def _deferred_namespace(namespace: Namespace, language: Language) -> str:
    mark, kind = ("//", "namespace") if language == "typescript" else ("#", "module")
    count = len(namespace.functions)
    functions = "1 function" if count == 1 else f"{count} functions"
    return f'{mark} {kind} {namespace.name}: {functions}; describe("{namespace.name}")\n'


def _whole(parts: list[str], language: Language) -> str:
    text = "\n".join(parts)
    if not text:
        return ""
    if language == "python":
        return f"{IMPORT}\n\n{OPEN_CLASS}\n\n{text}"
    return f"{INTEGER_ALIAS}\n{OPEN_ALIAS}\n{text}"
