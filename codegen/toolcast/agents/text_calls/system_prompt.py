"""The part of a system prompt that says how to call, and what."""

from collections.abc import Iterable

from ...runtime.binding import AnyBinding
from ...runtime.definitions import cut_schema
from ...runtime.standalone_schema import standalone_schema
from ...runtime.view import ToolView
from ..disclosure import LEVELS, TEXT, Disclosure, Level, stub_text
from .parse_text import find_format
from .text_format import AUTO, TextFormat
from .tool_texts import ToolText, prompt_text

_NONE = "There are no tools to call."


def instructions(
    tools: "ToolView | Disclosure | Iterable[AnyBinding]",
    *,
    format: str | TextFormat = "toolcast",
    level: Level | None = None,
) -> str:
    """Write the block for the system prompt that tells a model how to call, and what.

    For another format than the canonical one it is that of the vendor's chat template. No text of a tool can
    leave its place, or look like a marker of the format.

    Args:
        tools: a registry, a selection, bindings, or a `Disclosure` for "text", which has its own levels.
        format: the text format in which the model is to call: the id of a known one, its alias, or a format
            of your own.
        level: "full"; "brief" for summaries, and schemas cut to names and types; or "summary" for names and
            summaries. None is "full". Only a Disclosure answers wrong calls with the full schema, and says
            so.

    Returns:
        The same text each time, tools sorted by name; those of a Disclosure in its order.

    Raises:
        ValueError: there is no such level, or it stands beside a Disclosure; the Disclosure is for another
            provider; there is no such format, it has no prompt, or it is "auto", which names several.
    """
    if level is not None and level not in LEVELS:
        raise ValueError(f"There is no level {level!r}. Choose among {', '.join(LEVELS)}.")
    return _block(_shown(tools, level), format, upgraded=isinstance(tools, Disclosure))


def tools_block(shown: Iterable[tuple[AnyBinding, Level]], format: str | TextFormat = "toolcast") -> str:
    """Write the block for the tools of a Disclosure in their order. Raises as `instructions` does."""
    return _block(shown, format, upgraded=True)


def _block(shown: Iterable[tuple[AnyBinding, Level]], format: str | TextFormat, *, upgraded: bool) -> str:
    """`upgraded`: a wrong call of a stub brings the full schema."""
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
    listed = [_tool_text(binding, each, upgraded) for binding, each in shown]
    return prompt_text(chosen, prompt, listed) if listed else _NONE


def _shown(
    tools: "ToolView | Disclosure | Iterable[AnyBinding]", level: Level | None
) -> Iterable[tuple[AnyBinding, Level]]:
    """List the tools in their order, and how much of each is shown."""
    if isinstance(tools, Disclosure):
        if level is not None:
            raise ValueError("A Disclosure has levels of its own: give them to it, or give the registry.")
        if tools.provider != TEXT:
            raise ValueError(
                f"The tools are disclosed to {tools.provider!r}: prompts need Disclosure(registry, {TEXT!r})."
            )
        return tools.shown()
    bindings = [tools.get(name).binding for name in tools] if isinstance(tools, ToolView) else tools
    return [(binding, level or "full") for binding in sorted(bindings, key=lambda each: each.name)]


def _tool_text(binding: AnyBinding, level: Level, upgraded: bool) -> ToolText:
    if level == "full":
        return ToolText(binding.name, binding.description, standalone_schema(binding))
    # At "summary" any arguments fit: a stub refuses nothing that the tool takes.
    schema = {"type": "object", "additionalProperties": True}
    if level == "brief":
        whole = standalone_schema(binding)
        schema = cut_schema(whole)
        upgraded = upgraded and (schema != whole or binding.description != binding.summary)
    return ToolText(binding.name, stub_text(binding.summary) if upgraded else binding.summary, schema)
