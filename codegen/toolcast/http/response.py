"""From an HTTP answer to a tool's result: data, text, files, or what went wrong, in words for the model."""

import re
from email.message import Message
from http import HTTPStatus
from typing import Any, Final

import msgspec

from ..hidden_characters import without_hidden
from ..runtime.binding import ToolBinding
from ..runtime.checked_types import decode_hook
from ..runtime.middleware.secrets.redactor import Redactor
from ..runtime.middleware.secrets.searched_values import SHORTEST
from ..runtime.result import Content, ToolResult
from .client import SAFE_METHODS, Answer
from .operation import is_json

_WORDS: Final = 2_000
"""Characters of an API's own message that reach the model."""
_READ: Final = 4 * _WORDS
"""Bytes of an error that are looked at."""
_TEXT: Final = re.compile(r"text/|application/(xml|javascript|yaml|x-yaml|x-ndjson|graphql)$|.*\+(xml|yaml)$")
_TAGS: Final = re.compile(r"^\s*<(!doctype|html)", re.IGNORECASE)


def to_result(binding: ToolBinding[Any, Any], host: str, method: str, answer: Answer) -> ToolResult:
    """Make a result of an answer.

    Args:
        binding: the tool.
        host: name of the server, for messages.
        method: the request's method, in upper case.
        answer: the whole answer.

    Returns:
        A success for a status below 400. JSON is `data`, typed where it fits the contract of results;
        text is `output`; all else is content.
    """
    if answer.status >= 400:
        return ToolResult.failed(_failure(host, method, answer))
    if answer.location:
        line = f"{host} answered {_status(answer.status)}: it refers to another server, which was not asked: "
        return ToolResult.ok(line + without_hidden(answer.location)[:_WORDS])
    if not answer.content:
        return ToolResult.ok(f"{host} answered {_status(answer.status)}, with no content.")
    media_type, charset = _media_type(answer)
    if is_json(media_type):
        return _json(binding, host, answer.content)
    if _TEXT.match(media_type):
        return ToolResult.ok(_decoded(answer.content, charset))
    kind = media_type.partition("/")[0]
    name = _filename(answer)
    words = f"{host} answered with {len(answer.content)} bytes of {media_type}."
    if kind == "image":
        return ToolResult.ok(words, content=(Content.image(answer.content, media_type),))
    if kind == "audio":
        return ToolResult.ok(words, content=(Content.audio(answer.content, media_type),))
    return ToolResult.ok(words, content=(Content.file(answer.content, media_type, name),))


def without_values(answer: Answer, values: tuple[str, ...]) -> Answer:
    """An answer in which no credential stands as it was sent. Of an error, which is text for the model, all
    encodings are searched; a long answer would take seconds."""
    kept = [value for value in values if len(value) >= SHORTEST]
    content = answer.content
    for value in kept:
        content = content.replace(value.encode(), b"[redacted]")
    if kept and answer.status >= 400:
        redactor = Redactor()
        for value in kept:
            redactor.add("credential", value)
        text = redactor.text(content[:_READ].decode("utf-8", "replace"))
        # What was cut may end in a part of a value.
        content = (text if len(content) <= _READ else text[: -len(max(kept, key=len)) * 4]).encode()
    return msgspec.structs.replace(answer, content=content)


def _json(binding: ToolBinding[Any, Any], host: str, content: bytes) -> ToolResult:
    try:
        data = msgspec.json.decode(content)
        text = msgspec.json.format(content, indent=-1).decode()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ToolResult.failed(
            f"{host} answered with what it calls JSON and is none. This is a fault of the API; do not repeat "
            "the call unchanged more than once."
        )
    return ToolResult.ok(text, _typed(binding, data))


def _typed(binding: ToolBinding[Any, Any], data: Any) -> Any:
    """The data as the result's type where the contract accepts it; else as it came. `check_results` of the
    registry makes a failure of what does not fit."""
    if binding.result is None:
        return data
    validator = binding._result().validator()
    settled = validator.settle(data)
    if not validator.accepts(settled):
        return data
    try:
        return msgspec.json.decode(msgspec.json.encode(settled), type=binding.result, dec_hook=decode_hook)
    except (msgspec.MsgspecError, RecursionError):
        return data


def _media_type(answer: Answer) -> tuple[str, str]:
    """The media type and the charset of an answer; bytes where it says none that could be one."""
    message = Message()
    message["Content-Type"] = answer.headers.get("content-type", "application/octet-stream")
    media_type, charset = message.get_content_type(), message.get_content_charset("utf-8")
    try:
        Content.file(b"", media_type)
    except ValueError:
        media_type = "application/octet-stream"
    return media_type, charset


def _decoded(content: bytes, charset: str) -> str:
    try:
        return content.decode(charset, "replace")
    except (LookupError, ValueError):
        return content.decode("utf-8", "replace")


def _filename(answer: Answer) -> str:
    """The file name that an answer has, without folders; "" for none."""
    message = Message()
    message["Content-Disposition"] = answer.headers.get("content-disposition", "")
    name = message.get_filename("") or ""
    plain = without_hidden(name.replace("\\", "/").rpartition("/")[2])[:100]
    return "" if plain in (".", "..") else "".join(sign for sign in plain if sign.isprintable())


def _status(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def _failure(host: str, method: str, answer: Answer) -> str:
    status = answer.status
    words = _message(answer)
    line = f"{host} answered {_status(status)}{': ' + words if words else '.'}"
    return f"{line}\n{_advice(status, method, answer)}"


def _message(answer: Answer) -> str:
    """The API's own message, bounded; nothing of a page of HTML."""
    media_type, charset = _media_type(answer)
    text = _decoded(answer.content[:_READ], charset)
    if not (is_json(media_type) or media_type.startswith("text/")) or _TAGS.match(text):
        return ""
    text = without_hidden(" ".join(text.split()))
    return text if len(text) <= _WORDS else f"{text[:_WORDS]}…"


def _advice(status: int, method: str, answer: Answer) -> str:
    """What the model can do."""
    if status in (400, 409, 412, 415, 422):
        return "Correct the arguments before you call it again."
    if status == 401:
        return "The program's credentials are missing or not valid. No argument changes that: tell the user."
    if status == 403:
        return "The program's credentials do not allow this. No argument changes that: tell the user."
    if status in (404, 410):
        return "Look whether the names and ids in the arguments exist, and may be seen."
    if status == 429 or (status == 503 and "retry-after" in answer.headers):
        after = without_hidden(answer.headers.get("retry-after", "")).strip()[:60]
        wait = f"Wait {after} seconds" if after.isdecimal() else f"Wait until {after}" if after else "Wait"
        return f"{wait} before you call it again."
    if status >= 500 and method in SAFE_METHODS:
        return "This is a fault of the server; do not repeat the call unchanged more than once."
    if status >= 500:
        return "This is a fault of the server. The call may have taken effect: look before you call it again."
    return "Change the arguments, or go on without this call."
