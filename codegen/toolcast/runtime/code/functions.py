"""The tools of a view as functions of a program: `files.edit` is the tool `edit` of the group `files`."""

import re
from typing import Any, TypedDict

import msgspec

from ...declarations.names import Language
from ..binding import ToolBinding
from ..declarations import describe, function_names, is_callable
from ..result import Content, ToolResult, structured
from ..tool_names import near_names
from ..view import ToolView


def result_value(binding: ToolBinding[Any, Any], result: ToolResult, language: Language | None) -> Any:
    """Make the value that a program gets of a success, as JSON data: the typed value, in full whatever limit
    the text for models has; else the text, with its content, described in words if code cannot hold it.
    `language` is that of the program's declarations; None for the contract's own form. Raises TypeError or
    ValueError if the typed value has no JSON form."""
    value = structured(result)
    if value is not msgspec.UNSET:
        return value
    if binding.result is not None:
        if result.data is not None:
            return msgspec.Raw(binding.encode_result(result.data, language))
        if not result.output and not result.content:
            return None
    return "\n".join(text for text in (result.output, *map(_in_words, result.content)) if text)


def _in_words(piece: Content) -> str:
    if piece.kind == "text":
        return piece.text
    name = f" {piece.name[:100]!r}" if piece.name else ""
    return f"[{piece.kind}{name}, {piece.media_type}, {len(piece.data)} bytes: left out, code gets text]"


_LISTED = 20


class Names(TypedDict):
    """The names of the `namespaces` and `functions` of a namespace."""

    namespaces: list[str]
    functions: list[str]


class Functions:
    """The functions that stand for the tools of a view, as it is at the moment of each question. Without a
    language, groups and tools have their own names, and there are no declarations."""

    def __init__(self, view: ToolView, language: Language | None) -> None:
        """Name the tools; `language` is that of the programs' declarations, or None. Raises
        UnknownProviderError if nothing was generated for it."""
        if language is not None:
            view.definitions(language)
        self.view = view
        self.language: Language | None = language
        self._named = view.snapshot(), self._name_tools()

    @property
    def tools(self) -> dict[str, str]:
        """Return each tool that code may call by the qualified name of its function."""
        snapshot = self.view.snapshot()
        if self._named[0] is not snapshot:
            self._named = snapshot, self._name_tools()
        return self._named[1]

    def _name_tools(self) -> dict[str, str]:
        if self.language is not None:
            return function_names(self.view, self.language)
        found = self._bindings().items()
        return {_own_name(binding): name for name, binding in found if is_callable(binding)}

    def _bindings(self) -> dict[str, ToolBinding[Any, Any]]:
        return {name: entry.binding for name, entry in self.view.snapshot().entries.items()}

    def for_model_only(self, function: str) -> str | None:
        """Return the name of a tool that code may not call, by its function; None for any other name."""
        for name, binding in self._bindings().items():
            own = _own_name(binding)
            if not is_callable(binding) and function in (own, re.sub(r"[^A-Za-z0-9_.]", "_", own)):
                return name
        return None

    def list_names(self, namespace: str) -> Names | None:
        """Return the sorted names in a namespace, "" for the top; None if there is no such namespace."""
        prefix = f"{namespace}." if namespace else ""
        inner = [name.removeprefix(prefix) for name in self.tools if name.startswith(prefix)]
        if not inner and namespace:
            return None
        return Names(
            namespaces=sorted({name.partition(".")[0] for name in inner if "." in name}),
            functions=sorted(name for name in inner if "." not in name),
        )

    def describe(self, name: str) -> str | None:
        """Return the declarations of a namespace or function, "" for all; None if nothing has that name, and
        without a language."""
        return None if self.language is None else describe(self.view, self.language, name)

    def unknown(self, name: str) -> str:
        """Return the text for a program about a name that nothing has, with the nearest names."""
        known = self.tools
        shown = name[:100]
        same = [each for each in known if each.rpartition(".")[2] == shown.rpartition(".")[2]]
        near = dict.fromkeys([*same[:3], *near_names(shown, known)])
        if near:
            return f"There is no {shown!r}. Did you mean {', '.join(near)}?"
        listed = ", ".join([*known][:_LISTED]) + (", …" if len(known) > _LISTED else "")
        return f"There is no {shown!r}. " + (f"Functions: {listed}." if known else "There are no functions.")


def _own_name(binding: ToolBinding[Any, Any]) -> str:
    return ".".join([*filter(None, binding.group.split("/")), binding.name])
