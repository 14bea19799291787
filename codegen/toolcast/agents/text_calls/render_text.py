"""Calls and results as text."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from ...runtime.encode import to_builtins
from ...runtime.result import ToolResult
from .parsed_text import Call, Problem

_BREAKS = re.compile("[\x7f-\x9f\u2028\u2029]")
"""Ends of lines, for some readers, that JSON does not escape."""
_MARKS = (("&", "&amp;"), ("<", "&lt;"), ("TOOL_CALL", "TOOL&#95;CALL"))
"""What could close a block or open a call, and what is written instead."""
_FENCE = re.compile("`{3,}")


def _key(*names: str) -> re.Pattern[str]:
    """One of some names as a key of JSON, any of its letters written as an escape."""
    spelt = ("".join(f"(?:{letter}|\\\\u00{ord(letter):x})" for letter in name) for name in names)
    return re.compile(rf'"(?P<key>{"|".join(spelt)})"(?=\s*:)', re.IGNORECASE)


_NAME_KEY = _key("name", "function")
_ARGUMENTS_KEY = _key("arguments", "parameters")


def render_call(name: str, arguments: Any) -> str:
    """Write a call in the canonical form. No `<` of the arguments stays as it is, so nothing ends the block
    early.

    Args:
        name: name of the tool.
        arguments: typed parameters or plain data.

    Returns:
        `<tool_call>{"name": …, "arguments": {…}}</tool_call>`.
    """
    body = msgspec.json.encode({"name": name, "arguments": to_builtins(arguments)}).decode()
    return f"<tool_call>{inert_json(body)}</tool_call>"


def inert_json(text: str) -> str:
    """JSON text that means the same, on one line, and holds no mark of a call or a fence."""
    text = _BREAKS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    text = text.replace("<", "\\u003c").replace("`", "\\u0060")
    return text.replace("TOOL_CALL", "TOOL\\u005fCALL")


def render_results(
    calls: Sequence[Call], results: Sequence[ToolResult], problems: Iterable[Problem] = ()
) -> str:
    """Write the message that answers the calls of a text.

    Args:
        calls: the calls.
        results: one result for each call, in the same order.
        problems: calls that could not be read.

    Returns:
        Blocks in the order of the text; "" where there is nothing to answer.

    Raises:
        ValueError: there are not as many results as calls.
    """
    if len(calls) != len(results):
        raise ValueError(f"There are {len(calls)} calls, and {len(results)} results.")
    parts = [
        (call.start, _block(call.name, call.id, result)) for call, result in zip(calls, results, strict=True)
    ]
    parts += [(problem.start, _problem(problem)) for problem in problems]
    if not parts:
        return ""
    parts.sort(key=lambda part: part[0])  # stable: calls of one block keep their order
    return "\n".join(["[Tool results]", *(block for _, block in parts)])


def escaped(text: str) -> str:
    """Text that can neither end the block it stands in nor begin a call, also where a model repeats it.

    Character references stand for what could; `&` is one, too, so that each text has its own form. JSON that
    is a call without any mark has a name and arguments: the key of the latter loses its quotes.
    """
    for mark, instead in _MARKS:
        text = text.replace(mark, instead)
    text = _FENCE.sub(lambda found: "&#96;" * len(found[0]), text)
    if _NAME_KEY.search(text):
        text = _ARGUMENTS_KEY.sub(r"&quot;\g<key>&quot;", text)
    return text


def _block(name: str, id: str, result: ToolResult) -> str:
    if result.success:
        words, status = result.output, "ok"
    else:
        words = "\n".join(text for text in (result.error, result.output) if text) or "The tool failed."
        status = "error"
    pieces = [words] if words else []
    for piece in result.content:
        if piece.kind == "text":
            pieces.append(piece.text)
        else:
            pieces.append(f"({piece.kind} content cannot be shown as text)")
    id_attribute = f' id="{_attribute(id)}"' if id else ""
    content = escaped("\n".join(pieces))
    return f'<tool_result name="{_attribute(name)}"{id_attribute} status="{status}">{content}</tool_result>'


def _problem(problem: Problem) -> str:
    words = (
        f"A call was not carried out: {problem.reason}. Write it again as "
        '<tool_call>{"name": …, "arguments": {…}}</tool_call>.'
    )
    return f'<tool_result name="" status="error">{escaped(words)}</tool_result>'


def _attribute(text: str) -> str:
    """Short, on one line, and without what ends an attribute."""
    line = " ".join(text.split())[:128]
    return escaped(line).replace('"', "&quot;").replace(">", "&gt;")
