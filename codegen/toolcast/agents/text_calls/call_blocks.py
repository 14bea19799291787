"""One block, from its mark to its end."""

import re

from . import json_calls, line_calls, python_calls, tag_calls
from .marks import (
    ARROW_END,
    ATTRIBUTE_ID,
    ATTRIBUTE_NAME,
    BODY_END,
    CLOSER,
    JSON_FENCE,
    OPENER,
    SPACE,
    Source,
)
from .parsed_text import BrokenError, Found, Read

_WEAK = ("tools", "invoke")
"""Tags that prose may well have around one word."""
_NO_CALL = 'the JSON is no call: write {"name": …, "arguments": {…}}'


def read(source: Source, mark: re.Match[str]) -> Read | None:
    """The calls of the block that `mark` opens, and its end; None where the mark is prose after all.

    Raises BrokenError for a block that is surely a call and cannot be read.
    """
    if mark["stray"] is not None:
        return [], mark.end()
    if mark["tag"] is not None:
        return _tag(source, mark)
    if mark["function"] is not None:
        return _named(source, mark["function"], mark.end(), "")
    if mark["call"] is not None:
        return tag_calls.code_values(source, mark.end()) or _surely(_body(source, mark.end(), bare=True))
    if mark["fence"] is not None:
        if mark["fenced"] is not None:
            return _surely(_named(source, mark["fenced"], mark.end(), ""))
        return _surely(_body(source, mark.end(), bare=True))
    if mark["arrow"] is not None:
        return _arrow(source, mark.end())
    name = next((mark[key] for key in ("kimi", "deep", "deeper", "compact") if mark[key] is not None), None)
    if name is not None:
        return _token_named(source, mark, name)
    return _token(source, mark.end())


def read_canonical(source: Source, mark: re.Match[str]) -> Read | None:
    """The call of the one form that `instructions` asks for, and its end; None for any other mark.

    Raises BrokenError for an object between such marks that is no call.
    """
    if mark["tag"] != "tool_call" or mark["attributes"]:
        return None
    at = _skip(source, mark.end())
    if source.text[at : at + 1] != "{":
        return None
    end = json_calls.extent(source, at)
    found = None if end < 0 else json_calls.canonical(source.text[at:end])
    closed = end if end < 0 else _skip(source, end)
    if found is None or not source.text.startswith("</tool_call>", closed):
        raise BrokenError(_NO_CALL)
    return [found], closed + len("</tool_call>")


def _tag(source: Source, mark: re.Match[str]) -> Read | None:
    attributes = mark["attributes"]
    name = ATTRIBUTE_NAME.search(attributes) if attributes else None
    if name is None:
        if attributes.rstrip().endswith("/"):
            return None
        return _body(source, mark.end(), bare=mark["tag"] not in _WEAK)
    tool = name[1] or name[2]
    id = ATTRIBUTE_ID.search(attributes)
    call_id = "" if id is None else id[1] or id[2]
    if attributes.rstrip().endswith("/"):
        return [Found(tool, "{}", "invoke", call_id)], mark.end()
    return _named(source, tool, mark.end(), call_id)


def _named(source: Source, tool: str, start: int, id: str) -> Read | None:
    """A block whose mark has the tool's name."""
    found = tag_calls.arguments(tool, source, start, id)
    if found is not None:
        return [found[0]], _closed(source, found[1])
    at = _skip(source, start)
    if source.match(CLOSER, at) is not None or source.text.startswith("```", at):
        return [Found(tool, "{}", "invoke", id)], _closed(source, at)
    end = source.search(BODY_END, at)
    if end is None and source.text[at : at + 1] not in ("<", ""):
        return None
    if end is None or source.text[at] == "<" or not _ends(source, end.start()):
        raise BrokenError(f"the call of {tool!r} has no end")
    one = line_calls.read(f"{tool}>\n{source.text[at : end.start()]}", closed=True, bare=False)
    if one is None:
        raise BrokenError(f"the arguments of {tool!r} are in none of the known forms")
    return [one._replace(id=id)], _closed(source, end.start())


