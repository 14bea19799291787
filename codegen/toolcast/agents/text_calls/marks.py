"""A text that is read from left to right, and the marks at which a call may begin or end."""

import re


class Source:
    """The text, and where each search last ended.

    Offsets only grow, so a search repeated before its last match costs nothing: together the
    searches for one mark read the text once. `steps` counts the characters that were looked at.
    """

    __slots__ = ("_ends", "_finds", "steps", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.steps = 0
        self._finds: dict[str, tuple[int, int]] = {}
        self._ends: dict[re.Pattern[str], tuple[int, re.Match[str] | None]] = {}

    def find(self, mark: str, start: int) -> int:
        """Where `mark` stands at or after `start`; -1 where it does not."""
        begun, found = self._finds.get(mark, (-1, -2))
        if found == -2 or start < begun or -1 < found < start:
            found = self.text.find(mark, start)
            self.steps += (len(self.text) if found < 0 else found) - start + len(mark)
            self._finds[mark] = (start, found)
        return found

    def search(self, pattern: re.Pattern[str], start: int) -> re.Match[str] | None:
        """The first match at or after `start`. For patterns whose matches do not hang on `start`."""
        known = self._ends.get(pattern)
        if known is not None:
            begun, found = known
            if begun <= start and (found is None or start <= found.start()):
                return found
        found = pattern.search(self.text, start)
        self.steps += (len(self.text) if found is None else found.end()) - start
        self._ends[pattern] = (start, found)
        return found

    def match(self, pattern: re.Pattern[str], start: int) -> re.Match[str] | None:
        """A match that begins at `start`."""
        found = pattern.match(self.text, start)
        self.steps += 1 if found is None else found.end() - start + 1
        return found


ALIASES = (
    r"(?:｜DSML｜)?(?:function_calls|tool_calls?|toolcall|tool-call|tools|invoke|minimax:tool_?call)"
    r"(?![\w:.-])"
)
NAME = r"[A-Za-z_][\w.:/-]{0,127}"

_MODEL_TOKENS = (
    r"\|python_tag\|>",
    r"\|python_start\|>",
    r"\|tool_call_start\|>",
    r"\|message_sep\|>\s{0,8}function call<\|role_sep\|>",
    r"\|tool_call_begin\|>\s{0,8}(?:functions\.)?(?P<kimi>[\w.-]+)(?P<number>:\d+)?\s{0,8}<\|tool_call_argument_begin\|>",
    r"｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>(?P<deep>[\w.-]+)\s{0,8}```json"
    r"|(?P<deeper>[\w.-]+)<｜tool▁sep｜>)",
)
_MODEL_CLOSERS = (
    r"\|python_end\|>",
    r"\|tool_call_end\|>",
    r"\|tool_calls?_section_(?:begin|end)\|>",
    r"｜tool▁calls?▁(?:begin|end)｜>",
)

_ANGLE = (
    r"<(?=[/|F｜fimt])(?:"
    r"(?P<think>think(?:ing)?>)"
    r"|(?P<thought>/think(?:ing)?>)"
    r"|(?P<result>tool_result(?=[\s>]))"
    rf"|(?P<tag>{ALIASES})(?P<attributes>[^<>]*)>"
    rf"|function=\"?(?P<function>{NAME})\"?\s{{0,8}}>"
    r"|(?P<call>FunctionCall)>"
    rf"|(?P<token>{'|'.join(_MODEL_TOKENS)})"
    rf"|(?P<stray>/(?:{ALIASES}|FunctionCall|function)\s{{0,8}}>|{'|'.join(_MODEL_CLOSERS)})"
    r")"
)
_FENCE = rf"```(?P<fence>tool_calls?|invoke|tool[ \t]{{1,8}}(?P<fenced>{NAME}))[ \t]{{0,8}}\r?\n"
_WORD = (
    r"(?P<arrow>\[?TOOL_CALL\]?(?=\s{0,8}\{))"
    rf"|(?P<mistral>\[TOOL_CALLS\](?:\s{{0,8}}(?P<compact>{NAME})\[ARGS\])?)"
)
OPENER = re.compile(f"{_ANGLE}|{_FENCE}|{_WORD}")
"""Every mark. Counts are bounded and classes end at `<`, so a failed try costs a constant, or what lies
between two brackets, once."""

# Each begins with letters that `re` looks for at the speed of memchr; all in one expression would be several
# times slower on plain prose.
_SEARCHES = (re.compile(_ANGLE), re.compile(_FENCE), re.compile(r"TOOL_CALL(?:S\]|\]?(?=\s{0,8}\{))"))


def next_mark(source: Source, start: int) -> re.Match[str] | None:
    """The first mark at or after `start`."""
    at = start
    while True:
        found = [mark.start() for search in _SEARCHES if (mark := source.search(search, at)) is not None]
        if not found:
            return None
        at = min(found)
        if at > start and source.text[at - 1] == "[" and source.text.startswith("TOOL_CALL", at):
            at -= 1
        mark = source.match(OPENER, at)
        if mark is not None:
            return mark
        at += 2  # past the bracket that was stepped back over


CLOSER = re.compile(rf"</(?:{ALIASES}|FunctionCall|function)\s{{0,8}}>")
"""The end of a block: any alias closes any other."""

BODY_END = re.compile(rf"</?(?:{ALIASES}|function=|FunctionCall>|function>)|```")
ATTRIBUTE_NAME = re.compile(r"""(?<![\w-])name\s{0,8}=\s{0,8}(?:"([^"]{1,256})"|'([^']{1,256})')""")
ATTRIBUTE_ID = re.compile(
    r"""(?<![\w-])(?:id|tool_call_id|call_id)\s{0,8}=\s{0,8}(?:"([^"]{1,256})"|'([^']{1,256})')"""
)
FENCE_END = re.compile(r"\s*```(?=[ \t]*(?:\r?\n|\Z))")
ARROW_END = re.compile(r"\s*(?:\[/TOOL_CALL\]|/TOOL_CALL\b)")
SPACE = re.compile(r"\s*")
JSON_FENCE = re.compile(r"```(?:json)?[ \t]*\r?\n\s*")
ENDS = ("</s>", "<|im_end|>", "<|eot_id|>")
"""What a model writes behind its last word."""
