"""From an HTTP answer to a tool's result: data, text, files, or what went wrong, in words for the model."""

import codecs
import re
from email.message import Message
from http import HTTPStatus
from typing import Any, Final

import msgspec

from ..hidden_characters import without_hidden
from ..jsonschema.regex_cache import in_one_call
from ..runtime.binding import ToolBinding
from ..runtime.checked_types import decode_hook
from ..runtime.middleware.secrets.redactor import Redactor
from ..runtime.result import Content, ToolResult
from .client import SAFE_METHODS, Answer
from .operation import is_json

_WORDS: Final = 2_000
"""Characters of an API's own message that reach the model."""
_READ: Final = 64_000
"""Bytes of an error that are looked at."""
_CUT: Final = 16_000
"""Characters at the end of what was cut that are not shown: they may be a part of a credential."""
CHARSETS: Final = frozenset(
    {"utf-8", "utf-16", "utf-16-le", "utf-16-be", "koi8-r", "koi8-u", "mac-roman", "cp866", "cp874", "cp949"}
    | {"gb2312", "gbk", "gb18030", "big5", "euc_jp", "iso2022_jp", "shift_jis", "cp932", "euc_kr"}
    | {f"cp{number}" for number in range(1250, 1259)}
    | {f"iso8859-{number}" for number in range(2, 17) if number != 12}
)
"""Charsets of the web (Encoding standard) by the names of Python, which also has codecs that are none."""
_TEXT: Final = re.compile(r"text/|application/(xml|javascript|yaml|x-yaml|x-ndjson|graphql)$|.*\+(xml|yaml)$")
_TAGS: Final = re.compile(r"^\s*<(!doctype|html)", re.IGNORECASE)


def to_result(
    binding: ToolBinding[Any, Any], host: str, method: str, answer: Answer, redactor: Redactor
) -> ToolResult:
    """Make a result of an answer.

    Args:
        binding: the tool.
        host: name of the server, for messages.
        method: the request's method, in upper case.
        answer: the whole answer.
        redactor: knows the values of credentials, which no part of the result has.

    Returns:
        A success for a status below 400. JSON is `data`, typed where it fits the contract of results;
        text is `output`; all else is content.
    """
    # What is cut or chosen by is searched first: half a value would not be found any more.
    answer = msgspec.structs.replace(
        answer, headers=redactor.value(answer.headers), location=redactor.text(answer.location)
    )
    is_data = answer.status < 400 and not answer.location and is_json(_media_type(answer)[0])
    if is_data and answer.content:
        return _json(binding, host, answer.content, redactor)
    result: ToolResult = redactor.value(_result(host, method, answer, redactor))
    return result


def _result(host: str, method: str, answer: Answer, redactor: Redactor) -> ToolResult:
    """The result of what is no JSON."""
    if answer.status >= 400:
        return ToolResult.failed(_failure(host, method, answer, redactor))
    if answer.location:
        return _unfollowed(host, method, answer)
    if not answer.content:
        return ToolResult.ok(f"{host} answered {_status(answer.status)}, with no content.")
    media_type, charset = _media_type(answer)
    if _TEXT.match(media_type):
        text = _decoded(answer.content, charset)
        if text is None:
            return ToolResult.failed(f"{host} answered {_UNREAD}{_effect(method)}")
        return ToolResult.ok(text)
    kind = media_type.partition("/")[0]
    words = f"{host} answered with {len(answer.content)} bytes of {media_type}."
    if kind == "image":
        return ToolResult.ok(words, content=(Content.image(answer.content, media_type),))
    if kind == "audio":
        return ToolResult.ok(words, content=(Content.audio(answer.content, media_type),))
    name = _filename(answer, redactor)
    return ToolResult.ok(words, content=(Content.file(answer.content, media_type, name),))


def _unfollowed(host: str, method: str, answer: Answer) -> ToolResult:
    location = without_hidden(answer.location)[:_WORDS]
    line = f"{host} answered {_status(answer.status)}: it "
    if answer.problem:
        return ToolResult.failed(
            f"{line}redirects, but {answer.problem}, so nothing else was asked: {location}\nThis is a fault "
            f"of the server; do not repeat the call unchanged.{_effect(method)}"
        )
    return ToolResult.ok(f"{line}refers to another server, which was not asked: {location}")


def _json(binding: ToolBinding[Any, Any], host: str, content: bytes, redactor: Redactor) -> ToolResult:
    try:
        data = msgspec.json.decode(content)
        text = msgspec.json.format(content, indent=-1).decode()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ToolResult.failed(
            f"{host} answered with what it calls JSON and is none. This is a fault of the API; do not repeat "
            "the call unchanged more than once."
        )
    if redactor.text(text) != text:
        data = redactor.value(data)
        # Of the data: a mark in the place of a number would be no JSON.
        text = redactor.text(msgspec.json.encode(data).decode())
    return ToolResult.ok(text, _typed(binding, data))


@in_one_call
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


_UNREAD: Final = "in a charset that is not read: the web does not have it."


def known_charset(label: str) -> str:
    """Python's name of a charset; "" for one that the web does not have."""
    if len(label) > 40 or not label.isascii():
        return ""
    try:
        name = codecs.lookup(label.strip()).name
    except (LookupError, ValueError):
        return ""
    if name in ("ascii", "iso8859-1"):
        return "cp1252"  # as the Encoding standard has it
    return name if name in CHARSETS else ""


def _decoded(content: bytes, charset: str) -> str | None:
    """The text; None where its charset is not known."""
    known = known_charset(charset)
    return content.decode(known, "replace").removeprefix("\ufeff") if known else None


def _filename(answer: Answer, redactor: Redactor) -> str:
    """The file name that an answer has, without folders; "" for none."""
    message = Message()
    message["Content-Disposition"] = answer.headers.get("content-disposition", "")
    name = redactor.text(message.get_filename("") or "")
    plain = without_hidden(name.replace("\\", "/").rpartition("/")[2])[:100]
    return "" if plain in (".", "..") else "".join(sign for sign in plain if sign.isprintable())


def _status(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def _failure(host: str, method: str, answer: Answer, redactor: Redactor) -> str:
    status = answer.status
    words = _message(answer, redactor)
    line = f"{host} answered {_status(status)}{': ' + words if words else '.'}"
    return f"{line}\n{_advice(status, method, answer)}"


def _message(answer: Answer, redactor: Redactor) -> str:
    """The API's own message, bounded; nothing of a page of HTML."""
    media_type, charset = _media_type(answer)
    if not (is_json(media_type) or media_type.startswith("text/")):
        return ""
    text = _decoded(answer.content[:_READ], charset)
    if text is None:
        return _UNREAD
    if _TAGS.match(text):
        return ""
    text = redactor.text(" ".join(text.split()))
    text = without_hidden(text if len(answer.content) <= _READ else text[:-_CUT])
    return text if len(text) <= _WORDS else f"{text[:_WORDS]}…"


def _effect(method: str) -> str:
    return "" if method in SAFE_METHODS else " The call may have taken effect: look before you call it again."


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
        return f"This is a fault of the server.{_effect(method)}"
    return "Change the arguments, or go on without this call."
