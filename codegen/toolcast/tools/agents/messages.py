"""Texts to and from an agent's model, in any wire format."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ...agents.record import CallRecord
from ...runtime.view import ToolView
from .agent import AgentTask

_TEXTS = (None, "text", "output_text")
"""Values of `type` of a block that has text for the reader; others are reasoning, calls or media."""
_FILES = 100


def prompt(task: AgentTask) -> str:
    """Write a task as the message that its agent starts from.

    Args:
        task: the task.

    Returns:
        The text: task, facts as JSON, and files.
    """
    parts = [task.task]
    if task.context:
        facts = msgspec.json.format(msgspec.json.encode(task.context, enc_hook=str), indent=2)
        parts.append(f"Facts:\n{facts.decode()}")
    if task.attachments:
        listed = (
            f"- {each.file_path} ({'may be changed' if each.access == 'write' else 'read only'})"
            + (f": {each.note}" if each.note else "")
            for each in task.attachments
        )
        parts.append("Files:\n" + "\n".join(listed))
    return "\n\n".join(parts)


def last_text(messages: Sequence[Any]) -> str:
    """Give the text that the model wrote last.

    Args:
        messages: the conversation, in any wire format.

    Returns:
        The text of the model's messages after the last one of another role; "" where there is none.
    """
    texts: list[str] = []
    for message in reversed(messages):
        if not isinstance(message, Mapping) or not _is_models(message):
            break
        text = _text_of(message)
        if text:
            texts.append(text)
    return "\n\n".join(reversed(texts))


def written_files(calls: Sequence[CallRecord], tools: ToolView) -> tuple[str, ...]:
    """Give the files that calls wrote.

    Args:
        calls: the calls of a run.
        tools: the tools of the run.

    Returns:
        The argument `file_path` of each call that succeeded of a tool with the permission `write`, each once.
    """
    found: dict[str, None] = {}
    for call in calls:
        name = tools.resolve(call.name)
        if name is None or not call.result.success or tools.get(name).binding.permission != "write":
            continue
        path = _arguments(call.arguments).get("file_path")
        if isinstance(path, str):
            found[path] = None
    return tuple(found)[:_FILES]


def _is_models(message: Mapping[str, Any]) -> bool:
    """Whether a message is the model's. OpenAI Responses has items without a role."""
    role = message.get("role")
    return role in ("assistant", "model") or (
        role is None and message.get("type") in ("message", "reasoning")
    )


def _text_of(message: Mapping[str, Any]) -> str:
    content = message.get("content", message.get("parts"))
    if isinstance(content, str):
        return content
    if not isinstance(content, Sequence):
        return ""
    blocks = (each for each in content if isinstance(each, Mapping))
    return "".join(
        block["text"]
        for block in blocks
        if block.get("type") in _TEXTS and not block.get("thought") and isinstance(block.get("text"), str)
    )


def _arguments(value: Any) -> Mapping[str, Any]:
    if isinstance(value, (str, bytes)):
        try:
            value = msgspec.json.decode(value)
        except msgspec.DecodeError:
            return {}
    return value if isinstance(value, Mapping) else {}