def _body(source: Source, start: int, *, bare: bool) -> Read | None:
    """A block whose content names the tool."""
    at = _skip(source, start)
    fence = source.match(JSON_FENCE, at)
    if fence is not None:
        at = fence.end()
    text = source.text
    first = text[at : at + 1]
    if first in ("{", "["):
        found, at = _json(source, at)
        if fence is not None and text.startswith("```", _skip(source, at)):
            at = _skip(source, at) + 3
        return found, _closed(source, at)
    if first == "<":
        if OPENER.match(text, at) is not None:
            return [], at  # the calls are those of the tags inside
        roots = tag_calls.elements(source, at)
        calls = None if roots is None else tag_calls.calls(roots[0])
        return _surely(None if roots is None or calls is None else (calls, _closed(source, roots[1])))
    pair = tag_calls.pairs(source, at)
    if pair is not None:
        return [pair[0]], _closed(source, pair[1])
    called = python_calls.read(source, at)
    if called is not None:
        return [called[0]], _closed(source, called[1])
    end = source.search(BODY_END, at)
    stop = len(text) if end is None else end.start()
    if end is None or not _ends(source, stop):
        return _unclosed(source, at, stop)
    one = line_calls.read(text[at:stop], closed=True, bare=bare)
    return _words(source, at) if one is None else ([one], _closed(source, stop))


def _unclosed(source: Source, at: int, stop: int) -> Read | None:
    """A block in words without an end: its first line, if that shows its own end."""
    line = source.text.find("\n", at, stop)
    stop = stop if line < 0 else line
    one = line_calls.read(source.text[at:stop], closed=False, bare=False)
    return _words(source, at) if one is None else ([one], stop)


def _words(source: Source, at: int) -> Read | None:
    """Nothing, for prose. What begins as a call does is one that cannot be read: what may stand in it is no
    call of its own. Raises BrokenError for it."""
    if source.match(line_calls.BEGUN, at) is not None:
        raise BrokenError("the call has no end, or is in none of the known forms")
    return None


def _surely(block: Read | None) -> Read:
    """A block whose mark prose does not have. Raises BrokenError where it cannot be read."""
    if block is None:
        raise BrokenError("the call is in none of the known forms")
    return block


def _ends(source: Source, at: int) -> bool:
    """Whether the mark at `at` ends a block."""
    return source.text.startswith(("</", "```"), at)


def _json(source: Source, at: int) -> Read:
    values, end = json_calls.series(source, at)
    found: list[Found] = []
    for value in values:
        calls = json_calls.calls(value)
        if calls is None:
            raise BrokenError(_NO_CALL)
        found += calls
    return found, end


def _arrow(source: Source, at: int) -> Read | None:
    found = line_calls.arrow(source, at)
    if found is None:
        return None
    end = source.match(ARROW_END, found[1])
    return [found[0]], found[1] if end is None else end.end()


def _token_named(source: Source, mark: re.Match[str], name: str) -> Read:
    """A model's own mark that has the tool's name: JSON arguments follow."""
    at = _skip(source, mark.end())
    if source.text[at : at + 1] != "{":
        raise BrokenError(f"the call of {name!r} has no JSON object for its arguments")
    end = json_calls.extent(source, at)
    if end < 0 or not json_calls.is_json(source.text[at:end]):
        raise BrokenError(f"the arguments of {name!r} are broken JSON, or have no end")
    id = f"functions.{name}{mark['number']}" if mark["number"] else ""
    found = Found(name, source.text[at:end], "json", id)
    if mark["deep"] is not None and source.text.startswith("```", _skip(source, end)):
        end = _skip(source, end) + 3
    return [found], end


def _token(source: Source, start: int) -> Read | None:
    """A model's own mark before JSON, or before `[tool(key="v")]`."""
    at = _skip(source, start)
    first = source.text[at : at + 1]
    if first == "[":
        called = python_calls.read_list(source, at)
        if called is not None:
            return called
    return _json(source, at) if first in ("{", "[") else None


def _skip(source: Source, at: int) -> int:
    space = source.match(SPACE, at)
    return at if space is None else space.end()


def _closed(source: Source, at: int) -> int:
    """Behind the closing mark that follows `at`, or `at`."""
    closer = source.match(CLOSER, _skip(source, at))
    return at if closer is None else closer.end()
