"""The state of a set of specs at one time: the tools and shared types, whatever they were read from."""

from collections.abc import Mapping

from msgspec import Struct

from ..diagnostics import Diagnostic
from ..spec.parsed_document import Document
from ..spec.tool_spec import ToolSpec


class State(Struct, frozen=True, kw_only=True):
    """One side of a comparison. Tools that do not compile are in `diagnostics` and nowhere else.

    Attributes:
        label: the state's name in messages: "HEAD~1", "the work tree", "tools.json".
        tools: by name, those whose spec, or a type that it refers to, is not the same in the other state.
        types: shared types by posix path below the specs root.
        unchanged: names of all other tools, sorted: they are the same in both states, and were not read.
        refused: paths and names of tools whose spec has errors: they are there, and nothing else is known.
        diagnostics: what could not be read.
        listed: the state is a list of tools, as a server publishes it: it has no secrets, no settings of
            providers, and nothing else that such a list does not state. The permission of each tool is what
            its hints claim, `write` where they claim nothing.
    """

    label: str
    tools: Mapping[str, ToolSpec]
    types: Mapping[str, Document]
    unchanged: tuple[str, ...] = ()
    refused: frozenset[str] = frozenset()
    diagnostics: tuple[Diagnostic, ...] = ()
    listed: bool = False
