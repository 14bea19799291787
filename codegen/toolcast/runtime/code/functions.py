"""The tools of a view as functions of a program: `files.edit` is the tool `edit` of the group `files`."""

import difflib
from collections.abc import Mapping
from typing import TypedDict

from ..view import ToolView
from .records import Language

_LISTED = 20


class Names(TypedDict):
    """What a namespace has.

    Attributes:
        namespaces: the names of its namespaces.
        functions: the names of its functions.
    """

    namespaces: list[str]
    functions: list[str]


def tools_by_function(view: ToolView, language: Language | None) -> dict[str, str]:
    """Name the tools as code does.

    Args:
        view: the tools.
        language: whose declarations the program was written against.

    Returns:
        By the qualified name of a function, the name of its tool.
    """
    del language
    named = {}
    for name, entry in view.snapshot().entries.items():
        named[".".join([*filter(None, entry.binding.group.split("/")), name])] = name
    return named


def list_names(functions: Mapping[str, str], namespace: str) -> Names | None:
    """List what a namespace has.

    Args:
        functions: tools by the names of their functions.
        namespace: its qualified name; "" for the top.

    Returns:
        Its names, sorted; None where there is no such namespace.
    """
    prefix = f"{namespace}." if namespace else ""
    inner = [name.removeprefix(prefix) for name in functions if name.startswith(prefix)]
    if not inner and namespace:
        return None
    return Names(
        namespaces=sorted({name.partition(".")[0] for name in inner if "." in name}),
        functions=sorted(name for name in inner if "." not in name),
    )


def describe(view: ToolView, language: Language | None, name: str) -> str | None:
    """Give the declarations of a namespace, or of one function.

    Args:
        view: the tools.
        language: the language of the declarations.
        name: qualified name; "" for all.

    Returns:
        The text; None where there is no such name, or no language.
    """
    functions = tools_by_function(view, language)
    chosen = [
        tool for function, tool in functions.items() if f"{function}.".startswith(f"{name}.") or not name
    ]
    if language is None or (name and not chosen):
        return None
    return "\n".join(view.get(tool).binding.definition(language).decode() for tool in chosen)


def unknown_function(name: str, functions: Mapping[str, str]) -> str:
    """What a program reads of a name that nothing has, with the nearest names.

    Args:
        name: the name.
        functions: tools by the names of their functions.

    Returns:
        A sentence or two.
    """
    shown = name[:100]
    near = difflib.get_close_matches(shown, functions, n=3)
    same = [known for known in functions if known.rpartition(".")[2] == shown.rpartition(".")[2]]
    if near or same:
        return f"There is no {shown!r}. Did you mean {', '.join(dict.fromkeys([*same[:3], *near]))}?"
    listed = ", ".join(sorted(functions)[:_LISTED]) + (", …" if len(functions) > _LISTED else "")
    return f"There is no {shown!r}. " + (f"Functions: {listed}." if functions else "There are no functions.")
