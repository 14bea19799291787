"""What a model without tool calling has to know: how to call, and what."""

from collections.abc import Iterable
from typing import Any

from ....runtime.binding import Level, ToolBinding
from ....runtime.definitions import cut_schema
from ....runtime.standalone_schema import standalone_schema
from ....runtime.view import ToolView
from ..parse_text import find_format
from ..text_format import AUTO, TextFormat
from .tool_texts import ToolText, prompt_text

_NONE = "There are no tools to call."


def instructions(
    tools: "ToolView | Iterable[ToolBinding[Any, Any]]",
    *,
    format: str | TextFormat = "toolcast",
    level: Level = "full",
) -> str:
    """Write the block for the system prompt that tells a model how to call, and what.

    For another format than the canonical one it is the block that the chat template of the family's vendor
    writes. No text of a tool can leave its place, or look like a marker of the format.

    Args:
        tools: a registry, a selection, or bindings.
        format: the text format in which the model is to call: the id of a known one, its alias, or a
            format of your own.
        level: "full", or "brief" for summaries, and schemas cut to names and types.

    Returns:
        The same text each time, tools sorted by name.

    Raises:
        ValueError: `level` is neither "full" nor "brief", there is no such format, it has no prompt, or it is
            "auto", which names several.
    """
    if level not in ("full", "brief"):
        raise ValueError(f"level must be 'full' or 'brief', not {level!r}.")
    if format == AUTO:
        raise ValueError(
            "A model is asked in one form: name a format, or leave it out for the canonical one."
        )
    chosen = format if isinstance(format, TextFormat) else find_format(format)
    prompt = chosen.prompt(chosen.id if isinstance(format, TextFormat) else format)
    if prompt is None:
        raise ValueError(
            f"The text format {chosen.id!r} has no prompt: its models know no text that shows tools. Ask in "
            f"the canonical form, instructions(tools), and read both: format=['toolcast', {chosen.id!r}]."
        )
    bindings = [tools.get(name).binding for name in tools] if isinstance(tools, ToolView) else tools
    listed = [_tool_text(binding, level) for binding in sorted(bindings, key=lambda each: each.name)]
    return prompt_text(chosen, prompt, listed) if listed else _NONE


def _tool_text(binding: ToolBinding[Any, Any], level: Level) -> ToolText:
    schema = standalone_schema(binding)
    if level == "brief":
        return ToolText(binding.name, binding.summary, cut_schema(schema))
    return ToolText(binding.name, binding.description, schema)
