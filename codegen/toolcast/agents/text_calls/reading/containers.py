"""Containers in which a marker is shown and begins nothing: code, quotations, comments, declarations.

Blocks and code spans are those of CommonMark. What it leaves open is read as a container: the calls of an
answer can be sent again.
"""

import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Callable

from .feed import Feed, Reading

_COMMENT = "!--"
_ENDLESS = (_COMMENT, "pre", "script", "style", "textarea")
"""Elements that run to the end of the text where they begin a line and nothing closes them."""
_ELEMENTS = (
    *_ENDLESS[1:],
    *("code", "kbd", "samp", "tt", "blockquote", "q", "example", "examples"),
    *("tools", "functions", "available_tools", "tool_list", "tool_definitions"),
)
_TOKEN = re.compile(
    rf"\n|`+|<!--(?:-?>)?|-->|<(?P<end>/?)(?P<name>{'|'.join(_ELEMENTS)})(?=[\s/>])[^<>\n]*>", re.IGNORECASE
)
_BEGUN = re.compile(r"<(?!!--)[a-z!/][^<>\n]*\Z", re.IGNORECASE)
_TAG = 128
"""Characters of a tag at most where a marker stands in it."""
_PREFIX = re.compile(
    r"(?P<indent>[ \t]*)(?P<items>(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*)"
    r"(?P<mark>>|`{3,}|~{3,}|\#{1,6}(?=[ \t\n]))?"
)
"""Beginnings of lines: items of lists, quotations, fences and headings."""
_CLOSING = re.compile(r"(?P<indent>[ \t]*)(?P<fence>`{3,}|~{3,})[ \t]*(?:\r?\n|\Z)")
_BLOCK = re.compile(r"\s*\Z|[ ]{0,3}(?:>|\#{1,6}[ \t\n]|~~~|```[^`]*\Z|(?:[-+*]|1[.)])[ \t]+\S)")
"""A line that ends the paragraph before it."""
_RULE = re.compile(r" {0,3}(?:(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})\n")
_CODE = 4
"""Columns of an indent that make a line code."""

_END = sys.maxsize
"""An offset behind every text."""
Key = int | str
"""The end of a container: the length of a run of backticks, an element's name, a fence's character."""


class Following:
    """The places ahead that may close a container. No line is looked at twice."""

    def __init__(self) -> None:
        self._closing: dict[Key, list[int]] = {}  # offsets of what closes
        self._ends: list[int] = []  # offsets of the lines that end a paragraph
        self._line: list[str] = []  # what is known of the line that is looked at
        self._start = self._seen = 0  # offsets: of that line, and of what is looked at next
        self._within = False  # whether reading went on within that line
        self._over = False

    def has(self, feed: Feed, key: Key) -> Reading[bool]:
        """Tell whether a closing follows anywhere."""
        offset = feed.offset
        return (yield from self._see(feed, lambda: self.find(key, offset)))

    def paragraph_end(self, feed: Feed) -> Reading[int]:
        """Return the offset at which the present paragraph ends."""
        offset = feed.offset
        yield from self._see(feed, lambda: bisect_right(self._ends, offset) < len(self._ends))
        at = bisect_right(self._ends, offset)
        return self._ends[at] if at < len(self._ends) else _END

    def find(self, key: Key, offset: int, end: int = _END) -> bool:
        """Tell whether a closing stands between two offsets that were looked at."""
        places = self._closing.get(key, ())
        at = bisect_left(places, offset)
        return at < len(places) and places[at] < end

    def _see(self, feed: Feed, enough: Callable[[], bool]) -> Reading[bool]:
        """Look at following lines until there is `enough`. Reads nothing."""
        if self._seen < feed.offset:
            self._line, self._start, self._seen, self._within = [], feed.offset, feed.offset, True
        held: list[str] = []
        while not (found := enough()) and not self._over:
            at = self._seen - feed.base
            stop = feed.text.find("\n", at) + 1 or len(feed.text)
            if at < stop:
                self._line.append(feed.text[at:stop])
                self._seen += stop - at
                feed.steps += stop - at
            if self._line and self._line[-1].endswith("\n"):
                self._note_line()
            elif feed.final:
                self._note_line()
                self._over = True
            else:
                held.append(feed.text[feed.at :])
                feed.at = len(feed.text)
                yield None
        if held:
            feed.put_back("".join(held))
        return found

    def _note_line(self) -> None:
        line, start = "".join(self._line), self._start
        if not self._within and _BLOCK.match(line) is not None:
            self._ends.append(start)
        closing = _CLOSING.match(line)
        if closing is not None:
            self._closing.setdefault(closing["fence"][0], []).append(start)
        for token in _TOKEN.finditer(line):
            text, name = token[0], token["name"]
            if text[0] == "`":
                self._closing.setdefault(len(text), []).append(start + token.start())
            elif text == "-->" or (name is not None and token["end"]):
                self._closing.setdefault((name or _COMMENT).lower(), []).append(start + token.start())
        self._line, self._start, self._within = [], self._seen, False


