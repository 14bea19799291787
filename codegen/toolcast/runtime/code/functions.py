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
    """Make the value that a program gets of a success.

    A typed result is there in full, whatever limit the text for models has.

    Args:
        binding: binding of the tool.
        result: a success.
        language: whose declarations the program was written against; None for the contract's own form.

    Returns:
        JSON data: the typed value; the text of any other result, with what it says beside it, and in words
        what code cannot hold.

    Raises:
        TypeError: the typed value has no JSON form.
        ValueError: the same.
    """
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
    """What a namespace has.

    Attributes:
        namespaces: the names of its namespaces.
        functions: the names of its functions.
    """

    namespaces: list[str]
    functions: list[str]


class Functions:
    """The functions that stand for the tools of a view, as it is at the moment of each question.

    Without a language, groups and tools have their own names, and there are no declarations.
    """

    def __init__(self, view: ToolView, language: Language | None) -> None:
        """Name the tools.

        Args:
            view: the tools.
            language: whose declarations programs are written against, or None.

        Raises:
            UnknownProviderError: nothing was generated for the language.
        """
        if language is not None:
            view.definitions(language)
        self.view = view
        self.language: Language | None = language
        self._named = view.snapshot(), self._name_tools()

    @property
    def tools(self) -> dict[str, str]:
        """By the qualified name of its function, each tool that code may call."""
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
        """Find a tool that code may not call.

        Args:
            function: what the program wrote for the name of a function.

        Returns:
            The tool's name; None where the name means no tool, or one that code may call.
        """
        for name, binding in self._bindings().items():
            own = _own_name(binding)
            if not is_callable(binding) and function in (own, re.sub(r"[^A-Za-z0-9_.]", "_", own)):
                return name
        return None

    def list_names(self, namespace: str) -> Names | None:
        """List what a namespace has.

        Args:
            namespace: its qualified name; "" for the top.

        Returns:
            Its names, sorted; None where there is no such namespace.
        """
        prefix = f"{namespace}." if namespace else ""
        inner = [name.removeprefix(prefix) for name in self.tools if name.startswith(prefix)]
        if not inner and namespace:
            return None
        return Names(
            namespaces=sorted({name.partition(".")[0] for name in inner if "." in name}),
            functions=sorted(name for name in inner if "." not in name),
        )

    def describe(self, name: str) -> str | None:
        """Give the declarations of a namespace, or of one function.

        Args:
            name: qualified name; "" for all.

        Returns:
            The text; None where nothing has that name, and without a language.
        """
        return None if self.language is None else describe(self.view, self.language, name)

    def unknown(self, name: str) -> str:
        """Say that nothing has a name, with the nearest names.

        Args:
            name: what the program wrote.

        Returns:
            Text for the program.
        """
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
