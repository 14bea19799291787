"""Tools, calls and results as text: the part of a system prompt that says how to call, and the messages."""

import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from ...runtime.binding import AnyBinding
from ...runtime.codec import to_builtins
from ...runtime.definitions import cut_schema
from ...runtime.result import ToolResult
from ...runtime.standalone_schema import standalone_schema
from ...runtime.view import ToolView
from ...text_formats.text_format import AUTO, Response, TextFormat, find_format
from ..disclosure import LEVELS, TEXT, Disclosure, Level, stub_text
from .inert_text import Inert, inert
from .parse_text import Formats
from .parsed_text import Call, Problem
from .tool_texts import ToolText, prompt_text

_CANONICAL = "toolcast"
_HOLE = re.compile(r"\{(content|content-json|name|id|id-json|id-attribute|status)\}")
_NAMED = {
    "json-arguments": re.compile(r"()\{(?=\s*[\"}])"),
    "words": re.compile(r"(?<!\S)([^\s/>]{1,256}/[^\s/>]{0,256})>"),
}
"""Matches what follows the tool's name in calls that begin with it."""


def _key(*names: str) -> re.Pattern[str]:
    """Match one of some names as a key of JSON, any of its letters written as an escape."""
    spelt = ("".join(f"(?:{letter}|\\\\u00{ord(letter):x})" for letter in name) for name in sorted({*names}))
    return re.compile(rf'"(?P<key>{"|".join(spelt)})"(?=\s*:)', re.IGNORECASE)


def render_call(name: str, arguments: object) -> str:
    """Write a call in the canonical form, without any `<` of the arguments that could end the block.

    Args:
        name: name of the tool.
        arguments: typed parameters or plain data.

    Returns:
        `<tool_call>{"name": …, "arguments": {…}}</tool_call>`.
    """
    body = msgspec.json.decode(msgspec.json.encode({"name": name, "arguments": to_builtins(arguments)}))
    return f"<tool_call>{inert(()).json(body, compact=True)}</tool_call>"


def render_results(
    calls: Sequence[Call],
    results: Sequence[ToolResult],
    problems: Iterable[Problem] = (),
    *,
    format: Formats = _CANONICAL,
) -> str:
    """Write the message that answers the calls of a text.

    Args:
        calls: the calls.
        results: one result for each call, in the same order.
        problems: calls that could not be read.
        format: the text format in which the model calls. The form is canonical for "auto", for several, and
            for a format whose results have no marks.

    Returns:
        Blocks in the order of the text; "" where there is nothing to answer.

    Raises:
        ValueError: there are not as many results as calls, or there is no such format.
    """
    if len(calls) != len(results):
        raise ValueError(f"There are {len(calls)} calls, and {len(results)} results.")
    writer = _Writer(*_form(format))
    parts = [(call.start, writer.block(call, result)) for call, result in zip(calls, results, strict=True)]
    parts += [(problem.start, writer.problem(problem)) for problem in problems]
    parts.sort(key=lambda part: part[0])  # stable: calls of one block keep their order
    return writer.message([block for _, block in parts]) if parts else ""


def escaped(text: str, formats: tuple[TextFormat, ...] = ()) -> str:
    """Return text that can neither end its block nor begin a call, also where a model repeats it.

    Character references stand for what could, and for `&`, so that each text has its own form. JSON that is a
    call without any mark loses the quotes of the key of its arguments. `formats` are read beside those that
    need not be named.
    """
    text = inert(formats).references(text.replace("&", "&amp;"))
    forms = [form for format in formats for form in format.calls]
    if _key("name", "function", *(name for form in forms for name in form.names)).search(text):
        keys = _key("arguments", "parameters", *(name for form in forms for name in form.arguments))
        text = keys.sub(r"&quot;\g<key>&quot;", text)
    for form in forms:
        if any(template.startswith("{") for template in form.open) and not form.close:
            text = _NAMED[form.content].sub(_reference, text) if form.content in _NAMED else text
    return text


def _reference(found: re.Match[str]) -> str:
    return f"{found[1]}&#{ord(found[0][-1])};"


def _form(format: Formats) -> tuple[tuple[TextFormat, ...], Response]:
    """Return the named formats, and the form of results: that of the only one, or else canonical."""
    several = [format] if isinstance(format, (str, TextFormat)) else [*format]
    named = [each for each in several if each != AUTO]
    chosen = tuple(each if isinstance(each, TextFormat) else find_format(each) for each in named)
    response = None
    if len(several) == len(chosen) == 1:
        name = named[0]
        response = chosen[0].response(name if isinstance(name, str) else chosen[0].id)
    return chosen, response or find_format(_CANONICAL).responses[0]


class _Writer:
    def __init__(self, formats: tuple[TextFormat, ...], response: Response) -> None:
        self._formats = formats
        self._response = response
        self._safe: Inert = inert(formats)

    def message(self, blocks: Sequence[str]) -> str:
        before, _, after = self._response.text.partition("{results}")
        return f"{before}{self._response.join.join(blocks)}{after}"

    def block(self, call: Call, result: ToolResult) -> str:
        if result.success:
            words = result.output
        else:
            words = "\n".join(text for text in (result.error, result.output) if text) or "The tool failed."
        pieces = [words] if words else []
        for piece in result.content:
            if piece.kind == "text":
                pieces.append(piece.text)
            else:
                pieces.append(f"({piece.kind} content cannot be shown as text)")
        return self._result(call.name, call.id, "\n".join(pieces), failed=not result.success)

    def problem(self, problem: Problem) -> str:
        words = f"A call was not carried out: {problem.reason}. {self._response.again}"
        return self._result("", "", words, failed=True)

    def _result(self, name: str, id: str, content: str, *, failed: bool) -> str:
        if failed and "{status}" not in self._response.result:
            content = f"Error: {content}"
        parts: Mapping[str, str] = {
            "content": escaped(content, self._formats),
            "content-json": self._safe.json(escaped(content, self._formats)),
            "name": self._attribute(name),
            "id": self._attribute(id),
            "id-json": self._safe.json(id),
            "id-attribute": f' id="{self._attribute(id)}"' if id else "",
            "status": "error" if failed else "ok",
        }
        return _HOLE.sub(lambda found: parts[found[1]], self._response.result)

    def _attribute(self, text: str) -> str:
        """Write text short, on one line, and without what ends an attribute."""
        line = " ".join(text.split())[:128]
        return escaped(line, self._formats).replace('"', "&quot;").replace(">", "&gt;")


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