class Containers:
    """The containers that are open where reading goes on. Prose is scanned only where a marker follows it."""

    def __init__(self, following: Following) -> None:
        self._following = following
        self._prose: list[str] = []  # prose that was not scanned yet
        self._at_line = True  # whether a line begins
        self._fence = ("", 0, 0)  # character, length and column of the fence that is open
        self._opening = 0  # length of a run that opens a fence unless its line has another one
        self._column = 0  # column of that fence
        self._closed = False  # whether the line closes a fence
        self._unsure = False  # whether a fence began in a list, and its end, or another fence, outside of it
        self._behind = ""  # character of the fence that ended right before
        self._quoted = False  # whether the line is a quotation
        self._lazy = False  # whether the line may go on with the quotation above it
        self._blank = False  # whether no paragraph stands above the line
        self._code = False  # whether the line is indented code
        self._item = 0  # column of the text of a list's item
        self._list = 0  # the same, of the line that begins a block
        self._paragraph = 0
        self._serial = 0
        self._runs: dict[int, int] = {}  # runs of backticks that may open code: the serial of each length
        self._literal: set[int] = set()  # runs of the paragraph that open nothing
        # Elements that are open: serial, and the paragraph, or -1 at the beginning of a line.
        self._elements: dict[str, list[tuple[int, int]]] = {}

    def add(self, text: str) -> None:
        self._prose.append(text)

    def hide(self, feed: Feed, *, code: bool, thought: bool) -> Reading[bool]:
        """Tell whether a container holds what is read next.

        `code`: an indent is code. `thought`: it ends a thought that began in the prompt, also in an open
        fence.
        """
        self._scan()
        fence = self._fence[0]
        if fence and thought:
            return (yield from self._following.has(feed, fence))
        if fence or self._quoted or self._opening or (code and self._code and not self._at_line):
            return True
        if self._is_raw():
            return True
        return (yield from self._is_code(feed)) or (yield from self._is_in_element(feed))

    @property
    def is_indented(self) -> bool:
        """True where the line is indented code, and in no other container that lines begin."""
        return self._code and not self._at_line and not (self._fence[0] or self._quoted or self._is_raw())

    def doubt(self, feed: Feed) -> Reading[bool]:
        """Tell whether a call that was read may be shown: an open quotation, fence or element may hold it."""
        if self._lazy or self._unsure:
            return True
        if self._behind:
            end = yield from self._following.paragraph_end(feed)
            if self._following.find(self._behind, end, end + 1):
                return True
        if self._literal:
            end = yield from self._following.paragraph_end(feed)
            if any(self._following.find(length, feed.offset, end) for length in self._literal):
                return True
            self._literal.clear()
        for name, several in self._elements.items():
            if several and (yield from self._following.has(feed, name)):
                return True
        return False

    def _is_raw(self) -> bool:
        """Tell whether a comment, or an element that began a line, holds all text up to its end."""
        if not self._elements:
            return False
        return any(self._elements.get(name) and self._elements[name][0][1] < 0 for name in _ENDLESS)

    def _is_code(self, feed: Feed) -> Reading[bool]:
        """Tell whether runs of backticks before and behind the place make it code."""
        end = (yield from self._following.paragraph_end(feed)) if self._runs else 0
        while self._runs:
            length = next(iter(self._runs))
            if self._following.find(length, feed.offset, end):
                return True
            del self._runs[length]
            self._literal.add(length)
        return False

    def _is_in_element(self, feed: Feed) -> Reading[bool]:
        """Tell whether an element of this paragraph, or one that began a line, closes behind the place."""
        for name, several in self._elements.items():
            if several and several[-1][1] == self._paragraph:
                end = yield from self._following.paragraph_end(feed)
                if self._following.find(name, feed.offset, end):
                    return True
            if several and several[0][1] < 0 and (yield from self._following.has(feed, name)):
                return True
        return False

    def _scan(self) -> None:
        text = "".join(self._prose).replace("\r\n", "\n").replace("\r", "\n")
        begun = _BEGUN.search(text, max(0, len(text) - _TAG))  # a marker may begin with the end of a tag
        self._prose = [text[begun.start() :]] if begun is not None else []
        text = text[: begun.start()] if begun is not None else text
        at = 0
        while at < len(text):
            begins = self._at_line
            if begins:
                at = self._begin_line(text, at)
            at = self._scan_line(text, at, at if begins else -1)

    def _begin_line(self, text: str, at: int) -> int:
        """Read what begins a line; return where its text begins."""
        self._at_line = False
        if self._fence[0]:
            self._close_fence(text, at)
        if self._fence[0] or self._closed or self._is_raw():
            return at
        line = _PREFIX.match(text, at)
        assert line is not None  # every part of it may be empty
        indent, items, mark = _columns(line["indent"]), line["items"], line["mark"] or ""
        if text[line.end() : line.end() + 1] == "\n" and not mark:
            if not items:
                self._end_paragraph()
                self._blank = True
            return line.end()
        self._behind = ""
        if indent < self._item and self._blank:
            self._item = 0
        self._code = indent >= self._item + _CODE and (self._blank or self._code)
        self._code |= " " * (_CODE + 1) in items
        interrupts = items[:1] in ("-", "+", "*") or items[:2] in ("1.", "1)") or self._item or self._blank
        if items and interrupts and indent < self._item + _CODE:
            self._end_paragraph()
            self._item = _columns(line["indent"] + items)
        self._blank = mark[:1] == "#" or _RULE.match(text, at) is not None
        if mark != ">" and not items and indent >= self._item + _CODE:
            return line.end("items")
        column = _columns(line["indent"] + items)
        self._list = column if items else self._item
        self._begin_block(mark, column)
        return line.end()

    def _close_fence(self, text: str, at: int) -> None:
        character, length, column = self._fence
        line = _CLOSING.match(text, at)
        if line is None or line[0][-1] != "\n" or _columns(line["indent"]) > max(column, _CODE - 1):
            return
        if line["fence"][0] == character and len(line["fence"]) >= length:
            self._fence, self._blank = ("", 0, 0), True
            self._closed, self._behind = True, character
            self._unsure |= _columns(line["indent"]) < self._list <= column

    def _begin_block(self, mark: str, column: int) -> None:
        if mark[:1] == "`":
            self._opening, self._column = len(mark), column
        elif mark:
            self._end_paragraph()
            self._quoted = self._lazy = mark == ">"
            if mark[0] == "~":
                self._fence = ("~", len(mark), column)

    def _end_paragraph(self) -> None:
        self._lazy = False
        self._paragraph += 1
        self._runs.clear()
        self._literal.clear()

    def _scan_line(self, text: str, at: int, first: int) -> int:
        skip = bool(self._fence[0]) or self._quoted or self._closed
        while True:
            if skip:
                at = text.find("\n", at)
            token = _TOKEN.search(text, at) if at >= 0 else None
            if token is None:
                return len(text)
            at = token.end()
            if token[0] == "\n":
                self._end_line()
                return at
            if token[0][0] != "`":
                self._note_tag(token, begins=token.start() == first)
            elif not self._is_raw():
                self._note_run(text, token)

    def _end_line(self) -> None:
        if self._opening or self._blank:  # behind a heading, too
            self._end_paragraph()
        if self._opening:
            self._fence = ("`", self._opening, self._column)
        self._opening, self._quoted, self._closed, self._at_line = 0, False, False, True

    def _note_tag(self, token: re.Match[str], *, begins: bool) -> None:
        name = (token["name"] or _COMMENT).lower()
        several = self._elements.setdefault(name, [])
        if token[0] == "-->" or token["end"]:
            if name in _ENDLESS:
                several.clear()
            elif several:
                several.pop()
        elif not token[0].endswith(("->", "/>", "!-->")):
            self._serial += 1
            if begins and name in _ENDLESS:
                several.clear()
                self._blank = True
            several.append((self._serial, -1 if begins else self._paragraph))

    def _note_run(self, text: str, token: re.Match[str]) -> None:
        if self._opening:  # a backtick behind them: they begin no fence
            self._open_or_close(self._opening, self._opening)
            self._opening = 0
        before = at = token.start()
        while before and text[before - 1] == "\\":
            before -= 1
        length = token.end() - at
        self._open_or_close(length, length - (at - before) % 2)

    def _open_or_close(self, length: int, opening: int) -> None:
        """Close code of this length of backticks, or open code, without those that are escaped."""
        opened = self._runs.get(length)
        if opened is None:
            self._serial += 1
            if opening:
                self._runs.setdefault(opening, self._serial)
            return
        while self._runs and next(reversed(self._runs.values())) >= opened:
            self._runs.popitem()
        for several in self._elements.values():
            while several and several[-1][0] > opened:
                several.pop()


def _columns(blanks: str) -> int:
    return len(blanks.expandtabs(_CODE))
