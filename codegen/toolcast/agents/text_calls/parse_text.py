"""From a model's text to the calls in it. Reads once, from left to right; nothing is executed here."""

import re
from collections.abc import Callable

from ...runtime.arguments import MAX_TEXT
from ...runtime.wire.fragments import MAX_CALLS
from . import call_blocks as blocks
from . import json_calls
from .marks import ENDS, FENCE_END, SPACE, Source, next_mark
from .parsed_text import BrokenError, Call, Found, Parsed, Problem, Read

_THINK = re.compile(r"\s*<think(ing)?>")


def parse(text: str, *, canonical: bool = False) -> Parsed:
    """Parse the calls of a text. Never raises.

    Thoughts are removed. JSON is a call only between marks, or where the whole text is nothing else. At most
    1,024 calls are read, of texts up to 4 Mi characters: more is a problem.

    Args:
        text: the model's answer.
        canonical: whether only the form that `instructions` asks for is a call; all others are text then.

    Returns:
        The calls, what is left for the user, and the problems.
    """
    return read(Source(text), canonical=canonical)


def read(source: Source, *, canonical: bool = False) -> Parsed:
    """`parse`, with the source's count of steps for who wants to see it."""
    text = source.text
    if len(text) > MAX_TEXT:
        reason = f"the text is too long to be read for calls: {len(text)} characters, {MAX_TEXT} allowed"
        # Only where there is something to read: a long answer is no mistake.
        marked = next_mark(source, 0) is not None
        return Parsed(
            calls=(), text=text, problems=(Problem(start=0, end=len(text), reason=reason),) * marked
        )
    whole = None if canonical else _whole(source)
    if whole is not None:
        return whole
    if next_mark(source, 0) is None:
        return Parsed(calls=(), text=text)
    return _Reader(source, blocks.read_canonical if canonical else blocks.read).read()


def _whole(source: Source) -> Parsed | None:
    """The text as one JSON value that is a call or a list of calls, after thoughts; None where it is not."""
    text, start = source.text, 0
    while (thought := source.match(_THINK, start)) is not None:
        mark = f"</think{thought[1] or ''}>"
        end = source.find(mark, thought.end())
        if end < 0:
            return None
        start = end + len(mark)
    space = source.match(SPACE, start)
    start = start if space is None else space.end()
    if text[start : start + 1] not in ("{", "["):
        return None
    end = json_calls.extent(source, start)
    if end < 0 or text[end:].strip():
        return None
    found = json_calls.calls(text[start:end], strict=True)
    if not found:
        return None
    calls = tuple(_to_call(one, start, end) for one in found[:MAX_CALLS])
    words = json_calls.content(text[start:end])
    return Parsed(calls=calls, text=words, problems=_too_many(start, end) if len(found) > MAX_CALLS else ())


def _to_call(found: Found, start: int, end: int) -> Call:
    return Call(
        name=found.name,
        arguments=found.arguments,
        id=found.id,
        start=start,
        end=end,
        form=found.form,
        textual=found.textual,
    )


def _too_many(start: int, end: int) -> tuple[Problem, ...]:
    return (Problem(start=start, end=end, reason=f"more than {MAX_CALLS} calls at once"),)


class _Reader:
    """One pass over a text that has at least one mark."""

    def __init__(self, source: Source, block: Callable[[Source, re.Match[str]], Read | None]) -> None:
        self.source = source
        self.block = block
        self.calls: list[Call] = []
        self.problems: list[Problem] = []
        self.pieces: list[str] = []

    def read(self) -> Parsed:
        """Every mark in turn; what lies between them is the user's."""
        source, text = self.source, self.source.text
        at = kept = 0
        fenced = False
        while (mark := next_mark(source, at)) is not None:
            start = mark.start()
            if mark["think"] is not None:
                self.pieces.append(text[kept:start])
                end = source.find(f"</{mark['think']}", mark.end())
                at = kept = len(text) if end < 0 else end + len(mark["think"]) + 2
                continue
            if mark["thought"] is not None:  # the beginning stood in the prompt: all so far was thought
                self.calls, self.problems, self.pieces = [], [], []
                at = kept = mark.end()
                continue
            if mark["result"] is not None:  # an echo: its content is a tool's, not the model's
                end = source.find("</tool_result>", mark.end())
                at = len(text) if end < 0 else end
                continue
            fenced = fenced or mark["fence"] is not None
            try:
                block = self.block(source, mark)
            except BrokenError as problem:
                # Where a broken block ends cannot be known, and a mark inside of it is no call of its own.
                reason = f"{problem}. Nothing after it was read: write the calls that followed it again, too"
                self.problems.append(Problem(start=start, end=len(text), reason=reason))
                block = [], len(text)
            if block is None:
                at = mark.end()
                continue
            found, at = block
            self.pieces.append(text[kept:start])
            if len(self.calls) + len(found) > MAX_CALLS:
                self.problems += _too_many(start, len(text))
                kept = len(text)
                break
            self.calls += (_to_call(one, start, at) for one in found)
            if fenced and (end_fence := source.match(FENCE_END, at)) is not None:
                at, fenced = end_fence.end(), False
            kept = at
        self.pieces.append(text[kept:])
        return Parsed(calls=tuple(self.calls), text=self.rest(), problems=tuple(self.problems))

    def rest(self) -> str:
        """What is left, without the blanks at both ends, and after calls without the model's own end mark."""
        rest = "".join(self.pieces).strip()
        end = next((end for end in ENDS if rest.endswith(end)), "") if self.calls else ""
        return rest.removesuffix(end).strip()
